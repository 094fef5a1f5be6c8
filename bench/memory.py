"""Peak memory of each rank of an emitted transform, against what the contract allows: input, output, two arrays and tables of M elements.

python -m bench.memory [--size 2^26] [--ranks 2]

A rank's peak is what the kernel counts (ru_maxrss), less what it counted before the plan was made and the input was there: the interpreter
and its libraries. From file to file, pages of the files that are mapped count, too.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from bench.common import machine, table
from codegen.emit import Options, emit
from codegen.lower import build
from nodewright.launch import run
from nodewright.options import number

PROBE = Path(__file__).parent / "peak.py"
ALLOWED = 5
"""Arrays of M elements: input, output, two more, and tables."""
FORMS = (
    ("block", "", "alltoall"),
    ("cyclic", "", "alltoall"),
    ("cyclic", "", "shared"),
    ("cyclic", "", "overlapped"),
    ("cyclic", "butterflies", "alltoall"),
)
"""Layouts, local form and exchange."""


def peaks(path: Path, P: int, *files: Path) -> list[float]:
    """Return the peak of each rank in bytes, without the interpreter."""
    done = run(PROBE, [path, *files], P, capture=True, timeout=1200)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [float(peak) for peak in json.loads(done.stdout)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=number, default=2**26)
    parser.add_argument("--ranks", type=number, default=2)
    parser.add_argument("--files", action="store_true", help="from file to file, too")
    options = parser.parse_args()
    N, P = options.size, options.ranks
    M, rows = N // P, []
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        path, source, target = (Path(name) / file for file in ("program.py", "in.npy", "out.npy"))
        for layout, local, exchange in FORMS:
            program = build("fft", N, P, layout, layout, exchange, local=local)
            path.write_text(emit(program, Options(exchange=exchange)), encoding="utf-8")
            most = max(peaks(path, P))
            rows.append((layout, local or "library", exchange, "plan and transform", most / 2**20, most / (16 * M), ALLOWED))
            if options.files and (local, exchange) == ("", "alltoall"):
                vector = np.lib.format.open_memmap(source, "w+", complex, (N,))
                vector[:] = 1
                del vector
                most = max(peaks(path, P, source, target))
                rows.append((layout, "library", exchange, "file to file", most / 2**20, most / (16 * M), ALLOWED))
    table(f"Peak memory of a rank, N = {N}, P = {P}, complex128", ("layouts", "local", "exchange", "what", "MiB", "over 16 M bytes", "allowed"), rows)


if __name__ == "__main__":
    sys.exit(main())
