"""A rank's part as a vector, where a program takes it with several axes: checkers know vectors."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

from codegen.mpi.memory.buffers import memory
from proofs.certify.declaration import Declaration

Transforming = Callable[..., Any]


def of_vectors(transform: Transforming, d: Declaration, turn: int = 0) -> Transforming:
    """Return the transform of a rank's part as one of its elements in a vector: the same memory,
    with the axes that the program declares; from one `turn` to the next, an input side by side in
    memory in other orders of its axes. What has another size goes to it as it is.
    """
    before, after = d.parts_of_ranks
    if before == after == (d.M,):
        return transform

    def of_vector(x: Any, plan: Any, *into: Any, **named: Any) -> Any:
        given = [*into, *named.values()]
        outs = [_with_axes(out, d.M, after) for out in given]
        words = dict(zip(named, outs[len(into) :], strict=True))
        part = _with_axes(x, d.M, before)
        part = _in_order(part, turn) if part.shape == before else part
        y = transform(part, plan, *outs[: len(into)], **words)
        if part.shape == before and part.flags.writeable:
            x.reshape(before)[...] = part
        for out, whole in zip(given, outs, strict=True):
            if y is whole:
                return out
        fits = getattr(y, "shape", None) == after and memory(y).flags.c_contiguous
        return y.reshape(-1) if fits else y[..., None] if y.shape == (d.M,) else y

    return of_vector


def _in_order(part: Any, turn: int) -> Any:
    """Return an array with these elements in another order of memory: as it is, with its axes the
    other way round, with two of them exchanged, with one backwards.
    """
    if not turn or not memory(part).flags.carray:
        return part
    axes = range(part.ndim)
    pairs = combinations(axes, 2)
    exchanged = ([*axes[:i], j, *axes[i + 1 : j], i, *axes[j + 1 :]] for i, j in pairs)
    orders = [axes, axes[::-1], *exchanged]
    turn %= len(orders) + len(axes)
    if turn < len(orders):
        order = orders[turn]
        held = part.copy().reshape([part.shape[axis] for axis in order]).transpose(order)
    else:
        back = [slice(None)] * (turn - len(orders)) + [slice(None, None, -1)]
        held = part.copy()[tuple(back)]
    held[...] = part
    return held


def _with_axes(array: Any, M: int, axes: tuple[int, ...]) -> Any:
    """Return a vector of M elements with these axes; another array with one more axis, if it has
    these by chance.
    """
    if array.shape == (M,):
        return array.reshape(axes)
    return array.reshape(*array.shape, 1) if array.shape == axes else array
