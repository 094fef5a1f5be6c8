"""How ranks break the rules of MPI: the classes of errors of the MPI Bugs Initiative."""

from __future__ import annotations

from enum import StrEnum

from proofs.certify.language.table_entries import Refuted


class Fault(StrEnum):
    """A class of errors, by its name in Laguna et al. 2022, table 1."""

    INVALID_PARAMETER = "invalid parameter"
    """A rank, root, tag, count, buffer, type, operator, communicator or window that no call has."""
    RESOURCE_LEAK = "resource leak"
    """A communicator, window or persistent request that is never freed."""
    REQUEST_LIFECYCLE = "request lifecycle"
    """A request without Wait, a persistent one without Start, or started twice."""
    EPOCH_LIFECYCLE = "epoch lifecycle"
    """A Sync outside of an epoch, an epoch opened twice or left open."""
    LOCAL_CONCURRENCY = "local concurrency"
    """A buffer used by its own rank while an operation has it."""
    PARAMETER_MATCHING = "parameter matching"
    """Ranks that disagree on a type, count, root or operator."""
    CALL_ORDERING = "call ordering"
    """Calls that do not go together: a deadlock, collective calls in different orders."""
    GLOBAL_CONCURRENCY = "global concurrency"
    """Two ranks use one entry of a window between two synchronisations, and one of them writes."""
    ABORTED = "aborted"
    """A rank called Abort."""


def fault(kind: Fault, words: object, line: int | None = None) -> Refuted:
    """Return the refutation of a program by such an error.

    >>> print(fault(Fault.CALL_ORDERING, "deadlock", 7))
    line 7: call ordering: deadlock
    """
    return Refuted("messages", f"{kind}: {words}", line or None)
