"""Conditions that make a size whole where it is whole for some values of its symbols only: what to
state by --where. Not trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from math import prod

from proofs.kernel.sizes import Dim, Nat

NEW = "hcdgqabeinmrstuvxyz"
"""Letters for what is left of a symbol that is a multiple."""


def ways(found: Dim, symbols: Set[str]) -> list[str]:
    """Return conditions of which each makes a size whole, k = 2*h or n >= 1, on these symbols.

    >>> from proofs.kernel.sizes import nat, size
    >>> ways(size("k") * size("u") / 2, {"k", "u"}), ways(2 ** (nat("m") + nat("n") - 1), {"m", "n"})
    (['k = 2*h', 'u = 2*h'], ['m >= 1', 'n >= 1'])
    """  # noqa: E501
    below = Dim(frozenset((base, e * -1) for base, e in found.powers if not e.natural))
    return list(
        _multiples(found * below, below, symbols)
        if below.whole and _constant(below)
        else _bounds(below, symbols)
    )


def _constant(d: Dim) -> bool:
    return all({*dict(e.terms)} <= {()} for _, e in d.powers)


def _multiples(above: Dim, below: Dim, symbols: Set[str]) -> Iterator[str]:
    """Yield k = 2*h for each size k above the line, 2 being what stands below it."""
    names = {base for d in (above, below) for base, _ in d.powers if isinstance(base, str)}
    new = next((letter for letter in NEW if letter not in symbols | names), "")
    number = prod(base ** dict(e.terms)[()] for base, e in below.powers if isinstance(base, int))
    letters = [
        base
        for base, e in sorted(below.powers, key=str)
        if isinstance(base, str)
        for _ in range(dict(e.terms)[()])
    ]
    if new and {*letters} <= symbols:
        for base in sorted(
            str(base)
            for base, e in above.powers
            if base in symbols - {*letters} and () in dict(e.terms)
        ):
            yield f"{base} = {'*'.join([*[str(number)] * (number > 1), *letters, new])}"


def _bounds(below: Dim, symbols: Set[str]) -> Iterator[str]:
    """Yield n >= c for each symbol n of the exponent of one base, c being what is subtracted in
    it.
    """
    if len(below.powers) != 1:
        return
    ((_, e),) = below.powers
    least = Nat(frozenset(term for term in e.terms if term[1] > 0))
    alone = sorted({names[0] for names, c in e.terms if c < 0 and len(names) == 1})
    if {x for names, _ in least.terms for x in names} <= symbols:
        yield from (
            f"{name} >= {least}"
            for name in alone
            if name in symbols and name not in {x for names, _ in least.terms for x in names}
        )
