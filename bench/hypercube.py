"""The experiments of Aykanat & Dervis, section 4: what Progs. 3, 4 and 5 gain, how much
communication they hide, and how fast they are.

python -m bench.hypercube [--quick] [--kernels numba] [--png FILE]

--quick is N = 2^20 on two ranks, one network, two rounds: most of its time goes into compiling.

With the kernels of numpy, or of numba; those of numba take the bit-reversed input from where it
lies, numpy's rearrange it first. The exchange phase is what follows the local transform, from
bit-reversed to scrambled (Prog. 2: block) order. Prog. 3 is timed in two forms: with F_M as local
transform, against Prog. 2, and, as 3', with F_{M/2} and the steps of Progs. 4 and 5, against these;
numba has no kernels for 3', and compares with 3.
What overlap is not due to is seen by the same programs with late sends: their buffers save a copy
within MPI, which Prog. 3 makes.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time
from types import SimpleNamespace
from typing import Any

import numpy as np

from bench.common import command_line, machine, table
from bench.hartley_share import imported
from bench.noise import Gain, gain, hidden
from bench.phases import Silent
from codegen.cost import hypercube_times
from codegen.cost.hypercube_times import Network
from codegen.emit.hypercube_memory import BUFFERS
from codegen.emit.text import emit
from codegen.program.affine_steps import steps_of
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program
from codegen.requests import make_request
from derive.papers.hypercube import SCHEMES, prog
from nodewright import plot
from nodewright.runtime.launch import run

PHASES = Path(__file__).parent / "phases.py"
HELD = Path(__file__).parent / "held.py"
PARSER = command_line(__doc__)
PARSER.add_argument("--quick", action="store_true")
PARSER.add_argument("--ranks", type=int, nargs="+", metavar="P", help="of Figs. 4 to 7")
PARSER.add_argument("--kernels", choices=("numpy", "numba"), default="numpy")
PARSER.add_argument("--png", type=Path)
OPTIONS = PARSER.parse_args()
PLAIN = "3'" if OPTIONS.kernels == "numpy" else "3"
"""What Progs. 4 and 5 are compared with; kernels of numba are not written for 3'."""
ROUNDS = 2 if OPTIONS.quick else 3
"""So often the contestants take turns; how far the times of one lie apart is the noise."""
NETWORKS = {
    "1 Gb/s, 50 µs": (50e-6, 16 / 125e6),
    "10 Gb/s, 10 µs": (10e-6, 16 / 1250e6),
    "100 Gb/s, 2 µs": (2e-6, 16 / 12500e6),
}
"""Set-up time of a message, and time of an element of 16 bytes."""


def program(scheme: str, N: int, P: int, kernels: str = "numpy") -> Program:
    """Return the program of a scheme in its own layouts; 3' has the steps of Prog. 4 without
    overlap.
    """
    output = "block" if scheme == "2" or P == 1 else "scrambled"
    stated = "hypercube-fft", N, P, "bit-reversed", output
    if scheme != "3'":
        return resolve(make_request(*stated, scheme=scheme, kernels=kernels))
    like, equation = resolve(make_request(*stated, scheme="3", kernels=kernels)), prog("4", N, P)
    steps = steps_of(equation.right, like.input, like.output)
    return replace(like, equation=equation, steps=steps)


