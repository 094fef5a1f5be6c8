"""The checker's side of the wall: jobs on a program's text are given to workers, one each, and
nothing that comes back is believed beyond its form.

A worker runs the text, so it may say anything. It says a short text in JSON, and arrays of types
and shapes that are known here; what it prints is lost, and one that ends by itself has failed. How
a job ended becomes an exception, or its values and arrays.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from codegen.mpi.accidents import ONE_NODE
from codegen.mpi.faults import NotModelled
from proofs.certify.arrays import pyfftw_stand_in
from proofs.certify.failures import Wrong
from proofs.certify.kernels import compiled
from proofs.certify.kernels.kept import is_long
from proofs.certify.plain_text import printable
from proofs.certify.sandbox.source import Source
from proofs.certify.workers import frames, wall
from proofs.certify.workers.jobs import MOST_JSON, Constants, InField, Job, OfNumbers, OfTokens
from proofs.certify.workers.launcher import COMPILER, ENDED, FFTW, START, TAPES
from proofs.certify.workers.misuse import Misused

SECONDS = 600
MEMORY = wall.memory()
"""The bounds of processor time, for all workers of a check together, and of memory, for each."""
TO_LOAD = 30
"""Loading a text takes no longer, whatever its size is."""
SLACK = 30
"""By the clock a check may take three times as long, and so many seconds."""
ROOT = str(Path(__file__).resolve().parents[3])
BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from proofs.certify.workers.launcher import main;"
    " main()"
)
QUIET = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Libraries start no threads."""
KEEPS_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
"""Memory that is freed is kept for the next array and not given back to the system."""
Shape = tuple[DTypeLike, tuple[int, ...]]
Listener = Callable[[str], None]
Given = TypeVar("Given")
Found = TypeVar("Found")
Answer = tuple[dict[str, Any], list[NDArray[Any]]]
ONE_AT_A_TIME = threading.Lock()
"""Threads may ask at once, each its own worker; one at a time speaks to a launcher."""


class OutOfBounds(ValueError):
    """A text needs more time, memory or words than it is given, or ends its process."""


@dataclass
class Workers:
    """Who runs a text: each job in its own worker, all within these seconds of processor time."""

    source: Source
    seconds: int = SECONDS
    used: float = 0.0
    listener: Listener | None = None
    """Who hears how far the check is."""
    nodes: tuple[int, ...] = ONE_NODE
    """The nodes that simulated ranks are on (codegen/mpi/accidents.py)."""
    standing: tuple[str, ...] = ()
    """The parts of the wall that are in force around them."""
    under_way: set[int] = field(default_factory=set)
    """The processes that run the text now."""
    deadline: float = field(init=False)

    def __post_init__(self) -> None:
        self.deadline = monotonic() + _patience(self.seconds)

    def tell(self, verdict: str, run: int = 1, of: int = 1) -> None:
        """Say which run for a verdict begins, of how many as far as is known."""
        if self.listener is not None:
            self.listener(
                f"{verdict}, run {run} of {max(run, of)}" if max(run, of) > 1 else verdict
            )

    def ask(self, job: Job, wanted: Sequence[Shape] = ()) -> Answer:
        """Return the values and the arrays that a job on the text comes to.

        Raises Wrong, NotModelled or MemoryError where the text leads to that, ValueError where it
        cannot be run, or the worker ends before it has said all, or exceeds its bounds.
        """
        launcher = launched(self._ready(job), os.getpid())
        seconds = max(
            1,
            int(min(self.seconds - self.used, TO_LOAD if isinstance(job, Constants) else SECONDS)),
        )
        deadline = min(self.deadline, monotonic() + _patience(seconds))
        with launcher.worker(seconds) as (process, channel):
            self.under_way.add(process)
            try:
                answer = self._said(channel, job, wanted, deadline)
            except (frames.Ended, BrokenPipeError, ConnectionResetError):
                answer = None
            except frames.TooLong:
                raise OutOfBounds(
                    "the program says more, or takes longer, than it is given:"
                    f" {_patience(seconds)} s"
                ) from None
            finally:
                self.under_way.discard(process)
                status, used = launcher.end(process)
                self.used += used
        if answer is None:
            raise OutOfBounds(_failed(status, seconds))
        return answer

    def each(self, asking: Callable[[Given], Found], given: Sequence[Given]) -> list[Found]:
        """Return the outcome of each, asked in two threads; the first error ends the others."""
        pool = ThreadPoolExecutor(2)
        try:
            return list(pool.map(asking, given))
        except BaseException:
            for process in list(self.under_way):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _ready(self, job: Job) -> str:
        """Return what a launcher has ready for a job."""
        if "pyfftw" in self.source.modules and pyfftw_stand_in.is_installed():
            return FFTW
        if not self.source.real or not compiled.is_installed():
            return ""
        if isinstance(job, InField | OfTokens | Misused) and is_long(job.declaration.N):
            return TAPES
        return COMPILER if isinstance(job, OfNumbers) else ""

    def _said(self, channel: int, job: Job, wanted: Sequence[Shape], deadline: float) -> Answer:
        standing = json.loads(frames.read_frame(channel, MOST_JSON, deadline))
        self.standing = tuple(part for part in wall.PARTS if part in standing)
        frames.write_frame(channel, pickle.dumps((self.source, job, self.nodes), protocol=5))
        said = _parsed(frames.read_frame(channel, MOST_JSON, deadline))
        _raise(said, job)
        return said, [_array(channel, np.dtype(dtype), shape, deadline) for dtype, shape in wanted]


