"""Bodies of ranks on the simulated communicator, held to what a certificate asks of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codegen.mpi.faults import CommunicationError, Fault
from codegen.mpi.memory.buffers import poisoned_within
from codegen.mpi.ranks import Run
from codegen.mpi.simulate import Comm, run


def accepted(size: int, body: Callable[[Comm], Any]) -> Run:
    """Return run(size, body).

    Raises CommunicationError also where something is left open, and where a rank returns a number
    from memory that was not its own, or not yet written.

    >>> try:
    ...     accepted(2, lambda comm: comm.Dup().rank)
    ... except CommunicationError as error:
    ...     print(error.fault)
    resource leak
    """
    done = run(size, body)
    if done.leaks:
        fault, text = done.leaks[0].split(": ", 1)
        raise CommunicationError(Fault(fault), text)
    for rank, result in enumerate(done.results):
        if poisoned_within(result):
            raise CommunicationError(
                Fault.LOCAL_CONCURRENCY,
                f"rank {rank} returns what it has read of a buffer that was not complete",
            )
    return done
