"""The one size that the elements of a program's kernels on vectors have, and the lanes of these.

A compiled kernel reads and writes an address with vectors of the type that its loads were made for,
whatever lies there. So all loads and all memories of a program are for complex numbers of one size:
lists have their real and imaginary parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from proofs.certify.forbidden import Unmodelled

LANES = (1, 2, 4, 8, 16)
"""So many lanes a vector of a processor may have: in memory a vector of another number of lanes has
gaps after it.
"""


def of_one_size(operations: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return those of the operations that make loads or take arrays; they raise Unmodelled where
    another size was met before, or where no vector has so many lanes.
    """
    known = set[int]()

    def meet(dtype: DTypeLike, numbers: int) -> None:
        known.add(np.dtype(dtype).itemsize * numbers)
        if len(known) > 1:
            raise Unmodelled(
                f"kernels on complex numbers of {' and '.join(map(str, sorted(known)))} bytes are"
                " not modelled: those of a program have one size"
            )

    def making(name: str) -> Callable[..., Any]:
        def made(dtype: DTypeLike, lanes: int) -> Any:
            if lanes not in LANES:
                raise Unmodelled(f"vectors of {lanes} lanes are not modelled")
            meet(dtype, 1)
            return operations[name](dtype, lanes)

        return made

    def taking(name: str) -> Callable[..., Any]:
        def taken(array: Any) -> Any:
            meet(array.dtype, 1 if array.dtype.kind == "c" else 2)
            return operations[name](array)

        return taken

    return {name: making(name) for name in ("loads", "lists")} | {
        name: taking(name) for name in ("address", "memory_of")
    }
