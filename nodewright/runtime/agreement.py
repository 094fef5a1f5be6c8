"""One request of all ranks of a communicator: all state the same, or all raise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any, TypeVar

from nodewright.runtime import dropped

Asked = TypeVar("Asked")
LONGEST = 60
"""The most characters of an option that a message shows."""


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
    rule = "comm must be a communicator of mpi4py, or None for one rank; got"
    if not hasattr(comm, "allgather"):
        raise ValueError(f"{rule} {type(comm).__name__}")
    if not comm:
        raise ValueError(
            "comm is MPI.COMM_NULL or freed; only ranks of the communicator may create the"
            " transform"
        )
    if comm.Is_inter():
        raise ValueError(f"{rule} {type(comm).__name__}; comm.Merge() joins both groups")
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


def _options(request: Any) -> dict[str, str]:
    """Return the options of a request with their values as text."""
    if not is_dataclass(request):
        return {"": in_full(request)}
    return {each.name: in_full(getattr(request, each.name)) for each in fields(request)}


def _difference(first: dict[str, str], other: dict[str, str], rank: int) -> str:
    """Return the first option in which the requests of rank 0 and of another rank differ, or the
    requests where they have no options.

    >>> _difference({"N": "16", "input": "'block'"}, {"N": "16", "input": "'cyclic'"}, 3)
    "rank 0 has input='block', rank 3 has input='cyclic'"
    >>> _difference({"": "'float64'"}, {"": "'int32'"}, 1)
    "rank 0 has 'float64', rank 1 has 'int32'"
    """
    name = next((name for name in first if first[name] != other.get(name)), "")
    which = f"{name}=" if name else ""
    both = (f"rank {of} has {which}{has[name]}" for of, has in ((0, first), (rank, other)))
    return ", ".join(each if len(each) <= LONGEST else f"{each[:LONGEST]}.." for each in both)


def of_rank_0(comm: Any, found: Callable[[], Asked]) -> Asked:
    """Return what rank 0 finds, on every rank; all raise the error that it meets. Collective.

    >>> of_rank_0(communicator(None), lambda: 1 + 1)
    2
    """
    given, failure = None, None
    if comm.rank == 0:
        try:
            given = found()
        except Exception as error:  # raised by all ranks
            failure = error
    given, failure = comm.bcast((given, failure))
    if failure:
        raise failure
    assert given is not None, "rank 0 finds something, or raises"
    return given


def agreed(comm: Any, request: Callable[[], Asked], what: str) -> Asked:
    """Return the request of this rank, which must be that of all ranks; collective. Raises
    ValueError on every rank where one requests something else or raises; `what` names it.
    Transforms that all their ranks have dropped are freed.

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
    for rank, (why, _) in enumerate(answers):
        if why is not None:
            raise ValueError(f"rank {rank}: {why}")
    others = [rank for rank, (_, digest) in enumerate(answers) if digest != answers[0][1]]
    if others:
        every = comm.allgather(_options(said))
        raise ValueError(
            f"all ranks must request the same {what};"
            f" {_difference(every[0], every[others[0]], others[0])}"
        )
    assert said is not None, "what is stated is known, or an error is raised"
    return said
