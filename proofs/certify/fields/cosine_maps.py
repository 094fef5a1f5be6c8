"""Cosine and sine transforms of real arrays, of types II and III: what their programs declare, and
give over GF(q) and in extended precision, by the definition of each along an axis of n elements:

    dct  II  y_k = sum_j 2 cos(πk(2j+1)/2n) x_j        III  y_k = x_0 + sum_(j>0) 2 cos(πj(2k+1)/2n) x_j
    dst  II  y_k = sum_j 2 sin(π(k+1)(2j+1)/2n) x_j    III  y_k = (-1)^k x_(n-1) + sum_(j<n-1) 2 sin(π(j+1)(2k+1)/2n) x_j

Backward is the inverse, the other type over 2n. Orthonormal ones are over √2n, and the row of y_0 of
type II (y_(n-1) of dst), or the column of x_0 of type III, is over √2 or times √2.

With ζ = exp(2πi/4n), the sum of (r ζ^m)^j over j < n is S(m) = (r^n ζ^(mn) - 1) / (r ζ^m - 1).
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm, prod
from typing import Any, ClassVar

import numpy as np

from codegen.program.supersteps import Program
from codegen.systems.options import REAL
from proofs.certify.declaration import Declaration, Vector
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.residue_arrays import Residues
from proofs.certify.fields.fourier_maps import RealMaps
from proofs.certify.fields.geometric_sums import rotation, sums

ENTRIES = {
    "C2": "C2_n[k, j] = 2 cos(pi k (2 j + 1) / 2 n)",
    "C3": "C3_n[k, j] = 2 cos(pi (2 k + 1) j / 2 n),   C3_n[k, 0] = 1",
    "S2": "S2_n[k, j] = 2 sin(pi (k + 1) (2 j + 1) / 2 n)",
    "S3": "S3_n[k, j] = 2 sin(pi (2 k + 1) (j + 1) / 2 n),   S3_n[k, n-1] = (-1)^k",
}
"""The matrices as heads define them."""
ORTHONORMAL = {
    "C2": "row 0 of each C2_n divided by sqrt(2)",
    "C3": "column 0 of each C3_n multiplied by sqrt(2)",
    "S2": "row n-1 of each S2_n divided by sqrt(2)",
    "S3": "column n-1 of each S3_n multiplied by sqrt(2)",
}
"""The rest of the definition of orthonormal ones."""


@dataclass(frozen=True)
class Cosines(RealMaps):
    """A cosine transform along axes of a real array, of type 2 or 3."""

    type: str = "2"

    is_sine: ClassVar[bool] = False
    dtypes, magnitude, root_twos, by_digits, turns = REAL, 1.0, 2, True, 4
    elements = "real elements"

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Declaration:
        """Return what these constants declare: without a shape an array of one axis."""
        one_axis = {"shape": (values["N"],), "grid": (values["P"],)}
        return super().of(values if "shape" in values else one_axis | dict(values))

    @property
    def kind(self) -> str:  # type: ignore[override]  # of the type
        return f"{self.request.record.title} of type {'II' if self.type == '2' else 'III'}"

    @property
    def chosen(self) -> dict[str, Any]:
        return super().chosen | {"direction": self.direction, "type": self.type}

    @property
    def is_third(self) -> bool:
        """Whether its matrix is that of type III: backward it is the other type's."""
        return (self.type == "3") == (self.sign < 0)

    @property
    def letter(self) -> str:
        """The name of its matrix."""
        return f"{'CS'[self.is_sine]}{2 + self.is_third}"

    @property
    def order(self) -> int:
        return lcm(8, *(4 * n for n in self.lengths))

    @property
    def scale(self) -> str:
        points = prod(2 * n for n in self.lengths)
        return ("", f"{points}^(-1/2) ", f"1/{points} ")[self.divided]

    def computed(self, left: str) -> str:
        return f"y = {self.scale}{self.matrix(self.letter)} x"

    @property
    def formula(self) -> str:
        more = f",   {ORTHONORMAL[self.letter]}" if self.divided == 1 else ""
        return f"{self.computed('')},   {ENTRIES[self.letter]}{more}"

    def equations(self, program: Program) -> list[str]:
        return [self.formula, str(program.equation)]

    def axis_matrix(self, n: int, recognizer: Recognizer) -> Residues:
        """Return the matrix along an axis times √n^divided, entry by entry."""
        q, special = recognizer.field.q, n - 1 if self.is_sine else 0
        angles = np.outer(np.arange(n) + self.is_sine, 2 * np.arange(n) + 1)
        step = recognizer.field.order // (4 * n)
        found = 2 * recognizer.circle[angles * step % recognizer.field.order, int(self.is_sine)] % q
        if self.is_third:  # the transposed one, with half a column
            found[special] = found[special] * pow(2, -1, q) % q
            found = found.T.copy()
        place = (slice(None), special) if self.is_third else special
        found[place] = found[place] * self._at_special(recognizer) % q
        return found * self._of_all(recognizer) % q

    def _at_special(self, recognizer: Recognizer) -> int:
        """Return the factor on the row or the column that orthonormal ones have apart."""
        if self.divided != 1:
            return 1
        return pow(recognizer.root_two, 1 if self.is_third else -1, recognizer.field.q)

    def _of_all(self, recognizer: Recognizer) -> int:
        """Return the factor 1, 1/√2 or 1/2: 2n divides where others have n."""
        return pow(recognizer.root_two, -self.divided, recognizer.field.q)

    def axis_powers(self, n: int, r: int, recognizer: Recognizer) -> Residues:
        """Return the transform of r^j along an axis, times √n^divided."""
        field, q = recognizer.field, recognizer.field.q
        k, at_special = np.arange(n), self._at_special(recognizer)
        m = 2 * k + 1 if self.is_third else 2 * (k + self.is_sine)
        first = k + self.is_sine  # of type II all terms have ζ to this power, of a dst of III ζ^m
        if self.is_third:
            first = m * self.is_sine
        one, other = (
            rotation(4 * n, e * first, field) * sums(n, r, 4 * n, e * m, field) % q for e in (1, -1)
        )
        found = (one + (q - other if self.is_sine else other)) % q
        if self.is_sine:
            found = found * pow(recognizer.iota, -1, q) % q
        if not self.is_third:
            place = n - 1 if self.is_sine else 0
            found[place] = found[place] * at_special % q
        else:  # half of the term of the column apart, times its factor
            signs = np.where(k % 2, q - 1, 1) if self.is_sine else 1
            term = (pow(r, n - 1, q) if self.is_sine else 1) * signs % q
            found = (found + (at_special - 2) * term) % q
        return found * self._of_all(recognizer) % q

    def reference(self, x: Vector) -> Vector:
        found = x.astype(np.longdouble).reshape(self.whole)
        for axis in self.along:
            found = np.moveaxis(self._referred(np.moveaxis(found, axis, -1)), -1, axis)
        return np.asarray(found).reshape(-1)

    def _referred(self, x: Vector) -> Vector:
        """Return the transform along the last axis, by a Fourier transform of twice the length."""
        n, j = x.shape[-1], np.arange(x.shape[-1]).astype(np.longdouble)
        pi = np.arctan2(np.longdouble(0), np.longdouble(-1))
        turn, signs = np.exp(-1j * pi * j / (2 * n)), 1 - 2 * (np.arange(n) % 2)
        special, root = np.ones(n, np.longdouble), np.sqrt(np.longdouble(2))
        if self.is_third:
            special[0] = root / 2 if self.divided == 1 else 0.5
            x = x[..., ::-1] if self.is_sine else x
            y = 2 * np.fft.fft(x * (special * turn), 2 * n)[..., :n].real
            y = y * signs if self.is_sine else y
        else:
            special[0] = 1 / root if self.divided == 1 else 1
            x = x * signs if self.is_sine else x
            y = 2 * (np.fft.fft(x + 0j, 2 * n)[..., :n] * turn).real * special
            y = y[..., ::-1] if self.is_sine else y
        return np.asarray(y / np.sqrt(np.longdouble(2 * n)) ** self.divided)


@dataclass(frozen=True)
class Sines(Cosines):
    """A sine transform along axes of a real array, of type 2 or 3."""

    is_sine = True
