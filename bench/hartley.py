"""The Hartley transform: time against N and P, speed-up and share of communication, as Figures 5 to
8 of Lin, Chan & Karplus; and predictions.

python -m bench.hartley [--quick] [--kernels numpy] [--overlapped] [--predictions] [--png FILE]

--quick is N = 2^16 in one round: most of its time goes into compiling six programs. Pictures have a
panel for each of Figures 5 to 8 as measured, and for the predicted speed-up; --predictions leaves
measuring out. With --overlapped the lists of `hypercube` that travel alone are computed first.

Contestants, each in its own layouts: `hypercube`, the paper's lg P exchanges; `group-cyclic`, one
all-to-all; and this project's complex FFT on the same real data; all with the kernels of numba, or
of numpy. Beside them one core of scipy's, and of FFTW's (with pyfftw), real transform with the pass
that makes a Hartley transform of it, and of ducc0's own Hartley transform, where that is installed.
"""

from __future__ import annotations

import importlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pyfftw
import scipy.fft
from mpi4py import MPI

from bench.common import best, command_line, machine, table
from bench.hartley_share import imported
from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.program.hartley_program import ALGORITHMS
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.exchanges import EXCHANGES, OVERLAPPED
from nodewright import plot
from nodewright.runtime.launch import run

ducc0: Any = None
with suppress(ImportError):
    ducc0 = importlib.import_module("ducc0")

SHARE = Path(__file__).parent / "hartley_share.py"
PARSER = command_line(__doc__)
for flag in ("quick", "overlapped", "predictions"):
    PARSER.add_argument(f"--{flag}", action="store_true")
PARSER.add_argument("--kernels", choices=("numba", "numpy"), default="numba")
PARSER.add_argument("--ranks", type=int, nargs="+", metavar="P", help="beside one")
PARSER.add_argument("--png", type=Path)
OPTIONS = PARSER.parse_args()
ROUNDS = 1 if OPTIONS.quick else 3
"""So often the contestants take turns."""
EXCHANGE = OVERLAPPED if OPTIONS.overlapped else EXCHANGES[0]
Curves = dict[str, dict[str, list[tuple[int, float]]]]
"""Points by figure and by curve."""
INPUTS = {"hypercube": "hartley-input", "group-cyclic": "cyclic"}


@dataclass(frozen=True)
class Network:
    """Seconds of a flop, of setting up a message, and of a number of 8 bytes under way."""

    flop: float
    setup: float
    word: float

    def seconds(self, algorithm: str, N: int, P: int) -> float:
        """Return flops t_calc + messages t_su + words t_tr, of the rank that has most of each, in
        the algorithm's own layouts.
        """
        cost = count(resolve(make_request("fht", N, P, INPUTS[algorithm], algorithm=algorithm)))
        return cost.flops * self.flop + cost.messages * self.setup + cost.words * self.word


NETWORKS = {
    "1 Gb/s, 50 µs": Network(1e-9, 50e-6, 8 / 125e6),
    "10 Gb/s, 10 µs": Network(1e-9, 10e-6, 8 / 1250e6),
    "100 Gb/s, 2 µs": Network(1e-9, 2e-6, 8 / 12500e6),
}
"""Ranks that do 10^9 flop/s, on three networks."""


