"""The two sides of a message between ranks of a simulated run, and the queue where each waits for
the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from codegen.mpi.faults import CommunicationError, Fault
from codegen.mpi.memory.buffers import Buffer, Parcel, outgoing, same
from codegen.mpi.memory.holds import Hold
from codegen.mpi.memory.pickled import Pickled, made
from codegen.mpi.ranks import Call, World

ANY_SOURCE, ANY_TAG, PROC_NULL, UNDEFINED = -1001, -1002, -1003, -1004
"""MPI's names of no rank or tag. Their values differ among MPIs, so a program that writes numbers
in their place is refused.
"""
MOST_TAG = 32767
"""The largest tag that every MPI takes."""
GONE = Parcel()
"""In place of the buffer of a message that is through."""


@dataclass(slots=True)
class Envelope:
    """What a receive learns of its message."""

    source: int = ANY_SOURCE
    tag: int = ANY_TAG
    count: int = 0
    kind: Any = None


@dataclass(eq=False, slots=True)
class Transfer:
    """One side of a message, between ranks of a communicator. `held` is what a send has sent, and
    what a receive has got.
    """

    world: World
    call: Call
    sends: bool
    source: int
    target: int
    tag: int
    buffer: Buffer | Parcel
    mail: Mail
    standard: bool = True
    peeks: bool = False
    number: int = 0
    held: Any = None
    mate: Transfer | None = None
    buffered: bool = False
    denied: bool = False
    holds: list[Hold] = field(default_factory=list)
    envelope: Envelope = field(default_factory=Envelope)

    @property
    def wild(self) -> bool:
        """Whether this receive takes messages of any rank."""
        return not self.sends and self.source == ANY_SOURCE

    def takes(self, send: Transfer) -> bool:
        """Return whether these are the two sides of one message."""
        return self.source in (ANY_SOURCE, send.source) and self.tag in (ANY_TAG, send.tag)

    def done(self) -> bool:
        """Return whether this side is complete."""
        return self.mate is not None or self.buffered

    def begin(self) -> None:
        """Take the buffer; raise CommunicationError if another operation of this rank has it."""
        self.holds = held(self.world, self.call, self.buffer, not self.sends)
        if self.sends:
            self.held = self.buffer.part(0).copy()
        else:
            self.buffer.poison(0)
        self.number = self.world.number()
        self.world.log.append(("start", self.call.rank, self))

    def announce(self, send: Transfer) -> None:
        """Note whose message this side gets."""
        size = send.buffer.octets if isinstance(send.buffer, Buffer) else 0
        self.envelope = Envelope(
            send.source, send.tag, send.buffer.counts[0] * (size or 1), send.buffer.kind
        )

    def finish(self) -> Any:
        """Give the buffer back with the message; CommunicationError if it was touched meanwhile."""
        self.world.log.append(("end", self.call.rank, self))
        released(self.world, self.call.rank, self.holds)
        if self.sends:
            if not same(self.buffer.part(0), self.held):
                raise CommunicationError(
                    Fault.LOCAL_CONCURRENCY,
                    f"{self.call}: the buffer was changed before the send was complete",
                )
            if self.mate is not None:
                self.held, self.buffer, self.holds = None, GONE, []
            return None
        if not self.buffer.poisoned(0):
            raise CommunicationError(
                Fault.LOCAL_CONCURRENCY,
                f"{self.call}: the buffer was written before the receive was complete",
            )
        self.buffer.put(0, self.held)
        received, self.held, self.buffer, self.holds = self.buffer, None, GONE, []
        return made(received.thing) if isinstance(received, Parcel) else None


def held(world: World, call: Call, buffer: Buffer | Parcel, writes: bool) -> list[Hold]:
    """Take a buffer for an operation; raise CommunicationError if another of this rank has it."""
    holds = buffer.uses(writes, call)
    for hold in holds:
        if hold.doubles:
            raise CommunicationError(
                Fault.INVALID_PARAMETER,
                f"{call}: its type has several elements received in one place",
            )
        other = world.holds[call.rank].against(hold)
        if other is not None:
            how = (
                "it overlaps its own buffer"
                if other.call is call
                else f"its buffer overlaps that of {other.call}, which is not complete"
            )
            raise CommunicationError(Fault.LOCAL_CONCURRENCY, f"{call}: {how}")
        world.holds[call.rank].take(hold)
    return holds


def released(world: World, rank: int, holds: list[Hold]) -> None:
    """Give it back."""
    for hold in holds:
        world.holds[rank].drop(hold)


class Mail:
    """The sends and receives of one communicator that wait, in the order of their beginning."""

    def __init__(self) -> None:
        self.sends: dict[tuple[int, int], list[Transfer]] = {}
        self.receives: dict[tuple[int, int], list[Transfer]] = {}

    def post(self, transfer: Transfer) -> None:
        """Find the other side of a message, the first that fits, or let it wait: none overtakes."""
        way = transfer.source, transfer.target
        other = self._receive_for(transfer) if transfer.sends else self.send_for(transfer)
        if other is None:
            (self.sends if transfer.sends else self.receives).setdefault(way, []).append(transfer)
            return
        (self.receives if transfer.sends else self.sends)[other.source, other.target].remove(other)
        match(*((transfer, other) if transfer.sends else (other, transfer)))
        transfer.world.wake(other.call.rank)

    def send_for(self, receive: Transfer) -> Transfer | None:
        """Return the send that this receive takes, if one waits."""
        ways = (
            [(receive.source, receive.target)]
            if receive.source != ANY_SOURCE
            else [way for way in self.sends if way[1] == receive.target]
        )
        return next(
            (send for way in ways for send in self.sends.get(way, ()) if receive.takes(send)), None
        )

    def _receive_for(self, send: Transfer) -> Transfer | None:
        waiting = [
            *self.receives.get((send.source, send.target), ()),
            *self.receives.get((ANY_SOURCE, send.target), ()),
        ]
        if not waiting:
            return None
        return min(
            (receive for receive in waiting if receive.takes(send)),
            key=lambda receive: receive.number,
            default=None,
        )

    @property
    def pending(self) -> Iterator[Transfer]:
        """All that waits."""
        yield from (
            transfer
            for side in (self.sends, self.receives)
            for queue in side.values()
            for transfer in queue
        )

    def buffer(self) -> bool:
        """Let the standard sends that wait be complete; return whether there were any."""
        blocked = [
            send
            for queue in self.sends.values()
            for send in queue
            if send.standard and not send.buffered
        ]
        for send in blocked:
            send.buffered = True
            send.world.wake(send.call.rank)
        return bool(blocked)


def match(send: Transfer, receive: Transfer) -> None:
    """Give the elements to the receive; raise CommunicationError unless count and type agree."""
    if (send.buffer.counts, send.buffer.kind) != (receive.buffer.counts, receive.buffer.kind):
        raise CommunicationError(
            Fault.PARAMETER_MATCHING,
            f"{send.call}, but {receive.call}: count and type of a message agree",
        )
    if isinstance(send.held, Parcel) and isinstance(receive.buffer, Parcel):
        _has_room(send, receive, send.held.thing, receive.buffer.room)
    receive.held = outgoing(send.held)
    receive.announce(send)
    send.mate, receive.mate = receive, send


def _has_room(send: Transfer, receive: Transfer, thing: Pickled | None, room: int | None) -> None:
    """Raise CommunicationError where an object has more bytes than its receive has room for."""
    if thing is not None and room is not None and len(thing.octets) > room:
        text = (
            f"{send.call} sends {len(thing.octets)} bytes, but {receive.call} has room for {room},"
            " as in mpi4py"
        )
        raise CommunicationError(Fault.PARAMETER_MATCHING, text)
