"""The supersteps of Bluestein's algorithm: a transform of any length N as a convolution of a longer one,
whose length L has small factors. With the chirp c_j = w_2N^(j^2), as 2 j k = j^2 + k^2 - (k - j)^2,

    y_k = c_k sum over j of (c_j x_j) conj c_(k - j)

    Chirp    the diagonal c
    Filter   the transform of conj c, divided by L, with the factor of the norm
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from codegen.program.ragged.part_steps import PartStep
from derive.digits.part_layouts import PartLayout
from derive.exact.action import act
from derive.exact.residues import Residues
from derive.exact.rings import Collision, Elements, Ring
from derive.formula import named_matrices
from derive.formula.grammar import Formula


@dataclass(frozen=True)
class Pointwise(PartStep):
    """A product of every element by a number of its own."""

    before: PartLayout

    @property
    def after(self) -> PartLayout:
        """The layout of the result, the same."""
        return self.before

    def flops(self, rank: int = 0) -> int:
        """Return 6 for each element."""
        return int(6 * self.before.sizes(np.array(rank)))


@dataclass(frozen=True)
class Chirp(Pointwise):
    """The diagonal w_2N^(j^2) on a vector, before the convolution or as the last step."""

    last: bool = False

    @property
    def roots(self) -> int:
        return 2 * self.before.N

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        j, exponents = np.arange(self.before.N), np.empty(self.before.N, int)
        exponents[self.before.address(j)] = j * j % self.roots
        return ring.twist(x, exponents, self.roots)

    @property
    def words(self) -> str:
        return f"times the chirp exp(-pi i j^2 / {self.before.N}), up to the sign"


@dataclass(frozen=True)
class Filter(Pointwise):
    """The product by the transform of a chirp for N elements, divided by the number of its
    elements, on an array (k1, k2) of k = k2 n1 + k1.
    """

    N: int = 1

    @property
    def factor(self) -> Formula:
        """The diagonal in natural order."""
        return named_matrices.Chirp(self.before.N, self.N)

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        if not isinstance(ring, Residues):
            raise Collision
        n1, n2 = self.before.shape
        z = np.arange(n1 * n2)
        places = np.empty_like(z)
        places[z % n2 * n1 + z // n2] = self.before.address(z)
        y = np.empty_like(x)
        y[places] = act(self.factor, x[places], ring)
        return np.asarray(ring.divide(y, n1 * n2))

    @property
    def words(self) -> str:
        return f"times the transform of the conjugate chirp of {self.N} elements"
