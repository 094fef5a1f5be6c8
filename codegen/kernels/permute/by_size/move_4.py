"""A local permutation of elements of 4 bytes.

Written by `python -m codegen.kernels.permute.text`.
"""

# For lines.py 9dc268277bcd0849: numba's cache looks at this file alone,
# so that it must change with the other.

from __future__ import annotations

from typing import Any

from codegen.kernels.lines import compiled, exchange, fence, load, permute, prefetch, store, stream


@compiled
def move(source: int, target: int, c: int, stages: int, streamed: int, lines: Any, turn: int, low: Any, high: Any) -> None:
    """Store y[A i + c] = x[i], in tiles of 16 lines of 16 elements of 4 bytes; source and target are addresses."""
    order = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    for h in range(high.shape[1]):
        for l in range(low.shape[1]):
            s = high[0, h] ^ low[0, l]
            t = high[1, h] ^ low[1, l] ^ c
            if streamed:  # prefetch the lines of a later tile
                p = high[0, h] ^ low[0, l + 4 & low.shape[1] - 1]
                prefetch(source, p, lines[0])
            v = permute(load(source, s, lines[0], 4), load(turn, 0, order, 4), 0)
            if stages & 1:
                v = exchange(v, 1)
            if stages & 2:
                v = exchange(v, 2)
            if stages & 4:
                v = exchange(v, 4)
            if stages & 8:
                v = exchange(v, 8)
            v = permute(v, load(turn, 16, order, 4), t & 15)
            if streamed:
                stream(target, t >> 4, lines[1], v)
            else:
                store(target, t >> 4, lines[1], v)
    if streamed:
        fence()
