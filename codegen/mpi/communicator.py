"""What every call of a simulated communicator rests on: its ranks, its checks, its place in the
trace, and how a collective call is entered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from codegen.mpi.accidents import node_of
from codegen.mpi.calls.collectives import Deliveries, Entered, Entry, Group, Meeting
from codegen.mpi.calls.transfers import MOST_TAG
from codegen.mpi.causality import ALL
from codegen.mpi.faults import CommunicationError, Fault
from codegen.mpi.memory.buffers import Buffer, outgoing
from codegen.mpi.ranks import Call, call_of, invalid, unmodelled
from codegen.mpi.sealed import Sealed

IBARRIER = "Ibarrier"
"""The call that does not block and, once waited for, orders accesses to memory that ranks share."""


@dataclass(frozen=True)
class Collective:
    """A collective call: its name, what all must give alike, what this rank gives, and what comes
    of it.

    `out` and `into` are this rank's buffers, `sent` what goes to whom. `flow` and `root` say who
    learns of whom (causality.py).
    """

    name: str
    rule: Callable[[list[Any]], Deliveries]
    given: Any = None
    out: Buffer | None = None
    into: Buffer | None = None
    sent: tuple[tuple[int, int], ...] = ()
    terms: tuple[tuple[str, Any], ...] = ()
    flow: str = ALL
    root: int = 0
    text: str = ""
    moves: bool = True


class Base(Sealed):
    """One rank's side of a communicator."""

    def __init__(self, group: Group, rank: int, opened: Call | None = None) -> None:
        self._group, self._own, self._met, self._opened, self._freed = group, rank, 0, opened, False
        if opened is not None:
            group.world.contexts(opened, 1)
            group.world.opened(self, opened, Fault.RESOURCE_LEAK)

    @property
    def rank(self) -> int:
        """This rank; raise CommunicationError where the communicator is freed."""
        self._usable()
        return self._own

    @property
    def size(self) -> int:
        """The number of ranks; raise CommunicationError where the communicator is freed."""
        self._usable()
        return len(self._group.members)

    def Get_rank(self) -> int:
        """Return this rank."""
        return self.rank

    def Get_size(self) -> int:
        """Return the number of ranks."""
        return self.size

    def Is_inter(self) -> bool:
        """Return False: no intercommunicator is simulated."""
        self._usable()
        return False

    def _enter(self, what: Collective, blocks: bool = True) -> Entered:
        """Enter the next collective call of this communicator."""
        group, call = self._group, self._call(what.text or f"{what.name}()")
        self._usable()
        if (
            what.flow != ALL
            and (what.moves or what.terms)
            and any(shared.shares and not shared.closed for shared in group.world.sharing)
        ):
            raise unmodelled(
                "while ranks share memory, whose loads and stores it does not order among all"
            )
        self._record(call, what.sent, what.out.array if what.out is not None else None, what.moves)
        meeting = self._meeting(what, call)
        entered = Entered(group.world, call, meeting, self.rank, what.out, what.into)
        entered.hold(blocks)
        orders = what.flow == ALL and (blocks or what.name == IBARRIER)
        among, sharing = set(group.members), group.world.sharing if orders else []
        ordered = [shared for shared in sharing if set(shared.group.members) <= among]
        if not blocks:
            entered.pause([shared.epochs for shared in ordered])
        meeting.calls[self.rank] = call
        meeting.given[self.rank] = what.given if what.given is not None else self._entry(what)
        group.world.log.append(("enter", call.rank, meeting))
        if len(meeting.given) == self.size:
            del group.meetings[self._met]
            meeting.results = what.rule([meeting.given[rank] for rank in range(self.size)])
            for rank in group.members:
                group.world.wake(rank)
            for shared in ordered:
                shared.synchronised()
        self._met += 1
        return entered

    def _meeting(self, what: Collective, call: Call) -> Meeting:
        """Return where the ranks meet; raise CommunicationError where this one comes to another."""
        group, terms = self._group, dict(what.terms)
        made = Meeting(what.name, terms, what.flow, group.members[what.root])
        meeting = group.meetings.setdefault(self._met, made)
        first = next(iter(meeting.calls.values()), call)
        if meeting.kind != what.name:
            raise CommunicationError(
                Fault.CALL_ORDERING,
                f"{call}, but {first}: the ranks of a communicator enter its collective calls in"
                " one order",
            )
        for name, value in terms.items():
            if meeting.terms[name] != value:
                text = f"{call} has {name} {value}, but {first} has {name} {meeting.terms[name]}"
                raise CommunicationError(Fault.PARAMETER_MATCHING, text)
        return meeting

    def _entry(self, what: Collective) -> Entry:
        """Return what a rank gives: a copy of what it sends."""
        if what.out is None:
            return Entry(None, what.into)
        alone = self.size == 1
        return Entry(
            replace(what.out, array=what.out.array.copy() if alone else outgoing(what.out.array)),
            what.into,
        )

    def _meet(self, what: Collective) -> Any:
        """Enter a collective call, wait for all ranks, and return the result."""
        entered = self._enter(what)
        world = self._group.world
        world.wait(entered.call, entered.done)
        world.turn(entered.call.rank)
        return entered.finish()

    def _record(
        self, call: Call, sent: tuple[tuple[int, int], ...], array: Any = None, moves: bool = True
    ) -> None:
        """Add an operation to the trace that sends this array, if any; among one rank nothing is
        exchanged.
        """
        members = self._group.members
        travels = self.size > 1 and any(count for _, count in sent)
        depth = array.depth + 1 if travels and hasattr(array, "depth") else 0
        itemsize = np.dtype(array.dtype).itemsize if travels and hasattr(array, "dtype") else 0
        counts = tuple((members[peer], count) for peer, count in sent)
        self._group.world.record(call, members, counts, depth, moves, itemsize)

    def _call(self, text: str) -> Call:
        return call_of(self._group.members[self.rank], text)

    @property
    def _nodes(self) -> list[int]:
        """The nodes that the ranks are on."""
        return [node_of(member, self._group.world.size) for member in self._group.members]

    @property
    def _names(self) -> list[str]:
        """The ranks by their names in error messages."""
        return [f"rank {member}" for member in self._group.members]

    def _rank(self, rank: Any, also: tuple[int, ...] = ()) -> int:
        """Return a rank, or one of the names of none; raise CommunicationError where it is none."""
        if (
            isinstance(rank, bool)
            or not hasattr(rank, "__index__")
            or not (0 <= int(rank) < self.size or int(rank) in also)
        ):
            raise invalid(f"rank {rank} of a communicator of {self.size} ranks")
        return int(rank)

    def _tag(self, tag: Any, also: tuple[int, ...] = ()) -> int:
        if not hasattr(tag, "__index__") or not (0 <= int(tag) <= MOST_TAG or int(tag) in also):
            raise invalid(f"tag {tag}: tags are from 0 to {MOST_TAG}")
        return int(tag)

    def _usable(self) -> None:
        if self._freed:
            raise invalid("the communicator has been freed")
