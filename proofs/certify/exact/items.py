"""Items of data as numpy has them: whose memory they are, and which index is that of one entry."""

from __future__ import annotations

from typing import Any

import numpy as np

from proofs.certify.exact.space import HALVES, PAIR, Items, Space


def alone(items: Items, space: Space) -> Items:
    """Return copied parts as numbers of their own: of z they are (z ± z*)/2."""
    numbers = space.opened(items)
    if space.recognizer is None or not numbers[..., PAIR].any():
        return items
    found: Items = items.copy(order="K")
    numbers = space.opened(found)
    numbers[..., HALVES] += 2 * numbers[..., PAIR]
    numbers[..., PAIR] = 0
    return found


def owner(items: Any) -> Any:
    """Return the array that has the memory of a view."""
    while isinstance(items.base, np.ndarray):
        items = items.base
    return items


def gap(items: Items) -> int:
    """Return how many bytes of the owner's memory lie before the first item."""
    first: int = items.ctypes.data - owner(items).ctypes.data
    return first


def past_line(items: Items, itemsize: int, space: Space) -> int | None:
    """Return how many bytes past a line of the cache items begin that stand for numbers of so many
    bytes; None where that is not known.
    """
    begin = space.past_line(owner(items))
    return None if begin is None else begin + gap(items) * itemsize // items.itemsize


def entries_of(index: Any) -> tuple[Any, ...]:
    """Return an index as a tuple of one for each axis."""
    return index if isinstance(index, tuple) else (index,)


def is_entry(index: Any, ndim: int) -> bool:
    """Return whether an index is that of one entry, which numpy gives as a number."""
    entries = entries_of(index)
    integers = all(
        isinstance(each, int | np.integer) and not isinstance(each, bool) for each in entries
    )
    return integers and len(entries) == ndim
