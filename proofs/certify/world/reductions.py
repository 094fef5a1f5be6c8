"""The operators of reductions, by their names in MPI."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from proofs.certify.exact.arithmetic import add
from proofs.certify.exact.data import Data
from proofs.certify.language.table_entries import DATA, Undecided

WORDS = {"i": "integers", "f": "real numbers", "c": "complex numbers", "b": "truth values"}


@dataclass(frozen=True)
class Op:
    """An operator: of two values, of two arrays, and of which kinds of numbers."""

    name: str
    values: Callable[[Any, Any], Any]
    arrays: Callable[[Any, Any], Any]
    kinds: str

    def of(self, array: Any) -> Callable[[Any, Any], Any] | None:
        """Return the operator for arrays like this one; None where MPI has none.

        Raises:
            Undecided: for data, if it is not their sum.
        """
        if isinstance(array, Data):
            if self.name != "SUM":
                raise Undecided(f"MPI.{self.name} of {DATA}")
            return add
        return self.arrays if array.dtype.kind in self.kinds else None

    @property
    def bitwise(self) -> bool:
        """Whether it combines bits, so that MPI has it for bytes (MPI 4.0, section 6.9.2)."""
        return self.name in ("BAND", "BOR", "BXOR")

    @property
    def takes(self) -> str:
        """The kinds of numbers in words."""
        return ", ".join(word for kind, word in WORDS.items() if kind in self.kinds)


def _logical(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a logical operator, which gives 0 and 1 in the type of its operands."""
    return lambda a, b: function(a, b).astype(a.dtype)


OPERATORS = {
    op.name: op
    for op in (
        Op("SUM", operator.add, np.add, "iufc"),
        Op("PROD", operator.mul, np.multiply, "iufc"),
        Op("MAX", max, np.maximum, "iuf"),
        Op("MIN", min, np.minimum, "iuf"),
        Op("LAND", lambda a, b: bool(a and b), _logical(np.logical_and), "iub"),
        Op("LOR", lambda a, b: bool(a or b), _logical(np.logical_or), "iub"),
        Op("LXOR", lambda a, b: bool(a) != bool(b), _logical(np.logical_xor), "iub"),
        Op("BAND", operator.and_, np.bitwise_and, "iu"),
        Op("BOR", operator.or_, np.bitwise_or, "iu"),
        Op("BXOR", operator.xor, np.bitwise_xor, "iu"),
    )
}
SUM = OPERATORS["SUM"]
