"""All ranks of a program in one process, each until it blocks, in turn: the one door to greenlet."""

from __future__ import annotations

import linecache
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet

from codegen.buffers import CommunicationError
from codegen.trace import Operation, Trace

SHOWN = 16
"""A deadlock of more ranks than this is told by these many of them."""


class Deadlock(CommunicationError):
    """No rank can move. `blocked` holds the call of every blocked rank."""

    def __init__(self, blocked: tuple[Call, ...]) -> None:
        self.blocked = blocked
        lines = [str(call) for call in blocked[:SHOWN]]
        more = [f"and {len(blocked) - SHOWN} more ranks"] if len(blocked) > SHOWN else []
        super().__init__("deadlock, no rank can move:\n" + "\n".join(lines + more))


@dataclass(frozen=True)
class Call:
    """A call of the communicator by a rank: what it does, and the line of the program that makes it."""

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
    """What each rank returned, what they sent to each other, and what they left behind."""

    results: tuple[Any, ...]
    trace: Trace
    leaks: tuple[str, ...]


@dataclass
class World:
    """The ranks of a run, and who of them waits for what."""

    size: int
    ready: deque[int] = field(default_factory=deque)
    blocked: dict[int, Call] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)
    open: dict[Any, Call] = field(default_factory=dict)
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

    def record(self, call: Call, members: tuple[int, ...], sent: tuple[tuple[int, int], ...] = (), depth: int = 0) -> None:
        """Add an operation to the trace."""
        self.operations.append(Operation(call.rank, call.text.partition("(")[0], members, sent, depth, call.line))

    def opened(self, thing: Any, call: Call) -> None:
        """Note a communicator or a request that must be freed or waited for."""
        self.open[thing] = call

    def closed(self, thing: Any) -> None:
        """Note that it has been."""
        self.open.pop(thing, None)


def call_of(rank: int, text: str) -> Call:
    """Return this call, made by the innermost line that is not the communicator's own."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith("codegen."):
        frame = frame.f_back
    return Call(rank, text, frame.f_code.co_filename, frame.f_lineno)


def take_turns(size: int, start: Callable[[World, int], Any]) -> Run:
    """Run start(world, rank) on `size` ranks, each until it blocks, in turn.

    Raises Deadlock if no rank can move, and whatever a rank raises, with a note that names the rank.
    """
    world = World(size)
    results: dict[int, Any] = {}
    ranks = [greenlet(partial(_body, world, start, results, rank)) for rank in range(size)]
    world.ready.extend(range(size))
    try:
        _turns(world, ranks)
        if len(results) < size:
            raise Deadlock(tuple(call for _, call in sorted(world.blocked.items())))
    finally:
        for rank in ranks:
            if not rank.dead:
                rank.throw(GreenletExit)
    leaks = tuple(f"{call} is left open" for call in world.open.values())
    return Run(tuple(results[rank] for rank in range(size)), Trace(tuple(world.operations)), leaks)


def _body(world: World, start: Callable[[World, int], Any], results: dict[int, Any], rank: int) -> None:
    results[rank] = start(world, rank)


def _turns(world: World, ranks: list[greenlet]) -> None:
    while world.ready:
        rank = world.ready.popleft()
        try:
            if not ranks[rank].dead:
                ranks[rank].switch()
        except BaseException as error:
            error.add_note(f"on rank {rank} of {world.size}")
            raise
