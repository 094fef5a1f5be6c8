"""Inputs of a transform over GF(q), and the outputs that its definition asks for: no fast algorithm
is in here.

    stimuli = vectors x_j = s t^j, and where N is small 0 and every unit vector e_j and I e_j; of
    real ones e_j

The transform of t^j is a geometric sum, (t^N - 1) / (t w^(±k) - 1): N entries of it cost N
operations. What a program computes and what it should differ by sum_j d_j x_j + d, as the program
may add constants. On x_j = s t^j that is a polynomial in s and t, of degree N at most, in which
each d_j and d is the coefficient of a monomial of its own. So is one in which the two components of
the ring have s t^j and r u^j. Where one coefficient is not 0, the polynomial is 0, by Schwartz and
Zippel, for at most N in as many choices as there are for one variable; and the zero vector shows
nothing more. Without s, x_0 would be 1 in every vector.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from derive.fields import PRIMES_FROM, progression
from proofs.certify.declaration import Transform
from proofs.certify.ends.digit_ends import SIDES
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.residue_arrays import Residues
from proofs.certify.exact.root_images import inverse_root

LITTLE = 1 / 5
"""One vector of powers is enough where it misses an error with at most this part of the probability
1 / (number of primes), which is about that with which the field hides it.
"""


@dataclass(frozen=True)
class Stimuli:
    """Inputs and wanted outputs of shape (N, 2, K): vectors of powers, then perhaps the zero
    vector, all e_j and all I e_j.

    Of real vectors the shape is (N, 1, K), and there is no I e_j; N is another number where the
    result has other elements than the input.
    """

    declaration: Transform
    given: Residues
    wanted: Residues
    units: bool

    @property
    def number(self) -> int:
        """K."""
        return self.given.shape[-1]

    def name(self, column: int) -> str:
        """Return which input this is."""
        if column < self.powers:
            return f"a vector of powers (number {column + 1})"
        if column == self.powers:
            return "the zero vector"
        i, j = self.unit(column)
        return f"{'i times ' * i}the basis vector e_{j}"

    @property
    def powers(self) -> int:
        """How many of them are vectors of powers."""
        d = self.declaration
        return self.number - (1 + d.parts * d.count("input")) * self.units

    def unit(self, column: int) -> tuple[int, int]:
        """Return (0, j) for e_j and (1, j) for i e_j; (-1, N - 1) for zero."""
        return divmod(column - 1 - self.powers, self.declaration.count("input"))


def missed_by_one(exponents: int) -> float:
    """Return a bound of the probability that one vector of powers does not show a difference from
    the wanted result that is a polynomial of this degree in t.

    t is one of at least 2^30 numbers of GF(q), without at most 2 N of them (`no_root_of_one`).
    """
    return exponents / (PRIMES_FROM - 2 * exponents)


def vectors_of(exponents: int, order: int) -> int:
    """Return how many vectors of powers are run in a field with roots of unity of this order.

    >>> vectors_of(2**20, 2**20), vectors_of(1080 * 1920, 17280)
    (1, 2)
    """
    return 1 if missed_by_one(exponents) * len(progression(order)) <= LITTLE else 2


def stimuli(
    declaration: Transform,
    recognizer: Recognizer,
    rng: np.random.Generator,
    units: bool,
    count: int = 0,
) -> Stimuli:
    """Return inputs and outputs of the declared transform: `count` vectors of powers, or as many as
    it takes if that is 0.
    """
    q = recognizer.field.q
    scale = inverse_root(declaration.points, declaration.divided, recognizer)
    count = count or vectors_of(declaration.exponents, recognizer.field.order)
    columns = [declaration.stimulus(recognizer, rng) for _ in range(count)]
    if units:
        sides = [(declaration.count(side), declaration.parts_of(side), 1) for side in SIDES]
        before, after = (np.zeros(shape, dtype=np.int64) for shape in sides)
        columns += [(before, after), declaration.units(recognizer)]
    given, wanted = (np.concatenate(side, axis=-1) for side in zip(*columns, strict=True))
    return Stimuli(declaration, given, wanted if scale == 1 else wanted * scale % q, units)
