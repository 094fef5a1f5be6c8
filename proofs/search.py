"""Proofs that are looked for: by path sums, else by induction on a number of factors. Not trusted: every step goes through the kernel.

For an induction the towers of n + 1 factors are opened, at either end, and what is left of each is the tower of n factors
beside an identity. So the case n + 1 becomes U (I_b ⊗ case n) V, or U (case n ⊗ I_b) V; U and V are guessed from the
factors that stand before the first tower and after the last one, and the kernel sees whether they are right.
Where no induction is found, the equation is generalized, parted at a Kronecker product, or written in another way, and the
search begins again, a few times in one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, reduce
from itertools import product

from proofs import kernel
from proofs.general import occurring
from proofs.kernel import Thm, diag, empty, first, flip, instantiate, reversing, sym, trans
from proofs.rewritings import apart, operands_of, reversed_orders, rewritings, towers_in
from proofs.tactics import Body, by_induction, chain, chain_on, factors, flat, inside, kron, last, meet, mul, restage, rewrite, tower
from proofs.terms import ONE, Block, Dim, F, I, Kron, Mul, Nat, Pi, Poly, Refused, S, Sum, Term, W, free, nat, substitute
from proofs.theorems.bsp import corollary_3_2, lemma_3_1, reversal, reversal_step

MOST_GUESSES = 400
MOST_FACTORS = 12
DEEPEST = 3
"""So often a search may begin another one."""
_guesses: list[None] = []
"""One for each guess since the search began."""


@dataclass(frozen=True)
class Place:
    """I_before ⊗ . ⊗ I_after."""

    before: Dim = ONE
    after: Dim = ONE

    def __call__(self, term: Term) -> Term:
        """Return the term at this place."""
        left = () if self.before == ONE else (I(self.before),)
        return kron(*left, term, *(() if self.after == ONE else (I(self.after),)))

    def inner(self, other: Place) -> Place:
        """Return the place of a term that is at another place inside what is at this one."""
        return Place(self.before * other.before, other.after * self.after)

    def to_end(self, order: Dim, back: bool = False) -> Term:
        """Return the permutation Q with I_b ⊗ X ⊗ I_a = Q (I_ba ⊗ X) Q^-1 for X of this order, or Q^-1."""
        return Place(self.before)(S(self.after, order) if back else S(order, self.after))


def prove(left: Term, right: Term) -> Thm | None:
    """Return left = right as a theorem; None says that no proof was found.

    >>> from proofs.theorems.bsp import stages
    >>> print(prove(F(2 ** nat("n")), Mul(stages(nat("n")), reversal(nat("n")))).rule)
    induct
    """
    _guesses.clear()
    return _found(left, right, 0)


def _found(left: Term, right: Term, depth: int) -> Thm | None:
    """Return left = right, in a search that so many others have begun; None says that no proof was found."""
    with suppress(Refused):
        return diag(left, right)
    if depth > DEEPEST:
        return None
    for way in (_at_once, _more_general, _beside, _by_induction, _rewritten):
        with suppress(Refused):
            return way(left, right, depth)
    return None


def _guess() -> None:
    """Count a guess; raise Refused where there were too many since the search began."""
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
                found = by_induction(n, a, b, lambda hypothesis, n=n: _step(hypothesis, n), base=base)  # type: ignore[misc]
            except Refused:
                continue
            return found if (a, b) == (left, right) else sym(found)
    raise Refused("no induction is found")


def _more_general(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right from the case of n for 2 n, or of n for m + n, where they occur like that only."""
    for name, value, to in occurring(left, right):
        found = _found(to(left), to(right), depth)
        if found is not None:
            return instantiate(found, **{name: value})
    raise Refused("no symbol occurs in one multiple or sum only")


