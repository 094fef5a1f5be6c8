"""Arrays of exact elements, which run ordinary numpy code.

An array is no ndarray, so that nothing in numpy reaches the residues past the rules here. An entry
has no value that a program could read: its conversion to a number, truth value or text is refused,
and so are comparisons and products of two entries. What is left is x -> Ax + Bx* + c with constants
that are recognised by value, and every line runs once for all stimuli. Where the declared result
is not linear, products of data by data are formed, too, and degrees are followed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import DTypeLike

from codegen.kernels.plain_vectors import LANES
from proofs.certify.arrays.arguments import unhonoured
from proofs.certify.arrays.constants import Recognizer, inverse_root
from proofs.certify.arrays.movement import delivered, shaped_like
from proofs.certify.arrays.residue_arrays import Numbers, number_of_parts
from proofs.certify.arrays.residues import fourier, plus, times, widened
from proofs.certify.arrays.shapes import SHAPES
from proofs.certify.forbidden import Forbidden, Unmodelled

NORMS = {None: (0, 2), "backward": (0, 2), "ortho": (1, 1), "forward": (2, 0)}
"""The halves of lg n that divide the forward and the backward transform, by numpy's norm."""


class Elements(Numbers):
    """An array of exact elements, in place of a numpy array of the given floating-point type."""

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple[Any, ...] = (), **options: Any
    ) -> Elements:
        if (ufunc, method) == (np.add, "reduce"):
            return _summed(inputs[0], **{"axis": 0} | options | ({"out": out[0]} if out else {}))
        rule = UFUNCS.get(ufunc)
        if rule is None or method != "__call__":
            how = "" if method == "__call__" else f".{method}"
            words = f"np.{ufunc.__name__}{how}({', '.join(options)}) of elements"
            if rule is None and method == "__call__" and ufunc not in UNMODELLED:
                raise Forbidden(f"{words}: {_allowed()}")
            raise Unmodelled(f"{words} is not modelled")
        if options.pop("order", "K") != "K":
            raise Unmodelled(
                f"np.{ufunc.__name__} of elements with an order of its own is not modelled"
            )
        unhonoured(f"np.{ufunc.__name__}", **options)
        kinds = [
            value if isinstance(value, int | float | complex) else _type_of(value)
            for value in inputs
        ]
        for value in inputs:
            if isinstance(value, Elements):
                value.read()
        # x += 1 on a number makes another number
        target = out[0] if out and not getattr(out[0], "scalar", False) else None
        return delivered(rule(np.result_type(*kinds), *inputs), target)

    def sum(self, *arguments: Any, **named: Any) -> Elements:
        return _summed(self, *arguments, **named)

    def dot(self, b: Any, out: Any = None) -> Elements:
        return _dot(self, b, out)


@dataclass(frozen=True)
class Exact:
    """New arrays of data are arrays of elements, with so many stimuli."""

    dtype: np.dtype[Any]
    recognizer: Recognizer
    stimuli: int
    lanes: int = LANES

    def holds(self, dtype: DTypeLike | None) -> bool:
        """Return whether an array of this type is one of data."""
        return np.dtype(dtype) == self.dtype

    def zeros(self, shape: Any) -> Elements:
        """Return an array of zeros."""
        return Elements.zeros(shape, self.dtype, self.recognizer, self.stimuli)


def _matmul(dtype: np.dtype[Any], one: Any, other: Any) -> Elements:
    """Return the product of matrices, of which one is of constants, column by column."""
    a, b = (value if isinstance(value, Elements) else np.asarray(value) for value in (one, other))
    if min(a.ndim, b.ndim) < 1 or max(a.ndim, b.ndim) < 2:
        raise Unmodelled(f"a product of arrays with {a.ndim} and {b.ndim} axes is not modelled")
    left, right = (a if a.ndim > 1 else a.reshape(1, -1)), (b if b.ndim > 1 else b.reshape(-1, 1))
    if left.shape[-1] != right.shape[-2] or not left.shape[-1]:
        raise ValueError(f"a product of matrices of shapes {a.shape} and {b.shape}")
    columns = [
        _multiply(dtype, left[..., :, k : k + 1], right[..., k : k + 1, :])
        for k in range(left.shape[-1])
    ]
    whole = reduce(partial(_add, dtype), columns).copy()  # in rows, as numpy makes it
    if whole.ndim > 3 and not (a.flags.c_contiguous and b.flags.c_contiguous):
        raise Unmodelled("a product of matrices by several axes that do not lie in rows")
    if b.ndim == 1:
        return whole[..., 0]
    return whole[..., 0, :] if a.ndim == 1 else whole


