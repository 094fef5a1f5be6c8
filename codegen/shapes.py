"""Sizes other than powers of two, several axes and batches in a request: shape, grid, batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import gcd, prod
from typing import Any, TypeVar

from codegen import no_grid
from codegen.program.digits.lower import fewest, lowered
from codegen.program.digits.lower import said as sizes_of
from codegen.program.digits.routes.route_search import MOST_PHASES, Ends, Price, routes
from codegen.program.digits.transformed import Numbers
from codegen.program.protocol import ELEMENT, Step
from codegen.systems.record import Request
from derive.call_arguments import counted, integer, named, sequence
from derive.digits.digit_layouts import ArrayLayout, VectorLayout
from derive.digits.grid_layouts import GridLayout
from derive.digits.part_layouts import PartLayout
from derive.digits.radices import divisors
from derive.formula.grammar import Formula, I, kron
from derive.formula.transforms import F
from derive.papers import bsp_variants
from derive.sizes import axes, check_positive, number

L = TypeVar("L", bound=GridLayout)
MOST_KEPT = 256
"""The most requests that are cached with their grids."""
MOST_GRIDS = 24
"""So many grids are tried where none is stated."""
FEW_ELEMENTS = 2**9
"""Of so many elements all ways between layouts are looked at for each grid."""
ONLY = {"local": ("",), "algorithm": ("",), "result": ("", "hartley"), "convolve": (False,)}
"""What there is for shapes so far, the value that can be stated last."""


def stated(size: Any, ranks: Any, batch: Any = None) -> dict[str, Any]:
    """Return the fields of a request for so many elements, of one axis or of several, on so many
    ranks, or a grid of them; of a batch of such arrays.

    >>> stated("64x48", "4x2")
    {'N': 3072, 'P': 8, 'shape': (64, 48), 'grid': (4, 2), 'batch': 0}
    >>> stated(1000, 2, batch=10)
    {'N': 10000, 'P': 2, 'shape': (1000,), 'grid': (), 'batch': 10}
    """
    shape, grid = axes(size, "size"), axes(ranks, "ranks")
    count = 0 if batch is None else number(batch, "batch")
    if batch is not None and count < 1:
        raise ValueError(f"{named('batch')} must be at least 1; got {batch}")
    if prod(shape) * max(count, 1) >= 1 << 63:
        raise ValueError(f"size times batch must be below 2^63; got {size} times {batch}")
    plain = len(shape) == 1 and not count
    return {
        "N": prod(shape) * max(count, 1),
        "P": prod(grid),
        "shape": () if plain else shape,
        "grid": grid if len(grid) > 1 else (),
        "batch": count,
    }


def of_ranks(size: Any, P: int, grid: Any, batch: Any) -> dict[str, Any]:
    """Return a request's fields, as `stated` does, of any grid where it is None; ValueError where a
    grid is not of P ranks, or of other axes.

    >>> of_ranks((8, 6), 2, None, None)["grid"], of_ranks("8x6", 2, "1x2", None)["grid"]
    ((), (1, 2))
    """
    if not isinstance(size := sequence(size), tuple | list):
        size = axes(size) if isinstance(size, str) else (integer(size, "N"),)
    grid = axes(grid, "grid") if isinstance(grid, str) else sequence(grid)
    sizes = tuple(integer(n, f"axis {axis} of N") for axis, n in enumerate(size))
    found = stated(sizes, P if grid is None else axes(grid, "grid"), batch)
    if isinstance(grid, tuple | list) and len(grid) != len(sizes):
        raise ValueError(f"grid must have as many axes as size {_by(sizes)}; got {grid}")
    if found["P"] != P:
        raise ValueError(f"the product of grid must be {P}, the number of ranks; got {grid}")
    return found


def filled(request: Any) -> dict[str, Any]:
    """Return the shape of a request of arrays, and the grid of one axis; both are empty where
    digits are bits: of one array of one axis, where the sizes are powers of two.

    Raises ValueError where N, the shape, the grid and the number of ranks do not fit.
    """
    shape, grid = checked_sizes(request)
    if request.is_by_bits:
        return {"shape": (), "grid": ()}
    only(request)
    found = {"shape": shape, "grid": grid or (request.P,) * (len(shape) == 1)}
    return found | ({"exchange": request.way.otherwise} if request.way.otherwise else {})


def checked_sizes(request: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape and the grid of a request of arrays, () for any grid.

    Raises ValueError where N, the shape, the grid and the number of ranks do not fit.
    """
    N, P, shape, grid = request.N, request.P, tuple(request.shape), tuple(request.grid)
    check_positive("size", *(shape or (N,)))
    check_positive("ranks", *(grid or (P,)))
    check_positive("batch", request.batch or 1)
    shape = shape or (N // max(request.batch, 1),)
    if prod(shape) * max(request.batch, 1) != N:
        raise ValueError(f"N = {N}: axes {shape} and batch {request.batch} have other elements")
    if grid and (prod(grid) != P or len(grid) != len(shape)):
        raise ValueError(
            f"the grid must have as many axes as size {_by(shape)} and {counted(P, 'rank')};"
            f" got {_by(grid)}"
        )
    return shape, grid


@lru_cache(MOST_KEPT)
def on_grid(request: Request) -> Request:
    """Return a request of arrays with a grid of its ranks, the best one where none is stated, and
    with the shortest names of its layouts; raise ValueError where no grid works.

    >>> from codegen.requests import make_request
    >>> on_grid(make_request("fft", 64 * 48, 4, "cyclic,cyclic", shape=(64, 48))).grid
    (4, 1)
    """
    if not request.shape:
        return request
    grid = request.grid or _grid(request)
    given, wanted = ends_between(request, ArrayLayout, grid)
    return replace(request, grid=grid, input=given.name, output=wanted.name)


def only(request: Any) -> None:
    """Raise ValueError for what there is for powers of two and one axis alone."""
    for name, values in ONLY.items():
        if getattr(request, name) not in values:
            remedy = f"use {values[-1]}" if values[-1] else "leave it out"
            raise ValueError(
                f"{name} {getattr(request, name)} is not available for"
                f" {request.record.arrays.such}; {remedy}"
            )
    usual, *others = request.record.arrays.exchanges
    if request.exchange not in (usual, *others) and not request.way.otherwise:
        may_be_unequal = request.record.has_unequal and not request.record.real
        between = ", or for equal parts " if may_be_unequal else ", "
        raise ValueError(
            f"exchange {request.exchange} is not available for {request.record.arrays.such}; use"
            f" {usual}{between}{', '.join(others)}"
        )
    _only_norms(request)


def _only_norms(request: Any) -> None:
    """Raise ValueError for a norm that the kernels do not have."""
    if request.norm == request.backend.lacks:
        raise ValueError(
            f"kernels {request.kernels} do not support norm {request.norm} for"
            f" {request.record.arrays.such} in these layouts; use norm backward or forward, or"
            " kernels numpy"
        )


def axes_of(request: Any) -> tuple[int, ...]:
    """Return the axes that a request transforms."""
    return request.shape or (request.N,)


def phases(request: Any, shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the stated sizes of the phases of each axis, that of a batch first; none if they are
    not stated.

    Raises ValueError for what is no sizes, and where their product is not that of an axis.
    """
    if not request.phases:
        return ()
    if request.phases in bsp_variants.NAMED:
        raise ValueError(
            f"phases {request.phases} are not available for {request.record.arrays.such}; give"
            " sizes, such as 500,2"
        )
    several = [
        tuple(size for each in axis.split(",") if (size := number(each, "phases")) != 1)
        for axis in request.phases.split("x")
    ]
    if [prod(sizes) for sizes in several] != [*shape]:
        raise ValueError(
            f"the phases of each axis must have the product of its size, {_by(shape)}; got"
            f" {request.phases}; for example 8,8x6,8 for 64x48"
        )
    return ((),) * (request.batch > 0) + tuple(several)


def known_phases(request: Any) -> tuple[str, ...]:
    """Return phases of a request with as few exchanges as any, as they are stated.

    >>> from codegen.requests import make_request
    >>> known_phases(make_request("fft", 1000, 2, "cyclic", "cyclic"))
    ('500,2', '2,500')
    """
    if request.unequal:
        return ()
    return tuple(sizes_of(each, request.batch > 0) for each in fewest(*layouts(on_grid(request))))


def layouts(request: Any) -> tuple[ArrayLayout, ArrayLayout]:
    """Return the layouts of input and output by digits; cyclic for one that is none of digits, from
    or to which elements move first or last.
    """
    if not request.shape:
        before, after = (
            VectorLayout.near(name, request.N, request.P)
            for name in (request.input, request.output)
        )
        return before, after
    return ends_between(request, ArrayLayout, request.grid)


def parts(request: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape of a rank's part before the transform, and after it."""
    if not request.shape:
        return (request.M,), (request.M,)
    before, after = layouts(request)
    return before.local_shape, after.local_shape


def back(request: Any) -> dict[str, Any]:
    """Return what is stated otherwise for the way back: the layouts, and the grid of the input."""
    ends = {"input": request.output, "output": request.input}
    if not request.grid:
        return ends
    kind: type[GridLayout] = PartLayout if request.unequal else ArrayLayout
    return ends | {"grid": ends_between(request, kind, request.grid)[1].grid[request.batch > 0 :]}


def of_digits(request: Any) -> tuple[Numbers, tuple[Step, ...]]:
    """Return which numbers a request transforms, and the supersteps; raise ValueError where there
    are none.
    """
    found: tuple[Numbers, tuple[Step, ...]] = request.record.arrays.steps(request, layouts(request))
    return found


def complex_steps(request: Any, ends: Ends) -> tuple[Numbers, tuple[Step, ...]]:
    """Return the supersteps of Fourier transforms of complex elements, as `of_digits` does."""
    cached = not (request.shape or request.phases) and not request.backend.is_cached
    stated = phases(request, axes_of(request))
    return Numbers(ELEMENT, *ends), lowered(*ends, stated, cached=cached)


def complex_price(request: Any, ends: Ends, known: Price | None) -> Price | None:
    """Return the price of Fourier transforms of complex elements."""
    best = routes(*ends, phases(request, request.shape), known[0] if known else MOST_PHASES)[:1]
    return best[0].price if best else None


def ends_between(request: Any, kind: type[L], grid: tuple[int, ...]) -> tuple[L, L]:
    """Return the layouts of input and output for this grid of the input; of the output the axes
    that are not whole have its numbers in their order.
    """
    batched, (before, after) = request.batch > 0, request.files
    single, names = (1,) * batched, (request.input, request.output)
    given, wanted = (no_grid.distributed(name, len(request.shape)) for name in names)
    numbers = [p for p, on_ranks in zip(grid, given, strict=True) if on_ranks]
    if given == wanted:
        other = grid
    elif sum(wanted) == len(numbers):
        left = iter(numbers)
        other = tuple(next(left) if on_ranks else 1 for on_ranks in wanted)
    else:
        for name in names:  # which say what is wrong with a name
            kind(name, before, (1,) * len(before), batched)
        raise ValueError(no_grid.unequal(*names, given, wanted))
    return (
        kind(request.input, before, single + grid, batched),
        kind(request.output, after, single + other, batched),
    )


def _grid(request: Any) -> tuple[int, ...]:
    """Return the grid with fewest exchanges, then words, then most ranks on the first axes."""
    shape = request.shape
    if len(shape) == 1:
        return (request.P,)
    found, why = list[tuple[Price, tuple[int, ...]]](), ""
    for grid in _grids(request.P, shape, no_grid.distributed(request.input, len(shape))):
        try:
            ends = ends_between(request, ArrayLayout, grid)
        except ValueError as error:
            why = why or str(error)
            continue
        known = min(found)[0] if found and request.N > FEW_ELEMENTS else None
        if price := request.record.arrays.price(request, ends, known):
            found.append((price, grid))
    if not found:
        raise ValueError(no_grid.reason(request, why))
    return min(found, key=lambda each: each[0])[1]


def _grids(P: int, shape: tuple[int, ...], cut: Sequence[bool]) -> Iterator[tuple[int, ...]]:
    """Yield grids of P ranks, those first that cut the fewest axes, and of these the first axes."""
    several = [
        [*reversed(divisors(gcd(P, n)))] if on_ranks else [1]
        for n, on_ranks in zip(shape, cut, strict=True)
    ]
    fitting = [grid for grid in product(*several) if prod(grid) == P]
    fitting.sort(key=lambda grid: sum(p > 1 for p in grid))
    yield from fitting[:MOST_GRIDS]


def _by(sizes: Sequence[int]) -> str:
    """Return sizes as they are written on the command line."""
    return "x".join(map(str, sizes))


def left_side(request: Any) -> Formula:
    """Return what a factorization of one's own equals: F_n of each axis, beside I_B of a batch."""
    return kron(I(max(request.batch, 1)), *map(F, request.shape or (request.N,)))


def said(shape: Sequence[int], N: int) -> str:
    """Return the size of an array as it is stated: of each axis, or N.

    >>> said((64, 48), 3072), said((), 1024)
    ('64x48', '1024')
    """
    return _by(shape) or str(N)
