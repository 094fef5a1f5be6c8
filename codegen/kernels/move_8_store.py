"""A local permutation of elements of 8 bytes, stored. Written by `python -m codegen.kernels.text`."""

# For lanes.py 84e3bf90fcdf26e3: numba's cache looks at this file alone, so that it must change with the other.

from __future__ import annotations

from typing import Any

from codegen.kernels.lanes import address, compiled, exchange, load, permute, store


@compiled
def move(x: Any, y: Any, c: int, stages: int, lines: Any, turns: Any, low: Any, high: Any) -> None:
    """y[A i + c] = x[i], in tiles of 8 lines of 8 elements of 8 bytes."""
    source, target, turn = address(x), address(y), address(turns)
    s0, s1, s2, s3, s4, s5, s6, s7 = lines[0]
    t0, t1, t2, t3, t4, t5, t6, t7 = lines[1]
    for h in range(high.shape[1]):
        for l in range(low.shape[1]):
            s = high[0, h] ^ low[0, l]
            t = high[1, h] ^ low[1, l] ^ c
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
            store(target, t >> 3 ^ t0, permute(v0, load(turn, 8, 8), t & 7))
            store(target, t >> 3 ^ t1, permute(v1, load(turn, 9, 8), t & 7))
            store(target, t >> 3 ^ t2, permute(v2, load(turn, 10, 8), t & 7))
            store(target, t >> 3 ^ t3, permute(v3, load(turn, 11, 8), t & 7))
            store(target, t >> 3 ^ t4, permute(v4, load(turn, 12, 8), t & 7))
            store(target, t >> 3 ^ t5, permute(v5, load(turn, 13, 8), t & 7))
            store(target, t >> 3 ^ t6, permute(v6, load(turn, 14, 8), t & 7))
            store(target, t >> 3 ^ t7, permute(v7, load(turn, 15, 8), t & 7))
