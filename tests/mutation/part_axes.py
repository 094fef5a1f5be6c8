"""A rank's part as a vector, where a program accepts it with several axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proofs.certify.declaration import Declaration

Transforming = Callable[..., Any]


def of_vectors(transform: Transforming, d: Declaration) -> Transforming:
    """Return the transform of a rank's part as one of its elements in a vector: the same memory,
    with the axes that the program declares. An array of another size is passed on as it is.
    """
    before, after = (d.part(side, 0) for side in ("input", "output"))
    if before == after == (d.M,):
        return transform

    def of_vector(x: Any, plan: Any, *others: Any, **named: Any) -> Any:
        given = [*others, *named.values()]
        outs = [_with_axes(out, d.M, after) for out in given]
        words = dict(zip(named, outs[len(others) :], strict=True))
        y = transform(_with_axes(x, d.M, before), plan, *outs[: len(others)], **words)
        for out, whole in zip(given, outs, strict=True):
            if y is whole:
                return out
        fits = getattr(y, "shape", None) == after and y.flags.c_contiguous
        return y.reshape(-1) if fits else y[..., None] if y.shape == (d.M,) else y

    return of_vector


def _with_axes(array: Any, M: int, axes: tuple[int, ...]) -> Any:
    """Return a vector of M elements with these axes; another array with one more axis, if it has
    these by chance.
    """
    if array.shape == (M,):
        return array.reshape(axes)
    return array.reshape(*array.shape, 1) if array.shape == axes else array
