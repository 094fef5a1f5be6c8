"""Which array an operation of a node program reads and which it writes: x, then out and the work
array in turns.

The `hops` of an operation say how often it takes a rank's elements to another array: once, unless
it says otherwise; what works in place does so on any array but x, which is left unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Operation = dict[str, Any]
"""The name of the macro that prints its lines, its source and target, and what it needs."""
Stage = dict[str, Any]
"""A superstep as the template prints it: a comment and operations, in a loop or not."""


def stage(comment: str, *operations: Operation, loop: str = "", depth: int = 0) -> Stage:
    """Return a superstep; its lines have so many more columns before them."""
    return {"comment": comment, "operations": list(operations), "loop": loop, "depth": depth}


def directed(operations: Sequence[Operation], end: str = "out", spare: str = "work") -> None:
    """Say of each operation which array it reads, which it writes and which other one it may use,
    so that the last writes to the end.
    """
    hops = [operation.get("hops", 1) for operation in operations]
    hops[:1] = [max(1, hop) for hop in hops[:1]]
    at, left = "x", sum(hops)
    for operation, hop in zip(operations, hops, strict=True):
        left -= hop
        target, other = (spare, end) if left % 2 else (end, spare)
        operation.update(source=at, target=target, other=other)
        at = target
