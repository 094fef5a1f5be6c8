"""Sums of a symbolic number of terms: induction on this number. Not trusted.

Such a sum S(n) = X(0) + .. + X(n-1) is a block of a product over an index (sum_terms.py), so
that the kernel proves S(n+1) = S(n) + X(n) and S(n+1) = X(0) + S'(n), with X(k+1) in S'.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import chain as row_of
from itertools import product

from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import Thm, empty, first, refl, sym, trans
from proofs.kernel.numbers import Nat, Poly, nat
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import I, Kron, Mul, Pi, Sum, Term, free, substitute
from proofs.prove.induction import Prover, base_of
from proofs.prove.rewritings import places_in
from proofs.prove.tactics import Body, by_induction, chain, chain_on, meet, mul, tower
from proofs.prove.towers.inductions import at_values, last
from proofs.prove.towers.openings import Between, at_place, openings
from proofs.prove.translation.sum_terms import COLUMNS, ROWS, TWO, added, of_stages, stages_of

MOST_TERMS = 12
ZERO = Poly.of(0)
_C, _E = nat("c_"), nat("e_")


def sums_in(term: Term) -> set[Term]:
    """Return the sums over an index in a term that stand in no product over an index."""
    return {part for part in places_in(term) if stages_of(part)}


def by_terms(left: Term, right: Term, prove: Prover) -> Thm:
    """Return left = right by induction on the number of terms of a sum over an index.

    Raises Refused where none is found.
    """
    counts = [product_.count for side in (left, right) for product_ in _products(side)]
    for n in sorted(free(*counts)):
        for a, b in ((left, right), (right, left)):
            with suppress(Refused):
                x, y = (_without(substitute(side, {n: Nat.of(0)})) for side in (a, b))
                base = trans(trans(x, base_of(x.right, y.right, prove)), sym(y))
                found = by_induction(n, a, b, partial(_step, n=n, prove=prove), base=base)
                return found if (a, b) == (left, right) else sym(found)
    raise Refused("no induction on a number of terms is found")


def _products(term: Term) -> list[Pi]:
    return [one for part in sums_in(term) if (one := stages_of(part))]


def _without(term: Term) -> Thm:
    """Return a term with the sums written out whose number of terms is no symbol."""
    found = refl(term)
    for _ in range(MOST_TERMS):
        own = [one for one in sums_in(found.right) if not free(_product(one).count)]
        if not own:
            return found
        grown, _ = next(_grown(min(own, key=str)), (None, None))
        if grown is None:
            break
        found = chain_on(found, grown)
    raise Refused(f"a base case has more than {MOST_TERMS} terms, or the order of its terms grows")


def _product(sum_: Term) -> Pi:
    found = stages_of(sum_)
    assert found
    return found


def _step(hypothesis: Thm, n: str, prove: Prover) -> Thm:
    """Return the case n + 1 from the case n, S(n+1) being S(n) + X(n): the left side grows by f(X),
    where f(S) is the case n.
    """
    more = {n: nat(n) + 1}
    start, goal = (substitute(side, more) for side in (hypothesis.left, hypothesis.right))
    for begun, by in _opened(start, n):
        if by is None:
            continue
        with suppress(Refused):
            grown = chain_on(begun, added([hypothesis.left, by]))
            known = chain_on(grown, hypothesis)
            for brought, other in _opened(goal, n):
                with suppress(Refused):
                    met = _reached(brought, other, added([hypothesis.right, by]), n, prove)
                    return trans(known, sym(met))
    raise Refused("no side grows by its new terms alone")


def _reached(brought: Thm, by: Term | None, goal: Sum, n: str, prove: Prover) -> Thm:
    """Return the case n + 1 of a side as `goal`, its case n and what the other side grows by."""
    (one, zero, before), (_, _, wanted) = goal.parts
    if by is not None:
        with suppress(Refused):
            grown = chain_on(brought, added([before, by]))
            return trans(
                grown, kernel_rules.add((one, zero, refl(before)), (one, zero, prove(by, wanted)))
            )
    for opened in row_of([refl(brought.right)], openings(brought.right, n)):
        with suppress(Refused):
            return chain_on(trans(brought, opened), goal)
    raise Refused("the other side does not grow by the same")


def _opened(term: Term, n: str) -> Iterator[tuple[Thm, Term | None]]:
    """Yield term = term with a term taken out of each sum that grows with n, and what the term has
    of these, None where it has no such sum.
    """
    growing = sorted((one for one in sums_in(term) if n in free(_product(one).count)), key=str)
    for ways in product(*map(list, map(_grown, growing))):
        found = chain(term, *(theorem for theorem, _ in ways))
        yield found, _part(found.right, {theorem.right: one for theorem, one in ways})


def _part(term: Term, taken: dict[Term, Term]) -> Term | None:
    """Return a term with what is taken out of its sums in place of these, without what has none of
    them; None where there is none.
    """
    if term in taken:
        return taken[term]
    match term:
        case Sum(summands):
            kept = [
                (re, im, part)
                for re, im, one in summands
                if (part := _part(one, taken)) is not None
            ]
            return Sum(tuple(kept)) if kept else None
        case Mul(a, b) | Kron(a, b):
            x, y = _part(a, taken), _part(b, taken)
            if x is not None and y is not None:
                raise Refused("two sums over an index are multiplied")
            return type(term)(x or a, y or b) if x is not None or y is not None else None
    return None


def _grown(sum_: Term) -> Iterator[tuple[Thm, Term]]:
    """Yield S(c+1) = S(c) + X and X + S(c), each with X; and S(0) = 0 X."""
    product_ = _product(sum_)
    count, body = product_.count - 1, product_.factor
    rows = I(product_.shape[0] / TWO)
    if product_.count == Nat.of(0):
        X = _term_of(body(product_.count, product_.count))
        yield chain(sum_, empty(product_), Sum(((ZERO, ZERO, X),))), X
    if not count.natural:
        return
    for at_end in (True, False):
        shifted: Body = partial(_shifted, body, not at_end)
        rest = tower(count, shifted)
        edge = Kron(COLUMNS[0] if at_end else ROWS[1], rows)
        X = _term_of(body(Nat.of(0), count) if at_end else body(count, Nat.of(0)))
        if at_end:
            product_with = mul(Kron(ROWS[0], rows), Mul(rest, edge), X)
            pair, opened = [of_stages(rest), product_with], last(body, count)
        else:
            product_with = mul(X, Mul(edge, rest), Kron(COLUMNS[1], rows))
            pair, opened = [product_with, of_stages(rest)], first(product_)
        with suppress(Refused):
            found = chain(sum_, opened, added(pair), _kept(shifted, count, edge, at_end))
            found = chain_on(found, added([of_stages(rest), X]))
            with suppress(Refused):
                found = chain_on(found, at_place(shifted, body, Between(), count))
            yield found, X


def _shifted(body: Body, before: bool, k: Nat, l: Nat) -> Term:
    return body(k, l + 1) if before else body(k + 1, l)


def _term_of(factor: Term) -> Term:
    """Return X of I + N ⊗ X."""
    match factor:
        case Sum((_, (_, _, Kron(_, X)))):
            return X
    raise Refused(f"{factor} is not a stage of a sum")


def _kept(body: Body, count: Nat, edge: Term, after: bool) -> Thm:
    """Return (tower) edge = edge, or edge (tower) = edge, N being 0 there."""

    def inner(c: Nat, e: Nat) -> Pi:
        return tower(c, lambda k, l: body(k, l + e))

    def beside(term: Term) -> Term:
        return Mul(term, edge) if after else Mul(edge, term)

    def step(hypothesis: Thm) -> Thm:
        more, rest = inner(_C + 1, _E), inner(_C, _E + 1)
        once = Mul(more.factor(_C, Nat.of(0)), beside(rest)) if after else beside(rest)
        return meet(
            chain(beside(more), first(more), once, at_values(hypothesis, e_=_E + 1)), refl(edge)
        )

    general = by_induction("c_", beside(inner(_C, _E)), edge, step, "e_")
    return at_values(general, c_=count, e_=Nat.of(0))
