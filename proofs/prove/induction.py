"""Proofs by induction on a number of factors. Not trusted: every step goes through the kernel.

The towers of n + 1 factors are opened, at either end, and what is left of each is the tower of n
factors beside an identity. So the case n + 1 becomes U (I_b ⊗ case n) V, or U (case n ⊗ I_b) V; U
and V are guessed from the factors that stand before the first tower and after the last one, and the
kernel sees whether they are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise, product

from proofs.kernel.kernel_rules import Thm, empty, first, reversing, sym, trans
from proofs.kernel.numbers import ONE, Nat, Poly, nat
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Block, F, I, Kron, Mul, S, Sum, Term, W, free, substitute
from proofs.prove.path_sum_cache import diag
from proofs.prove.rewritings import towers_in
from proofs.prove.tactics import by_induction, chain, chain_on, factors, flat, meet, mul, rewrite
from proofs.prove.towers.openings import Between, at_place, openings, placed, places

MOST_FACTORS = 12


Prover = Callable[[Term, Term], Thm]
"""What proves the equation of a base case, or raises Refused."""


def inducted(left: Term, right: Term, prove: Prover, guess: Callable[[], None]) -> Thm:
    """Return left = right by induction on one of its naturals; `guess` is called for each guess."""
    for n in sorted(name for name, sort in free(left, right).items() if sort == "natural"):
        for a, b in ((left, right), (right, left)):
            try:
                x, y = (substitute(side, {n: Nat.of(0)}) for side in (a, b))
                step = partial(_step, n=n, guess=guess)
                found = by_induction(n, a, b, step, base=base_of(x, y, prove))
            except Refused:
                continue
            return found if (a, b) == (left, right) else sym(found)
    raise Refused("no induction is found")


def base_of(left: Term, right: Term, prove: Prover) -> Thm:
    """Return left = right where towers have a number of factors that is no symbol."""
    a, b = _multiplied(left), _multiplied(right)
    try:
        return meet(a, b)
    except Refused:
        return trans(trans(a, prove(a.right, b.right)), sym(b))


def _multiplied(term: Term) -> Thm:
    found = chain(term)
    for _ in range(MOST_FACTORS):
        towers = sorted((t for t in towers_in(found.right) if not free(t.count)), key=str)
        if not towers:
            return found
        opened = empty(towers[0]) if towers[0].count == Nat.of(0) else first(towers[0])
        found = trans(found, rewrite(found.right, opened))
    raise Refused(f"more than {MOST_FACTORS} factors in a base case")


def _step(hypothesis: Thm, n: str, guess: Callable[[], None]) -> Thm:
    """Return the case n + 1 from the case n; raise Refused where no guess leads there."""
    more = {n: nat(n) + 1}
    start, goal = (substitute(side, more) for side in (hypothesis.left, hypothesis.right))
    for opened in openings(goal, n):
        for brought in _with_hypothesis(opened, hypothesis.right, hypothesis):
            for begun in openings(start, n):
                guess()
                found = _met(begun, brought, hypothesis)
                if found:
                    return found
    raise Refused("no guess leads from one case to the next")


def _met(begun: Thm, brought: Thm, hypothesis: Thm) -> Thm | None:
    """Return begun.left = brought.left where what they came to is equal by path sums, the
    hypothesis used once more if that helps.
    """
    for one in (begun, *_with_hypothesis(begun, hypothesis.left, sym(hypothesis), once=True)):
        try:
            return meet(aligned(one, brought.right), brought)
        except Refused:
            continue
    return None


def aligned(found: Thm, other: Term) -> Thm:
    """Rewrite each tower on the right side of a theorem as a tower of another term, placed in
    Kronecker products, where it is one.
    """
    wanted = towers_in(other)
    for one in sorted(towers_in(found.right) - wanted, key=str):
        for two in sorted(wanted, key=str):
            if one.count == two.count:
                for place in places(one, two):
                    try:
                        found = chain_on(found, at_place(one.factor, two.factor, place, one.count))
                        break
                    except Refused:
                        continue
    return found


def _with_hypothesis(opened: Thm, case: Term, hypothesis: Thm, once: bool = False) -> Iterator[Thm]:
    """Yield an opened side as it is and as U (case at a place) V, where that is so; then the
    hypothesis is used.

    `case` is the side of the hypothesis that is looked for; `sym(hypothesis)` is used for it.
    """
    if not once:
        yield opened
    used = sym(hypothesis) if case == hypothesis.right else hypothesis
    with suppress(Refused):
        nested = flat(opened.right)
        yield trans(trans(opened, nested), rewrite(nested.right, used))
    now, before = factors(opened.right), factors(case)
    ends = [[i for i, factor in enumerate(row) if placed(factor)] for row in (now, before)]
    ratio = opened.right.shape[0] / case.shape[0]
    if not ends[0] or not ends[1] or not ratio.whole:
        return
    (i, *_), (k, *_) = ends
    (*_, j), (*_, l) = ends
    between, known = (
        [factor for factor in row if not placed(factor)] for row in (now[i:j], before[k:l])
    )
    if len(between) <= len(known):
        between = []
    placings = (Between(before=ratio), Between(after=ratio)) if ratio != ONE else (Between(),)
    cuts = [(between[:cut], between[cut:]) for cut in range(len(between) + 1)]
    cuts += [([], [])] if between else []  # a shuffle between towers may be undone by their places
    for place, (left, right) in product(placings, cuts):
        try:
            U = _outer(now[:i] + left, now[i], before[:k], before[k], place)
            end = right + now[j + 1 :]
            V = _outer(end, now[j], before[l + 1 :], before[l], place, after=True)
            row = [*U, place(case), *V]
            if any(a.shape[1] != b.shape[0] for a, b in pairwise(row)):
                continue
            apart = diag(opened.right, mul(*row))
            yield trans(opened, trans(apart, rewrite(apart.right, used)))
        except Refused:
            continue


def _outer(
    now: list[Term],
    tower_now: Term,
    before: list[Term],
    tower_before: Term,
    place: Between,
    after: bool = False,
) -> list[Term]:
    """Return the factors left of (case at a place), or right of it, that make the opened side."""
    here, there = placed(tower_now), placed(tower_before)
    assert here and there
    order = there[1].shape[0]
    wanted = place.inner(there[0])
    undone = [inverse(place(factor)) for factor in (before if after else before[::-1])]
    turn = [] if here[0] == wanted else [here[0].to_end(order), wanted.to_end(order, back=True)]
    if after:
        back = [] if here[0] == wanted else [wanted.to_end(order), here[0].to_end(order, back=True)]
        return [*undone[::-1], *back, *now]
    return [*now, *turn, *undone]


def inverse(term: Term) -> Term:
    """Return the inverse of a matrix made of identities, Fourier matrices, shuffles and diagonals;
    Refused: any other.

    >>> from proofs.kernel.numbers import Dim
    >>> print(inverse(S(Dim.of(2), Dim.of(4))))
    S(2^(2), 2)
    """
    match term:
        case I():
            return term
        case F(d, sign):
            return Sum(((Poly.of(1) / d, Poly.of(0), F(d, -sign)),))
        case S(u, t):
            return S(t, u)
        case W(phase):
            return W(phase * -1)
        case Kron(a, b):
            return Kron(inverse(a), inverse(b))
        case Mul(a, b):
            return Mul(inverse(b), inverse(a))
        case Block(x, body):
            return Block(x, inverse(body))
        case Sum() if term == reversing(term.shape[0]):
            return term
    raise Refused(f"no inverse of {term} is known")
