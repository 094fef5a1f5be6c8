"""The kernel of Cormen and Bruhl 1997, Appendix B: sources in Gray-code order, so that one column
of A is added for each element.
"""

from __future__ import annotations

from typing import Any

from codegen.kernels.lines import compiled


@compiled
def move(x: Any, y: Any, columns: Any, c: int) -> None:
    """Store y[A i + c] = x[i], i in Gray-code order; x and y are arrays of words or records,
    `columns` has the columns of A as integers.
    """
    source, target = 0, c
    y[target] = x[source]
    for step in range(1, len(x)):
        bit, rest = 0, step
        while not rest & 1:  # position of the lowest 1 bit of step: on average below two steps
            bit, rest = bit + 1, rest >> 1
        source ^= 1 << bit
        target ^= columns[bit]
        y[target] = x[source]
