"""All ranks of a program in one process, each until it blocks, in turn: the one door to greenlet.

What may come out in more than one way, as the answer of a test does, is a choice; a script of
choices makes a run the same again (schedules.py).
"""

from __future__ import annotations

import linecache
import sys
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet

from codegen.mpi.faults import CommunicationError, Fault, Final, NotModelled, forget
from codegen.mpi.memory.holds import Holds
from codegen.mpi.trace import Operation, Trace

SHOWN = 16
"""A deadlock of more ranks than this is told by these many of them."""
OURS = ("codegen.", "numpy.")
"""Where the beginnings of the names of modules say that a line is not the program's own."""
MOST_HANDLES = 2000
"""The most open communicators and windows of a rank; MPICH has 2048, some of them its own."""
PATIENCE = 100
"""A rank that tests so many times while nothing happens anywhere waits in vain."""


class Deadlock(CommunicationError):
    """No rank can move. `blocked` holds the call of every blocked rank."""

    def __init__(self, fault: Fault, blocked: tuple[Call, ...]) -> None:
        self.blocked = blocked
        more = [f"and {len(blocked) - SHOWN} more ranks"] if len(blocked) > SHOWN else []
        super().__init__(
            fault,
            "deadlock, no rank can move: "
            + "; ".join([str(call) for call in blocked[:SHOWN]] + more),
        )


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the communicator by a rank, and the line of the program that makes it."""

    rank: int
    text: str
    file: str
    line: int

    @property
    def place(self) -> str:
        """The line, with its text where that is known."""
        source = linecache.getline(self.file, self.line).strip()
        return f"line {self.line}" + (f": {source}" if source else "")

    def __str__(self) -> str:
        return f"rank {self.rank} in {self.text} at {self.place}"


@dataclass(frozen=True)
class Run:
    """What each rank returned, what they sent to each other, and what they left behind, by class;
    over how many schedules.
    """

    results: tuple[Any, ...]
    trace: Trace
    leaks: tuple[str, ...]
    schedules: int = 1


@dataclass(frozen=True)
class Schedule:
    """How the choices of a run are taken, and in which order ranks go that could all go: as they
    come, or the first or last first.
    """

    script: tuple[int, ...] = ()
    order: Callable[[Sequence[int]], int] | None = None


@dataclass
class World:
    """The ranks of a run, and who of them waits for what. `log` has what happened, for the question
    what came after what; `beneath` is where more names begin that are not the program's own.
    """

    size: int
    schedule: Schedule = field(default_factory=Schedule)
    ready: deque[int] = field(default_factory=deque)
    idle: list[int] = field(default_factory=list)
    blocked: dict[int, Call] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)
    open: dict[int, tuple[Any, Fault, Call]] = field(default_factory=dict)
    choices: list[tuple[Call, int, int]] = field(default_factory=list)
    log: list[tuple[str, int, Any]] = field(default_factory=list)
    answered: dict[int, int] = field(default_factory=dict)
    vain: dict[int, int] = field(default_factory=dict)
    phases: dict[int, str] = field(default_factory=dict)
    groups: list[Any] = field(default_factory=list)
    windows: list[Call] = field(default_factory=list)
    sharing: list[Any] = field(default_factory=list)
    shared: dict[int, Any] = field(default_factory=dict)
    holds: list[Holds] = field(default_factory=list)
    handles: Counter[int] = field(default_factory=Counter)
    numbers: int = 0
    beneath: tuple[str, ...] = ()
    hub: greenlet = field(default_factory=getcurrent)

    def wait(self, call: Call, done: Callable[[], bool]) -> None:
        """Let other ranks run until this is done."""
        while not done():
            self.blocked[call.rank] = call
            self.hub.switch()
        self.blocked.pop(call.rank, None)

    def wake(self, rank: int) -> None:
        """Let a rank look again whether what it waits for is done."""
        if rank in self.blocked:
            self.ready.append(rank)

    def turn(self, rank: int) -> None:
        """Let other ranks go first that are to go first."""
        if self.schedule.order is not None:
            self.ready.append(rank)
            self.hub.switch()

    def settle(self, call: Call, done: Callable[[], bool]) -> bool:
        """Let all other ranks go as far as they can without this one, and return whether this is
        done then.

        Where others wait for an answer, too, and would go on, this one may be answered before or
        after: before at most once. Raises Deadlock for a rank that asks again and again while
        nobody moves.
        """
        waited = -1
        while True:
            self.idle.append(call.rank)
            self.hub.switch()
            now = len(self.log)
            if done():
                return True
            if (
                not self.idle
                or waited == now
                or (self.answered.get(call.rank) != now and self.choose(call, 2))
            ):
                break
            waited = now
        again = self.answered.get(call.rank) == now
        self.vain[call.rank] = self.vain.get(call.rank, 0) + 1 if again else 0
        self.answered[call.rank] = now
        if self.vain[call.rank] >= PATIENCE:
            raise Deadlock(Fault.CALL_ORDERING, (*self.blocked.values(), call))
        return False

    def choose(self, call: Call, options: int) -> int:
        """Return one of several possible outcomes, as the schedule has it, else the first."""
        if options == 1:
            return 0
        k = len(self.choices)
        chosen = self.schedule.script[k] if k < len(self.schedule.script) else 0
        self.choices.append((call, chosen, options))
        return chosen

    def next(self) -> int | None:
        """Return the rank whose turn it is, if any can move."""
        if self.ready:
            rank = self.ready[0] if self.schedule.order is None else self.schedule.order(self.ready)
            self.ready.remove(rank)
            return rank
        if self.idle:
            return self.idle.pop(0)
        return None

    def record(
        self,
        call: Call,
        members: tuple[int, ...],
        sent: tuple[tuple[int, int], ...] = (),
        depth: int = 0,
        moves: bool = True,
        itemsize: int = 0,
    ) -> None:
        """Add an operation to the trace."""
        kind, phase = call.text.partition("(")[0], self.phases.get(call.rank, "")
        self.operations.append(
            Operation(call.rank, kind, members, sent, depth, call.line, phase, moves, itemsize)
        )

    def number(self) -> int:
        """Return the next of the numbers that tell the order of calls."""
        self.numbers += 1
        return self.numbers

    def contexts(self, call: Call, more: int) -> None:
        """Count open communicators and windows; raise CommunicationError above what MPICH has."""
        self.handles[call.rank] += more
        if self.handles[call.rank] > MOST_HANDLES:
            raise CommunicationError(
                Fault.RESOURCE_LEAK,
                f"{call}: more than {MOST_HANDLES} communicators and windows of a rank at once",
            )

    def opened(self, thing: Any, call: Call, fault: Fault) -> None:
        """Note a communicator, a request or the like that must be freed or waited for."""
        self.open[id(thing)] = thing, fault, call

    def closed(self, thing: Any) -> None:
        """Note that it has been."""
        self.open.pop(id(thing), None)


class Rank(greenlet):  # type: ignore[misc]
    """The greenlet of a rank."""

    def __init__(self, world: World, rank: int, body: Callable[[], None]) -> None:
        super().__init__(body)
        self.world, self.rank = world, rank


def running() -> Rank | None:
    """Return the rank that is running, if one is."""
    one = getcurrent()
    return one if isinstance(one, Rank) else None


def current() -> tuple[World, int]:
    """Return the world and the rank that is running.

    Raises NotModelled where none is.
    """
    one = running()
    if one is None:
        raise NotModelled(
            "a call of MPI while the program is loaded: importing a node program starts nothing"
        )
    return one.world, one.rank


def call_of(rank: int, text: str = "") -> Call:
    """Return this call, made by the innermost line that is not the communicator's own; without a
    text, that of its name.
    """
    frame, name, one = sys._getframe(1), "", running()
    ours = OURS + (one.world.beneath if one else ())
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith(ours):
        frame, name = frame.f_back, frame.f_code.co_name
    return Call(rank, text or f"{name}()", frame.f_code.co_filename, frame.f_lineno)


def wrong(fault: Fault, text: str) -> CommunicationError:
    """Return the error of the running rank in its call."""
    return CommunicationError(fault, f"{call_of(current()[1])}: {text}")


def invalid(text: str) -> CommunicationError:
    """Return the error of the running rank where its call has something that no call takes."""
    return wrong(Fault.INVALID_PARAMETER, text)


def unmodelled(text: str) -> NotModelled:
    """Return that the running rank's call is not modelled, and why."""
    return NotModelled(f"not modelled: {call_of(current()[1])}: {text}")


