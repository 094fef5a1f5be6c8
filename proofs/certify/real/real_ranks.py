"""A program on real ranks under mpiexec: the same inputs, the same script, and the bits that come
out.

What is run is the file as anybody would import it, with mpi4py and an MPI, behind a wall
(enclosure.py). Bits that differ from those of the evaluation show that it is not what it stands
for. Compiled kernels are measured here alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import starmap
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.mpiexec import LIBRARY, OPEN_MPI, MpiexecNotFound, mpiexec
from derive.verdict import Refuted, Tested, Undecided, Verdict
from proofs.certify.declaration import COMPILED, Declaration
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.plain_text import counted, printable
from proofs.certify.rows import system_of
from proofs.certify.scripts.declared_options import LAST_BITS
from proofs.certify.scripts.evaluation_jobs import Parts
from proofs.certify.scripts.usage import IN_TURNS, NO_OUT, Do, Free, Make, Script, vectors

PATIENCE = 120.0
"""Seconds that a real run has."""
PROCESSES = 16
"""So many processes and threads are allowed for each of them, and for mpiexec as for four."""
MADE = "made"
"""The folder that real ranks write to, in that of the program."""
NAME = "ran"
ROOT = str(Path(__file__).resolve().parents[3])
QUIET = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Libraries start no threads."""
BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from proofs.certify.real.enclosure import main;"
    " main()"
)
RANK = Path(__file__).with_name("real_rank.py")
FORMULA = f"0 bits of {len(vectors(IN_TURNS))} transforms"
NO_MPI = "not run: mpi4py with a matching mpiexec is not installed"
NO_NUMBA = "not run: numba is not installed"
NO_WALL = (
    "not run: this machine has no namespaces or no Landlock, with which real ranks are isolated"
)
NO_RUN = (NO_MPI, NO_NUMBA, NO_WALL)
"""Why there is no real run of a program for few enough ranks."""
Array = NDArray[Any]


class NotRun(Exception):
    """Real ranks were not started, and why."""


@dataclass(frozen=True)
class RealRun:
    """Transforms on real ranks.

    `data` are the vectors by ranks, `script` says what is done with them, and `results` has the
    result of each transform. Where there are none, `reason` says why real ranks
    were not started, or `fault` how they failed.
    """

    data: tuple[Parts, ...]
    script: Script = IN_TURNS
    results: tuple[Parts, ...] = ()
    reason: str = ""
    fault: str = ""


def stated(d: Declaration) -> str:
    """Return what the verdict states."""
    kernels = _kernels(d)
    last_bits = f" except for the last bits, {LAST_BITS[kernels]}" if kernels in LAST_BITS else ""
    return (
        f"on {counted(d.P, 'real rank')} under mpiexec, transform gives the results of its"
        f" evaluation{last_bits or ', bit for bit'}"
    )


def _kernels(d: Declaration) -> str:
    """Return the kernels that transform numbers, "" where nothing is rounded."""
    return "" if system_of(d.as_json()).is_exact else d.kernels


def agreed(d: Declaration, difference: float) -> Tested:
    """Return the verdict on results that differ by so much, relatively in the 2-norm."""
    if _kernels(d) not in LAST_BITS:
        return Tested(stated(d), difference, 0.0, FORMULA)
    u = float(np.finfo(d.dtype).eps) / 2
    return Tested(stated(d), difference, 16 * u, f"16 u, u = 2^{np.log2(u):.0f}")


def too_many(P: int, most: int) -> str:
    """Return why a program for more ranks than that is not run."""
    return f"not run: P = {P} is above {most}; certify --ran {P} runs it"


def on_real_ranks(text: str, d: Declaration, run: RealRun, most: int) -> RealRun:
    """Return a run with its results, or with the reason why there are none: real ranks cannot be
    had, or walled, or are more than `most`, or they fail.
    """
    if most < d.P:
        return replace(run, reason=too_many(d.P, most))
    if d.kernels in COMPILED and not find_spec("numba"):
        return replace(run, reason=NO_NUMBA)
    with tempfile.TemporaryDirectory(prefix="nodewright-") as name:
        folder = Path(name)
        _written(folder, text, d, run)
        try:
            with enclosed(_command(d.P), folder, d.P) as made:
                found = [_result(made, d, number) for number in range(len(vectors(run.script)))]
        except NotRun as reason:
            return replace(run, reason=str(reason))
        except OSError as error:
            return replace(run, fault=printable(str(error)))
    return replace(run, results=tuple(found))


def ran(evaluation: Evaluation, d: Declaration, run: RealRun) -> Verdict:
    """Return whether transforms have the same bits on real ranks and in the evaluation; the last
    bits of some kernels may differ.

    It is undecided, and says why, where there was no real run.
    """
    statement = stated(d)
    if run.reason:
        return Undecided(statement, run.reason)
    if run.fault:
        return Refuted(statement, run.fault)
    evaluated = evaluation.of_numbers(d, run.data, run.script, NAME)
    alike = _nearly_alike if _kernels(d) in LAST_BITS else _bit_for_bit
    return alike(d, evaluated, run.results)


