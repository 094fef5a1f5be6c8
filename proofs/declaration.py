"""What a program's text says of itself: its constants, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.cost import Cost, count
from codegen.lower import EXCHANGES, build
from derive.bits import Affine
from derive.formula import Bmmc
from derive.layout import Layout, named

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
KERNELS = ("numpy", "numba")
DTYPES = ("complex128", "complex64")
"""Of a Fourier transform."""
LARGEST_N = 2**20
LARGEST_P = 1024
FUNCTIONS = ("plan", "transform", "input_place", "output_place")


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

    def layout(self, side: str) -> Layout:
        """Return the layout of the input or the output."""
        return named(getattr(self, side), self.n, self.P.bit_length() - 1)

    def indices(self, side: str) -> NDArray[np.int64]:
        """Return the indices that live on each rank at each offset, of shape (P, M)."""
        held = np.empty((self.P, self.M), dtype=np.int64)
        held[self.layout(side).place(np.arange(self.N))] = np.arange(self.N)
        return held

    def as_json(self) -> dict[str, Any]:
        """Return the constants by their names."""
        return asdict(self) | {"dtype": str(self.dtype)}


@dataclass(frozen=True)
class Fourier(Declaration):
    """A discrete Fourier transform."""

    direction: str
    norm: str

    @property
    def sign(self) -> int:
        """The sign of the exponent: -1 forward, +1 backward."""
        return DIRECTIONS[self.direction]

    @property
    def divided(self) -> int:
        """The power of √N that divides the result."""
        return DIVISIONS[self.direction, self.norm]

    @property
    def formula(self) -> str:
        scale = ("", f"{self.N}^(-1/2) ", f"1/{self.N} ")[self.divided]
        return f"y_k = {scale}sum_j exp({'-+'[self.sign > 0]}2πi jk/{self.N}) x_j"


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
        """j -> A j + c; raises ValueError where A is no matrix of n x n bits, is singular, or c does not fit."""
        address = Affine(self.A, self.n, self.C)
        if address.bits != self.n:
            raise ValueError(f"A has {address.bits} columns: a permutation of 2^{self.n} elements has {self.n}")
        address.inverse()
        return address

    @property
    def permutation(self) -> Bmmc:
        return Bmmc(self.address, "A")


SYSTEMS: dict[str, type[Declaration]] = {"fft": Fourier, "permute": Permutation}
KNOWN: dict[str, tuple[str, ...]] = {
    "transform": tuple(SYSTEMS),
    "direction": tuple(DIRECTIONS),
    "norm": NORMS,
    "kernels": KERNELS,
    "exchange": EXCHANGES,
}
"""The values of a program's constants that are known here."""


def declared(namespace: Mapping[str, Any]) -> Declaration:
    """Return what a program declares.

    Raises ValueError naming the first constant that is missing, contradicts another or is out of range.
    """
    system = SYSTEMS.get(str(namespace.get("TRANSFORM")), Declaration)
    names = {entry.name: entry.name.upper() for entry in fields(system)}
    missing = [name for name in (*names.values(), "M", *FUNCTIONS) if name not in namespace]
    if missing:
        raise ValueError(f"the program does not define {', '.join(missing)}: a node program states its contract in these names")
    given = {name: namespace[constant] for name, constant in names.items()}
    _sizes(given["N"], given["P"], namespace["M"])
    for name, value in given.items():
        wanted = (tuple,) if name == "A" else (int,) if name in ("N", "P", "C") else (str,)
        if name != "dtype" and type(value) not in wanted:
            raise ValueError(f"{name.upper()} = {value!r}: that is a {' or '.join(kind.__name__ for kind in wanted)}")
        if name in KNOWN and value not in KNOWN[name]:
            raise ValueError(f"{name.upper()} = {value!r}: known are {', '.join(KNOWN[name])}")
    declaration = system(**given | {"dtype": np.dtype(given["dtype"])})
    _fits(declaration)
    return declaration


def _fits(declaration: Declaration) -> None:
    """Raise ValueError unless layouts, dtype and matrix are what the system takes."""
    dtype = declaration.dtype
    for side in ("input", "output"):
        try:
            declaration.layout(side)
        except OSError as error:
            name = getattr(declaration, side)
            raise ValueError(f"{side.upper()} = {name!r}: {error.strerror or error}: this file states where elements live") from error
    if isinstance(declaration, Fourier) and str(dtype) not in DTYPES:
        raise ValueError(f"DTYPE = {str(dtype)!r}: known are {', '.join(DTYPES)}")
    if dtype.hasobject or not dtype.itemsize:
        raise ValueError(f"DTYPE = {str(dtype)!r}: an element has a fixed number of bytes")
    if isinstance(declaration, Permutation) and any(type(column) is not int for column in declaration.A):
        raise ValueError(f"A = {declaration.A}: its packed columns are integers")


def _sizes(N: Any, P: Any, M: Any) -> None:
    for name, value, largest in (("N", N, LARGEST_N), ("P", P, LARGEST_P)):
        if type(value) is not int or value < 1 or value & (value - 1):
            raise ValueError(f"{name} = {value!r} is not a power of two: the radix-2 framework needs N and P to be")
        if value > largest:
            raise ValueError(f"{name} = {value} is above {largest}, the most that is run here: certify the same program for smaller N and P")
    if P > N or type(M) is not int or M != N // P:
        raise ValueError(f"N = {N}, P = {P}, M = {M!r}: every rank holds M = N/P elements, at least one")


def counted_cost(declaration: Declaration) -> Cost:
    """Return the counted cost of the program that the declaration asks for."""
    d = declaration
    return count(build(d.transform, d.N, d.P, d.input, d.output, d.exchange, d.permutation))
