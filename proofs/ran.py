"""A program on real ranks under mpiexec: the same inputs, the same script, and the bits that come out.

What is run is the file as anybody would import it, with mpi4py and an MPI, behind a wall (proofs/enclosure.py). Bits that differ
from those of the simulated ranks show that these are not what they stand for, or that the text tells them apart.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.mpiexec import OPEN_MPI, MpiexecNotFound, mpiexec
from derive.verdict import Refuted, Tested, Undecided, Verdict
from proofs.declaration import Declaration
from proofs.enclosure import UNAVAILABLE
from proofs.jobs import OfNumbers
from proofs.plain_text import printable
from proofs.usage import IN_TURNS, Do, Free, Make, vectors
from proofs.workers import QUIET, ROOT, Workers

RANKS = 16
"""Programs for so many ranks are run, unless it is asked for more."""
PATIENCE = 120.0
"""Seconds that a real run has."""
NAME = "ran"
BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from proofs.enclosure import main; main()"
RANK = Path(__file__).with_name("real_rank.py")
FORMULA = f"0 bits of {len(vectors(IN_TURNS))} transforms"
NO_MPI = "not done: no mpiexec and mpi4py are installed here"
NO_WALL = "not done: this machine gives no namespaces and Landlock to wall real ranks in"
Array = NDArray[Any]


class NotRun(Exception):
    """Real ranks were not started, and why."""


def stated(P: int) -> str:
    """Return what the verdict states."""
    return f"on {P} real ranks under mpiexec transform gives, bit for bit, what it gives on the simulated ones"


def too_many(P: int, most: int) -> str:
    """Return why a program for more ranks than that is not run."""
    return f"not done: P = {P} is above {most}: certify --ran {P} does it"


def ran(workers: Workers, d: Declaration, data: tuple[Array, ...], most: int = RANKS) -> Verdict:
    """Return whether transforms of these vectors, each of shape (P, M), have the same bits on real ranks and on simulated ones.

    It is undecided, and says why, where real ranks cannot be had, or walled, or are more than `most`.
    """
    statement = stated(d.P)
    if most < d.P:
        return Undecided(statement, too_many(d.P, most))
    kinds = [(d.dtype, (d.P, d.M))] * len(vectors(IN_TURNS))
    _, simulated = workers.ask(OfNumbers(d, data, IN_TURNS, NAME), kinds)
    with tempfile.TemporaryDirectory(prefix="nodewright-") as name:
        folder = Path(name)
        (folder / "program.py").write_text(workers.source.text, encoding="utf-8")
        (folder / "script").write_text(json.dumps([_word(step) for step in IN_TURNS]), encoding="utf-8")
        for i, vector in enumerate(data):
            vector.tofile(folder / f"x{i}")
        try:
            _start(d, folder)
            found = [_result(folder, d, number) for number in range(len(simulated))]
        except NotRun as reason:
            return Undecided(statement, str(reason))
        except OSError as error:
            return Refuted(statement, printable(str(error)))
    for number, (one, other) in enumerate(zip(simulated, found, strict=True), 1):
        wrong = np.argwhere(_bits(one) != _bits(other))
        if len(wrong):
            rank, octet = (int(i) for i in wrong[0])
            offset = octet // d.dtype.itemsize
            values = f"{other[rank, offset]} on real ranks, {one[rank, offset]} on simulated ones"
            return Refuted(statement, f"transform {number}, rank {rank}, offset {offset}: {values}")
    return Tested(statement, 0.0, 0.0, FORMULA)


def _word(step: Make | Do | Free) -> list[Any]:
    match step:
        case Make(plan):
            return ["make", plan]
        case Do(plan, vector, _, into):
            return ["do", plan, vector, into]
    return ["free", step.plan]


def _start(d: Declaration, folder: Path) -> None:
    """Run the script on real ranks.

    Raises NotRun where there is no MPI or no wall, OSError where the program fails.
    """
    try:
        command = [mpiexec(), "-n", str(d.P), sys.executable, "-I", str(RANK)]
    except MpiexecNotFound:
        raise NotRun(NO_MPI) from None
    if not find_spec("mpi4py"):
        raise NotRun(NO_MPI)
    path = os.pathsep.join([str(Path(command[0]).parent), "/usr/bin", "/bin"])
    environment = {**QUIET, **OPEN_MPI, "PATH": path, "HOME": str(folder), "TMPDIR": str(folder)}
    with (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-I", "-c", BOOT, ROOT, str(folder), *command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise OSError(f"not done after {PATIENCE:g} s") from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    if status == UNAVAILABLE:
        raise NotRun(NO_WALL)
    if status:
        raise OSError(f"mpiexec ends with status {status}: {_last_words(folder / 'errors')}")


def _last_words(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 4000))
        lines = file.read().decode(errors="replace").splitlines()
    said = [line for line in lines if line.strip()]
    return next((line for line in said if "Error" in line), said[-1] if said else "no word")


def _result(folder: Path, d: Declaration, number: int) -> Array:
    """Return the result that the ranks have written; raises OSError where it is not of its size."""
    parts = []
    for rank in range(d.P):
        descriptor = os.open(folder / f"y{number}.{rank}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            octets = file.read(d.M * d.dtype.itemsize + 1)
        if len(octets) != d.M * d.dtype.itemsize:
            raise OSError(f"rank {rank} gives {len(octets)} bytes in transform {number + 1}, not {d.M} elements of {d.dtype}")
        parts.append(np.frombuffer(octets, d.dtype))
    return np.stack(parts)


def _bits(array: Array) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
