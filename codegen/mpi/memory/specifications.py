"""How a program says what it sends or where it receives, as mpi4py takes it.

buffer = array | [array, type] | [array, counts] | [array, counts, type] | [array, counts,
displacements, type]

A pair of counts and displacements may stand for the counts. A type is one of MPI's, its code as a
text, or None: that of the array.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from codegen.mpi.memory.buffers import Buffer, Octets
from codegen.mpi.memory.datatypes import Datatype
from codegen.mpi.ranks import invalid, unmodelled

CODES = ("f", "d", "F", "D", "f4", "f8", "c8", "c16", "i", "l", "i4", "i8")
"""Texts that mean the same type to numpy and to mpi4py."""
Opened = tuple[Any, Any, Any, Datatype | None]
"""Array, counts, displacements and type; None where they are left out."""


def buffer_of(specification: Any) -> Buffer:
    """Return the buffer of a message to or from one rank."""
    array, number, begin, kind = _opened(specification, (list, tuple))
    if not all(entry is None or _is_number(entry) for entry in (number, begin)):
        raise unmodelled(
            "the buffer of a message is an array, [array, count] or [array, count, type], not one"
            f" with {[number, begin]}"
        )
    begin = begin or 0
    if kind is None or not kind._derived:
        return _checked(array, (int(array.size) - begin if number is None else number,), (begin,))
    if begin and not kind._extent:
        raise invalid(f"a displacement of {begin} elements of a type that reaches nowhere")
    return _chosen(
        array,
        [kind],
        [_how_many(array, kind) if number is None else number],
        [begin * kind._extent],
    )


def equal_parts(specification: Any, peers: int) -> Buffer:
    """Return the buffer of an Alltoall: the array in equal parts, one for each rank.

    Raises CommunicationError unless the number of ranks divides that of the elements.
    """
    array, count, begin, kind = _opened(specification, (list, tuple))
    if begin is not None or not (count is None or _is_number(count)):
        raise unmodelled(
            "the buffer of equal parts is an array, [array, type] or [array, count, type], not one"
            f" with {[count, begin]}"
        )
    if kind is not None and kind._derived:
        count = _how_many(array, kind) // peers if count is None else count
        return _chosen(
            array, [kind] * peers, [count] * peers, [i * count * kind._extent for i in range(peers)]
        )
    if count is None and array.size % peers:
        raise invalid(f"{array.size} elements among {peers} ranks: every rank gets equally many")
    count = int(array.size) // peers if count is None else count
    return _checked(
        array,
        (count,) * peers,
        tuple(range(0, peers * count, count)) if count > 0 else (0,) * peers,
    )


def parts(specification: Any, peers: int) -> Buffer:
    """Return the buffer of an Alltoallv, [array, counts], [array, (counts, displacements)], or four
    with the type: a pair is a tuple.
    """
    array, counts, gaps, kind = _opened(specification, (tuple,))
    if counts is None or np.ndim(counts) == 0 or (gaps is not None and np.ndim(gaps) == 0):
        raise unmodelled("an Alltoallv whose counts are left to MPI, or one number for all ranks")
    if any(
        np.ndim(entry) != 1 or len(entry) != peers for entry in (counts, gaps) if entry is not None
    ):
        raise invalid(
            f"among {peers} ranks a buffer is an array with {peers} counts and {peers}"
            f" displacements, not {[counts, gaps]}"
        )
    counts = _integers(counts)
    gaps = tuple(int(s) for s in np.cumsum((0, *counts[:-1]))) if gaps is None else _integers(gaps)
    if kind is not None and kind._derived:
        return _chosen(array, [kind] * peers, counts, [gap * kind._extent for gap in gaps])
    return _checked(array, counts, gaps)


def typed_parts(specification: Any, peers: int) -> Buffer:
    """Return the buffer of an Alltoallw: for each rank a type, a count, a displacement in bytes."""
    array, *rest = _entries(specification)
    if len(rest) == 2:
        rest = [*rest[0], rest[1]]
    if len(rest) == 1:
        rest = [[1] * peers, [0] * peers, rest[0]]
    if len(rest) != 3 or any(len(entry) != peers for entry in rest):
        raise invalid(
            f"among {peers} ranks the buffer of an Alltoallw is [array, (counts, displacements),"
            f" types], {peers} of each"
        )
    counts, gaps, kinds = _integers(rest[0]), _integers(rest[1]), rest[2]
    if (
        isinstance(array, Octets)
        or any(gap % array.dtype.itemsize for gap in gaps)
        or not all(isinstance(kind, Datatype) for kind in kinds)
    ):
        raise unmodelled(
            "displacements in bytes within an element, or types that are none of MPI's"
        )
    for kind in kinds:
        _type_of(kind, array)
    return _chosen(array, kinds, counts, [gap // array.dtype.itemsize for gap in gaps])


def _opened(specification: Any, pairs: tuple[type, ...]) -> Opened:
    """Return a specification's parts; a pair of one of these types may stand for the counts."""
    array, *rest = entries = _entries(specification)
    counts: Any = None
    gaps, kind = counts, counts
    if len(rest) == 1:
        counts, kind = (None, rest[0]) if isinstance(rest[0], Datatype | str) else (rest[0], None)
    elif rest:
        counts, *displacements, kind = rest
        gaps = displacements[0] if displacements else None
    if len(entries) > 4 or (not rest and isinstance(specification, list | tuple)):
        raise invalid(
            f"a list of {len(entries)} entries: mpi4py takes an array and one to three more"
        )
    if isinstance(counts, pairs):
        counts, gaps = _pair(counts, gaps)
    _is_sendable(array)
    return array, counts, gaps, _type_of(kind, array)


