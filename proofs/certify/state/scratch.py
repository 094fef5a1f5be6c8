"""Elements that a plan keeps between transforms: the next one must not depend on them.

Places that a transform has changed are scratch. Before the next one they get random numbers for the
zero vector. Afterwards each of them has its random number, if it was left alone, or what it had
after an earlier transform, as the input was zero then, too. Whatever else is there came from
another scratch place, and would reach a result at a later transform.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.mpi.memory.accesses import is_shared
from proofs.certify.arrays.storage import Storage
from proofs.certify.arrays.tokens import Tokens
from proofs.certify.forbidden import Unmodelled

SEEN = 2
"""So many stimuli are looked at: the zero vector, and one that is not."""
LEAST, MOST = 2**28, 2**29
"""Random numbers are between these: residues, and tokens when they are negated."""


@dataclass
class Scratch:
    """An array that is kept: what it held before a transform, what its places have for the zero
    vector when one leaves them, and which of them have been changed.
    """

    array: Storage
    before: NDArray[Any]
    usual: NDArray[Any]
    changed: NDArray[np.bool_]

    @classmethod
    def of(cls, array: Storage) -> Scratch:
        """Return an array of which no place has been changed."""
        now = array.parts[..., :SEEN].copy()
        return cls(array, now, now[..., 0].copy(), np.zeros(now.shape[:-1], bool))

    def spoil(self, rng: np.random.Generator) -> None:
        """Put random numbers into the places that have been changed."""
        numbers = rng.integers(LEAST, MOST, int(self.changed.sum()))
        zero = self.array.parts[..., 0]
        zero[self.changed] = -numbers if isinstance(self.array, Tokens) else numbers

    def keep(self) -> None:
        """Note what the array holds before a transform."""
        self.before = self.array.parts[..., :SEEN].copy()

    def look(self) -> None:
        """Raise Unmodelled where a place holds what came from another one."""
        now = self.array.parts[..., :SEEN]
        moved = (now != self.before).any(axis=-1)
        if isinstance(self.array, Tokens):
            carried = moved & (now[..., 0] <= -LEAST)
        else:
            carried = moved & self.changed & (now[..., 0] != self.usual)
        if carried.any():
            raise Unmodelled(
                "transform carries what a plan keeps from one place to another: by that a later"
                " one may depend on what came before"
            )
        fresh = moved & ~self.changed
        self.usual[fresh] = now[..., 0][fresh]
        self.changed |= moved


def spoilt(arrays: Iterable[Scratch], rng: np.random.Generator) -> None:
    """Spoil arrays, which may share memory, and note what they hold then."""
    for array in arrays:
        array.spoil(rng)
    for array in arrays:
        array.keep()


def kept(things: Iterable[Any]) -> list[Storage]:
    """Return the arrays of elements among these, but those in memory that ranks share: others may
    still read them.
    """
    return [each for each in things if isinstance(each, Storage) and not is_shared(each.parts)]
