"""Transforms on up to 4096 ranks, simulated (docs/scale.md):

python -m bench.scale [tables]   strong and weak scaling by the LogGOPS model, 2^20 to 2^34 points
python -m bench.scale calibrate  predicted against measured times on 1, 2 and 4 ranks here
python -m bench.scale table3     Table 3 of Inda & Bisseling by the same model
python -m bench.scale check      the model against LogGOPSim, which simulates every rank
python -m bench.scale tree       a fat tree by SimGrid, where messages share links
python -m bench.scale measure    this machine's parameters, as a file for --machine
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.common import command_line, machine, table
from bench.scale import here, simulators
from bench.scale.contestants import computing, flops, schedule, specs, works
from bench.scale.loggops import Load, LogGOPS, fastest, finish, loads, read_loggops
from codegen.cost.counted import supersteps
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.systems.record import Request
from nodewright import plot
from nodewright.cli.command_options import number
from proofs.errata.bsp_prose import MEASURED
from proofs.errata.bsp_tables import PARAMETERS, PREDICTED, SIZES, SPEED

MACHINES = [
    Path(__file__).parents[1] / "machines" / f"{name}.toml" for name in ("alps", "deep-est")
]
CONTENDED = 2**24
"""The points on the fat tree: messages long enough to get into each other's way."""
AT_ONCE = 32
"""So many messages of a rank are under way at once in SimGrid, as MPICH has it by default."""
TURNS = 3
"""So often a program is started to be timed."""
MOST = 4096
"""The most ranks of a table."""
SIMULATED = 256
"""The ranks of what LogGOPSim and SimGrid simulate, if no others are asked for."""
POINTS = (20, 24, 28, 34)
LOCAL = (12, 16, 22)
"""lg N of the tables of strong scaling, and lg N/P of those of weak scaling."""
PICTURED = ("strong, N = 2^20", "strong, N = 2^28", "weak, N/P = 2^16")
"""The tables that the figure draws, of the first network."""
FITS = 2**28
"""The most elements of a rank: 4 GiB."""
Curves = dict[str, dict[str, list[tuple[int, float]]]]


def sharing(net: LogGOPS, ranks: int) -> LogGOPS:
    """Return the network as a rank sees it where so many ranks of a node send through one card, and
    all messages leave the node.
    """
    name = f"{net.name}, {ranks} rank{'s' * (ranks > 1)} a node"
    return replace(net, G=ranks * net.G, name=name)


