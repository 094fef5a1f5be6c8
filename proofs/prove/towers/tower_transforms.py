"""Towers as the transforms that they are: parted where others stand beside them, those of all
butterflies as F R, and bit reversals R that meet left out. Not trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import pairwise

from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import Thm, instantiate, refl, sym, trans
from proofs.kernel.numbers import Dim, Nat, nat
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import I, Mul, Pi, S, Sum, Term
from proofs.lemmas import fourier_stages, hartley_stages
from proofs.lemmas.fourier_stages import reversal
from proofs.prove.induction import inducted
from proofs.prove.rewritings import apart, joined, towers_in
from proofs.prove.tactics import between, chain, chain_on, exchanged, factors, flat, mul
from proofs.prove.towers.inductions import restage
from proofs.prove.towers.openings import placed
from proofs.prove.towers.parting import side_by_side, turned, undone, ungrouped
from proofs.prove.translation.sum_terms import stages_of

MOST_PARTED = 12


def parted(term: Term) -> Thm:
    """Return term = term with shuffles taken out of towers, towers side by side as one, and towers
    of A ⊗ B as two, as far as that goes.
    """
    return _changed(_joined(term), _beside)


def _joined(term: Term) -> Thm:
    return _changed(refl(term), _inside, _turned, _ungrouped, _without_shuffles, joined)


def _changed(found: Thm, *several: Callable[[Term], Iterator[Thm]]) -> Thm:
    """Return a theorem with its right side changed in several ways, one after the other, each as
    often as that goes.
    """
    for ways in several:
        for _ in range(MOST_PARTED):
            way = next(ways(found.right), None)
            if way is None:
                break
            found = trans(found, way)
    return found


def _inside(term: Term) -> Iterator[Thm]:
    """Yield term = term with what is done to towers done to those in the factors of a tower."""
    for i, tower in enumerate(_in_order(term)):
        k, l = f"k{i}_{len(str(tower))}", f"l{i}_{len(str(tower))}"
        body = tower.factor(nat(k), nat(l))
        if towers_in(body):
            found = _joined(body)
            if found.right != body:
                yield chain(term, kernel_rules.pi(tower.count, k, l, found))


def _ungrouped(term: Term) -> Iterator[Thm]:
    yield from (chain(term, way) for tower in _in_order(term) for way in ungrouped(tower))


def _turned(term: Term) -> Iterator[Thm]:
    yield from (chain(term, way) for tower in _in_order(term) for way in turned(tower))


def _beside(term: Term) -> Iterator[Thm]:
    yield from (chain(term, way) for tower in _in_order(term) for way in side_by_side(tower))


def _without_shuffles(term: Term) -> Iterator[Thm]:
    """Yield term = term without two shuffles that undo each other."""
    row = factors(term)
    for i, (one, two) in enumerate(pairwise(row)):
        if undone(one, two) and len(row) > len((one, two)):
            found = chain(term, mul(*row))
            yield exchanged(found, i, i + 2) if row[i + 2 :] else chain_on(found, mul(*row[:i]))


def as_transforms(term: Term) -> Thm:
    """Return term = term with its towers parted, and those of all butterflies as F R or H R; as it
    is where there is none.

    >>> print(as_transforms(fourier_stages.stages(nat("n"))).right)
    Mul(F(2^(n), 1), Pi(n, #1, #1', Kron(S(2, 2^(#1)), I(2^(#1')))))
    """
    found = _number_first(term)
    if isinstance(found.right, Sum) and stages_of(found.right) is None:
        parts = ((re, im, as_transforms(part)) for re, im, part in found.right.parts)
        return trans(found, kernel_rules.add(*parts))
    found = parted(term)
    known = [way for t in _in_order(found.right) for way in _transforms(t)]
    if not known:
        return refl(term)
    found = chain_on(found, *known)
    found = chain_on(found, mul(*apart(found.right)))
    while at := pairs(found.right):
        found = trans(found, shortened(found.right, at[0]))
    return found


def _number_first(term: Term) -> Thm:
    """Return term = term with the number that multiplies a factor before the whole product."""
    row = factors(term)
    for i, one in enumerate(row):
        if isinstance(one, Sum) and len(one.parts) == 1 and len(row) > 1:
            ((re, im, part),) = one.parts
            return chain(term, Sum(((re, im, mul(*row[:i], *factors(part), *row[i + 1 :])),)))
    return refl(term)


def _in_order(term: Term) -> list[Pi]:
    return sorted(towers_in(term), key=str)


def _transforms(tower: Pi) -> Iterator[Thm]:
    """Yield what a tower of all butterflies is: F R, conj(F) R or H R."""
    for general in _towers_of_transforms():
        theorem = instantiate(general, n=tower.count)
        stages = theorem.left
        assert isinstance(stages, Pi)
        if stages.shape == tower.shape and tower != reversal(tower.count):
            with suppress(Refused):
                same = restage(tower.count, tower.factor, stages.factor)
                yield trans(same, theorem)
                return


@cache
def _towers_of_transforms() -> tuple[Thm, ...]:
    """B ... B = F R for both signs, and BH ... BH = H R."""
    n = nat("n")
    (h,) = hartley_stages.fht_factorization()
    R = reversal(n)
    known = [
        (fourier_stages.stages(n, sign=sign), sym(*fourier_stages.equation_1_6(sign)))
        for sign in (1, -1)
    ]
    known.append((hartley_stages.stages(n), h))
    found = []
    for stages, theorem in known:
        twice = shortened(mul(stages, R, R), 1)
        found.append(trans(sym(twice), chain(twice.left, Mul(theorem.left, R), theorem)))
    return tuple(found)


def pairs(term: Term) -> list[int]:
    """Return the places in a product at which a bit reversal stands that the next factor undoes."""
    found = [placed(factor) for factor in factors(term)]
    return [
        i
        for i, (one, two) in enumerate(pairwise(found))
        if one is not None and one == two and one[1] == reversal(one[1].count)
    ]


def shortened(term: Term, i: int) -> Thm:
    """Return a product with two bit reversals from the place i on = the product of its other
    factors.
    """
    row = factors(term)
    found = between(row[:i], _undone(*row[i : i + 2]), row[i + 2 :])
    others = row[:i] + row[i + 2 :]
    return trans(chain(term, found.left), chain_on(found, mul(*others)) if others else found)


def shuffles_between(term: Term) -> Iterator[Thm]:
    """Yield term = term with R S R, S a shuffle between two equal bit reversals, as the shuffle
    that undoes S.
    """
    row = factors(term)
    for i, (R, S_, other) in enumerate(zip(row, row[1:], row[2:], strict=False)):
        if isinstance(R, Pi) and R == other == reversal(R.count) and isinstance(S_, S):
            d, q = (_exponent(size) for size in (S_.u, S_.t))
            if d is not None and q is not None:
                turned_ = instantiate(_shuffle_between(), d_=d, q_=q)
                found = between(row[:i], turned_, row[i + 3 :])
                yield trans(trans(chain(term, found.left), found), flat(found.right))


def _exponent(size: Dim) -> Nat | None:
    """Return n of 2^n, None for other sizes."""
    (base, exponent), *more = [*size.powers] or [(2, Nat.of(0))]
    return exponent if base == 2 and not more else None


@cache
def _shuffle_between() -> Thm:
    """R S(2^d, 2^q) R = S(2^q, 2^d), R being the bit reversal of 2^(d + q) elements."""
    d, q = nat("d_"), nat("q_")
    (apart_,) = (instantiate(one, d=d, q=q) for one in fourier_stages.corollary_3_2())
    found = chain(mul(apart_.left, S(2**d, 2**q), apart_.left), apart_)
    found = exchanged(found, 2, 4)
    found = exchanged(found, 1, 3, *factors(found.right)[:2])
    for _ in range(2):
        found = trans(found, shortened(found.right, 0))
    return found


def _undone(one: Term, two: Term) -> Thm:
    """Return R R = I for a bit reversal beside identities."""
    at = placed(one)
    assert at is not None
    place, R = at
    twice = instantiate(_reversal_twice(), n_=R.count)
    return chain(Mul(one, two), place(Mul(R, R)), twice, I(one.shape[0]))


@cache
def _reversal_twice() -> Thm:
    """R R = I."""
    R = reversal(nat("n_"))
    return inducted(Mul(R, R), I(R.shape[0]), _unproved, lambda: None)


def _unproved(left: Term, right: Term) -> Thm:
    raise Refused(f"cannot show that {left} = {right}")
