"""Permutations: one array against numpy.copyto of the same arrays, a whole one on two ranks against
what others send, and factoring.

python -m bench.permute [--quick | --local | --factoring | --exchanges] [lg of the sizes ..]

The sizes are those of one array and of the ways of exchange.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np

from bench.common import Alone, best, command_line, machine, table
from codegen.emit.text import emit
from codegen.kernels.lines import aligned
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.exchanges import EXCHANGES
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bits import Affine, span
from derive.gf2.bmmc import bit_reversal, factor, gray_code, named, transpose
from nodewright import LocalPlan
from nodewright.runtime.launch import OPEN_MPI, run

PEERS = Path(__file__).parent / "peers"
ROUNDS = 7
"""So often the contestants take turns; copyto and the tiles apart, those that need more than their
share of SLOW seconds run once.
"""
OF_EMPTY = "{}, out of np.empty"
"""The output begins 16 bytes after a cache line, as large arrays of numpy do."""
MEASURES = "copyto", OF_EMPTY.format("copyto")
TILES = "tiles", OF_EMPTY.format("tiles")
SLOW, PATIENCE = 0.15, dict.fromkeys((*MEASURES, *TILES), 1000) | {"numpy.take": 10}
TYPES = {"float64": 26, "complex128": 26, "i4,f8": 24, "V24": 24, "V48": 24}
"""What is moved, and lg of the most elements of it."""
PERMUTATIONS = ("transpose:{half}", "bit-reversal")
"""The whole permutations on two ranks; half is lg N / 2."""
FACTORED = ((20, 10), (62, 31), (1024, 512))
"""Index bits and processor bits of the random matrices that are factored."""
NOT_IN_GROUPS = ("shuffle", "gray-code")
"""More for the ways of exchange: on four ranks their senders and receivers form no groups."""


def random(n: int, seed: int) -> Affine:
    """Return an invertible matrix."""
    generator = np.random.default_rng(seed)
    while True:
        columns = (
            int.from_bytes(generator.bytes(-(-n // 8)), "little") % (1 << n) for _ in range(n)
        )
        try:
            return Affine(tuple(columns), n).inverse().inverse()
        except ValueError:
            continue


def cases(n: int) -> dict[str, Affine]:
    """Return the permutations of 2^n elements."""
    named_ones = {
        "bit reversal": bit_reversal(n),
        "transpose n/2": transpose(n, n // 2),
        "transpose 3": transpose(n, 3),
        "Gray code": gray_code(n),
    }
    return named_ones | {f"random {seed}": random(n, seed) for seed in range(3)}


def contestants(A: Affine, x: Any, y: Any, z: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what is timed, one after the other, so that tables of indices live no longer than
    needed; the first two are the measures.

    All write to y, which begins on a cache line, but copyto and the tiles once more to z, which
    does not.
    """
    tiles, gray = (LocalPlan(A, 0, x.dtype, kernel) for kernel in ("tiles", "gray"))
    for plan in (tiles, gray):
        plan.perform(x, y)  # so that it is compiled
    for name, out in zip(MEASURES, (y, z), strict=True):
        yield name, partial(np.copyto, out.view(np.uint8), x.view(np.uint8))
    for name, out in zip(TILES, (y, z), strict=True):
        yield name, partial(tiles.perform, x, out)
    yield "numpy, emitted", numpy_program(A, x, y)
    back, index = span(A.inverse().columns), span(A.columns)
    yield "numpy.take", lambda: np.take(x, back, out=y, mode="clip")
    yield "y[i] = x", lambda: y.__setitem__(index, x)
    yield "Gray order", lambda: gray.perform(x, y)


def numpy_program(A: Affine, x: Any, y: Any) -> Callable[[], Any]:
    """Return what the program emitted for one rank, with numpy's kernels, does between x and y."""
    program, dtype = (
        ModuleType("program"),
        str(x.dtype) if x.dtype.isbuiltin else f"V{x.dtype.itemsize}",
    )
    exec(
        emit(resolve(make_request("permute", len(x), 1, permutation=Bmmc(A, "A"), dtype=dtype))),
        program.__dict__,
    )
    plan = program.plan(Alone())
    return lambda: program.transform(x.view(dtype), plan, out=y.view(dtype))


