"""Invalid uses of a transform, and those that a program may refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Misuse = Callable[[Callable[..., Any], Any, Array], Any]


def _given_x(kind: np.dtype[Any]) -> Misuse:
    return lambda transform, plan, x: transform(np.zeros(x.shape, kind), plan)


def _given_out(kind: np.dtype[Any]) -> Misuse:
    return lambda transform, plan, x: transform(x, plan, out=np.zeros(x.shape, kind))


def _overlapping(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    held = np.concatenate([x, x[:1]])
    return transform(held[:-1], plan, out=held[1:])


def _read_only(x: Array) -> Array:
    """Return the same elements in memory that nobody may write to."""
    return np.frombuffer(x.tobytes(), x.dtype)


def _unaligned(x: Array) -> Array:
    """Return the same elements in memory that begins one byte after where it should."""
    held = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    held[...] = x
    return held


def _into_unaligned(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    return transform(x, plan, out=_unaligned(x))


class Subclass(np.ndarray[Any, Any]):
    """An array that is no plain one."""


NUMBERS = [*map(np.dtype, "bhilBHILefdgFDG")]
KINDS = (
    *NUMBERS,
    *[kind.newbyteorder() for kind in NUMBERS[1:]],
    *map(np.dtype, ("?", "O", "S8", "U2", "m8[s]", "M8[s]", "V8")),
)
"""All of numpy's types, each number in both orders of its bytes."""
MISUSES: dict[str, Misuse] = {
    "an x of one element less": lambda transform, plan, x: transform(x[:-1], plan),
    "an x of two axes": lambda transform, plan, x: transform(x.reshape(1, -1), plan),
    "an out of one element more": lambda transform, plan, x: transform(
        x, plan, out=np.concatenate([x, x[:1]])
    ),
    "an out of two axes": lambda transform, plan, x: transform(
        x, plan, out=x.reshape(1, -1).copy()
    ),
    "an out that is x": lambda transform, plan, x: transform(x, plan, out=x),
    "an out that is a view of x": lambda transform, plan, x: transform(x, plan, out=x[:]),
    "an out that shares elements with x": _overlapping,
    "an out that nobody may write to": lambda transform, plan, x: transform(
        x, plan, out=_read_only(x)
    ),
    "an out that is not aligned": _into_unaligned,
    "an out with a mask": lambda transform, plan, x: transform(
        x, plan, out=np.ma.MaskedArray(x.copy())
    ),
    "an out of a subclass": lambda transform, plan, x: transform(
        x, plan, out=x.copy().view(Subclass)
    ),
}
"""Of arrays of the program's own type."""


def misuses(x: Array) -> dict[str, Misuse]:
    """Return all misuse of a transform of such an x: two arrays of one element share it, or
    nothing, and bytes are always aligned.
    """
    none = ([_overlapping] if len(x) == 1 else []) + (
        [_into_unaligned] if x.dtype.alignment == 1 else []
    )
    others = [kind for kind in KINDS if kind.newbyteorder("=") != x.dtype.newbyteorder("=")]
    return {
        **{words: misuse for words, misuse in MISUSES.items() if misuse not in none},
        **{f"an x of {kind.str}": _given_x(kind) for kind in others},
        **{f"an out of {kind.str}": _given_out(kind) for kind in others},
    }


def _into_gaps(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    """Return what is found in an `out` that is every second element of an array."""
    out = np.zeros(2 * len(x), x.dtype)[::2]
    transform(x, plan, out=out)
    return out.copy()


def _with_bytes_swapped(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    return transform(x.astype(x.dtype.newbyteorder()), plan)


def _of_unaligned(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    return transform(_unaligned(x), plan)


def _into_bytes_swapped(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    out = np.zeros(len(x), x.dtype.newbyteorder())
    transform(x, plan, out=out)
    return out.astype(x.dtype)


TAKEN_OR_REFUSED: dict[str, Misuse] = {
    "an out with gaps in memory": _into_gaps,
    "an x that is not aligned": _of_unaligned,
    "an x of the other byte order": _with_bytes_swapped,
    "an out of the other byte order": _into_bytes_swapped,
}
