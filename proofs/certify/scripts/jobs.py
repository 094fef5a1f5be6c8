"""What an evaluation is asked for: what a program declares, its places, and the results of a script
on exact elements, on opaque ones and on numbers.

No job compares anything with what is wanted: the checks do (proofs/certify/checks/suite.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from codegen.kernels.widths import LANES
from proofs.certify.declaration import (
    CONVOLVE,
    FUNCTIONS,
    INDICES,
    OF_SIDES,
    SHAPES,
    Declaration,
    Transform,
)
from proofs.certify.reading import CONSTANTS
from proofs.certify.scripts.usage import Script

Parts = Sequence[NDArray[Any]]
"""The elements of a vector on each rank, by their offsets."""


class Job(Protocol):
    """Something that is asked of a program."""

    @property
    def name(self) -> str:
        """The statement that an error of the program refutes, or `messages` where its ranks
        disagree.
        """


NAMES = (*FUNCTIONS, *SHAPES.values(), *INDICES, CONVOLVE)
NAMED = (*CONSTANTS, *OF_SIDES, "PIECE")
"""The constants that are read of a text: those of its contract, and what main takes beside them."""


@dataclass(frozen=True)
class Constants:
    """The constants of a program (`constant`), and its functions."""

    name: ClassVar[str] = "constants"


KINDS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
"""The types that indices may have."""
NARROW = ("int8", "int16", "uint8", "uint16")
"""Those of which a program may refuse indices."""


def few(N: int) -> int:
    """Return how many indices all of these hold."""
    return min(N, 128)


SINGLY = 512
"""The places of so many indices are asked for one by one in any case, and as integers of numpy."""
WAYS = 3
"""In so many ways the offsets of a rank are cut into pieces."""


def in_pieces(M: int, piece: Any) -> list[list[NDArray[np.int64]]]:
    """Return all offsets in one piece; in one offset at each end and two pieces between; and in
    pieces of this length, if it is one, as main asks for them.

    >>> [[o.tolist() for o in pieces] for pieces in in_pieces(4, 2)]
    [[[0, 1, 2, 3]], [[0], [1], [2], [3]], [[0, 1], [2, 3]]]
    """
    offsets, step = np.arange(M), piece if type(piece) is int and piece > 0 else max(M, 1)
    offsets.flags.writeable = False  # main uses them again
    cuts = set[int](), {1, M // 2, M - 1} - {-1, 0, M}, range(step, M, step)
    return [np.split(offsets, sorted(at)) for at in cuts]


@dataclass(frozen=True)
class Places:
    """The places of all indices on one side: of all at once, in another order and of two axes, of
    some one by one, as integers of Python and of numpy, and of a few in each type.

    These are integers of shapes (2, N), (2, N), (2, N), (at most len(single), 2), (at most SINGLY,
    2), (KINDS, 2, few(N)) and, of a table, in each of WAYS the indices of each rank.
    """

    name: ClassVar[str] = "layout"
    declaration: Declaration
    side: str
    single: tuple[int, ...]


class Past(NamedTuple):
    """Bounds of the entries of a result: every conjugate of a coefficient of the stimulus is at
    most 2^magnitude, and √2^halves times it is an algebraic integer (where lengths are no powers of
    two, another number that is at most √2^halves, with all its conjugates).
    """

    magnitude: float = 0.0
    halves: int = 0


@dataclass(frozen=True)
class InField:
    """A script on elements of GF(q): data[i] is vector i by ranks, each part of shape (.., parts,
    K).

    The results have such shapes, and bounds of their entries.
    """

    declaration: Transform
    drawn: tuple[int, int, int]
    data: tuple[Parts, ...]
    script: Script
    name: str
    lanes: int = LANES


@dataclass(frozen=True)
class OfTokens:
    """A script on opaque elements: data[i] has the tokens of vector i by ranks."""

    declaration: Declaration
    data: tuple[Parts, ...]
    script: Script
    name: str


@dataclass(frozen=True)
class OfNumbers:
    """A script on ordinary numbers: data[i] is vector i by ranks."""

    declaration: Declaration
    data: tuple[Parts, ...]
    script: Script
    name: str
    lanes: int = LANES


def scattered(d: Declaration, x: NDArray[Any]) -> Parts:
    """Return the part of each rank of an input in natural order."""
    return [x[held] for held in d.indices("input")]


def zeros(d: Declaration) -> Parts:
    """Return the part of each rank of an input of zeros."""
    sizes = (prod(d.part("input", rank)) for rank in range(d.P))
    return [np.zeros(size, d.dtype_of("input")) for size in sizes]


def natural(d: Declaration, parts: Parts) -> NDArray[Any]:
    """Return a result in natural order, of which each rank holds a part."""
    y = np.empty((d.count("output"), *parts[0].shape[1:]), parts[0].dtype)
    for held, part in zip(d.indices("output"), parts, strict=True):
        y[held] = part
    return y
