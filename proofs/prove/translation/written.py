"""Sizes of the kernel, products of powers and natural numbers, as text."""

from __future__ import annotations

from functools import reduce

from derive.text.expressions import Name, Number, Operation, Size
from proofs.kernel.numbers import ONE, Dim, Member, Nat, Poly


def written(value: Dim | Nat | Poly) -> Size:
    """Return a product of powers, an exponent, or a sum of sizes, as text; what is divided by
    stands behind.

    >>> from proofs.kernel.numbers import nat, size
    >>> print(written(2 ** (nat("n") - 1) * size("r") * 3 / size("s")))
    3*2^(n-1)*r/s
    """
    if isinstance(value, Nat):
        return _sum(value)
    if isinstance(value, Poly):
        terms = sorted(value.terms, key=lambda term: (term[1] < 0, term[0][0] == ONE, str(term[0])))
        return _added(
            [(written(dim * abs(c.numerator) / c.denominator), c > 0) for (dim, _), c in terms]
        )
    number, above, below = 1, list[Size](), list[Size]()
    divisor = 1
    for base, exponent in sorted(value.powers, key=lambda power: str(power[0])):
        constant = dict(exponent.terms).get((), 0) if len(exponent.terms) == 1 else 0
        if isinstance(base, int) and constant:
            number, divisor = number * base ** max(constant, 0), divisor * base ** max(-constant, 0)
        elif _falls(exponent):
            below.append(_power(base, exponent * -1))
        else:
            above.append(_power(base, exponent))
    factors: list[Size] = [Number(number)] * (number > 1) + above
    found = reduce(lambda a, b: Operation("*", a, b), factors or [Number(1)])
    divisors: list[Size] = [Number(divisor)] * (divisor > 1) + below
    return reduce(lambda a, b: Operation("/", a, b), divisors, found)


def _falls(exponent: Nat) -> bool:
    return all(c < 0 for _, c in exponent.terms)


def _power(base: int | str | Member, exponent: Nat) -> Size:
    root: Size = Number(base) if isinstance(base, int) else Name(str(base))
    return root if exponent == Nat.of(1) else Operation("^", root, _sum(exponent))


def _sum(value: Nat) -> Size:
    """Return a polynomial as text, what is added before what is taken away."""
    terms = sorted(value.terms, key=lambda term: (term[1] < 0, not term[0], term[0]))
    summands = list[tuple[Size, bool]]()
    for names, c in terms:
        factors: list[Size] = [Name(name) for name in names]
        if abs(c) != 1 or not factors:
            factors.insert(0, Number(abs(c)))
        summands.append((reduce(lambda a, b: Operation("*", a, b), factors), c > 0))
    return _added(summands)


def _added(summands: list[tuple[Size, bool]]) -> Size:
    """Return a sum of sizes, each added or taken away."""
    if not summands:
        return Number(0)
    (first, positive), *others = summands
    start: Size = first if positive else Operation("-", Number(0), first)
    return reduce(lambda a, b: Operation("+" if b[1] else "-", a, b[0]), others, start)
