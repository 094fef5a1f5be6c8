"""An MPI communicator without MPI: all P ranks of a program in one process, with the calls of mpi4py.

    run(P, body) calls body(comm) on every rank

Sends are rendezvous: a send completes only when its receive is there, so a program that counts on buffering deadlocks here.
There are no wildcards and no tests for completion, so whatever can happen stays possible and commutes: one run decides every
schedule. Counts and types are strict, the buffer of a pending receive is poisoned, that of a pending send must not change.
What is not modelled raises NotModelled.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import add, mul
from typing import Any, NoReturn

import numpy as np

from codegen.buffers import Buffer, CommunicationError, NotModelled, equal_parts, outgoing, overlap, parts, poison, whole
from codegen.collectives import Group, Meeting, alltoall, alltoallv, broadcast, gathered, reduced, split
from codegen.ranks import Call, Run, World, call_of, take_turns
from codegen.transfers import Request, Transfer, match

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "SUM": add,
    "PROD": mul,
    "MAX": max,
    "MIN": min,
    "LAND": lambda a, b: bool(a and b),
    "LOR": lambda a, b: bool(a or b),
}
"""The reductions by their names in MPI."""


TYPES = {
    "DOUBLE_COMPLEX": np.dtype("complex128"),
    "C_DOUBLE_COMPLEX": np.dtype("complex128"),
    "COMPLEX": np.dtype("complex64"),
    "C_FLOAT_COMPLEX": np.dtype("complex64"),
    "DOUBLE": np.dtype("float64"),
    "FLOAT": np.dtype("float32"),
    "BYTE": np.dtype("uint8"),
}
"""The types of elements by their names in MPI."""


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
        out = Buffer(array.copy(), buffer.counts, (0,), buffer.octets)
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
            transfer.held = buffer.part(0).copy()
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
        match(*((transfer, other) if transfer.sends else (other, transfer)))
        self._group.world.wake(other.call.rank)

    def Barrier(self) -> None:
        """Wait for all ranks."""
        self._meet("Barrier()", None, lambda given: [None] * len(given))

    def Alltoall(self, sendbuf: Any, recvbuf: Any) -> None:
        """Send part i of the one buffer to rank i, which finds it in part `rank` of the other."""
        out, into = equal_parts(sendbuf, self.size), equal_parts(recvbuf, self.size)
        self._exchange("Alltoall", out, into, alltoall)

    def Alltoallv(self, sendbuf: Any, recvbuf: Any) -> None:
        """The same with counts and displacements."""
        out, into = parts(sendbuf, self.size), parts(recvbuf, self.size)
        self._exchange("Alltoallv", out, into, alltoallv)

    def Bcast(self, buf: Any, root: int = 0) -> None:
        """Copy the root's buffer to all ranks."""
        buffer = whole(buf)
        sent = tuple((peer, buffer.counts[0]) for peer in range(self.size)) if self.rank == root else ()
        self._meet(f"Bcast(root {root})", buffer, lambda given: broadcast(given, root), sent)

    def bcast(self, obj: Any, root: int = 0) -> Any:
        """Return the root's object."""
        return self._meet(f"bcast(root {root})", obj, lambda given: [copy.deepcopy(given[root]) for _ in given])

    def gather(self, sendobj: Any, root: int = 0) -> list[Any] | None:
        """Return the objects of all ranks on the root."""
        objects: list[Any] | None = self._meet(f"gather(root {root})", sendobj, lambda given: gathered(given, [root]))
        return objects

    def allgather(self, sendobj: Any) -> list[Any]:
        """Return the objects of all ranks."""
        objects: list[Any] = self._meet("allgather()", sendobj, lambda given: gathered(given, range(len(given))))
        return objects

    def allreduce(self, sendobj: Any, op: Callable[[Any, Any], Any] = add) -> Any:
        """Return the sum, or the like, of the objects of all ranks."""
        return self._meet(f"allreduce({getattr(op, '__name__', op)})", sendobj, lambda given: reduced(given, op))

    def Split(self, color: int = 0, key: int = 0) -> Comm:
        """Return a communicator of the ranks with this color, in the order of their keys."""
        call = self._call(f"Split(color {color}, key {key})")
        group, rank = self._meet("Split()", (int(color), int(key)), partial(split, self._group))
        return Comm(group, rank, call)

    def Dup(self) -> Comm:
        """Return another communicator of the same ranks."""
        call = self._call("Dup()")
        group, rank = self._meet("Dup()", (0, self.rank), partial(split, self._group))
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

    def _exchange(self, kind: str, out: Buffer, into: Buffer, rule: Callable[[list[Any], list[str]], list[Any]]) -> None:
        self._apart(kind, out, into)
        names = [self._name(rank) for rank in range(self.size)]
        alone = self.size == 1
        travels = replace(out, array=out.array.copy() if alone else outgoing(out.array))
        self._meet(
            f"{kind}({out.array.size * (out.octets or 1)} elements)",
            (travels, into),
            lambda given: rule(given, names),
            tuple(enumerate(out.counts)),
            None if alone else out.array,
        )

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
        """Add an operation to the trace that sends this array, if any."""
        members = self._group.members
        depth = array.depth + 1 if hasattr(array, "depth") else 0
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


class MPI:
    """What a program finds as `mpi4py.MPI`: requests, types and reductions, and no communicator of its own."""

    Request, Comm, Intracomm = Request, Comm, Comm
    ANY_SOURCE = ANY_TAG = None

    def __getattr__(self, name: str) -> Any:
        known = TYPES | OPERATORS
        if name not in known:
            raise NotModelled(f"MPI.{name}: the simulated MPI has no such name")
        return known[name]
