"""The two sides of a message between ranks, and the queue where each waits for the other.

Sends are rendezvous: a send is complete when its receive has it. What a send and a receive of one
pair of ranks match is decided by their order and their tags, since none overtakes another.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from proofs.certify.language.table_entries import Undecided
from proofs.certify.world.faults import Fault, fault
from proofs.certify.world.hub import Call, Hub
from proofs.certify.world.memory.holds import Hold
from proofs.certify.world.memory.message_buffers import Buffer

ANY_TAG, PROC_NULL, UNDEFINED = -1002, -1003, -1004
"""MPI's names of no tag and no rank. Their values differ among MPIs: programs have the names."""
MOST_TAG = 32767
"""The largest tag that every MPI has."""


def hold(world: Hub, call: Call, buffers: list[tuple[Buffer | None, bool]]) -> list[Hold]:
    """Take buffers for an operation of a rank, each to be read or written.

    Raises:
        Refuted: if another operation has one of them, or two overlap.
    """
    holds = [each for buffer, writes in buffers if buffer for each in buffer.holds(writes, call)]
    other = world.holds[call.rank].take(holds)
    if other is None:
        return holds
    how = (
        "it overlaps its own buffer"
        if other.call is call
        else f"its buffer overlaps that of {other.call}, which is not complete"
    )
    raise call.wrong(Fault.LOCAL_CONCURRENCY, how)


class Nothing:
    """A message to or from no rank."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def done(self) -> bool:
        """Return that it is complete at once."""
        return True

    def finish(self) -> None:
        """Do nothing."""


@dataclass(eq=False, slots=True)
class Transfer:
    """One side of a message between ranks of a communicator; `held` is what it sends or gets."""

    world: Hub
    call: Call
    sends: bool
    way: tuple[int, int]
    tag: int
    buffer: Buffer
    holds: list[Hold] = field(default_factory=list)
    held: Buffer | None = None
    mate: Transfer | None = None

    def begin(self) -> None:
        """Take the buffer."""
        self.holds = hold(self.world, self.call, [(self.buffer, not self.sends)])
        if self.sends:
            self.buffer.touch(False)
            self.held = self.buffer.alone()
        else:
            self.buffer.spoil()

    def takes(self, other: Transfer) -> bool:
        """Return whether both are the sides of one message."""
        return ANY_TAG in (self.tag, other.tag) or self.tag == other.tag

    def done(self) -> bool:
        """Return whether this side is complete."""
        return self.mate is not None

    def finish(self) -> None:
        """Give the buffer back, with the message.

        Raises:
            Refuted: if the program has changed it meanwhile.
        """
        self.world.holds[self.call.rank].drop(self.holds)
        held = self.held
        assert held is not None
        if self.sends and not self.buffer.same(held):
            words = "the buffer is changed before the send is complete"
            raise self.call.wrong(Fault.LOCAL_CONCURRENCY, words)
        if not self.sends:
            if not self.buffer.spoiled():
                words = "the buffer is written before the receive is complete"
                raise self.call.wrong(Fault.LOCAL_CONCURRENCY, words)
            self.buffer.put(0, held.part(0))
            self.buffer.touch(True)
        self.held = None


class Mail:
    """The sends and receives of a communicator that wait, in the order of their beginning."""

    def __init__(self) -> None:
        self.waiting: dict[tuple[int, int], list[Transfer]] = defaultdict(list)

    def post(self, transfer: Transfer) -> None:
        """Find the other side of a message, the first that fits, or let it wait."""
        queue = self.waiting[transfer.way]
        for other in queue:
            if other.sends != transfer.sends and other.takes(transfer):
                queue.remove(other)
                _match(*((transfer, other) if transfer.sends else (other, transfer)))
                return
        queue.append(transfer)


def _match(send: Transfer, receive: Transfer) -> None:
    """Give the elements to the receive; Refuted unless count and type agree.

    Raises Undecided where a message has fewer elements than MPI lets it have.
    """
    out, into = send.buffer, receive.buffer
    if out.kind == into.kind and out.counts < into.counts:
        words = f"{receive.call} of a message of {out.text()}; receive them into a slice"
        raise Undecided(words, receive.call.line)
    if (out.counts, out.kind) != (into.counts, into.kind):
        words = f"{send.call}, but {receive.call}: count and type of a message agree"
        raise fault(Fault.PARAMETER_MATCHING, words, send.call.line)
    assert send.held is not None
    receive.held = send.held.travel() if send.way[0] != send.way[1] else send.held.alone()
    send.mate, receive.mate = receive, send
