"""Permutations: one array against numpy.copyto of the same arrays, and a whole one on two ranks against what others send.

python -m bench.permute [lg of the sizes ..]
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench.common import best, machine, table
from codegen.emit import Options, emit
from codegen.lower import build
from derive.bits import Affine, span
from derive.bmmc import bit_reversal, gray_code, named, transpose
from derive.formula import Bmmc
from nodewright import LocalPlan
from nodewright.launch import OPEN_MPI, run
from nodewright.local import aligned

PEERS = Path(__file__).parent / "peers"
ROUNDS = 7
"""So often the contestants take turns; of copyto and the tiles apart, those that need more than SLOW seconds run once."""
SLOW = 0.15
TYPES = ("float64", "complex128")
N_BITS, NAME, REPEATS = 24, "transpose:12", 15
"""The whole permutation on two ranks."""


def random(n: int, seed: int) -> Affine:
    """Return an invertible matrix."""
    generator = np.random.default_rng(seed)
    while True:
        try:
            return Affine(tuple(int(column) for column in generator.integers(0, 1 << n, n)), n).inverse().inverse()
        except ValueError:
            continue


def cases(n: int) -> dict[str, Affine]:
    """Return the permutations of 2^n elements."""
    named_ones = {"bit reversal": bit_reversal(n), "transpose n/2": transpose(n, n // 2), "transpose 3": transpose(n, 3), "Gray code": gray_code(n)}
    return named_ones | {f"random {seed}": random(n, seed) for seed in range(3)}


def contestants(A: Affine, x: Any, y: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what is timed, one after the other, so that tables of indices live no longer than needed; the first is the measure."""
    tiles, gray = (LocalPlan(A, 0, x.dtype, kernel) for kernel in ("tiles", "gray"))
    yield "copyto", lambda: np.copyto(y, x)
    yield "tiles", lambda: tiles.perform(x, y)
    back, index = span(A.inverse().columns), span(A.columns)
    yield "numpy.take", lambda: np.take(x, back, out=y, mode="clip")
    yield "y[i] = x", lambda: y.__setitem__(index, x)
    yield "Gray order", lambda: gray.perform(x, y)


def ratios(A: Affine, x: Any, y: Any) -> list[float]:
    """Return the least time of each contestant over that of copyto; the result of each is looked at first."""
    works = dict(contestants(A, x, y))
    wanted = np.take(x, span(A.inverse().columns))
    seconds = {}
    for name, work in works.items():
        y[:] = 0  # its pages are there before the clock starts
        start = perf_counter()
        work()
        seconds[name] = perf_counter() - start
        assert name == "copyto" or np.array_equal(y, wanted), name
    quick = [name for name in works if seconds[name] < SLOW or name in ("copyto", "tiles")]
    for _ in range(ROUNDS):
        for name in quick:  # twice in a row, so that each finds the caches as it left them
            seconds[name] = min(seconds[name], *best(2, works[name]))
    return [seconds[name] / seconds["copyto"] for name in works if name != "copyto"]


def local(sizes: list[int]) -> None:
    """Time permutations of one array."""
    rows = []
    for dtype in map(np.dtype, TYPES):
        for n in sizes:
            x, y = (aligned(dtype.itemsize << n).view(dtype) for _ in range(2))
            x[:] = np.arange(1 << n)
            for name, A in cases(n).items():
                rows.append((f"2^{n} {dtype}", name, *ratios(A, x, y)))
                print(rows[-1], file=sys.stderr)
    table("One array, time over numpy.copyto's", ("array", "permutation", "tiles", "numpy.take", "y[i] = x", "Gray order"), rows)


def emitted(folder: Path, exchange: str = "alltoall") -> list[str]:
    """Write the permute program; return the arguments that time it."""
    permutation = Bmmc(named(NAME, N_BITS), NAME)
    program = build("permute", 1 << N_BITS, 2, "block", "block", exchange, permutation)
    path = folder / "permute.py"
    path.write_text(emit(program, Options(exchange=exchange, dtype="float64")), encoding="utf-8")
    return [str(path), "--bench", str(REPEATS)]


def fftw(folder: Path) -> list[str] | None:
    """Compile FFTW's transpose; return the command that times it on two ranks, None where something is missing."""
    compiler, start = shutil.which("mpicc.openmpi"), shutil.which("mpiexec.openmpi")
    if compiler is None or start is None:
        return None
    binary = folder / "fftw_transpose"
    command = [compiler, "-O2", str(PEERS / "fftw_transpose.c"), "-o", str(binary), "-lfftw3_mpi", "-lfftw3", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [start, "-n", "2", str(binary), str(N_BITS), NAME.partition(":")[2]] if done.returncode == 0 else None


def least(output: str) -> float:
    """Return the seconds that a contestant prints, after a look at its count of wrong elements."""
    printed = json.loads(output)
    assert printed.get("wrong", 0) == 0, printed
    return float(printed["seconds_min"])


def whole() -> None:
    """Time a permutation of a distributed array on two ranks."""
    with tempfile.TemporaryDirectory() as name:
        program, *words = emitted(Path(name))
        sending, sent = PEERS / "index_sending.py", [str(N_BITS), NAME, str(REPEATS)]
        compiled = fftw(Path(name))
        seconds: dict[str, float] = {}
        for _ in range(3):
            times = {
                "emitted program": least(run(Path(program), words, capture=True, timeout=300).stdout),
                "elements sent with their offsets": least(run(sending, sent, 2, capture=True, timeout=300).stdout),
            }
            if compiled:
                environment = {**OPEN_MPI, **os.environ}
                times["FFTW's MPI transpose"] = least(subprocess.run(compiled, capture_output=True, text=True, check=True, env=environment).stdout)
            seconds = {name: min(time, seconds.get(name, time)) for name, time in times.items()}
    rows = [(name, time * 1e3, time / seconds["emitted program"]) for name, time in seconds.items()]
    table(f"{NAME} of 2^{N_BITS} float64, P = 2", ("", "ms", "time / emitted program's"), rows)
    if not compiled:
        print("\nFFTW's MPI transpose was left out: mpicc.openmpi, mpiexec.openmpi or its library is not there")


if __name__ == "__main__":
    print(machine())
    whole()
    local([int(word) for word in sys.argv[1:]] or [20, 22, 24, 26])
