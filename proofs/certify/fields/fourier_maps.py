"""Discrete Fourier transforms: what their programs declare, and what these are to give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from codegen.systems.options import COMPLEX
from derive.formula.grammar import Formula
from derive.text.elaborate import formula
from derive.text.parse import parse_formula
from proofs.certify.declaration import Arrays, Columns, Vector
from proofs.certify.exact.constants import Recognizer
from proofs.certify.fields import geometric_sums


@dataclass(frozen=True)
class Fourier(Arrays):
    """A discrete Fourier transform; `factorization` is the formula that it was made from, where
    that is one's own.

    `phases` and `local` are what was chosen of section 4 of Inda & Bisseling, where that is not the
    default.
    """

    factorization: str = ""
    phases: str = ""
    local: str = ""

    dtypes, fewest = COMPLEX, 2
    magnitude, root_twos = 0.0, 0
    by_digits, is_traced = True, True

    def own_formula(self) -> Formula | None:
        """The formula that it was made from; raises ValueError where it is none of N elements."""
        if not self.factorization:
            return None
        try:
            found = formula(parse_formula(self.factorization), {})
        except ValueError as error:
            raise ValueError(f"FACTORIZATION = {self.factorization!r}: {error}") from error
        if found.size != self.N:
            raise ValueError(
                f"FACTORIZATION = {self.factorization!r} is a matrix of order {found.size}, N ="
                f" {self.N}"
            )
        return found

    @property
    def formula(self) -> str:
        root = f"exp({'-+'[self.sign > 0]}2πi jk/"
        if not self.shape:
            return f"y_k = {self.scale}sum_j {root}{self.N}) x_j"
        return f"y = {self.scale}{self.matrix('F')} x, F_n[j, k] = {root}n),"

    def powers(self, recognizer: Recognizer, rng: np.random.Generator) -> Columns:
        return geometric_sums.geometric(self.whole, self.along, self.sign, recognizer, rng)

    def units(self, recognizer: Recognizer) -> Columns:
        return geometric_sums.unit_vectors(self.whole, self.along, self.sign, recognizer)

    def reference(self, x: Vector) -> Vector:
        transform: Callable[..., Vector] = np.fft.fftn if self.sign < 0 else np.fft.ifftn
        array = x.astype(np.clongdouble).reshape(self.whole)
        return np.asarray(transform(array, axes=self.along, norm=self.norm)).reshape(-1)


@dataclass(frozen=True)
class Hypercube(Fourier):
    """A discrete Fourier transform by one of the programs for hypercubes."""

    scheme: str = field(kw_only=True)

    fewest, by_digits, between_neighbours = 1, False, True
