"""Pictures: the demo's spectrum and times, a factorization's matrices and messages, curves; the one
door to matplotlib.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from derive.gf2.bmmc import Factorization
from nodewright.spectrum import Line, Spectrum

try:
    from matplotlib import colormaps as colormaps
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D as Line2D
    from matplotlib.patches import FancyArrowPatch as FancyArrowPatch
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import MaxNLocator
except ImportError:  # the extra `plot` is not installed
    AVAILABLE = False
else:
    AVAILABLE = True

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes

    from derive.formula.layout import Layout

INK, SOFT, GRID = "#22313f", "#6b7a87", "#e3e8ec"
BLUE, ACCENT = "#1f6f9f", "#c8502e"
CENTERED: dict[str, Any] = {"ha": "center", "va": "center"}
HIGHEST = 4.5
"""Cycles per year up to which the spectrum is shown: beyond is only noise."""


def wants_matplotlib() -> None:
    """Raise ValueError without matplotlib."""
    if not AVAILABLE:
        raise ValueError("--png needs matplotlib: pip install 'nodewright[plot]' brings it")


def check_picture(path: Path) -> None:
    """Raise ValueError where no picture can be drawn, or the path is none of a PNG."""
    wants_matplotlib()
    if path.is_dir():
        raise ValueError(f"--png {path}: this is a directory, the picture needs the name of a file")
    if path.suffix.lower() != ".png":
        raise ValueError(f"--png {path}: the picture is a PNG, and its name ends in .png")


def blank(width: float, height: float, pad: float = 0.1, hspace: float | None = None) -> Figure:
    """Return a white figure of this size in inches."""
    layout = ConstrainedLayoutEngine(h_pad=pad, w_pad=pad, hspace=hspace)
    return Figure(figsize=(width, height), layout=layout, facecolor="white")


def _instead(axes: Axes, text: str) -> None:
    """Write a text where nothing is drawn."""
    axes.axis("off")
    axes.text(0.5, 0.5, text, ha="center", color=SOFT, transform=axes.transAxes)


def save(figure: Figure, path: Path, dpi: int) -> None:
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
    figure = blank(10, 8, 0.15, 0.08)
    upper, lower = figure.subplots(2, 1, height_ratios=(3, 2))
    _spectrum(upper, spectrum, lines)
    _bars(lower, seconds)
    for axes, title in zip((upper, lower), titles, strict=True):
        axes.set_title(title, loc="left", fontsize=14, fontweight="bold", color=INK, pad=12)
        axes.tick_params(colors=SOFT, labelcolor=INK, labelsize=11, length=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(SOFT)
        axes.set_axisbelow(True)
    save(figure, path, 150)


def _spectrum(axes: Axes, spectrum: Spectrum, lines: Sequence[tuple[Line, str]]) -> None:
    shown = (spectrum.frequencies > 0) & (spectrum.frequencies <= HIGHEST)
    x, y = spectrum.frequencies[shown], spectrum.amplitudes[shown]
    axes.fill_between(x, y, color=BLUE, alpha=0.15, linewidth=0)
    axes.plot(x, y, color=BLUE, linewidth=1.4)
    for line, name in lines:
        axes.plot([line.frequency] * 2, [0, line.amplitude], color=ACCENT, linewidth=1, alpha=0.6)
        axes.plot([line.frequency], [line.amplitude], "o", color=ACCENT, markersize=7)
        place, form = (line.frequency, line.amplitude), {"va": "center", "linespacing": 1.4}
        noted(axes, name, place, (12, 0), fontsize=12, color=ACCENT, **form)
    axes.grid(color=GRID)
    axes.set_xlim(0, HIGHEST)
    axes.set_xticks(range(int(HIGHEST) + 1))
    axes.set_ylim(0, 1.15 * max([float(y.max()), *(line.amplitude for line, _ in lines)]))
    axes.set_xlabel("frequency (cycles per year)", fontsize=12, color=INK)
    axes.set_ylabel("amplitude (ppm CO$_2$)", fontsize=12, color=INK)


def noted(axes: Axes, text: str, place: Any, shift: tuple[float, float], **form: Any) -> None:
    """Write a text so many points from a place."""
    axes.annotate(text, place, xytext=shift, textcoords="offset points", **form)


def _bars(axes: Axes, seconds: Mapping[str, tuple[float, str]]) -> None:
    lengths = [length for length, _ in seconds.values()]
    bars = axes.barh(list(seconds), lengths, color=BLUE, height=0.62)
    labels = [duration(length) + remark for length, remark in seconds.values()]
    axes.bar_label(bars, labels, padding=6, fontsize=11, color=INK)
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
    wants_matplotlib()
    if f.n > 64:
        raise ValueError(f"--png with n = {f.n}: matrices are drawn up to n = 64")
    figure = blank(13, 8)
    parts: Any = figure.subfigures(2, 1, height_ratios=(2, 5))
    upper, lower = parts
    maps = {"A": f.permutation, "V": f.V, "W": f.W, "T": f.trailer, "R": f.reducer, "Π": f.swapper}
    for axes, (name, map_) in zip(upper.subplots(1, len(maps)), maps.items(), strict=True):
        _matrix(axes, name, map_.matrix, f.m)
    left, right = lower.subplots(1, 2, width_ratios=(4, 7))
    _messages(left, f)
    _movement(right, f, layout)
    if layout is not None:
        what = f"Q A Q^-1 of the layout {layout.name}, Q from indices to storage addresses"
        figure.suptitle(what, color=INK)
    save(figure, path, 130)


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
        _instead(axes, f"P = 2^{f.p}: messages are drawn up to P = 64")
        return
    P = 1 << f.p
    rounds = np.full((P, P), np.nan)
    for b, k in np.ndindex(f.rounds, P):
        rounds[k, f.target(b, k)] = b
    shown = axes.imshow(rounds, cmap="viridis", vmin=0, vmax=max(1, f.rounds - 1))
    whole = partial(MaxNLocator, integer=True)
    axes.figure.colorbar(shown, ax=axes, label="round b", shrink=0.8, ticks=whole())
    axes.xaxis.set_major_locator(whole())
    axes.yaxis.set_major_locator(whole())
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
        _instead(axes, f"N = 2^{f.n}: elements are drawn up to N = 64")
        return
    P, M = 1 << f.p, 1 << f.m
    before = np.arange(P * M)
    after = np.empty_like(before)
    after[f.permutation(before)] = before
    numbers = layout.address.inverse()(before) if layout is not None else before
    for start, title, held in ((0, "before", before), (P + 1, "after", after)):
        for z, j in enumerate(held.tolist()):
            s, o = divmod(z, M)
            color = colormaps["viridis"](j // M / max(1, P - 1))
            axes.add_patch(Rectangle((start + s, -o - 1), 0.94, 0.94, color=color, alpha=0.45))
            form = {"fontsize": 8 if M > 8 else 11, "color": INK} | CENTERED
            axes.text(start + s + 0.47, -o - 0.53, str(numbers[j]), **form)
        axes.text(start + P / 2, 0.25, title, ha="center", color=INK, fontweight="bold")
    axes.set_xlim(-0.2, 2 * P + 1.2)
    axes.set_ylim(-M - 0.5, 1)
    words = "storage: a column per rank, a row per offset; colour = the rank an element comes from"
    axes.set_title(words, color=INK, fontsize=10)


def draw_curves(
    path: Path, figures: Mapping[str, Mapping[str, Sequence[tuple[int, float]]]], over: str = "N"
) -> None:
    """Write a PNG with a panel per figure, in which every named curve is drawn over N, or over P,
    on a logarithmic axis; over P both are.

    Raises ValueError without matplotlib.
    """
    wants_matplotlib()
    rows = -(-len(figures) // 2)
    figure = blank(12, 4.4 * rows)
    panels = figure.subplots(rows, 2, squeeze=False).reshape(-1)
    for axes, (title, curves) in zip(panels, figures.items(), strict=False):
        for name, points in curves.items():
            form: dict[str, Any] = {"marker": "o", "markersize": 4, "linewidth": 1.4}
            axes.plot(*zip(*points, strict=True), label=name, **form)
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
    save(figure, path, 110)
