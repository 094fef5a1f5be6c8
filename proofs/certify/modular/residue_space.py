"""Integers of which the residues modulo p are followed, and bounds of the integers themselves.

    item = residue^K  most  minus_least  exchanges  degree  0

An entry is an integer of 64 bits that depends on the input. `residue` is it modulo p for each of K
inputs. For every input in [0, p)^N it is at most `most`, and at least -`minus_least`, so a sum or a
product that might leave 64 bits is seen. `degree` is that of the residue as a polynomial in the
input over GF(p).
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray

from proofs.certify.exact.data import Data
from proofs.certify.exact.space import MAGNITUDE, Items, Numbers, Space
from proofs.certify.language.table_entries import Undecided

RESIDUES = "an array of integers modulo p"
FOLLOWED = f"{RESIDUES}; the certifier follows elements that are moved, and +, -, * and % of them"
"""What messages call these data, and what may be done with them."""
MOST = 2**63 - 1
"""No integer is larger in size."""


class ResidueSpace(Space):
    """Integers modulo p, for several inputs at once."""

    said = RESIDUES

    def __init__(self, dtype: DTypeLike, stimuli: int, p: int) -> None:
        recognizer: Any = self  # so that there are values, and not tokens
        super().__init__(dtype, stimuli, recognizer)
        self.p = p

    def parts(self, dtype: DTypeLike) -> int:
        """Return 1, as an entry is an integer of 64 bits; raise Undecided for other types."""
        if (kind := np.dtype(dtype)) != np.int64:
            raise Undecided(f"integers modulo p in an array of {kind}; use int64")
        return 1

    def holds(self, dtype: DTypeLike | None) -> bool:
        """Return whether new arrays of this type are arrays of data: of int64, by np.dtype."""
        return np.dtype(dtype) == np.int64 and isinstance(dtype, np.dtype)

    @property
    def field(self) -> NoReturn:
        """Raise Undecided: what asks for a field computes with numbers that are rounded."""
        raise Undecided(f"this function of {FOLLOWED}")

    def filled(self, shape: Any, dtype: DTypeLike, fill: int, order: str = "C") -> Items:
        found = super().filled(shape, dtype, fill, order)
        self.opened(found)[..., MAGNITUDE] = 0
        return found

    def entries(self, values: Any) -> tuple[Items, np.dtype[Any]]:
        """Return integers of a program as items, with their type; raise Undecided for others."""
        residues, bounds = self.integers(values)
        return self.made(residues, bounds, 1), np.dtype(np.int64)

    def integers(self, values: Any) -> tuple[Numbers, Numbers]:
        """Return residues and bounds of integers of a program."""
        array = np.asarray(values)
        if array.dtype.kind not in "iu" or array.dtype == np.uint64:
            raise Undecided(f"{array.dtype} in a computation with integers modulo p")
        found: NDArray[np.int64] = array.astype(np.int64)
        if found.size and int(found.min()) == -MOST - 1:
            raise Undecided("the integer -2^63 in a computation with integers modulo p")
        zero = np.zeros_like(found)
        bounds = np.stack([found, -found, zero, zero], axis=-1)
        return (found % self.p)[..., None, None], bounds[..., None, :]


def read(value: Any, space: ResidueSpace) -> tuple[Numbers, Numbers]:
    """Return residues (*shape, 1, K or 1) and bounds (*shape, 1, 4) of a value."""
    if not isinstance(value, Data):
        return space.integers(value)
    return value.values()


def residue_inputs(residues: Numbers, space: ResidueSpace) -> Data:
    """Return what a program is given: residues of shape (*shape, K), all of [0, p) possible."""
    bounds = np.array([space.p - 1, 0, 0, 1])
    return Data(space.made(residues[..., None, :], bounds, 1), space.dtype, space)
