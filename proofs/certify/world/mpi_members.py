"""What a program may call of communicators, requests and windows, and the names of mpi4py.MPI."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

from proofs.certify.language.table_entries import Member, Members, Module, Operation
from proofs.certify.language.values.function_values import Native
from proofs.certify.language.values.opaque import Opaque
from proofs.certify.world.communicator import COMM_NULL, COMM_TYPE_SHARED, Cart, Comm, NullComm
from proofs.certify.world.faults import Fault, fault
from proofs.certify.world.memory.message_buffers import IN_PLACE, TYPES
from proofs.certify.world.message_requests import Prequest, Request
from proofs.certify.world.reductions import OPERATORS
from proofs.certify.world.transfers import ANY_TAG, PROC_NULL, UNDEFINED
from proofs.certify.world.windows import Window, allocate_shared, array_of, from_buffer

COLLECTIVES = {
    "Bcast": ("buf", "root"),
    "Gather": ("sendbuf", "recvbuf", "root"),
    "Gatherv": ("sendbuf", "recvbuf", "root"),
    "Scatter": ("sendbuf", "recvbuf", "root"),
    "Scatterv": ("sendbuf", "recvbuf", "root"),
    "Allgather": ("sendbuf", "recvbuf"),
    "Allgatherv": ("sendbuf", "recvbuf"),
    "Alltoall": ("sendbuf", "recvbuf"),
    "Alltoallv": ("sendbuf", "recvbuf"),
    "Reduce": ("sendbuf", "recvbuf", "op", "root"),
    "Allreduce": ("sendbuf", "recvbuf", "op"),
}
CALLS = (
    *("Get_rank", "Get_size", "Is_inter", "Dup", "Clone", "Split", "Split_type", "Free", "Abort"),
    *("Barrier", "barrier", "bcast", "allgather", "gather", "scatter", "alltoall", "allreduce"),
    *("reduce", "Isend", "Issend", "Irecv", "Send", "Ssend", "Recv", "Sendrecv"),
    *("Sendrecv_replace", "Send_init", "Recv_init", "Create_cart"),
)
WINDOW = ["tomemory", "Shared_query", "Lock_all", "Unlock_all", "Sync", "Fence", "Free"]


def operation(
    name: str, call: Callable[..., Any], keywords: tuple[str, ...] | None = None
) -> Operation:
    """Return a function as an operation; its keywords are its parameters unless given."""
    known = (each for each in signature(call).parameters if each != "self")
    return Operation(name, call, frozenset(known if keywords is None else keywords))


def method(kind: type, name: str, keywords: tuple[str, ...] | None = None) -> Member:
    """Return a method of a class as a member of its values."""
    found = operation(f"{kind.__name__}.{name}", getattr(kind, name), keywords)
    return Member(name, lambda _: found)


def _of_nobody(name: str) -> Member:
    """Return what it is to read a name of COMM_NULL."""

    def read(_: NullComm) -> Any:
        raise fault(Fault.INVALID_PARAMETER, f"{name} of COMM_NULL: a rank without a color")

    return Member(name, read)


def _of_all(operations: dict[str, Operation]) -> dict[str, Member]:
    """Return the functions of a class as members of its values, which they do not use."""
    return {name: Member(name, partial(_alone, found)) for name, found in operations.items()}


def _alone(found: Operation, _: Any) -> Native:
    return Native(found.call)


COMM: dict[str, Member] = {
    "rank": Member("rank", lambda comm: comm.rank),
    "size": Member("size", lambda comm: comm.size),
    **{name: method(Comm, name) for name in CALLS},
    **{
        each: method(Comm, each, keywords)
        for name, keywords in COLLECTIVES.items()
        for each in (name, f"I{name.lower()}")
    },
}
CART: dict[str, Member] = {
    **COMM,
    **{
        name: method(Cart, name)
        for name in ("Dup", "Get_dim", "Get_topo", "Get_coords", "Get_cart_rank", "Shift", "Sub")
    },
    "dims": Member("dims", lambda comm: comm.Get_topo()[0]),
    "periods": Member("periods", lambda comm: comm.Get_topo()[1]),
    "coords": Member("coords", lambda comm: comm.coords),
    "topo": Member("topo", lambda comm: comm.Get_topo()),
    **{name: Member(name, lambda comm: comm.Get_dim()) for name in ("dim", "ndim")},
}
WAITS = {"Waitall": operation("Request.Waitall", Request.Waitall)}
STARTS = {"Startall": operation("Prequest.Startall", Prequest.Startall)}
REQUEST = {
    "Wait": method(Request, "Wait"),
    "wait": method(Request, "Wait"),
    "Free": method(Request, "Free"),
}
MEMBERS: Members = {
    Comm: COMM,
    Cart: CART,
    NullComm: {name: _of_nobody(name) for name in COMM},
    Request: {**REQUEST, **_of_all(WAITS)},
    Prequest: {
        **REQUEST,
        **_of_all(WAITS | STARTS),
        "Start": method(Prequest, "Start"),
        "Free": method(Prequest, "Free"),
    },
    Window: {name: method(Window, name) for name in WINDOW},
}
"""The attributes of communicators, requests and windows."""
MPI: Module = {
    "Request": WAITS,
    "Prequest": {**WAITS, **STARTS},
    "Win": {"Allocate_shared": operation("Win.Allocate_shared", allocate_shared)},
    **{
        name: operation(name, partial(Opaque, f"MPI.{name}", float), ())
        for name in ("Wtime", "Wtick")
    },
    "COMM_NULL": COMM_NULL,
    "COMM_TYPE_SHARED": COMM_TYPE_SHARED,
    "INFO_NULL": None,
    "PROC_NULL": PROC_NULL,
    "ANY_TAG": ANY_TAG,
    "UNDEFINED": UNDEFINED,
    "IN_PLACE": IN_PLACE,
    **TYPES,
    **OPERATORS,
}
"""The names of mpi4py.MPI."""
NUMPY: Module = {
    "frombuffer": operation("np.frombuffer", from_buffer),
    "ndarray": operation("np.ndarray", array_of),
}
"""The functions of numpy that make arrays of the memory of a window."""
