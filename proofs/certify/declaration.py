"""What a program's text says of itself: its constants, read and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from codegen.cost.bounds import bound
from codegen.program.hartley import ALGORITHMS, RESULTS
from codegen.program.lower import EXCHANGES, OVERLAPPED, SHARED, between_two, build, build_formula
from codegen.program.supersteps import Program
from derive.formula.grammar import Formula
from derive.formula.layout import Placement, named
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bits import Affine
from derive.papers.hartley_layouts import HalfSpectrum, placement
from derive.papers.hypercube import PROGRAMS
from derive.text.elaborate import formula
from derive.text.parse import parse_formula

DIRECTIONS = {"forward": -1, "backward": 1}
"""The sign of the exponent."""
DIVISIONS = {
    ("forward", "backward"): 0,
    ("forward", "ortho"): 1,
    ("forward", "forward"): 2,
    ("backward", "backward"): 2,
    ("backward", "ortho"): 1,
    ("backward", "forward"): 0,
}
"""The power of √N that divides the result, by direction and numpy's norm."""
NORMS = ("backward", "ortho", "forward")
KERNELS = ("numpy", "numba", "pyfftw", "gray")
COMPILED = ("numba", "gray")
"""Those that numba compiles."""
LARGEST_N = 2**21
LARGEST_P = 1024
LARGEST_OF = {"numpy": LARGEST_N, "pyfftw": LARGEST_N, "numba": 2**20, "gray": 2**20}
"""The largest N that is decided within the bounds on time and memory, by kernels."""
LARGEST_OF_ONES_OWN = 2**14
"""The same for functions under numba's decorators in a text without the house's operations: these
run as Python, element by element perhaps.
"""
FUNCTIONS = ("plan", "transform", "input_place", "output_place")


