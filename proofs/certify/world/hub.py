"""All ranks of a program in one process: each runs until it waits, in turn.

Neither receives from any rank nor tests for completion are in the language, so a rank learns
nothing of the order in which others run: one order shows what all do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from greenlet import GreenletExit, getcurrent, greenlet

from proofs.certify.exact.data import Data
from proofs.certify.exact.space import Space
from proofs.certify.language.table_entries import Refuted, Undecided
from proofs.certify.world.faults import Fault, fault
from proofs.certify.world.memory.holds import Holds
from proofs.certify.world.trace import Log

SHOWN = 8
"""So many ranks of a deadlock are named."""
PENDING = (
    "what {} has begun is not complete when {} returns, so a later call may find it; wait for it"
    " there"
)
MOST_HANDLES = 2000
"""The most communicators and windows of a rank that are open at once; MPICH has 2048."""


class Call(NamedTuple):
    """A call by a rank, and the line of the program that makes it."""

    rank: int
    text: str
    line: int

    def __str__(self) -> str:
        return f"rank {self.rank} in {self.text}" + f" at line {self.line}" * bool(self.line)

    def wrong(self, kind: Fault, words: str) -> Refuted:
        """Return the error of the rank in this call."""
        return fault(kind, f"{self}: {words}", self.line)


class Hub:
    """The ranks of a run.

    Args:
        size: number of ranks.
        nodes: the node of each rank; one for all unless stated.
        space: the data of the run, whose accesses are checked; none for ordinary numbers.
        line: the line of the program that a rank is at, 0 if it is not known.
    """

    def __init__(
        self,
        size: int,
        nodes: Sequence[int] | None = None,
        space: Space | None = None,
        line: Callable[[int], int] = lambda rank: 0,
    ) -> None:
        self.size, self.space, self.line = size, space, line
        self.nodes = tuple(nodes) if nodes is not None else (0,) * size
        self.log, self.holds = Log(size), [Holds() for _ in range(size)]
        self.current, self.over = 0, False
        self.waits: dict[int, tuple[Call, Callable[[], bool]]] = {}
        self.opened: list[dict[int, tuple[Any, Fault, Call]]] = [{} for _ in range(size)]
        self.handles, self.made = [0] * size, [0] * size
        self.asked = dict[tuple[int, str], None]()
        """What the program asks of the machine, by line (assumptions.py)."""
        self.windows: list[Any] = []
        """The shared windows that are open (windows.py)."""
        self.hub: Any = None
        if space is not None:
            space.watch = self.touched

    def run(self, body: Callable[[int], Any]) -> list[Any]:
        """Return what body(rank) returns on each rank.

        Raises:
            Refuted: if no rank can go on, or something is left open; and whatever a rank raises.
        """
        results: list[Any] = [None] * self.size
        self.hub = getcurrent()
        ranks = [greenlet(partial(_run, body, results, rank)) for rank in range(self.size)]
        try:
            self._turns(ranks)
        finally:
            self.over = True
            for rank in ranks:
                if not rank.dead:
                    rank.throw(GreenletExit)
        for _, kind, call in chain.from_iterable(each.values() for each in self.opened):
            what = "is not waited for" if kind == Fault.REQUEST_LIFECYCLE else "is not freed"
            raise fault(kind, f"what {call} has begun {what}", call.line)
        return results

    def _turns(self, ranks: list[Any]) -> None:
        left = list(range(self.size))
        while left:
            going = [rank for rank in left if self._go(rank, ranks[rank])]
            if not going:
                calls = [self.waits[rank][0] for rank in left]
                more = f"; and {len(calls) - SHOWN} more ranks" if len(calls) > SHOWN else ""
                words = "; ".join(map(str, calls[:SHOWN]))
                raise fault(Fault.CALL_ORDERING, f"deadlock, no rank can go on: {words}{more}")
            left = [rank for rank in left if not ranks[rank].dead]

    def _go(self, rank: int, one: Any) -> bool:
        """Let a rank go on if what it waits for is done; return whether it was."""
        if rank in self.waits and not self.waits[rank][1]():
            return False
        self.waits.pop(rank, None)
        self.current = rank
        try:
            one.switch()
        except BaseException as error:
            error.add_note(f"on rank {rank} of {self.size}")
            raise
        return True

    def wait(self, call: Call, done: Callable[[], bool]) -> None:
        """Let other ranks run until this is done."""
        if not done():
            self.waits[self.current] = call, done
            self.hub.switch()

    def call(self, text: str) -> Call:
        """Return a call of the running rank; `made` counts those of each."""
        if self.over:  # what a rank does while it is ended
            raise GreenletExit
        self.made[self.current] += 1
        return Call(self.current, text, self.line(self.current))

    def asks(self, what: str) -> None:
        """Note that the running rank asks this of the machine."""
        self.asked[self.line(self.current), what] = None

    def wrong(self, kind: Fault, words: object) -> Exception:
        """Return the error of the running rank."""
        return fault(kind, f"rank {self.current}: {words}", self.line(self.current))

    def open(self, thing: Any, kind: Fault, call: Call) -> None:
        """Note what must be freed or waited for."""
        self.opened[self.current][id(thing)] = thing, kind, call

    def close(self, thing: Any) -> None:
        """Note that it has been."""
        self.opened[self.current].pop(id(thing), None)

    def demand_complete(self, phase: str) -> None:
        """Raise Undecided where the running rank leaves a message for later: messages are state."""
        for _, kind, call in self.opened[self.current].values():
            if kind == Fault.REQUEST_LIFECYCLE:
                raise Undecided(PENDING.format(call.text, phase), call.line)

    def handle(self, call: Call, more: int) -> None:
        """Count communicators and windows of a rank."""
        self.handles[call.rank] += more
        if self.handles[call.rank] > MOST_HANDLES:
            words = f"more than {MOST_HANDLES} communicators and windows at once"
            raise call.wrong(Fault.RESOURCE_LEAK, words)

    def touched(self, data: Data, writes: bool, index: Any) -> None:
        """Check an access of the running rank to data."""
        other = self.holds[self.current].against(data.items, writes, index)
        if other is not None:
            how = "writes into" if writes else "reads"
            words = f"the rank {how} the buffer of {other}, which is not complete"
            raise self.wrong(Fault.LOCAL_CONCURRENCY, words)
        for window in self.windows:
            window.touched(self.current, data, writes, index)


def _run(body: Callable[[int], Any], results: list[Any], rank: int) -> None:
    results[rank] = body(rank)
