"""What a program says of itself: its constants, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from math import lcm, prod
from pathlib import PurePath
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from codegen.program.supersteps import Program
from codegen.requests import make_request
from codegen.system_table import CHOICES
from codegen.systems.options import BACKENDS, NORMS, NUMBA
from codegen.systems.record import Request
from derive.formula.affine_layouts import named
from derive.formula.grammar import Formula
from derive.formula.permutation_matrices import Bmmc
from derive.formula.placement import Placement
from derive.gf2.bits import Affine
from derive.papers.hartley_layouts import HalfSpectrum
from derive.sizes import OnRanks
from proofs.certify.ends import digit_ends
from proofs.certify.ends.divided import Divided
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.residue_arrays import Residues, from_pair, to_pair

Vector = NDArray[Any]
Columns = tuple[Residues, Residues]
"""Inputs as columns, and outputs."""
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
SLICES, LAYOUTS = "slices", {"input": "INPUT_LAYOUT", "output": "OUTPUT_LAYOUT"}
"""A function of a layout and a rank, which main reads and writes by, and the layouts."""
OF_SIDES = ("INPUT_SHAPE", "OUTPUT_SHAPE", "INPUT_DTYPE", "OUTPUT_DTYPE")
"""Constants that main takes, which follow from others."""


class BeyondReach(ValueError):
    """A program is larger than those that are decided here."""


@dataclass(frozen=True)
class Declaration(OnRanks):
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
    by_digits: ClassVar[bool] = False
    """Whether sizes need be no powers of two."""
    between_neighbours: ClassVar[bool] = False
    """Whether pairs of ranks exchange messages, however others travel."""
    degree: ClassVar[int] = 1
    """The degree of a result in the data."""

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

    kind: ClassVar[str] = "Discrete Fourier transform"
    """What heads call it."""

    elements: ClassVar[str] = "elements"
    """What heads call its elements."""

    @property
    def how(self) -> str:
        """The end of the title of a head."""
        return f": {self.kernels} kernels."

    def computed(self, left: str) -> str:
        """Return what is computed as an equation, the left side of the factorization given."""
        raise NotImplementedError

    def equations(self, program: Program) -> list[str]:
        """Return the equations that a head may have."""
        raise NotImplementedError

    def stated_by(self, words: Mapping[str, str]) -> dict[str, Any]:
        """Return options that are not declared, from those of the command in a head."""
        return {}

    @property
    def whole(self) -> tuple[int, ...]:
        """The shape of all elements."""
        return (self.N,)

    @property
    def chosen(self) -> dict[str, Any]:
        """What a request for such a program states beside sizes, ends and choices."""
        return {}

    def whole_of(self, side: str) -> tuple[int, ...]:
        """Return the shape of all elements of the input or the output."""
        return self.whole

    def count(self, side: str) -> int:
        """Return the number of elements of the input or the output."""
        return prod(self.whole_of(side))

    def dtype_of(self, side: str) -> np.dtype[Any]:
        """Return the type of the elements of the input or the output."""
        return self.dtype

    def layout(self, side: str) -> Placement | Divided:
        """Return the layout of the input or the output."""
        ends = digit_ends.ends(self) if self.by_digits else None
        return ends[side == "output"] if ends else named(getattr(self, side), self.N, self.P)

    def part(self, side: str, rank: int) -> tuple[int, ...]:
        """Return the shape of a rank's part of the input or the output."""
        return (self.M,)

    def indices(self, side: str) -> list[NDArray[np.int64]]:
        """Return for each rank the indices that live there, by their offsets."""
        return _indices_of(self, side)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Declaration:
        """Return what these constants declare."""
        return cls(**values)

    def fit(self) -> None:
        """Raise ValueError unless dtype, axes and matrix are what the system takes."""

    def as_json(self) -> dict[str, Any]:
        """Return the constants by their names, without a text that is not there."""
        return {
            name: value
            for name, value in asdict(self).items()
            if not (isinstance(value, str) or name in LEFT_OUT) or value
        } | {"dtype": str(self.dtype)}


