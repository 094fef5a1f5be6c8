"""Sizes of the kernel, products of powers and natural numbers, as text."""

from __future__ import annotations

from functools import reduce

from derive.text.expressions import Name, Number, Operation, Size
from proofs.kernel.sizes import Dim, Member, Nat


def written(value: Dim | Nat) -> Size:
    """Return a product of powers, or an exponent, as text; what is divided by stands behind.

    >>> from proofs.kernel.sizes import nat, size
    >>> print(written(2 ** (nat("n") - 1) * size("r") * 3 / size("s")))
    3*2^(n-1)*r/s
    """
    if isinstance(value, Nat):
        return _sum(value)
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
    found: Size | None = None
    for names, c in terms:
        factors: list[Size] = [Name(name) for name in names]
        if abs(c) != 1 or not factors:
            factors.insert(0, Number(abs(c)))
        one = reduce(lambda a, b: Operation("*", a, b), factors)
        if found is None:
            found = one if c > 0 else Operation("-", Number(0), one)
        else:
            found = Operation("+" if c > 0 else "-", found, one)
    return found or Number(0)
