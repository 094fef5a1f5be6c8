"""Emitted transforms against FFTW-MPI and MKL's Cluster FFT, against scipy.fft and numpy.fft, and
the ways of exchange against each other.

python -m bench.fft [rivals] [scaling] [alone] [libraries] [exchanges] [mpi] [reproducible]
[--sizes LG_N ..] [--ranks P ..] [--kernels K ..] [--exchange X ..] [--rounds R]

rivals: FFTW-MPI in natural and in scrambled order, MKL; scaling: strong, beside FFTW-MPI; alone:
one rank beside pyfftw; reproducible: the price of the same bits for every P.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np
import scipy.fft

from bench import alone, rivals, ways
from bench.common import Emitted, best, machine, table
from bench.kernel import Kernel, repeated
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.fft import FFT
from nodewright.runtime.launch import mpiexec

SIZES = (12, 16, 20, 22, 24)
ROUNDS = 5
"""So often the contestants take turns."""
TURNS = rivals.PEERS / "turns.py"
COPYING = rivals.PEERS / "copying.py"
LAYOUTS = ("cyclic", "block")
NATURAL, SCRAMBLED, MKL = "FFTW-MPI, natural", "FFTW-MPI, scrambled", "MKL Cluster FFT"
WANTED = {
    ("cyclic", NATURAL): 0.4,
    ("cyclic", SCRAMBLED): 0.55,
    ("cyclic", MKL): 0.45,
    ("block", NATURAL): 0.6,
}
"""The most in the geometric mean."""
WANTED_EACH = {("cyclic", NATURAL): 0.55}
"""The most at every size."""
PASSES = {"cyclic": 3, "block": 4.5}
"""So often a rank's elements are read and written once at least: two passes of the local transform,
one that joins messages; for blocks one that deals them, and twice as much is read by the last.
"""
IN_CACHE = 10
"""lg of a transform that fits the first cache: what one core's arithmetic allows."""
Least = dict[str, float]


def against_rivals(
    sizes: Sequence[int],
    ranks: Sequence[int],
    kernels: Sequence[str],
    ways: Sequence[str],
    rounds: int,
) -> None:
    """Time a whole transform of complex128 on P ranks, from cyclic to cyclic and from block to
    block, in natural order as the rivals have it.
    """
    with tempfile.TemporaryDirectory() as folder:
        others, missing = rivals.built(Path(folder))
        print("\n".join(missing))
        for P, layout in product(ranks, LAYOUTS):
            least = {
                n: timed(Path(folder), n, P, layout, kernels, ways, others, rounds) for n in sizes
            }
            report(
                layout,
                f"{layout} to {layout}, P = {P}, complex128",
                [rival.name for rival in others],
                least,
            )
            limits(layout, P, least)


def timed(
    folder: Path,
    n: int,
    P: int,
    layout: str,
    kernels: Sequence[str],
    ways: Sequence[str],
    others: Sequence[rivals.Rival],
    rounds: int,
) -> Least:
    """Return the least seconds of each contestant; programs with the same kernels share a start of
    mpiexec, where they take turns.
    """
    repeats = max(4, min(2000, 1 << max(0, 24 - n)))
    groups = [programs(folder, n, P, layout, kernel, ways) for kernel in kernels]
    least: Least = {}
    for _ in range(rounds):
        found = {rival.name: rival.seconds(n, P, repeats) for rival in others}
        for group in filter(None, groups):
            found |= dict(zip(group, on_ranks(P, TURNS, repeats, *group.values()), strict=True))
        least = {name: min(seconds, least.get(name, seconds)) for name, seconds in found.items()}
    return least


