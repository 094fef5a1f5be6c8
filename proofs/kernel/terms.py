"""Terms: matrices whose sizes, phases and numbers of factors are symbolic. Trusted; standard library only.

    Nat    polynomial with integer coefficients in natural variables; natural if no coefficient is negative
    Dim    product of base^Nat, a base being a prime or a symbol for an integer >= 1; whole if every exponent is natural
    atom   Digit(name, radix) an integer 0 <= x < radix | Real(name)
    Poly   sum of rational * Dim * atoms; integral if its coefficients are integers, its Dims whole and no atom is real
    term   I(d) | F(d, sign) | S(u, t) | W(phase) | Kron(a, b) | Mul(a, b) | Sum(parts) | Block(index, body)
           | Pi(count, k, l, body) | Var(name, rows, cols)

w^x stands for exp(2 pi i x). Indices start at 0 and have their most significant digit first.

    I(d)                  the identity
    F(d, sign)            entry (j, k) = w^(sign j k / d)
    S(u, t)               the permutation a u + b -> b t + a, 0 <= a < t, 0 <= b < u
    W(phase)              the matrix of order 1 with entry w^phase; a diagonal is a Block of these
    Sum(parts)            sum of (re + i im) * term, over (re, im, term)
    Block(index, body)    direct sum of the body over index = 0, 1, ..., radix - 1
    Pi(count, k, l, body) body(count-1, 0) body(count-2, 1) ... body(0, count-1): in every factor k + l = count - 1
    Var(name, rows, cols) any matrix of this shape

Bound variables are renamed when a term is built (#1, #2, ... by height), so that terms which differ in the names of their
bound variables are equal. Everything is frozen; what does not fit is refused when it is built.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache, reduce
from math import isqrt
from operator import add, attrgetter, mul
from typing import Any

from proofs.kernel.sealed import Refused as Refused
from proofs.kernel.sealed import family, genuine, sealed

LAST_DIVISOR = 2**20
"""Primes are found by division by all numbers up to this."""
MOST_BITS = 2**14
"""A number in a phase is a power of a prime with at most so large an exponent."""


def need(condition: bool, why: str, *things: object) -> None:
    """Raise Refused unless the condition holds; {} in the reason stands for the things."""
    if not condition:
        raise Refused(why.format(*things))


@sealed
class Nat:
    """A polynomial: for each monomial, a sorted tuple of names, a coefficient other than 0."""

    terms: frozenset[tuple[tuple[str, ...], int]]

    def __post_init__(self) -> None:
        need(len(dict(self.terms)) == len(self.terms), "a Nat has a monomial once")
        for names, c in self.terms:
            need(c != 0 and list(names) == sorted(names), "{} {} is no monomial, or not sorted", c, names)

    @staticmethod
    def of(value: Nat | int) -> Nat:
        """Return an integer as a Nat."""
        return value if type(value) is Nat else Nat(_collect([((), value)]))

    @property
    def natural(self) -> bool:
        """Whether it is a natural number for all natural values of its variables, as its coefficients show."""
        return all(c > 0 for _, c in self.terms)

    def __add__(self, other: Nat | int) -> Nat:
        return Nat(_collect([*self.terms, *Nat.of(other).terms]))

    def __mul__(self, other: Nat | int) -> Nat:
        return Nat(_collect((tuple(sorted(a + b)), c * d) for a, c in self.terms for b, d in Nat.of(other).terms))

    def __sub__(self, other: Nat | int) -> Nat:
        return self + Nat.of(other) * -1

    __radd__, __rmul__ = __add__, __mul__

    def __rpow__(self, base: int) -> Dim:
        return Dim(_collect([(base, self)]))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __str__(self) -> str:
        parts = ["*".join((() if c == 1 and names else (str(c),)) + names) for names, c in sorted(self.terms, reverse=True)]
        return "+".join(parts).replace("+-", "-") or "0"


def _collect(pairs: Iterable[tuple[Any, Any]]) -> frozenset[tuple[Any, Any]]:
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
            need(type(base) is str or _primes(base) == {(base, Nat.of(1))}, "{} is neither prime nor a symbol", base)

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
        return Dim(_collect([*self.powers, *Dim.of(other).powers]))

    __rmul__ = __mul__

    def __truediv__(self, other: Dim | int) -> Dim:
        return Dim(_collect([*self.powers, *((base, exponent * -1) for base, exponent in Dim.of(other).powers)]))

    def __str__(self) -> str:
        powers = sorted((str(base), exponent) for base, exponent in self.powers)
        return "*".join(base if exponent == Nat.of(1) else f"{base}^({exponent})" for base, exponent in powers) or "1"


@cache
def _primes(n: int) -> frozenset[tuple[int, Nat]]:
    """Return the prime factorization of n >= 1, nothing for other numbers. Refused: one that takes divisors beyond LAST_DIVISOR."""
    last = isqrt(max(n, 0))
    p = next((p for p in range(2, min(last, LAST_DIVISOR) + 1) if n % p == 0), n)
    need(p < n or last <= LAST_DIVISOR, "{} has no divisor up to {}, and others are not looked for", n, LAST_DIVISOR)
    return _collect([*_primes(n // p), (p, Nat.of(1))]) if n > 1 else frozenset()


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
    """For each Dim and sorted tuple of atoms a rational other than 0; exponents of primes in the Dim have no constant part."""

    terms: frozenset[tuple[Monomial, Fraction]]

    def __post_init__(self) -> None:
        need(len(dict(self.terms)) == len(self.terms), "a Poly has a monomial once")
        for (dim, atoms), c in self.terms:
            need(c != 0 and list(atoms) == sorted(atoms, key=_name), "{} is no coefficient of {}, or these are not sorted", c, atoms)
            need(all(type(base) is str or () not in dict(e.terms) for base, e in dim.powers), "{} has a constant exponent of a prime", dim)

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
        return all(c.denominator == 1 and dim.whole and not any(type(x) is Real for x in atoms) for (dim, atoms), c in self.terms)

    def __add__(self, other: Poly | Atom | Dim | Fraction | int) -> Poly:
        return poly([*self.terms, *Poly.of(other).terms])

    def __mul__(self, other: Poly | Atom | Dim | Fraction | int) -> Poly:
        pairs = [(a, b) for a in self.terms for b in Poly.of(other).terms]
        return poly([((a * b, tuple(sorted(x + y, key=_name))), c * d) for ((a, x), c), ((b, y), d) in pairs])

    def __sub__(self, other: Poly | Atom | Dim | Fraction | int) -> Poly:
        return self + Poly.of(other) * -1

    def __truediv__(self, other: Dim | int) -> Poly:
        return self * (ONE / other)

    __radd__, __rmul__ = __add__, __mul__

    def __str__(self) -> str:
        parts = ["*".join([str(c)] + [f"({dim})"] * (dim != ONE) + [x.name for x in atoms]) for (dim, atoms), c in self.terms]
        return " + ".join(sorted(parts)) or "0"


def poly(terms: Iterable[tuple[Monomial, Fraction]]) -> Poly:
    """Return a Poly, constant exponents of primes moved to the coefficients."""

    def stripped(dim: Dim, c: Fraction) -> tuple[Dim, Fraction]:
        constants = [(base, dict(e.terms).get((), 0)) for base, e in dim.powers if type(base) is int]
        need(all(abs(constant) <= MOST_BITS for _, constant in constants), "{} is no power that is multiplied out", dim)
        for base, constant in constants:
            dim, c = (dim / Dim(_collect([(base, Nat.of(constant))])), c * Fraction(base) ** constant) if constant else (dim, c)
        return dim, c

    return Poly(_collect(((dim, atoms), c) for (full, atoms), d in terms for dim, c in [stripped(full, d)]))


class Term:
    """A matrix."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for x in parts(self):
            need(_fits(x), "{} is not whole, not natural or no sign in a {}", x, type(self).__name__)

    def __str__(self) -> str:
        return f"{type(self).__name__}{_text(parts(self))}"

    @property
    def shape(self) -> tuple[Dim, Dim]:
        """The numbers of rows and columns."""
        need(known(self), "a term is made by its class")
        return _shape(self)


