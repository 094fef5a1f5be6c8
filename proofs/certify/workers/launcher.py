"""The process that workers are forked from: it has imported what a run needs, and never executes a
program's text.

    python -I -c ... ROOT DESCRIPTOR KERNELS

On the descriptor it is told to start a worker, and answers with its process number, or to say how
one ended. Each worker closes all descriptors but its own, puts up the wall (wall.py), reads one
job, and sends what comes of it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derive.lazy import lazily
from proofs.certify.arrays.numpy_stand_in import NUMPY_MODULES
from proofs.certify.kernels import compiled
from proofs.certify.sandbox import loading
from proofs.certify.workers import frames, wall, worker

if TYPE_CHECKING:
    from proofs.certify.kernels import play
else:
    play = lazily("proofs.certify.kernels.play")

START, ENDED = "start", "ended"
COMPILER, TAPES, FFTW = "compiler", "tapes", "pyfftw"
"""What a launcher has ready beside the rest: numba's compiler; and what does tapes of kernels
(proofs/certify/kernels/play.py).
"""
ROOT = Path(__file__).resolve().parents[3]
OURS = tuple(str(ROOT / name) for name in ("derive", "codegen", "proofs", "nodewright"))
"""The packages of this house, which may lie beside what is nobody's business."""


def serve(control: socket.socket) -> None:
    """Start workers as long as the checker is there."""
    with contextlib.suppress(frames.Ended, ConnectionError):
        while True:
            message, descriptors, _, _ = socket.recv_fds(control, 2**12, 1)
            if not message:
                return
            request = json.loads(message)
            control.sendall(json.dumps(_answer(descriptors, request)).encode())


def _answer(descriptors: list[int], request: dict[str, Any]) -> dict[str, float]:
    if request["do"] == START:
        return {"process": _start(descriptors[0], request)}
    return _ended(request["process"])


def _start(descriptor: int, request: dict[str, int]) -> int:
    """Fork a worker that has this descriptor and these bounds; return its process number."""
    process = os.fork()
    if process:
        os.close(descriptor)
        return process
    try:
        _work(descriptor, request)
    finally:
        os._exit(1)  # whatever happens, this process does not go on as the launcher


def _work(descriptor: int, request: dict[str, int]) -> None:
    """Become a worker: alone with its job, behind the wall."""
    wall.die_with_parent()
    os.dup2(descriptor, 3)
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))
    limit(request["seconds"], request["memory"])
    standing = wall.build((*OURS, *wall.of_python()))
    frames.write_frame(3, json.dumps(standing).encode())
    worker.work(3)
    os.read(3, 1)  # the checker ends it: a worker that ends by itself has not said all


def limit(seconds: int, memory: int) -> None:
    """Bound this process's time and memory; it writes no file and starts no other."""
    for which, value in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
    ):
        least = (
            value
            if (known := resource.getrlimit(which)[1]) == resource.RLIM_INFINITY
            else min(value, known)
        )
        resource.setrlimit(which, (least, least))


def _ended(process: int) -> dict[str, float]:
    """Return how a worker ended, and its seconds of processor time."""
    _, status, used = os.wait4(process, 0)
    return {"status": status, "seconds": used.ru_utime + used.ru_stime}


def main() -> None:
    """Import all, and serve."""
    control = socket.socket(fileno=int(sys.argv[2]))
    for module in (
        *loading.COMPUTING,
        *loading.FOR_MAIN,
        *(f"numpy.{each}" for each in NUMPY_MODULES),
    ):
        importlib.import_module(module)
    if sys.argv[3] == FFTW:
        # whose shared libraries are below no folder that a worker may read
        importlib.import_module("pyfftw")
    if sys.argv[3] in (COMPILER, TAPES):
        compiled.warm()
    if sys.argv[3] == TAPES:
        play.prepare()
    gc.freeze()
    # nearly all is freed as it goes; looking for cycles more often would take a third of the time
    gc.set_threshold(100_000, 20, 20)
    control.sendall(b"{}")
    serve(control)
