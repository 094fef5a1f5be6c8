"""An MPI communicator without MPI: all P ranks of a program in one process, with the calls of mpi4py.

    run(P, body) calls body(comm) on every rank

Sends are rendezvous: a send completes only when its receive is there, so a program that counts on buffering deadlocks here.
There are no wildcards and no tests for completion, so whatever can happen stays possible and commutes: one run decides every
schedule. Counts and types are strict, the buffer of a pending receive is poisoned, that of a pending send must not change.
What is not modelled raises NotModelled.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import add, mul
from typing import Any, NoReturn, Self

import numpy as np

from codegen.buffers import Buffer, CommunicationError, NotModelled, equal_parts, outgoing, overlap, parts, poison, same, whole
from codegen.ranks import Call, Run, World, call_of, take_turns

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "SUM": add,
    "PROD": mul,
    "MAX": max,
    "MIN": min,
    "LAND": lambda a, b: bool(a and b),
    "LOR": lambda a, b: bool(a or b),
}
"""The reductions by their names in MPI."""


class Aborted(CommunicationError):
    """A rank called Abort."""


def run(size: int, body: Callable[[Comm], Any]) -> Run:
    """Return what body(comm) does on `size` ranks.

    Raises CommunicationError where ranks disagree (Deadlock where none can move), NotModelled for what this communicator does
    not have, and whatever a rank raises, with a note that names the rank.

    >>> run(2, lambda comm: comm.allreduce(comm.rank)).results
    (1, 1)
    """
    members = tuple(range(size))

    def start(world: World, rank: int) -> Any:
        group = groups.setdefault("world", Group(world, members))
        return body(Comm(group, rank))

    groups: dict[str, Group] = {}
    return take_turns(size, start)


@dataclass
class Meeting:
    """One collective call that the ranks of a communicator enter one by one."""

    kind: str
    calls: dict[int, Call] = field(default_factory=dict)
    given: dict[int, Any] = field(default_factory=dict)
    results: Sequence[Any] | None = None


@dataclass
class Group:
    """What the ranks of one communicator share: their meetings in order, and the transfers that wait for their other side."""

    world: World
    members: tuple[int, ...]
    meetings: dict[int, Meeting] = field(default_factory=dict)
    waiting: dict[tuple[int, int], list[Transfer]] = field(default_factory=dict)


@dataclass(eq=False)
class Transfer:
    """One side of a message. `held` is what a send has sent, and what a receive has got."""

    call: Call
    sends: bool
    tag: int | None
    buffer: Buffer
    held: Any = None
    matched: bool = False

    def fits(self, other: Transfer) -> bool:
        """Return whether these are the two sides of one message."""
        return self.sends != other.sends and (self.tag is None or other.tag is None or self.tag == other.tag)


class Request:
    """A pending send or receive, as mpi4py's."""

    def __init__(self, world: World, transfer: Transfer) -> None:
        self._world, self._transfer, self._done = world, transfer, False
        world.opened(self, transfer.call)

    def Wait(self, status: None = None) -> bool:
        """Wait until the message is through; raise CommunicationError if its buffer was touched meanwhile."""
        if not self._done:
            call = self._transfer.call
            self._world.wait(call, lambda: self._transfer.matched)
            _complete(self._transfer)
            self._done = True
            self._world.closed(self)
        return True

    wait = Wait

    @classmethod
    def Waitall(cls, requests: Iterable[Self], statuses: None = None) -> bool:
        """Wait for all of these."""
        return all([request.Wait() for request in requests])

    waitall = Waitall

    def __getattr__(self, name: str) -> NoReturn:
        raise NotModelled(f"Request.{name}: the simulated communicator has no such call")


def _complete(transfer: Transfer) -> None:
    array = transfer.buffer.part(0)
    if transfer.sends:
        if not same(array, transfer.held):
            raise CommunicationError(f"{transfer.call}: the buffer was changed before the send was complete")
        return
    if not _poisoned(array):
        raise CommunicationError(f"{transfer.call}: the buffer was written before the receive was complete")
    array[...] = transfer.held


