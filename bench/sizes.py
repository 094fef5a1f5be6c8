"""Transforms of any size, of several axes and of batches beside scipy on one core, FFTW's MPI part
and mpi4py-fft: python -m bench.sizes [--quick] [--cases I ..] [--rounds R] [--kernels K ..].

The peers are Debian's libfftw3-mpi-dev, openmpi-bin, libopenmpi-dev and python3-mpi4py-fft; those
that are not there are left out, and it says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy.fft

from bench import rivals
from bench.common import best, command_line, machine, table
from codegen.cost.counted import count
from codegen.cost.documented import documented
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from codegen.systems.fft import FFT
from codegen.systems.record import Request
from nodewright.runtime.launch import OPEN_MPI, run

KERNELS = ("numpy", "numba")
PYTHON = "/usr/bin/python3"
"""Debian's Python, which has python3-mpi4py-fft."""
MPI4PY_FFT, NATURAL, TRANSPOSED = "mpi4py-fft", "FFTW-MPI", "FFTW-MPI, transposed"
Least = dict[str, float]


@dataclass(frozen=True)
class Case:
    """A transform: axes, ranks or a grid of them, layouts, and how many arrays at once."""

    size: str
    ranks: str
    ends: tuple[str, str] = ("cyclic", "cyclic")
    batch: int | None = None
    system: str = "fft"

    @property
    def request(self) -> Request:
        """The request for its program."""
        sizes = stated(self.size, self.ranks, self.batch)
        return make_request(self.system, **sizes, input=self.ends[0], output=self.ends[1])

    def __str__(self) -> str:
        batch = f"{self.batch} of " * (self.batch is not None)
        real = "real " * (self.system == "rfft")
        return f"{batch}{real}{self.size} on {self.ranks}, {' to '.join(dict.fromkeys(self.ends))}"


BOTH = (("cyclic",) * 2, ("block",) * 2)
SLABS = ("block,whole,whole", "whole,block,whole")
ROWS = ("block,whole", "whole,block")
PENCILS = ("block,block,whole", "whole,block,block")
CASES = (
    *(
        Case(size, "2", ends)
        for size in ("1000", "10368000", "1000000", "10000000")
        for ends in BOTH
    ),
    Case("3^12", "3"),
    *(Case("128x128x128", "2x1x1", ends) for ends in (("cyclic",) * 2, SLABS, ("block",) * 2)),
    Case("128x128x128", "2x2x1", PENCILS),
    *(Case("256x256x256", "2x1x1", ends) for ends in (("cyclic",) * 2, SLABS)),
    Case("256x256x256", "2x2x1", PENCILS),
    *(Case("2048x2048", "2x1", ends) for ends in (("cyclic",) * 2, ROWS)),
    Case("4096", "2", ("cyclic",) * 2, batch=1000),
    *(Case(size, "4x1x1") for size in ("128x128x128", "256x256x256")),
    Case("100x100x100", "3x1x1", SLABS),
    *(Case(size, "2x1x1", SLABS, system="rfft") for size in ("128x128x128", "256x256x256")),
    Case("128x128x128", "2x2x1", PENCILS, system="rfft"),
)
QUICK = (CASES[0], CASES[8], Case("64x64x64", "2x1x1"), Case("256", "2", ("cyclic",) * 2, 100))


