"""The choice of `nodewright search` beside that of `generate fft --tune`, by measured time.

For every N and layout the plans that the search ranks first, and the forms that --tune tries with
the same kernels, are timed in turn on two ranks. The table has where the first of the search comes
among all, and its time over that of the fastest.

    --sizes 2^12,2^16    numbers of elements
    --best K             so many plans of the search
    --kernels K          numpy, numba
    --machine FILE       as `nodewright bench machine` writes it
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from bench.common import command_line, machine, table
from codegen.requests import make_request
from codegen.systems.record import Request
from derive.sizes import number
from nodewright.planning.searching import search
from nodewright.predicted import repeats_for, seconds_of
from nodewright.tune import ROUNDS, Task, tune

RANKS = 2
STATED = frozenset({"kernels", "exchange"})
"""What the search is not about: --tune keeps it, too."""


def forms(request: Request, best: int, cost: Path | None) -> Iterator[tuple[str, Request]]:
    """Yield the plans of the search in their order, then what --tune tries, each with a name."""
    ends = {"input": request.input, "output": request.output, "kernels": request.kernels}
    for i, plan in enumerate(search(request.N, request.P, best=best, cost=cost, **ends), 1):
        yield f"search {i}: {plan}".replace(" | ", " / "), plan.program().request
    _, tried = tune(Task(request, STATED), timer=lambda request, repeats: 1.0)
    for trial in tried:
        if trial.request is not None:
            phases, local = trial.choice["phases"] or "default", trial.choice["local"]
            yield f"tune: phases {phases}, {local}", trial.request


def timed(found: dict[str, Request]) -> dict[str, float]:
    """Return the least seconds of each; they take turns."""
    least = dict.fromkeys(found, float("inf"))
    for _ in range(ROUNDS):
        for name, request in found.items():
            least[name] = min(least[name], seconds_of(request, repeats_for(request.N, request.P)))
    return dict(sorted(least.items(), key=lambda one: one[1]))


def main() -> None:
    """Print the tables."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--sizes", default="2^12,2^14,2^16,2^18,2^20")
    parser.add_argument("--best", type=int, default=3)
    parser.add_argument("--kernels", default="numpy")
    parser.add_argument("--machine", type=Path)
    stated = parser.parse_args()
    print(machine())
    rows = []
    for size, layout in product(stated.sizes.split(","), ("cyclic", "block")):
        request = make_request("fft", number(size), RANKS, layout, layout, kernels=stated.kernels)
        times = timed(dict(forms(request, stated.best, stated.machine)))
        names, fastest = [*times], min(times.values())
        first = next(name for name in names if name.startswith("search 1"))
        rows.append(
            (size, layout, first, names.index(first) + 1, len(names), times[first] / fastest)
        )
        table(
            f"N = {size}, {layout} to {layout}, {stated.kernels} kernels",
            ("form", "ms"),
            [(name, 1e3 * time) for name, time in times.items()],
        )
    head = ("N", "layout", "first of the search", "its place", "of", "time over the fastest")
    table(f"The search beside --tune, {stated.kernels} kernels, P = {RANKS}", head, rows)


if __name__ == "__main__":
    main()