def _summed(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Elements:
    """Return np.sum over one axis, or over all."""
    one = axis is None or isinstance(axis, int | np.integer)
    if not isinstance(a, Elements) or not one or not a.size:
        raise Unmodelled("a sum of elements over several axes, or of nothing is not modelled")
    unhonoured("np.sum", dtype=dtype, keepdims=keepdims, initial=initial, where=where)
    a.read()
    place = 0 if axis is None else normalize_axis_index(int(axis), a.ndim)
    others = (i for i in range(a.ndim) if i != place)
    rows = a.reshape(-1) if axis is None else a.transpose(place, *others)
    summands = (rows[k : k + 1] for k in range(len(rows)))
    return delivered(reduce(partial(_add, a.dtype), summands)[0], out)


def _dot(a: Any, b: Any, out: Any = None) -> Elements:
    if np.ndim(b) > 2:
        raise Unmodelled(f"np.dot with an array of {np.ndim(b)} axes is not modelled")
    factors = [value.read() if isinstance(value, Elements) else value for value in (a, b)]
    return delivered(_matmul(np.result_type(*map(_type_of, factors)), *factors), out)


def _type_of(value: Any) -> np.dtype[Any]:
    return getattr(value, "dtype", None) or np.asarray(value).dtype


def _allowed() -> str:
    names = ", ".join(sorted(ufunc.__name__ for ufunc in UFUNCS))
    return f"exact are {names}, each linear in the elements"


def _add(dtype: np.dtype[Any], one: Any, other: Any) -> Elements:
    array = one if isinstance(one, Elements) else other
    a, b = array.operand(one), array.operand(other)
    parts = plus(a.parts, b.parts, array.recognizer.field.q)
    return Elements(
        widened(parts, number_of_parts(dtype)), dtype, array.recognizer, a.past.added(b.past)
    )


def _subtract(dtype: np.dtype[Any], one: Any, other: Any) -> Elements:
    array = one if isinstance(one, Elements) else other
    return _add(dtype, array.operand(one), _negative(dtype, array.operand(other)))


def _negative(dtype: np.dtype[Any], array: Elements) -> Elements:
    q = array.recognizer.field.q
    return Elements((q - array.parts) % q, array.dtype, array.recognizer, array.past)


def _multiply(dtype: np.dtype[Any], one: Any, other: Any) -> Elements:
    if isinstance(one, Elements) and isinstance(other, Elements):
        return one.product(other, dtype)
    array, number = (one, other) if isinstance(one, Elements) else (other, one)
    constant = array.recognizer.recognize(number)
    parts = times(array.parts, constant.residues, array.recognizer.field.q)
    return Elements(
        widened(parts, number_of_parts(dtype)),
        dtype,
        array.recognizer,
        array.past.grown(constant.magnitude, constant.halves),
    )


def _power(dtype: np.dtype[Any], array: Any, exponent: Any) -> Elements:
    """Return x**2; no other power is of a result."""
    if not (isinstance(array, Elements) and isinstance(exponent, int) and exponent == 2):
        raise Forbidden(f"a power of elements other than x**2: {_allowed()}")
    return array.product(array, dtype)


def _divide(dtype: np.dtype[Any], one: Any, other: Any) -> Elements:
    if isinstance(other, Elements):
        raise Forbidden(
            "a quotient by elements: a linear transform divides its data by constants only"
        )
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
    np.power: _power,
    np.square: lambda dtype, array: array.product(array, dtype),
    np.true_divide: _divide,
    np.conjugate: _conjugate,
    np.matmul: _matmul,
}
UNMODELLED = {
    getattr(np, name)
    for name in ("vecdot", "matvec", "vecmat", "ldexp", "isnan", "isinf", "isfinite", "signbit")
    if hasattr(np, name)
}
"""What a right program may do with its data, and elements cannot."""


