"""Transforms of arrays and discrete Fourier transforms: what their programs declare, and give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import lcm, prod
from typing import Any, ClassVar

import numpy as np

from codegen.program.supersteps import Program
from codegen.systems.options import COMPLEX
from derive.fields import RootField, powers
from derive.formula.grammar import Formula
from derive.text.elaborate import formula
from derive.text.parse import parse_formula
from proofs.certify.declaration import Columns, Transform, Vector
from proofs.certify.ends import digit_ends
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.residue_arrays import Residues, from_pair, no_root_of_one
from proofs.certify.fields.geometric_sums import Numbers, basis, of_powers, of_units, rotation, sums


@dataclass(frozen=True)
class Arrays(Transform):
    """A transform of an array with this shape on a grid of ranks, or of a batch of such arrays,
    along some of its axes or all.
    """

    shape: tuple[int, ...] = ()
    grid: tuple[int, ...] = ()
    batch: int = 0
    axes: tuple[int, ...] = ()

    def fit(self) -> None:
        """Raise ValueError where the axes are not those of the request, or one is chosen twice."""
        super().fit()
        shape, grid, axes = self.shape, self.grid, self.axes
        if not shape:
            return
        known = range(-len(shape), len(shape))
        if len({*self.along}) < len(axes) or any(axis not in known for axis in axes):
            raise ValueError(f"AXES = {axes}: name each axis of SHAPE = {shape} at most once")
        request = self.request if digit_ends.is_routed(self) else None
        if request and (request.shape, request.grid) != (shape, grid):
            neither = "a program of one axis without a batch has neither"
            wanted = f"it must be {request.shape}, {request.grid}" if request.shape else neither
            raise ValueError(f"SHAPE, GRID = {shape}, {grid}: {wanted}")

    @property
    def whole(self) -> tuple[int, ...]:
        return (self.batch,) * (self.batch > 0) + (self.shape or (self.N,))

    @property
    def along(self) -> tuple[int, ...]:
        """The axes of all elements along which they are transformed."""
        count, first = len(self.shape or (self.N,)), self.batch > 0
        return tuple(first + axis % count for axis in self.axes or range(count))

    @property
    def chosen(self) -> dict[str, Any]:
        return {"axes": ",".join(map(str, self.axes))} if self.axes else {}

    @property
    def lengths(self) -> tuple[int, ...]:
        """The elements along these axes."""
        return tuple(self.whole[axis] for axis in self.along)

    @property
    def points(self) -> int:
        return prod(self.lengths)

    @property
    def order(self) -> int:
        return lcm(8, *self.lengths)

    def part(self, side: str, rank: int) -> tuple[int, ...]:
        return digit_ends.part(self, side, rank)

    def matrix(self, letter: str) -> str:
        """Return the product of the matrices of the axes, of this letter."""
        known = enumerate(self.whole)
        factors = [f"{letter if axis in self.along else 'I'}_{n}" for axis, n in known]
        matrix = " ⊗ ".join(factors)
        return f"({matrix})" if factors[1:] else matrix

    def equations(self, program: Program) -> list[str]:
        sign = "-" * (self.sign < 0)
        roots = f"F_{self.N}[j, k] = w^(jk),   w = exp({sign}2 pi i / {self.N})"
        if self.shape:
            roots = f"F_n[j, k] = w_n^(jk),   w_n = exp({sign}2 pi i / n)"
        first = f"{self.computed(str(program.equation.left))},   {roots}"
        return [first, str(program.equation)]

    @property
    def in_axes(self) -> str:
        return f" with the axes {self.whole} on a grid {self.grid}" if self.shape else ""

    def fourier_of_powers(self, t: int, sign: int, field: RootField) -> Numbers:
        """Return the Fourier transform of t^j, w to the power `sign`."""

        def of_axis(_: int, n: int, r: int) -> Numbers:
            return sums(n, r, n, sign * np.arange(n), field)

        return of_powers(self.whole, self.along, field.q, t, of_axis)

    def fourier_matrix(self, recognizer: Recognizer) -> Residues:
        """Return the Fourier transforms of all e_j."""
        field, q = recognizer.field, recognizer.field.q

        def matrix(sign: int) -> Numbers:
            angle: Callable[[int], Numbers] = lambda n: sign * np.outer(np.arange(n), np.arange(n))  # noqa: E731
            return of_units(self.whole, self.along, q, lambda n: rotation(n, angle(n), field))

        pair = [matrix(sign) for sign in (self.sign, -self.sign)]
        return from_pair(np.stack(pair, axis=1), recognizer.iota, q)


@dataclass(frozen=True)
class RealMaps(Arrays):
    """One of real elements, a product of real matrices of its axes."""

    turns: ClassVar[int] = 1
    """Powers are of numbers t with t^(turns N) != 1."""

    def axis_matrix(self, n: int, recognizer: Recognizer) -> Numbers:
        """Return the matrix of an axis."""
        raise NotImplementedError

    def axis_powers(self, n: int, r: int, recognizer: Recognizer) -> Numbers:
        """Return its product with r^j."""
        raise NotImplementedError

    def powers(self, recognizer: Recognizer, rng: np.random.Generator) -> Columns:
        q, N = recognizer.field.q, self.N
        t = no_root_of_one(self.turns * N, q, rng)
        found = of_powers(
            self.whole, self.along, q, t, lambda _, n, r: self.axis_powers(n, r, recognizer)
        )
        return powers(t, N, q)[:, None, None], found[:, None, None]

    def units(self, recognizer: Recognizer) -> Columns:
        q, axis_matrix = recognizer.field.q, partial(self.axis_matrix, recognizer=recognizer)
        return basis(self.N), of_units(self.whole, self.along, q, axis_matrix)[:, None]


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
        field, q, pairs = recognizer.field, recognizer.field.q, []
        for sign in (self.sign, -self.sign):  # in the two components of the ring
            t = no_root_of_one(self.N, q, rng)
            pairs.append((powers(t, self.N, q), self.fourier_of_powers(t, sign, field)))
        given, wanted = (np.stack(side, axis=-1)[..., None] for side in zip(*pairs, strict=True))
        return from_pair(given, recognizer.iota, q), from_pair(wanted, recognizer.iota, q)

    def units(self, recognizer: Recognizer) -> Columns:
        columns = self.fourier_matrix(recognizer)
        turned = np.stack([-columns[:, 1] % recognizer.field.q, columns[:, 0]], axis=1)
        return basis(self.N, 2), np.concatenate([columns, turned], axis=-1)

    def reference(self, x: Vector) -> Vector:
        transform: Callable[..., Vector] = np.fft.fftn if self.sign < 0 else np.fft.ifftn
        array = x.astype(np.clongdouble).reshape(self.whole)
        return np.asarray(transform(array, axes=self.along, norm=self.norm)).reshape(-1)


@dataclass(frozen=True)
class Hypercube(Fourier):
    """A discrete Fourier transform by one of the programs for hypercubes."""

    scheme: str = field(kw_only=True)

    fewest, by_digits, between_neighbours = 1, False, True
