"""Windows of the simulated communicator: memory of one rank that others put into and get from, or
share.

    Fence ... Put, Get ... Fence            Lock(rank) ... Put, Get ... Unlock(rank)            Barrier ... load, store ... Barrier

What is put arrives, and what is got is there, when the epoch ends; until then the places written to
are poisoned. Two accesses to one place between two synchronisations, one of which writes, are
refused: of calls by their places, and of loads and stores of elements, too (accesses.py); of other
numbers because the program is run with the ranks going first in ascending and in descending order,
and both must come to the same (schedules.py).
"""  # noqa: E501

from __future__ import annotations

from typing import Any, Self

from codegen.mpi.calls.collectives import Deliveries, Group, kept
from codegen.mpi.calls.transfers import PROC_NULL, held
from codegen.mpi.causality import ALL, NOBODY
from codegen.mpi.communicator import Base, Collective
from codegen.mpi.faults import CommunicationError, Fault
from codegen.mpi.memory.buffers import poison
from codegen.mpi.memory.datatypes import Datatype
from codegen.mpi.memory.segments import Access, Segment, Shared, allocated, bytes_of
from codegen.mpi.memory.specifications import buffer_of
from codegen.mpi.ranks import Call, invalid, unmodelled, wrong
from codegen.mpi.sealed import Sealed

LOCK_EXCLUSIVE, LOCK_SHARED = 234, 235


