"""mpiexec on this machine: which one starts programs, and what it has to be told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
"""Open MPI refuses root, and more ranks than cores, unless these say otherwise."""
CHOSEN = "NODEWRIGHT_MPIEXEC"
"""The environment variable that names an mpiexec."""
LIBRARY = ("MPI4PY_MPIABI", "MPI4PY_LIBMPI", "LD_LIBRARY_PATH")
"""The environment variables by which mpi4py finds its MPI library."""
NAMES = ("mpiexec", "mpiexec.openmpi", "mpiexec.mpich", "mpiexec.hydra", "mpirun")
FAMILIES = {
    "Open MPI": ("Open MPI", "OpenRTE", "PRRTE", "prte", "Spectrum"),
    "MPICH": ("MPICH", "HYDRA", "Intel", "MVAPICH"),
}
"""The words by which a library or an mpiexec names itself. Ranks started by an mpiexec of another
family than their library do not find each other.
"""
ASK = """
import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
name, version = MPI.get_vendor()
print(name, ".".join(map(str, version)))
"""
PATIENCE = 60.0
"""Seconds that an mpiexec or a library has to name itself."""


class MpiexecNotFound(FileNotFoundError):
    """There is no mpi4py, or no mpiexec that fits its MPI library."""


def choose(command: str | None) -> str | None:
    """Let this mpiexec, a file or a command on PATH, start all programs of this process; return it.
    None changes nothing.

    Raises MpiexecNotFound where there is no such command, or where it does not fit the MPI library
    of mpi4py.
    """
    if command is not None:
        found = shutil.which(command)
        if not found:
            raise MpiexecNotFound(f"--mpiexec {command}: no such command")
        os.environ[CHOSEN] = str(Path(found).absolute())
        mpiexec()
    return command


def mpiexec() -> str:
    """Return the mpiexec that starts programs: the one that NODEWRIGHT_MPIEXEC names, else the
    first that fits the MPI library of mpi4py, beside this Python or on PATH.

    Raises MpiexecNotFound where there is none.
    """
    if not find_spec("mpi4py"):
        raise MpiexecNotFound(
            "mpi4py not found; to install it, run pip install 'nodewright[mpi]', or on a cluster"
            " build mpi4py with its MPI"
        )
    chosen = os.environ.get(CHOSEN)
    beside = shutil.which("mpiexec", path=str(Path(sys.executable).parent))
    found = [shutil.which(chosen)] if chosen else [beside, *map(shutil.which, NAMES)]
    there = tuple(dict.fromkeys(str(Path(each).absolute()) for each in found if each))
    if not there:
        raise MpiexecNotFound(
            f"{CHOSEN}={chosen}: no such command"
            if chosen
            else "mpiexec not found; to install it, run pip install 'nodewright[mpi]', or put your"
            " cluster's MPI on PATH"
        )
    return _fitting(there, tuple(os.environ.get(name) for name in LIBRARY))


@lru_cache
def _fitting(there: tuple[str, ...], library: tuple[str | None, ...]) -> str:
    """Return the first mpiexec that fits the MPI library that the environment names."""
    try:
        bound = _said([sys.executable, "-c", ASK])
    except subprocess.CalledProcessError as error:
        why = (error.stderr.splitlines() or ["no word"])[-1]
        pairs = zip(LIBRARY, library, strict=True)
        named = "".join(f" {name}={value}" for name, value in pairs if value)
        raise MpiexecNotFound(f"mpi4py loads no MPI library{named}: {why}") from error
    wanted, others = family(bound), list[str]()
    for each in there:
        try:
            given = family(_said([each, "--version"]))
        except (OSError, subprocess.SubprocessError):
            given = ""
        if not wanted or given in ("", wanted):
            return each
        others.append(f"{each} is of {given}")
    raise MpiexecNotFound(
        f"mpi4py uses {bound}, but {', '.join(others)}: put the mpiexec of {wanted} on PATH, name"
        f" it by --mpiexec or {CHOSEN}, or choose mpi4py's MPI by MPI4PY_MPIABI"
    )


def family(said: str) -> str:
    """Return which family of MPI a library or an mpiexec says that it is of, "" where that is not
    known.

    >>> family("Open MPI 4.1.4"), family("HYDRA build details:"), family("srun 23.02")
    ('Open MPI', 'MPICH', '')
    """
    return next((name for name, words in FAMILIES.items() if any(map(said.count, words))), "")


def _said(command: list[str]) -> str:
    """Return the first lines that a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    return done.stdout[:500].strip()
