"""Pictures made of cells: bit matrices, and where the elements of a vector lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from derive.show.drawing import BLUE, INK, RED, Boxes, Drawing, Lines, Shape, Words, color, wide

MOST_BITS = 64
"""So many rows and columns of a bit matrix are drawn."""
MOST_COLUMNS, MOST_OFFSETS = 16, 16
"""So many columns and rows of cells are drawn."""
LINE, MOST_INDICES = 64, 1024
"""So many indices stand on a line, and so many are drawn."""


def framed(
    title: str,
    said: str,
    corner: tuple[float, float],
    sides: tuple[float, float],
    shapes: Iterable[Shape],
    ink: str = INK,
) -> Drawing:
    """Return shapes within a frame that begins at a corner, below a title and what is said."""
    (left, top), (across, high) = corner, sides
    lines: list[Shape] = [
        Words(0, 8, title, 11, ink, "start", bold=True),
        Words(0, 24, said, 9, anchor="start"),
        Boxes((corner,), across, high, INK, 0.08),
    ]
    width = max(left + across, wide(title, 11), wide(said, 9))
    return Drawing(title, width, top + high, (*lines, *shapes))


def bit_matrix(
    name: str, columns: Sequence[int], rows: int, m: int, blocks: Sequence[str] = ()
) -> Drawing:
    """Return a matrix of packed columns, bit 0 at the top left, with lines after m bits; `blocks`
    are the names of the four parts that these make.
    """
    high, across = min(rows, MOST_BITS), min(len(columns), MOST_BITS)
    cell, side = min(24.0, max(2.4, 140 / max(high, across, 1))), 16 if blocks else 2
    top, width, height = 22, cell * across, cell * high
    ones = tuple(
        (side + cell * j, top + cell * i)
        for j in range(across)
        for i in range(high)
        if columns[j] >> i & 1
    )
    shapes: list[Shape] = [
        Words(side + width / 2, 9, name, 12, bold=True),
        Boxes(((side, top),), width, height, INK, 0.1),
        Boxes(ones, 0.92 * cell, 0.92 * cell, BLUE),
    ]
    at = cell * m
    if 0 < m < across:
        cuts = (side, top + at, side + width, top + at), (side + at, top, side + at, top + height)
        shapes.append(Lines(cuts, RED, 1.4))
        for block, x, y in zip(blocks, (0, 1, 0, 1), (0, 0, 1, 1), strict=False):
            middle = top + (at / 2 if y == 0 else (at + height) / 2)
            shapes.append(Words(side / 2 + x * (width + side), middle, block, 11))
    said = ""
    if (high, across) != (rows, len(columns)):
        said = f"first {high} of {rows} rows"
        shapes.append(Words(side, top + height + 9, said, 8, anchor="start"))
    lowest = top + height + (18 if said else 2)
    return Drawing(f"bit matrix {name} {said}".strip(), width + 2 * side, lowest, tuple(shapes))


def storage(
    title: str, held: Callable[[int, int], tuple[str, int]], ranks: int, offsets: int
) -> Drawing:
    """Return the elements by rank and offset, a column per rank and a row per offset; `held` says
    what stands on a rank at an offset, and which color that has.
    """
    P, M = min(ranks, MOST_COLUMNS), min(offsets, MOST_OFFSETS)
    cells = [[held(s, o) for o in range(M)] for s in range(P)]
    longest = max(wide(text, 10) for column in cells for text, _ in column)
    wider, high, top = max(26.0, longest + 8), 17, 36
    margin = wide(f"offset {M - 1}", 9) + 8
    shapes: list[Shape] = [Words(margin, 8, title, 11, anchor="start", bold=True)]
    shapes += [Words(margin + (s + 0.5) * wider, 26, f"P{s}", 10, bold=True) for s in range(P)]
    shapes += [Words(0, top + (o + 0.5) * high, f"offset {o}", 9, anchor="start") for o in range(M)]
    by_color = dict[int, list[tuple[float, float]]]()
    for s, column in enumerate(cells):
        for o, (text, k) in enumerate(column):
            x, y = margin + s * wider, top + o * high
            by_color.setdefault(k, []).append((x, y))
            shapes.append(Words(x + wider / 2 - 0.5, y + high / 2 - 0.5, text, 10))
    filled = [Boxes(tuple(at), wider - 1, high - 1, color(k), 0.4) for k, at in by_color.items()]
    width, height = margin + P * wider, float(top + M * high)
    left_out = [
        f"first {shown} of {whole} {what}"
        for shown, whole, what in ((P, ranks, "ranks"), (M, offsets, "offsets"))
        if shown < whole
    ]
    if left_out:
        shapes.append(Words(margin, height + 9, ", ".join(left_out), 9, anchor="start"))
        width, height = max(width, margin + wide(", ".join(left_out), 9)), height + 18
    return Drawing(title, max(width, margin + wide(title, 11)), height, (*filled, *shapes))


def index_line(title: str, ranks: Sequence[int], whole: int, step: int = 1) -> Drawing:
    """Return the indices 0, step, 2 step, .. of a vector in lines, each with the color of its rank;
    of `whole` indices these ranks are given.
    """
    cell, top = (9 if len(ranks) >= LINE else 18), 22
    margin = wide(str(whole), 9) + 6
    by_rank = dict[int, list[tuple[float, float]]]()
    for j, rank in enumerate(ranks):
        place = margin + cell * (j % LINE), float(top + cell * (j // LINE))
        by_rank.setdefault(rank, []).append(place)
    boxes = [
        Boxes(tuple(at), 0.94 * cell, 0.94 * cell, color(rank), 0.9) for rank, at in by_rank.items()
    ]
    lines = -(-len(ranks) // LINE)
    shapes: list[Shape] = [Words(margin, 8, title, 11, anchor="start", bold=True)]
    shapes += [
        Words(margin - 5, top + cell * (i + 0.5), str(i * LINE * step), 8, anchor="end")
        for i in range(lines)
    ]
    height = float(top + cell * lines)
    if len(ranks) < whole:
        which = "first" if step == 1 else f"every {step}th index,"
        said = f"{which} {len(ranks)} of {whole} indices"
        shapes.append(Words(margin, height + 9, said, 9, anchor="start"))
        height += 18
    width = margin + max(cell * min(LINE, len(ranks)), wide(title, 11))
    return Drawing(title, width, height, (*boxes, *shapes))
