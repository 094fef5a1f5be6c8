"""What the collective calls of a simulated communicator do when all of its ranks have entered them.

A rule takes what the ranks gave, and returns for every rank what it does when its call completes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from codegen.mpi.calls.transfers import UNDEFINED, Envelope, Mail, held, released
from codegen.mpi.faults import CommunicationError, Fault
from codegen.mpi.memory.buffers import Buffer, same
from codegen.mpi.memory.holds import Hold
from codegen.mpi.memory.pickled import made
from codegen.mpi.ranks import Call, World, wrong

Deliveries = Sequence[Callable[[], Any]]
Routes = Callable[[int], Iterable[tuple[int, int, int]]]
"""What rank j gets: its part, the rank that it comes from, and that one's part."""


@dataclass(eq=False)
class Meeting:
    """A collective call that the ranks enter one by one; `terms` are what all must give alike."""

    kind: str
    terms: dict[str, Any]
    flow: str
    root: int
    calls: dict[int, Call] = field(default_factory=dict)
    given: dict[int, Any] = field(default_factory=dict)
    results: Deliveries | None = None

    @property
    def complete(self) -> bool:
        """Whether all ranks have entered."""
        return self.results is not None


@dataclass(eq=False)
class Group:
    """The shared state of the ranks of one communicator: their meetings in order, and the
    messages that wait for their other side.
    """

    world: World
    members: tuple[int, ...]
    meetings: dict[int, Meeting] = field(default_factory=dict)
    mail: Mail = field(default_factory=Mail)

    def __post_init__(self) -> None:
        self.world.groups.append(self)

    def buffer(self) -> bool:
        """Let standard sends be complete; return whether there were any that waited."""
        return self.mail.buffer()


@dataclass(frozen=True)
class Entry:
    """What a rank gives to a collective call: elements that it sends, as a copy, and a buffer for
    those that it receives.
    """

    out: Buffer | None
    into: Buffer | None


@dataclass(eq=False)
class Entered:
    """A rank's part in a collective call; one that does not block keeps the buffers meanwhile."""

    world: World
    call: Call
    meeting: Meeting
    rank: int
    out: Buffer | None = None
    into: Buffer | None = None
    kept: list[Any] = field(default_factory=list)
    holds: list[Hold] = field(default_factory=list)
    denied: bool = False
    envelope: Envelope = field(default_factory=Envelope)
    paused: list[Any] = field(default_factory=list)

    def pause(self, epochs: list[Any]) -> None:
        """Let the rank use no shared memory until it has waited for this call."""
        self.paused = epochs
        for each in epochs:
            each.pausing.append(self.call)

    def hold(self, blocks: bool) -> None:
        """Take the buffers; raise CommunicationError if another operation of this rank has them."""
        for buffer, writes in ((self.out, False), (self.into, True)):
            if buffer is not None:
                self.holds += held(self.world, self.call, buffer, writes)
        if not blocks and self.out is not None:
            self.kept = [self.out.part(peer).copy() for peer in range(len(self.out.counts))]
        if not blocks and self.into is not None:
            for peer in range(len(self.into.counts)):
                self.into.poison(peer)
        else:
            self.into = None

    def done(self) -> bool:
        """Return whether all ranks have entered."""
        return self.meeting.complete

    def finish(self) -> Any:
        """Give the buffers back, and return the result; raise CommunicationError if they were
        touched meanwhile.
        """
        self.world.log.append(("leave", self.call.rank, self.meeting))
        for each in self.paused:
            each.pausing.remove(self.call)
        released(self.world, self.call.rank, self.holds)
        if self.out is not None and not all(
            same(self.out.part(peer), part) for peer, part in enumerate(self.kept)
        ):
            raise CommunicationError(
                Fault.LOCAL_CONCURRENCY,
                f"{self.call}: the buffer was changed before the call was complete",
            )
        if self.into is not None and not all(
            self.into.poisoned(peer) for peer in range(len(self.into.counts))
        ):
            raise CommunicationError(
                Fault.LOCAL_CONCURRENCY,
                f"{self.call}: the buffer was written before the call was complete",
            )
        assert self.meeting.results is not None
        return self.meeting.results[self.rank]()


def route(given: list[Entry], routes: Routes, names: list[str]) -> Deliveries:
    """Bring parts of buffers to parts of others; raise CommunicationError unless every rank expects
    what the others send it.
    """
    ways = [list(routes(j)) for j in range(len(given))]
    apart = [
        (source, j, piece, part)
        for j, way in enumerate(ways)
        for part, source, piece in way
        if not _agree(given[source].out, piece, given[j].into, part)
    ]
    if apart:
        source, j, piece, part = min(apart)
        sent, wanted = _described(given[source].out, piece), _described(given[j].into, part)
        raise wrong(
            Fault.PARAMETER_MATCHING,
            f"{names[source]} sends {sent} to {names[j]}, which expects {wanted}: count and type"
            " agree",
        )
    return [
        partial(
            _deliver,
            given[j].into,
            [(part, _piece(given[source].out, piece)) for part, source, piece in way],
        )
        for j, way in enumerate(ways)
    ]


