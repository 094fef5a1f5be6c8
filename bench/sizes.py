"""Transforms of any size, of several axes and of batches beside numpy and scipy on one core, and
beside mpi4py-fft where a Python has it: python -m bench.sizes [--quick] [--mpi4py-fft PYTHON].
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.fft

from bench.common import best, command_line, machine, table
from codegen.cost.counted import count
from codegen.emit.text import emit
from codegen.program.lower import lower
from codegen.shapes import stated
from codegen.spec import Spec
from nodewright.runtime.launch import run

PEER = Path(__file__).parent / "peers" / "mpi4py_fft.py"


@dataclass(frozen=True)
class Case:
    """A transform: axes, ranks or a grid of them, layouts, and how many arrays at once."""

    size: str
    ranks: str
    ends: tuple[str, str] = ("cyclic", "cyclic")
    batch: int | None = None

    @property
    def spec(self) -> Spec:
        """The request for its program."""
        sizes = stated(self.size, self.ranks, self.batch)
        return Spec("fft", **sizes, input=self.ends[0], output=self.ends[1])

    def __str__(self) -> str:
        batch = f"{self.batch} of " * (self.batch is not None)
        return f"{batch}{self.size} on {self.ranks}, {' to '.join(dict.fromkeys(self.ends))}"


SLABS = ("block,whole,whole", "whole,block,whole")
PENCILS = ("block,block,whole", "whole,block,block")
CASES = (
    *(
        Case(size, "2", ends)
        for size in ("1000", "10368000", "1000000", "10000000")
        for ends in (("cyclic",) * 2, ("block",) * 2)
    ),
    Case("3^12", "3"),
    *(Case("128x128x128", "2x1x1", ends) for ends in (("cyclic",) * 2, SLABS, ("block",) * 2)),
    Case("128x128x128", "2x2x1", PENCILS),
    Case("256x256x256", "2x1x1"),
    Case("2048x2048", "2x1"),
    Case("4096", "2", ("cyclic",) * 2, batch=1000),
)
QUICK = (CASES[0], CASES[8], Case("64x64x64", "2x1x1"), Case("256", "2", ("cyclic",) * 2, 100))


def main() -> None:
    """Print the machine and the table."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--quick", action="store_true", help="small sizes alone")
    parser.add_argument("--repeats", type=int, default=10, help="the least of so many counts")
    parser.add_argument("--mpi4py-fft", metavar="PYTHON", help="a Python that has mpi4py-fft")
    words = parser.parse_args()
    print(machine())
    head = ["transform", "exchanges", "words", "ms", "over numpy", "over scipy"]
    head += ["over mpi4py-fft"] * (words.mpi4py_fft is not None)
    rows = [row(case, words.repeats, words.mpi4py_fft) for case in QUICK if words.quick]
    rows += [row(case, words.repeats, words.mpi4py_fft) for case in CASES if not words.quick]
    table("P ranks beside one core", head, rows)


def row(case: Case, repeats: int, python: str | None) -> Sequence[object]:
    """Return what is measured of a transform."""
    spec = case.spec
    cost, ours = count(lower(spec)), seconds(spec, repeats)
    found = [case, cost.exchanges, cost.words, 1e3 * ours]
    found += [ours / theirs for theirs in on_one_core(spec, repeats)]
    return found + ([ours / by_mpi4py_fft(spec, repeats, python)] if python else [])


def seconds(spec: Spec, repeats: int) -> float:
    """Return the least time of a program's transform; raise RuntimeError where it is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(emit(spec), encoding="utf-8")
        done = run(path, ["--bench", str(repeats)], capture=True, timeout=600)
        figures = json.loads(done.stdout)
    if figures["error"] is not None and not figures["error"] < 1e-12:
        raise RuntimeError(f"an error of {figures['error']}: what is timed is no transform")
    return float(figures["seconds_min"])


def on_one_core(spec: Spec, repeats: int) -> list[float]:
    """Return the least times of numpy and of scipy, which has one worker."""
    x = np.random.default_rng(0).standard_normal(2 * spec.N).view(complex).reshape(spec.whole)
    axes = tuple(range(spec.batch > 0, x.ndim))
    return best(
        min(repeats, 5),
        lambda: np.fft.fftn(x, axes=axes),
        lambda: scipy.fft.fftn(x, axes=axes, workers=1),
    )


def by_mpi4py_fft(spec: Spec, repeats: int, python: str) -> float:
    """Return the least time of mpi4py-fft's PFFT on as many ranks."""
    mpiexec = Path(python).with_name("mpiexec")
    words = [mpiexec, "-n", str(spec.P), python, PEER, str(repeats), str(spec.batch)]
    command = [*words, *map(str, spec.shape)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout)["seconds_min"])


if __name__ == "__main__":
    main()
