"""Pictures of layouts: which index lives where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from derive.show.grids import MOST_INDICES, index_line, storage
from derive.show.shapes import COLORS, Drawing, heading, stacked

if TYPE_CHECKING:
    from derive.formula.placement import Placement


def layout(placement: Placement) -> Drawing:
    """Return a layout as a picture: the indices in their order with the colors of their ranks, and
    what each rank holds.

    >>> from derive.formula.layout import block
    >>> layout(block(3, 1)).title
    'the layout block: N = 8 elements on P = 2 ranks'
    """
    N, P, M = 1 << placement.n, 1 << placement.p, 1 << placement.m
    title = f"the layout {placement.name}: N = {N} elements on P = {P} ranks"
    first = np.arange(min(N, MOST_INDICES))
    ranks, _ = placement.place(first)
    step = N // len(first) if np.ptp(ranks) == 0 else 1  # long runs are seen from afar
    ranks, _ = placement.place(step * first)
    again = f"; colors begin again after {COLORS} ranks" if P > COLORS else ""

    def held(s: int, o: int) -> tuple[str, int]:
        return str(int(placement.index(s, o))), s

    parts = (
        heading(title),
        index_line(f"indices in their order, colored by rank{again}", ranks.tolist(), N, step),
        storage("indices by rank and offset", held, P, M),
    )
    return stacked(parts, title)