def ratios(A: Affine, x: Any, y: Any) -> list[float]:
    """Return the least time of each contestant over that of copyto, and of numpy.take over the
    tiles; the result of each is looked at first.
    """
    z = aligned(16 + y.nbytes, np.uint8)[16:].view(y.dtype)
    works = dict(contestants(A, x, y, z))
    wanted = np.take(x, span(A.inverse().columns)).view(np.uint8)
    seconds = {}
    for name, work in works.items():
        out = (z if name in (MEASURES[1], TILES[1]) else y).view(np.uint8)
        out[:] = 0  # its pages are there before the clock starts
        start = perf_counter()
        work()
        seconds[name] = perf_counter() - start
        assert name in MEASURES or np.array_equal(out, wanted), name
    quick = [name for name in works if seconds[name] < SLOW * PATIENCE.get(name, 1)]
    for _ in range(ROUNDS):
        for name in quick:  # twice in a row, so that each finds the caches as it left them
            seconds[name] = min(seconds[name], *best(2, works[name]))
    shares = [
        seconds[name] / seconds[MEASURES[name == TILES[1]]]
        for name in works
        if name not in MEASURES
    ]
    return [*shares, seconds["numpy.take"] / seconds["tiles"]]


def local(sizes: Sequence[int]) -> None:
    """Time permutations of one array."""
    rows = []
    for dtype, most in TYPES.items():
        for n in (n for n in sizes if n <= most):
            x, y = (aligned(1 << n, dtype) for _ in range(2))
            words = x.view("u4")
            words[:] = np.arange(len(words))
            for name, A in cases(n).items():
                rows.append((f"2^{n} {dtype}", name, *ratios(A, x, y)))
                print(rows[-1], file=sys.stderr)
    head = (
        "array",
        "permutation",
        *TILES,
        "numpy, emitted",
        "numpy.take",
        "y[i] = x",
        "Gray order",
        "numpy.take / tiles",
    )
    table("One array, time over numpy.copyto's", head, rows)
    print(f"\nnumpy.take over tiles, the least of all: {min(row[-1] for row in rows):.3g}")


def factoring() -> None:
    """Time the factorization of random matrices, the least of nine times."""
    rows = []
    for n, p in FACTORED:
        A = random(n, 1)
        (seconds,) = best(9, partial(factors, A, p))
        rows.append((n, p, seconds * 1e3))
    table("Factoring a random matrix", ("n", "p", "ms"), rows)


def factors(A: Affine, p: int) -> tuple[object, ...]:
    """Return A = V W with what equation (4) needs, all of which is computed when it is asked
    for.
    """
    f = factor(Affine(A.columns, A.bits), p)  # which knows nothing of an earlier run
    return f.V, f.W, f.rank_gamma, f.gamma, f.delta


def emitted(
    folder: Path, name: str, n: int, kernels: str, P: int = 2, exchange: str = "alltoall"
) -> Path:
    """Write the permute program of 2^n float64."""
    path = folder / f"permute_{kernels}_{exchange}.py"
    moved, way = Bmmc(named(name, n), name), {"kernels": kernels, "dtype": "float64"}
    request = make_request("permute", 1 << n, P, exchange=exchange, permutation=moved, **way)
    path.write_text(emit(resolve(request)), encoding="utf-8")
    return path


