"""`permute`: BMMC permutations, y[A j + c] = x[j] (Cormen 1997)."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.systems.exchanges import EXCHANGES, SHARED
from codegen.systems.options import GRAY, NUMBA, NUMPY
from codegen.systems.record import Progress, Request, Stated, System
from derive.gf2 import bmmc, properties


def check(request: Request) -> None:
    """Raise ValueError for a permutation of other than N elements."""
    assert request.permutation is not None, "a request without one is refused before"
    if (size := request.permutation.size) != request.N:
        raise ValueError(
            f"the permutation must have {request.N} elements, a matrix of {request.n} x"
            f" {request.n} bits; got {size} elements"
        )


def checks(request: Request, seed: int, tell: Progress) -> Iterator[Stated]:
    """Yield what section 4 says of the factors."""
    assert request.permutation is not None, "a request without one is refused before"
    factored = bmmc.factor(request.permutation.address, request.p)
    yield "cormen-section-4", "Cormen 1997, section 4", properties.check(factored)


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
    checks=checks,
)
