"""`permute`: BMMC permutations, y[A j + c] = x[j] (Cormen 1997)."""

from __future__ import annotations

from codegen.systems.exchanges import EXCHANGES, SHARED
from codegen.systems.options import GRAY, NUMBA, NUMPY
from codegen.systems.record import Request, System
from derive.gf2 import bmmc


def check(request: Request) -> None:
    """Raise ValueError for a permutation of other than N elements."""
    assert request.permutation is not None, "a request without one is refused before"
    if (size := request.permutation.size) != request.N:
        raise ValueError(
            f"the permutation must have {request.N} elements, a matrix of {request.n} x"
            f" {request.n} bits; got {size} elements"
        )


PERMUTE = System(
    "permute",
    matrix=None,
    kernels=(NUMPY, NUMBA, GRAY),
    dtypes=(),
    sizes=lambda request: bmmc.SIZES.exponents(request.N, request.P),
    exchanges=(*EXCHANGES, SHARED),
    directed=False,
    permutes=True,
    check=check,
)
