"""Elements that a plan keeps between transforms: the next one must not depend on them.

Places that a transform has changed are scratch. Before the next one they get random negative
numbers for the zero vector, which are no elements: to compute with one refutes. Whatever has such a
number afterwards and was not left alone came from another scratch place, and would reach a result
at a later transform.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.mpi.memory.accesses import is_shared
from proofs.certify.arrays.storage import Storage
from proofs.certify.forbidden import Unmodelled

SEEN = 2
"""So many stimuli are looked at: the zero vector, and one that is not."""
LEAST, MOST = 2**28, 2**29
"""Random numbers are between these, negated."""


@dataclass
class Scratch:
    """An array that is kept: its content before a transform, and the places changed by one."""

    array: Storage
    before: NDArray[Any]
    changed: NDArray[np.bool_]

    @classmethod
    def of(cls, array: Storage) -> Scratch:
        """Return an array of which no place has been changed."""
        now = array.parts[..., :SEEN].copy()
        return cls(array, now, np.zeros(now.shape[:-1], bool))

    def spoil(self, rng: np.random.Generator) -> None:
        """Put random numbers into the places that have been changed."""
        self.array.parts[..., 0][self.changed] = -rng.integers(LEAST, MOST, self.changed.sum())

    def keep(self) -> None:
        """Note what the array holds before a transform."""
        self.before = self.array.parts[..., :SEEN].copy()

    def look(self) -> None:
        """Raise Unmodelled where a place holds what came from another one."""
        now = self.array.parts[..., :SEEN]
        moved = (now != self.before).any(axis=-1)
        carried = moved & (now[..., 0] <= -LEAST)
        if carried.any():
            raise Unmodelled(
                "transform carries what a plan keeps from one place to another: by that a later"
                " one may depend on what came before"
            )
        self.changed |= moved


def spoilt(arrays: Iterable[Scratch], rng: np.random.Generator) -> None:
    """Spoil arrays, which may share memory, and note what they hold then."""
    for array in arrays:
        array.spoil(rng)
    for array in arrays:
        array.keep()


def kept(things: Iterable[Any]) -> list[Storage]:
    """Return the arrays of elements among these, but those that ranks share: others read them."""
    return [each for each in things if isinstance(each, Storage) and not is_shared(each.parts)]
