"""Proofs that are looked for: by path sums, else by induction on a number of factors. Not trusted:
every step goes through the kernel.

For an induction the towers of n + 1 factors are opened, at either end, and what is left of each is
the tower of n factors beside an identity. So the case n + 1 becomes U (I_b ⊗ case n) V, or U (case
n ⊗ I_b) V; U and V are guessed from the factors that stand before the first tower and after the
last one, and the kernel sees whether they are right. Where no induction is found, the equation is
generalized, parted at a Kronecker product, or written in another way, and the search begins again,
a few times in one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial, reduce

from proofs.kernel import rules
from proofs.kernel.rules import Thm, diag, empty, first, instantiate, refl, reversing, sym, trans
from proofs.kernel.sealed import Refused
from proofs.kernel.sizes import ONE, Dim, Nat, Poly, nat
from proofs.kernel.terms import Block, F, I, Kron, Mul, Pi, S, Sum, Term, W, free, substitute
from proofs.prove.budget import look
from proofs.prove.generalisations import occurring
from proofs.prove.rewritings import fused, operands_of, rewritings, towers_in
from proofs.prove.tactics import (
    by_induction,
    chain,
    chain_on,
    factors,
    kron,
    meet,
    mul,
    rewrite,
    tower,
)
from proofs.prove.towers import Place, moved, openings, placed, places
from proofs.theorems.bsp import reversal

MOST_GUESSES = 400
MOST_FACTORS = 12
DEEPEST = 3
"""So often a search may begin another one."""
_guesses: list[None] = []
"""One for each guess since the search began."""
_ways: dict[str, None] = {}
"""What the search has begun to try, in words."""


def prove(left: Term, right: Term) -> Thm | None:
    """Return left = right as a theorem; None says that no proof was found.

    >>> from proofs.theorems.bsp import stages
    >>> print(prove(F(2 ** nat("n")), Mul(stages(nat("n")), reversal(nat("n")))).rule)
    induct
    """
    forget()
    return _found(left, right, 0)


def forget() -> None:
    """Begin anew: nothing was tried."""
    _guesses.clear()
    _ways.clear()


def tried() -> str:
    """Return what the last search has tried, in words; "" where none was begun."""
    guesses = f", {len(_guesses)} guesses" if _guesses else ""
    return ", ".join(_ways) + guesses


def _found(left: Term, right: Term, depth: int) -> Thm | None:
    """Return left = right, in a search that so many others have begun; None says that no proof was
    found.
    """
    look()
    _ways["path sums"] = None
    with suppress(Refused):
        return diag(left, right)
    one, two = fused(left), fused(right)
    if changed := (one.right, two.right) != (left, right):
        with suppress(Refused):
            return meet(one, two)
    if depth > DEEPEST:
        return None
    for way, words in WAYS.items():
        _ways[words] = None
        with suppress(Refused):
            return way(left, right, depth)
    if changed:
        with suppress(Refused):
            return trans(trans(one, _proved(one.right, two.right, depth)), sym(two))
    return None


def _guess() -> None:
    """Count a guess; raise Refused where there were too many since the search began."""
    look()
    if len(_guesses) >= MOST_GUESSES:
        raise Refused(f"{MOST_GUESSES} guesses do not lead there")
    _guesses.append(None)


def _proved(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right; raise Refused where no proof is found."""
    found = _found(left, right, depth + 1)
    if found is None:
        raise Refused(f"it is not seen that {left} = {right}")
    return found


def _by_induction(left: Term, right: Term, depth: int) -> Thm:
    for n in sorted(name for name, sort in free(left, right).items() if sort == "natural"):
        for a, b in ((left, right), (right, left)):
            try:
                base = _base(*(substitute(side, {n: Nat.of(0)}) for side in (a, b)), depth)  # type: ignore[call-arg]
                step = partial(_step, n=n)
                found = by_induction(n, a, b, step, base=base)
            except Refused:
                continue
            return found if (a, b) == (left, right) else sym(found)
    raise Refused("no induction is found")


