"""`permute`: BMMC permutations, y[A j + c] = x[j] (Cormen 1997)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codegen.program.moves import plan
from codegen.program.supersteps import Program
from codegen.program.whole import ends_of
from codegen.systems.exchanges import EXCHANGES, SHARED
from codegen.systems.options import GRAY, NUMBA, NUMPY
from codegen.systems.record import Progress, Request, Stated, System
from derive.formula.grammar import factors_of
from derive.gf2 import bmmc, properties
from derive.gf2.bits import Affine
from derive.gf2.elimination import by_integers


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


def lower(request: Request) -> Program:
    """Return the program of A = V W for data in block distribution; the layouts change what is
    factored in the end, not what it does.
    """
    assert request.permutation is not None, "permute has a permutation"
    factored = bmmc.factor(request.permutation.address, request.p, by_integers)
    equation, (before, after) = bmmc.equation(factored, request.permutation.name), ends_of(request)
    address = after.address @ factored.permutation @ before.address.inverse()
    moved = address != Affine.identity(request.n)
    step = replace(plan(address, request.p, request.exchange), factors=factors_of(equation.right))
    return Program(request, equation, before, after, (step,) * moved)


PERMUTE = System(
    "permute",
    reference="Cormen, Performing BMMC permutations efficiently on distributed-memory"
    " multiprocessors with MPI, Dartmouth PCS-TR97-317 (1997), section 7.",
    matrix=None,
    kind="permute",
    kernels=(NUMPY, NUMBA, GRAY),
    dtypes=(),
    sizes=lambda request: bmmc.SIZES.exponents(request.N, request.P),
    exchanges=(*EXCHANGES, SHARED),
    directed=False,
    permutes=True,
    lower=lower,
    view="permutation",
    check=check,
    checks=checks,
)
