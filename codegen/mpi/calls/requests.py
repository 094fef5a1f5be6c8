"""Requests of the simulated communicator: Wait and Test in all their forms, persistent requests,
and what a Status says.

Which of several requests is complete, and whether a test finds one complete that is, is not for the
program to know. Before such an answer all other ranks go as far as they can; what is then complete
may be the answer, and each possible one is a choice of the schedule (schedules.py). A test may
answer no once where it could answer yes; then it waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from codegen.mpi.calls.transfers import ANY_TAG, PROC_NULL, UNDEFINED, Envelope
from codegen.mpi.faults import Fault
from codegen.mpi.memory.datatypes import Datatype
from codegen.mpi.ranks import Call, World, call_of, wrong
from codegen.mpi.sealed import Sealed


class Pending(Protocol):
    """What a request waits for."""

    call: Call
    denied: bool
    envelope: Envelope

    def done(self) -> bool:
        """Return whether it is complete."""

    def finish(self) -> Any:
        """Give the buffers back and return an object that was received, if one was."""


class Nothing:
    """A message to or from no rank."""

    denied = True

    def __init__(self, call: Call) -> None:
        self.call, self.envelope = call, Envelope(PROC_NULL, ANY_TAG)

    def done(self) -> bool:
        """Return that it is complete at once."""
        return True

    def finish(self) -> None:
        """Do nothing."""


class Status(Sealed):
    """Source, tag and count of a message, as mpi4py's."""

    def __init__(self) -> None:
        self._envelope = Envelope()

    def _fill(self, envelope: Envelope) -> None:
        """Take in what a receive has learnt."""
        self._envelope = envelope

    def Get_source(self) -> int:
        """Return the rank that sent."""
        return self._envelope.source

    def Get_tag(self) -> int:
        """Return the tag."""
        return self._envelope.tag

    def Get_error(self) -> int:
        """Return 0: errors are exceptions."""
        return 0

    def Get_count(self, datatype: Datatype | None = None) -> int:
        """Return the number of elements of this type; bytes if none is given."""
        return self._counted(datatype, False)

    def Get_elements(self, datatype: Datatype) -> int:
        """Return the number of basic elements."""
        return self._counted(datatype, True)

    source, tag = property(Get_source), property(Get_tag)
    count = property(lambda self: self.Get_count())

    def _counted(self, datatype: Datatype | None, basic: bool) -> int:
        envelope = self._envelope
        if envelope.kind is None:
            return 0
        dtype = envelope.kind[0]
        if datatype is None or datatype._dtype == "uint8":
            return envelope.count * int(getattr(dtype, "itemsize", 1))
        if datatype._dtype != dtype:
            raise wrong(
                Fault.PARAMETER_MATCHING, f"a message of {dtype} counted in {datatype._dtype}"
            )
        per = 1 if basic else len(datatype._places)
        return UNDEFINED if envelope.count % per else envelope.count // per


