"""Terms: matrices of symbolic sizes, phases and numbers of factors. Trusted; standard library only.

    term = I(size) | F(size, sign) | S(u, t) | W(phase) | Kron(left, right) | Mul(left, right)
         | Sum(parts) | Block(index, body) | Pi(count, k, l, body) | Var(name, rows, cols)
         | E(rows, cols)

w^x stands for exp(2 pi i x). Indices start at 0 and have their most significant digit first. Bound
variables are renamed when a term is built (#1, #2, ... by height), so that terms which differ in
their names are equal. Everything is frozen; what does not fit is refused when it is built.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from proofs.kernel.integers import collect, times
from proofs.kernel.numbers import Digit, Dim, Member, Nat, Poly, Real, Sequence, factors, nat, plus
from proofs.kernel.sealed import Refused, family, need, sealed


class Term:
    """A matrix."""

    __slots__ = ()

    def __post_init__(self) -> None:
        kind = type(self).__name__
        for x in parts(self):
            need(_fits(x), "{} is not whole, not natural or no sign in a {}", x, kind)

    def __str__(self) -> str:
        return f"{type(self).__name__}{_text(parts(self))}"

    @property
    def shape(self) -> tuple[Dim, Dim]:
        """The numbers of rows and columns."""
        need(known(self), "a term is made by its class")
        return _shape(self)


def _fits(x: Any) -> bool:
    """Return whether a size is whole, a number of factors natural, a sign 1 or -1."""
    if type(x) is Dim:
        return bool(x.whole)
    return bool(x.natural) if type(x) is Nat else type(x) is not int or x in (1, -1)


def _text(thing: Any) -> str:
    if type(thing) is tuple:
        return f"({', '.join(map(_text, thing))})"
    name = str(getattr(thing, "name", thing))
    return f"{name} < {thing.radix}" if type(thing) is Digit else name


@cache
def _shape(term: Term) -> tuple[Dim, Dim]:
    match term:
        case I(d) | F(d):
            return d, d
        case W():
            return Dim.of(1), Dim.of(1)
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
        case Var(_, rows, cols) | E(rows, cols):
            return rows, cols
    raise Refused(f"{term!r} is not a term")


def _order(count: Nat, k: str, l: str, body: Term) -> Dim:
    return substitute(body.shape[0], {l: count - 1 - nat(k)})


@sealed
class I(Term):  # noqa: E742  I is the identity
    """The identity."""

    size: Dim


@sealed
class F(Term):
    """The Fourier matrix: entry (j, k) = w^(sign j k / size)."""

    size: Dim
    sign: int = 1


@sealed
class S(Term):
    """The perfect shuffle a u + b -> b t + a, 0 <= a < t, 0 <= b < u."""

    u: Dim
    t: Dim


@sealed
class W(Term):
    """The matrix of order 1 with entry w^phase; a diagonal is a Block of these."""

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
        sides = (self.left, *a, self.right, *b)
        need(a[1] == b[0], "{} is {} x {} and {} is {} x {}: no product", *sides)


@sealed
class Sum(Term):
    """The sum of (re + i im) term over (re, im, term); re and im are without atoms."""

    parts: tuple[tuple[Poly, Poly, Term], ...]

    def __post_init__(self) -> None:
        atoms = (a for re, im, _ in self.parts for c in (re, im) for (_, a), _ in c.terms)
        need(len(self.parts) > 0 and not any(atoms), "{} has atoms", self)
        same = all(part[2].shape == self.parts[0][2].shape for part in self.parts)
        need(same, "{} adds matrices of different shapes", self)


@sealed
class Block(Term):
    """The direct sum of the body over index = 0, 1, ..., radix - 1."""

    index: Digit
    body: Term

    def renamed(self) -> Mapping[str, Any]:
        """Return the index and the body with the name of their height."""
        sorts, old, new = free(self.index, self.body), self.index.name, f"#{1 + _height(self.body)}"
        index = Digit(new, self.index.radix)
        free(index)
        need(new == old or new not in sorts, "{} is free in {}", new, self.body)
        body = self.body if new == old else substitute(self.body, {old: Poly.of(index)})
        return {"index": index, "body": body}


@sealed
class Pi(Term):
    """The ordered product body(count-1, 0) body(count-2, 1) ... body(0, count-1) over k, l."""

    count: Nat
    k: str
    l: str
    body: Term

    def renamed(self) -> Mapping[str, Any]:
        """Return the indices and the body with the names of their height."""
        height = 1 + _height(self.body)
        old, new = (self.k, self.l), (f"#{height}", f"#{height}'")
        body, sorts = self.body, free(self.body)
        naturals = all(sorts.get(x, "natural") == "natural" for x in old)
        need(self.k != self.l and naturals, "{} are not two naturals in {}", old, body)
        apart = new == old or not {*new} & (sorts.keys() - {*old})
        need(apart, "{} are free in {}", new, body)
        fixed = not free(self.count).keys() & {*old, *new}
        need(fixed, "{}: the number of factors mentions {} or {}", self.count, old, new)
        if new != old:
            body = substitute(body, {self.k: nat(new[0]), self.l: nat(new[1])})
        d = _order(self.count, *new, body)
        inner = {x for sort in free(body).values() for x in free(*parts(sort))}
        why = "a free digit or matrix of {} changes its range or shape with {}"
        need(not inner & {*new}, why, body, new)
        square = body.shape[0] == body.shape[1] and d.whole and not free(d).keys() & {*new}
        need(square, "{} is not a factor of a product of {}", body, self.count)
        return {"k": new[0], "l": new[1], "body": body}

    def factor(self, k: Nat, l: Nat) -> Term:
        """Return the body at these values."""
        return substitute(self.body, {self.k: k, self.l: l})


@sealed
class Var(Term):
    """A matrix variable: any matrix of this shape."""

    name: str
    rows: Dim
    cols: Dim


@sealed
class E(Term):
    """The matrix of ones."""

    rows: Dim
    cols: Dim


KINDS = (I, F, S, W, Kron, Mul, Sum, Block, Pi, Var, E)
SORTS = {Nat, Dim, Poly, Digit, Real, *KINDS}
family(Term, *KINDS)


def known(thing: object) -> bool:
    """Return whether a thing is a size, phase or term."""
    return type(thing) in SORTS


def parts(thing: Any) -> tuple[Any, ...]:
    """Return what a size, phase or term is made of."""
    if type(thing) in (Nat, Dim, Poly):
        return tuple(x for part in getattr(thing, thing.__match_args__[0]) for x in part)
    if type(thing) in (Digit, Real, Sequence, Member, *KINDS):
        return tuple(getattr(thing, name) for name in thing.__match_args__)
    return thing if type(thing) is tuple else ()


def bound(thing: Any) -> frozenset[str]:
    """Return the names that a term binds."""
    if type(thing) is Block:
        return frozenset({thing.index.name})
    return frozenset({thing.k, thing.l}) if type(thing) is Pi else frozenset()


def free(*things: Any) -> dict[str, Any]:
    """Return the free names with their sorts: "natural", "size", or Digit, Real, Sequence or Var.

    Refused: a name of two sorts.
    """
    found: dict[str, Any] = {}
    for thing in things:
        kind = type(thing)
        need(known(thing) or kind in (str, int), "a {} has no free names", kind.__name__)
        for name, sort in _free(thing):
            one = found.setdefault(name, sort)
            need(one == sort, "{} is used as {} and as {}", name, one, sort)
    return found


@cache
def _free(thing: Any) -> tuple[tuple[str, Any], ...]:
    inner = (item for part in parts(thing) for item in _free(part))
    here = {item: None for item in inner if item[0] not in bound(thing)}
    match thing:
        case Nat(terms):
            return tuple((name, "natural") for names, _ in terms for name in names)
        case Dim(powers):
            here |= {(base, "size"): None for base, _ in powers if type(base) is str}
        case Digit(name) | Real(name) | Sequence(name) | Var(name):
            here[name, thing] = None
    return tuple(here)


@cache
def _height(thing: Any) -> int:
    """Return how deep binders are nested in a term."""
    return (type(thing) in (Block, Pi)) + max((_height(x) for x in parts(thing)), default=0)


def substitute(thing: Any, values: Mapping[str, Any]) -> Any:
    """Return a size, phase or term with free variables replaced: by Nat, Dim, Poly (for digits and
    reals) and Term.

    Refused: a value of the wrong sort, a value whose names would be captured. That a digit stays in
    its range is for the caller.
    """
    read = tuple(values.items())
    made = known(thing) and all(type(name) is str and known(value) for name, value in read)
    need(made, "what is substituted is made by its class")
    return _inside(thing, dict(read))


def _inside(thing: Any, values: dict[str, Any]) -> Any:
    mentioned = {name for name, _ in _free(thing)}
    inside = frozenset((name, value) for name, value in values.items() if name in mentioned)
    return _substituted(thing, inside) if inside else thing


@cache
def _substituted(thing: Any, values: frozenset[tuple[str, Any]]) -> Any:
    names, inside = bound(thing), dict(values)
    apart = not names or not free(*inside.values()).keys() & names
    need(apart, "{} would be captured in {}", ", ".join(sorted(names)), thing)

    def new(x: Any) -> Any:
        return _inside(x, inside)

    def base(b: Any) -> Any:
        if type(b) is Member:
            return new(b.sequence).at(new(b.index))
        return _value(inside, b, Dim, Dim(collect([(b, Nat.of(1))])))

    match thing:
        case Nat(terms):
            new_terms = ((c, [_value(inside, x, Nat, nat(x)) for x in xs]) for xs, c in terms)
            return plus(Nat.of(0), (times(Nat.of(c), xs) for c, xs in new_terms))
        case Dim(powers):
            read = ((base(b), new(e)) for b, e in powers)
            return Dim(collect((b, e * exponent) for dim, exponent in read for b, e in dim.powers))
        case Digit(name, radix):
            return _value(inside, name, Poly, Poly.of(Digit(name, new(radix))))
        case Real(name):
            return _value(inside, name, Poly, Poly.of(thing))
        case Poly(terms):
            changed = {term for term in terms if inside.keys() & free(*factors(term)).keys()}
            put = (times(Poly.of(t[1]), map(new, factors(t))) for t in changed)
            return plus(Poly(terms - changed), put)
        case Block(x, body):
            return Block(Digit(x.name, new(x.radix)), new(body))
        case Var(name, rows, cols):
            shape = new(rows), new(cols)
            found: Term = _value(inside, name, Term, Var(name, *shape))
            need(found.shape == shape, "{} is no {} x {} matrix", found, rows, cols)
            return found
        case tuple():
            return tuple(map(new, thing))
        case Sequence() | Term():
            return type(thing)(*map(new, parts(thing)))
    return thing


def _value(values: dict[Any, Any], name: int | str, sort: type, default: Any) -> Any:
    found = values.get(name, default)
    need(isinstance(found, sort), "{} is not a value for {}", found, name)
    return found
