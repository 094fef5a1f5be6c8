"""Figures of matplotlib, to which this is the one door: any drawing, the demo's spectrum and times,
curves; each is returned, and `save` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derive.lazy import lazily
from derive.show.drawing import Boxes, Drawing, Lines, Shape, in_unicode
from nodewright.spectrum import Line, Spectrum

if TYPE_CHECKING:
    import matplotlib as matplotlib
    from matplotlib import collections, layout_engine
    from matplotlib import figure as figures
    from matplotlib import lines as lines
    from matplotlib import patches as patches
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
else:
    matplotlib = lazily("matplotlib")
    collections, figures, layout_engine, lines, patches = (
        lazily(f"matplotlib.{name}")
        for name in ("collections", "figure", "layout_engine", "lines", "patches")
    )

AVAILABLE = find_spec("matplotlib") is not None
"""Whether the extra `plot` is installed."""
INK, SOFT, GRID = "#22313f", "#6b7a87", "#e3e8ec"
BLUE, ACCENT = "#1f6f9f", "#c8502e"
CENTERED: dict[str, Any] = {"ha": "center", "va": "center"}
MARGIN = 14
"""Points around a drawing."""
HIGHEST = 4.5
"""Cycles per year up to which the spectrum is shown: beyond is only noise."""


def wants_matplotlib() -> None:
    """Raise ValueError without matplotlib."""
    if not AVAILABLE:
        raise ValueError(
            "pictures need matplotlib; to install it, run pip install 'nodewright[plot]'"
        )


def check_picture(path: Path) -> None:
    """Raise ValueError where no picture can be drawn, or the path is none of a PNG."""
    wants_matplotlib()
    if path.is_dir():
        raise ValueError(f"--png {path}: this is a directory, the picture needs the name of a file")
    if path.suffix.lower() != ".png":
        raise ValueError(f"--png {path}: the picture is a PNG, and its name ends in .png")


def blank(width: float, height: float, pad: float = 0.1, hspace: float | None = None) -> Figure:
    """Return a white figure of this size in inches."""
    layout = layout_engine.ConstrainedLayoutEngine(h_pad=pad, w_pad=pad, hspace=hspace)
    return figures.Figure(figsize=(width, height), layout=layout, facecolor="white")


def figure(drawing: Drawing) -> Figure:
    """Return a drawing as a figure, point by point; raise ValueError without matplotlib."""
    wants_matplotlib()
    width, height = drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN
    made = figures.Figure(figsize=(width / 72, height / 72), facecolor="white")
    axes = made.add_axes((0, 0, 1, 1))
    axes.set_xlim(-MARGIN, drawing.width + MARGIN)
    axes.set_ylim(drawing.height + MARGIN, -MARGIN)
    axes.axis("off")
    for shape in drawing.shapes:
        _add(axes, shape)
    return made


def _add(axes: Axes, shape: Shape) -> None:
    color = shape.color or INK
    match shape:
        case Boxes(places, width, height, _, opacity):
            boxes = [patches.Rectangle(at, width, height) for at in places]
            form: dict[str, Any] = {"color": color, "alpha": opacity, "linewidth": 0}
            axes.add_collection(collections.PatchCollection(boxes, antialiased=False, **form))
        case Lines(segments, _, width, opacity):
            ends = [((a, b), (c, d)) for a, b, c, d in segments]
            form = {"colors": color, "linewidths": width, "alpha": opacity}
            axes.add_collection(collections.LineCollection(ends, **form))
        case _:
            form = {"color": color, "fontsize": shape.size}
            weight = "bold" if shape.bold else "normal"
            side = {"start": "left", "end": "right"}.get(shape.anchor, "center")
            axes.text(
                shape.x,
                shape.y,
                in_unicode(shape.text),
                ha=side,
                va="center",
                weight=weight,
                **form,
            )


def save(drawn: Figure, path: Path, dpi: int = 130) -> None:
    """Write a PNG to exactly this path; raises what `check_picture` does."""
    check_picture(path)
    with path.open("wb") as file:
        drawn.savefig(file, dpi=dpi, format="png")


def spectrum_and_times(
    spectrum: Spectrum,
    lines: Sequence[tuple[Line, str]],
    seconds: Mapping[str, tuple[float, str]],
    titles: tuple[str, str],
) -> Figure:
    """Return a figure with two panels: amplitudes in ppm with the named lines, and the seconds of
    each step as bars, with remarks.

    Frequencies are in cycles per year.
    """
    made = blank(10, 8, 0.15, 0.08)
    upper, lower = made.subplots(2, 1, height_ratios=(3, 2))
    _spectrum(upper, spectrum, lines)
    _bars(lower, seconds)
    for axes, title in zip((upper, lower), titles, strict=True):
        axes.set_title(title, loc="left", fontsize=14, fontweight="bold", color=INK, pad=12)
        axes.tick_params(colors=SOFT, labelcolor=INK, labelsize=11, length=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(SOFT)
        axes.set_axisbelow(True)
    return made


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


def curves(
    figures: Mapping[str, Mapping[str, Sequence[tuple[int, float]]]], over: str = "N"
) -> Figure:
    """Return a figure with a panel per name, in which every named curve is drawn over N, or over P,
    on a logarithmic axis; over P both are.

    Raises ValueError without matplotlib.
    """
    wants_matplotlib()
    rows = -(-len(figures) // 2)
    made = blank(12, 4.4 * rows)
    panels = made.subplots(rows, 2, squeeze=False).reshape(-1)
    for axes, (title, named) in zip(panels, figures.items(), strict=False):
        for name, points in named.items():
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
    return made
