"""Fourier transforms of real arrays, as numpy.fft.rfftn and irfftn define them: the spectrum has
the entries 0 to n/2 along the last axis that is transformed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.systems.options import REAL
from codegen.systems.record import SPECTRUM
from derive.fields import RootField, powers
from proofs.certify.declaration import Columns, Vector
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.residue_arrays import from_pair, no_root_of_one
from proofs.certify.fields.fourier_maps import Arrays
from proofs.certify.fields.geometric_sums import Numbers, basis, of_powers, rotation, sums


@dataclass(frozen=True)
class RealArrays(Arrays):
    """The half spectrum of a real array of this shape, or the real array of a half spectrum; the
    imaginary part of an entry that is its own mirror image is left out, as by irfftn.
    """

    dtypes, magnitude, root_twos, by_digits = REAL, 1.0, 2, True
    elements = "real elements"

    def computed(self, left: str) -> str:
        matrix = f"{self.scale}{left}"
        half = f"those of 0 <= k <= n/2 along axis {self.along[-1] - len(self.whole)}"
        if self.sign < 0:
            return f"the half y of Y = {matrix} x of the real x, {half}"
        return f"the real y = {matrix} X, where x is the half of X, {half}"

    @property
    def chosen(self) -> dict[str, Any]:
        found = super().chosen | {"direction": self.direction}
        return found | ({"result": SPECTRUM} if len(self.whole) == 1 else {})

    def is_half(self, side: str) -> bool:
        """Return whether a side is the half spectrum."""
        return (side == "output") == (self.sign < 0)

    def whole_of(self, side: str) -> tuple[int, ...]:
        at, whole = self.along[-1], self.whole
        n = whole[at] // 2 + 1 if self.is_half(side) else whole[at]
        return (*whole[:at], n, *whole[at + 1 :])

    def dtype_of(self, side: str) -> np.dtype[Any]:
        return np.result_type(self.dtype, np.complex64) if self.is_half(side) else self.dtype

    @property
    def formula(self) -> str:
        at, sign = self.along[-1], "-+"[self.sign > 0]
        root, half = f"F_n[j, k] = exp({sign}2πi jk/n),", f"{self.whole[at] // 2} on axis {at}"
        if self.sign < 0:
            return f"y = {self.scale}{self.matrix('F')} x of real x, entries 0 to {half}, {root}"
        z = "doubled at entries that are not their own mirror images there, else 0"
        return f"y = {self.scale}Re {self.matrix('F')} z, z = x at 0 to {half}, {z}, {root}"

    @property
    def kept(self) -> NDArray[np.int64]:
        """The indices of the entries of the half spectrum in the whole spectrum."""
        at, every = self.along[-1], np.arange(self.N).reshape(self.whole)
        return every.take(np.arange(self.whole[at] // 2 + 1), at).reshape(-1)

    def stimulus(self, recognizer: Recognizer, rng: np.random.Generator) -> Columns:
        """Return a vector of powers times a random number, and its transform; of complex elements
        powers in each of the ring's two components.
        """
        field, q, N = recognizer.field, recognizer.field.q, self.N
        given, wanted = list[NDArray[np.int64]](), list[NDArray[np.int64]]()
        for component in (1, -1)[: self.parts]:
            t, s = no_root_of_one(N, q, rng), int(rng.integers(1, q))
            given.append(s * powers(t, N, q) % q)
            if self.sign < 0:
                wanted += [s * self.fourier_of_powers(t, sign, field) % q for sign in (-1, 1)]
            else:
                wanted.append(s * self._of_half(t, component, field) % q)
        pair = np.stack(wanted if self.sign < 0 else given, axis=-1)[self.kept][..., None]
        half = from_pair(pair, recognizer.iota, q)
        if self.sign < 0:
            return given[0][:, None, None], half
        return half, np.asarray(sum(wanted) * pow(2, -1, q) % q)[:, None, None]

    def _of_half(self, t: int, sign: int, field: RootField) -> Numbers:
        """Return the Fourier transform of t^j, of which along the last axis only j <= n/2 count,
        twice where n - j is another index.
        """
        q = field.q

        def of_axis(axis: int, n: int, r: int) -> Numbers:
            exponents = sign * np.arange(n)
            if axis != self.along[-1]:
                return sums(n, r, n, exponents, field)
            found = 2 * sums(n // 2 + 1, r, n, exponents, field) - 1
            middle = pow(r, n // 2, q) * rotation(n, exponents * (n // 2), field)
            return (found - middle * (n % 2 == 0)) % q

        return of_powers(self.whole, self.along, q, t, of_axis)

    def units(self, recognizer: Recognizer) -> Columns:
        q, kept = recognizer.field.q, self.kept
        columns = self.fourier_matrix(recognizer)
        if self.sign < 0:
            return basis(self.N), columns[kept]
        n, at = self.whole[self.along[-1]], self.along[-1]
        k = np.unravel_index(kept, self.whole)[at]
        weights = np.where(2 * k % n == 0, 1, 2)
        cosines, sines = (columns[:, part, kept] * weights % q for part in (0, 1))
        wanted = np.concatenate([cosines, (q - sines) % q], axis=1)[:, None]
        return basis(len(kept), 2), wanted

    def reference(self, x: Vector) -> Vector:
        function: Callable[..., Vector] = np.fft.rfftn if self.sign < 0 else np.fft.irfftn
        kind = np.longdouble if self.sign < 0 else np.clongdouble
        given = x.reshape(self.whole_of("input")).astype(kind)
        return function(given, self.lengths, self.along, self.norm).reshape(-1)
