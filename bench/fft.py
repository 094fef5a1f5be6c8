"""Emitted transforms against FFTW-MPI and MKL's Cluster FFT, against scipy.fft and numpy.fft, and the ways of exchange against each other.

python -m bench.fft [rivals] [libraries] [exchanges] [--sizes LG_N ..] [--ranks P] [--kernels K ..] [--exchange X ..] [--rounds R]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import product
from math import exp, log
from pathlib import Path

import numpy as np
import scipy.fft

from bench import rivals
from bench.common import Emitted, best, machine, table
from codegen.emit import Options, emit, kernels_of
from codegen.lower import build, exchanges
from nodewright.launch import mpiexec

ROUNDS = 5
"""So often the contestants take turns."""
TURNS = rivals.PEERS / "turns.py"
LAYOUTS = ("cyclic", "block")
Least = dict[str, float]


def against_rivals(sizes: Sequence[int], P: int, kernels: Sequence[str], ways: Sequence[str], rounds: int) -> None:
    """Time a whole transform of complex128 on P ranks, from cyclic to cyclic and from block to block, in natural order as the rivals have it."""
    with tempfile.TemporaryDirectory() as folder:
        others, missing = rivals.built(Path(folder))
        print("\n".join(missing))
        for layout in LAYOUTS:
            least = {n: timed(Path(folder), n, P, layout, kernels, ways, others, rounds) for n in sizes}
            report(f"{layout} to {layout}, P = {P}, complex128", [rival.name for rival in others], least)


def timed(
    folder: Path, n: int, P: int, layout: str, kernels: Sequence[str], ways: Sequence[str], others: Sequence[rivals.Rival], rounds: int
) -> Least:
    """Return the least seconds of each contestant; programs with the same kernels share a start of mpiexec, where they take turns."""
    repeats = max(4, min(2000, 1 << max(0, 24 - n)))
    groups = [programs(folder, n, P, layout, kernel, ways) for kernel in kernels]
    least: Least = {}
    for _ in range(rounds):
        found = {rival.name: rival.seconds(n, P, repeats) for rival in others}
        for group in filter(None, groups):
            command = [mpiexec(), "-n", str(P), sys.executable, str(TURNS), str(repeats), *map(str, group.values())]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found |= dict(zip(group, json.loads(done.stdout), strict=True))
        least = {name: min(seconds, least.get(name, seconds)) for name, seconds in found.items()}
    return least


def programs(folder: Path, n: int, P: int, layout: str, kernel: str, ways: Sequence[str]) -> dict[str, Path]:
    """Return the programs with these kernels that there are, by the way in which their messages travel."""
    found = {}
    for way in ways:
        try:
            text = emit(build("fft", 1 << n, P, layout, layout, way), Options(kernels=kernel, exchange=way))
        except ValueError:  # not every exchange is there for all kernels
            continue
        found[f"{kernel}, {way}"] = path = folder / f"fft_{n}_{layout}_{kernel}_{way}.py"
        path.write_text(text, encoding="utf-8")
    return found


def report(title: str, others: Sequence[str], least: dict[int, Least]) -> None:
    """Print milliseconds, and for each rival the ratios to it with their geometric mean."""
    names = list(dict.fromkeys(name for each in least.values() for name in each))
    table(f"Milliseconds of one transform, {title}", ("N", *names), [(f"2^{n}", *[each[name] * 1e3 for name in names]) for n, each in least.items()])
    ours = [name for name in names if name not in others]
    for rival in others:
        ratios = {n: [each[name] / each[rival] for name in ours] for n, each in least.items()}
        means = [exp(sum(map(log, column)) / len(column)) for column in zip(*ratios.values(), strict=True)]
        note = " (Debian's codelets are for SSE2 and AVX)" if rival.startswith("FFTW") else ""
        rows = [(f"2^{n}", *row) for n, row in ratios.items()]
        table(f"Time over that of {rival}{note}, {title}", ("N", *ours), [*rows, ("geometric mean", *means)])


def libraries(rounds: int) -> None:
    """Time the whole transform of a vector: P = 1 and 2 against one core of scipy and numpy."""
    rows = []
    for n in (12, 16, 20):
        N, transforms = 1 << n, max(5, 1 << 22 - n)
        random = np.random.default_rng(0)
        x = random.standard_normal(N) + 1j * random.standard_normal(N)
        out = np.empty_like(x)
        emitted = {f"emitted, P = {P}, {layout}": Emitted(N, P, layout) for P, layout in ((1, "block"), (2, "block"), (2, "cyclic"))}
        least = dict.fromkeys(["scipy.fft", "numpy.fft", *emitted], float("inf"))
        for _ in range(rounds):
            inner = min(transforms, 50)
            scipy_seconds, numpy_seconds = best(inner, lambda x=x: scipy.fft.fft(x, workers=1), lambda x=x, out=out: np.fft.fft(x, out=out))
            least["scipy.fft"], least["numpy.fft"] = min(least["scipy.fft"], scipy_seconds), min(least["numpy.fft"], numpy_seconds)
            for name, program in emitted.items():
                least[name] = min(least[name], program.seconds(transforms))
        rows += [(f"2^{n}", name, seconds * 1e3, seconds / least["scipy.fft"]) for name, seconds in least.items()]
    table("One transform, complex128", ("N", "program", "ms", "time / scipy.fft's"), rows)


def ways_of_exchange(ways: Sequence[str], rounds: int) -> None:
    """Time the ways in which the same messages travel, in turn."""
    rows = []
    for layout, P, n in product(("block", "cyclic"), (2, 4), (10, 14, 18, 20)):
        transforms = max(5, 1 << 20 - n >> P // 4 * 2)
        emitted = [Emitted(1 << n, P, layout, exchange) for exchange in ways]
        runs = [[program.seconds(transforms) for program in emitted] for _ in range(rounds)]
        least = [min(seconds) for seconds in zip(*runs, strict=True)]
        rows.append((layout, P, f"2^{n}", least[0] * 1e3, *[seconds / least[0] for seconds in least[1:]]))
    table("Exchanges", ("layouts", "P", "N", f"{ways[0]}, ms", *[f"{exchange} / {ways[0]}" for exchange in ways[1:]]), rows)


def main(words: Sequence[str]) -> None:
    """Print the machine, and the tables that are asked for, all if none is."""
    parser = argparse.ArgumentParser(prog="python -m bench.fft", description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="rivals, libraries, exchanges; all if none is named")
    parser.add_argument("--sizes", nargs="+", type=int, default=(12, 16, 20, 22, 24), metavar="LG_N")
    parser.add_argument("--ranks", type=int, default=2, metavar="P")
    parser.add_argument("--kernels", nargs="+", choices=kernels_of("fft"), default=kernels_of("fft"))
    parser.add_argument("--exchange", nargs="+", choices=exchanges("fft"), default=exchanges("fft"))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args(words)
    tables: dict[str, Callable[[], None]] = {
        "rivals": lambda: against_rivals(given.sizes, given.ranks, given.kernels, given.exchange, given.rounds),
        "libraries": lambda: libraries(given.rounds),
        "exchanges": lambda: ways_of_exchange(given.exchange, given.rounds),
    }
    unknown = [name for name in given.tables if name not in tables]
    if unknown:
        parser.error(f"no table {unknown[0]}: the tables are {', '.join(tables)}")
    print(machine())
    for name in given.tables or tables:
        tables[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
