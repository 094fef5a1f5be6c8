"""Errors for arrays that no grid of the ranks can hold in the requested layouts, with remedies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Any

from derive.call_arguments import named
from derive.digits.digit_layouts import ArrayLayout, either
from derive.digits.radices import divisors
from derive.maps.layout_digits import WHOLE

MOST_SHOWN = 4
"""The most numbers of ranks that a message offers."""


def unequal(source: str, target: str, given: Sequence[bool], wanted: Sequence[bool]) -> str:
    """Return the error for layouts that distribute different numbers of axes, with layouts that go
    with the one that is not the default.

    >>> unequal("block,whole", "block", (True, False), (True, True))
    'input block,whole distributes 1 axis and output block distributes 2; both must distribute the same number: give output whole,block or block,whole'
    """  # noqa: E501
    from_output = any(wanted) and (source == "block" or not any(given))
    other, layout = ("input", target) if from_output else ("output", source)
    names = layout.split(",")
    fitting = dict.fromkeys((",".join([*names[-1:], *names[:-1]]), layout))
    return (
        f"input {source} distributes {in_axes(sum(given))} and output {target} distributes"
        f" {sum(wanted)}; both must distribute the same number: give"
        f" {named(other)} {' or '.join(fitting)}"
    )


def reason(request: Any, why: str) -> str:
    """Return the error for a request that no grid of its ranks works for; `why` is what is wrong
    with the first grid that divides the input, if there is one.
    """
    shape: tuple[int, ...] = request.shape
    by, ends = "x".join(map(str, shape)), f"{request.input} to {request.output}"
    names = {*request.input.split(","), *request.output.split(",")}
    try:
        for name in (request.input, request.output):
            ArrayLayout(re.sub("group-cyclic:[0-9]+", "cyclic", name), shape, (1,) * len(shape))
    except ValueError as error:
        return str(error)
    given, wanted = (distributed(name, len(shape)) for name in (request.input, request.output))
    if given != wanted and sum(given) != sum(wanted):
        return unequal(request.input, request.output, given, wanted)
    if request.phases:
        return (
            f"phases {request.phases} of size {by}, {ends}: no grid of {request.P} ranks can"
            " exchange whole digits between the phases; leave the phases out"
        )
    if not names <= {"block", "cyclic", WHOLE} or request.formula is not None:
        return why or f"size {by}, {ends}: no grid of {request.P} ranks can exchange whole digits"
    axes = [axis for axis, cut in enumerate(given) if cut]
    if not axes:
        return (
            f"size {by}, {ends}: no axis is distributed, so that only 1 rank works; got"
            f" {request.P} ranks; give an axis the layout block or cyclic"
        )
    if given == wanted and len(axes) == 1 and shape[axes[0]] % request.P:
        rule = f"{request.P} ranks do not divide the {shape[axes[0]]} elements of axis {axes[0]}"
    else:
        rule = f"no grid of {request.P} ranks divides the axes and can exchange whole digits"
    return f"size {by}, {ends}: {rule}; try {_remedies(request, given, wanted)}"


def suffices(P: int, shape: Sequence[int], given: Sequence[bool], wanted: Sequence[bool]) -> bool:
    """Return whether P ranks are known to work for block and cyclic axes, without a search; `given`
    and `wanted` are the axes that are distributed.

    One rank works. Others do if P is a product of numbers whose squares divide the axes. One
    distributed axis can also be exchanged for another one that P divides.

    >>> suffices(4, (25, 20, 16), (True, False, False), (True, False, False))
    False
    >>> suffices(4, (25, 20, 16), (False, True, False), (False, True, False))
    True
    """
    axes = [axis for axis, cut in enumerate(given) if cut]
    several = product(
        *([d for d in divisors(shape[axis]) if shape[axis] % d**2 == 0] for axis in axes)
    )
    if P == 1 or (given == wanted and any(prod(each) == P for each in several)):
        return True
    if len(axes) != 1 or sum(wanted) != 1 or shape[axes[0]] % P:
        return False
    others = [axis for axis, cut in enumerate(wanted) if cut]
    ways = others if others != axes else [axis for axis in range(len(shape)) if axis not in axes]
    return any(shape[axis] % P == 0 for axis in ways)


def distributed(name: str, count: int) -> list[bool]:
    """Return which axes a layout may distribute.

    >>> distributed("block,whole", 2), distributed("cyclic", 2)
    ([True, False], [True, True])
    """
    names = name.split(",")
    return [each != WHOLE for each in (names * count)[:count]]


def _remedies(request: Any, given: Sequence[bool], wanted: Sequence[bool]) -> str:
    """Return numbers of ranks and of elements, and layouts, that work."""
    shape = request.shape
    axes = [axis for axis, cut in enumerate(given) if cut]
    several = {prod(each) for each in product(*(divisors(shape[axis]) for axis in axes))}
    near = sorted(several, key=lambda P: abs(P - request.P))
    working = (P for P in near if suffices(P, shape, given, wanted))
    ranks = sorted(islice(working, MOST_SHOWN))
    found = [f"{either(ranks)} rank{'s' * (ranks != [1])}"]
    axis = axes[0]
    if sizes := [n for n in _sizes_near(request.P, shape, axis, given, wanted) if n]:
        found.append(f"{either(sizes)} elements on axis {axis}")
    names = request.input.split(",")
    for other in range(len(names) if request.input == request.output else 0):
        swapped, cuts = [*names], [*given]
        swapped[axis], swapped[other] = names[other], names[axis]
        cuts[axis], cuts[other] = given[other], given[axis]
        if names[other] == WHOLE and suffices(request.P, shape, cuts, cuts):
            found.append(f"the layout {','.join(swapped)}")
            break
    return ", or ".join(found)


def _sizes_near(
    P: int, shape: tuple[int, ...], axis: int, given: Sequence[bool], wanted: Sequence[bool]
) -> Iterator[int]:
    """Yield the nearest numbers of elements of an axis that work, below and above; 0 for none."""
    n = shape[axis]
    first = n - n % P
    for sizes in (range(first, 0, -P), range(first + P, first + (P + 1) * P, P)):
        found = (m for m in sizes if m != n and suffices(P, _with(shape, axis, m), given, wanted))
        yield next(found, 0)


def _with(shape: tuple[int, ...], axis: int, n: int) -> tuple[int, ...]:
    return (*shape[:axis], n, *shape[axis + 1 :])


def in_axes(count: int) -> str:
    """Return a number of axes in words: `1 axis`, `2 axes`."""
    return f"{count} {'axis' if count == 1 else 'axes'}"
