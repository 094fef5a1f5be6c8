"""Collective calls: how ranks meet, and what each gets when all have come.

A rule gets what the ranks gave, and returns for each rank what it does when its call completes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import accumulate
from typing import Any

import numpy as np

from proofs.certify.exact.data import Data
from proofs.certify.language.limits import few
from proofs.certify.language.table_entries import Undecided, kind_of
from proofs.certify.language.values.nested_sizes import values_in
from proofs.certify.world.faults import Fault, fault
from proofs.certify.world.hub import Call, Hub
from proofs.certify.world.memory.holds import Hold
from proofs.certify.world.memory.message_buffers import Buffer
from proofs.certify.world.transfers import UNDEFINED, Mail

Deliveries = Sequence[Callable[[], Any]]
Ways = Callable[[int], Iterable[tuple[int, int, int]]]
"""What rank j gets: its part, the rank that it comes from, and that one's part."""


@dataclass(frozen=True, eq=False)
class Entry:
    """What a rank gives to a call: elements that it sends, and a buffer for those it receives."""

    out: Buffer | None = None
    into: Buffer | None = None


@dataclass(frozen=True, eq=False)
class Collective:
    """A collective call of a rank.

    `terms` are what all must give alike. `orders` says that no rank completes the call before all
    have entered it, so that it orders loads and stores of shared memory.
    """

    name: str
    rule: Callable[[list[Any]], Deliveries]
    given: Any = None
    out: Buffer | None = None
    into: Buffer | None = None
    sent: tuple[tuple[int, int], ...] = ()
    terms: tuple[tuple[str, Any], ...] = ()
    orders: bool = False

    @property
    def moves(self) -> bool:
        """Whether elements of this rank are sent or received."""
        return any(sum(buffer.counts) > 0 for buffer in (self.out, self.into) if buffer)

    @property
    def text(self) -> str:
        """The call for error messages."""
        return f"{self.name}({', '.join(f'{name} {value}' for name, value in self.terms)})"


@dataclass(eq=False)
class Meeting:
    """A collective call that the ranks enter one by one."""

    what: Collective
    calls: dict[int, Call] = field(default_factory=dict)
    given: dict[int, Any] = field(default_factory=dict)
    results: Deliveries | None = None


@dataclass(eq=False)
class Group:
    """What the ranks of a communicator share."""

    world: Hub
    members: tuple[int, ...]
    meetings: dict[int, Meeting] = field(default_factory=dict)
    mail: Mail = field(default_factory=Mail)

    def meet(self, number: int, rank: int, what: Collective, call: Call, given: Any) -> Meeting:
        """Enter the call of this number; the last rank lets all have their results."""
        meeting = self.meetings.setdefault(number, Meeting(what))
        self._demand_alike(meeting, what, call)
        meeting.calls[rank], meeting.given[rank] = call, given
        if len(meeting.given) == len(self.members):
            del self.meetings[number]
            meeting.results = what.rule([meeting.given[r] for r in range(len(self.members))])
            for window in list(self.world.windows):
                window.met(self.members, what)
        return meeting

    def _demand_alike(self, meeting: Meeting, what: Collective, call: Call) -> None:
        first = next(iter(meeting.calls.values()), call)
        if meeting.what.name != what.name:
            words = f"{call}, but {first}: ranks enter collective calls in one order"
            raise fault(Fault.CALL_ORDERING, words, call.line)
        if meeting.what.terms != what.terms:
            words = f"{call}, but {first}: what all ranks give is the same"
            raise fault(Fault.PARAMETER_MATCHING, words, call.line)


@dataclass(eq=False)
class Entered:
    """A rank's part in a collective call."""

    world: Hub
    call: Call
    meeting: Meeting
    rank: int
    holds: list[Hold]
    into: Buffer | None
    kept: tuple[Buffer, Buffer] | None = None
    waits: bool = True

    def done(self) -> bool:
        """Return whether all ranks have entered."""
        return self.meeting.results is not None

    def finish(self) -> Any:
        """Give the buffers back, and return the result; Refuted where they were touched."""
        self.world.holds[self.call.rank].drop(self.holds)
        if self.kept is not None and not self.kept[0].same(self.kept[1]):
            raise self._early("changed")
        if self.into is not None and not self.waits and not self.into.spoiled():
            raise self._early("written")
        assert self.meeting.results is not None
        found = self.meeting.results[self.rank]()
        if self.into is not None:
            self.into.touch(True)
        return found

    def _early(self, how: str) -> Exception:
        words = f"the buffer is {how} before the call is complete"
        return self.call.wrong(Fault.LOCAL_CONCURRENCY, words)


def route(given: list[Entry], ways: Ways, calls: Sequence[int]) -> Deliveries:
    """Bring parts of buffers to parts of those that receive; Refuted unless each expects what it
    is sent.
    """
    found = [list(ways(j)) if entry.into else [] for j, entry in enumerate(given)]
    for j, way in enumerate(found):
        for part, source, piece in way:
            out, into = given[source].out, given[j].into
            sent, wanted = _described(out, piece), _described(into, part)
            if sent != wanted:
                words = (
                    f"rank {calls[source]} sends {sent} to rank {calls[j]}, which expects {wanted}"
                )
                raise fault(Fault.PARAMETER_MATCHING, words)
    return [
        partial(_deliver, given[j].into, [(part, given[s].out, piece) for part, s, piece in way])
        for j, way in enumerate(found)
    ]


