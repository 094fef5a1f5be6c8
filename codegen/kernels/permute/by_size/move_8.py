"""A local permutation of elements of 8 bytes.

Written by `python -m codegen.kernels.permute.text`.
"""

# For lanes.py e15ef0b85accc57f: numba's cache looks at this file alone,
# so that it must change with the other.

from __future__ import annotations

from typing import Any

from codegen.kernels.lanes import compiled, exchange, fence, load, permute, prefetch, store, stream


@compiled
def move(source: int, target: int, c: int, stages: int, streamed: int, lines: Any, turn: int, low: Any, high: Any) -> None:
    """y[A i + c] = x[i], in tiles of 8 lines of 8 elements of 8 bytes; source, target, ..: addresses."""
    s0, s1, s2, s3, s4, s5, s6, s7 = lines[0]
    t0, t1, t2, t3, t4, t5, t6, t7 = lines[1]
    for h in range(high.shape[1]):
        for l in range(low.shape[1]):
            s = high[0, h] ^ low[0, l]
            t = high[1, h] ^ low[1, l] ^ c
            if streamed:  # ask for the lines of a later tile
                p = high[0, h] ^ low[0, l + 4 & low.shape[1] - 1]
                prefetch(source, p ^ s0)
                prefetch(source, p ^ s1)
                prefetch(source, p ^ s2)
                prefetch(source, p ^ s3)
                prefetch(source, p ^ s4)
                prefetch(source, p ^ s5)
                prefetch(source, p ^ s6)
                prefetch(source, p ^ s7)
            v0 = permute(load(source, s ^ s0, 8), load(turn, 0, 8), 0)
            v1 = permute(load(source, s ^ s1, 8), load(turn, 1, 8), 0)
            v2 = permute(load(source, s ^ s2, 8), load(turn, 2, 8), 0)
            v3 = permute(load(source, s ^ s3, 8), load(turn, 3, 8), 0)
            v4 = permute(load(source, s ^ s4, 8), load(turn, 4, 8), 0)
            v5 = permute(load(source, s ^ s5, 8), load(turn, 5, 8), 0)
            v6 = permute(load(source, s ^ s6, 8), load(turn, 6, 8), 0)
            v7 = permute(load(source, s ^ s7, 8), load(turn, 7, 8), 0)
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
            v0 = permute(v0, load(turn, 8, 8), t & 7)
            v1 = permute(v1, load(turn, 9, 8), t & 7)
            v2 = permute(v2, load(turn, 10, 8), t & 7)
            v3 = permute(v3, load(turn, 11, 8), t & 7)
            v4 = permute(v4, load(turn, 12, 8), t & 7)
            v5 = permute(v5, load(turn, 13, 8), t & 7)
            v6 = permute(v6, load(turn, 14, 8), t & 7)
            v7 = permute(v7, load(turn, 15, 8), t & 7)
            if streamed:
                stream(target, t >> 3 ^ t0, v0)
                stream(target, t >> 3 ^ t1, v1)
                stream(target, t >> 3 ^ t2, v2)
                stream(target, t >> 3 ^ t3, v3)
                stream(target, t >> 3 ^ t4, v4)
                stream(target, t >> 3 ^ t5, v5)
                stream(target, t >> 3 ^ t6, v6)
                stream(target, t >> 3 ^ t7, v7)
            else:
                store(target, t >> 3 ^ t0, v0)
                store(target, t >> 3 ^ t1, v1)
                store(target, t >> 3 ^ t2, v2)
                store(target, t >> 3 ^ t3, v3)
                store(target, t >> 3 ^ t4, v4)
                store(target, t >> 3 ^ t5, v5)
                store(target, t >> 3 ^ t6, v6)
                store(target, t >> 3 ^ t7, v7)
    if streamed:
        fence()
