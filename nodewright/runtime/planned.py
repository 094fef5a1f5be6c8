"""Programs that are planned on the ranks of a communicator."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from uuid import uuid4

from codegen.emit.text import emit
from codegen.systems.record import Request
from nodewright.runtime.loading import KEPT, loaded


class Planned:
    """One program on the ranks of a communicator: text, module, and a rank's plan of it."""

    def __init__(self, comm: Any, request: Request) -> None:
        """Have rank 0 write the program, and plan it; collective. All ranks raise ValueError, and
        RuntimeError where MPI makes no further communicator.
        """
        self.text, self.name = _text_for_all(comm, request)
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


def _text_for_all(comm: Any, request: Request) -> tuple[str, str]:
    """Return the text that rank 0 writes, and a name that no other plan has; all ranks raise the
    error that it meets.
    """
    text = ""
    failure: Exception | None = None
    if comm.rank == 0:
        try:
            text = _text(request)
        except OSError as error:  # the file of a layout bmmc:FILE
            name = request.input if str(error.filename) in request.input else request.output
            failure = ValueError(f"layout {name}: {error.filename}: {error.strerror}")
        except Exception as error:
            failure = error
    text, name, failure = comm.bcast((text, uuid4().hex, failure))
    if failure:
        raise failure
    return text, name


@lru_cache(KEPT)
def _text(request: Request) -> str:
    return emit(request)