def _beside(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right by a = c and b = d, the sides being a ⊗ b and c ⊗ d, perhaps multiplied out."""
    for whole in (left, right):
        if isinstance(whole, Kron):
            rows = whole.left.shape[0], whole.right.shape[0]
            sides = [_as_beside(side, *rows) for side in (left, right)]
            parts = [_proved(a, b, depth) for a, b in zip(*((one.left, one.right) for one in sides), strict=True)]
            return trans(trans(diag(left, sides[0]), kernel.kron(*parts)), sym(diag(right, sides[1])))
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
    """Return left = right where one product is written in another way, and the rest follows by path sums."""
    return _after_rewriting(left, right, diag)


def _rewritten(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right where it is proved of what the sides are by another theorem: a shuffle in every factor, a bit reversal of two parts."""
    return _after_rewriting(left, right, lambda a, b: _proved(a, b, depth))


def _after_rewriting(left: Term, right: Term, rest: Callable[[Term, Term], Thm]) -> Thm:
    """Return left = right where one side is written in another way, and `rest` proves what is left."""
    for a, b in ((left, right), (right, left)):
        for theorem in rewritings(a, b):
            _guess()
            try:
                found = trans(theorem, rest(theorem.right, b))
            except Refused:
                continue
            return found if (a, b) == (left, right) else sym(found)
    raise Refused("no product is rewritten")


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
    for opened in _openings(goal, n):
        for brought in _with_hypothesis(opened, hypothesis.right, hypothesis):
            for begun in _openings(start, n):
                _guess()
                found = _met(begun, brought, hypothesis)
                if found:
                    return found
    raise Refused("no guess leads from one case to the next")


def _met(begun: Thm, brought: Thm, hypothesis: Thm) -> Thm | None:
    """Return begun.left = brought.left where what they came to is equal by path sums, the hypothesis used once more if that helps."""
    for one in (begun, *_with_hypothesis(begun, hypothesis.left, sym(hypothesis), once=True)):
        try:
            return meet(_aligned(one, brought.right), brought)
        except Refused:
            continue
    return None


def _aligned(found: Thm, other: Term) -> Thm:
    """Return a theorem with the towers on its right as those of another term of as many factors, where they are those at a place."""
    wanted = towers_in(other)
    for one in sorted(towers_in(found.right) - wanted, key=str):
        for two in sorted(wanted, key=str):
            if one.count == two.count:
                for place in _places(one, two):
                    try:
                        found = chain_on(found, _moved(one.factor, two.factor, place, one.count))
                        break
                    except Refused:
                        continue
    return found


def _openings(term: Term, n: str) -> Iterator[Thm]:
    """Yield term = term with each tower that grows with n opened, in every way; towers that stand twice in a product each in its own."""
    if not isinstance(term, Mul):
        yield from _opened(term, n)
        return
    nested = flat(term)
    for choice in product(*(list(_opened(factor, n)) for factor in factors(term))):
        yield trans(nested, reduce(lambda rest, factor: kernel.mul(factor, rest), reversed(choice)))


def _opened(term: Term, n: str) -> Iterator[Thm]:
    towers = sorted({t for t in towers_in(term) if n in {name for names, _ in t.count.terms for name in names}}, key=str)
    flips = [ways for d in reversed_orders(term) if n in free(d) and (ways := _flips(d, n))]
    for choice in product(*(_ways_by(t, dict(t.count.terms).get((n,), 1)) for t in towers), *flips):
        found = chain(term, *choice)
        row = apart(found.right)
        yield found if row == factors(found.right) else chain_on(found, mul(*row))


def _flips(d: Dim, n: str) -> list[Thm]:
    """Return J(d) as J of its case before and of the rest, on either side."""
    before = substitute(d, {n: nat(n) - 1})
    rest = d / before
    return [flip(rest, before), flip(before, rest)] if before.whole and rest.whole else []


@cache
def _ways_by(grown: Pi, factors: int) -> tuple[Thm, ...]:
    """Return equations that take so many factors out of a tower, as many as it grows by from one case to the next."""
    if factors <= 1:
        return _ways(grown)
    found: dict[Term, Thm] = {}
    for way in _ways(grown):
        for smaller in towers_in(way.right):
            if smaller.count == grown.count - 1:
                for more in _ways_by(smaller, factors - 1):
                    twice = chain_on(way, more)
                    row = mul(*apart(twice.right))
                    found.setdefault(row, twice if row == twice.right else chain_on(twice, row))
    return tuple(found.values())


@cache
def _ways(grown: Pi) -> tuple[Thm, ...]:
    """Return equations that take a factor out of a tower and leave the tower of one factor less at a place."""
    count = grown.count - 1
    if not count.natural:
        return ()

    def body(k: Nat, l: Nat) -> Term:
        return grown.factor(k, l)

    def at_the_left() -> Thm:
        return first(grown)

    def at_the_right() -> Thm:
        return last(body, count)

    found: list[Thm] = []
    shifts: tuple[tuple[Callable[[], Thm], Body], ...] = ((at_the_left, lambda k, l: body(k, l + 1)), (at_the_right, lambda k, l: body(k + 1, l)))
    for open_, shifted in shifts:
        for place in _places(grown, tower(count, body)):
            try:
                moved = _moved(shifted, body, place, count)
                found.append(chain(grown, open_(), moved))
                break
            except Refused:
                continue
        else:
            with suppress(Refused):
                found.append(open_())
    return (*found, *_reversals(grown, count))


def _moved(shifted: Body, body: Body, place: Place, count: Nat) -> Thm:
    """Return (tower of shifted) = (tower of body at a place)."""
    pulled = () if place == Place() else (inside(body, lambda X, t: place(X), count),)
    return chain(tower(count, shifted), restage(count, shifted, lambda k, l: place(body(k, l))), *pulled)


def _places(grown: Pi, smaller: Pi) -> Iterator[Place]:
    ratio = grown.shape[0] / smaller.shape[0]
    if ratio == ONE:
        yield Place()
    elif ratio.whole:
        yield from (Place(before=ratio), Place(after=ratio))


def _reversals(grown: Pi, count: Nat) -> tuple[Thm, ...]:
    """Return the four equations of a bit reversal of twice the size, (3.5) and its transpose among them."""
    if grown != reversal(count + 1):
        return ()
    none, one = Nat.of(0), Nat.of(1)
    (lemma,), (corollary,) = lemma_3_1(), corollary_3_2()
    two = chain(reversal(one), reversal_step(none), empty(reversal(none)))
    others = (instantiate(lemma, d=one, q=count), instantiate(corollary, d=count, q=one), instantiate(corollary, d=one, q=count))
    return reversal_step(count), *(trans(theorem, rewrite(theorem.right, two)) for theorem in others)


def _placed(factor: Term) -> tuple[Place, Pi] | None:
    """Return the place and the tower of a factor I_b ⊗ tower ⊗ I_a, None for any other."""
    match factor:
        case Pi():
            return Place(), factor
        case Kron(I(d), right) if found := _placed(right):
            return Place(before=d).inner(found[0]), found[1]
        case Kron(left, I(d)) if found := _placed(left):
            return Place(after=d).inner(found[0]), found[1]
    return None


def _with_hypothesis(opened: Thm, case: Term, hypothesis: Thm, once: bool = False) -> Iterator[Thm]:
    """Yield an opened side as it is and as U (case at a place) V, where that is so; then the hypothesis is used.

    `case` is the side of the hypothesis that is looked for; `sym(hypothesis)` is used for it.
    """
    if not once:
        yield opened
    now, before = factors(opened.right), factors(case)
    ends = [[i for i, factor in enumerate(row) if _placed(factor)] for row in (now, before)]
    ratio = opened.right.shape[0] / case.shape[0]
    if not ends[0] or not ends[1] or not ratio.whole:
        return
    for place in (Place(before=ratio), Place(after=ratio)) if ratio != ONE else (Place(),):
        try:
            U = _outer(now[: ends[0][0]], now[ends[0][0]], before[: ends[1][0]], before[ends[1][0]], place)
            V = _outer(now[ends[0][-1] + 1 :], now[ends[0][-1]], before[ends[1][-1] + 1 :], before[ends[1][-1]], place, after=True)
            apart = diag(opened.right, mul(*U, place(case), *V))
            yield trans(opened, trans(apart, rewrite(apart.right, sym(hypothesis) if case == hypothesis.right else hypothesis)))
        except Refused:
            continue


def _outer(now: list[Term], tower_now: Term, before: list[Term], tower_before: Term, place: Place, after: bool = False) -> list[Term]:
    """Return the factors left of (case at a place), or right of it, that make the opened side."""
    here, there = _placed(tower_now), _placed(tower_before)
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
    """Return the inverse of a matrix made of identities, Fourier matrices, shuffles and diagonals; Refused: any other.

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
