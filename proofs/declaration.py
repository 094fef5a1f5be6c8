"""What a program's text says of itself: its constants, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.cost import Cost, count
from codegen.lower import build
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
KNOWN: dict[str, tuple[str, ...]] = {
    "transform": ("fft",),
    "direction": tuple(DIRECTIONS),
    "norm": ("backward", "ortho", "forward"),
    "exchange": ("alltoall", "pairwise"),
    "dtype": ("complex128", "complex64"),
}
"""The values of a program's constants that are known here."""
LARGEST_N = 2**20
LARGEST_P = 1024
FUNCTIONS = ("plan", "transform", "input_place", "output_place")


@dataclass(frozen=True)
class Declaration:
    """The transform that a program declares: N elements on P ranks, laid out as `input` and `output` name it."""

    transform: str
    N: int
    P: int
    input: str
    output: str
    direction: str
    norm: str
    kernels: str
    exchange: str
    dtype: str

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return self.N // self.P

    @property
    def n(self) -> int:
        """lg N."""
        return self.N.bit_length() - 1

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
        """The result as a formula."""
        scale = ("", f"{self.N}^(-1/2) ", f"1/{self.N} ")[self.divided]
        return f"y_k = {scale}sum_j exp({'-+'[self.sign > 0]}2πi jk/{self.N}) x_j"

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
        return asdict(self)


def declared(namespace: Mapping[str, Any]) -> Declaration:
    """Return what a program declares.

    Raises ValueError naming the first constant that is missing, contradicts another or is out of range.
    """
    names = ("TRANSFORM", "N", "P", "INPUT", "OUTPUT", "DIRECTION", "NORM", "KERNELS", "EXCHANGE", "DTYPE")
    missing = [name for name in (*names, "M", *FUNCTIONS) if name not in namespace]
    if missing:
        raise ValueError(f"the program does not define {', '.join(missing)}: a node program states its contract in these names")
    given = {name if len(name) == 1 else name.lower(): namespace[name] for name in names}
    given["dtype"] = str(np.dtype(given["dtype"]))
    _sizes(namespace["N"], namespace["P"], namespace["M"])
    for name, known in KNOWN.items():
        if given[name] not in known:
            raise ValueError(f"{name.upper()} = {given[name]!r}: known are {', '.join(known)}")
    declaration = Declaration(**given)
    for side in ("input", "output"):
        declaration.layout(side)
    return declaration


def _sizes(N: Any, P: Any, M: Any) -> None:
    for name, value, largest in (("N", N, LARGEST_N), ("P", P, LARGEST_P)):
        if not isinstance(value, int) or value < 1 or value & (value - 1):
            raise ValueError(f"{name} = {value!r} is not a power of two: the radix-2 framework needs N and P to be")
        if value > largest:
            raise ValueError(f"{name} = {value} is above {largest}, the most that is run here: certify the same program for smaller N and P")
    if P > N or M != N // P:
        raise ValueError(f"N = {N}, P = {P}, M = {M!r}: every rank holds M = N/P elements, at least one")


def counted_cost(declaration: Declaration) -> Cost:
    """Return the counted cost of the program that the declaration asks for."""
    d = declaration
    return count(build(d.transform, d.N, d.P, d.input, d.output, d.exchange))
