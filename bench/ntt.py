"""Number-theoretic transforms beside galois.ntt: `python -m bench.ntt [--sizes 20] [--ranks 2]`.

Both transform N = 2^n integers modulo 998244353, galois on one core. The programs check themselves
against their definition. Each is run ROUNDS times, in turns with galois, and the least time counts.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import galois
import numpy as np

from bench.common import command_line, machine, table
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from nodewright.runtime.launch import run

MODULUS = 998244353
ROUNDS, REPEATS = 5, 5


def of_program(path: Path, P: int) -> float:
    """Return the least seconds of one transform; raise SystemExit where an element is wrong."""
    done = run(path, ["--bench", str(REPEATS)], P, timeout=600, capture=True)
    found = json.loads(done.stdout)
    if found["error"]:
        raise SystemExit(f"{path.name}: {found['error']:.1e} of the elements are wrong")
    return float(found["seconds_min"])


def of_galois(x: np.ndarray) -> float:
    """Return the least seconds of galois.ntt."""
    least = float("inf")
    for _ in range(REPEATS):
        start = perf_counter()
        galois.ntt(x, size=len(x), modulus=MODULUS)
        least = min(least, perf_counter() - start)
    return least


def row(n: int, P: int, exchange: str, folder: Path) -> list[object]:
    """Return the times of one size."""
    asked = make_request("ntt", 2**n, P, exchange=exchange, kernels="numba", modulus=MODULUS)
    path = folder / f"ntt_{n}_{P}_{exchange}.py"
    path.write_text(emit(resolve(asked)), encoding="utf-8")
    x = np.random.default_rng(0).integers(0, MODULUS, 2**n)
    galois.ntt(x, size=len(x), modulus=MODULUS)  # which compiles it
    pairs = [(of_program(path, P), of_galois(x)) for _ in range(ROUNDS)]
    ours, theirs = map(min, zip(*pairs, strict=True))
    milliseconds = (f"{1e3 * seconds:.1f}" for seconds in (ours, theirs))
    return [f"2^{n}", P, exchange, *milliseconds, f"{ours / theirs:.3f}"]


def main(words: Sequence[str]) -> None:
    """Print the table."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--sizes", type=int, nargs="*", default=[16, 20], metavar="n")
    parser.add_argument("--ranks", type=int, nargs="*", default=[2], metavar="P")
    stated = parser.parse_args(words)
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        rows = [
            row(n, P, exchange, Path(name))
            for n in stated.sizes
            for P in stated.ranks
            for exchange in ("alltoall", "shared")
        ]
    table("ntt by numba kernels", ["N", "P", "exchange", "ms", "galois ms", "ratio"], rows)


if __name__ == "__main__":
    main(sys.argv[1:])