def _poisoned(array: Any) -> bool:
    fresh = array.copy()
    poison(fresh)
    return same(array, fresh)


class Comm:
    """One rank's communicator, as mpi4py's."""

    def __init__(self, group: Group, rank: int, opened: Call | None = None) -> None:
        self._group, self.rank, self._met, self._opened, self._freed = group, rank, 0, opened, False
        if opened is not None:
            group.world.opened(self, opened)

    @property
    def size(self) -> int:
        """The number of ranks."""
        return len(self._group.members)

    def Get_rank(self) -> int:
        """Return this rank."""
        return self.rank

    def Get_size(self) -> int:
        """Return the number of ranks."""
        return self.size

    def __getattr__(self, name: str) -> NoReturn:
        raise NotModelled(f"Comm.{name}: the simulated communicator has no such call")

    # One rank to another

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        """Begin a send."""
        return self._begin(True, "Isend", whole(buf), dest, tag)

    def Irecv(self, buf: Any, source: int | None = None, tag: int | None = None) -> Request:
        """Begin a receive; the buffer is poisoned until it completes."""
        return self._begin(False, "Irecv", whole(buf), source, tag)

    def Send(self, buf: Any, dest: int, tag: int = 0) -> None:
        """Send; return when the receiver has it."""
        self._begin(True, "Send", whole(buf), dest, tag).Wait()

    def Recv(self, buf: Any, source: int | None = None, tag: int | None = None, status: None = None) -> None:
        """Receive."""
        self._begin(False, "Recv", whole(buf), source, tag).Wait()

    def Sendrecv(
        self,
        sendbuf: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int | None = None,
        recvtag: int | None = None,
        status: None = None,
    ) -> None:
        """Send and receive at once."""
        out, into = whole(sendbuf), whole(recvbuf)
        self._apart("Sendrecv", out, into)
        Request.Waitall([self._begin(True, "Sendrecv", out, dest, sendtag), self._begin(False, "Sendrecv", into, source, recvtag)])

    def Sendrecv_replace(
        self, buf: Any, dest: int, sendtag: int = 0, source: int | None = None, recvtag: int | None = None, status: None = None
    ) -> None:
        """Send, and receive into the same buffer."""
        buffer = whole(buf)
        array = buffer.part(0)
        out = Buffer(array.copy(), buffer.counts, (0,))
        Request.Waitall([self._begin(True, "Sendrecv_replace", out, dest, sendtag), self._begin(False, "Sendrecv_replace", buffer, source, recvtag)])

    def _begin(self, sends: bool, kind: str, buffer: Buffer, peer: int | None, tag: int | None) -> Request:
        self._usable(kind)
        if peer is None or (tag is None and sends):
            raise NotModelled(f"{kind} from any source: the simulated communicator has no wildcards")
        if not 0 <= peer < self.size:
            raise CommunicationError(f"{kind}: rank {peer} of a communicator of {self.size} ranks")
        call = self._call(f"{kind}({'to' if sends else 'from'} {self._name(peer)}, {buffer.describe(0)}, tag {'any' if tag is None else tag})")
        transfer = Transfer(call, sends, tag, buffer)
        if sends:
            transfer.held = outgoing(buffer.part(0))
            self._record(call, ((peer, buffer.counts[0]),), transfer.held)
        else:
            poison(buffer.part(0))
        self._post(transfer, (self.rank, peer) if sends else (peer, self.rank))
        return Request(self._group.world, transfer)

    def _post(self, transfer: Transfer, way: tuple[int, int]) -> None:
        queue = self._group.waiting.setdefault(way, [])
        other = next((other for other in queue if transfer.fits(other)), None)
        if other is None:
            queue.append(transfer)
            return
        queue.remove(other)
        _match(*((transfer, other) if transfer.sends else (other, transfer)))
        self._group.world.wake(other.call.rank)

    # All ranks together

    def Barrier(self) -> None:
        """Wait for all ranks."""
        self._meet("Barrier()", None, lambda given: [None] * len(given))

    def Alltoall(self, sendbuf: Any, recvbuf: Any) -> None:
        """Send part i of the one buffer to rank i, which finds it in part `rank` of the other."""
        out, into = equal_parts(sendbuf, self.size), equal_parts(recvbuf, self.size)
        self._exchange("Alltoall", out, into, _alltoall)

    def Alltoallv(self, sendbuf: Any, recvbuf: Any) -> None:
        """The same with counts and displacements."""
        out, into = parts(sendbuf, self.size), parts(recvbuf, self.size)
        self._exchange("Alltoallv", out, into, _alltoallv)

    def Bcast(self, buf: Any, root: int = 0) -> None:
        """Copy the root's buffer to all ranks."""
        buffer = whole(buf)
        sent = tuple((peer, buffer.counts[0]) for peer in range(self.size)) if self.rank == root else ()
        self._meet(f"Bcast(root {root})", buffer, lambda given: _broadcast(given, root), sent)

    def bcast(self, obj: Any, root: int = 0) -> Any:
        """Return the root's object."""
        return self._meet(f"bcast(root {root})", obj, lambda given: [copy.deepcopy(given[root]) for _ in given])

    def gather(self, sendobj: Any, root: int = 0) -> list[Any] | None:
        """Return the objects of all ranks on the root."""
        gathered: list[Any] | None = self._meet(
            f"gather(root {root})", sendobj, lambda given: [copy.deepcopy(given) if rank == root else None for rank in range(len(given))]
        )
        return gathered

    def allgather(self, sendobj: Any) -> list[Any]:
        """Return the objects of all ranks."""
        gathered: list[Any] = self._meet("allgather()", sendobj, lambda given: [copy.deepcopy(given) for _ in given])
        return gathered

    def allreduce(self, sendobj: Any, op: Callable[[Any, Any], Any] = add) -> Any:
        """Return the sum, or the like, of the objects of all ranks."""
        return self._meet(f"allreduce({getattr(op, '__name__', op)})", sendobj, lambda given: [list(accumulate(given, op))[-1]] * len(given))

    def Split(self, color: int = 0, key: int = 0) -> Comm:
        """Return a communicator of the ranks with this color, in the order of their keys."""
        call = self._call(f"Split(color {color}, key {key})")
        group, rank = self._meet("Split()", (int(color), int(key)), self._split)
        return Comm(group, rank, call)

    def Dup(self) -> Comm:
        """Return another communicator of the same ranks."""
        call = self._call("Dup()")
        group, rank = self._meet("Dup()", (0, self.rank), self._split)
        return Comm(group, rank, call)

    def Free(self) -> None:
        """Give the communicator back."""
        self._usable("Free")
        if self._opened is None:
            raise CommunicationError("Free of the communicator of all ranks: a program frees what it has made")
        self._freed = True
        self._group.world.closed(self)

    def Abort(self, errorcode: int = 0) -> NoReturn:
        """End all ranks."""
        raise Aborted(f"{self._call(f'Abort({errorcode})')}: all ranks end")

    def _split(self, given: list[tuple[int, int]]) -> list[tuple[Group, int]]:
        ranks = sorted(range(len(given)), key=lambda rank: (given[rank], rank))
        found: dict[int, tuple[Group, int]] = {}
        for color in sorted({color for color, _ in given}):
            chosen = [rank for rank in ranks if given[rank][0] == color]
            group = Group(self._group.world, tuple(self._group.members[rank] for rank in chosen))
            found |= {rank: (group, i) for i, rank in enumerate(chosen)}
        return [found[rank] for rank in range(len(given))]

    def _exchange(self, kind: str, out: Buffer, into: Buffer, rule: Callable[[list[Any], list[str]], list[Any]]) -> None:
        self._apart(kind, out, into)
        names = [self._name(rank) for rank in range(self.size)]
        travels = Buffer(outgoing(out.array) if self.size > 1 else out.array.copy(), out.counts, out.displacements)
        self._meet(f"{kind}({out.array.size} elements)", (travels, into), lambda given: rule(given, names), tuple(enumerate(out.counts)), travels.array)

    def _meet(self, text: str, given: Any, rule: Callable[[list[Any]], Any], sent: tuple[tuple[int, int], ...] = (), array: Any = None) -> Any:
        """Enter the next collective call of this communicator; return this rank's result when all ranks have."""
        call, kind = self._call(text), text if "root" in text else text.partition("(")[0]
        self._usable(kind)
        self._record(call, sent, array)
        meeting = self._group.meetings.setdefault(self._met, Meeting(kind))
        if meeting.kind != kind:
            raise CommunicationError(
                f"{call}, but {next(iter(meeting.calls.values()))}: the ranks of a communicator enter its collective calls in one order"
            )
        meeting.calls[self.rank], meeting.given[self.rank] = call, given
        if len(meeting.given) == self.size:
            del self._group.meetings[self._met]
            meeting.results = rule([meeting.given[rank] for rank in range(self.size)])
            for rank in self._group.members:
                self._group.world.wake(rank)
        self._met += 1
        self._group.world.wait(call, lambda: meeting.results is not None)
        assert meeting.results is not None
        return meeting.results[self.rank]

    def _record(self, call: Call, sent: tuple[tuple[int, int], ...], array: Any = None) -> None:
        members = self._group.members
        depth = getattr(array, "depth", 0)
        self._group.world.record(call, members, tuple((members[peer], count) for peer, count in sent), depth)

    def _call(self, text: str) -> Call:
        return call_of(self._group.members[self.rank], text)

    def _name(self, rank: int) -> str:
        return f"rank {self._group.members[rank]}"

    def _apart(self, kind: str, out: Buffer, into: Buffer) -> None:
        if overlap(out.array, into.array):
            raise CommunicationError(f"{self._call(kind)}: the buffers of sent and received elements overlap")

    def _usable(self, kind: str) -> None:
        if self._freed:
            raise CommunicationError(f"{self._call(kind)}: the communicator has been freed")


