"""Programs whose result is a formula times their input: what such a program declares, and the
action of the formula on residues and in extended precision, which its results are compared with.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, lcm, log2
from typing import Any

import numpy as np

from codegen.program.supersteps import Program
from codegen.systems.options import COMPLEX, DIRECTIONS, NORMS, REAL
from derive.exact import measures
from derive.exact.action import act
from derive.exact.complexes import Complexes
from derive.exact.residues import Residues as Field
from derive.exact.rings import spread
from derive.fields import powers
from derive.formula.grammar import Formula, kron
from derive.formula.transforms import F
from derive.text.elaborate import formula
from derive.text.parse import parse_formula
from proofs.certify.declaration import Columns, Transform, Vector
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.residue_arrays import Residues, from_pair, no_root_of_one, to_pair
from proofs.certify.fields.geometric_sums import basis


@dataclass(frozen=True)
class Extended(Complexes):
    """The complex numbers in extended precision, as a ring in which formulas act."""

    order: int = 8

    def twist(self, x: Vector, exponent: Any, order: int) -> Vector:
        """Return x times the powers of exp(-2πi/order)."""
        angle = np.asarray(exponent) % order * (np.longdouble(-2) * PI / order)
        return x * spread(np.exp(1j * angle.astype(np.longdouble)), x)

    def rotate(self, x: Vector, y: Vector, exponent: Any, order: int) -> Vector:
        """Return cos(a) x + sin(a) y, a = 2π exponent/order."""
        angle = (np.asarray(exponent) % order * (2 * PI / order)).astype(np.longdouble)
        return x * spread(np.cos(angle), x) + y * spread(np.sin(angle), y)

    def multiply(self, x: Vector, number: Fraction) -> Vector:
        """Return x times a number."""
        return x * number.numerator / number.denominator


PI = np.arctan2(np.longdouble(0), np.longdouble(-1))
"""π in extended precision."""


@dataclass(frozen=True)
class LinearMap(Transform):
    """A linear map that is given by a formula, times the factor of its norm."""

    @property
    def matrix(self) -> Formula:
        """The formula."""
        raise NotImplementedError

    @property
    def formula(self) -> str:
        return f"y = {self.scale}{self.matrix} x"

    @property
    def kind(self) -> str:  # type: ignore[override]  # of the record
        return self.request.record.title

    def computed(self, left: str) -> str:
        return f"y = {self.scale}{self.matrix} x"

    def equations(self, program: Program) -> list[str]:
        return [self.computed(""), str(program.equation)]

    def image(self, x: Residues, recognizer: Recognizer) -> Residues:
        """Return the formula times residues of shape (N, parts, K)."""
        field = recognizer.field
        rings = [Field(replace(field, w=w)) for w in (pow(field.w, -1, field.q), field.w)]
        if self.parts == 1:
            return act(self.matrix, x, rings[0])
        pair = to_pair(x, recognizer.iota, field.q)
        images = [act(self.matrix, pair[..., i, :], ring) for i, ring in enumerate(rings)]
        return from_pair(np.stack(images, axis=-2), recognizer.iota, field.q)

    def powers(self, recognizer: Recognizer, rng: np.random.Generator) -> Columns:
        q, N = recognizer.field.q, self.N
        parts = [powers(no_root_of_one(N, q, rng), N, q) for _ in range(self.parts)]
        given = np.stack(parts, axis=-1)[..., None]
        if self.parts == 2:
            given = from_pair(given, recognizer.iota, q)
        return given, self.image(given, recognizer)

    def units(self, recognizer: Recognizer) -> Columns:
        given = basis(self.N, self.parts)
        return given, self.image(given, recognizer)

    def reference(self, x: Vector) -> Vector:
        y = act(self.matrix, x.astype(np.clongdouble)[:, None], Extended())[:, 0]
        y = y / np.longdouble(self.points) ** (np.longdouble(self.divided) / 2)
        return np.asarray(y if self.parts == 2 else y.real)


@dataclass(frozen=True)
class WalshHadamard(LinearMap):
    """A Walsh-Hadamard transform, of real or complex elements."""

    dtypes = (*REAL, *COMPLEX)
    magnitude, root_twos = 0.0, 0

    @property
    def matrix(self) -> Formula:
        return kron(*[F(2)] * self.n)


@lru_cache(16)
def _read(text: str) -> Formula:
    """Return the formula of a text without symbols."""
    return formula(parse_formula(text), {})


@dataclass(frozen=True)
class OwnMap(LinearMap):
    """The linear map of a formula of one's own."""

    direction: str = DIRECTIONS[0]
    norm: str = NORMS[0]
    expression: str = field(kw_only=True)

    dtypes, by_digits = COMPLEX, True

    @property
    def matrix(self) -> Formula:
        """The formula; raises ValueError where the text is none of order N."""
        try:
            found = _read(self.expression)
        except ValueError as error:
            raise ValueError(f"EXPRESSION = {self.expression!r}: {error}") from error
        if not found.size == found.columns == self.N:
            raise ValueError(
                f"EXPRESSION = {self.expression!r} is a {found.size} x {found.columns} matrix, N ="
                f" {self.N}"
            )
        return found

    def own_formula(self) -> Formula | None:
        return self.matrix

    @property
    def order(self) -> int:
        return lcm(super().order, measures.order(self.matrix))

    @property
    def magnitude(self) -> float:  # type: ignore[override]  # of one formula, not of all
        return log2(measures.row_sum(self.matrix))

    @property
    def root_twos(self) -> int:  # type: ignore[override]  # of one formula, not of all
        return 2 * ceil(log2(measures.scale(self.matrix)))
