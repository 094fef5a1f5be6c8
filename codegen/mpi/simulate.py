"""An MPI communicator without MPI: all P ranks of a program in one process, with the calls of
mpi4py.

    run(P, body) calls body(comm) on every rank

Sends are rendezvous: a send completes only when its receive is there, so a program that counts on
buffering deadlocks here. Counts and types are strict, the buffer of a pending receive is poisoned,
that of a pending send must not change, and neither may be used by another operation. A receive from
any source is refused as a race where more than one message can match (causality.py); tests for
completion are run with all their answers (schedules.py). So what is accepted holds for every
schedule. What is not modelled raises NotModelled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from codegen.mpi.calls.collectives import Group, kept, split
from codegen.mpi.calls.messages import Messages
from codegen.mpi.calls.of_all import IN_PLACE, Together
from codegen.mpi.calls.of_objects import Objects
from codegen.mpi.calls.operators import OPERATORS, Op
from codegen.mpi.calls.requests import Prequest, Request, Status
from codegen.mpi.calls.transfers import ANY_SOURCE, ANY_TAG, PROC_NULL, UNDEFINED
from codegen.mpi.calls.windows import LOCK_EXCLUSIVE, LOCK_SHARED, Win
from codegen.mpi.causality import ALL, NOBODY
from codegen.mpi.clocks import clock
from codegen.mpi.communicator import Collective
from codegen.mpi.faults import CommunicationError, Fault
from codegen.mpi.memory.datatypes import TYPES, Datatype
from codegen.mpi.ranks import Run, World, call_of, current, invalid, no_such
from codegen.mpi.schedules import explored

COMM_TYPE_SHARED = 1


class Aborted(CommunicationError):
    """A rank called Abort."""


def run(size: int, body: Callable[[Comm], Any], beneath: tuple[str, ...] = ()) -> Run:
    """Return what body(comm) does on `size` ranks, in every schedule; where tests make a difference
    it is called again for each. Lines of modules the names of which begin as in `beneath` are not
    the program's own, as those of the communicator are not.

    Raises CommunicationError where ranks disagree (Deadlock where none can move), NotModelled for
    what this communicator does not have, and whatever a rank raises, with a note that names the
    rank.

    >>> run(2, lambda comm: comm.allreduce(comm.rank)).results
    (1, 1)
    """
    return explored(size, on_all(size, body, beneath))


def on_all(
    size: int, body: Callable[[Comm], Any], beneath: tuple[str, ...] = ()
) -> Callable[[World, int], Any]:
    """Return what starts a rank of a world: body, with the communicator of all."""
    members = tuple(range(size))

    def start(world: World, rank: int) -> Any:
        world.beneath = beneath
        group = world.groups[0] if world.groups else Group(world, members)
        return body(Comm(group, rank))

    return start


def during(comm: Comm, phase: str) -> None:
    """Note in the trace what this rank does from now on."""
    comm._group.world.phases[comm._group.members[comm.rank]] = phase


def entered(comm: Comm) -> int:
    """Return how many collective calls this rank has entered on a communicator."""
    return comm._met


def begun(comm: Comm) -> Callable[[], bool]:
    """Return a function that says whether this rank has begun an operation since."""
    operations, rank = comm._group.world.operations, comm._group.members[comm.rank]
    before = len(operations)
    return lambda: any(operation.rank == rank for operation in operations[before:])


class Comm(Messages, Together, Objects):
    """One rank's communicator, as mpi4py's."""

    def __eq__(self, other: object) -> bool:
        """Return whether both are one communicator; a freed one is COMM_NULL, as in mpi4py."""
        if self._freed or not isinstance(other, Comm):
            return self._freed and not other and isinstance(other, Comm | NullComm)
        return self._group is other._group and not other._freed

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return not self._freed

    def Split(self, color: int = 0, key: int = 0) -> Comm | NullComm:
        """Return a communicator of the ranks with this color, in the order of their keys."""
        if int(color) < 0 and color != UNDEFINED:
            raise invalid(f"color {color}: colors are not negative")
        return self._parted("Split", f"Split(color {color}, key {key})", int(color), int(key))

    def Split_type(self, split_type: int, key: int = 0) -> Comm | NullComm:
        """Return a communicator of the ranks that share memory: those of one node."""
        if split_type != COMM_TYPE_SHARED:
            raise invalid(f"type {split_type} is not COMM_TYPE_SHARED")
        text = f"Split_type(COMM_TYPE_SHARED, key {key})"
        return self._parted("Split_type", text, self._nodes[self.rank], int(key))

    def Dup(self) -> Comm | NullComm:
        """Return another communicator of the same ranks."""
        return self._parted("Dup", "Dup()", 0, self.rank)

    Clone = Dup

    def _parted(self, name: str, text: str, color: int, key: int) -> Comm | NullComm:
        call = self._call(text)
        # where a rank is in its part depends on what all gave
        flow = NOBODY if name == "Dup" else ALL
        found = self._meet(
            Collective(
                name,
                lambda given: kept(split(self._group, given)),
                (color, key),
                text=text,
                moves=False,
                flow=flow,
            )
        )
        if found is None:
            return NullComm()
        group, rank = found
        return Comm(group, rank, call)

    def Free(self) -> None:
        """Give the communicator back; collective (MPI 4.1, 7.4.3): any rank may wait for all."""
        self._usable()
        if self._opened is None:
            raise invalid("the communicator of all ranks: a program frees what it has made")
        self._meet(
            Collective(
                "Free", lambda given: kept([None] * self.size), True, moves=False, flow=NOBODY
            )
        )
        self._freed = True
        self._group.world.contexts(self._opened, -1)
        self._group.world.closed(self)

    def Abort(self, errorcode: int = 0) -> NoReturn:
        """End all ranks."""
        self._usable()
        raise Aborted(Fault.ABORTED, f"{self._call(f'Abort({errorcode})')}: all ranks end")


class NullComm:
    """No communicator: what Split returns to a rank without a color."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comm | NullComm) and not other

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return False

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise CommunicationError(
            Fault.INVALID_PARAMETER,
            f"{call_of(current()[1], f'{name} of COMM_NULL')}: a rank without a color has no part",
        )


NAMES: dict[str, Any] = {
    "Comm": Comm,
    "Intracomm": Comm,
    "Request": Request,
    "Prequest": Prequest,
    "Status": Status,
    "Datatype": Datatype,
    "Op": Op,
    "Win": Win,
    "ANY_SOURCE": ANY_SOURCE,
    "ANY_TAG": ANY_TAG,
    "PROC_NULL": PROC_NULL,
    "UNDEFINED": UNDEFINED,
    "IN_PLACE": IN_PLACE,
    "COMM_NULL": NullComm(),
    "COMM_TYPE_SHARED": COMM_TYPE_SHARED,
    "INFO_NULL": None,
    "Wtime": clock,
    "LOCK_EXCLUSIVE": LOCK_EXCLUSIVE,
    "LOCK_SHARED": LOCK_SHARED,
    "ORDER_C": 0,
    "ORDER_F": 1,
    **TYPES,
    **OPERATORS,
}


class MPI:
    """The module that a program finds as `mpi4py.MPI`: requests, types and reductions, and no
    communicator of its own.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES:
            raise no_such("MPI", name)
        return NAMES[name]
