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
    Ways,
    all_to_all,
    copied,
    copies,
    nothing,
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
    return Collective(name, nothing, True, orders=True)


def _routed(
    self: Base,
    name: str,
    ways: Ways,
    sides: tuple[Buffer | None, Buffer | None],
    sent: tuple[tuple[int, int], ...],
    root: int | None = None,
    orders: bool = False,
) -> Collective:
    """Return a call that brings parts of what ranks send to others; it may have a root."""
    members = self.group.members
    terms = () if root is None else (("root", root),)
    rule = lambda given: route(given, ways, members)  # noqa: E731
    return Collective(name, rule, None, *sides, sent=sent, terms=terms, orders=orders)


def _bcast(self: Base, name: str, buf: Any, root: int = 0) -> Collective:
    root = self.peer(root)
    mine = self.rank == root
    buffer = self.reader.whole(buf, receives=not mine)
    sides, sent = ((buffer, None), _to_all(self, buffer)) if mine else ((None, buffer), ())
    return _routed(self, name, lambda j: [(0, root, 0)], sides, sent, root)


def _to_root(
    self: Base, name: str, read: Read, sendbuf: Any, recvbuf: Any, root: int = 0
) -> Collective:
    root = self.peer(root)
    into = read(self.reader, recvbuf, self.size, True) if root == self.rank else None
    stays = into is not None and _stays(sendbuf)
    out = into.only(self.rank) if into and stays else self.reader.whole(sendbuf)
    ways = lambda j: ((i, i, 0) for i in range(self.size))  # noqa: E731
    return _routed(self, name, ways, (out, into), ((root, out.counts[0]),), root)


def _from_root(
    self: Base, name: str, read: Read, sendbuf: Any, recvbuf: Any, root: int = 0
) -> Collective:
    root = self.peer(root)
    out = read(self.reader, sendbuf, self.size) if root == self.rank else None
    into = None if out and _stays(recvbuf) else self.reader.whole(recvbuf, True)
    sent = tuple(enumerate(out.counts)) if out else ()
    return _routed(self, name, lambda j: [(0, root, j)], (out, into), sent, root)


def _from_all(self: Base, name: str, read: Read, sendbuf: Any, recvbuf: Any) -> Collective:
    into = read(self.reader, recvbuf, self.size, True)
    out = into.only(self.rank) if _stays(sendbuf) else self.reader.whole(sendbuf)
    ways = lambda j: ((i, i, 0) for i in range(self.size))  # noqa: E731
    orders = name == "Allgather" and out.counts[0] > 0
    return _routed(self, name, ways, (out, into), _to_all(self, out), orders=orders)


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
    )


def _reduce(
    self: Base, name: str, sendbuf: Any, recvbuf: Any, op: Any = SUM, root: int = 0
) -> Collective:
    return _reduction(self, name, sendbuf, recvbuf, op, self.peer(root))


def _allreduce(self: Base, name: str, sendbuf: Any, recvbuf: Any, op: Any = SUM) -> Collective:
    return _reduction(self, name, sendbuf, recvbuf, op, None)


def _reduction(
    self: Base, name: str, sendbuf: Any, recvbuf: Any, op: Any, root: int | None
) -> Collective:
    """Return a reduction to a root, or to all ranks."""

    def wanted(rank: int) -> bool:
        return root in (None, rank)

    into = self.reader.whole(recvbuf, True) if wanted(self.rank) else None
    out = into.alone() if into and _stays(sendbuf) else self.reader.whole(sendbuf)
    if not isinstance(op, Op):
        raise self.wrong(f"{op!r} in place of an operator of MPI")
    if not op.bitwise and any(map(names_bytes, (sendbuf, recvbuf))):
        raise self.wrong(f"MPI.{op.name} of MPI.BYTE: that has BAND, BOR and BXOR alone")
    combined, members = op.of(out.array), self.group.members
    if combined is None:
        raise self.wrong(f"MPI.{op.name} of {out.array.dtype}: it takes {op.takes}")
    terms: tuple[tuple[str, Any], ...] = () if root is None else (("root", root),)
    return Collective(
        name,
        lambda given: reduced(given, combined, wanted, members),
        out=out,
        into=into,
        sent=_to_all(self, out) if root is None else ((root, out.counts[0]),),
        terms=(*terms, ("operator", op.name)),
        orders=root is None and out.counts[0] > 0,
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
            )
        )
