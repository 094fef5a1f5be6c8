"""Sizes, numbers of factors and phases: exact arithmetic of symbolic numbers. Trusted; standard
library only.

Nat    polynomial with integer coefficients in natural variables; natural if no coefficient is negative
Dim    product of base^Nat, a base being a prime or a symbol for an integer >= 1; whole if every exponent is natural
atom   Digit(name, radix) an integer 0 <= x < radix | Real(name)
Poly   sum of rational * Dim * atoms; integral if its coefficients are integers, its Dims whole and no atom is real
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache, reduce
from math import isqrt
from operator import add, attrgetter, mul
from typing import Any

from proofs.kernel.sealed import need, sealed

LAST_DIVISOR = 2**20
"""Primes are found by division by all numbers up to this."""
MOST_BITS = 2**14
"""A number in a phase is a power of a prime with at most so large an exponent."""


@sealed
class Nat:
    """A polynomial: for each monomial, a sorted tuple of names, a coefficient other than 0."""

    terms: frozenset[tuple[tuple[str, ...], int]]

    def __post_init__(self) -> None:
        need(len(dict(self.terms)) == len(self.terms), "a Nat has a monomial once")
        for names, c in self.terms:
            need(
                c != 0 and list(names) == sorted(names),
                "{} {} is no monomial, or not sorted",
                c,
                names,
            )

    @staticmethod
    def of(value: Nat | int) -> Nat:
        """Return an integer as a Nat."""
        return value if type(value) is Nat else Nat(collect([((), value)]))

    @property
    def natural(self) -> bool:
        """Whether it is natural for all natural values of its variables, by its coefficients."""
        return all(c > 0 for _, c in self.terms)

    def __add__(self, other: Nat | int) -> Nat:
        return Nat(collect([*self.terms, *Nat.of(other).terms]))

    def __mul__(self, other: Nat | int) -> Nat:
        return Nat(
            collect(
                (tuple(sorted(a + b)), c * d) for a, c in self.terms for b, d in Nat.of(other).terms
            )
        )

    def __sub__(self, other: Nat | int) -> Nat:
        return self + Nat.of(other) * -1

    __radd__, __rmul__ = __add__, __mul__

    def __rpow__(self, base: int) -> Dim:
        return Dim(collect([(base, self)]))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __str__(self) -> str:
        parts = [
            "*".join((() if c == 1 and names else (str(c),)) + names)
            for names, c in sorted(self.terms, reverse=True)
        ]
        return "+".join(parts).replace("+-", "-") or "0"


def collect(pairs: Iterable[tuple[Any, Any]]) -> frozenset[tuple[Any, Any]]:
    """Return pairs (key, value) with the values of equal keys added, and without zeros."""
    total: dict[Any, Any] = {}
    for key, value in pairs:
        total[key] = total[key] + value if key in total else value
    return frozenset((key, value) for key, value in total.items() if value)


def nat(name: str) -> Nat:
    """Return a natural variable."""
    return Nat(frozenset({((name,), 1)}))


@sealed
class Dim:
    """A monomial: for each base an exponent other than 0."""

    powers: frozenset[tuple[int | str, Nat]]

    def __post_init__(self) -> None:
        need(len(dict(self.powers)) == len(self.powers), "a Dim has a base once")
        for base, exponent in self.powers:
            need(bool(exponent), "{} is no exponent", exponent)
            need(
                type(base) is str or _primes(base) == {(base, Nat.of(1))},
                "{} is neither prime nor a symbol",
                base,
            )

    @staticmethod
    def of(value: Dim | int) -> Dim:
        """Return an integer >= 1 as a Dim."""
        if type(value) is Dim:
            return value
        need(type(value) is int and value >= 1, "{} is no integer >= 1", value)
        return Dim(_primes(value))

    @property
    def whole(self) -> bool:
        """Whether it is an integer >= 1 for all values of its variables, as its exponents show."""
        return all(exponent.natural for _, exponent in self.powers)

    def __mul__(self, other: Dim | int) -> Dim:
        return Dim(collect([*self.powers, *Dim.of(other).powers]))

    __rmul__ = __mul__

    def __truediv__(self, other: Dim | int) -> Dim:
        return Dim(
            collect(
                [*self.powers, *((base, exponent * -1) for base, exponent in Dim.of(other).powers)]
            )
        )

    def __str__(self) -> str:
        powers = sorted((str(base), exponent) for base, exponent in self.powers)
        return (
            "*".join(
                base if exponent == Nat.of(1) else f"{base}^({exponent})"
                for base, exponent in powers
            )
            or "1"
        )


@cache
def _primes(n: int) -> frozenset[tuple[int, Nat]]:
    """Return the prime factorization of n >= 1, nothing for other numbers. Refused: one that takes
    divisors beyond LAST_DIVISOR.
    """
    last = isqrt(max(n, 0))
    p = next((p for p in range(2, min(last, LAST_DIVISOR) + 1) if n % p == 0), n)
    need(
        p < n or last <= LAST_DIVISOR,
        "{} has no divisor up to {}, and others are not looked for",
        n,
        LAST_DIVISOR,
    )
    return collect([*_primes(n // p), (p, Nat.of(1))]) if n > 1 else frozenset()


ONE = Dim(frozenset())


def size(name: str) -> Dim:
    """Return a symbol for an integer >= 1."""
    return Dim(frozenset({(name, Nat.of(1))}))


@sealed
class Digit:
    """An integer variable, 0 <= x < radix."""

    name: str
    radix: Dim

    def __post_init__(self) -> None:
        need(self.radix.whole, "{} is no radix of {}", self.radix, self.name)


@sealed
class Real:
    """A real variable."""

    name: str


Atom = Digit | Real
_name = attrgetter("name")
Monomial = tuple[Dim, tuple[Atom, ...]]


@sealed
class Poly:
    """For each Dim and sorted tuple of atoms a rational other than 0; exponents of primes in the
    Dim have no constant part.
    """

    terms: frozenset[tuple[Monomial, Fraction]]

    def __post_init__(self) -> None:
        need(len(dict(self.terms)) == len(self.terms), "a Poly has a monomial once")
        for (dim, atoms), c in self.terms:
            need(
                c != 0 and list(atoms) == sorted(atoms, key=_name),
                "{} is no coefficient of {}, or these are not sorted",
                c,
                atoms,
            )
            need(
                all(type(base) is str or () not in dict(e.terms) for base, e in dim.powers),
                "{} has a constant exponent of a prime",
                dim,
            )

    @staticmethod
    def of(value: Poly | Atom | Dim | Fraction | int) -> Poly:
        """Return a number, a Dim or an atom as a Poly."""
        if type(value) is Poly:
            return value
        if type(value) is Dim:
            return poly([((value, ()), Fraction(1))])
        if type(value) in (Digit, Real):
            return poly([((ONE, (value,)), Fraction(1))])  # type: ignore[list-item]
        need(type(value) in (int, Fraction), "{} is no rational number", value)
        return poly([((ONE, ()), Fraction(value))])  # type: ignore[arg-type]

    @property
    def integral(self) -> bool:
        """Whether it is an integer for all values of its variables, as its monomials show."""
        return all(
            c.denominator == 1 and dim.whole and not any(type(x) is Real for x in atoms)
            for (dim, atoms), c in self.terms
        )

    def __add__(self, other: Poly | Atom | Dim | Fraction | int) -> Poly:
        return poly([*self.terms, *Poly.of(other).terms])

    def __mul__(self, other: Poly | Atom | Dim | Fraction | int) -> Poly:
        pairs = [(a, b) for a in self.terms for b in Poly.of(other).terms]
        return poly(
            [
                ((a * b, tuple(sorted(x + y, key=_name))), c * d)
                for ((a, x), c), ((b, y), d) in pairs
            ]
        )

    def __sub__(self, other: Poly | Atom | Dim | Fraction | int) -> Poly:
        return self + Poly.of(other) * -1

    def __truediv__(self, other: Dim | int) -> Poly:
        return self * (ONE / other)

    __radd__, __rmul__ = __add__, __mul__

    def __str__(self) -> str:
        parts = [
            "*".join([str(c)] + [f"({dim})"] * (dim != ONE) + [x.name for x in atoms])
            for (dim, atoms), c in self.terms
        ]
        return " + ".join(sorted(parts)) or "0"


def poly(terms: Iterable[tuple[Monomial, Fraction]]) -> Poly:
    """Return a Poly, constant exponents of primes moved to the coefficients."""

    def stripped(dim: Dim, c: Fraction) -> tuple[Dim, Fraction]:
        constants = [
            (base, dict(e.terms).get((), 0)) for base, e in dim.powers if type(base) is int
        ]
        need(
            all(abs(constant) <= MOST_BITS for _, constant in constants),
            "{} is no power that is multiplied out",
            dim,
        )
        for base, constant in constants:
            dim, c = (
                (dim / Dim(collect([(base, Nat.of(constant))])), c * Fraction(base) ** constant)
                if constant
                else (dim, c)
            )
        return dim, c

    return Poly(
        collect(((dim, atoms), c) for (full, atoms), d in terms for dim, c in [stripped(full, d)])
    )


def factors(term: tuple[Monomial, Fraction]) -> tuple[Any, ...]:
    """Return the Dim and the atoms of a summand."""
    return term[0][0], *term[0][1]


def plus(total: Any, summands: Iterable[Any]) -> Any:
    """Return total + summand + ..."""
    if type(total) is Poly:
        return poly(term for x in (total, *summands) for term in Poly.of(x).terms)
    return reduce(add, summands, total)


def times(total: Any, factors: Iterable[Any]) -> Any:
    """Return total * factor * ..."""
    return reduce(mul, factors, total)
