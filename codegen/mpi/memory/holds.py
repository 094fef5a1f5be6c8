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
    """The bytes from `begin` to `end` that an operation has, or only those of the elements of
    `width` bytes at these addresses.
    """

    begin: int
    end: int
    writes: bool
    call: Any
    addresses: NDArray[np.int64] | None = None
    width: int = 1

    @property
    def doubles(self) -> bool:
        """Whether the operation writes an element twice."""
        return (
            self.writes
            and self.addresses is not None
            and len(np.unique(self.addresses)) < len(self.addresses)
        )

    def meets(self, other: Hold) -> bool:
        """Return whether both have a byte in common."""
        if not (self.begin < other.end and other.begin < self.end):
            return False
        if self.addresses is None:
            return other.addresses is None or other.meets(self)
        if other.addresses is None:
            return bool(
                ((self.addresses < other.end) & (self.addresses + self.width > other.begin)).any()
            )
        begins = np.sort(other.addresses)
        k = np.searchsorted(begins, self.addresses + self.width) - 1
        return bool(
            (k >= 0).any() and (begins[k[k >= 0]] + other.width > self.addresses[k >= 0]).any()
        )


def use_of(parts: NDArray[Any], writes: bool, call: Any, axes: int, index: Any = None) -> Hold:
    """Return the use of the entries at an index of an array, of all if it is None; an entry is what
    lies behind so many axes, without gaps.
    """
    start, width = int(parts.__array_interface__["data"][0]), parts.itemsize
    for size in parts.shape[axes:]:
        width *= size
    if index is None and parts.flags.c_contiguous:
        return Hold(start, start + parts.nbytes, writes, call)
    addresses = np.full((), start, np.int64)
    for size, step in zip(parts.shape[:axes], parts.strides, strict=False):
        addresses = np.add.outer(addresses, np.arange(size) * step)
    chosen = np.atleast_1d(addresses if index is None else addresses[index]).reshape(-1)
    begin, end = (int(chosen.min()), int(chosen.max()) + width) if chosen.size else (0, 0)
    return Hold(begin, end, writes, call, chosen, width)


class Holds:
    """What the pending operations of one rank have, by address; false where empty."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, int, Hold]] = []
        self._longest, self._number = 0, 0

    def __len__(self) -> int:
        return len(self._entries)

    def against(self, hold: Hold) -> Hold | None:
        """Return what forbids this use of memory, if anything does."""
        k = bisect_left(self._entries, (hold.begin - self._longest,))
        while k < len(self._entries) and self._entries[k][0] < hold.end:
            other = self._entries[k][2]
            if (hold.writes or other.writes) and hold.meets(other):
                return other
            k += 1
        return None

    def near(self, begin: int, end: int, writes: bool) -> bool:
        """Return whether `against` may find something between these addresses."""
        k = bisect_left(self._entries, (begin - self._longest,))
        while k < len(self._entries) and self._entries[k][0] < end:
            if (writes or self._entries[k][2].writes) and self._entries[k][2].end > begin:
                return True
            k += 1
        return False

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
