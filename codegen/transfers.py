"""The two sides of a message between ranks of a simulated run, and the requests that wait for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn, Self

from codegen.buffers import Buffer, CommunicationError, NotModelled, outgoing, poison, same
from codegen.ranks import Call, World


@dataclass(eq=False)
class Transfer:
    """One side of a message. `held` is what a send has sent, and what a receive has got."""

    call: Call
    sends: bool
    tag: int | None
    buffer: Buffer
    held: Any = None
    matched: bool = False

    def fits(self, other: Transfer) -> bool:
        """Return whether these are the two sides of one message."""
        return self.sends != other.sends and (self.tag is None or other.tag is None or self.tag == other.tag)


class Request:
    """A pending send or receive, as mpi4py's."""

    def __init__(self, world: World, transfer: Transfer) -> None:
        self._world, self._transfer, self._done = world, transfer, False
        world.opened(self, transfer.call)

    def Wait(self, status: None = None) -> bool:
        """Wait until the message is through; raise CommunicationError if its buffer was touched meanwhile."""
        if not self._done:
            call = self._transfer.call
            self._world.wait(call, lambda: self._transfer.matched)
            _complete(self._transfer)
            self._done = True
            self._world.closed(self)
        return True

    wait = Wait

    @classmethod
    def Waitall(cls, requests: Iterable[Self], statuses: None = None) -> bool:
        """Wait for all of these."""
        return all(request.Wait() for request in requests)

    waitall = Waitall

    def __getattr__(self, name: str) -> NoReturn:
        raise NotModelled(f"Request.{name}: the simulated communicator has no such call")


def _complete(transfer: Transfer) -> None:
    array = transfer.buffer.part(0)
    if transfer.sends:
        if not same(array, transfer.held):
            raise CommunicationError(f"{transfer.call}: the buffer was changed before the send was complete")
        return
    if not _poisoned(array):
        raise CommunicationError(f"{transfer.call}: the buffer was written before the receive was complete")
    array[...] = transfer.held


def _poisoned(array: Any) -> bool:
    fresh = array.copy()
    poison(fresh)
    return same(array, fresh)


def match(send: Transfer, receive: Transfer) -> None:
    """Give the elements to the receive; raise CommunicationError unless count and type agree."""
    if (send.buffer.counts, send.buffer.kind) != (receive.buffer.counts, receive.buffer.kind):
        raise CommunicationError(f"{send.call}, but {receive.call}: count and type of a message agree")
    receive.held = outgoing(send.held)
    send.matched = receive.matched = True
