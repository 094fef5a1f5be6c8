"""The faults that a simulated run refuses: the classes of errors of the MPI Bugs Initiative, and
the exceptions that carry them.

"parameter matching: rank 0 in Send(to rank 1, 3 elements of float64, tag 0) at line 7: comm.Send(x,
1), but rank 1 in ..."
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar


class Fault(StrEnum):
    """A class of errors, by MBI's name for it (Laguna et al. 2022, table 1;
    https://gitlab.com/MpiCorrectnessBenchmark).
    """

    INVALID_PARAMETER = "invalid parameter"
    """A rank, root, tag, count, buffer, type, operator or window that no call takes."""
    RESOURCE_LEAK = "resource leak"
    """A communicator, type, window or persistent request that is never freed."""
    REQUEST_LIFECYCLE = "request lifecycle"
    """A request without Wait, a persistent one without Start, or started twice."""
    EPOCH_LIFECYCLE = "epoch lifecycle"
    """One-sided accesses outside of an epoch, an epoch opened twice or left open."""
    LOCAL_CONCURRENCY = "local concurrency"
    """A buffer used by its own rank while an operation has it."""
    PARAMETER_MATCHING = "parameter matching"
    """Ranks that disagree on a type, count, root, operator, tag or communicator."""
    MESSAGE_RACE = "message race"
    """Several messages match a receive, or the course depends on which answer a test gives."""
    CALL_ORDERING = "call ordering"
    """Calls that do not go together: a deadlock however much is buffered, collective calls in
    different orders or missing.
    """
    GLOBAL_CONCURRENCY = "global concurrency"
    """Two ranks use one place of a window between two synchronisations, and one of them writes."""
    BUFFERING_HAZARD = "buffering hazard"
    """A deadlock unless messages are buffered."""
    ABORTED = "aborted"
    """A rank called Abort."""


class Final:
    """An error that a program does not undo by catching it: while `kept` is a list, every one is
    noted there, and whatever else is to be.
    """

    kept: ClassVar[list[Any] | None] = None

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        if Final.kept is not None:
            Final.kept.append(self)


def forget(error: BaseException) -> None:
    """Forget a pending error that is not final: the program has not caught it."""
    if Final.kept is not None and not isinstance(error, Final):
        Final.kept[:] = [known for known in Final.kept if known is not error]


class CommunicationError(Final, RuntimeError):
    """The ranks do not agree on an operation, or one uses what is not its own: the class of the
    error, and who did what where.
    """

    def __init__(self, fault: Fault, text: str) -> None:
        self.fault = fault
        super().__init__(f"{fault}: {text}")


class NotModelled(Final, NotImplementedError):
    """The simulated communicator does not have this, so nothing is said about the program."""
