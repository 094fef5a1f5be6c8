"""From a request to its program: the equation, the two layouts, and the supersteps between them."""

from __future__ import annotations

from codegen.program.supersteps import Program
from codegen.program.whole import of_arrays
from codegen.requests import complete
from codegen.systems.record import Request


def resolve(request: Request) -> Program:
    """Return the program that a request asks for, in the form that its kernels do.

    Raises ValueError for a layout that there is not, naming the first factor of a formula of one's
    own that cannot be lowered, where a computation in parts has no such kernels, and where nodes
    have no messages that go together.

    >>> cyclic = Request("fft", 1024, 4, "cyclic", "cyclic")
    >>> [type(step).__name__ for step in resolve(cyclic).steps]
    ['Transform', 'Trade', 'Transform']
    """
    request = complete(request)
    of_axes = request.shape and request.formula is None
    program: Program = of_arrays(request) if of_axes else request.record.lower(request)
    if request.way.of_all:
        _demand_messages_for_all(program)
    return program


def _demand_messages_for_all(program: Program) -> None:
    """Raise ValueError unless there are exchanges, and each has a message from every rank to every
    rank.
    """
    way, some = (
        program.request.exchange,
        not all(exchange.is_whole for exchange in program.exchanges),
    )
    if some or not program.exchanges:
        has = "where a rank has messages for some ranks only" if some else "without an exchange"
        raise ValueError(
            f"exchange {way}, {program.M} elements a rank, P = {program.P}: it is for"
            " programs in whose exchanges every rank has a message for every rank, as an fft with"
            f" P^2 <= N has, and this is one {has}; take auto or alltoall"
        )