def _fits(x: Any) -> bool:
    """Return whether a size is whole, a number of factors natural, a sign 1 or -1."""
    return bool(x.whole if type(x) is Dim else x.natural if type(x) is Nat else x in (1, -1) if type(x) is int else True)


def _text(thing: Any) -> str:
    if type(thing) is Digit:
        return f"{thing.name} < {thing.radix}"
    return f"({', '.join(map(_text, thing))})" if type(thing) is tuple else str(getattr(thing, "name", thing))


@cache
def _shape(term: Term) -> tuple[Dim, Dim]:
    match term:
        case I(d) | F(d):
            return d, d
        case W():
            return ONE, ONE
        case S(u, t):
            return u * t, u * t
        case Kron(a, b):
            return a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]
        case Mul(a, b):
            return a.shape[0], b.shape[1]
        case Sum(summands):
            return summands[0][2].shape
        case Block(x, body):
            return x.radix * body.shape[0], x.radix * body.shape[1]
        case Pi(count, k, l, body):
            order = _order(count, k, l, body)
            return order, order
        case Var(_, rows, cols):
            return rows, cols
    raise Refused(f"{term!r} is no term")


def _order(count: Nat, k: str, l: str, body: Term) -> Dim:
    order: Dim = substitute(body.shape[0], {l: count - 1 - nat(k)})
    return order


