"""Sizes that are integers for all values of their symbols, the terms that are put for a symbol if
they are not, and the conditions to state. Not trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from math import prod

from proofs.kernel.numbers import Dim, Nat, Poly, nat, size

NEW = "hcdgqabeinmrstuvxyz"
"""Letters for what is left of a symbol that is a multiple."""


class Inexpressible(ValueError):
    """The kernel has no term for this formula. Nothing is said of its truth."""


class Ambiguous(Inexpressible):
    """A size is whole in several ways; another size may leave one."""

    def __init__(self, found: Dim, conditions: Sequence[str] = (), typed: object = None) -> None:
        such_as = " or ".join(conditions) or "N = r*s"
        super().__init__(
            f"{typed or found} is not whole for all values of its symbols: state a condition, such"
            f" as where {such_as}"
        )
        self.size = found


class SumOfSizes(Inexpressible):
    """A size is a sum such as m + 1; another letter for the whole sum may make a term of it."""

    def __init__(self, why: str, found: Poly) -> None:
        super().__init__(why)
        self.sum = found


class Repair(Exception):
    """A size is whole only if a symbol is replaced."""

    def __init__(self, name: str, by: Nat | Dim) -> None:
        super().__init__(name)
        self.name, self.by = name, by


def linear(count: Nat) -> list[str]:
    """Return the symbols that occur once in a number of factors, with the coefficient 1."""
    times = [x for names, _ in count.terms for x in {*names}]
    return [
        names[0]
        for names, c in sorted(count.terms)
        if len(names) == c == times.count(names[0]) == 1 and names[0].isidentifier()
    ]


def counted(exponent: Nat, count: Nat, value: Nat) -> Nat:
    """Return an exponent with a multiple of a number of factors, such as 2n, replaced: what of it
    grows is a multiple of what grows in it.

    >>> print(counted(nat("n") * 4, nat("n") * 2 + 1, nat("k") + nat("l") + 1))
    2*l+2*k
    """
    names, c = min((term for term in count.terms if term[0]), key=lambda term: (len(term[0]), term))
    times, rest = divmod(dict(exponent.terms).get(names, 0), c)
    return exponent if rest else exponent + (value - count) * times


def check_whole(found: Dim) -> None:
    """Raise Repair with what makes a size whole and leaves out no whole value, Ambiguous where
    nothing does.

    That is clear where one symbol only stands above the line, and no number that could share a
    divisor with what stands below it.
    """
    if found.whole:
        return
    symbols = {
        name
        for base, e in found.powers
        for names, c in e.terms
        if c > 0
        for name in ([base] if isinstance(base, str) else names)
    }
    if len(symbols) == 1:
        (name,) = symbols
        by = _multiple(name, found) if name in dict(found.powers) else _sum(name, found)
        if by is not None:
            raise Repair(name, by)
    raise Ambiguous(found)


def _multiple(name: str, found: Dim) -> Dim | None:
    """Return the multiple of a size that makes name / below whole."""
    divided = ((base, e * -1) for base, e in found.powers if base != name and not e.natural)
    below = Dim(frozenset(divided))
    return below * size(name) if found * below == size(name) and below.whole else None


def _sum(name: str, found: Dim) -> Nat | None:
    """Return the sum with a natural that makes the exponent name - low a natural."""
    for base, e in found.powers:
        low = nat(name) - e
        alone = isinstance(base, int) or len(found.powers) == 1
        once = ((name,), 1) in e.terms and name not in {x for xs, _ in low.terms for x in xs}
        if alone and once and low.natural and not e.natural:
            return nat(name) + low
    return None


def conditions_making_integral(found: Dim, symbols: Set[str]) -> list[str]:
    """Return conditions of which each makes a size whole, k = 2*h or n >= 1, on these symbols.

    >>> conditions_making_integral(size("k") * size("u") / 2, {"k", "u"}), conditions_making_integral(2 ** (nat("m") + nat("n") - 1), {"m", "n"})
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