def cases(most: int) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Yield the tables, each with its N and P."""
    ranks = [4**i for i in range(7) if 4**i <= most]
    for n in POINTS:
        yield f"strong, N = 2^{n}", [(2**n, P) for P in ranks if 2**n <= FITS * P]
    for m in LOCAL:
        yield f"weak, N/P = 2^{m}", [(2**m * P, P) for P in ranks if P >= 4]


def tables(options: Namespace) -> None:
    """Print the milliseconds of every contestant, and draw the figure where a file is named."""
    nets = [
        (sharing(read_loggops(path), each), each)
        for path in options.machine
        for each in options.share
    ]
    drawn: Curves = {}
    for title, sizes in cases(options.ranks or MOST):
        work = {P: works(N, P) for N, P in sizes}
        for net, share in nets:
            times = milliseconds({P: each for P, each in work.items() if P > share or P == 1}, net)
            if not times:
                continue
            ranks = list(next(iter(times.values())))
            rows = [(name, *(found.get(P, "-") for P in ranks)) for name, found in times.items()]
            table(f"{title}, {net.name}", ("ms", *(f"P = {P}" for P in ranks)), rows)
            if title in PICTURED and net.name.startswith(nets[0][0].name.partition(",")[0]):
                drawn[f"{title}, {net.name}: ms"] = {
                    name: list(found.items()) for name, found in times.items()
                }
    if options.png:
        plot.save(plot.curves(drawn, "P"), options.png)


def milliseconds(
    work: dict[int, dict[str, tuple[Load, ...]]], net: LogGOPS
) -> dict[str, dict[int, float]]:
    """Return the time of each contestant on each number of ranks that it takes."""
    names = dict.fromkeys(name for found in work.values() for name in found)
    return {
        name: {P: 1e3 * fastest(found[name], net) for P, found in work.items() if name in found}
        for name in names
    }


def calibrate(options: Namespace) -> None:
    """Print predicted over measured times on this machine."""
    net = here.measured() if options.machine == MACHINES else read_loggops(options.machine[0])
    print(here.as_toml(net))
    rows = []
    for n in (14, 16, 18, 20):
        for P in options.here:
            for name, request in specs(2**n, P).items():
                repeats = max(60, 2**22 >> n)
                turns = [here.with_and_without(request, repeats) for _ in range(TURNS)]
                real, silent = map(min, zip(*turns, strict=True))
                by_silent, alone = (
                    predicted(request, seconds, net) for seconds in (silent, computing(request))
                )
                errors = [f"{100 * (each / real - 1):+.0f}" for each in (by_silent, alone)]
                rows.append((f"2^{n}", P, name, 1e3 * real, 1e3 * silent, 1e3 * by_silent, *errors))
    head = ("N", "P", "program", "measured, ms", "without messages", "predicted", "error, %")
    table("Predicted against measured", (*head, "error with a rank timed alone, %"), rows)
    for P in options.here:
        errors = [abs(int(row[6])) for row in rows if row[1] == P]
        print(f"\nP = {P}: {sum(each <= 15 for each in errors)} of {len(errors)} within 15 %")


def predicted(request: Request, seconds: float, net: LogGOPS) -> float:
    """Return the seconds of a transform by the model, where a rank computes so long."""
    steps = supersteps(resolve(request))
    return finish(loads(steps, flops(steps) / seconds, np.dtype(request.dtype).itemsize), net)


def table3(_: Namespace) -> None:
    """Print Table 3 by the schedules of the programs, a BSP machine being one of LogGOPS: L = l/v
    and G = g/v for the 8 bytes of a real number.
    """
    rows, errors = [], []
    for p in PARAMETERS:
        times = list(zip(by_model(p), printed(PREDICTED[p]), printed(MEASURED[p]), strict=True))
        rows.append((p, *(f"{ms:.3g} ({by:g}; {was:g})" for ms, by, was in times)))
        errors += [(abs(ms / by - 1), abs(ms / was - 1)) for ms, by, was in times]
    title = "Table 3, ms: by the model (as the paper predicts; as it measured)"
    table(title, ("p", *map(str, SIZES)), rows)
    for name, each in zip(("predicted", "measured"), np.array(errors).T, strict=True):
        print(
            f"\n{np.sum(each <= 0.1)} of {len(each)} entries are within 10 % of the paper's {name}"
            f" ones, the worst differs by {100 * each.max():.1f} %"
        )


def printed(row: str) -> list[float]:
    """Return the numbers of a row."""
    return [float(text) for text in row.split()]


def by_model(p: int) -> list[float]:
    """Return the milliseconds of the sizes of Table 3 on p processors.

    >>> [round(ms, 2) for ms in by_model(64)[:2]]
    [0.46, 0.47]
    """
    v, (g, _, l, _) = 1e6 * float(SPEED), PARAMETERS[p]
    net = LogGOPS(float(l) / v, 0, 0, float(g) / v / 8, 0, MOST)
    programs = [resolve(make_request("fft", N, p, local="butterflies")) for N in SIZES]
    return [1e3 * finish(loads(supersteps(program), v, 16), net) for program in programs]


def check(options: Namespace) -> None:
    """Print the model beside LogGOPSim, an all-to-all going directly in both."""
    rows, P = [], options.ranks or SIMULATED
    simulators.found("LogGOPSim", simulators.LOGGOPSIM, P)
    for net in map(read_loggops, options.machine):
        for name, request in specs(2**20, P).items():
            steps, rate = (
                supersteps(resolve(request)),
                flops(supersteps(resolve(request))) / computing(request),
            )
            ours = finish(loads(steps, rate, np.dtype(request.dtype).itemsize), net)
            other = simulators.loggopsim(schedule(request), rate, net)
            rows.append(
                (net.name, name, 1e3 * ours, 1e3 * other, f"{100 * (ours / other - 1):+.3f}")
            )
    head = ("network", "program", "model, ms", "LogGOPSim, ms", "difference, %")
    table(f"N = 2^20 on {P} ranks", head, rows)


def tree(options: Namespace) -> None:
    """Print times on a fat tree with as many links up as ranks below a switch, and with fewer,
    beside the model, which knows no contention.
    """
    net, rows, P = read_loggops(options.machine[0]), [], options.ranks or SIMULATED
    simulators.found("smpirun", simulators.SIMGRID, P)
    for name, request in specs(options.size, P).items():
        rate, rounds = (
            flops(supersteps(resolve(request))) / computing(request),
            schedule(request, AT_ONCE),
        )
        free = finish(
            loads(supersteps(resolve(request)), rate, np.dtype(request.dtype).itemsize), net
        )
        times = [1e3 * simulators.simgrid(rounds, rate, net, up) for up in (16, 4, 1)]
        rows.append((name, 1e3 * free, *times))
    head = ("program", "model, ms", "16 links up, ms", "4 links up", "1 link up")
    table(f"N = {options.size} on {P} ranks, 16 below a switch, {net.name}", head, rows)


def measure(options: Namespace) -> None:
    """Print this machine's parameters as TOML."""
    print(here.as_toml(here.measured()), end="")


COMMANDS = {each.__name__: each for each in (tables, calibrate, table3, check, tree, measure)}


def main(words: list[str] | None = None) -> None:
    """Run a command; what is wrong is one line, and exit status 2."""
    parser = command_line(__doc__ or "")
    parser.add_argument("command", nargs="?", choices=COMMANDS, default="tables")
    parser.add_argument("--machine", type=Path, nargs="+", default=MACHINES, metavar="FILE")
    parser.add_argument("--ranks", type=int, metavar="P", help="at most so many; simulated")
    parser.add_argument("--size", type=number, default=CONTENDED, help="points on the fat tree")
    parser.add_argument("--share", type=int, nargs="+", default=[1], help="ranks of a node")
    parser.add_argument("--here", type=int, nargs="+", default=[1, 2, 4], help="ranks to calibrate")
    parser.add_argument("--png", type=Path, help="a file for the figure of the tables")
    options = parser.parse_args(words)
    try:
        if options.ranks is not None and not 4 <= options.ranks <= MOST:
            raise ValueError(f"--ranks {options.ranks}: from 4 to {MOST}")
        if min(options.share) < 1:
            raise ValueError(f"--share {min(options.share)}: a node has one rank at least")
        if options.command != "measure":
            print(machine())
        COMMANDS[options.command](options)
    except (ValueError, OSError, RuntimeError) as error:
        named = isinstance(error, OSError) and error.filename and error.strerror
        said = f"{error.filename}: {error.strerror}" if named else error
        print(f"bench.scale: {said}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
