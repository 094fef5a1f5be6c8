"""Requests for programs whose ranks may have unequal parts: any shape on any number of ranks, some
axes, real input of several axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

from codegen import no_grid, shapes
from codegen.program.protocol import Step
from codegen.program.ragged.trade_plans import backwards, cheapest, is_wasteful, price_of
from codegen.program.ragged.vector_plans import vector_steps
from codegen.systems.exchanges import ALL_TO_ALL
from codegen.systems.record import Request
from derive.call_arguments import named
from derive.digits.part_layouts import BALANCED, BLOCK, DIVISIONS, PartLayout
from derive.digits.radices import divisors

Ends = tuple[PartLayout, PartLayout]
MOST_KEPT = 256
"""The most requests that are cached with their grids."""
MOST_GRIDS = 64
"""The most grids that are tried where the request has none."""


def filled(request: Request) -> dict[str, Any]:
    """Return what is filled in for a transform of complex elements: for unequal parts where only
    these have what is stated, else for equal ones.
    """
    balanced = BALANCED in {*request.input.split(","), *request.output.split(",")}
    too_many, lacks_norm = request.P >= request.N, request.norm == request.backend.lacks
    lacks = too_many if request.is_by_bits else lacks_norm
    only_here = balanced or (lacks and _is_answered(request))
    if request.unequal or only_here or stated_axes(request):
        return fill(request)
    return shapes.filled(request) | {"axes": ""}


def fill(request: Request) -> dict[str, Any]:
    """Return what is filled in for unequal parts; raise ValueError for what they do not have."""
    shape, grid = shapes.checked_sizes(request)
    if lacks := _lacks(request):
        raise ValueError(lacks)
    found = {"shape": shape, "grid": grid, "axes": stated_axes(request), "unequal": True}
    return found | ({"exchange": ALL_TO_ALL} if request.way.otherwise else {})


def otherwise(request: Request) -> Request | None:
    """Return a request that no program of equal parts answers for unequal ones; None where these
    do not have its layouts or its formula, and for pairs of real elements.

    >>> from codegen.requests import complete
    >>> found = otherwise(complete(Request("fft", 15, 2, shape=(3, 5))))
    >>> found and on_grid(found).grid
    (2, 1)
    """
    return replace(request, **fill(request)) if _is_answered(request) else None


def _is_answered(request: Request) -> bool:
    """Return whether unequal parts answer a request for equal ones."""
    names = {*request.input.split(","), *request.output.split(",")}
    stated = request.formula or request.phases or request.local
    return (
        request.record.has_unequal
        and not request.record.real
        and names <= {*DIVISIONS}
        and not (stated or request.way.of_all or request.unequal)
    )


def remedy(request: Request) -> str:
    """Return what to do where equal parts do not answer a request, but unequal ones would in other
    layouts; "" where they would not.

    >>> from codegen.requests import complete
    >>> remedy(complete(Request("fft", 64, 3, "cyclic", "cyclic")))
    '; or take the layouts block or balanced, which may have unequal parts'
    """
    in_blocks = replace(request, input=BLOCK, output=BLOCK)
    if _is_answered(request) or not _is_answered(in_blocks) or _lacks(in_blocks):
        return ""
    return "; or take the layouts block or balanced, which may have unequal parts"


@lru_cache(MOST_KEPT)
def on_grid(request: Request) -> Request:
    """Return a request for unequal parts with a grid of its ranks, the best one where none is
    stated; raise ValueError where no grid works.
    """
    request = replace(request, grid=request.grid or _grid(request))
    planned(request)
    return request


def stated_axes(request: Request) -> str:
    """Return the axes that are transformed as text, counted from 0; "" for all in their order.

    Raises ValueError for axes that there are not, and for one that is named twice.

    >>> stated_axes(Request("fft", 24, 1, shape=(2, 3, 4), axes="-1,1"))
    '2,1'
    >>> stated_axes(Request("fft", 24, 1, shape=(2, 3, 4), axes="0,-3"))
    Traceback (most recent call last):
    ValueError: axes 0,-3: axis 0 is named twice; name every axis once
    """
    count = len(request.shape or (request.N,))
    if not request.axes:
        return ""
    try:
        given = [int(each) for each in request.axes.split(",")]
    except ValueError:
        raise ValueError(
            f"{named('axes')} must be integers with commas between them, such as 0,1; got"
            f" {request.axes}"
        ) from None
    for axis in given:
        if not -count <= axis < count:
            raise ValueError(
                f"{named('axes')} must be from {-count} to {count - 1} for"
                f" {no_grid.in_axes(count)}; got {axis}"
            )
    found = [axis % count for axis in given]
    twice = next((axis for axis in found if found.count(axis) > 1), None)
    if twice is not None:
        raise ValueError(f"axes {request.axes}: axis {twice} is named twice; name every axis once")
    return "" if found == [*range(count)] else ",".join(map(str, found))


def ends_of(request: Request) -> Ends:
    """Return the layouts of input and output."""
    return shapes.ends_between(request, PartLayout, request.grid)


def planned(request: Request) -> tuple[Ends, tuple[Step, ...]]:
    """Return the layouts and the supersteps of a request with its grid."""
    ends = ends_of(request)
    try:
        return ends, _steps(request, *ends)
    except ValueError as error:
        size, grid = ("x".join(map(str, each)) for each in (request.shape, request.grid))
        raise ValueError(f"size {size} on the grid {grid}: {error}") from error


def _steps(request: Request, before: PartLayout, after: PartLayout) -> tuple[Step, ...]:
    """Return the supersteps between two layouts."""
    real, back = request.record.real, not request.is_forward
    if request.record.of_parts:
        return request.record.of_parts(request, before, after)
    if len(before.shape) == 1:
        return vector_steps(before, after, real, back)
    axes = tuple(axis + (request.batch > 0) for axis in request.transformed)
    if real and back:
        return backwards(cheapest(after, before, axes, real))
    return cheapest(before, after, axes, real)


def _grid(request: Request) -> tuple[int, ...]:
    """Return the grid whose parts are almost equal, if there is one, with fewest exchanges, then
    words, then most ranks on the first axes.
    """
    found, why = list[tuple[tuple[bool, int, int], tuple[int, ...]]](), ""
    for grid in _grids(request):
        try:
            ends, steps = planned(replace(request, grid=grid))
        except ValueError as error:
            why = why or str(error)
            continue
        found.append(((is_wasteful(steps, *ends), *price_of(steps)), grid))
    if not found:
        raise ValueError(
            why
            or f"input {request.input}: no axis is distributed, so that only 1 rank works; got"
            f" {request.P} ranks; give an axis the layout block"
        )
    return min(found, key=lambda each: each[0])[1]


def _grids(request: Request) -> Iterator[tuple[int, ...]]:
    """Yield grids, those first that divide the fewest axes, and of these the first axes."""
    cut = no_grid.distributed(request.input, len(request.shape))
    several = ([*reversed(divisors(request.P))] if on_ranks else [1] for on_ranks in cut)
    fitting = [grid for grid in product(*several) if prod(grid) == request.P]
    fitting.sort(key=lambda grid: sum(p > 1 for p in grid))
    yield from fitting[:MOST_GRIDS]


def _lacks(request: Request) -> str:
    """Return why a request has no program of unequal parts, "" if it has one."""
    for name in ("phases", "local"):
        if value := getattr(request, name):
            return f"{named(name)} {value} is not available for unequal parts; leave it out"
    if request.exchange != ALL_TO_ALL and not request.way.otherwise:
        return f"exchange {request.exchange} is not available for unequal parts; use {ALL_TO_ALL}"
    return ""
