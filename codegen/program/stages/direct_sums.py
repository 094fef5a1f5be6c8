"""One term of a direct sum on a rank's elements: a layer on part of each run of them.

step = Part(copies, summed, c)        I_copies ⊗ summed ⊗ I_c, summed = I ⊕ layer ⊕ I
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, lcm, log2
from typing import Any

from codegen.program.digits.digit_supersteps import Diagonal
from codegen.program.factors import apart, map_of, twiddles_of
from codegen.program.protocol import Step, Words, Works, written
from derive.digits.radices import DigitPermutation
from derive.exact.action import act
from derive.exact.rings import Elements, Ring
from derive.formula.grammar import Applied, DirectSum, Formula, I, kron
from derive.formula.permutation_matrices import J
from derive.formula.transforms import F
from derive.maps.map_expressions import Field, Number


@dataclass(frozen=True)
class Part(Step):
    """I_copies ⊗ (I ⊕ layer ⊕ I) ⊗ I_c on every rank's elements, a sum with one term that is no
    identity. The layer is I ⊗ X ⊗ I with F_d, its conjugate, a diagonal, a permutation of whole
    digits or J as X.
    """

    copies: int
    summed: Formula
    c: int
    factors: tuple[Formula, ...] = field(default=(), compare=False)

    @property
    def part(self) -> tuple[int, Formula]:
        """Where the layer begins in a run, and the layer."""
        found = part_of(self.summed)
        assert found, "a direct sum of identities and one other term"
        return found

    @property
    def layer(self) -> Formula:
        """What is done on part of a run."""
        return self.part[1]

    @property
    def shape(self) -> tuple[int, int, int]:
        """The part of a run as an array, X along the second axis."""
        inner, a, b = apart(self.layer)
        return a, inner.size, b * self.c

    @property
    def length(self) -> int:
        """The d of F_d or its conjugate, 1 of other layers."""
        match apart(self.layer)[0]:
            case F(d) | Applied("conj", F(d)):
                return int(d)
        return 1

    @property
    def is_conjugate(self) -> bool:
        """Whether it is the conjugate of F_d with d > 2."""
        return self.length > 2 and isinstance(apart(self.layer)[0], Applied)

    @property
    def order(self) -> DigitPermutation | None:
        """The permutation of digits that X is; None of J and of what moves nothing."""
        inner = apart(self.layer)[0]
        found = None if isinstance(inner, J) else map_of(inner)
        return found if isinstance(found, DigitPermutation) else None

    @property
    def diagonal(self) -> Diagonal | None:
        """The diagonal that the layer is, of offsets in the part of a run."""
        if (twiddles := twiddles_of(self.layer)) is None:
            return None
        order = lcm(*(each.order for each in twiddles))

        def counted(digits: tuple[tuple[Any, int], ...]) -> Number:
            return Number(tuple(Field(d.weight * self.c, d.radix, value) for d, value in digits))

        terms = tuple(
            (
                counted(each.i),
                Number((), 1) if each.j is None else counted(each.j),
                order // each.order,
            )
            for each in twiddles
            if not each.are_ones
        )
        return Diagonal(order, terms)

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        copies = len(x) // (self.summed.size * self.c)
        return act(kron(I(copies), self.summed, I(self.c)), x, ring)

    @property
    def roots(self) -> int:
        return lcm(self.length, self.diagonal.order if self.diagonal else 1)

    @property
    def row_sum(self) -> int:
        return self.length

    def flops(self, rank: int = 0) -> int:
        """Return 6 for each element that a diagonal multiplies and 5 lg d for one that is
        transformed.
        """
        elements = self.copies * self.layer.size * self.c
        return ceil(5 * elements * log2(self.length)) + 6 * elements * (self.diagonal is not None)

    @property
    def in_words(self) -> Words:
        return (Works(written(self.factors or (self.summed,))),)


def part_of(summed: Formula) -> tuple[int, Formula] | None:
    """Return where the one term begins that is no identity, and the term; None of other formulas.

    >>> from derive.formula.grammar import direct_sum
    >>> part_of(direct_sum(I(2), F(2), I(4))), part_of(direct_sum(F(2), F(3)))
    ((2, F_2), None)
    """
    terms = summed.terms if isinstance(summed, DirectSum) else ()
    others = [i for i, term in enumerate(terms) if not isinstance(term, I)]
    if len(others) != 1:
        return None
    (at,) = others
    return sum(term.size for term in terms[:at]), terms[at]
