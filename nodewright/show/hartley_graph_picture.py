"""The Hartley graph as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from derive.papers.hartley_graph import Edges, even_to_hartley, hartley_edges, odd_to_cube
from nodewright import plot
from nodewright.plot import ACCENT, BLUE, CENTERED, INK, SOFT

if TYPE_CHECKING:
    from nodewright.plot import Axes, Figure

DIRECTIONS = ((1.0, 0.0), (0.0, -1.0), (0.45, 0.38), (2.4, 0.12), (0.1, -2.6), (5.0, 0.3))
"""Where a node goes for each bit of its place on a cube: a square, a cube, two cubes, .."""

STACKED = 4
"""From so many dimensions on the graphs stand one below the other."""


def figure(d: int, lists: Sequence[str] = ()) -> Figure:
    """Return a figure of the Hartley graph of d dimensions (Figure 3), without its first dimension
    (Figure 4), and on a cube by Gray code.

    `lists` has a text for each node, such as its computations (Figure 2). Raises ValueError without
    matplotlib, and unless 1 <= d <= 6.
    """
    plot.wants_matplotlib()
    if not 1 <= d <= len(DIRECTIONS):
        raise ValueError(f"--png supports 2 to {1 << len(DIRECTIONS)} ranks; got {1 << d}")
    panels = _panels(d, lists)
    spans = np.array([np.maximum(np.ptp(places, axis=0) + 1, 2.4) for _, places, *_ in panels])
    spans *= 1.5
    wide, high = spans.T.tolist()
    if d < STACKED:
        made = plot.blank(sum(wide), max(high) + 1)
        drawn = made.subplots(1, len(panels), squeeze=False, width_ratios=wide)[0]
    else:
        made = plot.blank(max(wide), sum(high) + 2)
        drawn = made.subplots(len(panels), 1, height_ratios=high)
    for axes, (title, places, labels, edges, notes) in zip(drawn, panels, strict=True):
        _graph(axes, places, labels, edges, notes)
        axes.set_title(title, color=INK, fontweight="bold", loc="left", fontsize=10)
    names = {s: f"dimension {s}, before stage {s + 1}" for s in range(1, d + 1)}
    line = partial(plot.lines.Line2D, [], [], linewidth=2)
    lines = [line(color=_dimension_color(s), label=name) for s, name in names.items()]
    below: dict[str, Any] = {"loc": "outside lower center", "ncols": min(d, 3), "fontsize": 9}
    made.legend(handles=lines, frameon=False, **below)
    return made


Panel = tuple[str, NDArray[np.float64], list[str], Edges, Sequence[str]]
"""A title, and of a graph the places of nodes, their labels, the edges, and notes."""


def _panels(d: int, lists: Sequence[str]) -> list[Panel]:
    """Return the Hartley graph; for d > 1 without its first dimension and on a cube, too."""
    nodes, edges = np.arange(1 << d), hartley_edges(d)
    title = f"Hartley graph of {d} dimension{'s' if d > 1 else ''}"
    whole = title, _on_cube(nodes, d), [*map(str, nodes.tolist())], edges, lists
    if d == 1:
        return [whole]
    cut = {edge: s for edge, s in edges.items() if s > 1}
    halves = [
        f"{i}\n→{even_to_hartley(i)}" if i % 2 == 0 else f"{i}\n→{odd_to_cube(i):0{d - 1}b}"
        for i in range(1 << d)
    ]
    parted = f"without the first: even nodes, a Hartley graph;\nodd nodes, a binary {d - 1}-cube"
    gray = nodes ^ nodes >> 1
    on_cube = [f"{i}\n→{code:0{d}b}" for i, code in enumerate(gray.tolist())]
    coded = f"rank i on node gray(i) of the {d}-cube:\nno edge is longer than two links"
    return [
        whole,
        (parted, _apart(d), halves, cut, ()),
        (coded, _on_cube(gray, d), on_cube, edges, ()),
    ]


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
    return plot.matplotlib.colormaps["tab10"](s - 1)


def _graph(
    axes: Axes,
    places: NDArray[np.float64],
    labels: Sequence[str],
    edges: Edges,
    notes: Sequence[str],
) -> None:
    """Draw a graph, edges bent as far as they would pass other nodes."""
    for (i, j), s in edges.items():
        bent, ends = f"arc3,rad={_bend(places, i, j)}", places[[i, j]].tolist()
        form: dict[str, Any] = {"color": _dimension_color(s), "linewidth": 1.6, "zorder": 1}
        form |= {"connectionstyle": bent, "arrowstyle": "-"}
        edge = plot.patches.FancyArrowPatch(*map(tuple, ends), **form)
        axes.add_patch(edge)
    two_lines = any("\n" in label for label in labels)
    letters = max(len(line) for label in labels for line in label.split("\n"))
    across = 10 + 5.2 * letters if two_lines else 20.5
    colors = [BLUE if i % 2 == 0 else ACCENT for i in range(len(places))]
    form = {"color": "white", "edgecolors": colors, "linewidths": 1.8, "zorder": 2}
    axes.scatter(places[:, 0], places[:, 1], s=across**2, **form)
    form = {"fontsize": 7.5 if two_lines else 10, "color": INK, "zorder": 3} | CENTERED
    for (x, y), label in zip(places.tolist(), labels, strict=True):
        axes.text(x, y, label, **form)
    form = {"ha": "left", "va": "bottom", "fontsize": 7, "color": SOFT, "zorder": 3}
    for place, note in zip(places.tolist(), notes, strict=False):
        plot.noted(axes, note, place, (6, 13), **form)
    (left, low), (right, high) = places.min(axis=0), places.max(axis=0)
    axes.set_xlim(left - 0.4, right + (0.8 if notes else 0.4))
    axes.set_ylim(low - 0.4, high + (0.6 if notes else 0.4))
    axes.set_aspect("equal", anchor="NW")
    axes.axis("off")


def _bend(places: NDArray[np.float64], i: int, j: int) -> float:
    """Return the least bend of an edge that avoids other nodes, or the one that does best."""
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
