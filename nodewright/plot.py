"""The picture of the demo: the spectrum, and where the time went; the one door to matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nodewright.spectrum import Line, Spectrum

try:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
except ImportError:  # the extra `plot` is not installed
    AVAILABLE = False
else:
    AVAILABLE = True

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, SOFT, GRID = "#22313f", "#6b7a87", "#e3e8ec"
BLUE, ACCENT = "#1f6f9f", "#c8502e"
HIGHEST = 4.5
"""Cycles per year up to which the spectrum is shown: beyond is only noise."""


def draw(
    path: Path,
    spectrum: Spectrum,
    lines: Sequence[tuple[Line, str]],
    seconds: Mapping[str, tuple[float, str]],
    titles: tuple[str, str],
) -> None:
    """Write a PNG with two panels: amplitudes in ppm with the named lines, and the seconds of each step as bars, with remarks.

    Frequencies are in cycles per year.
    """
    figure = Figure(figsize=(10, 8), layout=ConstrainedLayoutEngine(h_pad=0.15, w_pad=0.15, hspace=0.08), facecolor="white")
    upper, lower = figure.subplots(2, 1, height_ratios=(3, 2))
    _spectrum(upper, spectrum, lines)
    _bars(lower, seconds)
    for axes, title in zip((upper, lower), titles, strict=True):
        axes.set_title(title, loc="left", fontsize=14, fontweight="bold", color=INK, pad=12)
        axes.tick_params(colors=SOFT, labelcolor=INK, labelsize=11, length=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(SOFT)
        axes.set_axisbelow(True)
    figure.savefig(path, dpi=150)


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
    axes.bar_label(bars, [duration(length) + remark for length, remark in seconds.values()], padding=6, fontsize=11, color=INK)
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