@dataclass
class Timed:
    """An emitted program, timed by bench/phases.py."""

    path: Path
    P: int
    repeats: int

    def run(self, mode: str = "real") -> dict[str, float]:
        """Return the least seconds of the transform and of its exchange phase."""
        done = run(
            PHASES, [str(self.path), str(self.repeats), mode], self.P, capture=True, timeout=600
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        figures: dict[str, float] = json.loads(done.stdout)
        return figures


def timed(folder: Path, scheme: str, N: int, P: int) -> Timed:
    """Write a program; return how it is timed."""
    path = folder / f"prog_{scheme.replace(chr(39), 'x')}_{N}_{P}.py"
    if not path.exists():  # what is compiled is kept beside it
        path.write_text(emit(program(scheme, N, P, OPTIONS.kernels)), encoding="utf-8")
    return Timed(path, P, max(5, min(200, 2**20 // N * 5)))


Contest = dict[tuple[str, str], dict[str, float]]


def contest(folder: Path, N: int, P: int, entries: Sequence[tuple[str, str]]) -> Contest:
    """Return the least times of (scheme, mode), which take turns, and as `noise` by how much the
    times of the exchange phase differ.
    """
    programs = {scheme: timed(folder, scheme, N, P) for scheme, _ in entries}
    rounds = [[programs[scheme].run(mode) for scheme, mode in entries] for _ in range(ROUNDS)]
    found: Contest = {}
    for entry, runs in zip(entries, zip(*rounds, strict=True), strict=True):
        phases = [run["phase"] for run in runs]
        least = {name: min(run[name] for run in runs) for name in ("seconds", "phase")}
        found[entry] = {**least, "noise": max(phases) - min(phases)}
    return found


ENTRIES = [
    *((s, "real") for s in dict.fromkeys(("2", "3", PLAIN, "4", "5", "5r"))),
    *((s, "late") for s in ("4", "5", "5r")),
    (PLAIN, "silent"),
]


def experiments(
    folder: Path, sizes: Sequence[int], ranks: Sequence[int]
) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """Print the tables of Figs. 4 to 7; return their curves by figure and number of ranks."""
    curves: dict[str, dict[str, list[tuple[int, float]]]] = {}
    rows = []
    alone = {N: contest(folder, N, 1, [("3", "real")])["3", "real"]["seconds"] for N in sizes}
    for P in ranks:
        mark = "" if P <= (os.cpu_count() or 1) else " (oversubscribed)"
        for N in sizes:
            found = contest(folder, N, P, ENTRIES)
            plain, silent = found[PLAIN, "real"], found[PLAIN, "silent"]
            figures: dict[str, Mapping[str, Gain | float]] = {
                "Fig. 4: gain of 3 over 2 in %": {"": gain(found["3", "real"], found["2", "real"])},
                "Fig. 5: overlap in %": {
                    f"Prog. {s}": hidden(found[s, "real"], plain, silent) for s in ("4", "5", "5r")
                },
                "Fig. 6: gain over 3 in %": {
                    f"Prog. {s}": gain(found[s, "real"], plain) for s in ("4", "5", "5r")
                },
                "Gain over late sends in %": {
                    f"Prog. {s}": gain(found[s, "real"], found[s, "late"]) for s in ("4", "5", "5r")
                },
                "Fig. 7: speed-up": {
                    f"Prog. {s}": alone[N] / found[s, "real"]["seconds"] for s in ("3", "5")
                },
                "Fig. 7: efficiency": {
                    f"Prog. {s}": alone[N] / found[s, "real"]["seconds"] / P for s in ("3", "5")
                },
            }
            for figure, values in figures.items():
                for name, value in values.items():
                    curves.setdefault(figure, {}).setdefault(
                        f"{name} P = {P}{mark}".strip(), []
                    ).append((N, value.percent if isinstance(value, Gain) else value))
            times = [found[s, "real"]["seconds"] * 1e3 for s in ("2", "3", "4", "5", "5r")]
            ratio = found["3", "real"]["seconds"] / found["2", "real"]["seconds"]
            rows.append(
                (
                    f"2^{N.bit_length() - 1}",
                    f"{P}{mark}",
                    *times,
                    ratio,
                    *(value for values in figures.values() for value in values.values()),
                )
            )
    head = ["N", "P", *(f"Prog. {s}, ms" for s in ("2", "3", "4", "5", "5r")), "3 / 2"]
    head += [
        "3 over 2",
        *(f"messages hidden by {s}" for s in ("4", "5", "5r")),
        *(f"{s} over 3" for s in ("4", "5", "5r")),
        *(f"{s} over late {s}" for s in ("4", "5", "5r")),
    ]
    head += ["speed-up 3", "speed-up 5", "efficiency 3", "efficiency 5"]
    table("Whole transforms, and gains in the exchange phase", head, rows)
    return curves


def networks(folder: Path, sizes: Sequence[int]) -> None:
    """Print what overlap gains where messages take a stated time: real programs on two ranks, and
    the paper's rules beside.
    """
    rows = []
    t_calc, t_copy = processor(folder, 2**19)
    for name in ["10 Gb/s, 10 µs"] if OPTIONS.quick else list(NETWORKS):
        setup, word = NETWORKS[name]
        for N in sizes:
            found = contest(
                folder, N, 2, [(scheme, f"{setup},{word}") for scheme in (PLAIN, "4", "5", "5r")]
            )
            plain = found[PLAIN, f"{setup},{word}"]
            gains = [gain(found[s, f"{setup},{word}"], plain) for s in ("4", "5", "5r")]
            net = Network(t_calc, setup, word, t_copy)
            ruled = [hypercube_times.gain(s, N, 2, net) for s in ("4", "5")]
            rows.append((name, f"2^{N.bit_length() - 1}", plain["phase"] * 1e3, *gains, *ruled))
    head = (
        "network",
        "N",
        f"Prog. {PLAIN}, ms",
        *(f"{s} over 3" for s in ("4", "5", "5r")),
        "4 over 3 by the rules %",
        "5 over 3 by the rules %",
    )
    table(
        f"Exchange phase where messages take time, P = 2 (t_calc = {t_calc * 1e9:.2f} ns, t_copy ="
        f" {t_copy * 1e9:.2f} ns)",
        head,
        rows,
    )


def memory(folder: Path, N: int, P: int) -> None:
    """Print the memory of each scheme on real ranks, with numpy's kernels, beside its row in Table
    1.
    """
    rows = []
    for scheme in SCHEMES:
        path = folder / f"held_{scheme}.py"
        path.write_text(emit(program(scheme, N, P)), encoding="utf-8")
        done = run(HELD, [str(path)], P, capture=True, timeout=600)
        if done.returncode:
            raise RuntimeError(done.stderr)
        rows.append(
            (
                f"Prog. {scheme}",
                sum(BUFFERS[scheme]) / 2,
                *(max(figures) for figures in zip(*json.loads(done.stdout), strict=True)),
            )
        )
    head = ("", "Table 1 (5r: counted)", "held beside tables", "tables", "added by a transform")
    table(
        f"Memory of a rank on {P} real ranks beside input and output, the most, in units of N/P, N"
        f" = {N}",
        head,
        rows,
    )


def steps(folder: Path, N: int) -> dict[str, float]:
    """Return the least processor seconds of the steps of Prog. 5 on a rank of two, messages left
    out, and of a copy of its elements.
    """
    program = imported(timed(folder, "5", N, 2).path)
    messages = Marked(SimpleNamespace(rank=0, size=2, allgather=lambda word: [word]))
    plan = program.Plan(messages)
    x, y = (np.zeros(program.M, program.DTYPE) for _ in range(2))
    least: dict[str, float] = {}
    for _ in range(max(20, min(500, 2**22 // N))):
        taken = stages(program, plan, x, y)
        taken["copy"] = seconds_of(partial(np.copyto, x, y))
        least = {name: min(value, least.get(name, np.inf)) for name, value in taken.items()}
    return least


def seconds_of(work: Callable[[], Any]) -> float:
    """Return the processor seconds of a work."""
    start = process_time()
    work()
    return process_time() - start


def stages(program: Any, plan: Any, x: Any, y: Any) -> dict[str, float]:
    """Return the processor seconds from the begin of the exchange to its end, and from there on."""
    plan.own.marks.clear()
    program.transform(x, plan, out=y)
    began, *_, ended = plan.own.marks
    return {"Overlapped": ended - began, "Butterflies": process_time() - ended}


class Marked(Silent):
    """A communicator that sends nothing, and notes when receives begin and when they are waited
    for.
    """

    def __init__(self, comm: Any) -> None:
        super().__init__(comm)
        self.marks: list[float] = []

    def Irecv(self, *_: Any, **__: Any) -> Marked:
        self.Wait()
        return self

    def Isend(self, *_: Any, **__: Any) -> Marked:
        return self

    def Wait(self) -> None:
        self.marks.append(process_time())


def butterflies(folder: Path, sizes: Sequence[int]) -> None:
    """Print what the butterflies of Prog. 5 take, which read and write M elements and read M/2
    twiddles, over a copy of M elements by numpy.
    """
    rows = []
    for N in sizes:
        taken = steps(folder, N)
        rows.append(
            (
                f"2^{N.bit_length() - 2}",
                *(taken[name] / taken["copy"] for name in ("Overlapped", "Butterflies")),
            )
        )
    head = ("M", "half by half, before an exchange", "both halves at once, the last")
    table(
        "Processor time of Prog. 5's butterflies over numpy.copyto of as many elements,"
        f" {OPTIONS.kernels} kernels",
        head,
        rows,
    )


def processor(folder: Path, N: int) -> tuple[float, float]:
    """Return the seconds of a flop, as butterflies of N/2 elements have it, and of copying an
    element.
    """
    taken = steps(folder, N)
    return taken["Butterflies"] / (5 * N // 2), taken["copy"] / (N // 2)


if __name__ == "__main__":
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        memory(Path(name), 2**20, 2)
        if not OPTIONS.quick:
            memory(Path(name), 2**20, 4)
        butterflies(
            Path(name), [2**n for n in ((20,) if OPTIONS.quick else (12, 14, 16, 18, 20, 22))]
        )
        curves = experiments(
            Path(name),
            [2**n for n in ((20,) if OPTIONS.quick else range(8, 21))],
            OPTIONS.ranks or ((2,) if OPTIONS.quick else (2, 4, 8)),
        )
        networks(Path(name), [2**n for n in ((20,) if OPTIONS.quick else (12, 14, 16, 18, 20))])
    if OPTIONS.png:
        plot.save(plot.curves(curves), OPTIONS.png)