def fftw(folder: Path, name: str, n: int) -> list[str] | None:
    """Compile FFTW's transpose; return the command that times it on two ranks, None where something
    is missing or it is no transpose.
    """
    if not name.startswith("transpose:"):
        return None
    compiler, start = shutil.which("mpicc.openmpi"), shutil.which("mpiexec.openmpi")
    if compiler is None or start is None:
        return None
    binary = folder / "fftw_transpose"
    command = [
        compiler,
        "-O2",
        str(PEERS / "fftw_transpose.c"),
        "-o",
        str(binary),
        "-lfftw3_mpi",
        "-lfftw3",
        "-lm",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (
        [start, "-n", "2", str(binary), str(n), name.partition(":")[2]]
        if done.returncode == 0
        else None
    )


def least(output: str) -> float:
    """Return the seconds that a contestant prints, after a look at its count of wrong elements, or
    its error.
    """
    printed = json.loads(output)
    assert printed.get("wrong", printed.get("error", 0)) in (0, None), printed
    return float(printed["seconds_min"])


def whole(pattern: str, n: int, repeats: int) -> None:
    """Time a permutation of a distributed array on two ranks."""
    name, sending = pattern.format(half=n // 2), PEERS / "index_sending.py"
    with tempfile.TemporaryDirectory() as folder:
        programs = {
            f"emitted program, {kernels} kernels": emitted(Path(folder), name, n, kernels)
            for kernels in ("numba", "numpy")
        }
        compiled = fftw(Path(folder), name, n)
        seconds: dict[str, float] = {}
        for _ in range(3):
            times = {
                title: least(run(path, ["--bench", str(repeats)], capture=True, timeout=300).stdout)
                for title, path in programs.items()
            }
            sent = run(sending, [str(n), name, str(repeats)], 2, capture=True, timeout=300)
            times["elements sent with their offsets"] = least(sent.stdout)
            if compiled:
                environment = {**OPEN_MPI, **os.environ}
                times["FFTW's MPI transpose"] = least(
                    subprocess.run(
                        compiled, capture_output=True, text=True, check=True, env=environment
                    ).stdout
                )
            seconds = {title: min(time, seconds.get(title, time)) for title, time in times.items()}
    first = next(iter(seconds.values()))
    rows = [(title, time * 1e3, time / first) for title, time in seconds.items()]
    table(f"{name} of 2^{n} float64, P = 2", ("", "ms", "time / the first's"), rows)
    if not compiled and pattern == PERMUTATIONS[0]:
        print(
            "\nFFTW's MPI transpose was left out: mpicc.openmpi, mpiexec.openmpi or its library is"
            " not there"
        )


def exchanges(sizes: Sequence[int], ranks: Sequence[int], repeats: int) -> None:
    """Time the ways of exchange against each other: their programs take turns within one job."""
    rows = []
    for pattern, P, n in [
        *product(PERMUTATIONS, ranks, sizes),
        *product(NOT_IN_GROUPS, [P for P in ranks if P > 2], sizes),
    ]:
        name = pattern.format(half=n // 2)
        with tempfile.TemporaryDirectory() as folder:
            programs = [
                emitted(Path(folder), name, n, "numpy", P, exchange) for exchange in EXCHANGES
            ]
            done = run(
                PEERS / "turns.py",
                [str(min(repeats, 1 << max(24 - n, 0))), *programs],
                P,
                capture=True,
                timeout=300,
            )
        first, *others = json.loads(done.stdout)
        rows.append((name, P, f"2^{n}", first * 1e3, *[seconds / first for seconds in others]))
    table(
        "The ways of exchange, time over that of alltoall",
        ("permutation", "P", "N", "alltoall, ms", *EXCHANGES[1:]),
        rows,
    )


if __name__ == "__main__":
    parser = command_line(__doc__)
    for flag in ("quick", "local", "factoring", "exchanges"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("sizes", type=int, nargs="*")
    parser.add_argument("--ranks", type=int, nargs="+", default=(2, 4), help="of the exchanges")
    options = parser.parse_args()
    quick = options.quick
    alone = options.local or options.factoring or options.exchanges
    print(machine())
    if not alone:
        for permutation in PERMUTATIONS:
            whole(permutation, *((20, 3) if quick else (24, 15)))
    if options.exchanges or not alone:
        usual = (14,) if quick else (10, 12, 14, 16, 18, 20, 22)
        exchanges(options.sizes or usual, options.ranks, 100 if quick else 400)
    if options.factoring or not alone:
        factoring()
    if options.local or not alone:
        local(options.sizes or ([18] if quick else [20, 22, 24, 26]))