def no_such(thing: str, name: str) -> Exception:
    """Return what is raised for a name that a stand-in does not have."""
    if name.startswith("__"):  # numpy and Python ask for protocols
        return AttributeError(name)
    frame = sys._getframe(2)
    rank = getattr(getcurrent(), "rank", None)
    where = frame.f_code.co_filename, frame.f_lineno
    at = Call(-1 if rank is None else rank, f"{thing}.{name}", *where)
    who = at if rank is not None else f"{at.text} at {at.place}"
    return NotModelled(f"not modelled: {who}: the simulated MPI has no such name")


def take_turns(
    size: int,
    start: Callable[[World, int], Any],
    schedule: Schedule,
    stuck: Callable[[World], Fault],
) -> tuple[World, Run]:
    """Run start(world, rank) on `size` ranks, each until it blocks, in turn.

    Raises Deadlock if no rank can move, of the class that `stuck` gives it or a buffering hazard,
    and whatever a rank raises, with a note that names the rank.
    """
    world = World(size, schedule, holds=[Holds() for _ in range(size)])
    results: dict[int, Any] = {}
    ranks = [Rank(world, rank, partial(_body, world, start, results, rank)) for rank in range(size)]
    world.ready.extend(range(size))
    try:
        _turns(world, ranks)
        if len(results) < size:
            raise _deadlock(world, ranks, results, stuck)
    finally:
        for rank in ranks:
            if not rank.dead:
                rank.throw(GreenletExit)
    leaks = tuple(f"{fault}: {call} is left open" for _, fault, call in world.open.values())
    returned = tuple(results[rank] for rank in range(size))
    return world, Run(returned, Trace(tuple(world.operations)), leaks)


