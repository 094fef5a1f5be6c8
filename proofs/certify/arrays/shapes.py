"""What numpy's functions do with arrays of data that put them together, cut them, and give them
another shape; none computes with entries.

Some are numpy's own text in Python, which calls functions that are modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from proofs.certify.arrays.movement import MOVEMENT
from proofs.certify.arrays.storage import Storage
from proofs.certify.forbidden import Unmodelled


def _axes_at_least(array: Any, number: int) -> Any:
    """Return np.atleast_1d or np.atleast_2d of an array."""
    if not isinstance(array, Storage):
        return np.array(array, ndmin=number)
    return (
        array if array.ndim >= number else array.reshape((1,) * (number - array.ndim) + array.shape)
    )


def _vstack(tup: Sequence[Any]) -> Any:
    return np.concatenate([_axes_at_least(array, 2) for array in tup])


def _hstack(tup: Sequence[Any]) -> Any:
    arrays = [_axes_at_least(array, 1) for array in tup]
    return np.concatenate(arrays, axis=0 if arrays[0].ndim == 1 else 1)


def _column_stack(tup: Sequence[Any]) -> Any:
    return np.concatenate(
        [array.reshape(-1, 1) if np.ndim(array) < 2 else array for array in tup], axis=1
    )


def _dstack(tup: Sequence[Any]) -> Any:
    arrays = [_axes_at_least(array, 2) for array in tup]
    return np.concatenate(
        [array.reshape(*array.shape, 1) if array.ndim == 2 else array for array in arrays], axis=2
    )


def _expand_dims(a: Storage, axis: Any) -> Any:
    places = axis if isinstance(axis, tuple | list) else (axis,)
    chosen = normalize_axis_tuple(places, a.ndim + len(places))
    return a[tuple(None if i in chosen else slice(None) for i in range(a.ndim + len(places)))]


def _squeeze(a: Storage, axis: Any = None) -> Any:
    chosen = (
        [i for i, size in enumerate(a.shape) if size == 1]
        if axis is None
        else normalize_axis_tuple(axis, a.ndim)
    )
    if any(a.shape[i] != 1 for i in chosen):
        raise ValueError(
            f"np.squeeze of axes {tuple(chosen)} of an array of shape {a.shape}: only an axis of"
            " one entry goes"
        )
    if not chosen and not a.scalar:
        return a
    return a[tuple(0 if i in chosen else slice(None) for i in range(a.ndim)) + (...,)]


def _repeat(a: Storage, repeats: Any, axis: int | None = None) -> Any:
    array = a.reshape(-1) if axis is None else a
    place = 0 if axis is None else normalize_axis_index(axis, a.ndim)
    return np.take(array, np.repeat(np.arange(array.shape[place]), repeats), axis=place)


def _tile(A: Storage, reps: Any) -> Any:
    counts = reps if isinstance(reps, tuple | list) else (reps,)
    wide = max(A.ndim, len(counts))
    array: Any = A.reshape((1,) * (wide - A.ndim) + A.shape)
    for axis, count in enumerate((1,) * (wide - len(counts)) + tuple(counts)):
        array = (
            np.concatenate([array] * count, axis=axis)
            if count
            else array[(slice(None),) * axis + (slice(0),)]
        )
    return array.copy()


def _broadcast_to(array: Storage, shape: Any) -> Any:
    sizes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    return array.like(
        np.broadcast_to(
            array.parts.reshape((1,) * (len(sizes) - array.ndim) + array.parts.shape),
            (*sizes, *array.parts.shape[-2:]),
        )
    )


def _at_least(number: int) -> Callable[..., Any]:
    def rule(*arys: Any) -> Any:
        found = tuple(_axes_at_least(array, number) for array in arys)
        return found[0] if len(found) == 1 else found

    return rule


def _by_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return numpy's own text of a function."""
    found: Callable[..., Any] | None = getattr(function, "_implementation", None)
    if found is None:
        raise Unmodelled(f"np.{function.__name__} of elements is not modelled with this numpy")
    return found


def _shifted(sign: int) -> Callable[..., Any]:
    """Return np.fft.fftshift, or its inverse."""

    def rule(x: Storage, axes: Any = None) -> Any:
        chosen = tuple(range(x.ndim)) if axes is None else normalize_axis_tuple(axes, x.ndim)
        return np.roll(x, tuple(sign * (x.shape[axis] // 2) for axis in chosen), chosen)

    return rule


OF_NUMPY = (
    np.split,
    np.array_split,
    np.hsplit,
    np.vsplit,
    np.dsplit,
    np.iscomplexobj,
    np.isrealobj,
)
SHAPES: dict[Any, Callable[..., Any]] = {
    **MOVEMENT,
    np.vstack: _vstack,
    np.hstack: _hstack,
    np.dstack: _dstack,
    np.column_stack: _column_stack,
    np.expand_dims: _expand_dims,
    np.squeeze: _squeeze,
    np.repeat: _repeat,
    np.tile: _tile,
    np.broadcast_to: _broadcast_to,
    np.atleast_1d: _at_least(1),
    np.atleast_2d: _at_least(2),
    np.result_type: lambda *arrays: np.result_type(
        *(array.dtype if isinstance(array, Storage) else array for array in arrays)
    ),
    np.flipud: lambda m: np.flip(m, 0),
    np.fliplr: lambda m: np.flip(m, 1),
    np.fft.fftshift: _shifted(1),
    np.fft.ifftshift: _shifted(-1),
    **{function: _by_numpy(function) for function in OF_NUMPY},
}
