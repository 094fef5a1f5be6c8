"""A rank's part as a vector, where a program takes it with several axes: checkers know vectors."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from codegen.mpi.memory.buffers import memory
from proofs.certify.declaration import Declaration

Transforming = Callable[..., Any]


def of_vectors(
    transform: Transforming, d: Declaration, turn: int = 0, into: int = 0
) -> Transforming:
    """Return the transform of a rank's part as one of its elements in a vector: the same memory,
    with the axes that the program declares; from one `turn` to the next, an input side by side in
    memory in another order, and an `out` in that of the number `into`. What has another size goes
    to it as it is.
    """
    before, after = d.parts_of_ranks
    if before == after == (d.M,):
        return transform

    def of_vector(x: Any, plan: Any, *others: Any, **named: Any) -> Any:
        given = [*others, *named.values()]
        outs = [_with_axes(out, d.M, after, into) for out in given]
        words = dict(zip(named, outs[len(others) :], strict=True))
        part = _with_axes(x, d.M, before, turn)
        y = transform(part, plan, *outs[: len(others)], **words)
        if part.shape == before and part.flags.writeable:
            x.reshape(before)[...] = part
        for out, whole in zip(given, outs, strict=True):
            if y is whole:
                if into:
                    out.reshape(after)[...] = whole
                return out
        fits = getattr(y, "shape", None) == after and memory(y).flags.c_contiguous
        return y.reshape(-1) if fits else y[..., None] if y.shape == (d.M,) else y

    return of_vector


def _orders(count: int) -> list[tuple[int, ...]]:
    """Return so many axes the other way round, and with two of them exchanged."""
    axes = tuple(range(count))
    pairs = combinations(axes, 2)
    exchanged = ((*axes[:i], j, *axes[i + 1 : j], i, *axes[j + 1 :]) for i, j in pairs)
    return list(dict.fromkeys([axes[::-1], *exchanged]))


def orders_of(axes: tuple[int, ...]) -> int:
    """Return in how many other orders an array with these axes lies in memory: in another order of
    its axes, with one of them backwards, or with gaps in one.
    """
    return len(_orders(len(axes))) + 2 * len(axes) if len(axes) > 1 else 0


def _in_order(part: Any, turn: int) -> Any:
    """Return an array with these elements in another order of memory, of as many as there are."""
    if not turn or not memory(part).flags.carray:
        return part
    orders = _orders(part.ndim)
    turn = (turn - 1) % orders_of(part.shape)
    if turn < len(orders):
        order = orders[turn]
        held = part.copy().reshape([part.shape[axis] for axis in order]).transpose(order)
    else:
        axis, has_gaps = divmod(turn - len(orders), 2)
        whole = np.concatenate([part, part], axis) if has_gaps else part.copy()
        held = whole[(slice(None),) * axis + (slice(None, None, 2 if has_gaps else -1),)]
    held[...] = part
    return held


def _with_axes(array: Any, M: int, axes: tuple[int, ...], order: int) -> Any:
    """Return a vector of M elements with these axes, in an order of memory; another array with one
    more axis, if it has these by chance.
    """
    if array.shape == (M,):
        return _in_order(array.reshape(axes), order)
    return array.reshape(*array.shape, 1) if array.shape == axes else array
