"""How a program says what it sends or where it receives, as mpi4py takes it.

buffer = array | [array, type] | [array, counts] | [array, (counts, displacements)] | [array, counts, displacements, type]
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from codegen.mpi.buffers import Buffer, Octets
from codegen.mpi.datatypes import Datatype
from codegen.mpi.faults import Fault
from codegen.mpi.ranks import unmodelled, wrong


def whole(specification: Any) -> Buffer:
    """Return the buffer of a message to or from one rank."""
    array, *rest = _opened(specification)
    entries = len(rest)
    kind = _type_of(rest, array)
    _third_is_a_type(rest, entries)
    paired = len(rest) == 1 and isinstance(rest[0], list | tuple)
    numbers = list(rest[0]) if paired else list(rest)
    if len(numbers) > 2 or (paired and len(numbers) != 2) or not all(_is_number(number) for number in numbers):
        raise unmodelled(f"the buffer of a message is an array, [array, count] or [array, count, type], not one with {rest}")
    begin = numbers[1] if len(numbers) == 2 else 0
    if kind is None or not kind.derived:
        return _checked(array, (numbers[0] if numbers else int(array.size) - begin,), (begin,))
    count = numbers[0] if numbers else _how_many(array, kind)
    return _chosen(array, [kind], [count], [begin * kind.reach])


def equal_parts(specification: Any, peers: int) -> Buffer:
    """Return the buffer of an Alltoall: the array in equal parts, one for each rank.

    Raises CommunicationError unless the number of ranks divides that of the elements.
    """
    array, *rest = _opened(specification)
    kind = _type_of(rest, array)
    if rest and not (len(rest) == 1 and _is_number(rest[0])):
        raise unmodelled(f"the buffer of equal parts is an array, [array, type] or [array, count, type], not one with {rest}")
    if kind is not None and kind.derived:
        count = rest[0] if rest else _how_many(array, kind) // peers
        return _chosen(array, [kind] * peers, [count] * peers, [i * count * kind.reach for i in range(peers)])
    if not rest and array.size % peers:
        raise wrong(Fault.INVALID_PARAMETER, f"{array.size} elements among {peers} ranks: every rank gets equally many")
    count = rest[0] if rest else int(array.size) // peers
    return _checked(array, (count,) * peers, tuple(range(0, peers * count, count)) if count > 0 else (0,) * peers)


def parts(specification: Any, peers: int) -> Buffer:
    """Return the buffer of an Alltoallv, [array, counts], [array, (counts, displacements)], or four with the type: a pair is a tuple."""
    array, *rest = _opened(specification)
    entries = len(rest)
    kind = _type_of(rest, array)
    _third_is_a_type(rest, entries)
    if len(rest) == 1 and isinstance(rest[0], tuple):
        rest = list(rest[0])
        if len(rest) != 2:
            raise wrong(Fault.INVALID_PARAMETER, f"a tuple is (counts, displacements), this one has {len(rest)} entries")
    if not rest or any(entry is None or np.ndim(entry) == 0 for entry in rest):
        raise unmodelled("an Alltoallv whose counts are left to MPI, or one number for all ranks")
    if len(rest) > 2 or any(np.ndim(entry) != 1 or len(entry) != peers for entry in rest):
        raise wrong(Fault.INVALID_PARAMETER, f"among {peers} ranks a buffer is an array with {peers} counts and {peers} displacements, not {rest}")
    counts = _integers(rest[0])
    gaps = _integers(rest[1]) if len(rest) == 2 else tuple(int(s) for s in np.cumsum((0, *counts[:-1])))
    if kind is not None and kind.derived:
        return _chosen(array, [kind] * peers, counts, [gap * kind.reach for gap in gaps])
    return _checked(array, counts, gaps)


def typed_parts(specification: Any, peers: int) -> Buffer:
    """Return the buffer of an Alltoallw: a type for each rank, with a count and a displacement in bytes."""
    array, *rest = _opened(specification)
    if len(rest) == 2:
        rest = [*rest[0], rest[1]]
    if len(rest) == 1:
        rest = [[1] * peers, [0] * peers, rest[0]]
    if len(rest) != 3 or any(len(entry) != peers for entry in rest):
        raise wrong(
            Fault.INVALID_PARAMETER, f"among {peers} ranks the buffer of an Alltoallw is [array, (counts, displacements), types], {peers} of each"
        )
    counts, gaps, kinds = _integers(rest[0]), _integers(rest[1]), rest[2]
    if isinstance(array, Octets) or any(gap % array.dtype.itemsize for gap in gaps):
        raise unmodelled("displacements in bytes within an element")
    for kind in kinds:
        _fits(kind, array)
    return _chosen(array, kinds, counts, [gap // array.dtype.itemsize for gap in gaps])


def _opened(specification: Any) -> list[Any]:
    entries = list(specification) if isinstance(specification, list | tuple) else [specification]
    if not entries or entries[0] is None:
        raise wrong(Fault.INVALID_PARAMETER, "no buffer is given")
    if not hasattr(entries[0], "flags"):
        raise unmodelled(f"a buffer of type {type(entries[0]).__name__}: the simulated communicator takes arrays")
    return entries


def _type_of(entries: list[Any], array: Any) -> Datatype | None:
    """Take the type out of a specification, if it ends in one."""
    if not entries or not isinstance(entries[-1], Datatype | np.dtype):
        return None
    kind = entries.pop()
    _fits(kind, array)
    return kind if isinstance(kind, Datatype) else None


def _fits(kind: Datatype | np.dtype[Any], array: Any) -> None:
    """Raise CommunicationError unless this is a type of the array's elements, ready for use."""
    basic = kind.usable().dtype if isinstance(kind, Datatype) else kind
    if basic != array.dtype:
        raise wrong(Fault.INVALID_PARAMETER, f"an array of {array.dtype} described as {basic}: the type of a buffer is that of its array")


