"""Towers of n + 1 factors opened: a factor taken out, and what is left the tower of n factors
beside an identity. Not trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, reduce
from itertools import product

from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import Thm, empty, first, flip, instantiate, trans
from proofs.kernel.numbers import ONE, Dim, Nat, nat
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import I, Kron, Mul, Pi, S, Term, free, substitute
from proofs.lemmas.fourier_stages import corollary_3_2, lemma_3_1, reversal, reversal_step
from proofs.prove.rewritings import apart, reversed_orders, towers_in
from proofs.prove.tactics import Body, chain, chain_on, factors, flat, kron, mul, rewrite, tower
from proofs.prove.towers.inductions import inside, last, restage


@dataclass(frozen=True)
class Between:
    """I_before ⊗ . ⊗ I_after."""

    before: Dim = ONE
    after: Dim = ONE

    def __call__(self, term: Term) -> Term:
        """Return the term at this place."""
        left = () if self.before == ONE else (I(self.before),)
        return kron(*left, term, *(() if self.after == ONE else (I(self.after),)))

    def inner(self, other: Between) -> Between:
        """Return the place of a term that is at another place inside what is at this one."""
        return Between(self.before * other.before, other.after * self.after)

    def to_end(self, order: Dim, back: bool = False) -> Term:
        """Return the permutation Q with I_b ⊗ X ⊗ I_a = Q (I_ba ⊗ X) Q^-1 for X of this order, or
        Q^-1.
        """
        return Between(self.before)(S(self.after, order) if back else S(order, self.after))


def openings(term: Term, n: str) -> Iterator[Thm]:
    """Yield term = term with each tower that grows with n opened, in every way; towers that stand
    twice in a product each in its own.
    """
    if not isinstance(term, Mul):
        yield from _opened(term, n)
        return
    nested = flat(term)
    for choice in product(*(list(_opened(factor, n)) for factor in factors(term))):
        yield trans(
            nested, reduce(lambda rest, factor: kernel_rules.mul(factor, rest), reversed(choice))
        )


def _opened(term: Term, n: str) -> Iterator[Thm]:
    towers = sorted(
        {t for t in towers_in(term) if n in {name for names, _ in t.count.terms for name in names}},
        key=str,
    )
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
    """Return equations that take so many factors out of a tower, as many as it grows by from one
    case to the next.
    """
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
    """Return equations that take a factor out of a tower and leave the tower of one factor less at
    a place.
    """
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
    shifts: tuple[tuple[Callable[[], Thm], Body], ...] = (
        (at_the_left, lambda k, l: body(k, l + 1)),
        (at_the_right, lambda k, l: body(k + 1, l)),
    )
    for open_, shifted in shifts:
        for place in places(grown, tower(count, body)):
            try:
                found.append(chain(grown, open_(), at_place(shifted, body, place, count)))
                break
            except Refused:
                continue
        else:
            with suppress(Refused):
                found.append(open_())
    return (*found, *_reversals(grown, count))


def at_place(shifted: Body, body: Body, place: Between, count: Nat) -> Thm:
    """Return (tower of shifted) = (tower of body at a place)."""
    pulled = () if place == Between() else (inside(body, lambda X, t: place(X), count),)
    return chain(
        tower(count, shifted), restage(count, shifted, lambda k, l: place(body(k, l))), *pulled
    )


def places(grown: Pi, smaller: Pi) -> Iterator[Between]:
    """Yield the places that a tower of fewer factors may have in another one, by their sizes."""
    ratio = grown.shape[0] / smaller.shape[0]
    if ratio == ONE:
        yield Between()
    elif ratio.whole:
        yield from (Between(before=ratio), Between(after=ratio))


def _reversals(grown: Pi, count: Nat) -> tuple[Thm, ...]:
    """Return the four equations of a bit reversal of twice the size, (3.5) and its transpose among
    them.
    """
    if grown != reversal(count + 1):
        return ()
    none, one = Nat.of(0), Nat.of(1)
    (lemma,), (corollary,) = lemma_3_1(), corollary_3_2()
    two = chain(reversal(one), reversal_step(none), empty(reversal(none)))
    others = (
        instantiate(lemma, d=one, q=count),
        instantiate(corollary, d=count, q=one),
        instantiate(corollary, d=one, q=count),
    )
    return reversal_step(count), *(
        trans(theorem, rewrite(theorem.right, two)) for theorem in others
    )


def placed(factor: Term) -> tuple[Between, Pi] | None:
    """Return the place and the tower of a factor I_b ⊗ tower ⊗ I_a, None for any other."""
    match factor:
        case Pi():
            return Between(), factor
        case Kron(I(d), right) if found := placed(right):
            return Between(before=d).inner(found[0]), found[1]
        case Kron(left, I(d)) if found := placed(left):
            return Between(after=d).inner(found[0]), found[1]
    return None
