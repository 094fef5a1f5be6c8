"""What numpy's functions do with arrays of data that are no numpy arrays: those that move entries
and compute nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from numpy.typing import DTypeLike

from codegen.mpi.memory.buffers import memory, poison
from proofs.certify.arrays.storage import Parts, Storage, copied, put_outside
from proofs.certify.forbidden import Unmodelled


def delivered(result: Any, out: Any) -> Any:
    """Return the result, written to `out` where there is one, as numpy casts."""
    if out is None:
        return result.alone() if result.ndim == 0 else result
    if not isinstance(out, Storage):
        raise put_outside(result.dtype, out.dtype)
    if out.shape != np.broadcast_shapes(result.shape, out.shape) or not np.can_cast(
        result.dtype, out.dtype, "same_kind"
    ):
        raise ValueError(
            f"a result of shape {result.shape}, {result.dtype} does not fit the output of shape"
            f" {out.shape}, {out.dtype}"
        )
    out.assign(result)
    return out


def _copyto(dst: Any, src: Any) -> None:
    if not isinstance(dst, Storage):
        raise put_outside(src.dtype, dst.dtype)
    kind = src.dtype if hasattr(src, "dtype") else src
    if not np.can_cast(np.result_type(kind), dst.dtype, "same_kind"):
        raise TypeError(f"np.copyto of {np.result_type(kind)} into {dst.dtype}")
    dst.assign(src)


def _take(
    a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
) -> Any:
    if not isinstance(a, Storage):
        raise Unmodelled("np.take of ordinary numbers into an array of elements")
    array, place = (a.reshape(-1), 0) if axis is None else (a, normalize_axis_index(axis, a.ndim))
    if mode == "clip":
        indices = np.clip(indices, 0, array.shape[place] - 1)
    array.loaded((*[slice(None)] * place, indices))
    return delivered(array.like(np.take(array.parts, indices, axis=place, mode=mode)), out)  # type: ignore[call-overload]


def _of(arrays: Sequence[Any]) -> type[Storage]:
    return type(next(array for array in arrays if isinstance(array, Storage)))


def _concatenate(arrays: Sequence[Any], axis: int | None = 0, out: Any = None) -> Any:
    if axis is None:
        return _concatenate([np.ravel(array) for array in arrays], 0, out)
    place = normalize_axis_index(axis, np.ndim(arrays[0]))
    return delivered(
        _of(arrays).joined(arrays, lambda parts: np.concatenate(parts, axis=place)), out
    )


def _stack(arrays: Sequence[Any], axis: int = 0, out: Any = None) -> Any:
    arrays = list(arrays)
    place = normalize_axis_index(axis, np.ndim(arrays[0]) + 1)
    return delivered(_of(arrays).joined(arrays, lambda parts: np.stack(parts, axis=place)), out)


def _roll(a: Storage, shift: Any, axis: Any = None) -> Storage:
    if axis is None:
        return _roll(a.reshape(-1), shift, 0).reshape(a.shape)
    return a.like(
        np.roll(
            a.loaded().parts, shift, axis=normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
        )
    )


def _flip(m: Storage, axis: Any = None) -> Storage:
    chosen = range(m.ndim) if axis is None else normalize_axis_tuple(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if i in chosen else slice(None) for i in range(m.ndim))]


def _moveaxis(a: Storage, source: Any, destination: Any) -> Storage:
    places = [normalize_axis_tuple(axes, a.ndim) for axes in (source, destination)]
    return a.like(np.moveaxis(a.parts, *places))


def _reshape(a: Storage, shape: Any, order: str = "C") -> Storage:
    return a.reshape(shape, order=order)


def _copy(a: Storage, order: str = "K") -> Storage:
    return a.copy(order)


def _empty_like(
    prototype: Storage, dtype: DTypeLike | None = None, order: str = "K", shape: Any = None
) -> Storage:
    if np.dtype(dtype or prototype.dtype) != prototype.dtype:
        raise Unmodelled(
            f"an array of {np.dtype(dtype)} like one of {prototype.dtype} is not modelled"
        )
    fresh = prototype.like(shaped_like(prototype.parts, shape, order))
    poison(fresh)
    return fresh


def shaped_like(parts: Parts, shape: Any, order: str = "K") -> Parts:
    """Return fresh parts for an array like this one, of another shape where one is given, which lie
    in an order of numpy's.
    """
    sizes = (
        parts.shape[:-2]
        if shape is None
        else (shape,)
        if isinstance(shape, int | np.integer)
        else tuple(shape)
    )
    if shape is None or len(sizes) == parts.ndim - 2:
        order = "C" if order == "K" and parts.flags.c_contiguous else order
        return copied(np.empty_like(parts, shape=(*sizes, *parts.shape[-2:])), order)
    return copied(
        np.empty((*sizes, *parts.shape[-2:]), parts.dtype), "C" if order == "K" else order
    )


def _of_memory(function: Callable[..., bool]) -> Callable[[Any, Any], bool]:
    """Return np.shares_memory, or may_share_memory which goes by bounds."""
    return lambda a, b: function(memory(a), memory(b))


MOVEMENT: dict[Callable[..., Any], Callable[..., Any]] = {
    np.copyto: _copyto,
    np.take: _take,
    np.concatenate: _concatenate,
    np.stack: _stack,
    np.roll: _roll,
    np.flip: _flip,
    np.moveaxis: _moveaxis,
    np.swapaxes: lambda a, axis1, axis2: a.swapaxes(axis1, axis2),
    np.reshape: _reshape,
    np.ravel: lambda a, order="C": a.ravel(order),
    np.transpose: lambda a, axes=None: a.transpose(axes),
    np.copy: _copy,
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a: a.size,
    np.empty_like: _empty_like,
    np.may_share_memory: _of_memory(np.may_share_memory),
    np.shares_memory: _of_memory(np.shares_memory),
}
