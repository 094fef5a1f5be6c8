"""What an option of programs is, and what a system is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from math import prod
from typing import Any

from codegen.program.digits.routes.route_search import Ends, Price
from codegen.program.digits.transformed import Numbers
from codegen.program.hartley_program import RESULTS
from codegen.program.protocol import Step
from codegen.systems.exchanges import EXCHANGES, WAYS, Way
from codegen.systems.options import BACKENDS, COMPLEX, DIRECTIONS, KERNELS, NORMS, REAL, Backend
from derive.digits.digit_layouts import NAMES
from derive.formula.affine_layouts import AFFINE_LAYOUTS
from derive.formula.grammar import Equation, Formula
from derive.formula.permutation_matrices import Bmmc
from derive.formula.transforms import H
from derive.sizes import OnRanks
from derive.verdict import Verdict

Progress = Callable[[float], None]
"""Is told which part of the work is done."""
Stated = tuple[str, str, Verdict]
"""A statement by its name, its source and its verdict."""


@dataclass(frozen=True)
class Option:
    """An option of programs: a field of a request, an option of the command line and a keyword in
    Python, of the same name and value.

    Attributes:
        name, metavar, help: what the command line shows.
        known: the values that have a name.
        only: whether there are no other values.
        of_system: the attribute of a system that has its values, where each has its own.
        what: what these values are.
        of_calls: whether transforms have it that are called, forward and backward.
        computes: whether it changes what is computed.
    """

    name: str
    metavar: str
    help: str
    known: tuple[str, ...] = ()
    only: bool = True
    of_system: str = ""
    what: str = ""
    of_calls: bool = True
    computes: bool = False

    @property
    def default(self) -> Any:
        """The value of a request that does not state it."""
        return DEFAULTS[self.name]

    def values(self, record: System | None) -> tuple[str, ...]:
        own: tuple[str, ...] = getattr(record, self.of_system) if record and self.of_system else ()
        return own or self.known


SPECTRUM = "spectrum"
"""The result of rfft that is numpy's: N//2 + 1 complex numbers."""
RESULT = Option(
    "result",
    "R",
    f"What fht returns: {', '.join(RESULTS)} (half spectrum, or its squares); the default is"
    f" {RESULTS[0]}. {SPECTRUM} (rfft of one axis): N//2 + 1 complex numbers, as in numpy; the"
    " default is the half spectrum as N real numbers.",
    (*RESULTS, SPECTRUM),
    of_system="results",
    what="Result",
    of_calls=False,
)
AXES = Option(
    "axes",
    "A,A,..",
    "Axes to transform, counted from 0 (fft, rfft, dct, dst); the default is all. The others are"
    " batches, and may be distributed.",
    only=False,
    computes=True,
)
OTHER_SIZES = "sizes other than powers of two, several axes or a batch"
"""What systems take beside one axis of 2^n elements, in words."""


@dataclass(frozen=True)
class OfArrays:
    """What a system takes for sizes other than powers of two, for several axes and for batches:
    `such` says which of these.

    Attributes:
        exchanges: the values of this option.
        fill: a function for the shape, for the grid of one axis, and what else follows from them.
        steps: a function for which numbers a request transforms, and the supersteps.
        price: a function for the price between two layouts, if no more exchanges than those of a
            known price are needed.
        layouts: the layouts of an axis.
    """

    such: str
    exchanges: tuple[str, ...]
    fill: Callable[[Request], dict[str, Any]]
    steps: Callable[[Request, Ends], tuple[Numbers, tuple[Step, ...]]]
    price: Callable[[Request, Ends, Price | None], Price | None]
    layouts: tuple[str, ...] = NAMES


def scale(request: Request) -> str:
    """Return the factor on the result as an expression in N, as numpy's norms have it; by digits
    every local transform has its own, but compiled ones and those of a formula.
    """
    if request.shape and not request.backend.is_whole and request.formula is None:
        return "1"
    n = str(prod(request.shape)) if request.batch else "N"
    return {request.direction: f"1 / {n}", "ortho": f"{n}**-0.5"}.get(request.norm, "1")


