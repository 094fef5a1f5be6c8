"""One request of all ranks of a communicator: all state the same, or all raise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any, TypeVar

from nodewright.runtime import dropped

Request = TypeVar("Request")


class OneRank:
    """The communicator of a program on one rank, which needs no MPI; false when it is freed."""

    rank, size = 0, 1

    def __init__(self) -> None:
        self.is_there = True

    def __bool__(self) -> bool:
        return self.is_there

    def Dup(self) -> OneRank:
        """Return another communicator of the same rank."""
        return OneRank()

    def allgather(self, value: Any) -> list[Any]:
        """Return what all ranks give: this value."""
        return [value]

    def bcast(self, value: Any) -> Any:
        """Return what rank 0 gives."""
        return value

    def Free(self) -> None:
        """Free the communicator."""
        self.is_there = False

    def Is_inter(self) -> bool:
        """Return False: this is one group of ranks."""
        return False


def communicator(comm: Any) -> Any:
    """Return a communicator, one rank's where it is None.

    Raises ValueError for COMM_NULL or a communicator that is freed, for an intercommunicator, and
    for anything else.

    >>> communicator(None).size
    1
    """
    if comm is None:
        return OneRank()
    rule = "a transform needs a communicator of mpi4py with its ranks, or None for one rank"
    if not hasattr(comm, "allgather"):
        raise ValueError(f"comm: {type(comm).__name__}: {rule}")
    if not comm:
        raise ValueError(
            f"comm: {type(comm).__name__} that is MPI.COMM_NULL or freed: {rule};"
            " ranks outside the communicator make no transform"
        )
    if comm.Is_inter():
        raise ValueError(
            f"comm: {type(comm).__name__}: {rule}; comm.Merge() makes one of both groups"
        )
    return comm


def in_full(request: Any) -> str:
    """Return what is stated in every part, however it shows itself.

    >>> in_full(("a", 1))
    "('a', 1)"
    """
    if is_dataclass(request):
        parts = (f"{each.name}={in_full(getattr(request, each.name))}" for each in fields(request))
        return f"{type(request).__name__}({', '.join(parts)})"
    if isinstance(request, tuple):
        return f"({', '.join(map(in_full, request))})"
    return repr(request)


def agreed(comm: Any, request: Callable[[], Request], what: str) -> Request:
    """Return what this rank states, which all ranks state; collective. Raises ValueError on every
    rank where one states something else or raises; `what` names it. Transforms that all their ranks
    have dropped are freed.

    >>> agreed(communicator(None), lambda: 1 + 1, "sums")
    2
    """
    said, error = None, None
    try:
        said = request()
    except Exception as found:  # raised again when the others know
        error = found
    mine = dropped.taken()
    digest = None if error else sha256(in_full(said).encode()).digest()
    given = comm.allgather((error and str(error), digest, [*mine]))
    answers = [(why, digest) for why, digest, _ in given]
    dropped.free_together(mine, [keys for _, _, keys in given])
    if error is not None:
        raise error
    for rank, (why, digest) in enumerate(answers):
        if why is not None:
            raise ValueError(f"rank {rank}: {why}")
        if digest != answers[0][1]:
            raise ValueError(f"ranks 0 and {rank} state different {what}: all ranks state the same")
    assert said is not None, "what is stated is known, or an error is raised"
    return said