def hartley_of(half: np.ndarray[Any, Any], N: int) -> np.ndarray[Any, Any]:
    """Return the Hartley transform from half of the spectrum of a real vector."""
    y = np.empty(N)
    np.subtract(half.real, half.imag, out=y[: N // 2 + 1])
    np.add(half.real[-2:0:-1], half.imag[-2:0:-1], out=y[N // 2 + 1 :])
    return y


def on_one_core(N: int) -> dict[str, Callable[[], Any]]:
    """Return the Hartley transforms of libraries."""
    x = np.random.default_rng(0).standard_normal(N)
    given, half = pyfftw.empty_aligned(N), pyfftw.empty_aligned(N // 2 + 1, "complex128")
    planned = pyfftw.FFTW(given, half, flags=("FFTW_MEASURE",))
    given[:] = x
    works = {
        "scipy": lambda: hartley_of(scipy.fft.rfft(x, workers=1), N),
        "FFTW": lambda: hartley_of(planned(), N),
    }
    y = np.empty(N)
    if ducc0 is not None:
        works["ducc0"] = lambda: ducc0.fft.genuine_fht(x, out=y, nthreads=1)
    return works


FIGURES = ("Time in ms", "Speed-up over P = 1", "Share of communication in %")


def measured(path: Path, P: int, repeats: int) -> tuple[float, float]:
    """Return the seconds of a transform, and those spent in calls of MPI."""
    done = run(SHARE, [str(path), str(repeats)], P, capture=True, timeout=600)
    if done.returncode:
        raise RuntimeError(done.stderr)
    figures = json.loads(done.stdout)
    return figures["seconds"], figures["communication"]


def programs(folder: Path, N: int, P: int) -> Iterator[tuple[str, Path]]:
    """Write the contestants for this N and P; yield their names and files."""
    for name, text in texts(N, P):
        path = folder / f"{name.replace(' ', '_')}_{N}_{P}.py"
        path.write_text(text, encoding="utf-8")
        yield name, path


def texts(N: int, P: int) -> Iterator[tuple[str, str]]:
    """Yield the contestants' names and texts."""
    for algorithm in ALGORITHMS[: 1 + (2 * P * P <= N)]:
        exchange = EXCHANGE if algorithm == "hypercube" else EXCHANGES[0]
        way = {"algorithm": algorithm, "kernels": OPTIONS.kernels}
        yield (
            algorithm,
            emit(resolve(make_request("fht", N, P, INPUTS[algorithm], "", exchange, **way))),
        )
    yield (
        "complex FFT",
        emit(resolve(make_request("fft", N, P, "cyclic", "cyclic", kernels=OPTIONS.kernels))),
    )


def experiments(folder: Path, sizes: Sequence[int], ranks: Sequence[int]) -> Curves:
    """Print time against N and P, speed-up, and the share of communication; return their curves
    over N.
    """
    rows, cores = [], os.cpu_count() or 1
    curves: Curves = {}
    for N in sizes:
        repeats = max(5, min(200, 2**22 // N))
        contestants = [(name, P, path) for P in ranks for name, path in programs(folder, N, P)]
        least: dict[tuple[str, int], tuple[float, float]] = {}
        libraries, seconds = on_one_core(N), dict[str, float]()
        for _ in range(ROUNDS):
            for name, P, path in contestants:
                least[name, P] = min(
                    least.get((name, P), (np.inf, 0.0)), measured(path, P, repeats)
                )
            for name, second in zip(
                libraries, best(min(repeats, 50), *libraries.values()), strict=True
            ):
                seconds[name] = min(seconds.get(name, np.inf), second)
        for (name, P), (whole, communication) in sorted(
            least.items(), key=lambda entry: (entry[0][1], entry[0][0])
        ):
            against = [seconds[library] / whole for library in libraries]
            marked = f"{P}" if P <= cores else f"{P} (oversubscribed)"
            figures = (
                whole * 1e3,
                least[name, 1][0] / whole,
                100 * communication / whole,
                whole / least["complex FFT", P][0],
            )
            rows.append((f"2^{N.bit_length() - 1}", marked, name, *figures, *against))
            for figure, value in zip(FIGURES, figures, strict=False):
                curves.setdefault(figure, {}).setdefault(f"{name}, P = {marked}", []).append(
                    (N, value)
                )
    over = [f"speed-up over {library}" for library in libraries]
    head = (
        "N",
        "P",
        "program",
        "ms",
        "speed-up over P = 1",
        "communication %",
        "time / complex FFT's",
        *over,
    )
    table(
        f"Time, speed-up and share of communication (Figures 5 to 8), {OPTIONS.kernels} kernels",
        head,
        rows,
    )
    return curves


def processor_time(folder: Path, sizes: Sequence[int]) -> None:
    """Print the processor time of a transform on one rank, which other jobs on the machine disturb
    least.
    """
    rows = []
    for N in sizes:
        x, works = np.random.default_rng(0).standard_normal(N), dict[str, Callable[[], Any]]()
        for name, path in programs(folder, N, 1):
            module = imported(path)
            given = x.astype(module.DTYPE)
            works[name] = partial(
                module.transform, given, module.plan(MPI.COMM_SELF), np.empty_like(given)
            )
        works |= on_one_core(N)
        least = dict.fromkeys(works, np.inf)
        for _ in range(max(7, min(300, 2**22 // N))):
            for name, work in works.items():
                start = process_time()
                work()
                least[name] = min(least[name], process_time() - start)
        rows.append(
            (f"2^{N.bit_length() - 1}", *(least[name] / least["complex FFT"] for name in works))
        )
    table(
        f"Processor time on one rank, over the complex FFT's, {OPTIONS.kernels} kernels",
        ("N", *works),
        rows,
    )


def predictions(largest: int = 1024) -> Curves:
    """Print predicted times for up to 2^10 ranks, and where more of them stop helping; return the
    curves of speed-up over P.
    """
    drawn: Curves = {}
    sizes, ranks = [1 << n for n in (12, 16, 20, 24)], [1 << p for p in range(largest.bit_length())]
    curves, stops = [], []
    for name, network in NETWORKS.items():
        for algorithm in ALGORITHMS:
            for N in sizes:
                taken = {
                    P: network.seconds(algorithm, N, P)
                    for P in ranks
                    if 2 * P * (P if algorithm == "group-cyclic" else 1) <= N
                }
                P = min(taken, key=taken.__getitem__)
                stops.append(
                    (
                        name,
                        algorithm,
                        f"2^{N.bit_length() - 1}",
                        P,
                        "the last that it takes" if P == max(taken) else "",
                        taken[1] / taken[P],
                    )
                )
                points = [(P, taken[1] / taken[P]) for P in taken]
                drawn.setdefault(f"Predicted speed-up, {name}", {})[
                    f"{algorithm}, N = 2^{N.bit_length() - 1}, best P = {P}"
                ] = points
                if N == 2**20:
                    curves.append(
                        (
                            name,
                            algorithm,
                            *(f"{taken[1] / taken[P]:.3g}" if P in taken else "-" for P in ranks),
                        )
                    )
    table(
        "Predicted speed-up for N = 2^20",
        ("network", "algorithm", *(f"P = {P}" for P in ranks)),
        curves,
    )
    table(
        f"Where more ranks stop helping, of up to {largest}",
        ("network", "algorithm", "N", "best P", "", "speed-up there"),
        stops,
    )
    return drawn


def main(png: Path | None) -> None:
    """Print the machine and all tables; draw the curves, measured ones over N and predicted ones
    over P.
    """
    print(machine())
    if OPTIONS.predictions:
        predicted = predictions()
        if png:
            plot.save(plot.curves(predicted, "P"), png)
        return
    if ducc0 is None:
        print("ducc0 is not installed: its Hartley transform is left out (pip install ducc0)")
    with tempfile.TemporaryDirectory() as folder:
        sizes = [1 << n for n in ((16,) if OPTIONS.quick else range(12, 25, 2))]
        processor_time(Path(folder), sizes)
        ranks = OPTIONS.ranks or ((2,) if OPTIONS.quick else (2, 4))
        curves = experiments(Path(folder), sizes, (1, *ranks))
    predicted = predictions()
    if png:
        plot.save(plot.curves(curves), png)
        plot.save(plot.curves(predicted, "P"), png.with_stem(f"{png.stem}-predicted"))


if __name__ == "__main__":
    main(OPTIONS.png)