@dataclass(frozen=True)
class System:
    """A system: what its programs compute, and what may be asked of them.

    Attributes:
        name: the word for it.
        matrix: the matrix that it multiplies along each axis, if that is always the same one.
        reference: where it is described.
        title: what its programs are called.
        kind: which last section they have; one by their result if empty.
        kernels, exchanges, dtypes: their values, the default first; () is every dtype.
        sizes: a function that raises ValueError where no program has the sizes of a request.
        options: the options that no other system has.
        of_vectors: the layouts of a vector of 2^n elements, those that no other system has last.
        lower: a function for the program of a request that states its sizes in full.
        view: what codegen/emit/text.py prints: fourier, hartley, real, permutation or formula.
        fill: a function for what is filled in where nothing is stated.
        settle: a function for what a checked request states in a form of its own.
        check: a function that raises ValueError where options do not go together.
        arrays: what it takes beside one axis of 2^n elements, if anything.
        of_axes: whether it takes several axes, and batches.
        has_unequal: whether the parts of ranks may be unequal.
        of_parts, equation_of_parts, matrix_of: functions for the supersteps of unequal parts, for
            their equation and the matrix along an axis, if they are no Fourier transforms.
        alternates: whether it is the transform of elements with alternating signs, reversed.
        results: the values of `result`.
        called: the names of options that calls of this system have, and those of others not.
        real: whether two of its elements are one complex number, by digits.
        compiles: whether numba's kernels are of whole transforms of a rank.
        permutes: whether it has a permutation, which its requests state.
        of_expressions: whether it computes any formula that a request states.
        of_factorizations: whether it computes a factorization of its matrix that a request states.
        directed: whether it has a direction and a norm.
        two_ways: whether its supersteps backward are others than those forward.
        in_symbols: whether its equations are checked for sizes that are symbols.
        bounded: whether a lower bound on the words of arrays is known.
        is_bsp, is_on_hypercube: whether a model of BSP, or of a hypercube, predicts its time.
        shows: the commands that show something of it alone: graph, tables.
        scale: a function for the factor on the result.
        scales_first: a function for whether elements are multiplied by it before all else.
        equations: a function for the equations of the paper at the sizes of a request by bits.
        rests_on: a function for those that its program by bits rests on, if not its own.
        checks: a function for (name, source, verdict) of what else is checked, from a seed and a
            function that is told which part is done.
    """

    name: str
    matrix: type[Formula] | None
    kernels: tuple[str, ...]
    dtypes: tuple[str, ...]
    sizes: Callable[[Request], object]
    lower: Callable[[Request], Any]
    reference: str = ""
    title: str = "Discrete Fourier transform"
    view: str = "fourier"
    kind: str = "fft"
    exchanges: tuple[str, ...] = EXCHANGES
    options: tuple[Option, ...] = ()
    of_vectors: tuple[str, ...] = AFFINE_LAYOUTS
    fill: Callable[[Request], dict[str, str]] = lambda request: {}
    settle: Callable[[Request], dict[str, Any]] = lambda request: {}
    check: Callable[[Request], object] = lambda request: None
    arrays: OfArrays | None = None
    of_axes: bool = False
    has_unequal: bool = False
    of_parts: Callable[[Request, Any, Any], tuple[Step, ...]] | None = None
    equation_of_parts: Callable[[Request, tuple[Step, ...]], Equation] | None = None
    matrix_of: Callable[[Request], Any] = lambda request: request.record.matrix
    alternates: bool = False
    results: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    real: bool = False
    compiles: bool = False
    permutes: bool = False
    of_expressions: bool = False
    of_factorizations: bool = False
    directed: bool = True
    two_ways: bool = False
    in_symbols: bool = False
    bounded: bool = True
    is_bsp: bool = False
    is_on_hypercube: bool = False
    shows: tuple[str, ...] = ()
    scale: Callable[[Request], str] = scale
    scales_first: Callable[[Request], bool] = lambda request: False
    equations: Callable[[Request], Sequence[Equation]] | None = None
    rests_on: Callable[[Request], tuple[Equation, ...]] | None = None
    checks: Callable[[Request, int, Progress], Iterator[Stated]] = lambda *asked: iter(())

    @property
    def own_layouts(self) -> tuple[str, ...]:
        """The layouts that no other system has, the usual one of its results first."""
        return tuple(name for name in self.of_vectors if name not in AFFINE_LAYOUTS)

    @property
    def layouts(self) -> tuple[str, ...]:
        """The layouts that it takes: those of vectors, then those of arrays."""
        return (*dict.fromkeys((*self.of_vectors, *(self.arrays.layouts if self.arrays else ()))),)

    def has(self, option: str) -> bool:
        """Return whether an option of this name is among those that not all systems have."""
        return option in {each.name for each in self.options}

    @property
    def is_of_reals(self) -> bool:
        """Whether its elements are real numbers."""
        return self.dtypes == REAL

    @property
    def is_hartley(self) -> bool:
        """Whether its matrix is H, which is the same in both directions."""
        return self.matrix is H

    @property
    def ways(self) -> tuple[str, ...]:
        """The values of `exchange`, those that find out on which nodes the ranks are among them."""
        found = [way for way in WAYS.values() if (way.of_nodes or way.name) in self.exchanges]
        return tuple(way.name for way in sorted(found, key=lambda way: not way.otherwise))