def _written(folder: Path, text: str, d: Declaration, run: RealRun) -> None:
    """Write what real ranks read: the program, what they do with it, the vectors, and shapes and
    types of the parts.
    """
    (folder / "program.py").write_text(text, encoding="utf-8")
    sides = ("input", "output")
    kinds = [str(d.dtype_of(side)) if d.dtype_of(side) != d.dtype else "" for side in sides]
    shapes = [[d.part(side, rank) for side in sides] for rank in range(d.P)]
    words = json.dumps([[_word(step) for step in run.script], shapes, kinds])
    (folder / "script").write_text(words, encoding="utf-8")
    for i, vector in enumerate(run.data):
        np.concatenate(vector).tofile(folder / f"x{i}")


def _nearly_alike(d: Declaration, evaluated: Sequence[Parts], found: Sequence[Parts]) -> Verdict:
    """Return whether results evaluated and on real ranks differ by their last bits at most."""
    whole = ([np.concatenate(parts) for parts in side] for side in (evaluated, found))
    worst = max(starmap(_difference, zip(*whole, strict=True)))
    verdict = agreed(d, float(f"{worst:.1e}"))
    if worst <= verdict.tolerance:
        return verdict
    words = f"the results differ by {worst:.1e}, above {verdict.formula}"
    return Refuted(verdict.statement, words)


def _difference(one: Array, other: Array) -> float:
    """Return the relative difference in the 2-norm, of numbers of any size."""
    size = np.max(np.abs(one)) or 1
    with np.errstate(all="ignore"):
        one, other = one / size, other / size
        found = float(np.linalg.norm(one - other) / max(float(np.linalg.norm(one)), 1.0))
    return found if np.isfinite(found) else float("inf")


def _bit_for_bit(d: Declaration, evaluated: Sequence[Parts], found: Sequence[Parts]) -> Verdict:
    """Return whether results of the evaluation and of real ranks have the same bits."""
    verdict = agreed(d, 0.0)
    for number, parts in enumerate(zip(evaluated, found, strict=True), 1):
        for rank, (one, other) in enumerate(zip(*parts, strict=True)):
            for octet in np.flatnonzero(_bits(one) != _bits(other))[:1]:
                offset = octet // one.itemsize
                values = f"{other[offset]} on real ranks, {one[offset]} evaluated"
                words = f"transform {number}, rank {rank}, offset {offset}: {values}"
                return Refuted(verdict.statement, words)
    return verdict


def _word(step: Make | Do | Free) -> list[Any]:
    match step:
        case Make(plan):
            return ["make", plan]
        case Do(plan, vector, _, into):
            return ["do", plan, vector, into != NO_OUT]
    return ["free", step.plan]


def _command(P: int) -> list[str]:
    """Return the words that start real ranks; raises NotRun where there is no MPI."""
    try:
        command = [mpiexec(), "-n", str(P), sys.executable, "-I", str(RANK)]
    except MpiexecNotFound:
        raise NotRun(NO_MPI) from None
    return command


@contextlib.contextmanager
def enclosed(command: list[str], folder: Path, P: int) -> Iterator[int]:
    """Give a descriptor of the folder that a command has written behind the wall, where it began in
    it.

    Raises NotRun where there is no wall, OSError where the command fails: whatever status it ends
    with is its own.
    """
    (folder / MADE).mkdir()
    with _entered(command, folder, P) as (process, channel):
        _, descriptors, _, _ = socket.recv_fds(channel, 1, 2)
        if not descriptors or channel.recv(1):
            raise NotRun(NO_WALL)
        made, errors = descriptors
        try:
            status = process.wait(PATIENCE)
            if status:
                raise OSError(f"mpiexec ends with status {status}: {_last_words(errors)}")
            yield made
        except subprocess.TimeoutExpired:
            raise OSError(f"not finished after {PATIENCE:g} s") from None
        finally:
            os.close(made)
            os.close(errors)


@contextlib.contextmanager
def _entered(
    command: list[str], folder: Path, P: int
) -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """Give the process that encloses a command, and what it says; it ends at last."""
    made, path = (
        str(folder / MADE),
        os.pathsep.join([str(Path(command[0]).parent), "/usr/bin", "/bin"]),
    )
    library = {name: os.environ[name] for name in LIBRARY if name in os.environ}
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-I",
                    "-c",
                    BOOT,
                    ROOT,
                    str(theirs.fileno()),
                    made,
                    str(PROCESSES * (P + 4)),
                    *command,
                ],
                cwd=folder,
                env={**QUIET, **OPEN_MPI, **library, "PATH": path, "HOME": made, "TMPDIR": made},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        try:
            yield process, ours
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _last_words(errors: int) -> str:
    octets = os.pread(errors, 4000, max(0, os.fstat(errors).st_size - 4000))
    said = [line for line in octets.decode(errors="replace").splitlines() if line.strip()]
    return next((line for line in said if "Error" in line), said[-1] if said else "no word")


def _result(folder: int, d: Declaration, number: int) -> Parts:
    """Return the result that the ranks have written; raises OSError where it is not of its size."""
    parts, dtype = [], d.dtype_of("output")
    for rank in range(d.P):
        descriptor = os.open(
            f"y{number}.{rank}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder
        )
        with os.fdopen(descriptor, "rb") as file:
            size = prod(d.part("output", rank))
            octets = file.read(size * dtype.itemsize + 1)
        if len(octets) != size * dtype.itemsize:
            raise OSError(
                f"rank {rank} gives {len(octets)} bytes in transform {number + 1}, not {size}"
                f" elements of {dtype}"
            )
        parts.append(np.frombuffer(octets, dtype))
    return parts


def _bits(array: Array) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).view(np.uint8)
