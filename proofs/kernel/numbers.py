"""Sizes, numbers of factors and phases: exact arithmetic of symbolic numbers. Trusted; standard
library only.

Nat    polynomial with integer coefficients in natural variables; natural if no coefficient is negative
Dim    product of base^Nat, a base being a prime, a symbol for an integer >= 1, or a Member; whole if every exponent is
       natural, when N_i s^j / N_(i+j) and N_(i+j) / N_i are left out
Member N_i, i a Nat: the products N_0 = 1, N_1 = r_0, N_2 = r_0 r_1, ... of radices r_0, r_1, ... that divide s, if s > 0
atom   Digit(name, radix) an integer 0 <= x < radix | Real(name)
Poly   sum of rational * Dim * atoms; integral if its coefficients are integers, its Dims whole and no atom is real
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import reduce
from operator import add, attrgetter
from typing import Any

from proofs.kernel.integers import collect, primes
from proofs.kernel.sealed import need, sealed

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
                "{} {} is not a monomial, or not sorted",
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


def nat(name: str) -> Nat:
    """Return a natural variable."""
    return Nat(frozenset({((name,), 1)}))


@sealed
class Sequence:
    """Integers 1 = N_0, N_1, N_2, ..., each a divisor of the next; every radix N_(i+1) / N_i is a
    divisor of `multiple`, as every integer is one of 0.
    """

    name: str
    multiple: Dim | int

    def __post_init__(self) -> None:
        whole = self.multiple.whole if type(self.multiple) is Dim else self.multiple == 0
        need(whole, "{} is neither a size nor 0", self.multiple)

    def at(self, index: Nat | int) -> Dim:
        """Return N_index."""
        i = Nat.of(index)
        return Dim(frozenset({(Member(self, i), Nat.of(1))})) if i else ONE


@sealed
class Member:
    """N_index of a sequence, index other than 0, as the base of a power."""

    sequence: Sequence
    index: Nat

    def __post_init__(self) -> None:
        need(self.index.natural and bool(self.index), "{} is not an index of a base", self.index)

    def __str__(self) -> str:
        return f"{self.sequence.name}[{self.index}]"


def _base(power: tuple[object, Nat]) -> str:
    return str(power[0])


@sealed
class Dim:
    """A monomial: for each base an exponent other than 0."""

    powers: frozenset[tuple[int | str | Member, Nat]]

    def __post_init__(self) -> None:
        need(len(dict(self.powers)) == len(self.powers), "a Dim has a base once")
        for base, exponent in self.powers:
            need(bool(exponent), "{} is not an exponent", exponent)
            need(
                type(base) is not int or primes(base) == {(base, 1)},
                "{} is neither prime nor a symbol",
                base,
            )

    @staticmethod
    def of(value: Dim | int) -> Dim:
        """Return an integer >= 1 as a Dim."""
        if type(value) is Dim:
            return value
        need(type(value) is int and value >= 1, "{} is not an integer >= 1", value)
        return Dim(frozenset((p, Nat.of(e)) for p, e in primes(value)))

    @property
    def whole(self) -> bool:
        """Whether it is an integer >= 1 for all values of its variables, as its exponents show:
        those of members are natural when integers N_j / N_i and N_i s^j / N_(i+j) are taken out.
        """
        below = [power for power in self.powers if not power[1].natural]
        if not below:
            return True
        low, e = min(below, key=_base)
        removed = _integers(low, self.powers) if (e * -1).natural else ()
        return any((self * power_of(q, e)).whole for q in removed)

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
        powers = sorted(self.powers, key=_base)
        return (
            "*".join(
                str(base) if exponent == Nat.of(1) else f"{base}^({exponent})"
                for base, exponent in powers
            )
            or "1"
        )


def power_of(base: Dim, exponent: Nat) -> Dim:
    """Return base^exponent; the exponent may be negative.

    >>> print(power_of(Dim.of(12), nat("n")))
    2^(2*n)*3^(n)
    """
    return Dim(collect((b, e * exponent) for b, e in base.powers))


def _integers(low: Any, powers: Iterable[tuple[Any, Nat]]) -> Iterator[Dim]:
    """Yield integers with N_low below the line, and above it 1 or another member that is there:
    N_j / N_low if j - low is natural, N_j s^(low - j) / N_low if low - j is. None if no N is low.
    """
    if type(low) is not Member:
        return
    there = (b for b, _ in powers if type(b) is Member and b.sequence == low.sequence and b != low)
    for j in (Nat.of(0), *(b.index for b in sorted(there, key=str))):
        found, s = low.sequence.at(j) / low.sequence.at(low.index), low.sequence.multiple
        if (j - low.index).natural:
            yield found
        elif type(s) is Dim and (low.index - j).natural:
            yield found * power_of(s, low.index - j)


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
        need(self.radix.whole, "{} is not a radix of {}", self.radix, self.name)


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
                "{} is not a coefficient of {}, or these are not sorted",
                c,
                atoms,
            )
            need(
                all(type(b) is not int or () not in dict(e.terms) for b, e in dim.powers),
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
        need(type(value) in (int, Fraction), "{} is not a rational number", value)
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
            "{} is not a power that is multiplied out",
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
