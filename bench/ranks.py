"""All tables of whole programs for P = 2, 4, 8 and 16 ranks, as far as this machine has the cores:

python -m bench.ranks [--ranks P ..] [--quick]

It starts the benchmarks that have them, one after the other, and prints each command; one that
fails is named at the end.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator

from bench.common import command_line

RANKS = (2, 4, 8, 16)


def commands(ranks: tuple[int, ...], quick: bool) -> Iterator[str]:
    """Yield the commands, each a module of bench with its words.

    >>> list(commands((2, 4), True))[1:4]
    ['hypercube --kernels numba --quick --ranks 2 4', 'hartley --quick --ranks 2 4', 'memory --size 2^22 --ranks 2']
    """  # noqa: E501
    each, small = " ".join(map(str, ranks)), " --quick" * quick
    less = " --sizes 12 16 --rounds 1" * quick
    yield f"fft rivals scaling exchanges reproducible{less} --ranks {each}"
    yield f"hypercube --kernels numba{small} --ranks {each}"
    yield f"hartley{small} --ranks {each}"
    yield from (f"memory --size 2^{22 if quick else 26} --ranks {P}" for P in ranks)
    yield f"permute --exchanges{small} --ranks {each}"
    yield f"scale calibrate --here 1 {each}"


def main() -> int:
    """Print all tables; return 1 where a command failed."""
    parser = command_line(__doc__ or "")
    here = tuple(P for P in RANKS if P <= (os.cpu_count() or 1))
    parser.add_argument("--ranks", type=int, nargs="+", default=here, metavar="P")
    parser.add_argument("--quick", action="store_true", help="small sizes, once")
    options = parser.parse_args()
    if not options.ranks:
        parser.error("this machine has one core: --ranks 2 shares it")
    failed = []
    for command in commands(tuple(options.ranks), options.quick):
        print(f"\n$ python -m bench.{command}", flush=True)
        if subprocess.call([sys.executable, "-m", *shlex.split(f"bench.{command}")]):
            failed.append(command)
    for command in failed:
        print(f"failed: python -m bench.{command}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
