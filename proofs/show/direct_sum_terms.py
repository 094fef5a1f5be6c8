"""Direct sums of two and more matrices, and permutations of digits, in terms of the kernel, which
has direct sums over an index only.

    A ⊕ B    the sum of P A Q and P' B Q', inclusions between sizes that are multiples of one
    A ⊞ B    V (A ⊕ B) V*, V* V = I, between sizes that are not
    J, perm  1/N times the conjugate of F_N times the matrix of w^(x place/N)

All are made by proofs/prove/translation, and recognized here by making them again. Not trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from itertools import accumulate

from proofs.kernel.kernel_rules import reversing
from proofs.kernel.numbers import ONE, Dim, Poly
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import I, Mul, Sum, Term, substitute
from proofs.prove.tactics import factors, mul
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.splits import included
from proofs.prove.translation.sum_terms import by_phases, inclusion, number_of
from proofs.show.brackets import plain
from proofs.theorems.notation import diagonal, dim, enclosed, name, polynomial, shown

PLUS, ENCODED = " ⊕ ", " ⊞ "
ENCODING = "$A ⊞ B$ is $V (A ⊕ B) V^{*}$ with $V^{*} V = I$"
"""What the sign of encoded direct sums says."""
FACTORS_OF_ONE = 4
"""So many factors has a permutation of digits."""
UNIT = (Poly.of(1), Poly.of(0))
Letter = Callable[[Term], str | None]


def written(term: Term, letter: Letter) -> str:
    """Return a term as text without needless brackets; `letter` gives what is written for parts."""
    term = plain(term)
    return _stacked(term, letter) or shown(term, letter)


def composed(term: Term, letter: Letter) -> str | None:
    """Return a direct sum in parentheses, J, or a permutation of digits; None for any other term.

    >>> composed(reversing(Dim.of(6)), lambda term: None)
    'J_{6}'
    """
    if not isinstance(term, Sum):
        return None
    if found := _stacked(term, letter):
        return f"({found})"
    with suppress(Refused):  # a binder of J that the size has as well: it is no J then
        if term == reversing(term.shape[0]):
            return f"J_{{{dim(term.shape[0])}}}"
    return _permutation(term)


def _stacked(term: Term, letter: Letter) -> str | None:
    if found := direct_sum(term):
        sign, blocks = found
        return sign.join(enclosed(block, letter) for block in blocks)
    return None


@cache
def direct_sum(term: Term) -> tuple[str, tuple[Term, ...]] | None:
    """Return the sign and the blocks of a direct sum, None for any other term.

    >>> from derive.text.syntax import DirectSum
    >>> from proofs.kernel.terms import F
    >>> from proofs.prove.translation.sum_terms import stacked
    >>> made = stacked([F(Dim.of(2)), F(Dim.of(4))], DirectSum(()))
    >>> sign, blocks = direct_sum(made)
    >>> print(sign.join(map(str, blocks)))
    F(2, 1) ⊕ F(2^(2), 1)
    """
    if not isinstance(term, Sum) or len(term.parts) < 2:
        return None
    rows = [factors(part) for *number, part in term.parts if (*number,) == UNIT]
    if len(rows) < len(term.parts) or any(len(row) < 2 for row in rows):
        return None
    blocks = tuple(mul(*(row[1:-1] or [I(row[0].shape[1])])) for row in rows)
    sizes, ends = [*zip(*(block.shape for block in blocks), strict=True)], (0, -1)
    if not all(
        _are_inclusions([row[end] for row in rows], of, end == -1)
        for of, end in zip(sizes, ends, strict=True)
    ):
        return None
    return PLUS if all(map(_have_a_measure, sizes)) else ENCODED, blocks


@cache
def _permutation(term: Term) -> str | None:
    """Return a permutation of digits as text, None for any other term.

    >>> from proofs.prove.translation.sum_terms import by_digits
    >>> print(_permutation(plain(by_digits("perm", (Dim.of(5),), lambda j: j * 2 + 1))))
    perm_{k1 < 5} (1 + 2 k1)
    """
    match term:
        case Sum(((_, _, Mul() as body),)) if len(row := factors(body)) == FACTORS_OF_ONE:
            found = diagonal(row[2])
            if found is None or len(found[0]) < 2:
                return None
            (x, *digits), phase = found
            place = substitute(phase, {x.name: Poly.of(1)}) * x.radix
            radices = tuple(y.radix for y in digits)

            def of(*values: Poly) -> Poly:
                given = zip(digits, values, strict=True)
                return substitute(place, {y.name: value for y, value in given})

            if term.shape[0] == term.shape[1] and plain(by_phases(radices, of)) == term:
                ranges = ", ".join(f"{name(y.name)} < {dim(y.radix)}" for y in digits)
                return f"perm_{{{ranges}}} ({polynomial(place)})"
    return None


def _are_inclusions(terms: list[Term], sizes: Sequence[Dim], turned: bool) -> bool:
    """Return whether terms put blocks of these sizes one after the other, or take them from there
    where they are turned.
    """
    for made in (_among_multiples, included):
        with suppress(Inexpressible, Refused):
            if all(plain(made(sizes, i, turned)) == plain(x) for i, x in enumerate(terms)):
                return True
    return False


def _among_multiples(sizes: Sequence[Dim], i: int, turned: bool) -> Term:
    """Return the inclusion of a block among sizes that are multiples of the smallest one."""
    smallest = next((d for d in sizes if all((other / d).whole for other in sizes)), ONE)
    counts = [number_of(d / smallest) for d in sizes]
    if not all(counts):
        raise Inexpressible(f"{sizes} are not multiples of one of them")
    before = [0, *accumulate(counts)]
    return inclusion(before[-1], counts[i], before[i], smallest, turned)


def _have_a_measure(sizes: Sequence[Dim]) -> bool:
    """Return whether the ratios of sizes are numbers."""
    return all(dim == ONE for d in sizes for (dim, _), _ in Poly.of(d / sizes[0]).terms)