def _third_is_a_type(rest: list[Any], entries: int) -> None:
    """Raise CommunicationError where three entries end in a number: mpi4py takes the last of three for a type."""
    if entries == 2 and len(rest) == 2:
        raise wrong(Fault.INVALID_PARAMETER, f"an array with {rest}: what comes third is a type, a count and a displacement are a tuple")


def _integers(numbers: Any) -> tuple[int, ...]:
    """Return counts or displacements; raise CommunicationError where one is no integer."""
    try:
        return tuple(index(number) for number in numbers)
    except TypeError as error:
        raise wrong(Fault.INVALID_PARAMETER, f"counts and displacements are integers: {error}") from error


def _is_number(entry: Any) -> bool:
    return isinstance(entry, int | np.integer)


def _how_many(array: Any, kind: Datatype) -> int:
    """Return how many elements of a derived type an array has, as mpi4py infers it."""
    if not kind.reach or array.size % kind.reach:
        raise wrong(
            Fault.INVALID_PARAMETER, f"the count is left out, and {array.size} elements are no multiple of the {kind.reach} that the type spans"
        )
    return int(array.size) // kind.reach


def _contiguous(array: Any) -> None:
    if not array.flags.c_contiguous:
        shape = getattr(array, "shape", None)
        raise wrong(Fault.INVALID_PARAMETER, f"an array of shape {shape} that is not contiguous: MPI needs the elements of a buffer side by side")


def _chosen(array: Any, kinds: Sequence[Datatype], counts: Sequence[int], begins: Sequence[int]) -> Buffer:
    """Return the buffer of the elements that derived types choose."""
    _contiguous(array)
    if min(counts, default=0) < 0:
        raise wrong(Fault.INVALID_PARAMETER, f"a count of {min(counts)}: counts are not negative")
    places = tuple(begin + kind.spread(count) for kind, count, begin in zip(kinds, counts, begins, strict=True))
    for chosen in places:
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < array.size:
            raise wrong(Fault.INVALID_PARAMETER, f"elements up to {chosen.max()} of an array of {array.size}: a message lies within its buffer")
    return Buffer(array, tuple(len(chosen) for chosen in places), (0,) * len(places), 0, places)


def _checked(array: Any, counts: tuple[int, ...], displacements: tuple[int, ...]) -> Buffer:
    _contiguous(array)
    for count, begin in zip(counts, displacements, strict=True):
        if begin < 0 or count < 0 or begin + count > array.size:
            raise wrong(Fault.INVALID_PARAMETER, f"elements {begin} to {begin + count} of an array of {array.size}: a message lies within its buffer")
    return _of_octets(array, counts, displacements) if isinstance(array, Octets) else Buffer(array, counts, displacements)


def _of_octets(array: Octets, counts: tuple[int, ...], displacements: tuple[int, ...]) -> Buffer:
    """Return the buffer of the elements behind these bytes."""
    size = int(array.elements.itemsize)
    cut = next((number for number in (*counts, *displacements) if number % size), None)
    if cut is not None:
        raise unmodelled(f"a message of {cut} bytes of elements of {size}: messages are of whole elements here")
    return Buffer(array.elements, tuple(count // size for count in counts), tuple(begin // size for begin in displacements), size)