@lru_cache(2)
def _indices_of(d: Declaration, side: str) -> list[NDArray[np.int64]]:
    j = np.arange(d.count(side))
    rank, offset = d.layout(side).place(j)
    ends = np.cumsum(np.bincount(rank, minlength=d.P))
    held = np.empty_like(j)
    held[np.concatenate([[0], ends])[rank] + offset] = j
    held.flags.writeable = False
    return np.split(held, ends[:-1])


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
    followed: ClassVar[int] = 1
    """The highest degree in the data that may be formed."""
    is_halved: ClassVar[bool] = False
    """Whether its supersteps may have halves of numbers, and divide one by one."""
    is_traced: ClassVar[bool] = False
    """Whether it is found out which superstep of a wrong program is wrong."""

    def fit(self) -> None:
        if str(self.dtype) not in self.dtypes:
            raise ValueError(f"DTYPE = {str(self.dtype)!r}: use one of {', '.join(self.dtypes)}")

    @property
    def sign(self) -> int:
        """The sign of the exponent: -1 forward, +1 backward."""
        return DIRECTIONS[self.direction]

    @property
    def points(self) -> int:
        """The number of points that are transformed together."""
        return self.N

    @property
    def axes_count(self) -> int:
        """The number of axes; a coefficient is a product of one of each."""
        return len(getattr(self, "shape", ())) or 1

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

    @property
    def how(self) -> str:
        stated = f"{self.direction}, " * self.request.record.directed
        return f": {stated}{self.dtype}, {self.kernels} kernels."

    def computed(self, left: str) -> str:
        return f"y = {self.scale}{left} x"

    def parts_of(self, side: str) -> int:
        """Return how many real numbers an element of the input or the output is."""
        return 2 if self.dtype_of(side).kind == "c" else 1

    def powers(self, recognizer: Recognizer, rng: np.random.Generator) -> Columns:
        """Return a vector of powers of random numbers, and its transform."""
        raise NotImplementedError

    def stimulus(self, recognizer: Recognizer, rng: np.random.Generator) -> Columns:
        """Return a vector of powers times a random element of the ring, none of whose components is
        0, and its transform.
        """
        found = self.powers(recognizer, rng)
        q, iota = recognizer.field.q, recognizer.iota
        s = rng.integers(1, q, self.parts)[:, None]
        if self.parts == 1:
            given, wanted = (side * s % q for side in found)
        else:
            given, wanted = (from_pair(to_pair(side, iota, q) * s % q, iota, q) for side in found)
        return given, wanted

    def units(self, recognizer: Recognizer) -> Columns:
        """Return all e_j, of complex elements also all I e_j, and their transforms."""
        raise NotImplementedError

    def reference(self, x: Vector) -> Vector:
        """Return the result for an input in extended precision, in natural order."""
        raise NotImplementedError


@dataclass(frozen=True)
class Permutation(Declaration):
    """The permutation that puts element j at place A j + c; A is given by its packed columns."""

    A: tuple[int, ...]
    C: int

    kind = "BMMC permutation"

    @property
    def elements(self) -> str:  # type: ignore[override]  # of the type
        return f"elements of {self.dtype}"

    def computed(self, left: str) -> str:
        return "y[A j + c] = x[j]"

    def equations(self, program: Program) -> list[str]:
        left = program.equation.left
        if isinstance(left, Bmmc):
            left = replace(left, name=PurePath(left.name).stem.lstrip("."))
        equation = str(replace(program.equation, left=left))
        found = f"{self.computed('')}, A a bit matrix, c a complement, arithmetic over GF(2)"
        return [found, equation]

    @property
    def formula(self) -> str:
        return f"y[A j + c] = x[j], A = {self.A}, c = {self.C}"

    def fit(self) -> None:
        if any(type(column) is not int for column in self.A):
            raise ValueError(f"A = {self.A}: its packed columns must be integers")

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
