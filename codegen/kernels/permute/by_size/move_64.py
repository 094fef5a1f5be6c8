"""A local permutation of elements of 64 bytes.

Written by `python -m codegen.kernels.permute.text`.
"""

# For lines.py 9dc268277bcd0849: numba's cache looks at this file alone,
# so that it must change with the other.

from __future__ import annotations

from typing import Any

from codegen.kernels.lines import compiled, fence, load, permute, prefetch, store, stream


@compiled
def move(source: int, target: int, c: int, stages: int, streamed: int, lines: Any, turn: int, low: Any, high: Any) -> None:
    """Store y[A i + c] = x[i], in tiles of 8 lines of 1 elements of 64 bytes; source and target are addresses."""
    order = (0, 1, 2, 3, 4, 5, 6, 7)
    for h in range(high.shape[1]):
        for l in range(low.shape[1]):
            s = high[0, h] ^ low[0, l]
            t = high[1, h] ^ low[1, l] ^ c
            if streamed:  # prefetch the lines of a later tile
                p = high[0, h] ^ low[0, l + 4 & low.shape[1] - 1]
                prefetch(source, p, lines[0])
            v = permute(load(source, s, lines[0], 64), load(turn, 0, order, 64), 0)
            v = permute(v, load(turn, 8, order, 64), t & 0)
            if streamed:
                stream(target, t >> 0, lines[1], v)
            else:
                store(target, t >> 0, lines[1], v)
    if streamed:
        fence()