@sealed
class I(Term):  # noqa: E742  I is the identity
    """The identity."""

    size: Dim


@sealed
class F(Term):
    """The Fourier matrix."""

    size: Dim
    sign: int = 1


@sealed
class S(Term):
    """The perfect shuffle a u + b -> b t + a."""

    u: Dim
    t: Dim


@sealed
class W(Term):
    """A matrix of order 1."""

    phase: Poly


@sealed
class Kron(Term):
    """The Kronecker product."""

    left: Term
    right: Term


@sealed
class Mul(Term):
    """The matrix product."""

    left: Term
    right: Term

    def __post_init__(self) -> None:
        a, b = self.left.shape, self.right.shape
        need(a[1] == b[0], "{} is {} x {} and {} is {} x {}: no product", self.left, a[0], a[1], self.right, b[0], b[1])


@sealed
class Sum(Term):
    """The sum of (re + i im) term; re and im are without atoms."""

    parts: tuple[tuple[Poly, Poly, Term], ...]

    def __post_init__(self) -> None:
        need(len(self.parts) > 0 and not any(a for re, im, _ in self.parts for c in (re, im) for (_, a), _ in c.terms), "{} has atoms", self)
        need(all(part[2].shape == self.parts[0][2].shape for part in self.parts), "{} adds matrices of different shapes", self)


@sealed
class Block(Term):
    """The direct sum of the body over all values of a digit."""

    index: Digit
    body: Term

    def renamed(self) -> Mapping[str, Any]:
        """Return the index and the body with the name of their height."""
        sorts, old, new = free(self.index, self.body), self.index.name, f"#{1 + _height(self.body)}"
        index = Digit(new, self.index.radix)
        free(index)
        need(new == old or new not in sorts, "{} is free in {}", new, self.body)
        return {"index": index, "body": self.body if new == old else substitute(self.body, {old: Poly.of(index)})}


@sealed
class Pi(Term):
    """The ordered product body(count-1, 0) ... body(0, count-1) over k + l = count - 1."""

    count: Nat
    k: str
    l: str
    body: Term

    def renamed(self) -> Mapping[str, Any]:
        """Return the indices and the body with the names of their height."""
        old, new = (self.k, self.l), (f"#{1 + _height(self.body)}", f"#{1 + _height(self.body)}'")
        sorts = free(self.body)
        need(self.k != self.l and all(sorts.get(x, "natural") == "natural" for x in old), "{} are not two naturals in {}", old, self.body)
        need(new == old or not {*new} & (sorts.keys() - {*old}), "{} are free in {}", new, self.body)
        need(not free(self.count).keys() & {*old, *new}, "{}: the number of factors mentions {} or {}", self.count, old, new)
        body = self.body if new == old else substitute(self.body, {self.k: nat(new[0]), self.l: nat(new[1])})
        d = _order(self.count, *new, body)
        inner = [x for sort in free(body).values() for x in free(*parts(sort))]
        need(not {*inner} & {*new}, "a free digit or matrix of {} changes its range or shape with {}", body, new)
        need(body.shape[0] == body.shape[1] and d.whole and not free(d).keys() & {*new}, "{} is no factor of a product of {}", body, self.count)
        return {"k": new[0], "l": new[1], "body": body}

    def factor(self, k: Nat, l: Nat) -> Term:
        """Return the body at these values."""
        factor: Term = substitute(self.body, {self.k: k, self.l: l})
        return factor


@sealed
class Var(Term):
    """A matrix variable."""

    name: str
    rows: Dim
    cols: Dim


KINDS = (I, F, S, W, Kron, Mul, Sum, Block, Pi, Var)
SORTS = {Nat, Dim, Poly, Digit, Real, *KINDS}
family(Term, *KINDS)


def known(thing: object) -> bool:
    """Return whether a thing is a size, phase or term that has passed the checks of its class."""
    return type(thing) in SORTS and genuine(thing)


def parts(thing: Any) -> tuple[Any, ...]:
    """Return what a size, phase or term is made of."""
    if type(thing) in (Nat, Dim, Poly):
        return tuple(x for part in getattr(thing, thing.__match_args__[0]) for x in part)
    if type(thing) in (Digit, Real, *KINDS):
        return tuple(getattr(thing, name) for name in thing.__match_args__)
    return thing if type(thing) is tuple else ()