def by_numpy(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the object that numpy has for a type, where it has one for all: what is unpickled is
    another, and `is` tells them apart.
    """
    found = np.dtype(dtype.str)
    return found if found == dtype else dtype


@dataclass(frozen=True)
class Declaration:
    """What a program declares: N elements on P ranks, laid out as `input` and `output` name it."""

    transform: str
    N: int
    P: int
    input: str
    output: str
    kernels: str
    exchange: str
    dtype: np.dtype[Any]

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return self.N // self.P

    @property
    def n(self) -> int:
        """lg N."""
        return self.N.bit_length() - 1

    @property
    def formula(self) -> str:
        """The result as a formula."""
        raise NotImplementedError

    @property
    def permutation(self) -> Bmmc | None:
        """The permutation that is declared, if it is one."""
        return None

    def layout(self, side: str) -> Placement:
        """Return the layout of the input or the output."""
        return named(getattr(self, side), self.n, self.P.bit_length() - 1)

    def indices(self, side: str) -> NDArray[np.int64]:
        """Return the indices that live on each rank at each offset, of shape (P, M)."""
        held = np.empty((self.P, self.M), dtype=np.int64)
        held[self.layout(side).place(np.arange(self.N))] = np.arange(self.N)
        return held

    def as_json(self) -> dict[str, Any]:
        """Return the constants by their names, without a text that is not there."""
        return {
            name: value
            for name, value in asdict(self).items()
            if not isinstance(value, str) or value
        } | {"dtype": str(self.dtype)}


@dataclass(frozen=True)
class Transform(Declaration):
    """A linear map with a direction and a norm. Its entries are integers over 2^`halves`, all
    conjugates of them at most 2^`magnitude`.
    """

    direction: str
    norm: str

    dtypes: ClassVar[tuple[str, ...]]
    magnitude: ClassVar[float]
    halves: ClassVar[int]

    @property
    def sign(self) -> int:
        """The sign of the exponent: -1 forward, +1 backward."""
        return DIRECTIONS[self.direction]

    @property
    def divided(self) -> int:
        """The power of √N that divides the result."""
        return DIVISIONS[self.direction, self.norm]

    @property
    def scale(self) -> str:
        """The factor on the matrix."""
        return ("", f"{self.N}^(-1/2) ", f"1/{self.N} ")[self.divided]

    @property
    def parts(self) -> int:
        """2 for complex elements, 1 for real ones."""
        return 2 if self.dtype.kind == "c" else 1


@dataclass(frozen=True)
class Fourier(Transform):
    """A discrete Fourier transform; `factorization` is the formula that it was made from, where
    that is one's own.

    `phases` and `local` are what was chosen of section 4 of Inda & Bisseling, where that is not the
    default.
    """

    factorization: str = ""
    phases: str = ""
    local: str = ""

    dtypes = ("complex128", "complex64")
    magnitude, halves = 0.0, 0

    @property
    def formula(self) -> str:
        return f"y_k = {self.scale}sum_j exp({'-+'[self.sign > 0]}2πi jk/{self.N}) x_j"


@dataclass(frozen=True)
class Hypercube(Fourier):
    """A discrete Fourier transform by one of the programs for hypercubes."""

    scheme: str = field(kw_only=True)


@dataclass(frozen=True)
class Hartley(Transform):
    """A Hartley transform, or the half spectrum of a real vector that is made from it."""

    algorithm: str
    result: str

    dtypes = ("float64", "float32")
    magnitude, halves = 0.5, 1  # cas(a) = √2 cos(a - π/4)

    @property
    def formula(self) -> str:
        if self.result == "dft":
            return (
                f"y_2m + i y_(2m+1) = X_m, 0 < m < {self.N}/2, y_0 = X_0, y_1 = X_(N/2), X_m ="
                f" {self.scale}sum_j exp(-2πi jm/{self.N}) x_j"
            )
        return f"y_k = {self.scale}sum_j cas(2πjk/{self.N}) x_j, cas = cos + sin"

    def layout(self, side: str) -> Placement:
        return placement(getattr(self, side), self.n, self.P.bit_length() - 1)


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
        """j -> A j + c; raises ValueError where A is no matrix of n x n bits, is singular, or c
        does not fit.
        """
        address = Affine(self.A, self.n, self.C)
        if address.bits != self.n:
            raise ValueError(
                f"A has {address.bits} columns: a permutation of 2^{self.n} elements has {self.n}"
            )
        address.inverse()
        return address

    @property
    def permutation(self) -> Bmmc:
        return Bmmc(self.address, "A")


SYSTEMS: dict[str, type[Declaration]] = {
    "fft": Fourier,
    "permute": Permutation,
    "hypercube-fft": Hypercube,
    "fht": Hartley,
}
KNOWN: dict[str, tuple[str, ...]] = {
    "transform": tuple(SYSTEMS),
    "direction": tuple(DIRECTIONS),
    "norm": NORMS,
    "kernels": KERNELS,
    "exchange": (*EXCHANGES, OVERLAPPED, SHARED),
    "scheme": PROGRAMS,
    "algorithm": ALGORITHMS,
    "result": RESULTS,
}
"""The values of a program's constants that are known here."""
CONSTANTS = (
    "M",
    *sorted({entry.name.upper() for system in SYSTEMS.values() for entry in fields(system)}),
)
"""The constants in which programs of all systems state their contract."""


def declared(namespace: Mapping[str, Any]) -> Declaration:
    """Return what a program declares.

    Raises ValueError naming the first constant that is missing, contradicts another or is out of
    range.
    """
    system = SYSTEMS.get(str(namespace.get("TRANSFORM")), Declaration)
    names = {
        entry.name: entry.name.upper()
        for entry in fields(system)
        if entry.default is MISSING or entry.name.upper() in namespace
    }
    missing = [name for name in (*names.values(), "M", *FUNCTIONS) if name not in namespace]
    if missing:
        raise ValueError(
            f"the program does not define {', '.join(missing)}: a node program states its contract"
            " in these names"
        )
    given = {name: namespace[constant] for name, constant in names.items()}
    _sizes(given["N"], given["P"], namespace["M"])
    for name, value in given.items():
        wanted = (tuple,) if name == "A" else (int,) if name in ("N", "P", "C") else (str,)
        if name != "dtype" and type(value) not in wanted:
            raise ValueError(
                f"{name.upper()} = {value!r}: that is a"
                f" {' or '.join(kind.__name__ for kind in wanted)}"
            )
        if name in KNOWN and value not in KNOWN[name]:
            raise ValueError(f"{name.upper()} = {value!r}: known are {', '.join(KNOWN[name])}")
    try:
        dtype = np.dtype(given["dtype"])
    except TypeError as error:
        raise ValueError(f"DTYPE = {given['dtype']!r}: {error}") from error
    declaration = system(**given | {"dtype": dtype})
    _fits(declaration)
    return declaration


def declared_by(constants: Mapping[str, Any], functions: Sequence[str]) -> Declaration:
    """Return what a program declares whose constants are these, as proofs/certify/workers/jobs.py
    sends them, and which has these functions.

    Raises ValueError naming the first constant that is missing, contradicts another or is out of
    range.
    """
    try:
        values = {str(name): _value(value) for name, value in constants.items()}
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise ValueError(f"the constants of the program cannot be read: {error}") from error
    return declared(values | dict.fromkeys(functions))


@dataclass(frozen=True)
class Strange:
    """A value of a type that no constant has."""

    kind: str

    def __repr__(self) -> str:
        return f"<{self.kind}>"


def _value(value: Any) -> Any:
    match value:
        case {"tuple": list(entries)}:
            return tuple(map(int, entries))
        case {"dtype": descr}:
            return np.lib.format.descr_to_dtype(_description(descr))
        case {"type": kind}:
            return Strange(str(kind))
    return value if type(value) in (int, str) else Strange(type(value).__name__)


def _description(descr: Any) -> Any:
    """Return the description of a dtype as numpy has it, with tuples where JSON has lists."""
    if isinstance(descr, str):
        return descr
    return [
        (tuple(name) if isinstance(name, list) else name, _description(kind), *map(tuple, shape))
        for name, kind, *shape in descr
    ]


def _fits(declaration: Declaration) -> None:
    """Raise ValueError unless layouts, dtype and matrix are what the system takes."""
    dtype = declaration.dtype
    for side in ("input", "output"):
        try:
            declaration.layout(side)
        except OSError as error:
            name = getattr(declaration, side)
            raise ValueError(
                f"{side.upper()} = {name!r}: {error.strerror or error}: this file states where"
                " elements live"
            ) from error
    if isinstance(declaration, Transform) and str(dtype) not in declaration.dtypes:
        raise ValueError(f"DTYPE = {str(dtype)!r}: known are {', '.join(declaration.dtypes)}")
    if isinstance(declaration, Hartley):
        _linear(declaration)
    if isinstance(declaration, Fourier) and declaration.factorization:
        _factorization(declaration)
    if dtype.hasobject or not dtype.itemsize:
        raise ValueError(f"DTYPE = {str(dtype)!r}: an element has a fixed number of bytes")
    if isinstance(declaration, Permutation) and any(
        type(column) is not int for column in declaration.A
    ):
        raise ValueError(f"A = {declaration.A}: its packed columns are integers")


def _linear(declaration: Hartley) -> None:
    """Raise ValueError for what is no linear map, and where result, direction and layouts
    contradict each other.
    """
    result, output = declaration.result, declaration.output
    if result == "power":
        raise ValueError(
            f"RESULT = {result!r}: squares are no linear map, which is what is certified: certify"
            " the same program with hartley or dft"
        )
    if (result == "dft") != (output == HalfSpectrum.name) or declaration.input == HalfSpectrum.name:
        raise ValueError(
            f"RESULT = {result!r}, INPUT = {declaration.input!r}, OUTPUT = {output!r}: the layout"
            " half-spectrum is the output of dft"
        )
    if (result, declaration.direction) == ("dft", "backward"):
        raise ValueError(
            f"RESULT = {result!r}, DIRECTION = {declaration.direction!r}: the spectrum of a real"
            " vector is made forward"
        )


def _factorization(declaration: Fourier) -> Formula:
    """Return the formula that a transform was made from; raise ValueError where it is none of N
    elements.
    """
    try:
        found = formula(parse_formula(declaration.factorization), {})
    except ValueError as error:
        raise ValueError(f"FACTORIZATION = {declaration.factorization!r}: {error}") from error
    if found.size != declaration.N:
        raise ValueError(
            f"FACTORIZATION = {declaration.factorization!r} is a matrix of order {found.size}, N ="
            f" {declaration.N}"
        )
    return found


def _sizes(N: Any, P: Any, M: Any) -> None:
    for name, value, largest in (("N", N, LARGEST_N), ("P", P, LARGEST_P)):
        if type(value) is not int or value < 1 or value & (value - 1):
            raise ValueError(
                f"{name} = {value!r} is not a power of two: the radix-2 framework needs N and P"
                " to be"
            )
        if value > largest:
            raise ValueError(
                f"{name} = {value} is above {largest}, the most that is run here: certify the same"
                " program for smaller N and P"
            )
    if P > N or type(M) is not int or M != N // P:
        raise ValueError(
            f"N = {N}, P = {P}, M = {M!r}: every rank holds M = N/P elements, at least one"
        )


def check_reach(d: Declaration, ones_own: bool) -> None:
    """Raise ValueError where N is too large for the kernels of a program, or for kernels of one's
    own.
    """
    if d.N <= (LARGEST_OF_ONES_OWN if ones_own else LARGEST_OF[d.kernels]):
        return
    limits = ", ".join(
        f"2^{largest.bit_length() - 1} for {kernels}" for kernels, largest in LARGEST_OF.items()
    )
    what = "functions of one's own under numba" if ones_own else f"{d.kernels} kernels"
    raise ValueError(
        f"N = {d.N} with {what} is beyond reach: the largest N is {limits}, and"
        f" 2^{LARGEST_OF_ONES_OWN.bit_length() - 1} for functions of one's own under numba: certify"
        " the same program for a smaller N"
    )


def least_words(declaration: Declaration) -> int | None:
    """Return how many words the rank that sends most must send at least, by any linear algorithm;
    None where that is not known.
    """
    return bound(asked_for(declaration)).words


def asked_for(d: Declaration) -> Program:
    """Return the supersteps of the program that the declaration asks for."""
    return forms(d)[0]


def forms(d: Declaration) -> tuple[Program, ...]:
    """Return the supersteps that a program with this declaration may have; first those that its
    kernels ask for.

    An FFT on two ranks has two forms, one for compiled kernels and one for all others, and any
    kernels can do either.
    """
    if isinstance(d, Fourier) and d.factorization:
        return (build_formula(_factorization(d), d.P, d.input, d.output, d.exchange),)
    phases, local = (d.phases, d.local) if isinstance(d, Fourier) else ("", "")
    scheme, algorithm = (
        d.scheme if isinstance(d, Hypercube) else "",
        d.algorithm if isinstance(d, Hartley) else "",
    )
    output = d.output if d.output != HalfSpectrum.name else ""
    program = build(
        d.transform,
        d.N,
        d.P,
        d.input,
        output,
        d.exchange,
        d.permutation,
        scheme,
        algorithm,
        phases,
        local,
    )
    across = between_two(program, d.exchange)
    if across is program:
        return (program,)
    return (across, program) if d.kernels == "numba" else (program, across)
