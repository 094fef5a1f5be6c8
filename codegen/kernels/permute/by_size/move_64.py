"""A local permutation of elements of 64 bytes.

Written by `python -m codegen.kernels.permute.text`.
"""

# For lanes.py e15ef0b85accc57f: numba's cache looks at this file alone,
# so that it must change with the other.

from __future__ import annotations

from typing import Any

from codegen.kernels.lanes import compiled, fence, load, permute, prefetch, store, stream


@compiled
def move(source: int, target: int, c: int, stages: int, streamed: int, lines: Any, turn: int, low: Any, high: Any) -> None:
    """y[A i + c] = x[i], in tiles of 8 lines of 1 elements of 64 bytes; source, target, ..: addresses."""
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
            v0 = permute(load(source, s ^ s0, 64), load(turn, 0, 64), 0)
            v1 = permute(load(source, s ^ s1, 64), load(turn, 1, 64), 0)
            v2 = permute(load(source, s ^ s2, 64), load(turn, 2, 64), 0)
            v3 = permute(load(source, s ^ s3, 64), load(turn, 3, 64), 0)
            v4 = permute(load(source, s ^ s4, 64), load(turn, 4, 64), 0)
            v5 = permute(load(source, s ^ s5, 64), load(turn, 5, 64), 0)
            v6 = permute(load(source, s ^ s6, 64), load(turn, 6, 64), 0)
            v7 = permute(load(source, s ^ s7, 64), load(turn, 7, 64), 0)
            v0 = permute(v0, load(turn, 8, 64), t & 0)
            v1 = permute(v1, load(turn, 9, 64), t & 0)
            v2 = permute(v2, load(turn, 10, 64), t & 0)
            v3 = permute(v3, load(turn, 11, 64), t & 0)
            v4 = permute(v4, load(turn, 12, 64), t & 0)
            v5 = permute(v5, load(turn, 13, 64), t & 0)
            v6 = permute(v6, load(turn, 14, 64), t & 0)
            v7 = permute(v7, load(turn, 15, 64), t & 0)
            if streamed:
                stream(target, t >> 0 ^ t0, v0)
                stream(target, t >> 0 ^ t1, v1)
                stream(target, t >> 0 ^ t2, v2)
                stream(target, t >> 0 ^ t3, v3)
                stream(target, t >> 0 ^ t4, v4)
                stream(target, t >> 0 ^ t5, v5)
                stream(target, t >> 0 ^ t6, v6)
                stream(target, t >> 0 ^ t7, v7)
            else:
                store(target, t >> 0 ^ t0, v0)
                store(target, t >> 0 ^ t1, v1)
                store(target, t >> 0 ^ t2, v2)
                store(target, t >> 0 ^ t3, v3)
                store(target, t >> 0 ^ t4, v4)
                store(target, t >> 0 ^ t5, v5)
                store(target, t >> 0 ^ t6, v6)
                store(target, t >> 0 ^ t7, v7)
    if streamed:
        fence()
