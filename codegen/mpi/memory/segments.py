"""The memory of windows, and what is under way to it and from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from codegen.mpi.calls.collectives import Group
from codegen.mpi.calls.transfers import released
from codegen.mpi.faults import CommunicationError, Fault
from codegen.mpi.memory.accesses import Epochs, Log
from codegen.mpi.memory.buffers import Buffer, outgoing, poison, same
from codegen.mpi.memory.holds import Hold
from codegen.mpi.ranks import Call, invalid, unmodelled


class Memory(np.ndarray[Any, Any]):
    """The bytes of a rank's part of a window, which np.frombuffer makes an array of."""

    segment: Segment


@dataclass(eq=False)
class Segment:
    """A rank's part of a window: an array of the program's, or bytes, which may stand for elements
    that are no numpy numbers.
    """

    array: Any
    unit: int
    elements: Any = None
    logged: Callable[[Any], object] | None = None
    allocated: bool = False

    def typed(self, zeros: Callable[[int], Any], itemsize: int) -> Any:
        """Return the elements that the bytes stand for, made when they are first asked for."""
        if self.elements is None:
            self.elements = zeros(self.array.size // itemsize)
            poison(self.elements)
            if self.logged is not None:
                self.logged(self.elements)
        return self.elements

    @property
    def octets(self) -> int:
        """The number of bytes."""
        return int(self.array.size) * int(self.array.dtype.itemsize)

    def place(self, begin: int, count: int, dtype: Any) -> Any:
        """Return `count` elements from byte `begin`, as a view."""
        array = self.array if self.elements is None else self.elements
        flat, size = array.reshape(-1), np.dtype(dtype).itemsize
        if flat.dtype == dtype and begin % size == 0:
            return flat[begin // size : begin // size + count]
        if not isinstance(flat, np.ndarray):
            raise unmodelled(f"elements of {flat.dtype} accessed as {dtype}")
        return flat.view(np.uint8)[begin : begin + count * size].view(dtype)


@dataclass(eq=False)
class Access:
    """A Put or Get that is under way, or done and not yet ordered before others' accesses."""

    call: Call
    origin: int
    target: int
    begin: int
    end: int
    writes: bool
    buffer: Buffer
    place: Any
    before: Any
    holds: list[Hold]
    open: bool = True

    def against(self, other: Access) -> bool:
        """Return whether both use a place that one of them writes, in no order."""
        ordered = self.origin == other.origin and not (self.open and other.open)
        return (
            not ordered
            and (self.writes or other.writes)
            and self.target == other.target
            and self.begin < other.end
            and other.begin < self.end
        )


@dataclass(eq=False)
class Shared:
    """What the ranks of a window have in common."""

    group: Group
    segments: list[Segment]
    shares: bool
    accesses: list[Access] = field(default_factory=list)
    locks: dict[int, dict[int, int]] = field(default_factory=dict)
    waiting: set[int] = field(default_factory=set)
    closed: bool = False
    epochs: Epochs = field(init=False)

    def __post_init__(self) -> None:
        self.epochs = Epochs(self.group.members)
        for owner, segment in enumerate(self.segments if self.shares else ()):
            segment.logged = partial(Log, self.group.world, self.epochs, owner)

    def complete(self, accesses: Iterable[Access]) -> None:
        """Let what is under way arrive; raise CommunicationError where a buffer or a place was
        touched meanwhile.
        """
        pending = [access for access in accesses if access.open]
        for access in pending:
            released(self.group.world, self.group.members[access.origin], access.holds)
            own = (
                same(access.buffer.part(0), access.before)
                if access.writes
                else access.buffer.poisoned(0)
            )
            if not own:
                raise CommunicationError(
                    Fault.LOCAL_CONCURRENCY,
                    f"{access.call}: the buffer was changed before the epoch ended",
                )
            there = Buffer(access.place, (access.place.size,), (0,))
            if not (there.poisoned(0) if access.writes else same(access.place, access.before)):
                raise CommunicationError(
                    Fault.GLOBAL_CONCURRENCY,
                    f"{access.call}: rank {access.target} changed the place before the epoch ended",
                )
        for access in pending:
            if access.writes:
                access.place[...] = outgoing(access.before)
            else:
                access.buffer.put(0, outgoing(access.place))
            access.open = False

    def given_back(self) -> None:
        """Give back the memory that the window has allocated: it holds anything after that."""
        for segment in self.segments:
            if segment.allocated:
                poison(segment.array if segment.elements is None else segment.elements)

    def synchronised(self) -> None:
        """Forget what is done: all ranks know of it."""
        self.epochs.end()
        self.accesses = [access for access in self.accesses if access.open]


def allocated(size: int, unit: int) -> Segment:
    """Return so many bytes that nobody has written."""
    if size < 0:
        raise invalid(f"a window of {size} bytes")
    array = np.zeros(size, np.uint8)
    poison(array)
    return Segment(array, unit, allocated=True)


def bytes_of(segment: Segment) -> Any:
    """Return a rank's part of a window as bytes, a view."""
    if not isinstance(segment.array, np.ndarray):
        raise unmodelled("the bytes of an array of elements")
    memory = segment.array.reshape(-1).view(np.uint8).view(Memory)
    memory.segment = segment
    return memory
