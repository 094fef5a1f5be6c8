"""Requests: Wait, Waitall, and persistent ones. Tests for completion are not in the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from proofs.certify.language.table_entries import Undecided
from proofs.certify.world.faults import Fault
from proofs.certify.world.hub import Call, Hub


class Pending(Protocol):
    """What a request waits for."""

    call: Call

    def done(self) -> bool:
        """Return whether it is complete."""

    def finish(self) -> None:
        """Give the buffers back."""


class Request:
    """An operation that is under way, or has been."""

    def __init__(self, world: Hub, pending: Pending | None) -> None:
        self.world, self.pending = world, pending
        if pending is not None:
            world.open(self, Fault.REQUEST_LIFECYCLE, pending.call)

    def __bool__(self) -> bool:
        """Return whether this is not REQUEST_NULL, which a request is when it is complete."""
        return self.pending is not None

    def __eq__(self, other: object) -> bool:
        """Return whether both are one request, as in mpi4py: all that are REQUEST_NULL are one."""
        if self is other or not isinstance(other, Request):
            return self is other
        if self and other:
            raise Undecided("a comparison of requests, of which MPI may have one for two sends")
        return not self and not other

    __hash__ = None  # type: ignore[assignment]

    def Wait(self, status: None = None) -> bool:
        """Wait until the operation is complete."""
        demand_no(status)
        self.world.call("Wait()")
        pending = self.ready()
        if pending is not None:
            self.world.wait(pending.call, pending.done)
            pending.finish()
            self.rest()
        return True

    def ready(self) -> Pending | None:
        """Return what to wait for, if anything is under way."""
        return self.pending

    def rest(self) -> None:
        """Note that the operation is complete."""
        self.pending = None
        self.world.close(self)

    def Free(self) -> None:
        """Give a request back that is not under way."""
        if self.pending is not None:
            words = f"Free of {self.pending.call}, which is not complete"
            raise self.world.wrong(Fault.REQUEST_LIFECYCLE, words)

    @staticmethod
    def Waitall(requests: Sequence[Any], statuses: None = None) -> bool:
        """Wait for all of these."""
        demand_no(statuses)
        for request in _listed(requests, Request):
            request.Wait()
        return True


class Prequest(Request):
    """A persistent request: the same operation again and again."""

    def __init__(self, world: Hub, call: Call, begin: Callable[[], Pending]) -> None:
        super().__init__(world, None)
        self.call, self.begin, self.started, self.freed = call, begin, False, False
        world.open(self, Fault.RESOURCE_LEAK, call)

    def __bool__(self) -> bool:
        """Return whether this is not REQUEST_NULL, which a persistent request is when freed."""
        return not self.freed

    def Start(self) -> None:
        """Begin the operation."""
        self._demand("Start")
        if self.pending is not None:
            words = f"Start of {self.call}, which is started and not waited for"
            raise self.world.wrong(Fault.REQUEST_LIFECYCLE, words)
        self.pending, self.started = self.begin(), True
        self.world.open(self, Fault.REQUEST_LIFECYCLE, self.call)

    def ready(self) -> Pending | None:
        self._demand("Wait")
        if not self.started:
            words = f"Wait for {self.call}, which is never started"
            raise self.world.wrong(Fault.REQUEST_LIFECYCLE, words)
        return self.pending

    def rest(self) -> None:
        self.pending = None
        self.world.open(self, Fault.RESOURCE_LEAK, self.call)

    def Free(self) -> None:
        self.world.call("Free()")
        self._demand("Free")
        super().Free()
        self.world.close(self)
        self.freed = True

    @staticmethod
    def Startall(requests: Sequence[Any]) -> None:
        """Begin all of these."""
        for request in _listed(requests, Prequest):
            request.Start()

    def _demand(self, name: str) -> None:
        if self.freed:
            words = f"{name} of {self.call}, which is freed"
            raise self.world.wrong(Fault.REQUEST_LIFECYCLE, words)


def demand_no(status: Any) -> None:
    """Raise Undecided for the status of a message, or of several."""
    if status is not None:
        raise Undecided("the status of a message")


def _listed(requests: Sequence[Any], kind: type) -> list[Any]:
    if not isinstance(requests, list | tuple) or not all(isinstance(r, kind) for r in requests):
        raise Undecided(
            f"a call that waits for or starts requests needs a list of MPI.{kind.__name__}"
        )
    return list(requests)
