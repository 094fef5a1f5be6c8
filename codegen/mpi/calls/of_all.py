"""The collective calls of a simulated communicator for buffers, blocking and not, and for objects
in lower case.

All of them are modelled as waiting for all ranks, which MPI allows; that nobody may count on it is
seen where it matters, in the question of what comes after what (causality.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from codegen.mpi.calls.collectives import alltoall, kept, reduced, route
from codegen.mpi.calls.operators import OPERATORS, reduction
from codegen.mpi.calls.requests import Request
from codegen.mpi.causality import ALL, FROM_ROOT, NOBODY, TO_ROOT
from codegen.mpi.communicator import Base, Collective
from codegen.mpi.memory.buffers import Buffer
from codegen.mpi.memory.specifications import buffer_of, equal_parts, parts, typed_parts
from codegen.mpi.ranks import invalid, unmodelled

SUM = OPERATORS["SUM"]
Split = Callable[[Any, int], Buffer]


class InPlace:
    """What stands for a buffer that is sent from where it is received."""


IN_PLACE = InPlace()


def _stays(buffer: Any) -> bool:
    """Return whether a buffer is where the other one is: mpi4py takes None for IN_PLACE."""
    return buffer is None or buffer is IN_PLACE


def _forms(
    name: str, begin: Callable[..., Collective], *fixed: Any
) -> tuple[Callable[..., None], Callable[..., Request]]:
    """Return the collective call of this name that waits, and the one that returns a request."""

    def waits(self: Base, /, *arguments: Any, **named: Any) -> None:
        self._meet(begin(self, name, *fixed, *arguments, **named))

    def returns(self: Base, /, *arguments: Any, **named: Any) -> Request:
        what = begin(self, name, *fixed, *arguments, **named)
        text = what.text.replace(name, at_once)
        nonblocking = replace(what, name=at_once, text=text)
        return Request(self._group.world, self._enter(nonblocking, blocks=False))

    at_once = f"I{name.lower()}"
    for function, called in ((waits, name), (returns, at_once)):
        function.__name__ = called
        function.__code__ = function.__code__.replace(co_name=called)
    return waits, returns


def _barrier(self: Base, name: str) -> Collective:
    return Collective(name, lambda given: kept([None] * self.size), True, moves=False)


def _bcast(self: Base, name: str, buf: Any, root: int = 0) -> Collective:
    buffer, root = buffer_of(buf), self._rank(root)
    mine = self.rank == root
    return Collective(
        name,
        lambda given: route(given, lambda j: () if j == root else [(0, root, 0)], self._names),
        out=buffer if mine else None,
        into=None if mine else buffer,
        sent=_to_all(self, buffer) if mine else (),
        terms=(("root", root),),
        flow=FROM_ROOT if buffer.counts[0] else NOBODY,
        root=root,
        text=f"{name}(root {root})",
        moves=buffer.counts[0] > 0,
    )


def _to_root(
    self: Base, name: str, split: Split, sendbuf: Any, recvbuf: Any, root: int = 0
) -> Collective:
    into = split(recvbuf, self.size) if self._rank(root) == self.rank else None
    out = _own_part(self, into) if into is not None and _stays(sendbuf) else buffer_of(sendbuf)
    return Collective(
        name,
        lambda given: route(
            given, lambda j: ((i, i, 0) for i in range(self.size) if j == root), self._names
        ),
        out=out,
        into=into,
        sent=((root, out.counts[0]),),
        terms=(("root", root),),
        flow=TO_ROOT if name == "Gather" and out.counts[0] else NOBODY,
        root=root,
        text=f"{name}(root {root})",
        moves=sum((into or out).counts) > 0,
    )


def _from_root(
    self: Base, name: str, split: Split, sendbuf: Any, recvbuf: Any, root: int = 0
) -> Collective:
    out = split(sendbuf, self.size) if self._rank(root) == self.rank else None
    into = None if out is not None and _stays(recvbuf) else buffer_of(recvbuf)
    return Collective(
        name,
        lambda given: route(given, lambda j: [(0, root, j)] if given[j].into else [], self._names),
        out=out,
        into=into,
        sent=tuple(enumerate(out.counts)) if out else (),
        terms=(("root", root),),
        flow=FROM_ROOT if name == "Scatter" and (out or into or _EMPTY).counts[0] else NOBODY,
        root=root,
        text=f"{name}(root {root})",
        moves=sum((out or into or _EMPTY).counts) > 0,
    )


def _from_all(self: Base, name: str, split: Split, sendbuf: Any, recvbuf: Any) -> Collective:
    into = split(recvbuf, self.size)
    out = _own_part(self, into) if _stays(sendbuf) else buffer_of(sendbuf)
    flow = ALL if name == "Allgather" and out.counts[0] else NOBODY
    sent, moves = _to_all(self, out), sum(into.counts) > 0
    rule = lambda given: route(given, lambda j: ((i, i, 0) for i in range(self.size)), self._names)  # noqa: E731
    return Collective(name, rule, out=out, into=into, sent=sent, flow=flow, moves=moves)


def _own_part(self: Base, into: Buffer) -> Buffer:
    """Return what a rank sends that has it where it is received."""
    return Buffer(into.part(self.rank).copy(), (into.counts[self.rank],), (0,), into.octets)


def _exchange(self: Base, name: str, split: Split, sendbuf: Any, recvbuf: Any) -> Collective:
    into = split(recvbuf, self.size)
    out = replace(into, array=into.array.copy()) if _stays(sendbuf) else split(sendbuf, self.size)
    return Collective(
        name,
        lambda given: alltoall(given, self._names),
        out=out,
        into=into,
        sent=tuple(enumerate(out.counts)),
        flow=ALL if name == "Alltoall" and out.counts[0] else NOBODY,
        text=f"{name}({out.array.size * (out.octets or 1)} elements)",
        moves=sum(out.counts) + sum(into.counts) > 0,
    )


def _reduce(
    self: Base, name: str, sendbuf: Any, recvbuf: Any, op: Any = SUM, root: int = 0
) -> Collective:
    into = buffer_of(recvbuf) if self._rank(root) == self.rank else None
    out = _sent_or_kept(sendbuf, into)
    chosen = lambda results: [results[-1] if rank == root else None for rank in range(self.size)]  # noqa: E731
    sent, terms = ((root, out.counts[0]),), (("root", root),)
    return _reduction(self, name, out, into, op, chosen, sent, terms, TO_ROOT, root)


def _allreduce(self: Base, name: str, sendbuf: Any, recvbuf: Any, op: Any = SUM) -> Collective:
    into = buffer_of(recvbuf)
    out = _sent_or_kept(sendbuf, into)
    chosen = lambda results: [results[-1]] * self.size  # noqa: E731
    return _reduction(self, name, out, into, op, chosen, _to_all(self, out))


def _scan(self: Base, name: str, sendbuf: Any, recvbuf: Any, op: Any = SUM) -> Collective:
    into = buffer_of(recvbuf)
    out = _sent_or_kept(sendbuf, into)
    sent = tuple((peer, out.counts[0]) for peer in range(self.rank + 1, self.size))
    return _reduction(self, name, out, into, op, lambda results: results, sent, flow=NOBODY)


def _exscan(self: Base, name: str, sendbuf: Any, recvbuf: Any, op: Any = SUM) -> Collective:
    into = buffer_of(recvbuf)
    out = _sent_or_kept(sendbuf, into)
    sent = tuple((peer, out.counts[0]) for peer in range(self.rank + 1, self.size))
    if self.rank == 0:
        into.poison(0)  # what it holds afterwards is undefined (MPI 4.1, 6.11.2)
    chosen = lambda results: [None, *results[:-1]]  # noqa: E731
    return _reduction(self, name, out, into, op, chosen, sent, flow=NOBODY)


def _reduce_scatter_block(
    self: Base, name: str, sendbuf: Any, recvbuf: Any, op: Any = SUM
) -> Collective:
    if _stays(sendbuf):
        raise unmodelled("MPI.IN_PLACE")
    out, into = equal_parts(sendbuf, self.size), buffer_of(recvbuf)
    return _scattered(self, name, out, into, op)


def _reduce_scatter(
    self: Base,
    name: str,
    sendbuf: Any,
    recvbuf: Any,
    recvcounts: Sequence[int] | None = None,
    op: Any = SUM,
) -> Collective:
    into = buffer_of(recvbuf)
    if recvcounts is None or _stays(sendbuf):
        raise unmodelled("without recvcounts, or with MPI.IN_PLACE")
    out = parts([sendbuf, recvcounts], self.size)
    return _scattered(self, name, out, into, op)


def _scattered(self: Base, name: str, out: Buffer, into: Buffer, op: Any) -> Collective:
    chosen = lambda results: _cut(results[-1], out.counts)  # noqa: E731
    return _reduction(self, name, out, into, op, chosen, tuple(enumerate(out.counts)))


def _reduction(
    self: Base,
    name: str,
    out: Buffer,
    into: Buffer | None,
    op: Any,
    chosen: Callable[[list[Any]], Sequence[Any]],
    sent: tuple[tuple[int, int], ...],
    terms: tuple[tuple[str, Any], ...] = (),
    flow: str = ALL,
    root: int = 0,
) -> Collective:
    operator = reduction(op)
    if out.places is not None or (into is not None and into.places is not None):
        raise invalid(f"{operator._name} of a derived type: MPI's operators are of its own types")
    combined = operator._of_arrays(out.array.dtype)
    terms = (*terms, ("operator", operator._name))
    text = f"{name}({', '.join(f'{key} {value}' for key, value in terms)})"
    rule = lambda given: reduced(given, combined, chosen, self._names)  # noqa: E731
    moves = sum(out.counts) > 0
    return Collective(
        name,
        rule,
        out=out,
        into=into,
        sent=sent,
        terms=terms,
        flow=flow if moves else NOBODY,
        root=root,
        text=text,
        moves=moves,
    )


def _sent_or_kept(sendbuf: Any, into: Buffer | None) -> Buffer:
    """Return what goes into a reduction: what is sent, or what the result overwrites."""
    if not _stays(sendbuf) or into is None:
        return buffer_of(sendbuf)
    return Buffer(into.part(0).copy(), into.counts, (0,), into.octets)


def _cut(result: Any, counts: Sequence[int]) -> list[Any]:
    ends = list(accumulate(counts))
    return [result[end - count : end] for end, count in zip(ends, counts, strict=True)]


def _to_all(self: Base, out: Buffer) -> tuple[tuple[int, int], ...]:
    return tuple((peer, out.counts[0]) for peer in range(self.size))


_EMPTY = Buffer(None, (), ())


class Together(Base):
    """The collective calls of mpi4py."""

    Barrier, Ibarrier = _forms("Barrier", _barrier)
    Bcast, Ibcast = _forms("Bcast", _bcast)
    Gather, Igather = _forms("Gather", _to_root, equal_parts)
    Gatherv, Igatherv = _forms("Gatherv", _to_root, parts)
    Scatter, Iscatter = _forms("Scatter", _from_root, equal_parts)
    Scatterv, Iscatterv = _forms("Scatterv", _from_root, parts)
    Allgather, Iallgather = _forms("Allgather", _from_all, equal_parts)
    Allgatherv, Iallgatherv = _forms("Allgatherv", _from_all, parts)
    Alltoall, Ialltoall = _forms("Alltoall", _exchange, equal_parts)
    Alltoallv, Ialltoallv = _forms("Alltoallv", _exchange, parts)
    Alltoallw, Ialltoallw = _forms("Alltoallw", _exchange, typed_parts)
    Reduce, Ireduce = _forms("Reduce", _reduce)
    Allreduce, Iallreduce = _forms("Allreduce", _allreduce)
    Scan, Iscan = _forms("Scan", _scan)
    Exscan, Iexscan = _forms("Exscan", _exscan)
    Reduce_scatter, Ireduce_scatter = _forms("Reduce_scatter", _reduce_scatter)
    Reduce_scatter_block, Ireduce_scatter_block = _forms(
        "Reduce_scatter_block", _reduce_scatter_block
    )
    barrier = Barrier
