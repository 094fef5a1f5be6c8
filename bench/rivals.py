"""Transforms of others on several ranks, built on this machine: FFTW's MPI part as Debian has it,
MKL's Cluster FFT from the package index.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from nodewright.runtime.launch import OPEN_MPI

PEERS = Path(__file__).parent / "peers"
CACHE = Path.home() / ".cache" / "nodewright-bench"
"""Where MKL is installed, once, in an environment of its own."""
MKL_LIBRARIES = ("cdft_core", "intel_lp64", "sequential", "core", "blacs_intelmpi_lp64")
MOST_WRONG = 1e-12


@dataclass(frozen=True)
class Rival:
    """A compiled program that times transforms of 2^n numbers: how its ranks are started, and what
    it wants to be told beside n and repeats.
    """

    name: str
    mpiexec: str
    program: Path
    words: tuple[str, ...] = ()

    def seconds(self, n: int, P: int, repeats: int) -> float:
        """Return the least time of the slowest rank; raises RuntimeError where the result is
        wrong.
        """
        command = [self.mpiexec, "-n", str(P), self.program, str(n), str(repeats), *self.words]
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, env={**OPEN_MPI, **os.environ}
        )
        figures = json.loads(done.stdout)
        if not figures["error"] < MOST_WRONG:
            raise RuntimeError(
                f"{self.name}: an error of {figures['error']} at 2^{n}: what is timed is no"
                " transform"
            )
        return float(figures["seconds_min"])


def built(folder: Path) -> tuple[list[Rival], list[str]]:
    """Return the rivals that can be built here, in this folder, and a line for each that cannot."""
    rivals, missing = list[Rival](), list[str]()
    for build in (fftw, mkl):
        try:
            rivals += build(folder)
        except (OSError, subprocess.CalledProcessError, ValueError) as error:
            told = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
            missing.append(
                f"{build.__name__} is left out: {told[-1] if told else type(error).__name__}"
            )
    return rivals, missing


def fftw(folder: Path) -> list[Rival]:
    """Return FFTW's MPI part with FFTW_MEASURE, output in natural and in scrambled order; Debian's
    codelets are for SSE2 and AVX.
    """
    mpiexec, program = found("mpiexec.openmpi"), linked_with_fftw("fftw_fft", folder)
    return [
        Rival(f"FFTW-MPI, {order}", mpiexec, program, (flag,))
        for order, flag in (("natural", "0"), ("scrambled", "1"))
    ]


def linked_with_fftw(name: str, folder: Path) -> Path:
    """Return a program of this folder's peers/, compiled and linked with FFTW's MPI part."""
    program, source = folder / name, PEERS / f"{name}.c"
    libraries = "-lfftw3_mpi", "-lfftw3", "-lm"
    run(found("mpicc.openmpi"), "-O2", source, "-o", program, *libraries)
    return program


def mkl(folder: Path) -> list[Rival]:
    """Return MKL's Cluster FFT over MPICH, in natural order."""
    home, program = CACHE / "mkl", folder / "mkl_fft"
    if not (home / "bin" / "mpicc").exists():
        run(sys.executable, "-m", "venv", home)
        run(home / "bin" / "pip", "install", "-q", "mpich", "mkl", "mkl-include")
    libraries = [
        path
        for name in MKL_LIBRARIES
        for path in sorted((home / "lib").glob(f"libmkl_{name}.so.*"))[:1]
    ]
    if len(libraries) < len(MKL_LIBRARIES):
        raise ValueError(
            f"{home / 'lib'} has {len(libraries)} of the libraries {', '.join(MKL_LIBRARIES)}"
        )
    linked = ["-Wl,--no-as-needed", *libraries, "-lm", "-ldl", f"-Wl,-rpath,{home / 'lib'}"]
    run(
        home / "bin" / "mpicc",
        "-O2",
        "-I",
        home / "include",
        PEERS / "mkl_fft.c",
        "-o",
        program,
        *linked,
    )
    return [Rival("MKL Cluster FFT", str(home / "bin" / "mpiexec"), program)]


def found(command: str) -> str:
    """Return where a command is; raise ValueError where it is not there."""
    path = shutil.which(command)
    if path is None:
        raise ValueError(
            f"no {command} on PATH: it takes Debian's openmpi-bin, libopenmpi-dev and"
            " libfftw3-mpi-dev"
        )
    return path


def run(*command: str | Path) -> None:
    """Run a command; raise CalledProcessError where it fails."""
    subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
