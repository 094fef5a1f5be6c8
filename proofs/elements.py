"""Arrays of exact elements, which run ordinary numpy code.

An array is no ndarray, so that nothing in numpy reaches the residues past the rules here. An entry has no value that a program
could read: its conversion to a number, truth value or text is refused, and so are comparisons and products of two entries.
What is left is x -> Ax + Bx* + c with constants that are recognised by value, and every line runs once for all stimuli.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import DTypeLike

from proofs.constants import Refused
from proofs.rings import fourier, inverse_root, plus, times, widened
from proofs.storage import Storage, number_of_parts

NORMS = {None: (0, 2), "backward": (0, 2), "ortho": (1, 1), "forward": (2, 0)}
"""The halves of lg n that divide the forward and the backward transform, by numpy's name of the norm."""


class Elements(Storage, NDArrayOperatorsMixin):
    """An array of exact elements, in place of a numpy array of the given floating-point type."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple[Any, ...] = (), **options: Any) -> Elements:
        rule = UFUNCS.get(ufunc)
        if rule is None or method != "__call__" or options:
            how = "" if method == "__call__" else f".{method}"
            raise Refused(f"np.{ufunc.__name__}{how}({', '.join(options)}) of elements: {_allowed()}")
        kinds = [value if isinstance(value, int | float | complex) else getattr(value, "dtype", None) or np.asarray(value).dtype for value in inputs]
        return delivered(rule(np.result_type(*kinds), *inputs), out[0] if out else None)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        rule, name = FUNCTIONS.get(function), f"{function.__module__}.{function.__name__}".replace("numpy", "np")
        if rule is None:
            raise Refused(f"{name} of elements is not modelled")
        try:
            _signature(rule).bind(*args, **kwargs)
        except TypeError as error:
            raise Refused(f"{name} of elements is not modelled with these arguments: {error}") from error
        return rule(*args, **kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise Refused("elements are put into an ordinary numpy array: arrays of data are made by np.empty or np.zeros with DTYPE")

    def _no_value(self, *_: Any) -> NoReturn:
        raise Refused("an element is converted to a truth value, number, text or key: the course of the program would depend on its data")

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __bytes__ = __contains__ = __reduce_ex__ = _no_value
    __hash__ = __str__ = __format__ = _no_value

    def __repr__(self) -> str:
        return f"Elements(shape {self.shape}, {self.dtype})"


@cache
def _signature(rule: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(rule)


def delivered(result: Elements, out: Any) -> Elements:
    """Return the result, written to `out` where there is one, as numpy casts."""
    if out is None:
        return result
    if not isinstance(out, Elements):
        raise Refused(f"elements are written into an ordinary array of {out.dtype}: arrays of data are made by np.empty or np.zeros with DTYPE")
    if out.shape != np.broadcast_shapes(result.shape, out.shape) or not np.can_cast(result.dtype, out.dtype, "same_kind"):
        raise ValueError(f"a result of shape {result.shape}, {result.dtype} does not fit the output of shape {out.shape}, {out.dtype}")
    out.write(result)
    return out


def _allowed() -> str:
    return "exact are " + ", ".join(sorted(ufunc.__name__ for ufunc in UFUNCS)) + ", each linear in the elements"


def _add(dtype: np.dtype[Any], one: Any, other: Any) -> Elements:
    array = one if isinstance(one, Elements) else other
    a, b = array.operand(one), array.operand(other)
    parts = plus(a.parts, b.parts, array.recognizer.field.q)
    return Elements(widened(parts, number_of_parts(dtype)), dtype, array.recognizer, a.past.added(b.past))


def _subtract(dtype: np.dtype[Any], one: Any, other: Any) -> Elements:
    array = one if isinstance(one, Elements) else other
    return _add(dtype, array.operand(one), _negative(dtype, array.operand(other)))


def _negative(dtype: np.dtype[Any], array: Elements) -> Elements:
    q = array.recognizer.field.q
    return Elements((q - array.parts) % q, array.dtype, array.recognizer, array.past)


def _multiply(dtype: np.dtype[Any], one: Any, other: Any) -> Elements:
    if isinstance(one, Elements) and isinstance(other, Elements):
        raise Refused("the product of two arrays of elements: a linear transform multiplies its data by constants only")
    array, number = (one, other) if isinstance(one, Elements) else (other, one)
    constant = array.recognizer.recognize(number)
    parts = times(array.parts, constant.residues, array.recognizer.field.q)
    return Elements(widened(parts, number_of_parts(dtype)), dtype, array.recognizer, array.past.grown(constant.magnitude, constant.halves))


def _divide(dtype: np.dtype[Any], one: Any, other: Any) -> Elements:
    if isinstance(other, Elements):
        raise Refused("a quotient by elements: a linear transform divides its data by constants only")
    with np.errstate(all="ignore"):
        return _multiply(dtype, one, np.divide(1, other))


def _copy(dtype: np.dtype[Any], array: Elements) -> Elements:
    return array.copy()


def _conjugate(dtype: np.dtype[Any], array: Elements) -> Elements:
    return array.conj()


UFUNCS: dict[np.ufunc, Callable[..., Elements]] = {
    np.add: _add,
    np.subtract: _subtract,
    np.negative: _negative,
    np.positive: _copy,
    np.multiply: _multiply,
    np.true_divide: _divide,
    np.conjugate: _conjugate,
}


def fft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Elements:
    """np.fft.fft by its definition, for lengths that are powers of two."""
    return _fourier(a, n, axis, NORMS[norm][0], -1, out)


def ifft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Elements:
    """np.fft.ifft by its definition."""
    return _fourier(a, n, axis, NORMS[norm][1], 1, out)


def _fourier(a: Any, n: int | None, axis: int, divided: int, sign: int, out: Any) -> Elements:
    if not isinstance(a, Elements):
        raise Refused("a Fourier transform of ordinary numbers into an array of elements")
    axis %= a.ndim
    length = a.shape[axis]
    if n not in (None, length):
        raise Refused(f"a Fourier transform with n = {n} of an axis of {length} elements: cutting and padding are not modelled")
    if length & (length - 1) or not length or length > a.recognizer.field.order:
        raise Refused(f"a Fourier transform of length {length}: the field has roots of unity of order {a.recognizer.field.order}")
    parts = np.moveaxis(widened(a.parts, 2), axis, 0)
    scaled = fourier(parts, sign, a.recognizer) * inverse_root(length, divided, a.recognizer) % a.recognizer.field.q
    lg = length.bit_length() - 1
    past = a.past.grown(lg - lg * divided / 2, (lg * divided + 1) // 2)
    return delivered(Elements(np.moveaxis(scaled, 0, axis), np.result_type(a.dtype, np.complex64), a.recognizer, past), out)


def _copyto(dst: Any, src: Any) -> None:
    if not isinstance(dst, Elements):
        raise Refused("elements are copied into an ordinary array: arrays of data are made by np.empty or np.zeros with DTYPE")
    kind = src.dtype if hasattr(src, "dtype") else src
    if not np.can_cast(np.result_type(kind), dst.dtype, "same_kind"):
        raise TypeError(f"np.copyto of {np.result_type(kind)} into {dst.dtype}")
    dst.write(src)


def _take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Elements:
    if not isinstance(a, Elements):
        raise Refused("np.take of ordinary numbers into an array of elements")
    array, place = (a.reshape(-1), 0) if axis is None else (a, axis % a.ndim)
    return delivered(array.like(np.take(array.parts, indices, axis=place, mode=mode)), out)  # type: ignore[call-overload]


def _joined(arrays: Sequence[Any], parts_of: Callable[[list[Any]], Any], out: Any) -> Elements:
    first = next(array for array in arrays if isinstance(array, Elements))
    dtype = np.result_type(*(array.dtype for array in arrays))
    operands = [first.operand(array) for array in arrays]
    past = operands[0].past
    for operand in operands[1:]:
        past = past.joined(operand.past)
    parts = parts_of([_spread(widened(operand.parts, number_of_parts(dtype)), first) for operand in operands])
    return delivered(Elements(parts, dtype, first.recognizer, past), out)


def _spread(parts: Any, like: Elements) -> Any:
    """Return constants, which are the same for every stimulus, with as many columns as there are stimuli."""
    return np.broadcast_to(parts, (*parts.shape[:-1], like.parts.shape[-1]))


def _concatenate(arrays: Sequence[Any], axis: int = 0, out: Any = None) -> Elements:
    return _joined(arrays, lambda parts: np.concatenate(parts, axis=axis % (parts[0].ndim - 2)), out)


def _stack(arrays: Sequence[Any], axis: int = 0, out: Any = None) -> Elements:
    return _joined(arrays, lambda parts: np.stack(parts, axis=axis % (parts[0].ndim - 1)), out)


def _roll(a: Elements, shift: int, axis: int | None = None) -> Elements:
    if axis is None:
        return _roll(a.reshape(-1), shift, 0).reshape(a.shape)
    return a.like(np.roll(a.parts, shift, axis=axis % a.ndim))


def _flip(m: Elements, axis: int | None = None) -> Elements:
    chosen = range(m.ndim) if axis is None else (axis % m.ndim,)
    return m[tuple(slice(None, None, -1) if i in chosen else slice(None) for i in range(m.ndim))]


def _moveaxis(a: Elements, source: int, destination: int) -> Elements:
    return a.like(np.moveaxis(a.parts, source % a.ndim, destination % a.ndim))


def _zeros_like(a: Elements, dtype: DTypeLike | None = None) -> Elements:
    kind = np.dtype(dtype or a.dtype)
    return Elements.zeros(a.shape, kind, a.recognizer, a.parts.shape[-1])


def _shares_memory(a: Any, b: Any) -> bool:
    return np.may_share_memory(getattr(a, "parts", a), getattr(b, "parts", b))


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
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
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a: a.size,
    np.empty_like: _zeros_like,
    np.zeros_like: _zeros_like,
    np.may_share_memory: _shares_memory,
    np.shares_memory: _shares_memory,
    np.fft.fft: fft,
    np.fft.ifft: ifft,
}
