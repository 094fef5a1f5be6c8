"""Proofs that are looked for: by path sums, else by induction on a number of factors. Not trusted:
every step goes through the kernel.

Where no induction is found, the equation is generalized, parted at a Kronecker product, or written
in another way, and the search begins again, a few times in one another.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import Thm, instantiate, refl, sym, trans
from proofs.kernel.numbers import nat
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Kron, Pi, Sum, Term, free
from proofs.prove.budget import look
from proofs.prove.cases import by_cases
from proofs.prove.generalisations import occurring
from proofs.prove.induction import aligned, inducted
from proofs.prove.path_sum_cache import diag
from proofs.prove.rewritings import fused, rewritings, towers_in
from proofs.prove.tactics import between, chain, chain_on, factors, meet, mul, rewrite, tower
from proofs.prove.towers.parting import as_beside
from proofs.prove.towers.tower_sums import by_terms
from proofs.prove.towers.tower_transforms import (
    as_transforms,
    pairs,
    parted,
    shortened,
    shuffles_between,
)
from proofs.prove.translation.sum_terms import stages_of

MOST_GUESSES = 400
MOST_OF_ONE_TRANSFORM = 3
"""So many factors has F(2^n) = B .. B R with its left side."""
DEEPEST = 3
"""So often a search may begin another one."""
KEPT = 256
"""So many theorems are kept."""
_guesses: list[None] = []
"""One for each guess since the search began."""
_ways: dict[str, None] = {}
"""What the search has begun to try, in words."""


def prove(left: Term, right: Term) -> Thm | None:
    """Return left = right as a theorem; None says that no proof was found.

    >>> from proofs.kernel.numbers import nat
    >>> from proofs.kernel.terms import F, Mul
    >>> from proofs.lemmas.fourier_stages import reversal, stages
    >>> print(prove(F(2 ** nat("n")), Mul(stages(nat("n")), reversal(nat("n")))).rule)
    induct
    """
    forget()
    with suppress(_NotFound):
        return _searched(left, right)
    return None


class _NotFound(Exception):
    pass


@lru_cache(KEPT)
def _searched(left: Term, right: Term) -> Thm:
    """Return left = right, kept: a lemma and the step that uses it ask the same, and so does who
    reads a derivation twice. Raises _NotFound, which is not kept.
    """
    found = _found(left, right, 0)
    if found is None:
        raise _NotFound
    return found


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
        return chain(left, right)
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
        raise Refused(f"cannot show that {left} = {right}")
    return found


def _case_by_case(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right by path sums for each value of digits that have few; what has numbers for
    sizes is checked entry by entry without that.
    """
    if depth or towers_in(left) or towers_in(right) or not free(left, right):
        raise Refused("cases are looked at where no product is over an index")
    return by_cases(left, right)


def _by_induction(left: Term, right: Term, depth: int) -> Thm:
    return inducted(left, right, lambda a, b: _proved(a, b, depth), _guess)


