"""The memory that operations which are under way have of a rank's buffers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Hold(NamedTuple):
    """Bytes from `begin` to `end` that an operation reads, or writes."""

    begin: int
    end: int
    writes: bool
    call: Any

    def against(self, other: Hold) -> bool:
        """Return whether both have a byte that one of them writes."""
        meets = self.begin < other.end and other.begin < self.end
        return meets and (self.writes or other.writes)


class Holds:
    """What the operations of a rank hold."""

    def __init__(self) -> None:
        self.held: list[Hold] = []

    def take(self, holds: list[Hold]) -> Hold | None:
        """Take memory; return what another operation has of it, if there is one.

        Parts of one operation must not overlap, either.
        """
        for number, hold in enumerate(holds):
            for other in (*self.held, *holds[:number]):
                if hold.against(other):
                    return other
        self.held += holds
        return None

    def drop(self, holds: list[Hold]) -> None:
        """Give memory back."""
        gone = {id(hold) for hold in holds}
        self.held = [hold for hold in self.held if id(hold) not in gone]

    def against(self, items: NDArray[Any], writes: bool, index: Any) -> Any:
        """Return the call that has an entry which is now read or written, if there is one."""
        if not self.held or not items.size:
            return None
        begin, end = np.lib.array_utils.byte_bounds(items)
        near = [each for each in self.held if each.begin < end and begin < each.end]
        near = [each for each in near if writes or each.writes]
        if not near:
            return None
        found = addresses(items)
        begins = found if index is None else found[index]
        ends = begins + items.itemsize
        met = (hold for hold in near if ((begins < hold.end) & (ends > hold.begin)).any())
        return next((hold.call for hold in met), None)


def addresses(items: NDArray[Any]) -> NDArray[np.int64]:
    """Return where in memory each entry of an array is, in its shape."""
    found = np.full((), items.ctypes.data, np.int64)
    for size, stride in zip(items.shape, items.strides, strict=True):
        found = found[..., None] + np.arange(size) * stride
    return found
