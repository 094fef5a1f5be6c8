"""Which memory of a rank the operations have that it has begun and not yet completed.

What an operation reads may be read by others; what it writes, by none.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(eq=False, slots=True)
class Hold:
    """The bytes from `begin` to `end` that an operation has, or only those of the elements of `width` bytes at these addresses."""

    begin: int
    end: int
    writes: bool
    call: Any
    addresses: NDArray[np.int64] | None = None
    width: int = 1

    def meets(self, other: Hold) -> bool:
        """Return whether both have a byte in common."""
        if not (self.begin < other.end and other.begin < self.end):
            return False
        if self.addresses is None and other.addresses is None:
            return True
        return bool(np.intersect1d(self._bytes(), other._bytes()).size)

    def _bytes(self) -> NDArray[np.int64]:
        if self.addresses is None:
            return np.arange(self.begin, self.end)
        return (self.addresses[:, None] + np.arange(self.width)).reshape(-1)


class Holds:
    """What the pending operations of one rank have, in the order of their addresses."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, int, Hold]] = []
        self._longest, self._number = 0, 0

    def against(self, hold: Hold) -> Hold | None:
        """Return what forbids this use of memory, if anything does."""
        k = bisect_left(self._entries, (hold.begin - self._longest,))
        while k < len(self._entries) and self._entries[k][0] < hold.end:
            other = self._entries[k][2]
            if (hold.writes or other.writes) and hold.meets(other):
                return other
            k += 1
        return None

    def take(self, hold: Hold) -> None:
        """Note a use of memory."""
        self._number += 1
        self._longest = max(self._longest, hold.end - hold.begin)
        insort(self._entries, (hold.begin, self._number, hold))

    def drop(self, hold: Hold) -> None:
        """Note its end."""
        k = bisect_left(self._entries, (hold.begin,))
        while self._entries[k][2] is not hold:
            k += 1
        del self._entries[k]
