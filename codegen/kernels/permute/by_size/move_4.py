"""A local permutation of elements of 4 bytes.

Written by `python -m codegen.kernels.permute.text`.
"""

# For lanes.py e15ef0b85accc57f: numba's cache looks at this file alone,
# so that it must change with the other.

from __future__ import annotations

from typing import Any

from codegen.kernels.lanes import compiled, exchange, fence, load, permute, prefetch, store, stream


@compiled
def move(source: int, target: int, c: int, stages: int, streamed: int, lines: Any, turn: int, low: Any, high: Any) -> None:
    """y[A i + c] = x[i], in tiles of 16 lines of 16 elements of 4 bytes; source, target, ..: addresses."""
    for h in range(high.shape[1]):
        for l in range(low.shape[1]):
            s = high[0, h] ^ low[0, l]
            t = high[1, h] ^ low[1, l] ^ c
            if streamed:  # ask for the lines of a later tile
                p = high[0, h] ^ low[0, l + 4 & low.shape[1] - 1]
                prefetch(source, p ^ lines[0, 0])
                prefetch(source, p ^ lines[0, 1])
                prefetch(source, p ^ lines[0, 2])
                prefetch(source, p ^ lines[0, 3])
                prefetch(source, p ^ lines[0, 4])
                prefetch(source, p ^ lines[0, 5])
                prefetch(source, p ^ lines[0, 6])
                prefetch(source, p ^ lines[0, 7])
                prefetch(source, p ^ lines[0, 8])
                prefetch(source, p ^ lines[0, 9])
                prefetch(source, p ^ lines[0, 10])
                prefetch(source, p ^ lines[0, 11])
                prefetch(source, p ^ lines[0, 12])
                prefetch(source, p ^ lines[0, 13])
                prefetch(source, p ^ lines[0, 14])
                prefetch(source, p ^ lines[0, 15])
            v0 = permute(load(source, s ^ lines[0, 0], 4), load(turn, 0, 4), 0)
            v1 = permute(load(source, s ^ lines[0, 1], 4), load(turn, 1, 4), 0)
            v2 = permute(load(source, s ^ lines[0, 2], 4), load(turn, 2, 4), 0)
            v3 = permute(load(source, s ^ lines[0, 3], 4), load(turn, 3, 4), 0)
            v4 = permute(load(source, s ^ lines[0, 4], 4), load(turn, 4, 4), 0)
            v5 = permute(load(source, s ^ lines[0, 5], 4), load(turn, 5, 4), 0)
            v6 = permute(load(source, s ^ lines[0, 6], 4), load(turn, 6, 4), 0)
            v7 = permute(load(source, s ^ lines[0, 7], 4), load(turn, 7, 4), 0)
            v8 = permute(load(source, s ^ lines[0, 8], 4), load(turn, 8, 4), 0)
            v9 = permute(load(source, s ^ lines[0, 9], 4), load(turn, 9, 4), 0)
            v10 = permute(load(source, s ^ lines[0, 10], 4), load(turn, 10, 4), 0)
            v11 = permute(load(source, s ^ lines[0, 11], 4), load(turn, 11, 4), 0)
            v12 = permute(load(source, s ^ lines[0, 12], 4), load(turn, 12, 4), 0)
            v13 = permute(load(source, s ^ lines[0, 13], 4), load(turn, 13, 4), 0)
            v14 = permute(load(source, s ^ lines[0, 14], 4), load(turn, 14, 4), 0)
            v15 = permute(load(source, s ^ lines[0, 15], 4), load(turn, 15, 4), 0)
            if stages & 1:
                v0, v1 = exchange(v0, v1, 1)
                v2, v3 = exchange(v2, v3, 1)
                v4, v5 = exchange(v4, v5, 1)
                v6, v7 = exchange(v6, v7, 1)
                v8, v9 = exchange(v8, v9, 1)
                v10, v11 = exchange(v10, v11, 1)
                v12, v13 = exchange(v12, v13, 1)
                v14, v15 = exchange(v14, v15, 1)
            if stages & 2:
                v0, v2 = exchange(v0, v2, 2)
                v1, v3 = exchange(v1, v3, 2)
                v4, v6 = exchange(v4, v6, 2)
                v5, v7 = exchange(v5, v7, 2)
                v8, v10 = exchange(v8, v10, 2)
                v9, v11 = exchange(v9, v11, 2)
                v12, v14 = exchange(v12, v14, 2)
                v13, v15 = exchange(v13, v15, 2)
            if stages & 4:
                v0, v4 = exchange(v0, v4, 4)
                v1, v5 = exchange(v1, v5, 4)
                v2, v6 = exchange(v2, v6, 4)
                v3, v7 = exchange(v3, v7, 4)
                v8, v12 = exchange(v8, v12, 4)
                v9, v13 = exchange(v9, v13, 4)
                v10, v14 = exchange(v10, v14, 4)
                v11, v15 = exchange(v11, v15, 4)
            if stages & 8:
                v0, v8 = exchange(v0, v8, 8)
                v1, v9 = exchange(v1, v9, 8)
                v2, v10 = exchange(v2, v10, 8)
                v3, v11 = exchange(v3, v11, 8)
                v4, v12 = exchange(v4, v12, 8)
                v5, v13 = exchange(v5, v13, 8)
                v6, v14 = exchange(v6, v14, 8)
                v7, v15 = exchange(v7, v15, 8)
            v0 = permute(v0, load(turn, 16, 4), t & 15)
            v1 = permute(v1, load(turn, 17, 4), t & 15)
            v2 = permute(v2, load(turn, 18, 4), t & 15)
            v3 = permute(v3, load(turn, 19, 4), t & 15)
            v4 = permute(v4, load(turn, 20, 4), t & 15)
            v5 = permute(v5, load(turn, 21, 4), t & 15)
            v6 = permute(v6, load(turn, 22, 4), t & 15)
            v7 = permute(v7, load(turn, 23, 4), t & 15)
            v8 = permute(v8, load(turn, 24, 4), t & 15)
            v9 = permute(v9, load(turn, 25, 4), t & 15)
            v10 = permute(v10, load(turn, 26, 4), t & 15)
            v11 = permute(v11, load(turn, 27, 4), t & 15)
            v12 = permute(v12, load(turn, 28, 4), t & 15)
            v13 = permute(v13, load(turn, 29, 4), t & 15)
            v14 = permute(v14, load(turn, 30, 4), t & 15)
            v15 = permute(v15, load(turn, 31, 4), t & 15)
            if streamed:
                stream(target, t >> 4 ^ lines[1, 0], v0)
                stream(target, t >> 4 ^ lines[1, 1], v1)
                stream(target, t >> 4 ^ lines[1, 2], v2)
                stream(target, t >> 4 ^ lines[1, 3], v3)
                stream(target, t >> 4 ^ lines[1, 4], v4)
                stream(target, t >> 4 ^ lines[1, 5], v5)
                stream(target, t >> 4 ^ lines[1, 6], v6)
                stream(target, t >> 4 ^ lines[1, 7], v7)
                stream(target, t >> 4 ^ lines[1, 8], v8)
                stream(target, t >> 4 ^ lines[1, 9], v9)
                stream(target, t >> 4 ^ lines[1, 10], v10)
                stream(target, t >> 4 ^ lines[1, 11], v11)
                stream(target, t >> 4 ^ lines[1, 12], v12)
                stream(target, t >> 4 ^ lines[1, 13], v13)
                stream(target, t >> 4 ^ lines[1, 14], v14)
                stream(target, t >> 4 ^ lines[1, 15], v15)
            else:
                store(target, t >> 4 ^ lines[1, 0], v0)
                store(target, t >> 4 ^ lines[1, 1], v1)
                store(target, t >> 4 ^ lines[1, 2], v2)
                store(target, t >> 4 ^ lines[1, 3], v3)
                store(target, t >> 4 ^ lines[1, 4], v4)
                store(target, t >> 4 ^ lines[1, 5], v5)
                store(target, t >> 4 ^ lines[1, 6], v6)
                store(target, t >> 4 ^ lines[1, 7], v7)
                store(target, t >> 4 ^ lines[1, 8], v8)
                store(target, t >> 4 ^ lines[1, 9], v9)
                store(target, t >> 4 ^ lines[1, 10], v10)
                store(target, t >> 4 ^ lines[1, 11], v11)
                store(target, t >> 4 ^ lines[1, 12], v12)
                store(target, t >> 4 ^ lines[1, 13], v13)
                store(target, t >> 4 ^ lines[1, 14], v14)
                store(target, t >> 4 ^ lines[1, 15], v15)
    if streamed:
        fence()