class Win(Sealed):
    """One rank's side of a window, as mpi4py's."""

    def __init__(self, comm: Base, shared: Shared, call: Call) -> None:
        self._comm, self._shared = comm, shared
        self._fenced = self._all = self._freed = False
        self._locked: dict[int, None] = {}  # the ranks that this one has locked
        shared.group.world.contexts(call, 1)
        shared.group.world.opened(self, call, Fault.RESOURCE_LEAK)
        shared.group.world.windows.append(call)

    @classmethod
    def Create(cls, memory: Any, disp_unit: int = 1, info: None = None, comm: Any = None) -> Self:
        """Make an array of this rank's a window; collective."""
        return cls._made("Create", Segment(buffer_of(memory).array, disp_unit), comm, False)

    @classmethod
    def Allocate(cls, size: int, disp_unit: int = 1, info: None = None, comm: Any = None) -> Self:
        """Return a window with so many bytes of this rank; collective."""
        return cls._made("Allocate", allocated(size, disp_unit), comm, False)

    @classmethod
    def Allocate_shared(
        cls, size: int, disp_unit: int = 1, info: None = None, comm: Any = None
    ) -> Self:
        """Return a window whose memory all ranks can load from and store to; collective."""
        return cls._made("Allocate_shared", allocated(size, disp_unit), comm, True)

    @classmethod
    def _made(cls, name: str, segment: Segment, comm: Any, shares: bool) -> Self:
        if not isinstance(comm, Base):
            raise unmodelled("a window of one rank alone")
        if segment.unit < 1:
            raise invalid(f"disp_unit {segment.unit}: a unit has at least one byte")
        members = comm._group.members
        if shares and len(set(comm._nodes)) > 1:
            text = "ranks of several nodes: those of one node share memory (Split_type)"
            raise invalid(text)

        def rule(given: list[Any]) -> Deliveries:
            group = Group(comm._group.world, members)
            shared = Shared(group, [one for (one,) in given], shares)
            group.world.sharing.append(shared)
            return kept([shared] * len(given))

        shared = comm._meet(
            Collective(name, rule, (segment,), moves=False, flow=ALL if shares else NOBODY)
        )
        return cls(Base(shared.group, comm.rank), shared, comm._call(f"{name}()"))

    def tomemory(self) -> Any:
        """Return this rank's memory."""
        self._usable()
        return bytes_of(self._shared.segments[self._comm.rank])

    def Shared_query(self, rank: int) -> tuple[Any, int]:
        """Return a rank's memory and its unit."""
        self._usable()
        if not self._shared.shares:
            raise invalid(
                "the memory of this window is not shared: Allocate_shared makes such a one"
            )
        segment = self._shared.segments[self._comm._rank(rank)]
        return bytes_of(segment), segment.unit

    def Fence(self, assertion: int = 0) -> None:
        """End an epoch and begin the next; collective."""
        self._usable()
        if assertion:
            raise unmodelled(f"assertion {assertion}")
        if self._locked:
            raise wrong(Fault.EPOCH_LIFECYCLE, "Fence while a lock is held: Unlock ends its epoch")

        def rule(given: list[Any]) -> Deliveries:
            self._shared.complete(self._shared.accesses)
            self._shared.synchronised()
            return kept([None] * len(given))

        self._shared.epochs.sync(self._comm.rank)  # it is a Sync, a Barrier and a Sync
        self._comm._meet(Collective("Fence", rule, True, moves=False))
        self._shared.epochs.sync(self._comm.rank)
        self._fenced = True

    def Lock(self, rank: int, lock_type: int = LOCK_EXCLUSIVE, assertion: int = 0) -> None:
        """Begin an epoch with one rank, exclusive or shared."""
        self._usable()
        target, me, world = self._comm._rank(rank), self._comm.rank, self._shared.group.world
        if lock_type not in (LOCK_EXCLUSIVE, LOCK_SHARED):
            raise invalid(f"lock type {lock_type}: LOCK_EXCLUSIVE or LOCK_SHARED")
        if target in self._locked or self._all:
            raise wrong(Fault.EPOCH_LIFECYCLE, f"a second lock of rank {target}")
        if (
            any(access.open and access.origin == me for access in self._shared.accesses)
            and not self._locked
        ):
            raise wrong(
                Fault.EPOCH_LIFECYCLE, "Lock before the Fence that ends an epoch with accesses"
            )
        holders = self._shared.locks.setdefault(target, {})
        call = self._comm._call(f"Lock(rank {target})")
        self._shared.waiting.add(call.rank)
        world.wait(
            call, lambda: not holders or lock_type == LOCK_SHARED == next(iter(holders.values()))
        )
        self._shared.waiting.discard(call.rank)
        holders[me], self._locked[target] = lock_type, None

    def Unlock(self, rank: int) -> None:
        """End the epoch with one rank."""
        self._usable()
        target = self._comm._rank(rank)
        if target not in self._locked:
            raise wrong(Fault.EPOCH_LIFECYCLE, f"Unlock of rank {target}, which is not locked")
        self.Flush(target)
        del self._shared.locks[target][self._comm.rank], self._locked[target]
        for rank in sorted(self._shared.waiting):
            self._shared.group.world.wake(rank)

    def Lock_all(self, assertion: int = 0) -> None:
        """Begin an epoch with all ranks, shared."""
        self._usable()
        if self._all or self._locked:
            raise wrong(Fault.EPOCH_LIFECYCLE, "a second lock")
        for rank in range(self._comm.size):
            self.Lock(rank, LOCK_SHARED)
        self._all = True

    def Unlock_all(self) -> None:
        """End the epoch with all ranks."""
        self._usable()
        if not self._all:
            raise wrong(Fault.EPOCH_LIFECYCLE, "Unlock_all without Lock_all")
        self._all = False
        for rank in range(self._comm.size):
            self.Unlock(rank)

    def Flush(self, rank: int) -> None:
        """Let this rank's accesses to another one arrive."""
        self._usable()
        if self._comm._rank(rank) not in self._locked:
            raise wrong(Fault.EPOCH_LIFECYCLE, f"Flush of rank {rank}, which is not locked")
        self._shared.complete(
            access
            for access in self._shared.accesses
            if (access.origin, access.target) == (self._comm.rank, rank)
        )

    def Flush_all(self) -> None:
        """Let all of this rank's accesses arrive."""
        for rank in self._locked:
            self.Flush(rank)

    def Sync(self) -> None:
        """Order loads and stores of this rank; those of several ranks take a Barrier besides."""
        self._usable()
        if not self._locked:
            raise wrong(Fault.EPOCH_LIFECYCLE, "Sync outside of an epoch of Lock or Lock_all")
        self._shared.epochs.sync(self._comm.rank)

    def Put(self, origin: Any, target_rank: int, target: Any = None) -> None:
        """Write into another rank's memory."""
        self._access("Put", origin, target_rank, target, True)

    def Get(self, origin: Any, target_rank: int, target: Any = None) -> None:
        """Read from another rank's memory."""
        self._access("Get", origin, target_rank, target, False)

    def Free(self) -> None:
        """Give the window back; collective."""
        self._usable()
        pending = next(
            (
                access
                for access in self._shared.accesses
                if access.open and access.origin == self._comm.rank
            ),
            None,
        )
        if pending is not None or self._locked:
            raise wrong(
                Fault.EPOCH_LIFECYCLE,
                "Free before the epoch has ended"
                + (f", with {pending.call} under way" if pending else ""),
            )

        def rule(given: list[Any]) -> Deliveries:
            self._shared.given_back()
            return kept([None] * len(given))

        self._comm._meet(Collective("Win.Free", rule, True, moves=False, flow=NOBODY))
        self._freed, self._shared.closed, self._shared.epochs.over = True, True, True
        self._shared.group.world.contexts(self._comm._call("Win.Free()"), -1)
        self._shared.group.world.closed(self)

    def _usable(self) -> None:
        if self._freed:
            raise invalid("the window has been freed")

    def _access(self, name: str, origin: Any, target_rank: int, target: Any, writes: bool) -> None:
        self._usable()
        rank, buffer = self._comm._rank(target_rank, (PROC_NULL,)), buffer_of(origin)
        shared = self._shared
        shared.epochs.refuse_between(self._comm.rank)
        if rank == PROC_NULL:
            return
        if not self._fenced and rank not in self._locked:
            raise wrong(
                Fault.EPOCH_LIFECYCLE,
                f"{name} outside of an epoch: no Fence has come before, and rank {rank} is not"
                " locked",
            )
        count, dtype, segment = buffer.counts[0], buffer.array.dtype, shared.segments[rank]
        begin, end = _extent(segment, target, count, dtype)
        text = f"{name}({count} elements of {dtype}, rank {rank}, from byte {begin})"
        call = self._comm._call(text)
        place = segment.place(begin, count, dtype)
        holds = held(shared.group.world, call, buffer, not writes)
        before = buffer.part(0).copy() if writes else place.copy()
        own, extent = self._comm.rank, (begin, end)
        access = Access(call, own, rank, *extent, writes, buffer, place, before, holds)
        other = next((other for other in shared.accesses if access.against(other)), None)
        if other is not None:
            raise CommunicationError(
                Fault.GLOBAL_CONCURRENCY,
                f"{call}, but {other.call}, with no synchronisation between them",
            )
        shared.accesses.append(access)
        poison(place) if writes else buffer.poison(0)
        sender, receiver = (own, rank) if writes else (rank, own)
        sent = Call(shared.group.members[sender], call.text, call.file, call.line)
        Base(shared.group, sender)._record(sent, ((receiver, count),), before)


def _extent(segment: Segment, target: Any, count: int, dtype: Any) -> tuple[int, int]:
    """Return the bytes of an access; raise CommunicationError where they are not in the window."""
    begin = _displacement(target, count, dtype) * segment.unit
    end = begin + count * dtype.itemsize
    if begin < 0 or end > segment.octets:
        raise invalid(
            f"bytes {begin} to {end} of a window with {segment.octets}: an access lies within the"
            " window"
        )
    return begin, end


def _displacement(target: Any, count: int, dtype: Any) -> int:
    """Return where an access begins, in units of the target; raise CommunicationError unless it has
    as many elements there.
    """
    if target is None or hasattr(target, "__index__"):
        return int(target or 0)
    begin, *rest = target
    kinds = [entry for entry in rest if isinstance(entry, Datatype)]
    if any(kind._derived for kind in kinds):
        raise unmodelled("a derived type at the target")
    counts = [entry for entry in rest if not isinstance(entry, Datatype)]
    if any(kind._dtype != dtype for kind in kinds) or any(number != count for number in counts):
        raise wrong(
            Fault.PARAMETER_MATCHING,
            f"{count} elements of {dtype} here, {rest} at the target: count and type agree",
        )
    return int(begin)
