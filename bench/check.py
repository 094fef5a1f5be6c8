"""Seconds of `nodewright check fft` at small sizes, every entry, and at a large one, random vectors
over GF(q), start-up and all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from time import perf_counter
from typing import Any

from bench.common import best, machine, table

REPEATS = 3
SIZES = (("2^10", "2^2"), ("2^12", "2^2"), ("2^20", "2^2"), ("2^20", "2^10"), ("2^20", "2^18"))


def check(size: str, ranks: str) -> tuple[float, float, Any]:
    """Return the wall time of a whole command, the processor time of it on all cores, and what it
    says.
    """
    words = ("check", "fft", "--size", size, "--ranks", ranks, "--json")
    start, before = perf_counter(), os.times()
    done = subprocess.run(
        [sys.executable, "-c", "from nodewright.cli.app import main; main()", *words],
        check=True,
        capture_output=True,
        text=True,
    )
    wall, after = perf_counter() - start, os.times()
    cpu = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    return wall, cpu, json.loads(done.stdout)


def main() -> None:
    """Print the tables."""
    print(machine())

    def python(line: str) -> None:
        subprocess.run([sys.executable, "-c", line], check=True)

    lines = (
        "pass",
        "import numpy",
        "import galois",
        "import derive.exact.exact_check",
        "import nodewright.cli.app",
    )
    start = best(REPEATS, *[lambda line=line: python(line) for line in lines])
    table(
        "Start-up",
        ("python -c", "seconds", "ratio"),
        [(line, s, s / start[0]) for line, s in zip(lines, start, strict=True)],
    )
    rows: list[tuple[object, ...]] = []
    first = 0.0
    for size, ranks in SIZES:
        found = [check(size, ranks) for _ in range(REPEATS)]
        wall, cpu = min(run[0] for run in found), min(run[1] for run in found)
        seconds = min(run[2]["seconds"] for run in found)
        equations = found[0][2]["equations"]
        error, first = max(equation["error"] for equation in equations), first or seconds
        how = (
            f"random vectors over GF(q), missed with probability {error:.1e}"
            if error
            else "every entry"
        )
        rows.append((size, ranks, len(equations), how, wall, cpu, seconds, seconds / first))
    head = (
        "N",
        "P",
        "statements",
        "how",
        "wall seconds",
        "CPU seconds",
        "after start-up",
        "ratio of that",
    )
    table("nodewright check fft", head, rows)


if __name__ == "__main__":
    main()
