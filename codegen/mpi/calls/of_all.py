"""The collective calls of a simulated communicator for buffers, blocking and not, and for objects
in lower case.

All of them are modelled as waiting for all ranks, which MPI allows; that nobody may count on it is
seen where it matters, in the question of what comes after what (causality.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from itertools import accumulate
from typing import Any, Concatenate, ParamSpec

from codegen.mpi.calls.collectives import alltoall, kept, reduced, route
from codegen.mpi.calls.operators import OPERATORS, reduction
from codegen.mpi.calls.requests import Request
from codegen.mpi.causality import ALL, FROM_ROOT, NOBODY, TO_ROOT
from codegen.mpi.communicator import Base, Collective
from codegen.mpi.faults import Fault
from codegen.mpi.memory.buffers import Buffer
from codegen.mpi.memory.specifications import buffer_of, equal_parts, parts, typed_parts
from codegen.mpi.ranks import unmodelled, wrong

SUM = OPERATORS["SUM"]
Given = ParamSpec("Given")


class InPlace:
    """What stands for a buffer that is sent from where it is received."""


IN_PLACE = InPlace()


def _stays(buffer: Any) -> bool:
    """Return whether a buffer is where the other one is: mpi4py takes None for IN_PLACE."""
    return buffer is None or buffer is IN_PLACE


def _forms(
    begin: Callable[Concatenate[Any, Given], Collective],
) -> tuple[Callable[Concatenate[Any, Given], None], Callable[Concatenate[Any, Given], Request]]:
    """Return a collective call that waits, and the one that returns a request."""

    @wraps(begin)
    def waits(self: Base, /, *arguments: Given.args, **named: Given.kwargs) -> None:
        self._meet(begin(self, *arguments, **named))

    @wraps(begin)
    def returns(self: Base, /, *arguments: Given.args, **named: Given.kwargs) -> Request:
        what = begin(self, *arguments, **named)
        name = f"I{what.name.lower()}"
        text = what.text.replace(what.name, name)
        nonblocking = Collective(**vars(what) | {"name": name, "text": text})
        return Request(self._group.world, self._enter(nonblocking, blocks=False))

    name = begin.__name__.lstrip("_").capitalize()
    for function, called in ((waits, name), (returns, f"I{name.lower()}")):
        function.__code__ = function.__code__.replace(co_name=called)  # type: ignore[union-attr]
    return waits, returns


def _barrier(self: Base) -> Collective:
    return Collective("Barrier", lambda given: kept([None] * self.size), True, moves=False)


def _bcast(self: Base, buf: Any, root: int = 0) -> Collective:
    buffer, root = buffer_of(buf), self._rank(root)
    mine = self.rank == root
    return Collective(
        "Bcast",
        lambda given: route(given, lambda j: () if j == root else [(0, root, 0)], self._names),
        out=buffer if mine else None,
        into=None if mine else buffer,
        sent=_to_all(self, buffer) if mine else (),
        terms=(("root", root),),
        flow=FROM_ROOT if buffer.counts[0] else NOBODY,
        root=root,
        text=f"Bcast(root {root})",
        moves=buffer.counts[0] > 0,
    )


def _gather(self: Base, sendbuf: Any, recvbuf: Any, root: int = 0) -> Collective:
    return _to_root(self, "Gather", sendbuf, recvbuf, root, equal_parts)


def _gatherv(self: Base, sendbuf: Any, recvbuf: Any, root: int = 0) -> Collective:
    return _to_root(self, "Gatherv", sendbuf, recvbuf, root, parts)


def _to_root(
    self: Base,
    name: str,
    sendbuf: Any,
    recvbuf: Any,
    root: int,
    split: Callable[[Any, int], Buffer],
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


def _scatter(self: Base, sendbuf: Any, recvbuf: Any, root: int = 0) -> Collective:
    return _from_root(self, "Scatter", sendbuf, recvbuf, root, equal_parts)


def _scatterv(self: Base, sendbuf: Any, recvbuf: Any, root: int = 0) -> Collective:
    return _from_root(self, "Scatterv", sendbuf, recvbuf, root, parts)


def _from_root(
    self: Base,
    name: str,
    sendbuf: Any,
    recvbuf: Any,
    root: int,
    split: Callable[[Any, int], Buffer],
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


def _allgather(self: Base, sendbuf: Any, recvbuf: Any) -> Collective:
    return _from_all(self, "Allgather", sendbuf, equal_parts(recvbuf, self.size))


def _allgatherv(self: Base, sendbuf: Any, recvbuf: Any) -> Collective:
    return _from_all(self, "Allgatherv", sendbuf, parts(recvbuf, self.size))


def _from_all(self: Base, name: str, sendbuf: Any, into: Buffer) -> Collective:
    out = _own_part(self, into) if _stays(sendbuf) else buffer_of(sendbuf)
    flow = ALL if name == "Allgather" and out.counts[0] else NOBODY
    sent, moves = _to_all(self, out), sum(into.counts) > 0
    rule = lambda given: route(given, lambda j: ((i, i, 0) for i in range(self.size)), self._names)  # noqa: E731
    return Collective(name, rule, out=out, into=into, sent=sent, flow=flow, moves=moves)


def _own_part(self: Base, into: Buffer) -> Buffer:
    """Return what a rank sends that has it where it is received."""
    return Buffer(into.part(self.rank).copy(), (into.counts[self.rank],), (0,), into.octets)


def _alltoall(self: Base, sendbuf: Any, recvbuf: Any) -> Collective:
    return _exchange(self, "Alltoall", sendbuf, equal_parts(recvbuf, self.size), equal_parts)


def _alltoallv(self: Base, sendbuf: Any, recvbuf: Any) -> Collective:
    return _exchange(self, "Alltoallv", sendbuf, parts(recvbuf, self.size), parts)


def _alltoallw(self: Base, sendbuf: Any, recvbuf: Any) -> Collective:
    return _exchange(self, "Alltoallw", sendbuf, typed_parts(recvbuf, self.size), typed_parts)


def _exchange(
    self: Base, name: str, sendbuf: Any, into: Buffer, split: Callable[[Any, int], Buffer]
) -> Collective:
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


def _reduce(self: Base, sendbuf: Any, recvbuf: Any, op: Any = SUM, root: int = 0) -> Collective:
    into = buffer_of(recvbuf) if self._rank(root) == self.rank else None
    out = _sent_or_kept(sendbuf, into)
    chosen = lambda results: [results[-1] if rank == root else None for rank in range(self.size)]  # noqa: E731
    sent, terms = ((root, out.counts[0]),), (("root", root),)
    return _reduction(self, "Reduce", out, into, op, chosen, sent, terms, TO_ROOT, root)


def _allreduce(self: Base, sendbuf: Any, recvbuf: Any, op: Any = SUM) -> Collective:
    into = buffer_of(recvbuf)
    out = _sent_or_kept(sendbuf, into)
    chosen = lambda results: [results[-1]] * self.size  # noqa: E731
    return _reduction(self, "Allreduce", out, into, op, chosen, _to_all(self, out))


def _scan(self: Base, sendbuf: Any, recvbuf: Any, op: Any = SUM) -> Collective:
    into = buffer_of(recvbuf)
    out = _sent_or_kept(sendbuf, into)
    sent = tuple((peer, out.counts[0]) for peer in range(self.rank + 1, self.size))
    return _reduction(self, "Scan", out, into, op, lambda results: results, sent, flow=NOBODY)


def _exscan(self: Base, sendbuf: Any, recvbuf: Any, op: Any = SUM) -> Collective:
    into = buffer_of(recvbuf)
    out = _sent_or_kept(sendbuf, into)
    sent = tuple((peer, out.counts[0]) for peer in range(self.rank + 1, self.size))
    if self.rank == 0:
        into.poison(0)  # what it holds afterwards is undefined (MPI 4.1, 6.11.2)
    chosen = lambda results: [None, *results[:-1]]  # noqa: E731
    return _reduction(self, "Exscan", out, into, op, chosen, sent, flow=NOBODY)


def _reduce_scatter_block(self: Base, sendbuf: Any, recvbuf: Any, op: Any = SUM) -> Collective:
    if _stays(sendbuf):
        raise unmodelled("MPI.IN_PLACE")
    out, into = equal_parts(sendbuf, self.size), buffer_of(recvbuf)
    return _scattered(self, "Reduce_scatter_block", out, into, op)


def _reduce_scatter(
    self: Base, sendbuf: Any, recvbuf: Any, recvcounts: Sequence[int] | None = None, op: Any = SUM
) -> Collective:
    into = buffer_of(recvbuf)
    if recvcounts is None or _stays(sendbuf):
        raise unmodelled("without recvcounts, or with MPI.IN_PLACE")
    out = parts([sendbuf, recvcounts], self.size)
    return _scattered(self, "Reduce_scatter", out, into, op)


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
        raise wrong(
            Fault.INVALID_PARAMETER,
            f"{operator._name} of a derived type: MPI's operators are of its own types",
        )
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

    Barrier, Ibarrier = _forms(_barrier)
    Bcast, Ibcast = _forms(_bcast)
    Gather, Igather = _forms(_gather)
    Gatherv, Igatherv = _forms(_gatherv)
    Scatter, Iscatter = _forms(_scatter)
    Scatterv, Iscatterv = _forms(_scatterv)
    Allgather, Iallgather = _forms(_allgather)
    Allgatherv, Iallgatherv = _forms(_allgatherv)
    Alltoall, Ialltoall = _forms(_alltoall)
    Alltoallv, Ialltoallv = _forms(_alltoallv)
    Alltoallw, Ialltoallw = _forms(_alltoallw)
    Reduce, Ireduce = _forms(_reduce)
    Allreduce, Iallreduce = _forms(_allreduce)
    Scan, Iscan = _forms(_scan)
    Exscan, Iexscan = _forms(_exscan)
    Reduce_scatter, Ireduce_scatter = _forms(_reduce_scatter)
    Reduce_scatter_block, Ireduce_scatter_block = _forms(_reduce_scatter_block)
    barrier = Barrier
