"""Seconds of `nodewright check fft` at small sizes, every entry, and at a large one, random vectors over GF(q)."""

from __future__ import annotations

import subprocess
import sys

from bench.common import best, machine, nodewright, table

REPEATS = 3


def main() -> None:
    """Print the table."""
    print(machine())

    def python(line: str) -> None:
        subprocess.run([sys.executable, "-c", line], check=True)

    lines = ("pass", "import numpy", "import galois", "import nodewright.cli")
    start = best(REPEATS, *[lambda line=line: python(line) for line in lines])
    table("Start-up", ("python -c", "seconds", "ratio"), [(line, s, s / start[0]) for line, s in zip(lines, start, strict=True)])
    rows = []
    for n in (10, 12, 20):
        found = [nodewright("check", "fft", "--size", f"2^{n}", "--ranks", "4") for _ in range(REPEATS)]
        seconds, error = min(run["seconds"] for run in found), max(equation["error"] for equation in found[0]["equations"])
        how = f"random vectors over GF(q), missed with probability {error:.1e}" if error else "every entry"
        rows.append((f"2^{n}", len(found[0]["equations"]), how, seconds, seconds / (rows[0][3] if rows else seconds)))
    table("nodewright check fft, P = 4, after start-up", ("N", "statements", "how", "seconds", "ratio"), rows)


if __name__ == "__main__":
    main()
