"""`dct` and `dst`: cosine and sine transforms of types II and III (Makhoul 1980), as scipy.fft has
them: y = C2 x along each axis, C3, S2 or S3; C3 is 2n times the inverse of C2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from codegen import shapes, unequal_parts
from codegen.program.protocol import Step
from codegen.program.ragged.cosine_plans import cosine_steps
from codegen.program.ragged.vector_plans import of_sides, sides
from codegen.systems.exchanges import ALL_TO_ALL
from codegen.systems.options import NUMBA, NUMPY, REAL
from codegen.systems.record import AXES, OfArrays, Option, Request, System
from derive.digits.part_layouts import DIVISIONS, PartLayout
from derive.formula.adjoints import conjugate, transposed
from derive.formula.combinations import Ranged
from derive.formula.grammar import Equation, Formula, I, direct_sum, kron, product
from derive.formula.permutation_matrices import J, L
from derive.formula.transforms import C2, C3, S2, S3, E, F
from derive.text.parse import parse_formula
from derive.text.text_matrices import ranged

TYPE = Option(
    "type",
    "T",
    "Type of the transform (dct, dst): 2 (the default) or 3, as in scipy.fft.",
    ("2", "3"),
    computes=True,
)
THEOREMS: dict[type[Any], str] = {C2: "dct-ii", C3: "dct-iii", S2: "dst-ii", S3: "dst-ii"}
"""The theorems with the factorizations."""


def matrix_of(request: Request) -> type[Any]:
    """Return the matrix that is applied along each axis: backward the other type, over 2n."""
    second, third = (S2, S3) if request.record.alternates else (C2, C3)
    return second if request.is_forward else third


def steps(request: Request, before: PartLayout, after: PartLayout) -> tuple[Step, ...]:
    """Return the supersteps of a request with its grid."""
    axes = tuple(axis + (request.batch > 0) for axis in request.transformed)
    return cosine_steps(before, after, axes, not request.is_forward, request.record.alternates)


def equation(request: Request, steps: tuple[Step, ...]) -> Equation:
    """Return the equation of the supersteps: of a vector of an even number of elements Makhoul's,
    with the Fourier matrix in factors; of arrays a factor for each axis.

    >>> from codegen.requests import make_request
    >>> print(equation(make_request("dct", 6, 1), ()).left)
    C2_6
    """
    matrix, shape = matrix_of(request), request.whole
    along = {axis + (request.batch > 0) for axis in request.transformed}
    order = [each.axis for step in reversed(steps) for each in step.transforms_of_ranks]
    name, source = THEOREMS[matrix], "Makhoul 1980"
    if len(shape) > 1:
        right = product([_along(matrix, shape, {axis}) for axis in order])
        return Equation(name, source, _along(matrix, shape, along), right)
    right = matrix(request.N) if request.N % 2 else _of_vector(request)
    return Equation(name, source, matrix(request.N), right)


def _along(matrix: type[Any], shape: tuple[int, ...], axes: set[int]) -> Formula:
    """Return the matrix along axes of an array."""
    return kron(*(matrix(n) if axis in axes else I(n) for axis, n in enumerate(shape)))


def _of_vector(request: Request) -> Formula:
    """Return Makhoul's factorization with the Fourier matrix in factors."""
    N, h = request.N, request.N // 2
    fourier = of_sides(*sides(N, request.P, real=True))
    order, turn = direct_sum(I(h), J(h)) @ L(N, 2), _ranged("diag(k < n, k/(4*n))", N)
    signs = _ranged("diag(k < n, k/2)", N) if request.record.alternates else I(N)
    last = J(N) if request.record.alternates else I(N)
    if request.is_forward:
        half = turn @ fourier @ order
        return last @ (half + conjugate(half)) @ signs
    both = turn + _ranged("perm(k < n, -k)", N) @ conjugate(turn)
    found = transposed(order) @ transposed(fourier) @ both - (E(N, N) @ F(N)) / N
    return signs @ found @ last


def _ranged(text: str, n: int) -> Formula:
    """Return a diagonal or a permutation of n elements."""
    found = parse_formula(text)
    assert isinstance(found, Ranged), "a diagonal or a permutation"
    return ranged(found, {"n": n})


DCT = System(
    "dct",
    reference="Makhoul, A fast cosine transform in one and two dimensions, IEEE Transactions on"
    " Acoustics, Speech and Signal Processing 28 (1980).",
    matrix=None,
    title="Discrete cosine transform",
    kind="cosine",
    kernels=(NUMPY, NUMBA),
    dtypes=REAL,
    sizes=lambda request: None,
    exchanges=(ALL_TO_ALL,),
    options=(AXES, TYPE),
    of_vectors=(),
    of_axes=True,
    has_unequal=True,
    arrays=OfArrays(
        "cosine and sine transforms",
        (ALL_TO_ALL,),
        unequal_parts.fill,
        shapes.complex_steps,
        shapes.complex_price,
        tuple(DIVISIONS),
    ),
    lower=lambda request: None,
    equations=lambda request: (),
    of_parts=steps,
    equation_of_parts=equation,
    matrix_of=matrix_of,
    two_ways=True,
)
DST = replace(DCT, name="dst", title="Discrete sine transform", alternates=True)
