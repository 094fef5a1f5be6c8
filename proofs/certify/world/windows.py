"""Shared windows: memory of each rank that all ranks of a node load from and store to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from proofs.certify.exact.data import Data, unwrite
from proofs.certify.exact.items import owner
from proofs.certify.language.table_entries import Undecided
from proofs.certify.world.base import Base
from proofs.certify.world.collectives import Collective, Deliveries, Group, each, nothing
from proofs.certify.world.communicator import Comm
from proofs.certify.world.faults import Fault
from proofs.certify.world.hub import Call, Hub
from proofs.certify.world.memory.accesses import Accesses, Epochs


class Segment:
    """A rank's part of a window: bytes, or the data that they stand for."""

    def __init__(self, size: int, unit: int) -> None:
        self.size, self.unit = size, unit
        self.octets = np.full(size, 0xFF, np.uint8)
        self.data: Data | None = None


class Shared:
    """What the ranks of a window have in common."""

    def __init__(self, world: Hub, members: tuple[int, ...], segments: list[Segment]) -> None:
        self.world, self.members, self.segments = world, members, segments
        self.group = Group(world, members)
        self.epochs = Epochs(members)
        self.logs: dict[int, Accesses] = {}
        """Who used the data of a segment, by the array that has their memory."""
        world.windows.append(self)

    def data(self, rank: int) -> Data:
        """Return the data of a rank's segment, made when they are first asked for."""
        segment, space = self.segments[rank], self.world.space
        assert space is not None
        if segment.data is None:
            items = space.unwritten(segment.size // space.dtype.itemsize, space.dtype)
            segment.data = Data(items, space.dtype, space)
            self.logs[id(items)] = Accesses(self.world, self.epochs, rank, segment.data)
        return segment.data

    def touched(self, rank: int, data: Data, writes: bool, index: Any) -> None:
        """Note an access of a rank to data, if they are of this window."""
        log = self.logs.get(id(owner(data.items)))
        if log is not None:
            log.used(rank, data, writes, index)

    def met(self, members: Sequence[int], what: Collective) -> None:
        """Note a collective call of these ranks."""
        if what.orders and set(self.members) <= set(members):
            self.end()
        elif what.orders or what.moves:
            self.unordered()

    def unordered(self) -> None:
        """Note a call that orders some ranks only."""
        self.epochs.disorder = True

    def end(self) -> None:
        """End the epoch."""
        for log in self.logs.values():
            log.end()
        self.epochs.end()

    def freed(self) -> None:
        """Give the memory back: nobody may use it after that."""
        self.epochs.over = True
        for segment in self.segments:
            segment.octets[...] = 0xFF
            if segment.data is not None:
                unwrite(segment.data)


class Memory:
    """A rank's memory of a window, which np.frombuffer makes an array of."""

    def __init__(self, shared: Shared, rank: int) -> None:
        self.shared, self.rank = shared, rank

    def array(self, dtype: DTypeLike, count: int, offset: int) -> Any:
        """Return elements from this byte on, a view of the memory."""
        kind, space = np.dtype(dtype), self.shared.world.space
        segment = self.shared.segments[self.rank]
        size, world = kind.itemsize, self.shared.world
        most = (segment.size - offset) // size
        if offset < 0 or (count < 0 and (segment.size - offset) % size) or count > most:
            words = f"{count} elements of {kind} from byte {offset} on of {segment.size} bytes"
            raise world.wrong(Fault.INVALID_PARAMETER, words)
        count = most if count < 0 else count
        if space is None:
            return segment.octets[offset : offset + count * size].view(kind)
        whole: Any = self.shared.data(self.rank)
        if kind != space.dtype:
            whole = whole.view(kind)
        if offset % size or not isinstance(whole, Data):
            raise Undecided(f"memory of {space.dtype} seen as {kind} from byte {offset} on")
        return whole[offset // size : offset // size + count]


def from_buffer(
    buffer: Any, dtype: DTypeLike = float, count: int = -1, offset: int = 0
) -> Data | NDArray[Any]:
    """Return np.frombuffer of a rank's memory."""
    if not isinstance(buffer, Memory):
        raise Undecided(f"np.frombuffer of {type(buffer).__name__}: in the language of a window")
    return buffer.array(dtype, count, offset)


def array_of(
    shape: Any, dtype: DTypeLike = float, buffer: Any = None, offset: int = 0
) -> Data | NDArray[Any]:
    """Return np.ndarray with a rank's memory as its buffer."""
    if not isinstance(buffer, Memory):
        raise Undecided("np.ndarray without the memory of a window: use np.empty")
    count = int(np.prod(shape))
    return buffer.array(dtype, count, offset).reshape(shape)


class Window(Base):
    """One rank's side of a window."""

    def __init__(self, shared: Shared, rank: int, call: Call) -> None:
        super().__init__(shared.group, rank, call)
        self.shared, self.locked = shared, False

    def __eq__(self, other: object) -> bool:
        """Return whether both are one window; a freed one is WIN_NULL, as in mpi4py."""
        return self is other or (isinstance(other, Window) and not self and not other)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return not self.freed

    @property
    def mine(self) -> Data | None:
        """This rank's data in the window."""
        return self.shared.segments[self.own].data

    def _called(self, text: str) -> None:
        self.world.call(text)
        self.usable()

    def tomemory(self) -> Memory:
        """Return this rank's memory."""
        self.usable()
        return Memory(self.shared, self.own)

    def Shared_query(self, rank: int) -> tuple[Memory, int]:
        """Return a rank's memory and its unit."""
        found = self.peer(rank)
        return Memory(self.shared, found), self.shared.segments[found].unit

    def Lock_all(self, assertion: int = 0) -> None:
        """Begin an epoch with all ranks."""
        self._called("Lock_all()")
        if self.locked:
            raise self.wrong("a second Lock_all", Fault.EPOCH_LIFECYCLE)
        self.locked = True

    def Unlock_all(self) -> None:
        """End the epoch with all ranks."""
        self._called("Unlock_all()")
        if not self.locked:
            raise self.wrong("Unlock_all without Lock_all", Fault.EPOCH_LIFECYCLE)
        self.locked = False

    def Sync(self) -> None:
        """Order loads and stores of this rank; those of several ranks take a Barrier besides."""
        self._called("Sync()")
        if not self.locked:
            raise self.wrong("Sync outside of an epoch of Lock_all", Fault.EPOCH_LIFECYCLE)
        self.shared.epochs.sync(self.own)

    def Fence(self, assertion: int = 0) -> None:
        """End an epoch and begin the next: a Sync, a Barrier and a Sync."""
        self.usable()
        if assertion:
            raise Undecided(f"Fence with assertion {assertion}")
        if self.locked:
            raise self.wrong("Fence while the window is locked", Fault.EPOCH_LIFECYCLE)

        def rule(given: list[Any]) -> Deliveries:
            self.shared.end()
            return nothing(given)

        self.shared.epochs.sync(self.own)
        self.meet(Collective("Fence", rule, True))
        self.shared.epochs.sync(self.own)

    def Free(self) -> None:
        """Give the window back; collective."""
        self.usable()
        if self.locked:
            raise self.wrong("Free while the window is locked", Fault.EPOCH_LIFECYCLE)

        def rule(given: list[Any]) -> Deliveries:
            self.shared.freed()
            return nothing(given)

        self.meet(Collective("Win.Free", rule, True))
        self.close()


def allocate_shared(
    size: int, disp_unit: int = 1, info: None = None, comm: Comm | None = None
) -> Window:
    """Return a window of so many bytes of this rank, which all ranks share; collective."""
    if not isinstance(comm, Comm) or info is not None:
        raise Undecided("Win.Allocate_shared without a communicator, or with an info")
    comm.usable()
    world, members = comm.world, comm.group.members
    if int(size) < 0 or int(disp_unit) < 1:
        raise comm.wrong(f"a window of {size} bytes with units of {disp_unit}")
    if len({world.nodes[member] for member in members}) > 1:
        raise comm.wrong("ranks of several nodes share no memory: Split_type gives those of a node")
    call = world.call("Allocate_shared()")

    def rule(given: list[Any]) -> Deliveries:
        shared = Shared(world, members, [Segment(*one) for one in given])
        return each([shared] * len(given))

    given = int(size), int(disp_unit)
    shared = comm.meet(Collective("Allocate_shared", rule, given, orders=True))
    return Window(shared, comm.own, call)
