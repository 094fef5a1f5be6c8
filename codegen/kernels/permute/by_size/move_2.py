"""A local permutation of elements of 2 bytes.

Written by `python -m codegen.kernels.permute.text`.
"""

# For lanes.py e15ef0b85accc57f: numba's cache looks at this file alone,
# so that it must change with the other.

from __future__ import annotations

from typing import Any

from codegen.kernels.lanes import compiled, exchange, fence, load, permute, prefetch, store, stream


@compiled
def move(source: int, target: int, c: int, stages: int, streamed: int, lines: Any, turn: int, low: Any, high: Any, tile: int) -> None:
    """y[A i + c] = x[i], in tiles of 32 lines of 32 elements of 2 bytes; source, target, ..: addresses."""
    for h in range(high.shape[1]):
        for l in range(low.shape[1]):
            s = high[0, h] ^ low[0, l]
            t = high[1, h] ^ low[1, l] ^ c
            if streamed:  # ask for the lines of a later tile
                p = high[0, h] ^ low[0, l + 4 & low.shape[1] - 1]
                for i in range(32):
                    prefetch(source, p ^ lines[0, i])
            for g in range(0, 32, 8):
                v0 = permute(load(source, s ^ lines[0, g + 0], 2), load(turn, g + 0, 2), 0)
                v1 = permute(load(source, s ^ lines[0, g + 1], 2), load(turn, g + 1, 2), 0)
                v2 = permute(load(source, s ^ lines[0, g + 2], 2), load(turn, g + 2, 2), 0)
                v3 = permute(load(source, s ^ lines[0, g + 3], 2), load(turn, g + 3, 2), 0)
                v4 = permute(load(source, s ^ lines[0, g + 4], 2), load(turn, g + 4, 2), 0)
                v5 = permute(load(source, s ^ lines[0, g + 5], 2), load(turn, g + 5, 2), 0)
                v6 = permute(load(source, s ^ lines[0, g + 6], 2), load(turn, g + 6, 2), 0)
                v7 = permute(load(source, s ^ lines[0, g + 7], 2), load(turn, g + 7, 2), 0)
                if stages & 1:
                    v0, v1 = exchange(v0, v1, 1)
                    v2, v3 = exchange(v2, v3, 1)
                    v4, v5 = exchange(v4, v5, 1)
                    v6, v7 = exchange(v6, v7, 1)
                if stages & 2:
                    v0, v2 = exchange(v0, v2, 2)
                    v1, v3 = exchange(v1, v3, 2)
                    v4, v6 = exchange(v4, v6, 2)
                    v5, v7 = exchange(v5, v7, 2)
                if stages & 4:
                    v0, v4 = exchange(v0, v4, 4)
                    v1, v5 = exchange(v1, v5, 4)
                    v2, v6 = exchange(v2, v6, 4)
                    v3, v7 = exchange(v3, v7, 4)
                store(tile, g + 0, v0)
                store(tile, g + 1, v1)
                store(tile, g + 2, v2)
                store(tile, g + 3, v3)
                store(tile, g + 4, v4)
                store(tile, g + 5, v5)
                store(tile, g + 6, v6)
                store(tile, g + 7, v7)
            for g in range(8):
                v0 = load(tile, g + 0, 2)
                v1 = load(tile, g + 8, 2)
                v2 = load(tile, g + 16, 2)
                v3 = load(tile, g + 24, 2)
                if stages & 8:
                    v0, v1 = exchange(v0, v1, 8)
                    v2, v3 = exchange(v2, v3, 8)
                if stages & 16:
                    v0, v2 = exchange(v0, v2, 16)
                    v1, v3 = exchange(v1, v3, 16)
                v0 = permute(v0, load(turn, g + 32, 2), t & 31)
                v1 = permute(v1, load(turn, g + 40, 2), t & 31)
                v2 = permute(v2, load(turn, g + 48, 2), t & 31)
                v3 = permute(v3, load(turn, g + 56, 2), t & 31)
                if streamed:
                    stream(target, t >> 5 ^ lines[1, g + 0], v0)
                    stream(target, t >> 5 ^ lines[1, g + 8], v1)
                    stream(target, t >> 5 ^ lines[1, g + 16], v2)
                    stream(target, t >> 5 ^ lines[1, g + 24], v3)
                else:
                    store(target, t >> 5 ^ lines[1, g + 0], v0)
                    store(target, t >> 5 ^ lines[1, g + 8], v1)
                    store(target, t >> 5 ^ lines[1, g + 16], v2)
                    store(target, t >> 5 ^ lines[1, g + 24], v3)
    if streamed:
        fence()
