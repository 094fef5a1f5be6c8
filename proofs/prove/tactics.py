"""Proofs that are found or put together: chains, rewriting at a place, inductions on towers. Not
trusted: every step goes through the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, partial, reduce
from typing import Any

from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import Thm, assume, empty, induct, instantiate, refl, sym, trans
from proofs.kernel.numbers import Digit, Dim, Nat, Poly, nat, size
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Block, F, I, Kron, Mul, Pi, Sum, Term, Var, W, free, substitute
from proofs.prove.generalisations import all_in
from proofs.prove.path_sum_cache import diag

Body = Callable[[Nat, Nat], Term]
"""A stage, given k and l."""
_open: list[int] = []
_OPENED = re.compile("[klx][0-9]{1,9}")


def kron(*factors: Term) -> Term:
    """Return a Kronecker product of one or more factors."""
    return reduce(Kron, factors)


def mul(*factors: Term) -> Term:
    """Return a product of one or more factors, nested to the right."""
    return reduce(lambda rest, factor: Mul(factor, rest), reversed(factors))


def diagonal(radices: tuple[Dim, ...], phase: Callable[..., Poly]) -> Term:
    """Return the diagonal whose phase is a function of the digits of its index."""
    if not radices:
        return W(phase())
    return blocks(radices[0], lambda x: diagonal(radices[1:], partial(phase, x)))


def blocks(radix: Dim, body: Callable[[Poly], Term]) -> Term:
    """Return the direct sum of body(x), 0 <= x < radix."""
    x = Digit(f"x{len(_open)}_", radix)
    return Block(x, _inside(lambda: body(Poly.of(x))))


def tower(count: Nat, body: Body) -> Pi:
    """Return body(count-1, 0) ... body(0, count-1)."""
    k, l = f"k{len(_open)}_", f"l{len(_open)}_"
    return Pi(count, k, l, _inside(lambda: body(nat(k), nat(l))))


def _inside(build: Callable[[], Any]) -> Any:
    """Return what is built inside a binder, so that binders in it take other names."""
    _open.append(0)
    try:
        return build()
    finally:
        _open.pop()


def rewrite(term: Term, theorem: Thm) -> Thm:
    """Return term = term with theorem.left replaced by theorem.right wherever it stands.

    Bound variables are opened as k0, l0 or x0 by the outermost binder, k1, l1 or x1 by the next,
    and so on; later where such a name is a symbol of the term. Raises Refused where the left side
    does not occur.
    """
    found = _rewrite(
        term,
        theorem,
        max((1 + int(name[1:]) for name in free(term) if _OPENED.fullmatch(name)), default=0),
    )
    if found is None:
        raise Refused(f"{theorem.left}\n does not occur in \n{term}")
    return found


def _rewrite(term: Term, theorem: Thm, depth: int) -> Thm | None:
    def new(part: Term) -> Thm | None:
        return _rewrite(part, theorem, depth)

    if term == theorem.left:
        return theorem
    match term:
        case Kron(a, b) | Mul(a, b):
            x, y = new(a), new(b)
            rule = kernel_rules.kron if isinstance(term, Kron) else kernel_rules.mul
            return rule(x or refl(a), y or refl(b)) if x or y else None
        case Sum(summands):
            found = [(re, im, new(part), part) for re, im, part in summands]
            return (
                kernel_rules.add(*((re, im, t or refl(part)) for re, im, t, part in found))
                if any(t for _, _, t, _ in found)
                else None
            )
        case Block(x, body):
            digit = Digit(f"x{depth}", x.radix)
            inner = _rewrite(substitute(body, {x.name: Poly.of(digit)}), theorem, depth + 1)
            return inner and kernel_rules.block(digit, inner)
        case Pi(count, _, _, _):
            k, l = f"k{depth}", f"l{depth}"
            inner = _rewrite(term.factor(nat(k), nat(l)), theorem, depth + 1)
            return inner and kernel_rules.pi(count, k, l, inner)
    return None


def chain(start: Term, *steps: Term | Thm) -> Thm:
    """Return start = ... = end: a theorem is used as a rewriting rule, a term follows by
    associativity or by path sums.
    """
    found = refl(start)
    for step in steps:
        found = trans(
            found,
            rewrite(found.right, step) if isinstance(step, Thm) else _follows(found.right, step),
        )
    return found


def _follows(left: Term, right: Term) -> Thm:
    if left == right:
        return refl(left)
    if factors(left) == factors(right):
        return trans(flat(left), sym(flat(right)))
    try:
        return diag(left, right)
    except Refused:
        found = _squares_of_F2(left, right)
        return trans(found, diag(found.right, right))


def _squares_of_F2(left: Term, right: Term) -> Thm:
    """Return left = left with F_2, which is real, conjugated in every other factor that has it, so
    that path sums see F_2 conj(F_2) = 2 I; Refused where the right side has as many of them.
    """
    more = _number_of_F2(left) - _number_of_F2(right)
    if more < 2 or more % 2:
        raise Refused(f"cannot show that {left} = {right}")
    return _alternating(left)


def _alternating(term: Term) -> Thm:
    if isinstance(term, Kron):
        return kernel_rules.kron(_alternating(term.left), _alternating(term.right))
    row = factors(term)
    second = [i for i, factor in enumerate(row) if _number_of_F2(factor)][1::2]
    real = diag(F(Dim.of(2), 1), F(Dim.of(2), -1))
    new = [rewrite(x, real) if i in second else refl(x) for i, x in enumerate(row)]
    return trans(flat(term), reduce(lambda rest, x: kernel_rules.mul(x, rest), reversed(new)))


def _number_of_F2(term: Term) -> int:
    """Return how many F_2 stand in a term, outside of products over an index."""
    match term:
        case F(d, 1):
            return int(d == Dim.of(2))
        case Kron(a, b) | Mul(a, b):
            return _number_of_F2(a) + _number_of_F2(b)
        case Block(_, body):
            return _number_of_F2(body)
    return 0


def factors(term: Term) -> list[Term]:
    """Return the factors of nested products."""
    return factors(term.left) + factors(term.right) if isinstance(term, Mul) else [term]


def flat(term: Term) -> Thm:
    """Return term = its factors, nested to the right."""
    if not isinstance(term, Mul):
        return refl(term)
    if not isinstance(term.left, Mul):
        return kernel_rules.mul(refl(term.left), flat(term.right))
    a, b, c = term.left.left, term.left.right, term.right
    sizes = {
        f"{x}_": d
        for x, d in zip("mnqr", (a.shape[0], b.shape[0], b.shape[1], c.shape[1]), strict=True)
    }
    moved = instantiate(instantiate(associative(), **sizes), A_=a, B_=b, C_=c)
    return trans(moved, flat(moved.right))


def flattened(theorem: Thm) -> Thm:
    """Return a theorem with the products on both sides nested to the right."""
    return trans(trans(sym(flat(theorem.left)), theorem), flat(theorem.right))


@cache
def associative() -> Thm:
    """(A B) C = A (B C)."""
    m, n, q, r = (size(f"{name}_") for name in "mnqr")
    A, B, C = Var("A_", m, n), Var("B_", n, q), Var("C_", q, r)
    return diag(Mul(Mul(A, B), C), Mul(A, Mul(B, C)))


@cache
def neutral() -> Thm:
    """I A = A."""
    m, n = size("m_"), size("n_")
    return diag(Mul(I(m), Var("A_", m, n)), Var("A_", m, n))


def exchanged(theorem: Thm, begin: int, end: int, *others: Term) -> Thm:
    """Return a theorem with the factors begin .. end-1 on its right replaced by others, which are
    the same by path sums; by none if they are I.

    Only these factors are looked into. They are not the last ones.
    """
    row = factors(theorem.right)
    middle, rest = mul(*row[begin:end]), mul(*row[end:])
    found = kernel_rules.mul(
        diag(middle, mul(*others) if others else I(middle.shape[0])), refl(rest)
    )
    if not others:
        sized = instantiate(neutral(), m_=rest.shape[0], n_=rest.shape[1])
        found = trans(found, instantiate(sized, A_=rest))
    found = between(row[:begin], found)
    return trans(chain_on(theorem, found.left), trans(found, flat(found.right)))


def between(before: Sequence[Term], theorem: Thm, after: Sequence[Term] = ()) -> Thm:
    """Return U a V = U b V for a = b, factors U before and V after it."""
    found = kernel_rules.mul(theorem, refl(mul(*after))) if after else theorem
    return reduce(lambda rest, one: kernel_rules.mul(refl(one), rest), reversed(before), found)


def meet(left: Thm, right: Thm) -> Thm:
    """a = b, c = d  ----  a = c, where b = d by associativity or by path sums."""
    return trans(trans(left, _follows(left.right, right.right)), sym(right))


def by_induction(
    n: str,
    left: Term,
    right: Term,
    step: Callable[[Thm], Thm],
    *general: str,
    base: Thm | None = None,
) -> Thm:
    """Return left = right for all n; `step` makes the case n + 1 of the hypothesis, which is
    general in some variables.
    """
    if base is None:
        base = base_case(*(substitute(side, {n: Nat.of(0)}) for side in (left, right)))
    return induct(n, left, right, base, step(assume(left, right, *general)))


def base_case(left: Term, right: Term) -> Thm:
    """Return left = right, products of no factor being I, by path sums."""
    a, b = (
        chain(side, *(empty(x) for x in sorted(all_in(side, Pi), key=str) if not x.count))
        for side in (left, right)
    )
    return meet(a, b)


def chain_on(theorem: Thm, *steps: Term | Thm) -> Thm:
    """Return a theorem with more steps on its right."""
    return trans(theorem, chain(theorem.right, *steps))


def rules_of(theorems: tuple[Thm, ...]) -> tuple[str, ...]:
    """Return the names of the rules that proofs use."""
    seen: set[Thm] = set()
    found: set[str] = set()
    waiting: list[object] = list(theorems)
    while waiting:
        x = waiting.pop()
        if isinstance(x, tuple):
            waiting += x
        elif isinstance(x, Thm) and x not in seen:
            seen.add(x)
            found.add(x.rule)
            waiting += x.premises
    return tuple(sorted(found))