def _deadlock(
    world: World, ranks: list[Rank], results: dict[int, Any], stuck: Callable[[World], Fault]
) -> Deadlock:
    """Return the deadlock that the ranks are in; it is a buffering hazard if they get through once
    their messages are buffered.
    """
    blocked = tuple(call for _, call in sorted(world.blocked.items()))
    fault = stuck(world)
    while len(results) < world.size and _buffered(world):
        try:
            _turns(world, ranks)
        except BaseException as error:
            if isinstance(error, Exception | Final):
                forget(error)
                return Deadlock(fault, blocked)
            raise
        fault = Fault.BUFFERING_HAZARD if len(results) == world.size else stuck(world)
    return Deadlock(fault, blocked)


def _buffered(world: World) -> bool:
    """Let all messages that wait be buffered; return whether there were any."""
    return max([group.buffer() for group in world.groups], default=False)


def _body(
    world: World, start: Callable[[World, int], Any], results: dict[int, Any], rank: int
) -> None:
    results[rank] = start(world, rank)


def _turns(world: World, ranks: list[Rank]) -> None:
    while (rank := world.next()) is not None:
        try:
            if not ranks[rank].dead:
                ranks[rank].switch()
        except BaseException as error:
            error.add_note(f"on rank {rank} of {world.size}")
            raise
