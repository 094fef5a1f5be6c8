"""What a program says of itself: its constants, read and checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import lcm, prod
from typing import Any, ClassVar

import numpy as np

from codegen.requests import make_request
from codegen.systems.options import BACKENDS, COMPLEX, NORMS, NUMBA, REAL
from codegen.systems.record import Request
from codegen.systems.table import CHOICES
from derive.formula.grammar import Formula
from derive.formula.layout import named
from derive.formula.permutation_matrices import Bmmc
from derive.formula.placement import Placement
from derive.gf2.bits import Affine
from derive.papers.hartley_layouts import HalfSpectrum, placement
from derive.text.elaborate import formula
from derive.text.parse import parse_formula
from proofs.certify.ends import digit_ends
from proofs.certify.ends.divided import Divided
from proofs.certify.ends.sides import Sides

DIRECTIONS = {"forward": -1, "backward": 1}  # the sign of the exponent
COMPILED = tuple(name for name, each in BACKENDS.items() if each.library == NUMBA)
"""Those that numba compiles."""
LARGEST_N = 2**21
ARRAYS = ("shape", "grid", "batch")
"""Those of programs for arrays of several axes, or for a batch."""
LEFT_OUT = (*ARRAYS, "axes")
"""Those that are not stated where there are none."""
FUNCTIONS = ("plan", "transform", "input_place", "output_place")
SHAPES = {"input": "local_shape", "output": "local_output_shape"}
"""Functions of a rank that programs whose ranks have unequal parts define as well."""
CONVOLVE = "convolve"
"""A function that a Hartley program may have: convolve(x, y, plan, out=None)."""
INDICES = ("input_index", "output_index")  # main reads and writes by them; `layout` covers them


@dataclass(frozen=True)
class Declaration(Sides):
    """What a program declares: N elements on P ranks, laid out as `input` and `output` name it."""

    transform: str
    N: int
    P: int
    input: str
    output: str
    kernels: str
    exchange: str
    dtype: np.dtype[Any]

    fewest: ClassVar[int] = 1
    """So many elements of a rank are needed for supersteps between layouts."""

    @property
    def formula(self) -> str:
        """The result as a formula."""
        raise NotImplementedError

    @property
    def permutation(self) -> Bmmc | None:
        """The permutation that is declared, if it is one."""
        return None

    def own_formula(self) -> Formula | None:
        """The formula of one's own that it was made from, if there is one."""
        return None

    @cached_property
    def request(self) -> Request:
        """The request for a program that sends as many words: kernels are left open, and what is
        made of a Hartley transform in place.
        """
        own, output = self.own_formula(), self.output if self.output != HalfSpectrum.name else ""
        chosen = {} if own else {name: vars(self)[name] for name in CHOICES if name in vars(self)}
        chosen |= {name: vars(self)[name] for name in ARRAYS if name in vars(self)}
        chosen |= self.chosen
        sizes, ends = (self.N, self.P), (self.input, output, self.exchange)
        return make_request(self.transform, *sizes, *ends, self.permutation, formula=own, **chosen)

    @property
    def in_axes(self) -> str:
        """The axes of an array in words, where there are several."""
        return ""

    def layout(self, side: str) -> Placement | Divided:
        """Return the layout of the input or the output."""
        return named(getattr(self, side), self.N, self.P)

    def as_json(self) -> dict[str, Any]:
        """Return the constants by their names, without a text that is not there."""
        return {
            name: value
            for name, value in asdict(self).items()
            if not (isinstance(value, str) or name in LEFT_OUT) or value
        } | {"dtype": str(self.dtype)}


