"""mpiexec on this machine: which one starts programs, and what it has to be told."""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
"""Open MPI refuses root, and more ranks than cores, unless these say otherwise."""


class MpiexecNotFound(FileNotFoundError):
    """There is no mpiexec beside this Python nor on PATH, or no mpi4py."""


def mpiexec() -> str:
    """Return the mpiexec that starts programs: the one beside this Python if there is one, else the
    first on PATH.

    Raises MpiexecNotFound where there is none.
    """
    found = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which(
        "mpiexec"
    )
    if found is None:
        raise MpiexecNotFound(
            "mpiexec not found: pip install 'nodewright[mpi]' brings it, or put your cluster's MPI"
            " on PATH"
        )
    if not find_spec("mpi4py"):
        raise MpiexecNotFound("mpi4py not found: pip install 'nodewright[mpi]' brings it")
    return found
