"""Pictures: the demo's spectrum and times, a factorization's matrices and messages, the Hartley
graph; the one door to matplotlib.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from derive.gf2.bmmc import Factorization
from derive.papers.hartley_graph import Edges, even_to_hartley, hartley_edges, odd_to_cube
from nodewright.demo.spectrum import Line, Spectrum

try:
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D
    from matplotlib.patches import FancyArrowPatch, Rectangle
    from matplotlib.ticker import MaxNLocator
except ImportError:  # the extra `plot` is not installed
    AVAILABLE = False
else:
    AVAILABLE = True

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from derive.formula.layout import Layout

INK, SOFT, GRID = "#22313f", "#6b7a87", "#e3e8ec"
BLUE, ACCENT = "#1f6f9f", "#c8502e"
HIGHEST = 4.5
"""Cycles per year up to which the spectrum is shown: beyond is only noise."""


def _wants_matplotlib() -> None:
    if not AVAILABLE:
        raise ValueError("--png needs matplotlib: pip install 'nodewright[plot]' brings it")


def check_picture(path: Path) -> None:
    """Raise ValueError where no picture can be drawn, the path is a directory, or its name is not
    that of a PNG.
    """
    _wants_matplotlib()
    if path.is_dir():
        raise ValueError(f"--png {path}: this is a directory, the picture needs the name of a file")
    if path.suffix.lower() != ".png":
        raise ValueError(f"--png {path}: the picture is a PNG, and its name ends in .png")


def _save(figure: Figure, path: Path, dpi: int) -> None:
    """Write a PNG to exactly this path; raises what `check_picture` does."""
    check_picture(path)
    with path.open("wb") as file:
        figure.savefig(file, dpi=dpi, format="png")


def draw(
    path: Path,
    spectrum: Spectrum,
    lines: Sequence[tuple[Line, str]],
    seconds: Mapping[str, tuple[float, str]],
    titles: tuple[str, str],
) -> None:
    """Write a PNG with two panels: amplitudes in ppm with the named lines, and the seconds of each
    step as bars, with remarks.

    Frequencies are in cycles per year.
    """
    figure = Figure(
        figsize=(10, 8),
        layout=ConstrainedLayoutEngine(h_pad=0.15, w_pad=0.15, hspace=0.08),
        facecolor="white",
    )
    upper, lower = figure.subplots(2, 1, height_ratios=(3, 2))
    _spectrum(upper, spectrum, lines)
    _bars(lower, seconds)
    for axes, title in zip((upper, lower), titles, strict=True):
        axes.set_title(title, loc="left", fontsize=14, fontweight="bold", color=INK, pad=12)
        axes.tick_params(colors=SOFT, labelcolor=INK, labelsize=11, length=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(SOFT)
        axes.set_axisbelow(True)
    _save(figure, path, 150)


def _spectrum(axes: Axes, spectrum: Spectrum, lines: Sequence[tuple[Line, str]]) -> None:
    shown = (spectrum.frequencies > 0) & (spectrum.frequencies <= HIGHEST)
    x, y = spectrum.frequencies[shown], spectrum.amplitudes[shown]
    axes.fill_between(x, y, color=BLUE, alpha=0.15, linewidth=0)
    axes.plot(x, y, color=BLUE, linewidth=1.4)
    for line, name in lines:
        axes.plot([line.frequency] * 2, [0, line.amplitude], color=ACCENT, linewidth=1, alpha=0.6)
        axes.plot([line.frequency], [line.amplitude], "o", color=ACCENT, markersize=7)
        axes.annotate(
            name,
            (line.frequency, line.amplitude),
            xytext=(12, 0),
            textcoords="offset points",
            va="center",
            fontsize=12,
            color=ACCENT,
            linespacing=1.4,
        )
    axes.grid(color=GRID)
    axes.set_xlim(0, HIGHEST)
    axes.set_xticks(range(int(HIGHEST) + 1))
    axes.set_ylim(0, 1.15 * max([float(y.max()), *(line.amplitude for line, _ in lines)]))
    axes.set_xlabel("frequency (cycles per year)", fontsize=12, color=INK)
    axes.set_ylabel("amplitude (ppm CO$_2$)", fontsize=12, color=INK)


def _bars(axes: Axes, seconds: Mapping[str, tuple[float, str]]) -> None:
    lengths = [length for length, _ in seconds.values()]
    bars = axes.barh(list(seconds), lengths, color=BLUE, height=0.62)
    axes.bar_label(
        bars,
        [duration(length) + remark for length, remark in seconds.values()],
        padding=6,
        fontsize=11,
        color=INK,
    )
    axes.invert_yaxis()
    axes.grid(axis="x", color=GRID)
    axes.set_xlim(0, 1.4 * max(lengths))
    axes.set_xlabel("wall-clock time (seconds)", fontsize=12, color=INK)


def duration(seconds: float) -> str:
    """Return a duration in the unit that reads best.

    >>> duration(1.234), duration(0.0123), duration(0.0001226)
    ('1.23 s', '12.3 ms', '123 µs')
    """
    if seconds >= 0.1:
        return f"{seconds:.2f} s"
    return f"{1e3 * seconds:.1f} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.0f} µs"


def draw_factorization(path: Path, f: Factorization, layout: Layout | None = None) -> None:
    """Write a PNG with the matrices of A = V W, W = (T R Pi)^-1, for P <= 64 who sends how much to
    whom, and for N <= 64 where each element goes.

    With a layout, f is of Q A Q^-1, and elements have the numbers that it gives them, as in
    Cormen's Figure 1. Raises ValueError without matplotlib, and above n = 64.
    """
    _wants_matplotlib()
    if f.n > 64:
        raise ValueError(f"--png with n = {f.n}: matrices are drawn up to n = 64")
    figure = Figure(
        figsize=(13, 8), layout=ConstrainedLayoutEngine(h_pad=0.1, w_pad=0.1), facecolor="white"
    )
    parts: Any = figure.subfigures(2, 1, height_ratios=(2, 5))
    upper, lower = parts
    maps = {"A": f.permutation, "V": f.V, "W": f.W, "T": f.trailer, "R": f.reducer, "Π": f.swapper}
    for axes, (name, map_) in zip(upper.subplots(1, len(maps)), maps.items(), strict=True):
        _matrix(axes, name, map_.matrix, f.m)
    left, right = lower.subplots(1, 2, width_ratios=(4, 7))
    _messages(left, f)
    _movement(right, f, layout)
    if layout is not None:
        figure.suptitle(
            f"Q A Q^-1 of the layout {layout.name}, Q from indices to storage addresses", color=INK
        )
    _save(figure, path, 130)


def _matrix(axes: Axes, name: str, matrix: NDArray[np.uint8], m: int) -> None:
    """Draw a bit matrix, bit 0 at the top left, with lines between offset and processor bits."""
    n = len(matrix)
    axes.imshow(np.asarray(matrix), cmap=ListedColormap([GRID, BLUE]), vmin=0, vmax=1)
    axes.set_xticks(np.arange(n + 1) - 0.5, [])
    axes.set_yticks(np.arange(n + 1) - 0.5, [])
    axes.grid(color="white", linewidth=max(0.3, 3 / n))
    axes.tick_params(length=0)
    axes.axhline(m - 0.5, color=ACCENT, linewidth=1.5)
    axes.axvline(m - 0.5, color=ACCENT, linewidth=1.5)
    axes.spines[:].set_visible(False)
    axes.set_title(name, color=INK, fontweight="bold")


def _messages(axes: Axes, f: Factorization) -> None:
    """Draw which rank sends to which, coloured by the round."""
    if f.p > 6:
        axes.axis("off")
        axes.text(
            0.5,
            0.5,
            f"P = 2^{f.p}: messages are drawn up to P = 64",
            ha="center",
            color=SOFT,
            transform=axes.transAxes,
        )
        return
    P = 1 << f.p
    rounds = np.full((P, P), np.nan)
    for b in range(f.rounds):
        for k in range(P):
            rounds[k, f.target(b, k)] = b
    shown = axes.imshow(rounds, cmap="viridis", vmin=0, vmax=max(1, f.rounds - 1))
    axes.figure.colorbar(
        shown, ax=axes, label="round b", shrink=0.8, ticks=MaxNLocator(integer=True)
    )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("to rank", color=INK)
    axes.set_ylabel("from rank", color=INK)
    sent, of = (
        f"{count} {thing}{'s' * (count != 1)}"
        for count, thing in ((f.rounds, "message"), (f.elements_per_message, "element"))
    )
    axes.set_title(f"{sent} of {of} from every rank", color=INK, fontweight="bold", loc="left")


def _movement(axes: Axes, f: Factorization, layout: Layout | None) -> None:
    """Draw the elements by rank and offset before and after, as in Cormen's Figure 1, coloured by
    the rank that they come from.
    """
    axes.axis("off")
    if f.n > 6:
        axes.text(
            0.5,
            0.5,
            f"N = 2^{f.n}: elements are drawn up to N = 64",
            ha="center",
            color=SOFT,
            transform=axes.transAxes,
        )
        return
    P, M = 1 << f.p, 1 << f.m
    before = np.arange(P * M)
    after = np.empty_like(before)
    after[f.permutation(before)] = before
    numbers = layout.address.inverse()(before) if layout is not None else before
    for start, title, held in ((0, "before", before), (P + 1, "after", after)):
        for z, j in enumerate(held.tolist()):
            s, o = divmod(z, M)
            axes.add_patch(
                Rectangle(
                    (start + s, -o - 1),
                    0.94,
                    0.94,
                    color=colormaps["viridis"](j // M / max(1, P - 1)),
                    alpha=0.45,
                )
            )
            axes.text(
                start + s + 0.47,
                -o - 0.53,
                str(numbers[j]),
                ha="center",
                va="center",
                fontsize=8 if M > 8 else 11,
                color=INK,
            )
        axes.text(start + P / 2, 0.25, title, ha="center", color=INK, fontweight="bold")
    axes.set_xlim(-0.2, 2 * P + 1.2)
    axes.set_ylim(-M - 0.5, 1)
    axes.set_title(
        "storage: a column per rank, a row per offset; colour = the rank an element comes from",
        color=INK,
        fontsize=10,
    )


DIRECTIONS = ((1.0, 0.0), (0.0, -1.0), (0.45, 0.38), (2.4, 0.12), (0.1, -2.6), (5.0, 0.3))
"""Where a node goes for each bit of its place on a cube: a square, a cube, two cubes, .."""


def hartley_graph(path: Path, d: int, lists: Sequence[str] = ()) -> None:
    """Write a PNG with the Hartley graph of d dimensions (Figure 3), without its first dimension
    (Figure 4), and on a cube by Gray code.

    `lists` has a text for each node, such as its computations (Figure 2). Raises ValueError without
    matplotlib, and unless 1 <= d <= 6.
    """
    _wants_matplotlib()
    if not 1 <= d <= len(DIRECTIONS):
        raise ValueError(
            f"--png with a Hartley graph of {d} dimensions: 1 to {len(DIRECTIONS)} are drawn, 2 to"
            f" {1 << len(DIRECTIONS)} ranks"
        )
    names = [f"{i}" for i in range(1 << d)]
    edges = hartley_edges(d)
    cut = {edge: s for edge, s in edges.items() if s > 1}
    halves = [
        f"{i}\n→{even_to_hartley(i)}" if i % 2 == 0 else f"{i}\n→{odd_to_cube(i):0{max(d - 1, 1)}b}"
        for i in range(1 << d)
    ]
    panels = [
        (
            f"Hartley graph of {d} dimension{'s' if d > 1 else ''}",
            _on_cube(np.arange(1 << d), d),
            names,
            edges,
            lists,
        )
    ]
    if d > 1:
        panels.append(
            (
                (
                    "without the first: even nodes, a Hartley graph;\nodd nodes, a binary"
                    f" {d - 1}-cube"
                ),
                _apart(d),
                halves,
                cut,
                (),
            )
        )
        nodes = np.arange(1 << d)
        on_cube = [f"{i}\n→{code:0{d}b}" for i, code in enumerate((nodes ^ nodes >> 1).tolist())]
        panels.append(
            (
                f"rank i on node gray(i) of the {d}-cube:\nno edge is longer than two links",
                _on_cube(nodes ^ nodes >> 1, d),
                on_cube,
                edges,
                (),
            )
        )
    spans = (
        np.array([np.maximum(np.ptp(places, axis=0) + 1, 2.4) for _, places, *_ in panels]) * 1.5
    )
    size = (float(spans[:, 0].sum()), float(spans[:, 1].max()) + 1)
    figure = Figure(
        figsize=size, layout=ConstrainedLayoutEngine(h_pad=0.1, w_pad=0.1), facecolor="white"
    )
    drawn = figure.subplots(1, len(panels), squeeze=False, width_ratios=spans[:, 0].tolist())[0]
    for axes, (title, places, labels, shown, notes) in zip(drawn, panels, strict=True):
        _graph(axes, places, labels, shown, notes)
        axes.set_title(title, color=INK, fontweight="bold", loc="left", fontsize=10)
    lines = [
        Line2D(
            [],
            [],
            color=_dimension_color(s),
            linewidth=2,
            label=f"dimension {s}, before stage {s + 1}",
        )
        for s in range(1, d + 1)
    ]
    figure.legend(
        handles=lines, loc="outside lower center", ncols=min(d, 3), frameon=False, fontsize=9
    )
    _save(figure, path, 130)


def _on_cube(nodes: NDArray[np.int64], d: int) -> NDArray[np.float64]:
    """Return where nodes of a cube stand, shape (nodes, 2)."""
    return (nodes[:, None] >> np.arange(d) & 1) @ np.array(DIRECTIONS[:d]).reshape(d, 2)


def _apart(d: int) -> NDArray[np.float64]:
    """Return where nodes stand in Figure 4: even ones on the left as in a Hartley graph of d - 1
    dimensions, odd ones on the right as in a cube.
    """
    nodes = np.arange(1 << d)
    even, odd = _on_cube(even_to_hartley(nodes), d - 1), _on_cube(odd_to_cube(nodes), d - 1)
    right = even[:, 0].max() + 0.8 - odd[:, 0].min()
    return np.where(nodes[:, None] % 2 == 0, even, odd + [right, 0])


def _dimension_color(s: int) -> Any:
    return colormaps["tab10"](s - 1)


def _graph(
    axes: Axes,
    places: NDArray[np.float64],
    labels: Sequence[str],
    edges: Edges,
    notes: Sequence[str],
) -> None:
    """Draw a graph, edges bent as far as they would pass other nodes."""
    for (i, j), s in edges.items():
        style = f"arc3,rad={_bend(places, i, j)}"
        (x, y), (u, v) = places[[i, j]].tolist()
        edge = FancyArrowPatch(
            (x, y),
            (u, v),
            connectionstyle=style,
            arrowstyle="-",
            color=_dimension_color(s),
            linewidth=1.6,
            zorder=1,
        )
        axes.add_patch(edge)
    two_lines = any("\n" in label for label in labels)
    colors = [BLUE if i % 2 == 0 else ACCENT for i in range(len(places))]
    axes.scatter(
        places[:, 0],
        places[:, 1],
        s=700 if two_lines else 420,
        color="white",
        edgecolors=colors,
        linewidths=1.8,
        zorder=2,
    )
    for (x, y), label in zip(places.tolist(), labels, strict=True):
        axes.text(
            x,
            y,
            label,
            ha="center",
            va="center",
            fontsize=7.5 if two_lines else 10,
            color=INK,
            zorder=3,
        )
    for (x, y), note in zip(places.tolist(), notes, strict=False):
        axes.annotate(
            note,
            (x, y),
            xytext=(6, 13),
            textcoords="offset points",
            ha="left",
            va="bottom",
            fontsize=7,
            color=SOFT,
            zorder=3,
        )
    (left, low), (right, high) = places.min(axis=0), places.max(axis=0)
    axes.set_xlim(left - 0.4, right + (0.8 if notes else 0.4))
    axes.set_ylim(low - 0.4, high + (0.6 if notes else 0.4))
    axes.set_aspect("equal")
    axes.axis("off")


def _bend(places: NDArray[np.float64], i: int, j: int) -> float:
    """Return the least bend with which an edge stays away from other nodes, the one that stays away
    most where none does.
    """
    others = np.delete(places, [i, j], axis=0)
    (dx, dy), t = places[j] - places[i], np.linspace(0, 1, 25)[:, None]
    clear = {}
    for bend in (0.0, 0.1, -0.1, 0.18, -0.18, 0.26, -0.26):
        middle = (places[i] + places[j]) / 2 + bend * np.array([dy, -dx])
        line = (1 - t) ** 2 * places[i] + 2 * t * (1 - t) * middle + t**2 * places[j]
        clear[bend] = float(np.linalg.norm(line[:, None] - others, axis=2).min(initial=np.inf))
        if clear[bend] > 0.2:
            return bend
    return max(clear, key=lambda bend: clear[bend])


def draw_curves(
    path: Path, figures: Mapping[str, Mapping[str, Sequence[tuple[int, float]]]], over: str = "N"
) -> None:
    """Write a PNG with a panel per figure, in which every named curve is drawn over N, or over P,
    on a logarithmic axis; over P both are.

    Raises ValueError without matplotlib.
    """
    _wants_matplotlib()
    rows = -(-len(figures) // 2)
    figure = Figure(
        figsize=(12, 4.4 * rows),
        layout=ConstrainedLayoutEngine(h_pad=0.1, w_pad=0.1),
        facecolor="white",
    )
    panels = figure.subplots(rows, 2, squeeze=False).reshape(-1)
    for axes, (title, curves) in zip(panels, figures.items(), strict=False):
        for name, points in curves.items():
            axes.plot(
                *zip(*points, strict=True), marker="o", markersize=4, linewidth=1.4, label=name
            )
        axes.set_xscale("log", base=2)
        if over == "P":
            axes.set_yscale("log", base=2)
        else:
            axes.axhline(0, color=SOFT, linewidth=0.8)
        axes.set_title(title, loc="left", fontsize=12, fontweight="bold", color=INK)
        axes.set_xlabel(over, color=INK)
        axes.grid(color=GRID)
        axes.legend(fontsize=8, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels[len(figures) :]:
        axes.axis("off")
    _save(figure, path, 110)
