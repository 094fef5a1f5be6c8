"""The reductions by their names in MPI, of objects and of arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from codegen.mpi.faults import Fault
from codegen.mpi.ranks import no_such, wrong


class Op:
    """A reduction: of two objects, and of two arrays."""

    def __init__(self, name: str, objects: Callable[[Any, Any], Any], arrays: Callable[[Any, Any], Any], whole_only: bool = False) -> None:
        self.name, self._objects, self.arrays, self.whole_only = name, objects, arrays, whole_only

    def __call__(self, one: Any, other: Any) -> Any:
        return self._objects(one, other)

    def __getattr__(self, name: str) -> NoReturn:
        raise no_such("Op", name)

    def of_arrays(self, dtype: Any) -> Callable[[Any, Any], Any]:
        """Return the reduction of arrays of this type; raise CommunicationError where there is none."""
        if self.whole_only and np.dtype(dtype).kind not in "iub":
            raise wrong(Fault.INVALID_PARAMETER, f"{self.name} of {dtype}: bits and truth values are combined of integers")
        return self.arrays


OPERATORS = {
    "SUM": Op("SUM", operator.add, operator.add),
    "PROD": Op("PROD", operator.mul, operator.mul),
    "MAX": Op("MAX", max, np.maximum),
    "MIN": Op("MIN", min, np.minimum),
    "LAND": Op("LAND", lambda a, b: bool(a and b), np.logical_and, True),
    "LOR": Op("LOR", lambda a, b: bool(a or b), np.logical_or, True),
    "LXOR": Op("LXOR", lambda a, b: bool(a) != bool(b), np.logical_xor, True),
    "BAND": Op("BAND", operator.and_, np.bitwise_and, True),
    "BOR": Op("BOR", operator.or_, np.bitwise_or, True),
    "BXOR": Op("BXOR", operator.xor, np.bitwise_xor, True),
}
"""The reductions that a program finds in MPI."""


def reduction(op: Any) -> Op:
    """Return the operator of a reduction of buffers; raise CommunicationError where it is none."""
    if not isinstance(op, Op):
        raise wrong(Fault.INVALID_PARAMETER, f"{op!r} is no operator of MPI")
    return op
