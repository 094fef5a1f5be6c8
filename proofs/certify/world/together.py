"""The collective calls of mpi4py: of buffers, waiting and not, and of small Python values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from proofs.certify.language.table_entries import Undecided, kind_of
from proofs.certify.world.base import Base
from proofs.certify.world.collectives import (
    Collective,
    Deliveries,
    Entry,
    all_to_all,
    copied,
    copies,
    each,
    reduced,
    route,
)
from proofs.certify.world.memory.message_buffers import IN_PLACE, Buffer, Reader, names_bytes
from proofs.certify.world.message_requests import Request
from proofs.certify.world.reductions import SUM, Op

Read = Callable[..., Buffer]


def _stays(buffer: Any) -> bool:
    """Return whether a buffer is where the other one is: mpi4py takes None for IN_PLACE."""
    return buffer is None or buffer is IN_PLACE


def _forms(
    name: str, begin: Callable[..., Collective], *fixed: Any
) -> tuple[Callable[..., None], Callable[..., Request]]:
    """Return the collective call of this name that waits, and the one that returns a request."""

    def waits(self: Base, *given: Any, **named: Any) -> None:
        self.meet(begin(self, name, *fixed, *given, **named))

    def returns(self: Base, *given: Any, **named: Any) -> Request:
        what = begin(self, name, *fixed, *given, **named)
        what = replace(what, name=f"I{name.lower()}", orders=False)
        return Request(self.world, self.enter(what, waits=False))

    return waits, returns


def _barrier(self: Base, name: str) -> Collective:
    return Collective(name, lambda given: each([None] * self.size), True, orders=True, moves=False)


def _bcast(self: Base, name: str, buf: Any, root: int = 0) -> Collective:
    root = self.peer(root)
    mine = self.rank == root
    buffer = self.reader.whole(buf, receives=not mine)
    members = self.group.members
    return Collective(
        name,
        lambda given: route(given, lambda j: () if j == root else [(0, root, 0)], members),
        out=buffer if mine else None,
        into=None if mine else buffer,
        sent=_to_all(self, buffer) if mine else (),
        terms=(("root", root),),
        moves=buffer.counts[0] > 0,
    )


def _to_root(
    self: Base, name: str, read: Read, sendbuf: Any, recvbuf: Any, root: int = 0
) -> Collective:
    root = self.peer(root)
    into = read(self.reader, recvbuf, self.size, True) if root == self.rank else None
    stays = into is not None and _stays(sendbuf)
    out = _own_part(self, into) if into and stays else self.reader.whole(sendbuf)
    members = self.group.members
    ways = lambda j: ((i, i, 0) for i in range(self.size) if j == root)  # noqa: E731
    return Collective(
        name,
        lambda given: route(given, ways, members),
        out=out,
        into=into,
        sent=((root, out.counts[0]),),
        terms=(("root", root),),
        moves=sum((into or out).counts) > 0,
    )


def _from_root(
    self: Base, name: str, read: Read, sendbuf: Any, recvbuf: Any, root: int = 0
) -> Collective:
    root = self.peer(root)
    out = read(self.reader, sendbuf, self.size) if root == self.rank else None
    into = None if out and _stays(recvbuf) else self.reader.whole(recvbuf, True)
    members = self.group.members

    def rule(given: list[Entry]) -> Deliveries:
        return route(given, lambda j: [(0, root, j)] if given[j].into else [], members)

    return Collective(
        name,
        rule,
        out=out,
        into=into,
        sent=tuple(enumerate(out.counts)) if out else (),
        terms=(("root", root),),
        moves=any(sum(buffer.counts) > 0 for buffer in (out, into) if buffer),
    )


def _from_all(self: Base, name: str, read: Read, sendbuf: Any, recvbuf: Any) -> Collective:
    into = read(self.reader, recvbuf, self.size, True)
    out = _own_part(self, into) if _stays(sendbuf) else self.reader.whole(sendbuf)
    members = self.group.members
    ways = lambda j: ((i, i, 0) for i in range(self.size))  # noqa: E731
    return Collective(
        name,
        lambda given: route(given, ways, members),
        out=out,
        into=into,
        sent=_to_all(self, out),
        orders=name == "Allgather" and out.counts[0] > 0,
        moves=sum(into.counts) > 0,
    )


def _own_part(self: Base, into: Buffer) -> Buffer:
    """Return what a rank sends that has it where it is received."""
    cells = into.part(self.rank)
    return Buffer(into.array, cells, (into.counts[self.rank],), (0,), into.octets).alone()


def _exchange(self: Base, name: str, read: Read, sendbuf: Any, recvbuf: Any) -> Collective:
    into = read(self.reader, recvbuf, self.size, True)
    out = into.alone() if _stays(sendbuf) else read(self.reader, sendbuf, self.size)
    members = self.group.members
    return Collective(
        name,
        lambda given: all_to_all(given, members),
        out=out,
        into=into,
        sent=tuple(enumerate(out.counts)),
        orders=name == "Alltoall" and out.counts[0] > 0,
        moves=sum(out.counts) + sum(into.counts) > 0,
    )


def _reduce(
    self: Base, name: str, sendbuf: Any, recvbuf: Any, op: Any = SUM, root: int = 0
) -> Collective:
    root = self.peer(root)
    into = self.reader.whole(recvbuf, True) if root == self.rank else None
    given = sendbuf, recvbuf
    what = _reduction(self, name, given, into, op, lambda rank: rank == root)
    assert what.out is not None
    sent = ((root, what.out.counts[0]),)
    return replace(what, sent=sent, terms=(("root", root), *what.terms), orders=False)


def _allreduce(self: Base, name: str, sendbuf: Any, recvbuf: Any, op: Any = SUM) -> Collective:
    into = self.reader.whole(recvbuf, True)
    what = _reduction(self, name, (sendbuf, recvbuf), into, op, lambda rank: True)
    assert what.out is not None
    return replace(what, sent=_to_all(self, what.out))


def _reduction(
    self: Base,
    name: str,
    given: tuple[Any, Any],
    into: Buffer | None,
    op: Any,
    wanted: Callable[[int], bool],
) -> Collective:
    out = into.alone() if into and _stays(given[0]) else self.reader.whole(given[0])
    if not isinstance(op, Op):
        raise self.wrong(f"{op!r} in place of an operator of MPI")
    if not op.bitwise and any(map(names_bytes, given)):
        raise self.wrong(f"MPI.{op.name} of MPI.BYTE: that has BAND, BOR and BXOR alone")
    combined, members = op.of(out.array), self.group.members
    if combined is None:
        raise self.wrong(f"MPI.{op.name} of {out.array.dtype}: it takes {op.takes}")
    moves = out.counts[0] > 0
    return Collective(
        name,
        lambda given: reduced(given, combined, wanted, members),
        out=out,
        into=into,
        terms=(("operator", op.name),),
        orders=moves,
        moves=moves,
    )


def _to_all(self: Base, out: Buffer) -> tuple[tuple[int, int], ...]:
    return tuple((peer, out.counts[0]) for peer in range(self.size))


class Together(Base):
    """The collective calls of mpi4py."""

    Barrier, _ = _forms("Barrier", _barrier)
    Bcast, Ibcast = _forms("Bcast", _bcast)
    Gather, Igather = _forms("Gather", _to_root, Reader.equal)
    Gatherv, Igatherv = _forms("Gatherv", _to_root, Reader.parts)
    Scatter, Iscatter = _forms("Scatter", _from_root, Reader.equal)
    Scatterv, Iscatterv = _forms("Scatterv", _from_root, Reader.parts)
    Allgather, Iallgather = _forms("Allgather", _from_all, Reader.equal)
    Allgatherv, Iallgatherv = _forms("Allgatherv", _from_all, Reader.parts)
    Alltoall, Ialltoall = _forms("Alltoall", _exchange, Reader.equal)
    Alltoallv, Ialltoallv = _forms("Alltoallv", _exchange, Reader.parts)
    Reduce, Ireduce = _forms("Reduce", _reduce)
    Allreduce, Iallreduce = _forms("Allreduce", _allreduce)
    barrier = Barrier

    def bcast(self, obj: Any = None, root: int = 0) -> Any:
        """Return the root's value."""
        mine = self.peer(root) == self.rank
        return self._values(
            "bcast", obj if mine else None, lambda all_: [all_[root]] * self.size, root
        )

    def allgather(self, sendobj: Any) -> Any:
        """Return the values of all ranks."""
        return self._values("allgather", sendobj, lambda all_: [all_] * self.size)

    def gather(self, sendobj: Any, root: int = 0) -> Any:
        """Return the values of all ranks on the root."""
        own = self.peer(root)
        rule = lambda all_: [all_ if j == own else None for j in range(self.size)]  # noqa: E731
        return self._values("gather", sendobj, rule, own)

    def scatter(self, sendobj: Any = None, root: int = 0) -> Any:
        """Return this rank's of the root's values."""
        mine = self.peer(root) == self.rank
        values = self._listed(sendobj) if mine else None
        return self._values("scatter", values, lambda all_: all_[root], root)

    def alltoall(self, sendobj: Any) -> Any:
        """Return the values that the ranks have for this one."""
        rule = lambda all_: [[one[j] for one in all_] for j in range(self.size)]  # noqa: E731
        return self._values("alltoall", self._listed(sendobj), rule)

    def allreduce(self, sendobj: Any, op: Any = SUM) -> Any:
        """Return the sum, or the like, of the values of all ranks."""
        rule = lambda all_: [reduce(op.values, all_)] * self.size  # noqa: E731
        return self._values("allreduce", sendobj, rule, op=op)

    def reduce(self, sendobj: Any, op: Any = SUM, root: int = 0) -> Any:
        """Return the sum, or the like, of the values of all ranks on the root."""
        own = self.peer(root)

        def rule(values: list[Any]) -> list[Any]:
            total = reduce(op.values, values)
            return [total if j == own else None for j in range(self.size)]

        return self._values("reduce", sendobj, rule, own, op)

    def _listed(self, values: Any) -> list[Any]:
        if not isinstance(values, list | tuple):
            raise Undecided(f"a value for each rank in {kind_of(values)}; use Alltoall or Scatter")
        if len(values) != self.size:
            raise self.wrong(f"{len(values)} values for {self.size} ranks")
        return list(values)

    def _values(
        self,
        name: str,
        value: Any,
        rule: Callable[[list[Any]], Sequence[Any]],
        root: int | None = None,
        op: Any = None,
    ) -> Any:
        if op is not None and not isinstance(op, Op):
            raise self.wrong(f"{op!r} in place of an operator of MPI")
        terms: tuple[tuple[str, Any], ...] = ()
        terms += () if root is None else (("root", self.peer(root)),)
        terms += () if op is None else (("operator", op.name),)
        return self.meet(
            Collective(
                name,
                lambda given: copies(rule([one for (one,) in given])),
                (copied(value),),
                terms=terms,
                orders=root is None,
                moves=False,
            )
        )