def _entries(specification: Any) -> list[Any]:
    """Return the array and what stands beside it; raise what is to be said where there is none."""
    entries = list(specification) if isinstance(specification, list | tuple) else [specification]
    if not entries or entries[0] is None:
        if entries[1:] and not np.any(entries[1] if _is_number(entries[1]) else 1):
            raise unmodelled("no array, and a count of 0")
        raise invalid("no buffer is given")
    if not hasattr(entries[0], "flags") or _is_one(entries[0]):
        raise unmodelled(
            f"a buffer of type {type(entries[0]).__name__}: the simulated communicator takes arrays"
        )
    return entries


def _is_one(array: Any) -> bool:
    """Return whether it is no array but a number, which numpy gives flags, too."""
    return isinstance(array, np.generic) or (
        not isinstance(array, Octets) and getattr(array, "scalar", False)
    )


def _pair(counts: Any, gaps: Any) -> Sequence[Any]:
    """Return counts and displacements that were given as one."""
    if len(counts) != 2 or gaps is not None:
        raise invalid(
            f"a tuple is (counts, displacements), this one has {len(counts)} entries, and {gaps}"
            " stands beside it"
        )
    return counts


def _is_sendable(array: Any) -> None:
    """Raise NotModelled where mpi4py has no type of MPI for the elements of an array."""
    dtype = np.dtype(array.dtype)
    if not dtype.isnative or dtype.kind not in "fciub":
        raise unmodelled(
            f"elements of {dtype}, for which mpi4py has no type of MPI: seen as bytes they can be"
            " sent"
        )


def _type_of(kind: Any, array: Any) -> Datatype | None:
    """Return the type of a specification if it is one of MPI's and says more than the array."""
    if isinstance(kind, str):
        if kind not in CODES:
            raise unmodelled(f"the type {kind!r} as a text: known are {', '.join(CODES)}")
        _fits(np.dtype(kind), array)
    elif isinstance(kind, Datatype):
        _fits(kind._usable()._dtype, array)
        return kind
    elif kind is not None:
        raise invalid(
            f"an array with {kind!r} at the end: what comes third is a type, a count and a"
            " displacement are a tuple"
        )
    return None


def _fits(basic: np.dtype[Any], array: Any) -> None:
    """Raise CommunicationError unless this is the type of the array's elements; NotModelled where
    MPI sees their bytes, or halves, all the same.
    """
    if basic == array.dtype:
        return
    text = f"an array of {array.dtype} described as {basic}"
    if basic == np.uint8 or (
        np.dtype(array.dtype).kind == "c" and basic == np.zeros(0, array.dtype).real.dtype
    ):
        raise unmodelled(text)
    raise invalid(f"{text}: the type of a buffer is that of its array")


def _integers(numbers: Any) -> tuple[int, ...]:
    """Return counts or displacements; raise CommunicationError where one is no integer."""
    try:
        return tuple(index(number) for number in numbers)
    except TypeError as error:
        raise invalid(f"counts and displacements are integers: {error}") from error


def _is_number(entry: Any) -> bool:
    return isinstance(entry, int | np.integer)


def _how_many(array: Any, kind: Datatype) -> int:
    """Return how many elements of a derived type an array has, as mpi4py infers it."""
    if not kind._extent or array.size % kind._extent:
        raise invalid(
            f"the count is left out, and {array.size} elements are no multiple of the"
            f" {kind._extent} that the type spans"
        )
    return int(array.size) // kind._extent


def _contiguous(array: Any) -> None:
    if not array.flags.c_contiguous:
        shape = getattr(array, "shape", None)
        if array.flags.f_contiguous:
            raise unmodelled(
                f"an array of shape {shape} that is contiguous in the order of columns"
            )
        raise invalid(
            f"an array of shape {shape} that is not contiguous: MPI needs the elements of a buffer"
            " side by side"
        )


def _chosen(
    array: Any, kinds: Sequence[Datatype], counts: Sequence[int], begins: Sequence[int]
) -> Buffer:
    """Return the buffer of the elements that derived types choose."""
    _contiguous(array)
    if min(counts, default=0) < 0:
        raise invalid(f"a count of {min(counts)}: counts are not negative")
    places = tuple(
        begin + kind._spread(count)
        for kind, count, begin in zip(kinds, counts, begins, strict=True)
    )
    for chosen in places:
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < array.size:
            raise invalid(
                f"elements up to {chosen.max()} from {chosen.min()} on of an array of {array.size}:"
                " a message lies within its buffer"
            )
    return Buffer(array, tuple(len(chosen) for chosen in places), (0,) * len(places), 0, places)


def _checked(array: Any, counts: tuple[int, ...], displacements: tuple[int, ...]) -> Buffer:
    _contiguous(array)
    for count, begin in zip(counts, displacements, strict=True):
        if begin < 0 or count < 0 or begin + count > array.size:
            raise invalid(
                f"elements {begin} to {begin + count} of an array of {array.size}: a message lies"
                " within its buffer"
            )
    return (
        _of_octets(array, counts, displacements)
        if isinstance(array, Octets)
        else Buffer(array, counts, displacements)
    )


def _of_octets(array: Octets, counts: tuple[int, ...], displacements: tuple[int, ...]) -> Buffer:
    """Return the buffer of the elements behind these bytes."""
    size = int(array.elements.itemsize)
    cut = next((number for number in (*counts, *displacements) if number % size), None)
    if cut is not None:
        raise unmodelled(
            f"a message of {cut} bytes of elements of {size}: messages are of whole elements here"
        )
    return Buffer(
        array.elements,
        tuple(count // size for count in counts),
        tuple(begin // size for begin in displacements),
        size,
    )
