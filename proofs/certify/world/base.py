"""What every call of a communicator rests on: its ranks, its checks, how collective calls meet."""

from __future__ import annotations

from typing import Any

from proofs.certify.language.table_entries import Undecided
from proofs.certify.world.collectives import Collective, Entered, Entry, Group
from proofs.certify.world.faults import Fault
from proofs.certify.world.hub import Call
from proofs.certify.world.memory.message_buffers import Buffer, Reader
from proofs.certify.world.transfers import MOST_TAG, PROC_NULL, hold

MAKING = ("Dup", "Split", "Split_type", "Create_cart", "Allocate_shared")
"""Collective calls that make another communicator, or a window."""
MOST_CALLS = 1 << 16
"""A rank calls communicators at most so often in one transform."""


class Base:
    """One rank's side of a communicator; `opened` is the call that has made it, `entered` the last
    of its collective calls, and `talked` the last of these that makes nothing (MAKING).
    """

    def __init__(self, group: Group, rank: int, opened: Call | None = None) -> None:
        self.group, self.own, self.opened = group, rank, opened
        self.world, self.met, self.freed = group.world, 0, False
        self.is_inter = False
        self.entered: Call | None = None
        self.talked: Call | None = None
        self.reader = Reader(group.world)
        if opened is not None:
            self.world.handle(opened, 1)
            self.world.open(self, Fault.RESOURCE_LEAK, opened)

    @property
    def rank(self) -> int:
        """This rank; Refuted where the communicator is freed."""
        self.usable()
        return self.own

    @property
    def size(self) -> int:
        """The number of ranks; Refuted where the communicator is freed."""
        self.usable()
        return len(self.group.members)

    def usable(self) -> None:
        """Raise Refuted where the communicator is freed."""
        if self.freed:
            raise self.wrong("the communicator is freed")

    def close(self) -> None:
        """Note that the communicator is freed."""
        assert self.opened is not None
        self.freed = True
        self.world.handle(self.opened, -1)
        self.world.close(self)

    def wrong(self, words: str, kind: Fault = Fault.INVALID_PARAMETER) -> Exception:
        """Return the error of the running rank."""
        return self.world.wrong(kind, words)

    def peer(self, rank: Any, nobody: bool = False) -> int:
        """Return a rank of this communicator, or PROC_NULL where that may be."""
        if nobody and isinstance(rank, int) and rank == PROC_NULL:
            return PROC_NULL
        found = -1 if isinstance(rank, bool) or not hasattr(rank, "__index__") else int(rank)
        if not 0 <= found < self.size:
            raise self.wrong(f"{rank!r} in place of a rank of {self.size} ranks")
        return found

    def label(self, tag: Any) -> int:
        """Return a tag."""
        if not hasattr(tag, "__index__") or not 0 <= int(tag) <= MOST_TAG:
            raise self.wrong(f"tag {tag!r}: tags are from 0 to {MOST_TAG}")
        return int(tag)

    def enter(self, what: Collective, waits: bool = True) -> Entered:
        """Enter the next collective call."""
        self.usable()
        if self.is_inter:
            raise Undecided(f"{what.name} of an intercommunicator")
        call = self.world.call(what.text)
        self.note(call, what.name, what.sent, what.out, what.moves)
        holds = hold(self.world, call, [(what.out, False), (what.into, True)])
        given = what.given
        if what.out is not None:
            what.out.touch(False)
        if given is None:
            given = Entry(self._sent(what.out), what.into)
        kept = (what.out, what.out.alone()) if what.out and not waits else None
        if not waits and what.into is not None:
            what.into.spoil()
        meeting = self.group.meet(self.met, self.own, what, call, given)
        self.met, self.entered = self.met + 1, call
        self.talked = self.talked if what.name in MAKING else call
        return Entered(self.world, call, meeting, self.own, holds, what.into, kept, waits)

    def meet(self, what: Collective) -> Any:
        """Enter a collective call, wait for all ranks, and return the result."""
        entered = self.enter(what)
        self.world.wait(entered.call, entered.done)
        return entered.finish()

    def _sent(self, out: Buffer | None) -> Buffer | None:
        if out is None:
            return None
        return out.travel() if self.size > 1 else out.alone()

    def note(
        self,
        call: Call,
        kind: str,
        sent: tuple[tuple[int, int], ...] = (),
        out: Buffer | None = None,
        moves: bool = True,
    ) -> None:
        """Add an operation to the trace; among one rank nothing is exchanged."""
        members = self.group.members
        depth = itemsize = 0
        if self.size > 1 and out is not None and any(count for _, count in sent):
            itemsize = out.array.dtype.itemsize
            depth = out.depth() + 1 if hasattr(out.array, "space") else 0
            for peer, count in sent if depth else ():
                if count and peer != self.own:
                    cells = out.part(peer if len(out.counts) > 1 else 0)
                    out.array.space.tell(call.rank, members[peer], call.line, cells)
        counts = tuple((members[peer], count) for peer, count in sent)
        log = self.world.log
        log.note(call.rank, kind, members, counts, depth, moves, itemsize)
        if log.calls[call.rank] > MOST_CALLS:
            what = f"{log.phases[call.rank] or 'a rank'} calls communicators more than {MOST_CALLS}"
            raise Undecided(f"{what} times on rank {call.rank}", call.line or None)