RECORDS: dict[str, System] = {}
"""All systems and programs of own formulas, by names; codegen/system_table.py fills it."""
OF_FORMULA, EXPRESSION = "a formula", "formula"
"""What the records of programs of formulas are called: of F_N by one, and of any formula."""


@dataclass(frozen=True)
class Request(OnRanks):
    """A system for N elements on P ranks, laid out as `input` and `output` name it, with the values
    of its options; those that are empty are not stated.
    """

    system: str
    N: int
    P: int
    input: str = "block"
    output: str = ""
    exchange: str = EXCHANGES[0]
    permutation: Bmmc | None = None
    scheme: str = ""
    algorithm: str = ""
    phases: str = ""
    local: str = ""
    formula: Formula | None = None
    direction: str = DIRECTIONS[0]
    norm: str = NORMS[0]
    kernels: str = KERNELS[0]
    dtype: str = ""
    result: str = ""
    convolve: bool = False
    shape: tuple[int, ...] = ()
    grid: tuple[int, ...] = ()
    batch: int = 0
    axes: str = ""
    modulus: str = ""
    root: str = ""
    type: str = "2"
    unequal: bool = False
    """Whether parts of ranks may be unequal (codegen/unequal_parts.py)."""

    @property
    def whole(self) -> tuple[int, ...]:
        """The shape of all elements, that of a file that is read."""
        return self.files[0]

    @property
    def files(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of the arrays that are read and written: of unequal parts of real input, one
        has half of the spectrum along the last axis that is transformed.
        """
        whole = (self.batch,) * (self.batch > 0) + (self.shape or (self.N,))
        if not (self.unequal and self.record.real):
            return whole, whole
        axis = self.transformed[-1] + (self.batch > 0)
        half = (*whole[:axis], whole[axis] // 2 + 1, *whole[axis + 1 :])
        return (whole, half) if self.is_forward else (half, whole)

    @property
    def types(self) -> tuple[str, str]:
        """The types of the elements that are read and written."""
        if not (self.unequal and self.record.real):
            return self.dtype, self.dtype
        half = dict(zip(REAL, COMPLEX, strict=True))[self.dtype]
        return (self.dtype, half) if self.is_forward else (half, self.dtype)

    @property
    def transformed(self) -> tuple[int, ...]:
        """The axes that are transformed, that of a batch not counted."""
        stated = tuple(map(int, self.axes.split(","))) if self.axes else ()
        return stated or tuple(range(len(self.shape) or 1))

    @property
    def record(self) -> System:
        """The record of the system, or that of a factorization of one's own."""
        own = RECORDS[self.system]
        return own if self.formula is None or own.of_expressions else RECORDS[OF_FORMULA]

    @property
    def way(self) -> Way:
        """The way in which messages travel."""
        return WAYS[self.exchange]

    @property
    def backend(self) -> Backend:
        return BACKENDS[self.kernels]

    @property
    def is_by_bits(self) -> bool:
        """Whether it is of one array of one axis, where sizes are powers of two, and its system
        has layouts of such vectors; then no shape is filled in.
        """
        one = len(self.shape) <= 1 and len(self.grid) <= 1 and not self.batch
        twos = self.N > 0 and not any(n & (n - 1) for n in (self.N, self.P))
        return bool(self.record.of_vectors) and one and twos

    @property
    def is_forward(self) -> bool:
        """Whether it is not the way back: type III is that of type II, and H has none."""
        forward = (self.direction == DIRECTIONS[0]) == (self.type == DEFAULTS["type"])
        return forward or self.record.is_hartley

    @property
    def scale(self) -> str:
        """The factor on the result as an expression in N."""
        return self.record.scale(self)


DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Request)}
"""What is not stated."""
