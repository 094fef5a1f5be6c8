"""A local permutation of elements of 1 bytes.

Written by `python -m codegen.kernels.permute.text`.
"""

# For lines.py 9dc268277bcd0849: numba's cache looks at this file alone,
# so that it must change with the other.

from __future__ import annotations

from typing import Any

from codegen.kernels.lines import compiled, exchange, fence, load, permute, prefetch, store, stream


@compiled
def move(source: int, target: int, c: int, stages: int, streamed: int, lines: Any, turn: int, low: Any, high: Any, tile: int) -> None:
    """Store y[A i + c] = x[i], in tiles of 64 lines of 64 elements of 1 bytes; source and target are addresses."""
    order = (0, 1, 2, 3, 4, 5, 6, 7)
    for h in range(high.shape[1]):
        for l in range(low.shape[1]):
            s = high[0, h] ^ low[0, l]
            t = high[1, h] ^ low[1, l] ^ c
            if streamed:  # prefetch the lines of a later tile
                p = high[0, h] ^ low[0, l + 4 & low.shape[1] - 1]
                for i in range(64):
                    prefetch(source, p, (lines[0, i],))
            for g in range(0, 64, 8):
                v = load(source, s, (lines[0, g], lines[0, g + 1], lines[0, g + 2], lines[0, g + 3], lines[0, g + 4], lines[0, g + 5], lines[0, g + 6], lines[0, g + 7]), 1)
                v = permute(v, load(turn, g, order, 1), 0)
                if stages & 1:
                    v = exchange(v, 1)
                if stages & 2:
                    v = exchange(v, 2)
                if stages & 4:
                    v = exchange(v, 4)
                store(tile, g, order, v)
            for g in range(8):
                v = load(tile, g, (0, 8, 16, 24, 32, 40, 48, 56), 1)
                if stages & 8:
                    v = exchange(v, 8)
                if stages & 16:
                    v = exchange(v, 16)
                if stages & 32:
                    v = exchange(v, 32)
                v = permute(v, load(turn, g + 64, (0, 8, 16, 24, 32, 40, 48, 56), 1), t & 63)
                if streamed:
                    stream(target, t >> 6, (lines[1, g], lines[1, g + 8], lines[1, g + 16], lines[1, g + 24], lines[1, g + 32], lines[1, g + 40], lines[1, g + 48], lines[1, g + 56]), v)
                else:
                    store(target, t >> 6, (lines[1, g], lines[1, g + 8], lines[1, g + 16], lines[1, g + 24], lines[1, g + 32], lines[1, g + 40], lines[1, g + 48], lines[1, g + 56]), v)
    if streamed:
        fence()