def bound(thing: Any) -> frozenset[str]:
    """Return the names that a term binds."""
    match thing:
        case Block(x, _):
            return frozenset({x.name})
        case Pi(_, k, l, _):
            return frozenset({k, l})
    return frozenset()


def free(*things: Any) -> dict[str, Any]:
    """Return the free names with their sorts: "natural", "size", or the Digit, Real or Var itself. Refused: a name of two sorts."""
    found: dict[str, Any] = {}
    for thing in things:
        need(known(thing) or type(thing) in (str, int), "a {} has no free names", type(thing).__name__)
        for name, sort in _free(thing):
            need(found.setdefault(name, sort) == sort, "{} is used as {} and as {}", name, found[name], sort)
    return found


@cache
def _free(thing: Any) -> tuple[tuple[str, Any], ...]:
    here = {item: None for part in parts(thing) for item in _free(part) if item[0] not in bound(thing)}
    match thing:
        case Nat(terms):
            return tuple((name, "natural") for names, _ in terms for name in names)
        case Dim(powers):
            here |= {(base, "size"): None for base, _ in powers if type(base) is str}
        case Digit(name) | Real(name) | Var(name):
            here[name, thing] = None
    return tuple(here)


@cache
def _height(thing: Any) -> int:
    """Return how deep binders are nested in a term."""
    return (type(thing) in (Block, Pi)) + max((_height(x) for x in parts(thing)), default=0)


def substitute(thing: Any, values: Mapping[str, Any]) -> Any:
    """Return a size, phase or term with free variables replaced: by Nat, Dim, Poly (for digits and reals) and Term.

    Refused: a value of the wrong sort, a value whose names would be captured. That a digit stays in its range is for the caller.
    """
    read = tuple(values.items())
    need(known(thing) and all(type(name) is str and known(value) for name, value in read), "what is substituted is made by its class")
    return _inside(thing, dict(read))


def _inside(thing: Any, values: dict[str, Any]) -> Any:
    mentioned = {name for name, _ in _free(thing)}
    inside = frozenset((name, value) for name, value in values.items() if name in mentioned)
    return _substituted(thing, inside) if inside else thing


@cache
def _substituted(thing: Any, values: frozenset[tuple[str, Any]]) -> Any:
    names, inside = bound(thing), dict(values)
    need(not names or not free(*inside.values()).keys() & names, "{} would be captured in {}", ", ".join(sorted(names)), thing)

    def new(x: Any) -> Any:
        return _inside(x, inside)

    def value(name: str, sort: type, default: Any) -> Any:
        found = inside.get(name, default)
        need(isinstance(found, sort), "{} is no value for {}", found, name)
        return found

    match thing:
        case Nat(terms):
            return plus(Nat.of(0), (times(Nat.of(c), (value(x, Nat, nat(x)) for x in names)) for names, c in terms))
        case Dim(powers):
            bases = ((value(b, Dim, size(b)) if isinstance(b, str) else Dim.of(b), new(e)) for b, e in powers)
            return times(ONE, (Dim(_collect((b, e * exponent) for b, e in base.powers)) for base, exponent in bases))
        case Digit(name, radix):
            return value(name, Poly, Poly.of(Digit(name, new(radix))))
        case Real(name):
            return value(name, Poly, Poly.of(thing))
        case Poly(terms):
            same = [term for term in terms if not inside.keys() & free(*_factors(term)).keys()]
            return plus(poly(same), (times(Poly.of(term[1]), map(new, _factors(term))) for term in terms.difference(same)))
        case Block(x, body):
            return Block(Digit(x.name, new(x.radix)), new(body))
        case Var(name, rows, cols):
            found: Term = value(name, Term, Var(name, new(rows), new(cols)))
            need(found.shape == (new(rows), new(cols)), "{} is no {} x {} matrix", found, rows, cols)
            return found
        case tuple():
            return tuple(map(new, thing))
        case Term():
            return type(thing)(*map(new, parts(thing)))
    return thing


def _factors(term: tuple[Monomial, Fraction]) -> tuple[Any, ...]:
    return term[0][0], *term[0][1]


def plus(total: Any, summands: Iterable[Any]) -> Any:
    """Return total + summand + ..."""
    if type(total) is Poly:
        return poly(term for x in (total, *summands) for term in Poly.of(x).terms)
    return reduce(add, summands, total)


def times(total: Any, factors: Iterable[Any]) -> Any:
    """Return total * factor * ..."""
    return reduce(mul, factors, total)
