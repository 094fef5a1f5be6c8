"""Table 3 and Figures 4 and 5 of Inda & Bisseling, computed beside the paper's numbers:

python -m bench.table3 [--png FILE]

The times are those of (3.9) for the v, g and l of Table 4, in ms. `seq` is the sequential
transform, 17/4 N lg N flops. The paper counts two permutations for p = 1, which move nothing
between processors; without them that row is `seq`. The efficiencies of Figure 4 are over p for each
N, and those of Figure 5 over p for each N/p: from the paper's measured times (solid), and computed
(dashed).
"""

from __future__ import annotations

from argparse import ArgumentParser
from fractions import Fraction
from pathlib import Path

from bench.common import table
from nodewright import plot
from proofs.errata.bsp_prose import MEASURED, efficiency
from proofs.errata.bsp_tables import PARAMETERS, PREDICTED, SIZES, SPEED, cost

Curves = dict[str, list[tuple[int, float]]]
LOCAL = (256, 512, 1024, 2048, 4096)
"""The N/p of Figure 5 for which Table 3 has several p."""


def milliseconds(N: int, p: int) -> Fraction:
    """Return the time by (3.9) and Table 4; p = 0 is the sequential transform.

    >>> float(milliseconds(512, 0)), float(milliseconds(512, 1))
    (0.561..., 0.577...)
    """
    g, l = (Fraction(PARAMETERS[p][i]) for i in (0, 2)) if p else (Fraction(0), Fraction(0))
    return cost(N, p, g, l) / (Fraction(SPEED) * 1000)


def computed(N: int, p: int) -> float:
    """Return the absolute efficiency (5.2) by (3.9).

    >>> round(computed(65536, 64), 3)
    0.697
    """
    return float(milliseconds(N, 0) / (p * milliseconds(N, p)))


def measured(N: int, p: int) -> float:
    """Return the efficiency of the paper's measured times, the middle of what they round from.

    >>> round(measured(16384, 2), 3)
    0.875
    """
    return float(sum(efficiency(N, p)) / 2)


def rows() -> list[list[str]]:
    """Return a row for each p: computed times, with the printed one where it is another."""
    found = []
    for p, printed in PREDICTED.items():
        row = ["seq" if p == 0 else str(p)]
        for N, text in zip(SIZES, printed.split(), strict=True):
            places = len(text.partition(".")[2])
            own = f"{float(milliseconds(N, p)):.{places}f}"
            row.append(own if own == text else f"{own} (printed {text})")
        found.append(row)
    return found


def remark() -> str:
    """Return how many entries are printed otherwise, and why."""
    ranks = [row[0] for row in rows() for cell in row if "printed" in cell]
    erratum = ranks.count("64")
    return (
        f"{len(ranks)} of {len(SIZES) * len(PREDICTED)} entries are printed otherwise: {erratum},"
        " for p = 64, are the erratum bsp-table-3-predicted,"
        f" and {len(ranks) - erratum} is within the rounding of v, g and l"
    )


def figures() -> dict[str, Curves]:
    """Return the curves of Figures 4 and 5: each measured by the paper, and after it computed."""
    ranks = [p for p in MEASURED if p]
    found: dict[str, Curves] = {"Figure 4": {}, "Figure 5": {}}
    for name, value in {"": measured, ", by (3.9)": computed}.items():
        for N in SIZES:
            found["Figure 4"][f"N = {N}{name}"] = [(p, value(N, p)) for p in ranks]
        for n in LOCAL:
            found["Figure 5"][f"N/p = {n}{name}"] = [
                (p, value(n * p, p)) for p in ranks if n * p in SIZES
            ]
    return found


def drawn() -> plot.Figure:
    """Return Figures 4 and 5, measured efficiencies solid and computed ones dashed, in the color of
    the same size.
    """
    figure = plot.curves(figures(), "P")
    for axes in figure.axes:
        lines = axes.get_lines()
        half = len(lines) // 2
        for solid, dashed in zip(lines[:half], lines[half:], strict=True):
            dashed.set(color=solid.get_color(), linestyle="--", marker="", label="")
        axes.set_yscale("linear")
        axes.set_ylim(bottom=0)
        axes.set_ylabel("efficiency: solid measured, dashed by (3.9)", color=plot.INK)
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.15), "ncols": 4}
        axes.legend(handles=lines[:half], fontsize=8, frameon=False, **below)
    return figure


def main(arguments: list[str] | None = None) -> None:
    """Print the table, and draw the figures where a file is named."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--png", type=Path, help="a file for Figures 4 and 5, .png or .svg")
    png = parser.parse_args(arguments).png
    table("Table 3, predicted times in ms", ["p", *map(str, SIZES)], rows())
    print(f"\n{remark()}")
    if png:
        plot.save(drawn(), png, 80)


if __name__ == "__main__":
    main()
