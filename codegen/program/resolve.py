"""From a request to its program: what is not stated is chosen, and supersteps are made of it.

emit(resolve(request)), and in parts:

complete    the words of a request: checked, and filled in; nothing is searched for
on_grid     the sizes of arrays: the grid of the ranks that sends least; of unequal parts
            (codegen/unequal_parts.py) where equal ones have no program
lower       the supersteps: phases, routes of digits, exchanges and kernels
emit        the source
"""

from __future__ import annotations

from functools import lru_cache

from codegen import unequal_parts
from codegen.program.ragged.part_programs import of_parts
from codegen.program.supersteps import Program
from codegen.requests import complete, reads_files
from codegen.shapes import on_grid
from codegen.systems.record import Request

MOST_KEPT = 256
"""The most programs that are cached."""


def resolve(request: Request) -> Program:
    """Return the program that a request asks for, in the form that its kernels do; the program's
    own request states all that was chosen, and is not searched again.

    Raises ValueError for what `complete` refuses, for a grid or a layout that there is not, naming
    the first factor of a formula of one's own that cannot be lowered, where a computation in parts
    has no such kernels, and where nodes have no messages that go together.

    >>> program = resolve(Request("fft", 64 * 48, 4, shape=(64, 48)))
    >>> [type(step).__name__ for step in program.steps], program.request.grid
    (['Transform', 'Trade', 'Transform', 'Trade'], (4, 1))
    """
    stated = complete(request)
    if stated.unequal:
        return _kept(unequal_parts.on_grid(stated))
    try:
        chosen = on_grid(stated)
        return lower(chosen) if reads_files(chosen) else _kept(chosen)
    except ValueError as error:
        if (other := unequal_parts.otherwise(stated)) is None:
            raise ValueError(f"{error}{unequal_parts.remedy(stated)}") from error
    return _kept(unequal_parts.on_grid(other))


def lower(request: Request) -> Program:
    """Return the program of a request that states its sizes in full."""
    if request.unequal:
        return of_parts(request)
    program: Program = request.record.lower(request)
    if request.way.of_all:
        _demand_messages_for_all(program)
    return program


_kept = lru_cache(MOST_KEPT)(lower)


def _demand_messages_for_all(program: Program) -> None:
    """Raise ValueError unless there are exchanges, and each has a message from every rank to every
    rank.
    """
    way = program.request.exchange
    some = not all(exchange.is_whole for exchange in program.exchanges)
    if some or not program.exchanges:
        has = "where a rank has messages for some ranks only" if some else "without an exchange"
        raise ValueError(
            f"exchange {way}, {program.M} elements a rank, P = {program.P}: it is for"
            " programs in whose exchanges every rank has a message for every rank, as an fft with"
            f" P^2 <= N has, and this is one {has}; take auto or alltoall"
        )
