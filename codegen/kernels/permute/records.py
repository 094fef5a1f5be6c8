"""The kernel for records of any size and for short arrays, element by element, and the plainest one
to read.
"""

from __future__ import annotations

from typing import Any

from codegen.kernels.lines import compiled


@compiled
def move(x: Any, y: Any, c: int, lines: Any, low: Any, high: Any) -> None:
    """Store y[A i + c] = x[i], one tile of a few lines after another; x and y are arrays of words
    or records.
    """
    for h in range(high.shape[1]):
        for l in range(low.shape[1]):
            s = high[0, h] ^ low[0, l]
            t = high[1, h] ^ low[1, l] ^ c
            for i in range(lines.shape[1]):
                y[t ^ lines[1, i]] = x[s ^ lines[0, i]]