def _array(
    channel: int, kind: np.dtype[Any], shape: tuple[int, ...], deadline: float
) -> NDArray[Any]:
    data = frames.read(channel, kind.itemsize * int(np.prod(shape)), deadline)
    return np.frombuffer(data, kind).reshape(shape)


def _patience(seconds: int) -> int:
    """Return the seconds by the clock for so many of processor time."""
    return 3 * seconds + SLACK


def _failed(status: int, seconds: int) -> str:
    how = (
        f"signal {signal.Signals(os.WTERMSIG(status)).name}"
        if os.WIFSIGNALED(status)
        else f"exit status {os.waitstatus_to_exitcode(status)}"
    )
    return (
        f"the program ends its process, or exceeds its bounds of {seconds} s of processor time and"
        f" {MEMORY >> 30} GiB ({how})"
    )


def _parsed(data: bytearray) -> dict[str, Any]:
    """Return the object that a worker has sent as JSON; raises ValueError where it is none."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise ValueError("the program sends no report")
    return said


def _raise(said: dict[str, Any], job: Job) -> None:
    """Raise what a worker says that the text leads to, where its job may come to that."""
    words = printable(str(said.get("words", "")))
    match said.get("outcome"):
        case "done":
            return
        case "wrong" if said.get("name") in (job.name, "messages", "contract"):
            raise Wrong(said["name"], words)
        case "not modelled":
            raise NotModelled(words)
        case "memory":
            raise MemoryError("the program needs more memory than it is given")
        case "failed" if words:
            raise ValueError(words)
    raise ValueError("the program sends no report")


@dataclass(frozen=True)
class Launcher:
    """A process that forks workers."""

    process: subprocess.Popen[bytes]
    control: socket.socket

    @contextlib.contextmanager
    def worker(self, seconds: int) -> Iterator[tuple[int, int]]:
        """Give a new worker's process number, and the descriptor on which it listens."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            process = int(
                self._asked({"do": START, "seconds": seconds, "memory": MEMORY}, theirs.fileno())[
                    "process"
                ]
            )
            theirs.close()
            yield process, ours.fileno()

    def end(self, process: int) -> tuple[int, float]:
        """End a worker; return its exit status and its seconds of processor time."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        answer = self._asked({"do": ENDED, "process": process})
        return int(answer["status"]), float(answer["seconds"])

    def _asked(self, request: dict[str, Any], *descriptors: int) -> dict[str, Any]:
        with ONE_AT_A_TIME:
            socket.send_fds(self.control, [json.dumps(request).encode()], descriptors)
            answer: dict[str, Any] = json.loads(self.control.recv(2**12) or b"{}")
        return answer

    def close(self) -> None:
        """End it and all of its workers."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@functools.cache
def launched(ready: str, owner: int) -> Launcher:
    """Return the launcher of `owner`, this process, with this ready, started at first use."""
    folder = tempfile.mkdtemp(prefix="nodewright-")
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-I", "-c", BOOT, ROOT, str(theirs.fileno()), ready]
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**QUIET, **KEEPS_MEMORY},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    launcher = Launcher(process, ours)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(launcher.close)
    if not ours.recv(2):
        raise ValueError(f"the process that starts workers does not start: {' '.join(command[:4])}")
    return launcher
