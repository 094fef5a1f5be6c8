"""Figures 5 to 8 of Lin, Chan & Karplus by a model of their machine, an Intel iPSC:

python -m bench.hartley_ipsc [--png FILE]

The copies of the paper have lost the curves. It says that too many processors make the transform
slower, and that slow communication is the reason. What is counted is of the programs in its
appendix: flops, sines and cosines, messages and their bytes, the links on the way. It gives no
times: those of MACHINE are assumed, round figures for such a machine, and a table shows how much
hangs on each. Messages are stored and forwarded at every node on the way.

On one node the program as printed cannot run for N = 4096: it uses N + 4 elements of arrays of
3000. That point counts as if they sufficed.
"""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import dataclass, replace
from pathlib import Path

from bench.common import table
from derive.formula.permutations import lg
from derive.papers.hartley_lists import exchange
from nodewright import plot

Curves = dict[str, list[tuple[int, float]]]
SIZES, RANKS = (512, 1024, 2048, 4096), (1, 2, 4, 8, 16, 32)
MLEN = 3000
"""The elements of msg and lst in the programs of the appendix."""
SM, MSG = 4 * 2048, 4 * MLEN
"""Bytes of every message between nodes, sizeof(sm), and to and from the host, sizeof(msg)."""
PARTS = ("computation", "messages between nodes", "messages of the host")
TIMES = ("t_flop", "t_trig", "t_su", "t_byte")


@dataclass(frozen=True)
class Machine:
    """Seconds of a flop, of a sine or cosine, to start a message, and of a byte over a link; and
    whether a message has N/P numbers in place of the whole array.
    """

    t_flop: float = 30e-6
    t_trig: float = 300e-6
    t_su: float = 1e-3
    t_byte: float = 1e-6
    short: bool = False

    def message(self, whole: int, numbers: int) -> float:
        """Return the seconds of a message over one link."""
        return self.t_su + self.t_byte * (4 * numbers if self.short else whole)


MACHINE = Machine()


def flops(N: int, P: int) -> int:
    """Return the flops of the node with most, as the program does them: 1 for an output of stage 1,
    3 with K = C + S, 4 with C and S.

    >>> flops(16, 1), flops(16, 4)
    (208, 48)
    """
    least = (3 if P > 1 else 4) + 4 * (lg(N) - 2) if N > 2 else 0
    return N // P * (1 + least)


def sines(N: int, P: int) -> int:
    """Return the sines and cosines of a node: 4 for each stage with a partner, 8 for each k of the
    others.

    >>> sines(16, 1), sines(16, 4)
    (56, 16)
    """
    return 4 * lg(P) + sum(4 << j for j in range(1, lg(N) - lg(P)))


def links(P: int) -> list[int]:
    """Return for each stage with a partner how many links the longest message crosses.

    >>> links(16)
    [1, 1, 2, 3]
    """
    return [
        max((rank ^ exchange(rank, s).partner).bit_count() for rank in range(P))
        for s in range(2, lg(P) + 2)
    ]


def seconds(N: int, P: int, machine: Machine = MACHINE) -> tuple[float, float, float]:
    """Return the seconds of computation, of messages between nodes and of those of the host.

    >>> [round(part, 3) for part in seconds(1024, 16)]
    [0.148, 0.064, 0.416]
    """
    computation = machine.t_flop * flops(N, P) + machine.t_trig * sines(N, P)
    between = sum(links(P)) * machine.message(SM, N // P)
    return computation, between, 2 * P * machine.message(MSG, N // P)


def fastest(N: int, machine: Machine = MACHINE, host: bool = True) -> int:
    """Return the number of nodes with the least time.

    >>> fastest(1024), fastest(4096)
    (8, 16)
    """
    parts = 3 if host else 2
    return min(RANKS, key=lambda P: sum(seconds(N, P, machine)[:parts]))


def too_large() -> list[tuple[int, int]]:
    """Return each N and P in the figures for which N/P + 4 elements, which the program uses, are
    more than MLEN, which its arrays have.

    >>> too_large()
    [(4096, 1)]
    """
    return [(N, P) for N in SIZES for P in RANKS if N // P + 4 > MLEN]


def figures(machine: Machine = MACHINE) -> dict[str, Curves]:
    """Return the curves of Figures 5 to 8, seconds over the number of nodes."""
    found: dict[str, Curves] = {
        "Figure 5, seconds": {
            f"N = {N}": [(P, sum(seconds(N, P, machine))) for P in RANKS] for N in SIZES
        }
    }
    for number, N in enumerate(SIZES[1:], 6):
        each = {P: seconds(N, P, machine) for P in RANKS}
        curves = {"in all": [(P, sum(parts)) for P, parts in each.items()]}
        for i, name in enumerate(PARTS):
            curves[name] = [(P, parts[i]) for P, parts in each.items() if parts[i]]
        found[f"Figure {number}, N = {N}, seconds"] = curves
    return found


def sensitivity() -> list[tuple[str, ...]]:
    """Return the number of nodes with the least time for each N, where a time is another."""
    cases = {"as assumed": MACHINE}
    for name in TIMES:
        for factor in (0.5, 2.0):
            changed = {name: factor * getattr(MACHINE, name)}
            cases[f"{name} times {factor}"] = replace(MACHINE, **changed)
    rows = [(name, *(str(fastest(N, machine)) for N in SIZES)) for name, machine in cases.items()]
    short = replace(MACHINE, short=True)
    more = {"N/P numbers a message": (short, True), "without the host": (MACHINE, False)}
    more["both"] = (short, False)
    return rows + [(name, *(str(fastest(N, *how)) for N in SIZES)) for name, how in more.items()]


def main(arguments: list[str] | None = None) -> None:
    """Print the tables, and draw the figures where a file is named."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--png", type=Path, help="a file for Figures 5 to 8")
    png = parser.parse_args(arguments).png
    rows = [
        (str(N), str(P), *(f"{part:.3g}" for part in (sum(parts), *parts)))
        for N in SIZES
        for P in RANKS
        for parts in [seconds(N, P)]
    ]
    for N, P in too_large():
        print(
            f"N = {N}, P = {P}: the program as printed cannot run, {N // P + 4} elements are more"
            f" than MLEN = {MLEN}; the model counts as if they sufficed"
        )
    times = ", ".join(f"{name} = {getattr(MACHINE, name) * 1e6:g} µs" for name in TIMES)
    table(f"Seconds by the model, {times}", ("N", "nodes", "in all", *PARTS), rows)
    table("The number of nodes with the least time", ("", *map(str, SIZES)), sensitivity())
    if png:
        plot.save(plot.curves(figures(), "P"), png, 80)


if __name__ == "__main__":
    main()