def alltoall(given: list[Entry], names: list[str]) -> Deliveries:
    """Put part j of what rank i sends into part i of what rank j receives."""
    size = len(given)
    outs, intos = (
        [entry.out for entry in given if entry.out],
        [entry.into for entry in given if entry.into],
    )
    kinds = {(buffer.counts[0], buffer.kind) for buffer in (*outs, *intos)}
    if len(kinds) > 1 or not all(buffer.equal for buffer in (*outs, *intos)):
        return route(given, lambda j: ((i, i, j) for i in range(size)), names)
    together = np.stack([out.array.reshape(size, -1) for out in outs])
    return [partial(_fill, into, together[:, rank]) for rank, into in enumerate(intos)]


def _fill(into: Buffer, values: Any) -> None:
    into.array.reshape(len(into.counts), -1)[...] = values


def _deliver(into: Buffer | None, values: list[tuple[int, Any]]) -> None:
    for part, value in values:
        assert into is not None
        into.put(part, value)


def _piece(out: Buffer | None, piece: int) -> Any:
    assert out is not None
    return out.part(piece)


def _agree(out: Buffer | None, piece: int, into: Buffer | None, part: int) -> bool:
    return (
        out is not None
        and into is not None
        and (out.counts[piece], out.kind) == (into.counts[part], into.kind)
    )


def _described(buffer: Buffer | None, part: int) -> str:
    return "nothing" if buffer is None else buffer.describe(part)


def reduced(
    given: list[Entry],
    op: Callable[[Any, Any], Any],
    chosen: Callable[[list[Any]], Sequence[Any]],
    names: list[str],
) -> Deliveries:
    """Reduce what the ranks send, in their order, and give each its part of the partial results."""
    _demand_alike(given, names)
    flat = [
        (
            entry.out.array.reshape(-1)[: sum(entry.out.counts)]
            if len(entry.out.counts) > 1
            else entry.out.part(0)
        )
        for entry in given
        if entry.out
    ]
    results = chosen(list(accumulate(flat, op)))
    for rank, (entry, result) in enumerate(zip(given, results, strict=True)):
        if result is not None and entry.into is not None and sum(entry.into.counts) != result.size:
            text = (
                f"{names[rank]} expects {entry.into.describe(0)}, and gets {result.size}: count and"
                " type agree"
            )
            raise wrong(Fault.PARAMETER_MATCHING, text)
    pairs = zip(given, results, strict=True)
    return [
        partial(
            _deliver,
            entry.into,
            [(0, result.copy())] if result is not None and entry.into is not None else [],
        )
        for entry, result in pairs
    ]


def _demand_alike(given: list[Entry], names: list[str]) -> None:
    """Raise CommunicationError unless the buffers of all ranks agree with what rank 0 gives."""
    first = given[0].out
    assert first is not None
    for rank, entry in enumerate(given):
        for buffer in (entry.out, entry.into):
            if buffer is not None and (
                buffer.kind != first.kind or (buffer is entry.out and buffer.counts != first.counts)
            ):
                text = (
                    f"{names[0]} gives {first.describe(0)}, {names[rank]} has {buffer.describe(0)}:"
                    " count and type agree"
                )
                raise wrong(Fault.PARAMETER_MATCHING, text)


def split(group: Group, given: list[tuple[int, int]]) -> list[tuple[Group, int] | None]:
    """Return for every rank its new group and its rank there: the ranks of one color, by key and
    then by rank; None without a color.
    """
    ranks = sorted(range(len(given)), key=lambda rank: (given[rank], rank))
    found: dict[int, tuple[Group, int]] = {}
    for color in sorted({color for color, _ in given} - {UNDEFINED}):
        chosen = [rank for rank in ranks if given[rank][0] == color]
        part = Group(group.world, tuple(group.members[rank] for rank in chosen))
        found |= {rank: (part, i) for i, rank in enumerate(chosen)}
    return [found.get(rank) for rank in range(len(given))]


def unpickled(values: Sequence[Any]) -> Deliveries:
    """Give every rank its object, made anew by itself."""
    return [partial(made, value) for value in values]


def kept(values: Sequence[Any]) -> Deliveries:
    """Give every rank its object."""
    return [partial(_itself, value) for value in values]


def _itself(value: Any) -> Any:
    return value