def _described(buffer: Buffer | None, part: int) -> str:
    return "nothing" if buffer is None else buffer.text(part)


def _deliver(into: Buffer | None, values: list[tuple[int, Buffer | None, int]]) -> None:
    for part, out, piece in values:
        assert into is not None and out is not None
        into.put(part, out.part(piece))


def all_to_all(given: list[Entry], calls: Sequence[int]) -> Deliveries:
    """Put part j of what rank i sends into part i of what rank j receives."""
    size = len(given)
    outs, intos = [e.out for e in given if e.out], [e.into for e in given if e.into]
    kinds = {(buffer.counts[0], buffer.kind) for buffer in (*outs, *intos)}
    mixed = len({buffer.cells.dtype for buffer in (*outs, *intos)}) > 1  # data and numbers
    if mixed or len(kinds) > 1 or not all(buffer.equal for buffer in (*outs, *intos)):
        return route(given, lambda j: ((i, i, j) for i in range(size)), calls)
    parts = [_numbers(out.cells).reshape(size, -1) for out in outs]
    return [partial(_fill, into, parts, rank) for rank, into in enumerate(intos)]


def _fill(into: Buffer, parts: list[Any], rank: int) -> None:
    np.concatenate([part[rank] for part in parts], out=_numbers(into.cells))


def _numbers(cells: Any) -> Any:
    """Return entries as integers if they are opaque items, which numpy copies one by one."""
    return (
        cells.view(np.int64)
        if cells.dtype.kind == "V" and not cells.dtype.names and cells.dtype.itemsize % 8 == 0
        else cells
    )


def reduced(
    given: list[Entry],
    add: Callable[[Any, Any], Any],
    wanted: Callable[[int], bool],
    calls: Sequence[int],
) -> Deliveries:
    """Reduce what the ranks send, in their order, and give it to those who want it."""
    outs = [entry.out for entry in given if entry.out]
    first = outs[0]
    for rank, entry in enumerate(given):
        for buffer in (entry.out, entry.into if wanted(rank) else None):
            if buffer is not None and buffer.text() != first.text():
                words = f"rank {calls[0]} gives {first.text()}, rank {calls[rank]} {buffer.text()}"
                raise fault(Fault.PARAMETER_MATCHING, words)
    if len({out.cells.dtype for out in outs}) > 1:
        raise Undecided("a reduction of arrays that depend on x and of others; make all with DTYPE")
    if not isinstance(first.array, Data):
        result = list(accumulate((out.part(0) for out in outs), add))[-1]
    else:
        space, dtype = first.array.space, first.array.dtype
        summands = [Data(out.part(0), dtype, space) for out in outs]
        result = reduce(add, summands).items.copy()  # on its way: no rank has it
    intos = [entry.into if wanted(rank) else None for rank, entry in enumerate(given)]
    return [partial(into.put, 0, result) if into else lambda: None for into in intos]


def split(group: Group, given: list[tuple[int, int]]) -> list[tuple[Group, int] | None]:
    """Return for each rank its new group and its rank there, by key and then by rank; None without
    a color.
    """
    ranks = sorted(range(len(given)), key=lambda rank: (given[rank], rank))
    found: dict[int, tuple[Group, int]] = {}
    for color in sorted({color for color, _ in given} - {UNDEFINED}):
        chosen = [rank for rank in ranks if given[rank][0] == color]
        part = Group(group.world, tuple(group.members[rank] for rank in chosen))
        found |= {rank: (part, i) for i, rank in enumerate(chosen)}
    return [found.get(rank) for rank in range(len(given))]


def each(values: Sequence[Any]) -> Deliveries:
    """Give each rank its value."""
    return [lambda value=value: value for value in values]  # type: ignore[misc]


def nothing(given: Sequence[Any]) -> Deliveries:
    """Give each rank nothing."""
    return each([None] * len(given))


def copies(values: Sequence[Any]) -> Deliveries:
    """Give each rank a copy of its value."""
    return [partial(copied, value) for value in values]


ATOMS = frozenset((type(None), bool, int, float, complex, str, bytes))
"""Types of values that are their own copies."""


def copied(value: Any) -> Any:
    """Return a copy of a small Python value, as one that is pickled and read again; parts that are
    shared are copied each time.
    """
    if isinstance(value, list | tuple | dict):
        few(values_in(value), "values in an object that is sent")
    return _copied(value)


def _copied(value: Any) -> Any:
    if type(value) in (list, tuple) and ATOMS.issuperset(map(type, value)):
        return type(value)(value)
    match value:
        case None | bool() | int() | float() | complex() | str() | bytes():
            return value
        case np.generic() | np.dtype():
            return value
        case np.ndarray() if not value.dtype.hasobject:
            return value.copy()
        case list() | tuple() if type(value) in (list, tuple):
            return type(value)(_copied(entry) for entry in value)
        case dict():
            return {_copied(key): _copied(entry) for key, entry in value.items()}
    raise Undecided(f"{kind_of(value)} sent as an object; send arrays, with Allgather or the like")