class Request(Sealed):
    """A pending operation, as mpi4py's."""

    def __init__(
        self, world: World, pending: Pending | None, fault: Fault = Fault.REQUEST_LIFECYCLE
    ) -> None:
        self._world, self._pending = world, pending
        if pending is not None:
            world.opened(self, pending.call, fault)

    def _ready(self) -> Pending | None:
        """Return what to wait for, if anything is pending."""
        return self._pending

    def _over(self) -> None:
        self._pending = None
        self._world.closed(self)

    def _finish(self, status: Status | None = None) -> Any:
        pending = self._pending
        assert pending is not None
        value = pending.finish()
        if status is not None:
            status._fill(pending.envelope)
        self._over()
        return value

    def wait(self, status: Status | None = None) -> Any:
        """Wait until the operation is complete; return the object that was received, if one was."""
        pending = self._ready()
        if pending is None:
            return None
        self._world.wait(pending.call, pending.done)
        return self._finish(status)

    def Wait(self, status: Status | None = None) -> bool:
        """Wait until it is complete; CommunicationError if its buffer was touched meanwhile."""
        self.wait(status)
        return True

    def test(self, status: Status | None = None) -> tuple[bool, Any]:
        """Return whether the operation is complete, and the object that was received, if any."""
        pending = self._ready()
        if pending is None:
            return True, None
        return (
            (True, self._finish(status)) if _answers(self._world, [pending], all) else (False, None)
        )

    def Test(self, status: Status | None = None) -> bool:
        """Return whether the operation is complete."""
        return bool(self.test(status)[0])

    def Free(self) -> None:
        """Give a request back that is not pending."""
        if self._pending is not None:
            raise wrong(
                Fault.REQUEST_LIFECYCLE,
                f"{self._pending.call} is not complete, so its buffer would be anybody's",
            )

    @classmethod
    def waitall(
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> list[Any]:
        """Wait for all of these; return what was received."""
        requests = _listed(requests)
        return [
            request.wait(status)
            for request, status in zip(requests, _statuses(statuses, len(requests)), strict=True)
        ]

    @classmethod
    def Waitall(cls, requests: Sequence[Request], statuses: list[Status] | None = None) -> bool:
        """Wait for all of these."""
        cls.waitall(requests, statuses)
        return True

    @classmethod
    def testall(
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> tuple[bool, list[Any] | None]:
        """Return whether all of these are complete, and what was received."""
        requests = _listed(requests)
        active = [pending for request in requests if (pending := request._ready()) is not None]
        done = not active or _answers(requests[0]._world, active, all)
        return (True, cls.waitall(requests, statuses)) if done else (False, None)

    @classmethod
    def Testall(cls, requests: Sequence[Request], statuses: list[Status] | None = None) -> bool:
        """Return whether all of these are complete."""
        return cls.testall(requests, statuses)[0]

    @classmethod
    def waitany(cls, requests: Sequence[Request], status: Status | None = None) -> tuple[int, Any]:
        """Wait for one of these; return which, and what was received."""
        requests = _listed(requests)
        complete = _complete(requests)
        if not complete:
            return UNDEFINED, None
        k = complete[
            requests[0]._world.choose(call_of(_rank(requests), "Waitany()"), len(complete))
        ]
        return k, requests[k]._finish(status)

    @classmethod
    def Waitany(cls, requests: Sequence[Request], status: Status | None = None) -> int:
        """Wait for one of these; return which."""
        return cls.waitany(requests, status)[0]

    @classmethod
    def testany(
        cls, requests: Sequence[Request], status: Status | None = None
    ) -> tuple[int, bool, Any]:
        """Return which of these is complete, whether one is, and what was received."""
        requests = _listed(requests)
        active = [pending for request in requests if (pending := request._ready()) is not None]
        if not active:
            return UNDEFINED, True, None
        if not _answers(requests[0]._world, active, any):
            return UNDEFINED, False, None
        k, value = cls.waitany(requests, status)
        return k, True, value

    @classmethod
    def Testany(cls, requests: Sequence[Request], status: Status | None = None) -> tuple[int, bool]:
        """Return which of these is complete, and whether one is."""
        return cls.testany(requests, status)[:2]

    @classmethod
    def Waitsome(
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> list[int] | None:
        """Wait for one or more of these; return which."""
        requests = _listed(requests)
        complete = _complete(requests)
        if not complete:
            return None
        sets = requests[0]._world.choose(
            call_of(_rank(requests), "Waitsome()"), (1 << len(complete)) - 1
        )
        found = [k for i, k in enumerate(complete) if not sets + 1 >> i & 1] or complete
        for k, status in zip(found, _statuses(statuses, len(found)), strict=False):
            requests[k]._finish(status)
        return found


class Prequest(Request):
    """A persistent request: the same operation again and again."""

    def __init__(self, world: World, call: Call, start: Callable[[], Pending]) -> None:
        super().__init__(world, None)
        self._call, self._begin, self._started = call, start, False
        world.opened(self, call, Fault.RESOURCE_LEAK)

    def Start(self) -> None:
        """Begin the operation."""
        self._usable("Start")
        if self._pending is not None:
            raise wrong(
                Fault.REQUEST_LIFECYCLE, f"{self._call} has been started and not been waited for"
            )
        self._pending, self._started = self._begin(), True
        self._world.opened(self, self._call, Fault.REQUEST_LIFECYCLE)

    @classmethod
    def Startall(cls, requests: Sequence[Prequest]) -> None:
        """Begin all of these."""
        for request in _listed(requests):
            request.Start()

    def Free(self) -> None:
        """Give the request back."""
        self._usable("Free")
        super().Free()
        self._world.closed(self)
        self._freed = True

    _freed = False

    def _usable(self, name: str) -> None:
        if self._freed:
            raise wrong(Fault.REQUEST_LIFECYCLE, f"{name} of {self._call}, which has been freed")

    def _ready(self) -> Pending | None:
        self._usable("a wait")
        if not self._started:
            raise wrong(Fault.REQUEST_LIFECYCLE, f"{self._call} has never been started")
        return self._pending

    def _over(self) -> None:
        self._pending = None
        self._world.opened(self, self._call, Fault.RESOURCE_LEAK)


def _listed(requests: Sequence[Any]) -> list[Any]:
    """Return requests as mpi4py takes them, by their numbers; raise TypeError where that is not
    possible, or one is none.
    """
    found = [requests[k] for k in range(len(requests))]
    for request in found:
        if not isinstance(request, Request):
            raise TypeError(f"Cannot convert {type(request).__name__} to mpi4py.MPI.Request")
    return found


def _rank(requests: Sequence[Request]) -> int:
    return next(request._pending.call.rank for request in requests if request._pending is not None)


def _statuses(statuses: list[Status] | None, count: int) -> list[Any]:
    if statuses is None:
        return [None] * count
    statuses.extend(Status() for _ in range(count - len(statuses)))
    return statuses[:count]


def _answers(world: World, pendings: Sequence[Pending], which: Callable[..., bool]) -> bool:
    """Return whether these, all or any of them, are found complete: they may not be found so once,
    though they are.
    """
    call = call_of(pendings[0].call.rank)
    if not world.settle(call, lambda: which(pending.done() for pending in pendings)):
        return False
    denied = all(pending.denied for pending in pendings)
    if not denied and world.choose(call, 2):
        for pending in pendings:
            pending.denied = True
        return False
    return True


def _complete(requests: Sequence[Request]) -> list[int]:
    """Wait until something is complete; return all that may be."""
    active = {
        k: pending
        for k, request in enumerate(requests)
        if (pending := request._ready()) is not None
    }
    if not active:
        return []
    world, first = requests[0]._world, next(iter(active.values()))
    call = call_of(first.call.rank)
    world.wait(call, lambda: any(pending.done() for pending in active.values()))
    world.settle(call, lambda: all(pending.done() for pending in active.values()))
    return [k for k, pending in active.items() if pending.done()]
