"""The reductions by their names in MPI, of objects and of arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.mpi.ranks import invalid
from codegen.mpi.sealed import Sealed

WORDS = {"i": "integers", "f": "real numbers", "c": "complex numbers", "b": "truth values"}
"""What an operator may take, by numpy's kinds; integers without a sign, too."""


class Op(Sealed):
    """A reduction: of two objects, and of two arrays of these kinds of numbers."""

    def __init__(
        self,
        name: str,
        objects: Callable[[Any, Any], Any],
        arrays: Callable[[Any, Any], Any],
        kinds: str,
    ) -> None:
        self._name, self._objects, self._arrays, self._kinds = name, objects, arrays, kinds

    def __call__(self, one: Any, other: Any) -> Any:
        return self._objects(one, other)

    def _of_arrays(self, dtype: Any) -> Callable[[Any, Any], Any]:
        """Return the reduction of arrays of this type; CommunicationError where there is none."""
        if np.dtype(dtype).kind not in self._kinds:
            taken = ", ".join(word for kind, word in WORDS.items() if kind in self._kinds)
            raise invalid(f"{self._name} of {dtype}: it takes {taken} (MPI 4.1, 6.9.2)")
        return self._arrays


OPERATORS = {
    "SUM": Op("SUM", operator.add, operator.add, "iufc"),
    "PROD": Op("PROD", operator.mul, operator.mul, "iufc"),
    "MAX": Op("MAX", max, np.maximum, "iuf"),
    "MIN": Op("MIN", min, np.minimum, "iuf"),
    "LAND": Op("LAND", lambda a, b: bool(a and b), np.logical_and, "iub"),
    "LOR": Op("LOR", lambda a, b: bool(a or b), np.logical_or, "iub"),
    "LXOR": Op("LXOR", lambda a, b: bool(a) != bool(b), np.logical_xor, "iub"),
    "BAND": Op("BAND", operator.and_, np.bitwise_and, "iu"),
    "BOR": Op("BOR", operator.or_, np.bitwise_or, "iu"),
    "BXOR": Op("BXOR", operator.xor, np.bitwise_xor, "iu"),
}
"""The reductions that a program finds in MPI."""


def reduction(op: Any) -> Op:
    """Return the operator of a reduction of buffers; raise CommunicationError where it is none."""
    if not isinstance(op, Op):
        raise invalid(f"{op!r} is no operator of MPI")
    return op