@dataclass(frozen=True)
class Transform(Declaration):
    """A linear map with a direction and a norm, or what is made of its result. The coefficients are
    integers over √2^`root_twos`, all conjugates of them at most 2^`magnitude`.
    """

    direction: str
    norm: str

    dtypes: ClassVar[tuple[str, ...]]
    magnitude: ClassVar[float]
    root_twos: ClassVar[int]
    degree: ClassVar[int] = 1
    followed: ClassVar[int] = 1
    """The degree of a result in the data, and the most that may be formed."""

    @property
    def sign(self) -> int:
        """The sign of the exponent: -1 forward, +1 backward."""
        return DIRECTIONS[self.direction]

    @property
    def points(self) -> int:
        """The number of points that are transformed together."""
        return self.N

    @property
    def order(self) -> int:
        """The order of the roots of unity of a field that it is run over: a multiple of 8 and of
        every length.
        """
        return lcm(8, self.N)

    @property
    def divided(self) -> int:
        """The power of √N that divides the result."""
        place = NORMS.index(self.norm)
        return place if self.sign < 0 else 2 - place

    @property
    def exponents(self) -> int:
        """The degree of a result in the numbers of which data are powers, or half as much more."""
        return self.N

    @property
    def scale(self) -> str:
        """The factor on the matrix."""
        return ("", f"{self.points}^(-1/2) ", f"1/{self.points} ")[self.divided // self.degree]

    @property
    def parts(self) -> int:
        """2 for complex elements of the input, 1 for real ones."""
        return self.parts_of("input")

    def parts_of(self, side: str) -> int:
        """Return how many real numbers an element of the input or the output is."""
        return 2 if self.dtype_of(side).kind == "c" else 1


@dataclass(frozen=True)
class Arrays(Transform):
    """A transform of an array with this shape on a grid of ranks, or of a batch of such arrays,
    along some of its axes or all.
    """

    shape: tuple[int, ...] = ()
    grid: tuple[int, ...] = ()
    batch: int = 0
    axes: tuple[int, ...] = ()

    def layout(self, side: str) -> Placement | Divided:
        ends = digit_ends.ends(self)
        return ends[side == "output"] if ends else super().layout(side)

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

    @property
    def in_axes(self) -> str:
        return f" with the axes {self.whole} on a grid {self.grid}" if self.shape else ""


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


@dataclass(frozen=True)
class Hypercube(Fourier):
    """A discrete Fourier transform by one of the programs for hypercubes."""

    scheme: str = field(kw_only=True)

    fewest = 1


@dataclass(frozen=True)
class Hartley(Transform):
    """A Hartley transform, or the half spectrum of a real vector that is made from it."""

    algorithm: str
    result: str

    dtypes = REAL
    magnitude, root_twos = 0.5, 2  # cas(a) = √2 cos(a - π/4)

    @property
    def formula(self) -> str:
        if self.result == "dft":
            return (
                f"y_2m + i y_(2m+1) = X_m, 0 < m < {self.N}/2, y_0 = X_0, y_1 = X_(N/2), X_m ="
                f" {self.scale}sum_j exp(-2πi jm/{self.N}) x_j"
            )
        return f"y_k = {self.scale}sum_j cas(2πjk/{self.N}) x_j, cas = cos + sin"

    def layout(self, side: str) -> Placement:
        return placement(getattr(self, side), self.N, self.P)


@dataclass(frozen=True)
class HartleyArrays(Arrays):
    """The Hartley transform along each axis of an array, or of those of a batch."""

    dtypes, magnitude, root_twos = Hartley.dtypes, Hartley.magnitude, Hartley.root_twos
    result: ClassVar[str] = "hartley"

    @property
    def formula(self) -> str:
        return f"y = {self.scale}{self.matrix('H')} x, H_n[j, k] = cos(2πjk/n) + sin(2πjk/n),"


@dataclass(frozen=True)
class RealFourier(Transform):
    """The half spectrum X of a vector of real elements x, or the way back."""

    dtypes, magnitude, root_twos = REAL, 1.0, 2

    @cached_property
    def request(self) -> Request:
        return replace(super().request, direction=self.direction)

    @property
    def formula(self) -> str:
        N, z, sums = self.N, "xy"[self.sign < 0], f"{self.scale}sum_"
        half = f"{z}_2m + i {z}_(2m+1) = X_m, 0 < m < {N}/2, {z}_0 = X_0, {z}_1 = X_({N}/2)"
        if self.sign < 0:
            return f"{half}, X_m = {sums}j exp(-2πi jm/{N}) x_j"
        return f"y_j = {sums}m exp(+2πi jm/{N}) X_m, {half}, X_({N}-m) = conj X_m"

    def layout(self, side: str) -> Placement | Divided:
        ends = digit_ends.ends(self)
        return ends[side == "output"] if ends else super().layout(side)


@dataclass(frozen=True)
class Permutation(Declaration):
    """The permutation that puts element j at place A j + c; A is given by its packed columns."""

    A: tuple[int, ...]
    C: int

    @property
    def formula(self) -> str:
        return f"y[A j + c] = x[j], A = {self.A}, c = {self.C}"

    @property
    def address(self) -> Affine:
        """j -> A j + c; ValueError where A is not n x n bits, is singular, or c does not fit."""
        address = Affine(self.A, self.n, self.C)
        if address.bits != self.n:
            raise ValueError(
                f"A has {address.bits} columns: a permutation of 2^{self.n} elements needs {self.n}"
            )
        address.inverse()
        return address

    @property
    def permutation(self) -> Bmmc:
        return Bmmc(self.address, "A")
