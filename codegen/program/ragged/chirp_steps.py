"""The supersteps of Bluestein's algorithm: a transform of any length N as a convolution of a longer one,
whose length L has small factors. With the chirp c_j = w_2N^(j^2), as 2 j k = j^2 + k^2 - (k - j)^2,

    y_k = c_k sum over j of (c_j x_j) conj c_(k - j)

    Chirp    the diagonal c; the last one also has the factor of the norm
    Filter   the transform of conj c, divided by L
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from codegen.program.protocol import Step, Words, Works
from derive.digits.part_layouts import PartLayout
from derive.exact.action import act
from derive.exact.residues import Residues
from derive.exact.rings import Collision, Elements, Ring
from derive.formula.transforms import F


def convolutions(steps: Iterable[Step], forward: bool) -> list[str]:
    """Return the formula of Bluestein's algorithm if steps are by it.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> convolutions(resolve(make_request("fft", 257, 3)).steps, forward=True)
    ['y_k = c_k sum_j c_j x_j conj(c_(k-j)),   c_j = exp(-pi i j^2 / 257),   by transforms of length 1024']
    """  # noqa: E501
    return [
        f"y_k = c_k sum_j c_j x_j conj(c_(k-j)),   c_j = exp({'-' * forward}pi i j^2 / {step.N}), "
        f"  by transforms of length {step.before.N}"
        for step in steps
        if isinstance(step, Filter)
    ]


@dataclass(frozen=True)
class Pointwise(Step):
    """A product of every element by a number of its own."""

    before: PartLayout
    needs_conjugates: ClassVar[bool] = False

    @property
    def after(self) -> PartLayout:
        """The layout of the result, the same."""
        return self.before

    def flops(self, rank: int = 0) -> int:
        """Return 6 for each element."""
        return int(6 * self.before.sizes(np.array(rank)))

    @property
    def words(self) -> str:
        raise NotImplementedError

    @property
    def in_words(self) -> Words:
        return (Works(self.words),)


@dataclass(frozen=True)
class Chirp(Pointwise):
    """The diagonal w_2N^(j^2) on a vector; the last one has the factor of the norm as well."""

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
    """The product by the transform of a chirp for N elements, on an array (k1, k2) of
    k = k2 n1 + k1.
    """

    N: int = 1

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        if not isinstance(ring, Residues):
            raise Collision
        n1, n2 = self.before.shape
        m, chirp = np.arange(self.N), np.zeros((n1 * n2, 1), np.int64)
        chirp[m] = chirp[-m] = 1
        exponents = np.zeros(n1 * n2, int)
        exponents[m] = exponents[-m] = -m * m % (2 * self.N)
        spectrum = act(F(n1 * n2), ring.twist(chirp, exponents, 2 * self.N), ring)
        z = np.arange(n1 * n2)
        by_place = np.empty_like(spectrum)
        by_place[self.before.address(z)] = spectrum[z % n2 * n1 + z // n2]
        both = ring.times(x, by_place.reshape(-1, *[1] * (x.ndim - 1)))
        return np.asarray(ring.divide(both, n1 * n2))

    @property
    def words(self) -> str:
        return f"times the transform of the conjugate chirp of {self.N} elements"
