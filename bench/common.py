"""What the benchmarks share: minima of repeated runs, the machine in words, and a table."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from nodewright.runtime.launch import run


class Alone:
    """A communicator of one rank."""

    size, rank = 1, 0

    def Dup(self) -> Alone:  # mpi4py's names
        """Return another one."""
        return Alone()

    def Free(self) -> None:
        """Hold nothing."""

    def Is_inter(self) -> bool:
        """Return False: this is one group of ranks."""
        return False

    def Barrier(self) -> None:
        """Wait for nobody."""

    def allgather(self, thing: Any) -> list[Any]:
        """Return what this rank gives."""
        return [thing]


def best(repeats: int, *works: Callable[[], Any]) -> list[float]:
    """Return the least seconds of each work; they take turns, so that a busy machine disturbs all
    alike.
    """
    least = [float("inf")] * len(works)
    for _ in range(repeats):
        for i, work in enumerate(works):
            start = perf_counter()
            work()
            least[i] = min(least[i], perf_counter() - start)
    return least


def command_line(about: str) -> argparse.ArgumentParser:
    """Return a parser for the command line of a script whose docstring this is."""
    return argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def machine() -> str:
    """Return the machine and its software in a line."""
    cpu = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        cpu = next(
            (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), cpu
        )
        cpu += (
            " (AVX-512)"
            if any(line.startswith("flags") and " avx512f" in line for line in lines)
            else ""
        )
    return (
        f"{os.cpu_count()} cores, {cpu}; Python {platform.python_version()}, numpy {np.__version__}"
    )


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table as it stands in README.md."""
    print(f"\n{title}\n")
    for row in (head, ["---"] * len(head), *rows):
        print(
            f"| {' | '.join(f'{cell:.3g}' if isinstance(cell, float) else str(cell) for cell in row)} |"  # noqa: E501
        )


def nodewright(*words: str) -> Any:
    """Return what a command prints with --json."""
    command = [
        sys.executable,
        "-c",
        "from nodewright.cli.app import main; main()",
        *words,
        "--json",
    ]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


class Emitted:
    """An emitted program that is timed by its own --bench, with barriers around each transform."""

    def __init__(self, N: int, P: int, layout: str = "block", exchange: str = "alltoall") -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "program.py"
        self.path.write_text(
            emit(resolve(make_request("fft", N, P, layout, layout, exchange))), encoding="utf-8"
        )

    def seconds(self, transforms: int) -> float:
        """Return the least time of a transform, of the slowest rank."""
        done = run(self.path, ["--bench", str(transforms)], capture=True, timeout=300)
        return float(json.loads(done.stdout)["seconds_min"])
