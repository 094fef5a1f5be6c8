"""What is compared: programs of this project, and the algorithm of FFTW's MPI part, as what the
ranks compute and send.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from bench.common import Alone
from bench.scale.loggops import Load, loads
from codegen.cost.counted import Superstep, supersteps
from codegen.cost.flow import Rows, rows_of
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program
from codegen.requests import make_request
from codegen.systems.record import Request
from nodewright.traces import Exchange, Schedule, schedule_of

FFTW = {"FFTW-MPI, natural": 3, "FFTW-MPI, scrambled": 2}
"""The exchanges of FFTW's MPI part: a transform of N = r m points transposes three times, two in
scrambled order, each time all M elements of a rank (its manual, "FFTW MPI Transposes").
"""
CYCLIC = "cyclic to cyclic"
LARGEST = 2**22
"""Up to so many elements of a rank are timed here; more take as long for each flop."""


def specs(N: int, P: int) -> dict[str, Request]:
    """Return the programs for so many points and ranks, by name."""
    found = {
        CYCLIC: make_request("fft", N, P, "cyclic", "cyclic"),
        "block to block": make_request("fft", N, P),
        "hypercube, Prog. 3": make_request("hypercube-fft", N, P, "bit-reversed", "scrambled"),
        "Hartley, hypercube": make_request("fht", N, P, "hartley-input"),
    }
    if 2 * P * P <= N:
        found["Hartley, all-to-all"] = make_request("fht", N, P, "cyclic", algorithm="group-cyclic")
    return found


def works(N: int, P: int) -> dict[str, tuple[Load, ...]]:
    """Return what a rank of each contestant does; FFTW's wants P^2 <= N, and computes as long as
    the program from cyclic to cyclic.
    """
    found = {name: work(spec) for name, spec in specs(N, P).items()}
    if P * P <= N:
        seconds = computing(specs(N, P)[CYCLIC])
        found |= {name: fftw(N, P, count, seconds) for name, count in FFTW.items()}
    return found


def work(spec: Request) -> tuple[Load, ...]:
    """Return what a rank of a program does; its flops take the seconds that they take here."""
    steps = supersteps(resolve(spec))
    return loads(steps, flops(steps) / computing(spec), np.dtype(spec.dtype).itemsize)


def flops(steps: Iterable[Superstep]) -> int:
    """Return the flops of a rank that has most in each superstep."""
    return sum(max(step.flops) for step in steps)


def fftw(N: int, P: int, exchanges: int, seconds: float) -> tuple[Load, ...]:
    """Return what a rank of FFTW's MPI part does, in complex128.

    >>> fftw(64, 4, 2, 3.0)[:2]
    (Load(seconds=1.0, messages=3, size=64), Load(seconds=1.0, messages=3, size=64))
    """
    each = seconds / (exchanges + 1)
    return (*[Load(each, P - 1, 16 * N // (P * P))] * exchanges, Load(each, 0, 0))


def messages(program: Program) -> tuple[Rows, ...]:
    """Return the messages of each exchange, as rows of source, target and words.

    In an all-to-all the i-th messages of all ranks go to different ranks.

    >>> messages(resolve(make_request("fft", 64, 2, "cyclic", "cyclic")))[0].tolist()
    [[0, 1, 16], [1, 0, 16]]
    """
    found = [rows_of(step, program) for step in program.steps]
    others = (rows[rows[:, 0] != rows[:, 1]] for rows in found)
    return tuple(rows for rows in others if len(rows))


def planned(spec: Request) -> list[Exchange]:
    """Return flops and messages of each exchange by the plan of a program, which need not run."""
    program = resolve(spec)
    rows = zip_longest(supersteps(program), messages(program), fillvalue=np.zeros((0, 3), int))
    return [Exchange(step.flops, sent) for step, sent in rows]


def in_turn(exchange: Exchange, together: int = 1) -> list[Exchange]:
    """Return an exchange as rounds, in which each rank sends its next so many messages."""
    sources, nothing = exchange.messages[:, 0], (0,) * len(exchange.flops)
    order = (np.arange(len(sources)) - np.searchsorted(sources, sources)) // together
    return [
        Exchange(nothing if i else exchange.flops, exchange.messages[order == i])
        for i in range(1 + order.max(initial=0))
    ]


def schedule(spec: Request, together: int = 0) -> Schedule:
    """Return what all ranks of a program do, the messages of an exchange all together, or so many
    at once.
    """
    exchanges: Sequence[Exchange] = planned(spec)
    if together:
        exchanges = [each for exchange in exchanges for each in in_turn(exchange, together)]
    return schedule_of(exchanges, np.dtype(spec.dtype).itemsize)


class Lone(Alone):
    """One of P ranks without the others: it computes, and what it sends and receives is nothing."""

    def __init__(self, P: int, rank: int = 0) -> None:
        self.size, self.rank, self.done = P, rank, False

    def Dup(self) -> Lone:
        """Return this one."""
        return self

    def Split(self, color: int, key: int) -> Lone:
        """Return this one: the size of a group is that of the program."""
        return self

    def allgather(self, thing: Any) -> list[Any]:
        """Return what this rank gives."""
        return [thing]

    def Alltoall(self, given: Any, taken: Any) -> None:
        """Receive zeros, and once that is `done` nothing."""
        if not self.done:
            taken[:] = 0

    def Alltoallv(self, given: Any, taken: Any) -> None:
        """Receive zeros, and once that is `done` nothing."""
        self.Alltoall(given, np.asarray(taken[0]))

    def Sendrecv(self, given: Any, to: int, *, recvbuf: Any, source: int) -> None:
        """Receive zeros, and once that is `done` nothing."""
        self.Alltoall(given, recvbuf)

    def Sendrecv_replace(self, data: Any, to: int, *, source: int) -> None:
        """Send and receive nothing."""


def imported(path: Path) -> Any:
    """Return a program as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def computing(spec: Request) -> float:
    """Return the processor seconds that the last rank of a program computes, rearrangements
    included, timed on this machine without the other ranks.
    """
    if spec.M > LARGEST:
        small = specs_like(spec, LARGEST * spec.P)
        ratio = flops(supersteps(resolve(spec))) / flops(supersteps(resolve(small)))
        return computing(small) * ratio
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(emit(resolve(spec)), encoding="utf-8")
        program = imported(path)
    comm = Lone(spec.P, spec.P - 1)
    plan = program.plan(comm)
    x = np.random.default_rng(0).standard_normal(program.M).astype(program.DTYPE)
    y, least = np.zeros_like(x), float("inf")
    with np.errstate(all="ignore"):  # what was never received may grow from turn to turn
        program.transform(x, plan, out=y)
        comm.done = True
        for _ in range(max(5, min(200, LARGEST // program.M))):
            start = process_time()
            program.transform(x, plan, out=y)
            least = min(least, process_time() - start)
    return least


def specs_like(spec: Request, N: int) -> Request:
    """Return the same request for another number of points."""
    options = {"scheme": spec.scheme, "algorithm": spec.algorithm}
    return make_request(spec.system, N, spec.P, spec.input, spec.output, **options)
