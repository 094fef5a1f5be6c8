"""Times an emitted hypercube FFT on the ranks that start it: the whole transform, and its exchange
phase.

mpiexec -n P python bench/phases.py PROGRAM REPEATS [real | late | silent | T_SU,T_TR]

`late` begins no send before the rank waits: the same buffers and copies without overlap. `silent`
leaves the messages out, as the paper does to find what communication costs. Two numbers, in
seconds, make up a network: a message is through T_SU + (its elements) T_TR after it was sent, at
the earliest, and costs the processor no more than it does on this machine.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from time import perf_counter
from typing import Any

import numpy as np
from mpi4py import MPI


class Done:
    """A request that is through."""

    def Wait(self) -> None:
        pass


class Instead:
    """What stands for a communicator, with messages in its own way; a plan's own is the same
    one.
    """

    def __init__(self, comm: Any) -> None:
        self.comm, self.rank, self.size, self.allgather = comm, comm.rank, comm.size, comm.allgather

    def Dup(self) -> Instead:
        return self

    def Is_inter(self) -> bool:
        return False


class Silent(Instead):
    """A communicator that sends nothing."""

    def Sendrecv_replace(self, *_: Any, **__: Any) -> None:
        pass

    Sendrecv = Recv = Sendrecv_replace

    def Isend(self, *_: Any, **__: Any) -> Done:
        return Done()

    Irecv = Isend


class Late(Instead):
    """A communicator whose sends begin when a rank next waits."""

    def __init__(self, comm: Any) -> None:
        super().__init__(comm)
        self.waiting: LateSend | None = None

    def begin(self) -> None:
        if self.waiting is not None:
            self.waiting.begin()
        self.waiting = None

    def Isend(self, *what: Any) -> LateSend:
        self.waiting = LateSend(self, what)
        return self.waiting

    def Irecv(self, *where: Any) -> LateReceive:
        return LateReceive(self, self.comm.Irecv(*where))

    def Recv(self, *where: Any) -> None:
        self.begin()
        self.comm.Recv(*where)


class LateSend:
    """A send that begins when a rank waits for it, or for something else."""

    def __init__(self, late: Late, what: Any) -> None:
        self.late, self.what = late, what
        self.request: Any = None

    def begin(self) -> None:
        self.request = self.late.comm.Isend(*self.what)

    def Wait(self) -> None:
        self.late.begin()
        self.request.Wait()


class LateReceive:
    """A receive whose wait begins the send."""

    def __init__(self, late: Late, request: Any) -> None:
        self.late, self.request = late, request

    def Wait(self) -> None:
        self.late.begin()
        self.request.Wait()


class Due:
    """A request that is through no earlier than its network allows."""

    def __init__(self, network: Network, request: Any) -> None:
        self.network, self.request = network, request

    def Wait(self) -> None:
        self.request.Wait()
        self.network.arrive()


class Network(Instead):
    """A communicator whose messages take a time of their own. A neighbour's message is taken to be
    sent when one's own is: the load is balanced.
    """

    def __init__(self, comm: Any, setup: float, word: float) -> None:
        super().__init__(comm)
        self.setup, self.word, self.due = setup, word, 0.0

    def send(self, elements: Any) -> None:
        self.due = perf_counter() + self.setup + len(elements) * self.word

    def arrive(self) -> None:
        while perf_counter() < self.due:
            pass

    def Sendrecv_replace(self, elements: Any, *where: Any, **named: Any) -> None:
        self.send(elements)
        self.comm.Sendrecv_replace(elements, *where, **named)
        self.arrive()

    def Sendrecv(self, elements: Any, *where: Any, **named: Any) -> None:
        self.send(elements)
        self.comm.Sendrecv(elements, *where, **named)
        self.arrive()

    def Recv(self, *where: Any) -> None:
        self.comm.Recv(*where)
        self.arrive()

    def Irecv(self, *where: Any) -> Due:
        return Due(self, self.comm.Irecv(*where))

    def Isend(self, elements: Any, *where: Any) -> Due:
        self.send(elements)
        return Due(self, self.comm.Isend(elements, *where))


def slowest(comm: Any, repeats: int, work: Any) -> float:
    """Return the least time of a work, of the slowest rank, barriers outside.

    The work returns when that began which is to be timed, or None for all of it.
    """
    least = float("inf")
    for _ in range(repeats):
        comm.Barrier()
        start = perf_counter()
        began = work() or start
        least = min(least, comm.allreduce(perf_counter() - began, MPI.MAX))
    return least


def phase_of(program: Any, plan: Any, x: Any, out: Any) -> Any:
    """Return the work that ends with the exchange phase: it returns when the last local transform
    was through.
    """
    through = [0.0]

    def timed(transform: Any) -> Any:
        def made(*given: Any, **named: Any) -> Any:
            found = transform(*given, **named)
            through[0] = perf_counter()
            return found

        return made

    def whole() -> float:
        program.transform(x, plan, out=out)
        return through[0]

    for name in [name for name in vars(program) if name.startswith("local_")]:  # compiled kernels
        setattr(program, name, timed(getattr(program, name)))
    np.fft.fft = timed(np.fft.fft)
    return whole


def main(path: str, repeats: int, mode: str) -> None:
    """Time a program and print the seconds of the transform and of its exchange phase as JSON."""
    comm = MPI.COMM_WORLD
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec is not None and spec.loader is not None, path
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    kinds = {"real": lambda: comm, "late": lambda: Late(comm), "silent": lambda: Silent(comm)}
    messages = kinds[mode]() if mode in kinds else Network(comm, *map(float, mode.split(",")))
    plan = program.plan(messages)
    x, out = (
        np.random.default_rng(comm.rank).integers(0, 100, program.M).astype(program.DTYPE),
        np.empty(program.M, program.DTYPE),
    )

    def transform() -> None:
        program.transform(x, plan, out=out)

    whole = slowest(comm, repeats, transform)
    out[:] = 0  # so that results stay numbers, however often
    seconds = slowest(comm, repeats, phase_of(program, plan, x, out))
    if comm.rank == 0:
        print(json.dumps({"seconds": whole, "phase": seconds}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:] or ["real"])
