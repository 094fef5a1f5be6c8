"""What numpy's functions do with arrays of data that are no numpy arrays: those that move entries and compute nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from codegen.mpi.buffers import poison
from proofs.refusal import Unmodelled
from proofs.storage import Storage, put_outside


def delivered(result: Any, out: Any) -> Any:
    """Return the result, written to `out` where there is one, as numpy casts."""
    if out is None:
        return result.alone() if result.ndim == 0 else result
    if not isinstance(out, Storage):
        raise put_outside(result.dtype, out.dtype)
    if out.shape != np.broadcast_shapes(result.shape, out.shape) or not np.can_cast(result.dtype, out.dtype, "same_kind"):
        raise ValueError(f"a result of shape {result.shape}, {result.dtype} does not fit the output of shape {out.shape}, {out.dtype}")
    out.assign(result)
    return out


def _copyto(dst: Any, src: Any) -> None:
    if not isinstance(dst, Storage):
        raise put_outside(src.dtype, dst.dtype)
    kind = src.dtype if hasattr(src, "dtype") else src
    if not np.can_cast(np.result_type(kind), dst.dtype, "same_kind"):
        raise TypeError(f"np.copyto of {np.result_type(kind)} into {dst.dtype}")
    dst.assign(src)


def _take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Any:
    if not isinstance(a, Storage):
        raise Unmodelled("np.take of ordinary numbers into an array of elements")
    array, place = (a.reshape(-1), 0) if axis is None else (a, axis % a.ndim)
    if mode == "clip":
        indices = np.clip(indices, 0, array.shape[place] - 1)
    array.loaded((*[slice(None)] * place, indices))
    return delivered(array.like(np.take(array.parts, indices, axis=place, mode=mode)), out)  # type: ignore[call-overload]


def _of(arrays: Sequence[Any]) -> type[Storage]:
    return type(next(array for array in arrays if isinstance(array, Storage)))


def _concatenate(arrays: Sequence[Any], axis: int = 0, out: Any = None) -> Any:
    return delivered(_of(arrays).joined(arrays, lambda parts: np.concatenate(parts, axis=axis % (parts[0].ndim - 2))), out)


def _stack(arrays: Sequence[Any], axis: int = 0, out: Any = None) -> Any:
    return delivered(_of(arrays).joined(arrays, lambda parts: np.stack(parts, axis=axis % (parts[0].ndim - 1))), out)


def _roll(a: Storage, shift: int, axis: int | None = None) -> Storage:
    if axis is None:
        return _roll(a.reshape(-1), shift, 0).reshape(a.shape)
    return a.like(np.roll(a.loaded().parts, shift, axis=axis % a.ndim))


def _flip(m: Storage, axis: int | None = None) -> Storage:
    chosen = range(m.ndim) if axis is None else (axis % m.ndim,)
    return m[tuple(slice(None, None, -1) if i in chosen else slice(None) for i in range(m.ndim))]


def _moveaxis(a: Storage, source: int, destination: int) -> Storage:
    return a.like(np.moveaxis(a.parts, source % a.ndim, destination % a.ndim))


def _empty_like(a: Storage, dtype: DTypeLike | None = None) -> Storage:
    if np.dtype(dtype or a.dtype) != a.dtype:
        raise Unmodelled(f"an array of {np.dtype(dtype)} like one of {a.dtype} is not modelled")
    fresh = a.like(a.parts.copy())
    poison(fresh)
    return fresh


def _shares_memory(a: Any, b: Any) -> bool:
    return np.may_share_memory(getattr(a, "parts", a), getattr(b, "parts", b))


MOVEMENT: dict[Callable[..., Any], Callable[..., Any]] = {
    np.copyto: _copyto,
    np.take: _take,
    np.concatenate: _concatenate,
    np.stack: _stack,
    np.roll: _roll,
    np.flip: _flip,
    np.moveaxis: _moveaxis,
    np.swapaxes: lambda a, axis1, axis2: a.swapaxes(axis1, axis2),
    np.reshape: lambda a, shape: a.reshape(shape),
    np.ravel: lambda a: a.ravel(),
    np.transpose: lambda a, axes=None: a.transpose(axes),
    np.copy: lambda a: a.copy(),
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a: a.size,
    np.empty_like: _empty_like,
    np.may_share_memory: _shares_memory,
    np.shares_memory: _shares_memory,
}