def fft(
    a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Elements:
    """np.fft.fft by its definition, for lengths that divide the order of the roots of unity."""
    return _fourier(a, n, axis, NORMS[norm][0], -1, out)


def ifft(
    a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Elements:
    """np.fft.ifft by its definition."""
    return _fourier(a, n, axis, NORMS[norm][1], 1, out)


def rfft(
    a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Elements:
    """np.fft.rfft by its definition: the entries 0 to n/2 of the transform of real elements."""
    if isinstance(a, Elements) and a.dtype.kind == "c":
        raise Forbidden("np.fft.rfft of complex elements, whose imaginary part it loses")
    whole = fft(a, n, axis, norm)
    return delivered(_lying_like(whole[_up_to(whole, axis, whole.shape[axis] // 2 + 1)], a), out)


def irfft(
    a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Elements:
    """np.fft.irfft by its definition: the real inverse transform of entries 0 to n/2, the imaginary
    parts of the first and last left out.
    """
    if not isinstance(a, Elements) or n not in (None, 2 * (a.shape[axis] - 1)):
        raise Unmodelled(f"np.fft.irfft with n = {n}: cutting and padding are not modelled")
    rows = a.swapaxes(axis, 0)
    inner, length = rows[1:-1], 2 * (len(rows) - 1)
    whole = np.concatenate([rows.real[:1] + 0j, inner, rows.real[-1:] + 0j, inner[::-1].conj()])
    return delivered(_lying_like(ifft(whole, length, 0, norm).real.swapaxes(0, axis), a), out)


def _lying_like(found: Elements, a: Elements) -> Elements:
    """Return a copy of a result in the array's order of memory, as numpy makes it."""
    parts = np.empty_like(a.parts, shape=found.parts.shape)
    parts[...] = found.parts
    return found.like(parts)


def _up_to(a: Elements, axis: int, count: int) -> tuple[slice, ...]:
    place = normalize_axis_index(axis, a.ndim)
    return tuple(slice(count) if i == place else slice(None) for i in range(a.ndim))


def _fourier(a: Any, n: int | None, axis: int, divided: int, sign: int, out: Any) -> Elements:
    if not isinstance(a, Elements):
        raise Unmodelled("a Fourier transform of ordinary numbers into an array of elements")
    axis = normalize_axis_index(axis, a.ndim)
    length = a.shape[axis]
    if n not in (None, length):
        raise Unmodelled(
            f"a Fourier transform with n = {n} of an axis of {length} elements: cutting and padding"
            " are not modelled"
        )
    if not length or a.recognizer.field.order % length:
        raise Unmodelled(
            f"a Fourier transform of length {length}: the field has roots of unity of order"
            f" {a.recognizer.field.order}"
        )
    parts = np.moveaxis(widened(a.read().parts, 2), axis, 0)
    weight = inverse_root(length, divided, a.recognizer)
    found = fourier(parts, sign, a.recognizer) * weight % a.recognizer.field.q
    lg = log2(length)
    past = a.past.grown(lg - lg * divided / 2, ceil(lg * divided / 2))
    whole = Elements(
        np.moveaxis(found, 0, axis), np.result_type(a.dtype, np.complex64), a.recognizer, past
    )
    return delivered(_lying_like(whole, a) if out is None else whole, out)


def _zeros_like(
    a: Elements, dtype: DTypeLike | None = None, order: str = "K", shape: Any = None
) -> Elements:
    count = number_of_parts(dtype or a.dtype)
    parts = shaped_like(widened(a.parts[..., :count, :], count), shape, order)
    parts[...] = 0
    return Elements(parts, dtype or a.dtype, a.recognizer)


def _full_like(
    a: Elements,
    fill_value: Any,
    dtype: DTypeLike | None = None,
    order: str = "K",
    shape: Any = None,
) -> Elements:
    found = _zeros_like(a, dtype, order, shape)
    found[...] = fill_value
    return found


Elements.functions = SHAPES | {
    np.zeros_like: _zeros_like,
    np.full_like: _full_like,
    np.ones_like: lambda a, dtype=None, order="K", shape=None: _full_like(
        a, 1, dtype, order, shape
    ),
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
    np.sum: _summed,
    np.dot: _dot,
    np.fft.fft: fft,
    np.fft.ifft: ifft,
    np.fft.rfft: rfft,
    np.fft.irfft: irfft,
}