def _match(send: Transfer, receive: Transfer) -> None:
    """Give the elements to the receive; raise CommunicationError unless count and type agree."""
    if (send.buffer.counts, send.buffer.kind) != (receive.buffer.counts, receive.buffer.kind):
        raise CommunicationError(f"{send.call}, but {receive.call}: count and type of a message agree")
    receive.held = send.held
    send.matched = receive.matched = True


def _alltoall(given: list[tuple[Buffer, Buffer]], names: list[str]) -> list[None]:
    _agree("Alltoall", given, names)
    size = len(given)
    together = np.stack([out.array.reshape(size, -1) for out, _ in given])
    for rank, (_, into) in enumerate(given):
        into.array.reshape(size, -1)[...] = together[:, rank]
    return [None] * size


def _alltoallv(given: list[tuple[Buffer, Buffer]], names: list[str]) -> list[None]:
    _agree("Alltoallv", given, names)
    for rank, (_, into) in enumerate(given):
        for peer, (out, _) in enumerate(given):
            into.part(peer)[...] = out.part(rank)
    return [None] * len(given)


def _agree(kind: str, given: list[tuple[Buffer, Buffer]], names: list[str]) -> None:
    """Raise CommunicationError unless every rank expects what the others send it."""
    counts = np.array([out.counts for out, _ in given]), np.array([into.counts for _, into in given]).T
    kinds = [(out.kind, into.kind) for out, into in given]
    wrong = np.argwhere(counts[0] != counts[1]).tolist()
    wrong += [(i, j) for i, (sent, _) in enumerate(kinds) for j, (_, wanted) in enumerate(kinds) if sent != wanted] if len({*sum(kinds, ())}) > 1 else []
    if wrong:
        i, j = wrong[0]
        sent, wanted = given[i][0].describe(j), given[j][1].describe(i)
        raise CommunicationError(f"{kind}: {names[i]} sends {sent} to {names[j]}, which expects {wanted}: count and type agree")


def _broadcast(given: list[Buffer], root: int) -> list[None]:
    for buffer in given:
        if (buffer.counts, buffer.kind) != (given[root].counts, given[root].kind):
            raise CommunicationError(f"Bcast of {given[root].describe(0)} into {buffer.describe(0)}: count and type agree")
        if buffer is not given[root]:
            buffer.part(0)[...] = outgoing(given[root].part(0))
    return [None] * len(given)
