"""A local permutation of records of any size. Written by `python -m codegen.kernels.text`."""

# For lanes.py 84e3bf90fcdf26e3: numba's cache looks at this file alone, so that it must change with the other.

from __future__ import annotations

from typing import Any

from codegen.kernels.lanes import compiled


@compiled
def move(x: Any, y: Any, c: int, lines: Any, low: Any, high: Any) -> None:
    """y[A i + c] = x[i], a tile of a few lines after the other; x, y: arrays of records."""
    for h in range(high.shape[1]):
        for l in range(low.shape[1]):
            s = high[0, h] ^ low[0, l]
            t = high[1, h] ^ low[1, l] ^ c
            for i in range(lines.shape[1]):
                y[t ^ lines[1, i]] = x[s ^ lines[0, i]]