def on_ranks(P: int, *words: object) -> Any:
    """Return what a script prints that P ranks run."""
    done = subprocess.run(
        [mpiexec(), "-n", str(P), sys.executable, *map(str, words)],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def programs(
    folder: Path, n: int, P: int, layout: str, kernel: str, ways: Sequence[str]
) -> dict[str, Path]:
    """Return the programs with these kernels that there are, by the way in which their messages
    travel.
    """
    found = {}
    for way in ways:
        try:
            text = emit(
                resolve(make_request("fft", 1 << n, P, layout, layout, way, kernels=kernel))
            )
        except ValueError:  # not every exchange is there for all kernels
            continue
        found[f"{kernel}, {way}"] = path = folder / f"fft_{n}_{layout}_{kernel}_{way}.py"
        path.write_text(text, encoding="utf-8")
    return found


def report(layout: str, title: str, others: Sequence[str], least: dict[int, Least]) -> None:
    """Print milliseconds, and for each rival the ratios to it with their geometric mean, what is
    wanted beside.
    """
    names = list(dict.fromkeys(name for each in least.values() for name in each))
    table(
        f"Milliseconds of one transform, {title}",
        ("N", *names),
        [(f"2^{n}", *[each[name] * 1e3 for name in names]) for n, each in least.items()],
    )
    ours = [name for name in names if name not in others]
    for rival in others:
        ratios = {n: [each[name] / each[rival] for name in ours] for n, each in least.items()}
        means = list(map(geometric_mean, zip(*ratios.values(), strict=True)))
        note = " (Debian's codelets are for SSE2 and AVX)" if rival.startswith("FFTW") else ""
        rows = [(f"2^{n}", *row) for n, row in ratios.items()]
        table(
            f"Time over that of {rival}{note}, {title}",
            ("N", *ours),
            [*rows, ("geometric mean", *means)],
        )
        if (layout, rival) in WANTED:
            each = (
                f", {WANTED_EACH[layout, rival]} at every size"
                if (layout, rival) in WANTED_EACH
                else ""
            )
            print(
                f"\nwanted: at most {WANTED[layout, rival]} in the mean{each}; the best has"
                f" {min(means):.3g}"
            )


def limits(layout: str, P: int, least: dict[int, Least]) -> None:
    """Print what memory and arithmetic allow: so many copies of a rank's elements, all ranks at
    once; 5 M lg N flops as fast as in the cache.
    """
    with tempfile.TemporaryDirectory() as folder:
        kernel = Kernel(IN_CACHE, "complex128", folder)
        x, y = (kernel.program.aligned(1 << IN_CACHE, "complex128") for _ in range(2))
        x[:] = 1
        loop, count = repeated(kernel.call(x, y))
        rate = 5 * IN_CACHE * (1 << IN_CACHE) * count / best(20, loop)[0]
    rows = []
    for n, each in least.items():
        M = (1 << n) // P
        memory, arithmetic = (
            PASSES[layout] * on_ranks(P, COPYING, max(5, min(2000, 1 << max(0, 24 - n))), M),
            5 * M * n / rate,
        )
        ours = min(
            seconds
            for name, seconds in each.items()
            if ", " in name and not name.startswith("FFTW")
        )
        limit = max(memory, arithmetic)
        rows.append(
            (
                f"2^{n}",
                memory * 1e3,
                arithmetic * 1e3,
                ours * 1e3,
                limit / ours,
                limit / each[NATURAL] if NATURAL in each else "",
            )
        )
    head = (
        "N",
        f"{PASSES[layout]} copies, ms",
        "arithmetic, ms",
        "the best of ours, ms",
        "limit / ours",
        f"limit / {NATURAL}",
    )
    table(
        f"Limits, {layout} to {layout}, P = {P}; {rate / 1e9:.3g} Gflop/s in the cache", head, rows
    )


def scaling(sizes: Sequence[int], ranks: Sequence[int], rounds: int) -> None:
    """Print times for 1, 2, .. ranks from cyclic to cyclic beside FFTW-MPI's; more ranks than cores
    are marked.
    """
    with tempfile.TemporaryDirectory() as folder:
        others, missing = rivals.built(Path(folder))
        print("\n".join(missing))
        natural, rows = [rival for rival in others if rival.name == NATURAL], []
        for n in sizes:
            alone_on_one: Least = {}
            for P in ranks:
                ways = ("shared",) if P > 1 else ("alltoall",)
                found = timed(Path(folder), n, P, "cyclic", ("numba",), ways, natural, rounds)
                least = {"ours": found[f"numba, {ways[0]}"]} | {
                    name: found[name] for name in (NATURAL,) if name in found
                }
                alone_on_one = alone_on_one or least
                cells = [
                    cell
                    for name in ("ours", NATURAL)
                    for cell in (
                        (least[name] * 1e3, alone_on_one[name] / least[name])
                        if name in least
                        else ("", "")
                    )
                ]
                rows.append(
                    (
                        f"2^{n}",
                        f"{P}{', oversubscribed' if P > (os.cpu_count() or 1) else ''}",
                        *cells,
                    )
                )
    table(
        "Strong scaling, cyclic to cyclic, complex128",
        ("N", "P", "ours, ms", "speed-up", f"{NATURAL}, ms", "speed-up"),
        rows,
    )


def libraries(rounds: int) -> None:
    """Time the whole transform of a vector: P = 1 and 2 against one core of scipy and numpy."""
    rows = []
    for n in (12, 16, 20):
        N, transforms = 1 << n, max(5, 1 << 22 - n)
        random = np.random.default_rng(0)
        x = random.standard_normal(N) + 1j * random.standard_normal(N)
        out = np.empty_like(x)
        emitted = {
            f"emitted, P = {P}, {layout}": Emitted(N, P, layout)
            for P, layout in ((1, "block"), (2, "block"), (2, "cyclic"))
        }
        least = dict.fromkeys(["scipy.fft", "numpy.fft", *emitted], float("inf"))
        for _ in range(rounds):
            inner = min(transforms, 50)
            scipy_seconds, numpy_seconds = best(
                inner,
                lambda x=x: scipy.fft.fft(x, workers=1),
                lambda x=x, out=out: np.fft.fft(x, out=out),
            )
            least["scipy.fft"], least["numpy.fft"] = (
                min(least["scipy.fft"], scipy_seconds),
                min(least["numpy.fft"], numpy_seconds),
            )
            for name, program in emitted.items():
                least[name] = min(least[name], program.seconds(transforms))
        rows += [
            (f"2^{n}", name, seconds * 1e3, seconds / least["scipy.fft"])
            for name, seconds in least.items()
        ]
    table("One transform, complex128", ("N", "program", "ms", "time / scipy.fft's"), rows)


def main(words: Sequence[str]) -> None:
    """Print the machine, and the tables that are asked for, all if none is."""
    parser = argparse.ArgumentParser(prog="python -m bench.fft", description=__doc__)
    parser.add_argument(
        "tables",
        nargs="*",
        metavar="TABLE",
        help="rivals, scaling, alone, libraries, exchanges, mpi, reproducible; else all",
    )
    parser.add_argument("--sizes", nargs="+", type=int, metavar="LG_N")
    parser.add_argument("--ranks", type=int, nargs="+", metavar="P")
    parser.add_argument("--kernels", nargs="+", choices=FFT.kernels, default=("numba",))
    parser.add_argument("--exchange", nargs="+", choices=FFT.exchanges)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args(words)
    tables: dict[str, Callable[[], None]] = {
        "rivals": lambda: against_rivals(
            given.sizes or SIZES,
            given.ranks or (2,),
            given.kernels,
            given.exchange or ("shared", "alltoall"),
            given.rounds,
        ),
        "scaling": lambda: scaling(
            given.sizes or (20, 24), (1, *(given.ranks or (2, 4))), given.rounds
        ),
        "alone": lambda: alone.against_fftw(given.sizes or range(10, 23), 4 * given.rounds),
        "libraries": lambda: libraries(given.rounds),
        "exchanges": lambda: ways.of_exchange(
            given.exchange or FFT.exchanges, given.ranks or (2, 4), given.rounds
        ),
        "mpi": lambda: ways.of_mpi(given.ranks or (2,)),
        "reproducible": lambda: ways.reproducible(
            given.sizes or (12, 16, 20), given.ranks or (2,), given.kernels, given.rounds
        ),
    }
    unknown = [name for name in given.tables if name not in tables]
    if unknown:
        parser.error(f"no table {unknown[0]}: the tables are {', '.join(tables)}")
    print(machine())
    for name in given.tables or tables:
        tables[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
