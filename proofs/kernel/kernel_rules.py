"""Theorems and the rules that make them. Trusted; standard library only.

A theorem  H |- a = b  says: for all values of its free variables (naturals, sizes, sequences,
digits in their ranges, reals, matrices of their shapes), if every hypothesis in H holds, then a and
b are equal. A hypothesis (c = d for all G) says that c = d for all values of the variables G.

A theorem knows the rule and the premises that made it, so that a certificate can be written and
replayed. Each rule raises Refused where it does not apply; in the docstrings a line ---- stands
between premises and conclusion.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from proofs.kernel.numbers import ONE, Digit, Dim, Nat, Poly, Real, nat
from proofs.kernel.path_sums import equal
from proofs.kernel.sealed import need, sealed
from proofs.kernel.terms import (
    Block,
    E,
    F,
    I,
    Kron,
    Mul,
    Pi,
    Sum,
    Term,
    Var,
    W,
    free,
    known,
    substitute,
)

_ours = object()


def _same_shape(left: Term, right: Term) -> None:
    need(left.shape == right.shape, "{} and {} have different shapes", left, right)


@sealed
class Hypothesis:
    """left = right for all values of the variables `general`."""

    left: Term
    right: Term
    general: frozenset[str]

    def __post_init__(self) -> None:
        _same_shape(self.left, self.right)
        free(self.left, self.right)

    @property
    def fixed(self) -> frozenset[str]:
        """The free variables that stand for the same values here and in the theorem."""
        return frozenset(free(self.left, self.right)) - self.general


@partial(sealed, key=_ours)
class Thm:
    """A theorem; made by the rules below only, and never changed."""

    left: Term
    right: Term
    hypotheses: frozenset[Hypothesis]
    rule: str
    premises: tuple[Any, ...]

    def __post_init__(self) -> None:
        _same_shape(self.left, self.right)
        given = (term for h in self.hypotheses for term in (h.left, h.right))
        sorts = free(self.left, self.right, *given)
        why = "{}: the names of free variables are identifiers"
        need(all(name.isidentifier() for name in sorts), why, ", ".join(sorts))

    def __str__(self) -> str:
        given = "; ".join(sorted(f"{h.left} = {h.right}" for h in self.hypotheses))
        return f"{given + ' |- ' if given else ''}{self.left} = {self.right}"


def _thm(*fields: Any) -> Thm:
    return Thm(_ours, *fields)  # type: ignore[call-arg]


def _theorems(*theorems: Thm) -> frozenset[Hypothesis]:
    need(all(type(t) is Thm for t in theorems), "a premise is a theorem")
    return frozenset(h for t in theorems for h in t.hypotheses)


def _names(*names: str) -> set[str]:
    """Return names as a set; Refused: one that is no text."""
    need(all(type(name) is str for name in names), "a name is a text")
    return {*names}


def _not_fixed(names: set[str], hypotheses: frozenset[Hypothesis]) -> None:
    for h in hypotheses:
        both = ", ".join(sorted(names & h.fixed))
        need(not names & h.fixed, "{}: fixed by the hypothesis {} = {}", both, h.left, h.right)


def refl(term: Term) -> Thm:
    """----  |- a = a."""
    return _thm(term, term, frozenset(), "refl", (term,))


def sym(theorem: Thm) -> Thm:
    """H |- a = b  ----  H |- b = a."""
    return _thm(theorem.right, theorem.left, _theorems(theorem), "sym", (theorem,))


def trans(first: Thm, second: Thm) -> Thm:
    """H |- a = b,  K |- b = c  ----  H, K |- a = c.

    Refused: the terms in the middle are not the same term.
    """
    hypotheses = _theorems(first, second)
    need(first.right == second.left, "{} is not {}", first.right, second.left)
    return _thm(first.left, second.right, hypotheses, "trans", (first, second))


def congruent(name: str, *premises: Any) -> Thm:
    """H |- a = a',  K |- b = b', ..  ----  H, K, .. |- t(a, b, ..) = t(a', b', ..), t a kind of term.

    The premises are what the term is made of, theorems in place of terms: those of `kron` and `mul`
    are two theorems, those of `add` (re, im, theorem) for each summand, those of `block` an index
    and a theorem, those of `pi` the number of factors, two indices and a theorem.
    Refused: the term is none, as a product of other shapes; an index is fixed by a hypothesis.
    """  # noqa: E501
    kind = CONGRUENT[name]
    hypotheses = _theorems(*_premises(premises))
    _not_fixed({getattr(x, "name", x) for x in premises if type(x) in (str, Digit)}, hypotheses)
    fields = (premises,) if kind is Sum else premises
    left, right = (kind(*_sides(fields, side)) for side in ("left", "right"))
    return _thm(left, right, hypotheses, name, premises)


def _premises(thing: Any) -> list[Thm]:
    """Return the theorems in a tuple, and in tuples in it."""
    if type(thing) is tuple:
        return [theorem for part in thing for theorem in _premises(part)]
    return [thing] if type(thing) is Thm else []


def _sides(thing: Any, side: str) -> Any:
    """Return a thing with one side of each theorem in it."""
    if type(thing) is tuple:
        return tuple(_sides(part, side) for part in thing)
    return getattr(thing, side) if type(thing) is Thm else thing


CONGRUENT: dict[str, Any] = {"kron": Kron, "mul": Mul, "add": Sum, "block": Block, "pi": Pi}
"""The terms in which equals may be put for equals, by the names of these rules."""
kron, mul, add, block, pi = (partial(congruent, name) for name in CONGRUENT)


def instantiate(theorem: Thm, /, **values: Nat | Dim | Poly | Term) -> Thm:
    """H |- a = b  ----  H |- a[x := v, ...] = b[x := v, ...].

    Refused: x is fixed by a hypothesis, or a sequence; v is not of the sort of x: natural for a
    natural, whole for a size, a digit of the same radix or 0 for a digit, a real expression for a
    real, a matrix of the same shape for a matrix.
    """
    hypotheses = _theorems(theorem)
    need(all(map(known, values.values())), "a value is made by its class")
    _not_fixed(_names(*values), hypotheses)
    sorts = free(theorem.left, theorem.right)
    for name, value in values.items():
        need(name in sorts, "{} is not a free variable of {}", name, theorem)
        _of_sort(name, sorts[name], value, values)
    left, right = substitute(theorem.left, values), substitute(theorem.right, values)
    return _thm(left, right, hypotheses, "instantiate", (theorem, tuple(sorted(values.items()))))


def _of_sort(name: str, sort: Any, value: Any, values: dict[str, Any]) -> None:
    match sort:
        case "natural":
            natural = type(value) is Nat and value.natural
            need(natural, "{} is not a natural number for {}", value, name)
        case "size":
            need(type(value) is Dim and value.whole, "{} is not a size for {}", value, name)
        case Digit(_, radix):
            sizes = {x: v for x, v in values.items() if type(v) in (Nat, Dim)}
            radix = substitute(radix, sizes)
            digits = (x for x in free(value).values() if type(x) is Digit and x.radix == radix)
            digit = type(value) is Poly and value in [Poly.of(0), *map(Poly.of, digits)]
            need(digit, "{} is neither 0 nor a digit of radix {} for {}", value, radix, name)
        case Real():
            need(type(value) is Poly, "{} is not a real number for {}", value, name)
        case Var():
            need(isinstance(value, Term), "{} is not a matrix for {}", value, name)
        case _:
            need(False, "{} is a sequence, which has no value", name)


def diag(left: Term, right: Term) -> Thm:
    """The path sums of a and b agree  ----  |- a = b.

    Refused: it was not seen that they agree (see proofs.kernel.path_sums).
    """
    need(equal(left, right), "cannot show that {} = {}", left, right)
    return _thm(left, right, frozenset(), "diag", (left, right))


def flip(r: Dim, s: Dim) -> Thm:
    """----  |- J(rs) = J(r) (x) J(s), J(d) being (1/d) F(d) diag(w^(k/d)) F(d), with entry (x, y) = [x + y = d - 1].

    For r s - 1 - (a s + b) = (r - 1 - a) s + (s - 1 - b): no carry, which path sums do not see.
    Refused: r or s is not whole.
    """  # noqa: E501
    need(all(type(d) is Dim and known(d) for d in (r, s)), "{} and {} are not sizes", r, s)
    return _thm(reversing(r * s), Kron(reversing(r), reversing(s)), frozenset(), "flip", (r, s))


def reversing(d: Dim) -> Term:
    """Return J(d)."""
    k = Digit("#1", d)
    return Sum(((Poly.of(1) / d, Poly.of(0), Mul(F(d), Mul(Block(k, W(Poly.of(k) / d)), F(d)))),))


def chosen(v: int, d: int, turned: bool = False) -> Term:
    """Return the row with a 1 at v as (1/d) E(1, d) diag(w^(-vk/d)) F(d); or the column."""
    N, k = Dim.of(d), Digit("#1", Dim.of(d))
    phases, ones = Block(k, W(Poly.of(k) * -v / d)), (E(N, ONE) if turned else E(ONE, N))
    row = Mul(F(N), Mul(phases, ones)) if turned else Mul(ones, Mul(phases, F(N)))
    return Sum(((Poly.of(1) / d, Poly.of(0), row),))


def cases(left: Term, right: Term, side: int, above: Dim, below: Dim, *theorems: Thm) -> Thm:
    """H_v |- (I (x) e_v (x) I) a = (I (x) e_v (x) I) b  for v = 0 .. d - 1  ----  H_0, .. |- a = b.

    e_v is the row `chosen`, the identities are of order `above` and `below`: e_v^T e_v over v add
    up to I. On side 1, columns stand behind a and b. Refused: the premises are not of this form.
    """
    d, hypotheses = len(theorems), _theorems(*theorems)
    need(d > 0 and side in (0, 1), "{} = {} has no cases", left, right)
    for v, theorem in enumerate(theorems):
        one = Kron(I(above), Kron(chosen(v, d, side == 1), I(below)))
        _are(theorem, *(Mul(x, one) if side else Mul(one, x) for x in (left, right)))
    return _thm(left, right, hypotheses, "cases", (left, right, side, above, below, *theorems))


def _are(theorem: Thm, a: Term, b: Term) -> None:
    need((theorem.left, theorem.right) == (a, b), "{} is not {} = {}", theorem, a, b)


def empty(product: Pi) -> Thm:
    """----  |- product of a over k + l = 0 - 1 equals I.

    Refused: the number of factors is not 0.
    """
    need(type(product) is Pi and product.count == Nat.of(0), "{} is not an empty product", product)
    return _thm(product, I(product.shape[0]), frozenset(), "empty", (product,))


def first(product: Pi) -> Thm:
    """----  |- product of a(k, l) over k + l = c equals a(c, 0) (product of a(k, l + 1) over k + l = c - 1).

    Refused: the number of factors c + 1 is not at least 1.
    """  # noqa: E501
    need(type(product) is Pi and (product.count - 1).natural, "{} may have no factor", product)
    rest, k, l = product.count - 1, nat(product.k), nat(product.l)
    right = Mul(
        product.factor(rest, Nat.of(0)), Pi(rest, product.k, product.l, product.factor(k, l + 1))
    )
    return _thm(product, right, frozenset(), "first", (product,))


def recount(product: Pi) -> Thm:
    """----  |- product of a(k, l, n) over k + l = n - 1 equals the product of a(k, l, k + l + 1).

    Refused: the number of factors n is not a variable.
    """
    need(type(product) is Pi, "{} is not a product", product)
    names = list(free(product.count))
    need(len(names) == 1 and product.count == nat(names[0]), "{} is not a variable", product.count)
    body = substitute(product.body, {names[0]: nat(product.k) + nat(product.l) + 1})
    return _thm(
        product, Pi(product.count, product.k, product.l, body), frozenset(), "recount", (product,)
    )


def assume(left: Term, right: Term, *general: str) -> Thm:
    """----  (a = b for all values of the variables G) |- a = b."""
    given = Hypothesis(left, right, frozenset(_names(*general)))
    return _thm(left, right, frozenset({given}), "assume", (left, right, *general))


def induct(n: str, left: Term, right: Term, base: Thm, step: Thm) -> Thm:
    """H |- a(0) = b(0),  K, (a(n) = b(n) for all G) |- a(n+1) = b(n+1)  ----  H, K |- a(n) = b(n).

    The hypothesis of the step may be missing.
    Refused: the premises are not of this form, n is in G, or n or a variable in G is fixed by H or
    K.
    """
    _theorems(base, step)
    _names(n)
    natural = free(left, right).get(n) == "natural"
    need(natural, "{} is not a natural variable of {} = {}", n, left, right)
    for theorem, value in ((base, Nat.of(0)), (step, nat(n) + 1)):
        _are(theorem, *(substitute(term, {n: value}) for term in (left, right)))
    discharged = frozenset(
        h for h in step.hypotheses if (h.left, h.right) == (left, right) and n not in h.general
    )
    others = (step.hypotheses - discharged) | base.hypotheses
    _not_fixed({n}.union(*(h.general for h in discharged)), others)
    return _thm(left, right, others, "induct", (n, left, right, base, step))


RULES: dict[str, Callable[..., Thm]] = {
    rule.__name__: rule
    for rule in (
        *(refl, sym, trans, instantiate, diag, flip),
        *(cases, empty, first, recount, assume, induct),
    )
} | {name: partial(congruent, name) for name in CONGRUENT}
