"""Programs that are planned on the ranks of a communicator."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from uuid import uuid4

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program
from codegen.requests import reads_files
from codegen.systems.record import Request
from nodewright.runtime.agreement import of_rank_0
from nodewright.runtime.loading import KEPT, loaded


class Planned:
    """One program on the ranks of a communicator: text, module, and a rank's plan of it."""

    def __init__(self, comm: Any, request: Request) -> None:
        """Have rank 0 write the program, by a name that no other plan has, and plan it; collective.
        All ranks raise ValueError, and
        RuntimeError where MPI makes no further communicator.
        """
        self.text, self.name = of_rank_0(comm, lambda: (_text(request), uuid4().hex))
        self.module = loaded(self.text, request.system.replace("-", "_"))
        self.transform = self.module.transform
        try:
            self.plan = self.module.plan(comm)
        except RuntimeError as error:  # Unusable, or MPI's
            of_mpi = [
                each for each in (error, error.__context__) if hasattr(each, "Get_error_class")
            ]
            if of_mpi:
                raise RuntimeError(
                    f"MPI cannot create this transform: {str(of_mpi[0]).split(': ')[-1]}; free()"
                    " each transform that is no longer needed, or drop all references to it"
                ) from error
            if isinstance(error, self.module.Unusable):
                raise ValueError(str(error)) from error
            raise


def _text(request: Request) -> str:
    """Return the source of the program that a request asks for; files are read every time."""
    return emit(resolved(request)) if reads_files(request) else _kept(request)


@lru_cache(KEPT)
def _kept(request: Request) -> str:
    return emit(resolved(request))


def resolved(request: Request) -> Program:
    """Return the program that a request asks for; raise ValueError where there is none, or where
    the file of a layout bmmc:FILE cannot be read.
    """
    try:
        return resolve(request)
    except OSError as error:
        name = request.input if str(error.filename) in request.input else request.output
        raise ValueError(f"layout {name}: {error.filename}: {error.strerror}") from error
