"""Terms written in another way, for a search: towers, bit reversals and J in parts or together,
shuffles moved through a product. Not trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from math import gcd

from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import Thm, flip, instantiate, refl, reversing, sym, trans
from proofs.kernel.numbers import Dim, Nat
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Block, I, Kron, Mul, Pi, S, Sum, Term, free
from proofs.lemmas.fourier_stages import corollary_3_2, lemma_3_1, reversal
from proofs.prove.tactics import between, chain, chain_on, factors, kron, mul, rewrite
from proofs.prove.towers.inductions import restage, split
from proofs.prove.towers.parting import counted, operands_of, side_by_side, turned, ungrouped
from proofs.prove.towers.shuffles import all_round, conjugated, power_of_shuffle
from proofs.prove.translation.sum_terms import stages_of


def rewritings(term: Term, other: Term) -> Iterator[Thm]:
    """Yield term = term with a product or a J in it written in another way; `other` says which
    sizes help.
    """
    row = apart(term)
    if row != factors(term):
        yield chain(term, mul(*row))
    yield from joined(term)
    for way in (
        *_flips(term, other),
        *(way for tower_ in sorted(towers_in(term), key=str) for way in _of_tower(tower_, other)),
    ):
        with suppress(Refused):
            yield rewrite(term, way)


def _flips(term: Term, other: Term) -> Iterator[Thm]:
    """Yield J_rs = J_r ⊗ J_s for the J in a term, r or s being the order of another J or a size of
    a shuffle, and its converse.
    """
    for d in reversed_orders(term):
        sizes = [
            x
            for one in (term, other)
            for x in (*reversed_orders(one), *_shuffled(one))
            if x != d and (d / x).whole
        ]
        for x in dict.fromkeys(sizes):
            yield from (flip(*two) for two in dict.fromkeys(((x, d / x), (d / x, x))))
    for part in places_in(term):
        if isinstance(part, Kron) and part == Kron(
            reversing(part.left.shape[0]), reversing(part.right.shape[0])
        ):
            yield sym(flip(part.left.shape[0], part.right.shape[0]))


def _of_tower(tower_: Pi, other: Term) -> Iterator[Thm]:
    """Yield equations of a tower: a shuffle moved to its end, the power of a shuffle, an identity
    taken out, bit reversals of parts where `other` has one of them.
    """
    yield from conjugated(tower_)
    yield from turned(tower_)
    yield from ungrouped(tower_)
    yield from power_of_shuffle(tower_)
    yield from all_round(tower_)
    yield from _in_parts(tower_)
    yield from side_by_side(tower_)
    if tower_ == reversal(tower_.count) and tower_ not in towers_in(other):
        counts = [t.count for t in sorted(towers_in(other), key=str) if t == reversal(t.count)]
        yield from _in_fields(tower_.count, counts)


def _in_parts(tower_: Pi) -> Iterator[Thm]:
    """Yield a tower of c n equal factors as one of n and one of (c - 1) n."""
    c = gcd(*(times for _, times in tower_.count.terms))
    if c > 1 and not free(tower_.body).keys() & {tower_.k, tower_.l}:
        part = Nat(frozenset((names, times // c) for names, times in tower_.count.terms))
        yield split(tower_.factor, part, tower_.count - part)


def _in_fields(n: Nat, counts: list[Nat]) -> Iterator[Thm]:
    """Yield the bit reversal of n bits as those of two fields, or of three, of so many bits."""
    for d in counts:
        if d and (rest := n - d).natural:
            for two in _reversals_apart(d, rest):
                yield two
                for three in _in_fields(rest, counts) if rest not in counts else ():
                    with suppress(Refused):
                        yield chain_on(two, three)


def _reversals_apart(d: Nat, q: Nat) -> Iterator[Thm]:
    """Yield the bit reversal of d + q bits as those of d and of q, Lemma 3.1 and Corollary 3.2 of
    the BSP paper.
    """
    for (theorem,) in (lemma_3_1(), corollary_3_2()):
        for one, two in dict.fromkeys(((d, q), (q, d))):
            yield instantiate(theorem, d=one, q=two)


def joined(term: Term) -> Iterator[Thm]:
    """Yield term = term with two towers that stand side by side as one."""
    row = factors(term)
    for i, (before, after) in enumerate(pairwise(row)):
        if isinstance(before, Pi) and isinstance(after, Pi):
            with suppress(Refused):
                one = between(row[:i], _one_tower(before, after), row[i + 2 :])
                yield chain_on(chain(term, one.left), one)


def _one_tower(before: Pi, after: Pi) -> Thm:
    """Return (tower) (tower) = (tower), the second going on where the first ends."""
    found, others = counted(before), counted(after)
    high, low = found.right, others.right
    assert isinstance(high, Pi) and isinstance(low, Pi)

    def whole(k: Nat, l: Nat) -> Term:
        return high.factor(k - low.count, l)

    same = restage(low.count, low.factor, lambda k, l: whole(k, l + high.count))
    both = kernel_rules.mul(found, trans(others, same))
    return trans(both, sym(split(whole, high.count, low.count)))


def fused(term: Term) -> Thm:
    """Return term = term with identities that stand side by side as one: I_r ⊗ I_s = I_rs, which
    has no order of r and s.

    >>> from proofs.kernel.terms import F
    >>> from proofs.kernel.numbers import size
    >>> print(fused(kron(F(size("r")), I(size("t")), I(size("s")))).right)
    Kron(F(r, 1), I(s*t))
    """
    if isinstance(term, Mul):
        return kernel_rules.mul(fused(term.left), fused(term.right))
    if not isinstance(term, Kron):
        return refl(term)
    found = kernel_rules.kron(fused(term.left), fused(term.right))
    row: list[Term] = []
    for one in operands_of(found.right):
        if isinstance(one, I) and row and isinstance(before := row[-1], I):
            row[-1] = I(before.size * one.size)
        else:
            row.append(one)
    if kron(*row) != found.right:
        with suppress(Refused):
            return chain_on(found, kron(*row))
    return found


def places_in(term: Term) -> Iterator[Term]:
    """Yield a term and what its sums and products are made of; products and sums over an index are
    not looked into.
    """
    yield term
    match term:
        case Kron(a, b) | Mul(a, b):
            yield from (*places_in(a), *places_in(b))
        case Sum(summands) if stages_of(term) is None:
            yield from (one for _, _, part in summands for one in places_in(part))
        case Block(_, body):
            yield from places_in(body)


def reversed_orders(term: Term) -> list[Dim]:
    """Return the orders of the J in a term."""
    return sorted(
        {
            part.shape[0]
            for part in places_in(term)
            if isinstance(part, Sum) and part == reversing(part.shape[0])
        },
        key=str,
    )


def _shuffled(term: Term) -> list[Dim]:
    """Return the sizes of the shuffles in a term."""
    return sorted(
        {d for part in places_in(term) if isinstance(part, S) for d in (part.u, part.t)}, key=str
    )


def towers_in(term: Term) -> set[Pi]:
    """Return the products in a term that stand in no other product."""
    return {part for part in places_in(term) if isinstance(part, Pi)}


def apart(term: Term) -> list[Term]:
    """Return the factors of a product, those of I ⊗ A B ⊗ I and of A ⊗ B one by one where there are
    towers in them.
    """
    match term:
        case Mul(a, b):
            return apart(a) + apart(b)
        case Kron() if not towers_in(term):
            return [term]
        case Kron(I() as one, b):
            return [Kron(one, factor) for factor in apart(b)]
        case Kron(a, I() as one):
            return [Kron(factor, one) for factor in apart(a)]
        case Kron(a, b):
            return [
                *(Kron(factor, I(b.shape[0])) for factor in apart(a)),
                *(Kron(I(a.shape[1]), factor) for factor in apart(b)),
            ]
    return [term]
