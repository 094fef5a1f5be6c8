"""All misuse of a transform, and the uses between: what must be refused, and what may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.certify.arrays.part_axes import orders_of
from proofs.certify.declaration import Declaration
from proofs.certify.failures import Wrong
from proofs.certify.workers import usage
from proofs.certify.workers.on_ranks import shaped

NAME = "contract"
LINE = 64
"""Bytes of a line of the cache."""
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


def pairs_of(beginnings: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of beginnings: each with itself, and with the next.

    >>> [*pairs_of((0, 8))]
    [(0, 0), (8, 8), (0, 8), (8, 0)]
    """
    yield from zip(beginnings, beginnings, strict=True)
    yield from zip(beginnings, (*beginnings[1:], *beginnings[:1]), strict=True)


def _past_a_line(x: Array, octets: int) -> Array:
    """Return the same elements in memory that begins so many bytes past the beginning of a line of
    the cache.
    """
    held = np.zeros(x.nbytes + 2 * LINE, np.uint8)
    begin = -held.ctypes.data % LINE + octets
    part = held[begin : begin + x.nbytes].view(x.dtype)
    part[...] = x
    return part


def beginnings_of(dtype: np.dtype[Any]) -> Sequence[int]:
    """Return where arrays begin, in bytes past a line: as soon after it as the type may, aligned
    for numpy and not for the processor's vectors, and at all numbers of eight.

    >>> beginnings_of(np.dtype("f4")), beginnings_of(np.dtype("c16"))
    ((0, 4, 8, 16, 24, 32, 40, 48, 56), (0, 8, 16, 24, 32, 40, 48, 56))
    """
    return tuple(sorted({dtype.alignment, *range(0, LINE, max(8, dtype.alignment))}))


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
REFUSED = (
    "refused at once are arrays of another shape or type, an out in the memory of x, or that nobody"
    " may write to, is not aligned or no plain array, a freed plan or another program's, other"
    " numbers of ranks, and places of no index; an out with gaps and numbers with their bytes in"
    " the other order are refused, or taken as what they are"
)
PLACES = (
    -1,
    -2,
    0.5,
    2**32,
    2**63 - 1,
    -(2**63),
    *map(np.uint64, (2**32, 2**63, 2**64 - 1)),
    np.int8(-1),
)
"""What is no index of any program, beside what is near N."""


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


def _in_places(before: int, after: int) -> Misuse:
    def use(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
        transform(np.zeros_like(x), plan)  # nothing right is left of the use before
        return transform(_past_a_line(x, before), plan, out=_past_a_line(x, after)).copy()

    return use


def _into_bytes_swapped(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    out = np.zeros(len(x), x.dtype.newbyteorder())
    transform(x, plan, out=out)
    return out.astype(x.dtype)


def _where_errors_raise(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    with np.errstate(all="raise"):
        return transform(x, plan)


def _in_form(form: str) -> Misuse:
    def use(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
        given, held = shaped(x, form)
        before = held.tobytes()
        found = transform(given, plan)
        if held.tobytes() != before:
            raise Wrong(NAME, f"transform changes an x {form}, or what lies between its elements")
        return found

    return use


TAKEN: dict[str, Misuse] = {
    "an x after misuse": lambda transform, plan, x: transform(x, plan),
    "an x where numpy's errors raise": _where_errors_raise,
    **{f"an x {form}": _in_form(form) for form in usage.FORMS},
    "an x once more": lambda transform, plan, x: transform(x, plan),
}
TAKEN_OR_REFUSED: dict[str, Misuse] = {
    "an out with gaps in memory": _into_gaps,
    "an x that is not aligned": _of_unaligned,
    "an x of the other byte order": _with_bytes_swapped,
    "an out of the other byte order": _into_bytes_swapped,
}
USES = {**TAKEN, **TAKEN_OR_REFUSED}


@dataclass(frozen=True)
class Used:
    """A transform with its input or `out` in another order of memory, which may be refused."""

    use: Misuse
    turn: int = 0
    into: int = 0
    is_taken: bool = True


def _into(transform: Callable[..., Any], plan: Any, x: Array) -> Any:
    out = np.zeros_like(x)
    transform(x, plan, out=out)
    return out


def uses(d: Declaration) -> dict[str, Used]:
    """Return all uses of a transform: its arrays of several axes lie in every order of memory."""
    before, after = (range(1, orders_of(axes) + 1) for axes in d.parts_of_ranks)
    return {
        **{words: Used(use, is_taken=words in TAKEN) for words, use in USES.items()},
        **{
            f"an x and an out that begin {one} and {other} bytes past a line of the cache": Used(
                _in_places(one, other)
            )
            for one, other in pairs_of(beginnings_of(d.dtype))
        },
        **{f"an x in order {k} of memory": Used(TAKEN["an x once more"], k) for k in before},
        **{f"an out in order {k} of memory": Used(_into, 0, k, False) for k in after},
    }
