"""What an evaluation is asked for, in which forms: names, indices and offsets; and what is known of
the entries of its results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proofs.certify.declaration import CONVOLVE, FUNCTIONS, INDICES, OF_SIDES, SHAPES, Declaration
from proofs.certify.declared_constants import CONSTANTS

Parts = Sequence[NDArray[Any]]
"""The elements of a vector on each rank, by their offsets."""
NAMES = (*FUNCTIONS, *SHAPES.values(), *INDICES, CONVOLVE)
NAMED = (*CONSTANTS, *OF_SIDES, "PIECE")
"""The constants that are read of a text: those of its contract, and what main takes beside them."""


KINDS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
"""The types that indices may have."""
NARROW = ("int8", "int16", "uint8", "uint16")
"""Those of which a program may refuse indices."""


def few(N: int) -> int:
    """Return how many indices all of these hold."""
    return min(N, 128)


SINGLY = 512
"""The places of so many indices are asked for one by one in any case, and as integers of numpy."""
STEPS = 1 << 16
"""Steps for which the places of single indices are asked."""
MOST_AXES = 64
"""The most axes of a numpy array."""
BROADCAST = 32
"""The most axes of arrays that numpy broadcasts: with more, np.broadcast_arrays raises."""
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


class Past(NamedTuple):
    """Bounds of the entries of a result: every conjugate of a coefficient of the stimulus is at
    most 2^magnitude, and √2^halves times it is an algebraic integer (where lengths are no powers of
    two, another number that is at most √2^halves, with all its conjugates).
    """

    magnitude: float = 0.0
    halves: int = 0


def scattered(d: Declaration, x: NDArray[Any]) -> Parts:
    """Return the part of each rank of an input in natural order."""
    return [x[held] for held in d.indices("input")]


def arrays_of(d: Declaration, side: str) -> NDArray[np.int64]:
    """Return the indices of the elements of each array that is transformed by itself, those of a
    batch and those along the axes that are not transformed, of shape (arrays, elements).
    """
    axes = d.whole_of(side)
    along = getattr(d, "along", range(len(axes)))
    others = [axis for axis in range(len(axes)) if axis not in along]
    every = np.arange(prod(axes)).reshape(axes).transpose(*others, *along)
    return every.reshape(prod(axes[axis] for axis in others), -1)


def zeros(d: Declaration) -> Parts:
    """Return the part of each rank of an input of zeros."""
    sizes = (prod(d.part("input", rank)) for rank in range(d.P))
    return [np.zeros(size, d.dtype_of("input")) for size in sizes]


def natural(d: Declaration, parts: Parts) -> NDArray[Any]:
    """Return a result in natural order from the parts of the ranks."""
    y = np.empty((d.count("output"), *parts[0].shape[1:]), parts[0].dtype)
    for held, part in zip(d.indices("output"), parts, strict=True):
        y[held] = part
    return y


def in_shapes(N: int) -> list[tuple[str, list[NDArray[Any]]]]:
    """Return indices in arrays of other shapes and orders of memory, and short ones, with words."""
    most = few(N)
    j, ends = np.arange(N), np.cumsum(np.arange(int((2 * N) ** 0.5) + 1))
    axes, twos = (1, 2 - N % 2, -1), [2 - (N % 2**i > 0) for i in (1, 2, 3)]
    ones = range(1, MOST_AXES - 3)
    return [
        ("of three axes", [j.reshape(axes)]),
        ("of three axes in Fortran's order", [np.asfortranarray(j.reshape(axes))]),
        ("of four axes", [j.reshape(*twos, -1)]),
        *((f"of {4 + k} axes", [j[:most].reshape(*[1] * (k + 3), -1)]) for k in ones),
        ("with gaps in memory", [np.repeat(j, 2)[::2]]),
        ("in short arrays", np.split(j, ends[ends <= N])),
        ("in an array of no row", [j[:0].reshape(0, 3)]),
        ("in rows of three", [np.resize(j[::-1], n) for n in ((1, 3), (3, 1), (3, 5))]),
        ("that are one in memory", [np.broadcast_to(j[-1:], 5)]),
        *_drawn(N),
    ]


def _drawn(N: int) -> Iterator[tuple[str, list[NDArray[Any]]]]:
    """Yield indices drawn by chance: all in another order, and with repetitions, of which there are
    fewer than N, as many or more, few arrays where N is large; and in other forms of memory.
    """
    rng = np.random.default_rng(N)
    yield "in an order by chance", [rng.permutation(N)]
    sizes = {n + i for n in (N, N // 2, N // 3, 2 * N) for i in (-1, 0, 1)}
    sizes = sizes | {4 * N + 3} if N <= STEPS else {N + 1}
    drawn = [rng.integers(0, N, size) for size in sorted(sizes) if size > 0]
    square = np.repeat(drawn[0][:STEPS], 2).reshape(2, -1)
    rows = [square.reshape(-1), square, np.asfortranarray(square), square[:, ::2]]
    yield "drawn by chance", [*drawn, *rows]
    drawn[-1].flags.writeable = square.flags.writeable = False
    yield "that are read-only, or of C's long long", [drawn[-1], square, drawn[-1].astype("q")]
