"""Small programs in the manner of the MPI Bugs Initiative, by the class of error that they are
about.
"""

from tests.support.mpi_bugs import (
    buffering,
    call_ordering,
    epoch_lifecycle,
    global_concurrency,
    invalid_parameter,
    local_concurrency,
    parameter_matching,
    request_lifecycle,
    resource_leak,
)
from tests.support.mpi_bugs.catalogue import PROGRAMS, Program

__all__ = [
    "PROGRAMS",
    "Program",
    "buffering",
    "call_ordering",
    "epoch_lifecycle",
    "global_concurrency",
    "invalid_parameter",
    "local_concurrency",
    "parameter_matching",
    "request_lifecycle",
    "resource_leak",
]
