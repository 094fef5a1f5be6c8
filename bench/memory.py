"""Peak memory of each rank of an emitted transform, against what the contract allows: input,
output, two arrays and tables of M elements.

python -m bench.memory [--size 2^26] [--ranks 2]

A rank's peak is what the kernel counts (ru_maxrss), less what it counted before the plan was made
and the input was there: the interpreter and its libraries. Pages of a window that several ranks
have touched count for each of them there; `share` divides them. From file to file, pages of the
files that are mapped count, too. With numba's kernels what compiling takes counts, about 100 MiB
whatever N is.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from bench.common import machine, table
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from nodewright.cli.command_options import number
from nodewright.runtime.launch import run

PROBE = Path(__file__).parent / "peak.py"
ALLOWED = 5
"""Arrays of M elements: input, output, two more, and tables."""
FORMS = (
    ("block", "numpy", "", "alltoall"),
    ("cyclic", "numpy", "", "alltoall"),
    ("cyclic", "numpy", "", "shared"),
    ("cyclic", "numpy", "", "overlapped"),
    ("cyclic", "numpy", "butterflies", "alltoall"),
    ("block", "numba", "", "alltoall"),
    ("cyclic", "numba", "", "alltoall"),
    ("cyclic", "numba", "", "shared"),
    ("block", "numba", "", "shared"),
    ("cyclic", "numba", "butterflies", "alltoall"),
)
"""Layouts, kernels, local form and exchange."""


def peaks(path: Path, P: int, *files: Path) -> tuple[float, float]:
    """Return the peak of the rank that has most, in bytes, without the interpreter, and the largest
    share.
    """
    done = run(PROBE, [path, *files], P, capture=True, timeout=1200)
    if done.returncode:
        raise RuntimeError(done.stderr)
    peak, share = map(max, zip(*json.loads(done.stdout), strict=True))
    return float(peak), float(share)


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
        for layout, kernels, local, exchange in FORMS:
            request = make_request(
                "fft", N, P, layout, layout, exchange, local=local, kernels=kernels
            )
            path.write_text(emit(resolve(request)), encoding="utf-8")
            form = layout, kernels, local or "library", exchange
            peak, share = peaks(path, P)
            rows.append(
                (
                    *form,
                    "plan and transforms",
                    peak / 2**20,
                    peak / (16 * M),
                    share / (16 * M),
                    ALLOWED,
                )
            )
            if options.files and form[1:] == ("numpy", "library", "alltoall"):
                vector = np.lib.format.open_memmap(source, "w+", complex, (N,))
                vector[:] = 1
                del vector
                peak, _ = peaks(path, P, source, target)
                rows.append((*form, "file to file", peak / 2**20, peak / (16 * M), "", ALLOWED))
    head = (
        "layouts",
        "kernels",
        "local",
        "exchange",
        "what",
        "MiB",
        "over 16 M bytes",
        "share",
        "allowed",
    )
    table(f"Peak memory of a rank, N = {N}, P = {P}, complex128", head, rows)


if __name__ == "__main__":
    try:
        main()
    except (ValueError, RuntimeError) as error:
        sys.exit(f"bench.memory: {error}")