def main() -> None:
    """Print the machine, each row as soon as it is known, and the tables."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--quick", action="store_true", help="small sizes alone")
    parser.add_argument("--cases", type=int, nargs="+", help="these cases alone, by their numbers")
    parser.add_argument("--kernels", nargs="+", default=KERNELS, help="of programs")
    parser.add_argument("--repeats", type=int, default=10, help="the least of so many counts")
    parser.add_argument("--rounds", type=int, default=2, help="so often they take turns")
    words = parser.parse_args()
    print(machine())
    cases = QUICK if words.quick else [CASES[i] for i in words.cases or range(len(CASES))]
    with tempfile.TemporaryDirectory() as folder:
        peers = Peers.built(Path(folder))
        names, found = [*words.kernels, "scipy", *peers.names], list[tuple[Case, Least]]()
        for case in cases:
            least = timed(case, peers, words.kernels, words.repeats, words.rounds)
            found.append((case, least))
            known = (f"{name} {ms(least, name):.4g} ms" for name in names if name in least)
            print(f"{case}: {', '.join(known)}", flush=True)
    rows = [
        [case, *(ms(least, name) if name in least else "" for name in names)]
        for case, least in found
    ]
    table("Milliseconds of one transform; scipy on one core", ["transform", *names], rows)
    over = ["scipy", *peers.names]
    ratios = [[case, *ratio(least, over)] for case, least in found]
    table("The faster kernels' time over that of", ["transform", *over], ratios)
    head = ["transform", "exchanges, words", "theirs"]
    table("The most that a rank sends", head, [[case, *sent(case)] for case, _ in found])


def ms(least: Least, name: str) -> float:
    """Return milliseconds."""
    return 1e3 * least[name]


def ratio(least: Least, names: list[str]) -> Iterator[object]:
    """Yield the least time of our kernels over that of each of the others."""
    ours = min(least[kernels] for kernels in FFT.kernels if kernels in least)
    yield from (ours / least[name] if name in least else "" for name in names)


def sent(case: Case) -> Iterator[str]:
    """Yield what a rank sends, and what peers send by the algorithms that they document."""
    cost = count(resolve(case.request))
    yield f"{cost.exchanges}, {cost.words}"
    peers = documented(case.request) if len(case.request.shape) > 1 else ()
    yield "; ".join(f"{each.name} {each.exchanges}, {each.words}" for each in peers)


def timed(case: Case, peers: Peers, used: Sequence[str], repeats: int, rounds: int) -> Least:
    """Return the least seconds of each contestant, who take turns."""
    request, least = case.request, Least()
    with tempfile.TemporaryDirectory() as folder:
        programs = {kernels: Path(folder, f"with_{kernels}.py") for kernels in used}
        for kernels, path in programs.items():
            path.write_text(emit(resolve(replace(request, kernels=kernels))), encoding="utf-8")
        for _ in range(rounds):
            found = {kernels: ours(path, repeats) for kernels, path in programs.items()}
            found |= {"scipy": on_one_core(request, repeats)} | peers.seconds(case, repeats)
            least = {name: min(each, least.get(name, each)) for name, each in found.items()}
    return least


def ours(path: Path, repeats: int) -> float:
    """Return the least time of a program's transform; raise RuntimeError where it is wrong."""
    figures = json.loads(run(path, ["--bench", str(repeats)], capture=True, timeout=600).stdout)
    if figures["error"] is not None and not figures["error"] < rivals.MOST_WRONG:
        raise RuntimeError(f"an error of {figures['error']}: what is timed is no transform")
    return float(figures["seconds_min"])


def on_one_core(request: Request, repeats: int) -> float:
    """Return the least time of scipy, which has one worker."""
    x = np.random.default_rng(0).standard_normal(2 * request.N).view(complex).reshape(request.whole)
    axes, transform = tuple(range(request.batch > 0, x.ndim)), scipy.fft.fftn
    if request.record.real:
        x, transform = x.real.copy(), scipy.fft.rfftn
    return best(min(repeats, 5), lambda: transform(x, axes=axes, workers=1))[0]


@dataclass(frozen=True)
class Peers:
    """FFTW's MPI part and mpi4py-fft as this machine has them, both on Open MPI."""

    mpiexec: str
    fftw: Path | None
    python: str | None

    @classmethod
    def built(cls, folder: Path) -> Peers:
        """Return those that there are, and say which there are not."""
        fftw, mpiexec, python = None, "", None
        try:
            mpiexec = rivals.found("mpiexec.openmpi")
            fftw = rivals.linked_with_fftw("fftw_arrays", folder)
            rivals.run(PYTHON, "-c", "import mpi4py_fft")
            python = PYTHON
        except (OSError, subprocess.CalledProcessError, ValueError) as error:
            print(f"left out: {error}")
        return cls(mpiexec, fftw, python)

    @property
    def names(self) -> list[str]:
        """What is timed."""
        return [NATURAL, TRANSPOSED] * bool(self.fftw) + [MPI4PY_FFT] * bool(self.python)

    def seconds(self, case: Case, repeats: int) -> Least:
        """Return the least seconds of what does such a transform: FFTW has no batches of one axis
        that lie whole on ranks, mpi4py-fft no arrays of one axis. Of mpi4py-fft it is the less of
        that with arrays of the caller's and that with its own, which are not copied.
        """
        request, found = case.request, Least()
        shape = [str(int(request.record.real)), *map(str, request.shape or (request.N,))]
        if self.fftw and not request.batch:
            for name, flag in ((NATURAL, "0"), (TRANSPOSED, "1"))[: len(shape) - 1]:
                words = [str(self.fftw), str(repeats), flag, *shape]
                found[name] = self._run(request.P, words)["seconds_min"]
        if self.python and len(request.whole) > 1:
            slab = sum(p > 1 for p in request.grid) < 2
            flags = [repeats, request.batch, int(slab)]
            words = [self.python, str(rivals.PEERS / "pfft.py"), *map(str, flags), *shape]
            figures = self._run(request.P, words)
            found[MPI4PY_FFT] = min(figures["seconds_min"], figures["in_place"])
        return found

    def _run(self, P: int, words: list[str]) -> Least:
        command = [self.mpiexec, "-n", str(P), *words]
        environment = {**OPEN_MPI, **os.environ}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        figures: Least = json.loads(done.stdout)
        if not figures["error"] < rivals.MOST_WRONG:
            raise RuntimeError(f"{words}: an error of {figures['error']}: this is no transform")
        return figures


if __name__ == "__main__":
    main()