def _term_by_term(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right by induction on the number of terms of a sum."""
    return by_terms(left, right, lambda a, b: _proved(a, b, depth))


def _summand_by_summand(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right, two sums with the same numbers, by their summands in this order."""
    if not (isinstance(left, Sum) and isinstance(right, Sum)) or stages_of(left):
        raise Refused("the sides are not sums")
    pairs = list(zip(left.parts, right.parts, strict=False))
    if len(left.parts) != len(right.parts) or any(one[:2] != two[:2] for one, two in pairs):
        raise Refused("the sums have other numbers")
    each = ((re, im, _between(a, b, depth)) for (re, im, a), (_, _, b) in pairs)
    return kernel_rules.add(*each)


def _between(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right by what stands between the same first and the same last factors."""
    a, b = factors(left), factors(right)
    least = min(len(a), len(b)) - 1
    begin = next((i for i in range(least) if a[i] != b[i]), least)
    end = next((i for i in range(least - begin) if a[-1 - i] != b[-1 - i]), least - begin)
    found = _proved(mul(*a[begin : len(a) - end]), mul(*b[begin : len(b) - end]), depth)
    found = between(a[:begin], found, a[len(a) - end :])
    return trans(chain(left, found.left), chain_on(found, right))


def _without_common_ends(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right by what stands between the factors with which both begin and end."""
    a, b = factors(left), factors(right)
    if min(len(a), len(b)) == 1 or (a[0] != b[0] and a[-1] != b[-1]):
        raise Refused("the sides have no first or last factor in common")
    return _between(left, right, depth)


def _factor_by_factor(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right where the factors of its towers are equal one by one."""
    found = aligned(refl(left), right)
    if found.right == left:
        found = _each_factor(left, right, depth)
    return trans(found, _proved(found.right, right, depth))


def _each_factor(left: Term, right: Term, depth: int) -> Thm:
    """Return a term with a tower whose factors, with towers in them, are shown to be those of the
    only one of as many factors on the right.
    """
    for one in sorted(towers_in(left) - towers_in(right), key=str):
        others = [x for x in towers_in(right) if (x.count, x.shape) == (one.count, one.shape)]
        if len(others) == 1 and (towers_in(one.body) or towers_in(others[0].body)):
            k, l = f"k{depth}_", f"l{depth}_"
            a, b = (x.factor(nat(k), nat(l)) for x in (one, others[0]))
            return rewrite(left, kernel_rules.pi(one.count, k, l, _proved(a, b, depth)))
    raise Refused("no tower has the factors of another one")


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
            one, two = parted(left), parted(right)
            sides = [as_beside(side, *rows) for side in (one.right, two.right)]
            parts = [
                _proved(a, b, depth)
                for a, b in zip(*((side.left, side.right) for side in sides), strict=True)
            ]
            begun, ended = chain_on(one, sides[0]), chain_on(two, sides[1])
            return trans(trans(begun, kernel_rules.kron(*parts)), sym(ended))
    raise Refused("no side is a Kronecker product")


def _transforms_at_once(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right by path sums, the towers in them read as transforms; an equation of one
    transform and its tower is left to induction.
    """
    if len(factors(left)) + len(factors(right)) <= MOST_OF_ONE_TRANSFORM:
        raise Refused("this is what is known of one transform")
    return _with_transforms(left, right, lambda a, b: chain(a, b))


def _as_transforms(left: Term, right: Term, depth: int) -> Thm:
    """Return left = right where it is proved of what the sides are with towers as transforms."""
    return _with_transforms(left, right, lambda a, b: _proved(a, b, depth))


def _with_transforms(left: Term, right: Term, rest: Callable[[Term, Term], Thm]) -> Thm:
    one, two = as_transforms(left), as_transforms(right)
    if (one.right, two.right) == (left, right):
        raise Refused("no tower is that of a transform")
    return trans(trans(one, rest(one.right, two.right)), sym(two))


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
    """Return left = right with two bit reversals that stand side by side left out, R R = I, or on
    both sides of a shuffle.
    """
    for a, b in ((left, right), (right, left)):
        for shorter in (*(shortened(a, pair) for pair in pairs(a)), *shuffles_between(a)):
            found = trans(shorter, _proved(shorter.right, b, depth))
            return found if (a, b) == (left, right) else sym(found)
    raise Refused("no two bit reversals stand side by side")


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
    _term_by_term: "induction on a number of terms",
    _case_by_case: "digits of few values case by case",
    _without_common_ends: "what stands between common factors",
    _factor_by_factor: "towers factor by factor",
    _without_pairs: "bit reversals side by side",
    _transforms_at_once: "towers as transforms",
    _at_once: "one product written in another way",
    _more_general: "a more general equation",
    _beside: "Kronecker products part by part",
    _summand_by_summand: "sums term by term",
    _by_induction: "induction",
    _in_reverse: "factors in reverse",
    _as_transforms: "towers as transforms",
    _rewritten: "shuffles and bit reversals moved",
}
"""The ways in which a proof is looked for, in this order."""
