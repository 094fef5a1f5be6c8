"""Phases and complex numbers of path sums, congruences between digits of few values. Trusted;
standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod

from proofs.kernel.numbers import ONE, Digit, Dim, Poly, Real, poly
from proofs.kernel.terms import substitute

TWO = Dim.of(2)
MOST_VALUES = 256
UNIT, NIL = (Poly.of(1), Poly.of(0)), (Poly.of(0), Poly.of(0))


def complex_times(a: tuple[Poly, Poly], b: tuple[Poly, Poly]) -> tuple[Poly, Poly]:
    """Return a product of complex numbers."""
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def replace_digits(phase: Poly, values: Mapping[str, Poly]) -> Poly:
    """Return a phase with digits replaced; the square of a binary digit is the digit."""

    def once(atoms: tuple[Digit | Real, ...]) -> tuple[Digit | Real, ...]:
        again = [x in atoms[:i] for i, x in enumerate(atoms)]
        binary = [type(x) is Digit and x.radix == TWO for x in atoms]
        return tuple(x for x, a, b in zip(atoms, again, binary, strict=True) if not (a and b))

    return poly(((dim, once(atoms)), c) for (dim, atoms), c in substitute(phase, values).terms)


def along(phase: Poly, x: Digit) -> tuple[Poly, Poly] | None:
    """Return E and the rest of a phase x E + rest, both without x; None where it is another one."""
    rest = Poly(frozenset((m, c) for m, c in phase.terms if x not in m[1]))
    linear = (phase - rest).terms
    if any(atoms.count(x) > 1 for (_, atoms), _ in linear):
        return None
    E = (((dim, tuple(y for y in atoms if y != x)), c) for (dim, atoms), c in linear)
    return poly(E), rest


def periodic(phase: Poly, y: Digit, d: Dim) -> bool:
    """Return whether a phase does not change by y -> y + d but for integers."""
    return (replace_digits(phase, {y.name: Poly.of(y) + d}) - phase).integral


def bounds(E: Poly) -> tuple[Poly, Poly] | None:
    """Return numbers between which E is, a digit being one from 0 to its radix - 1; None for a real
    number.
    """
    low = high = Poly.of(0)
    for (dim, atoms), c in E.terms:
        most = Poly.of(dim) * Poly.of(c)
        for x in atoms:
            if type(x) is not Digit:
                return None
            most = most * (Poly.of(x.radix) - 1)
        low = low + most if c < 0 or not atoms else low
        high = high + most if c > 0 or not atoms else high
    return low, high


def positive(p: Poly) -> bool:
    """Return whether a number without digits is seen to be above 0: each of its sizes is at least 1
    and has a factor above 0, or is 1, and the factors add up to more than 0.
    """
    seen = (not atoms and ((dim.whole and c > 0) or dim == ONE) for (dim, atoms), c in p.terms)
    return all(seen) and sum(c for _, c in p.terms) > 0


def number(d: Dim) -> int:
    """Return a whole size without symbols as an integer, 0 for any other."""
    ((dim, _), c) = next(iter(Poly.of(d).terms))
    return int(c) if dim == ONE else 0


def solutions(E: Poly, d: Dim) -> list[dict[Digit | Real, int]] | None:
    """Return all values of the digits of an integer E for which E = 0 mod d; None where these are
    not few, or depend on symbols.
    """
    digits = sorted({x for (_, atoms), _ in E.terms for x in atoms}, key=lambda x: x.name)
    radices = [number(x.radix) if type(x) is Digit else 0 for x in digits]
    few = number(d) and all(radices) and prod(radices) <= MOST_VALUES
    if not few or any(dim != ONE for (dim, _), _ in E.terms):
        return None
    tried = (dict(zip(digits, at, strict=True)) for at in product(*map(range, radices)))
    return [at for at in tried if _value(E, at) % number(d) == 0]


def _value(E: Poly, at: Mapping[Digit | Real, int]) -> int:
    return sum(int(c) * prod(at[x] for x in atoms) for (_, atoms), c in E.terms)
