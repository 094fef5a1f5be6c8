"""Transforms that were dropped without `free()`: the next transform that all their ranks make frees
what MPI holds for them.

To free a communicator or a window is collective. A finalizer runs on each rank at another time, so
it frees nothing: it puts the plans down here, under a key that all ranks of a transform share.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable
from typing import Any

Key = tuple[str, int]
"""The name of a transform, which its ranks share, and their number."""

_DROPPED: dict[Key, list[Any]] = {}
"""The plans of each dropped transform."""


def watch(transform: Any, key: Key, plans: list[Any]) -> None:
    """Put the plans down when the transform is collected; they must not refer to it."""
    weakref.finalize(transform, _drop, key, plans).atexit = False


def _drop(key: Key, plans: list[Any]) -> None:
    """Put plans down, without the tables and arrays that this rank can give back alone; none where
    they are freed.
    """
    for plan in plans:
        for name, value in list(vars(plan).items()):
            if not hasattr(value, "free") and not hasattr(value, "Free"):
                setattr(plan, name, None)
    if plans:
        _DROPPED[key] = plans


def taken() -> dict[Key, list[Any]]:
    """Return what was put down on this rank; it is here no longer."""
    return {key: _DROPPED.pop(key) for key in list(_DROPPED)}


def free_together(mine: dict[Key, list[Any]], keys: Iterable[Iterable[Key]]) -> None:
    """Free the plans that all their ranks have dropped, and put down the others again; collective.

    keys: those of what each rank of a communicator has taken.
    """
    ranks = Counter(key for each in keys for key in each)
    for key in sorted(mine):
        if ranks[key] < key[1]:
            _DROPPED[key] = mine[key]
            continue
        for plan in mine[key]:
            plan.free()