def _in_reverse(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right by the product of the factors in reverse, which is the same where they
    commute.
    """
    for a, b in ((left, right), (right, left)):
        if depth == 0 and isinstance(b, Pi) and (c := _mirrored(b)) != b:
            with suppress(Refused):
                found = trans(_proved(a, c, depth), _proved(c, b, depth))
                return found if (a, b) == (left, right) else sym(found)
    raise Refused("no side is a product whose factors commute")


def _mirrored(product: Pi) -> Pi:
    """Return the product with its factors in the opposite order."""
    return tower(product.count, lambda k, l: product.factor(l, k))


def _more_general(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right from the case of n for 2 n, or of n for m + n, where they occur like that
    only.
    """
    for name, value, to in occurring(left, right):
        found = _found(to(left), to(right), depth)
        if found is not None:
            return instantiate(found, **{name: value})
    raise Refused("no symbol occurs in one multiple or sum only")


def _beside(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right by a = c and b = d, the sides being a ⊗ b and c ⊗ d, perhaps multiplied
    out.
    """
    for whole in (left, right):
        if isinstance(whole, Kron):
            rows = whole.left.shape[0], whole.right.shape[0]
            sides = [_as_beside(side, *rows) for side in (left, right)]
            parts = [
                _proved(a, b, depth)
                for a, b in zip(*((one.left, one.right) for one in sides), strict=True)
            ]
            return trans(
                trans(diag(left, sides[0]), rules.kron(*parts)), sym(diag(right, sides[1]))
            )
    raise Refused("no side is a Kronecker product")


def _as_beside(term: Term, rows: Dim, others: Dim) -> Kron:
    """Return a term as a ⊗ b, a of so many rows and b of the others."""
    pairs = []
    for factor in factors(term):
        operands, before, left = operands_of(factor), ONE, []
        while operands and before != rows:
            one = operands.pop(0)
            rest = rows / before
            if isinstance(one, I) and not (rest / one.size).whole:
                if not (one.size / rest).whole:
                    raise Refused(f"{factor} is not parted at {rows} rows")
                operands.insert(0, I(one.size / rest))
                one = I(rest)
            left.append(one)
            before = before * one.shape[0]
        if before != rows or term.shape[0] != rows * others:
            raise Refused(f"{factor} is no product of {rows} and {others} rows")
        pairs.append((kron(*left) if left else I(ONE), kron(*operands) if operands else I(ONE)))
    return Kron(*(mul(*one) for one in zip(*pairs, strict=True)))


def _at_once(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right where one product is written in another way, and the rest follows by path
    sums.
    """
    return _after_rewriting(left, right, diag)


def _rewritten(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right where it is proved of what the sides are by another theorem: a shuffle in
    every factor, a bit reversal of two parts.
    """
    return _after_rewriting(left, right, lambda a, b: _proved(a, b, depth))


def _without_pairs(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right with two bit reversals that stand side by side left out, R R = I."""
    for a, b in ((left, right), (right, left)):
        row = factors(a)
        pair = next((i for i in _bit_reversals(row) if row[i : i + 2] == [row[i]] * 2), None)
        if pair is not None:
            shorter = _shortened(a, pair)
            found = trans(shorter, _proved(shorter.right, b, depth))
            return found if (a, b) == (left, right) else sym(found)
    raise Refused("no two bit reversals stand side by side")


def _on_the_other_side(left: Term, right: Term, depth: int) -> Thm:
    """Return R X R = Y by X R = R Y, and what has a bit reversal R at one end and others in between
    likewise.
    """
    for a, b in ((left, right), (right, left)):
        row = factors(a)
        places = _bit_reversals(row)
        if len(places) < 2 or not {0, len(row) - 1} & {*places}:
            continue
        if places[0] == 0:
            R = refl(row[0])
            both, pair = rules.mul(R, _proved(mul(*row[1:]), Mul(R.left, b), depth)), 0
        else:
            R = refl(row[-1])
            both, pair = (
                rules.mul(_proved(mul(*row[:-1]), Mul(b, R.left), depth), R),
                len(factors(b)),
            )
        found = chain_on(trans(trans(chain(a, both.left), both), _shortened(both.right, pair)), b)
        return found if (a, b) == (left, right) else sym(found)
    raise Refused("no bit reversal stands at an end, with another one in the product")


def _bit_reversals(row: list[Term]) -> list[int]:
    """Return where bit reversals stand in a product."""
    return [i for i, one in enumerate(row) if isinstance(one, Pi) and one == reversal(one.count)]


def _shortened(term: Term, i: int) -> Thm:
    """Return a product with R R at the place i = the product of its other factors."""
    row = factors(term)
    found = _twice(row[i])
    if row[i + 2 :]:
        found = rules.mul(found, refl(mul(*row[i + 2 :])))
    found = reduce(lambda rest, factor: rules.mul(refl(factor), rest), reversed(row[:i]), found)
    others = row[:i] + row[i + 2 :]
    return trans(chain(term, found.left), chain_on(found, mul(*others)) if others else found)


def _twice(R: Term) -> Thm:
    """Return R R = I for a bit reversal."""
    assert isinstance(R, Pi)
    kept = _guesses.copy()
    _guesses.clear()
    try:
        return instantiate(_bit_reversal_twice(), n_=R.count)
    finally:
        _guesses[:] = kept


@cache
def _bit_reversal_twice() -> Thm:
    """R R = I."""
    R = reversal(nat("n_"))
    return _by_induction(Mul(R, R), I(R.shape[0]), DEEPEST)


def _after_rewriting(left: Term, right: Term, rest: Callable[[Term, Term], Thm]) -> Thm:
    """Return left = right where one side is written in another way, and `rest` proves what is
    left.
    """
    for a, b in ((left, right), (right, left)):
        for theorem in rewritings(a, b):
            _guess()
            try:
                found = trans(theorem, rest(theorem.right, b))
            except Refused:
                continue
            return found if (a, b) == (left, right) else sym(found)
    raise Refused("no product is rewritten")


WAYS: dict[Callable[[Term, Term, int], Thm], str] = {
    _without_pairs: "bit reversals side by side",
    _at_once: "one product written in another way",
    _more_general: "a more general equation",
    _beside: "Kronecker products part by part",
    _by_induction: "induction",
    _in_reverse: "factors in reverse",
    _rewritten: "shuffles and bit reversals moved",
    _on_the_other_side: "bit reversals on the other side",
}
"""The ways in which a proof is looked for, in this order."""


def _base(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right where towers have a number of factors that is no symbol."""
    a, b = _multiplied(left), _multiplied(right)
    try:
        return meet(a, b)
    except Refused:
        return trans(trans(a, _proved(a.right, b.right, depth)), sym(b))


def _multiplied(term: Term) -> Thm:
    found = chain(term)
    for _ in range(MOST_FACTORS):
        towers = sorted((t for t in towers_in(found.right) if not free(t.count)), key=str)
        if not towers:
            return found
        opened = empty(towers[0]) if towers[0].count == Nat.of(0) else first(towers[0])
        found = trans(found, rewrite(found.right, opened))
    raise Refused(f"more than {MOST_FACTORS} factors in a base case")


def _step(hypothesis: Thm, n: str) -> Thm:
    """Return the case n + 1 from the case n; raise Refused where no guess leads there."""
    more = {n: nat(n) + 1}
    start, goal = (substitute(side, more) for side in (hypothesis.left, hypothesis.right))
    for opened in openings(goal, n):
        for brought in _with_hypothesis(opened, hypothesis.right, hypothesis):
            for begun in openings(start, n):
                _guess()
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
            return meet(_aligned(one, brought.right), brought)
        except Refused:
            continue
    return None


def _aligned(found: Thm, other: Term) -> Thm:
    """Return a theorem with the towers on its right as those of another term of as many factors,
    where they are those at a place.
    """
    wanted = towers_in(other)
    for one in sorted(towers_in(found.right) - wanted, key=str):
        for two in sorted(wanted, key=str):
            if one.count == two.count:
                for place in places(one, two):
                    try:
                        found = chain_on(found, moved(one.factor, two.factor, place, one.count))
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
    now, before = factors(opened.right), factors(case)
    ends = [[i for i, factor in enumerate(row) if placed(factor)] for row in (now, before)]
    ratio = opened.right.shape[0] / case.shape[0]
    if not ends[0] or not ends[1] or not ratio.whole:
        return
    for place in (Place(before=ratio), Place(after=ratio)) if ratio != ONE else (Place(),):
        try:
            U = _outer(
                now[: ends[0][0]], now[ends[0][0]], before[: ends[1][0]], before[ends[1][0]], place
            )
            V = _outer(
                now[ends[0][-1] + 1 :],
                now[ends[0][-1]],
                before[ends[1][-1] + 1 :],
                before[ends[1][-1]],
                place,
                after=True,
            )
            apart = diag(opened.right, mul(*U, place(case), *V))
            yield trans(
                opened,
                trans(
                    apart,
                    rewrite(
                        apart.right, sym(hypothesis) if case == hypothesis.right else hypothesis
                    ),
                ),
            )
        except Refused:
            continue


def _outer(
    now: list[Term],
    tower_now: Term,
    before: list[Term],
    tower_before: Term,
    place: Place,
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
