"""A more general equation of which one is a case: n for 2 n, for m + n or for n + 8, where they
occur in this way only. Not trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import gcd
from typing import Any

from proofs.kernel.numbers import Digit, Dim, Nat, Poly, nat, poly
from proofs.kernel.terms import Term, free, parts, substitute

LEAST_SHIFT = 2
"""A search from n + 1 on does not take much longer than one from n on."""


def occurring(*sides: Term) -> Iterator[tuple[str, Nat, Callable[[Term], Term]]]:
    """Yield a symbol n, m + n, 2 n or n + c, and the map of terms that puts n for it, where n
    occurs in this way only.
    """
    naturals = [one for side in sides for one in all_in(side, Nat)]
    names = sorted(name for name, sort in free(*sides).items() if sort == "natural")
    alone = [
        n for n in names if all(ns == (n,) for one in naturals for ns, _ in one.terms if n in ns)
    ]
    rows = {n: [dict(one.terms).get((n,), 0) for one in naturals] for n in alone}
    for n in alone:
        for m in alone:
            if n < m and rows[n] == rows[m]:
                yield n, nat(n) + nat(m), lambda term, m=m: substitute(term, {m: Nat.of(0)})  # type: ignore[misc]
        times = gcd(*rows[n])
        if times > 1:
            yield n, nat(n) * times, lambda term, n=n, times=times: _divided(term, n, times)  # type: ignore[misc]
        more = min(
            (
                dict(one.terms).get((), 0) // c
                for one, c in zip(naturals, rows[n], strict=True)
                if c > 0
            ),
            default=0,
        )
        if more >= LEAST_SHIFT and min(rows[n]) >= 0:
            yield (
                n,
                nat(n) + more,
                lambda term, n=n, more=more: substitute(term, {n: nat(n) - more}),  # type: ignore[misc]
            )


def all_in(thing: Any, kind: type) -> set[Any]:
    """Return everything of a kind in a term, also in what is of this kind."""
    inner = (all_in(part, kind) for part in parts(thing))
    return set().union([thing] if type(thing) is kind else [], *inner)


def _divided(thing: Any, n: str, times: int) -> Any:
    """Return a term with n in place of `times` n."""

    def by(one: Nat) -> Nat:
        return Nat(frozenset((names, c // times if names == (n,) else c) for names, c in one.terms))

    return with_naturals(thing, by)


def with_naturals(thing: Any, change: Callable[[Nat], Nat]) -> Any:
    """Return a term with every polynomial in naturals changed."""

    def new(x: Any) -> Any:
        return with_naturals(x, change)

    match thing:
        case Nat():
            return change(thing)
        case Dim(powers):
            return Dim(frozenset((base, new(e)) for base, e in powers))
        case Poly(terms):
            return poly(((new(dim), tuple(map(new, atoms))), c) for (dim, atoms), c in terms)
        case tuple():
            return tuple(map(new, thing))
        case Digit() | Term():
            return type(thing)(*map(new, parts(thing)))
    return thing
