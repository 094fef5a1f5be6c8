"""Seconds to certify the text of a program."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.common import best, machine, table
from codegen.emit import emit
from codegen.lower import build
from proofs.certify import certify, read

SIZES = ((256, 8), (1024, 32), (2**16, 64), (2**20, 8))


def main() -> None:
    """Print the table."""
    print(machine())
    rows = []
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name) / f"fft_{N}_{P}.py" for N, P in SIZES]
        for path, (N, P) in zip(paths, SIZES, strict=True):
            path.write_text(emit(build("fft", N, P)), encoding="utf-8")
        times = best(3, *[lambda path=path: certify(path) for path in paths])
        for path, (N, P), seconds in zip(paths, SIZES, times, strict=True):
            function = read(path).verdicts["function"]
            error = getattr(function, "error", 1)
            rows.append((N, P, seconds, seconds / times[0], "nothing left to chance" if error == 0 else f"missed with probability {error:.1e}"))
    table("nodewright certify, block to block", ("N", "P", "seconds", "ratio", "function"), rows)


if __name__ == "__main__":
    main()
