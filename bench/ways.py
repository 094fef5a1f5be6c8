"""Programs for the same transform against each other: the ways in which its messages travel, and
phases that give the same bits for every P. Also the calls of MPI for one exchange.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from bench.common import Emitted, table
from bench.rivals import PEERS
from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from nodewright.runtime.launch import run

TURNS, ALL_TO_ALL = PEERS / "turns.py", PEERS / "all_to_all.py"


def of_exchange(ways: Sequence[str], ranks: Sequence[int], rounds: int) -> None:
    """Time the ways in which the same messages travel, in turn."""
    rows = []
    for layout, P, n in product(("block", "cyclic"), ranks, (10, 14, 18, 20)):
        transforms = max(5, 1 << 20 - n >> P // 4 * 2)
        emitted = [Emitted(1 << n, P, layout, exchange) for exchange in ways]
        runs = [[program.seconds(transforms) for program in emitted] for _ in range(rounds)]
        least = [min(seconds) for seconds in zip(*runs, strict=True)]
        rows.append(
            (layout, P, f"2^{n}", least[0] * 1e3, *[seconds / least[0] for seconds in least[1:]])
        )
    others = [f"{exchange} / {ways[0]}" for exchange in ways[1:]]
    table("Exchanges", ("layouts", "P", "N", f"{ways[0]}, ms", *others), rows)


def of_mpi(ranks: Sequence[int], repeats: int = 200) -> None:
    """Time the calls of MPI for a message from each rank to each, in turn."""
    sizes, rows = range(11, 22, 2), []
    for P in ranks:
        words = list(map(str, (repeats, *sizes)))
        done = run(ALL_TO_ALL, words, P, capture=True, timeout=600)
        if done.returncode:
            raise RuntimeError(done.stderr)
        for m, (first, *others) in zip(sizes, json.loads(done.stdout), strict=True):
            rows.append((P, f"2^{m}", first * 1e6, *[seconds / first for seconds in others]))
    calls = "Ialltoall", "Alltoall_init", "Send_init and Recv_init"
    table("Calls of MPI", ("P", "M", "Alltoall, µs", *calls), rows)


def reproducible(
    sizes: Sequence[int], ranks: Sequence[int], kernels: Sequence[str], rounds: int
) -> None:
    """Print the time of phases that give the same bits for every P over that of the default."""
    rows = []
    for P, kernel, n in product(ranks, kernels, sizes):
        usual, same = least(P, n, kernel, rounds)
        rows.append((P, kernel, f"2^{n}", usual * 1e3, same * 1e3, same / usual))
    head = ("P", "kernels", "N", "default, ms", "reproducible, ms", "ratio")
    table("The price of the same bits for every P, cyclic to cyclic, complex128", head, rows)


def least(P: int, n: int, kernel: str, rounds: int) -> list[float]:
    """Return the least seconds of the default and of reproducible phases, which take turns."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.py" for name in ("usual", "same")]
        for path, phases in zip(paths, ("", "reproducible"), strict=True):
            request = make_request(
                "fft", 1 << n, P, "cyclic", "cyclic", kernels=kernel, phases=phases
            )
            path.write_text(emit(resolve(request)), encoding="utf-8")
        words = [str(max(4, min(500, 1 << max(0, 24 - n)))), *paths]
        done = [run(TURNS, words, P, capture=True, timeout=600) for _ in range(rounds)]
    for each in done:
        if each.returncode:
            raise RuntimeError(each.stderr)
    return [min(times) for times in zip(*(json.loads(each.stdout) for each in done), strict=True)]
