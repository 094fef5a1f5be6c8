"""The functions, constants and types of numpy that a program may use."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np

from proofs.certify.language.limits import elements_of, few
from proofs.certify.language.table_entries import Undecided
from proofs.certify.language.tables import result_sizes
from proofs.certify.language.tables.kinds import Numeric, Plain, table
from proofs.certify.language.values.nested_sizes import values_in

TYPES = (
    "bool bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp uintp float32 float64"
    " complex64 complex128 int_ double single cdouble csingle ndarray generic number integer"
    " signedinteger unsignedinteger inexact floating complexfloating"
)
CONSTANTS = "pi e inf nan newaxis"

ONE_OPERAND = (
    "abs absolute cos sin tan arccos arcsin arctan cosh sinh tanh exp exp2 expm1 log log2 log10"
    " log1p sqrt square cbrt reciprocal negative positive conj conjugate floor ceil trunc rint sign"
    " isfinite isinf isnan signbit invert bitwise_not logical_not fabs deg2rad rad2deg radians"
    " degrees spacing bitwise_count"
)
TWO_OPERANDS = (
    "add subtract multiply divide true_divide floor_divide remainder mod fmod power float_power"
    " maximum minimum fmax fmin arctan2 hypot copysign nextafter ldexp gcd lcm equal not_equal less"
    " less_equal greater greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or"
    " bitwise_xor left_shift right_shift bitwise_left_shift bitwise_right_shift"
)
OTHERS = (
    "asarray(dtype,order,copy) array(dtype,order,copy,ndmin) ascontiguousarray(dtype)"
    " asfortranarray(dtype) arange(start,stop,step,dtype) linspace(num,endpoint,dtype,axis)"
    " zeros(shape,dtype,order) ones(shape,dtype,order) full(fill_value,dtype,order)"
    " zeros_like(dtype,order) ones_like(dtype,order) full_like(dtype,order)"
    " eye(dtype,k) identity(dtype) diag(k) diagonal(offset,axis1,axis2) tri(dtype) tril(k) triu(k)"
    " copyto(casting) copy(order) take(axis,out,mode) take_along_axis(axis) putmask where"
    " concatenate(axis,out,dtype) stack(axis,out) vstack hstack dstack column_stack block"
    " split(axis) array_split(axis) hsplit vsplit dsplit unstack(axis)"
    " reshape(shape,order,copy) ravel(order) transpose(axes) swapaxes moveaxis rollaxis"
    " permute_dims(axes) matrix_transpose expand_dims(axis) squeeze(axis) atleast_1d atleast_2d"
    " atleast_3d broadcast_to broadcast_arrays flip(axis) fliplr flipud rot90 roll(axis)"
    " tile repeat(axis) meshgrid(indexing) indices(dtype) ix_ pad(mode,constant_values)"
    " sum(axis,dtype,out,keepdims) prod(axis,dtype,out,keepdims) mean(axis,dtype,out,keepdims)"
    " cumsum(axis,dtype,out) cumprod(axis,dtype,out) max(axis,out,keepdims) min(axis,out,keepdims)"
    " amax(axis,out,keepdims) amin(axis,out,keepdims) any(axis,out,keepdims) all(axis,out,keepdims)"
    " argmax(axis) argmin(axis) argsort(axis,kind,stable) sort(axis,kind,stable) median(axis)"
    " nonzero flatnonzero argwhere count_nonzero(axis) searchsorted(side) unique diff(n,axis)"
    " ediff1d std(axis) var(axis) clip(out) round(decimals,out) around(decimals,out)"
    " real imag angle isreal iscomplex isrealobj iscomplexobj isscalar sinc interp"
    " dot(out) vdot inner matmul(out) outer(out) kron tensordot(axes) einsum(out)"
    " trapezoid array_equal allclose(rtol,atol) isclose(rtol,atol) shares_memory may_share_memory"
    " can_cast(casting) result_type promote_types min_scalar_type ndim shape size divmod modf"
    " unravel_index(order) ravel_multi_index(mode,order) bincount(minlength)"
    " cross issubdtype"
)
TRANSFORMS = "fft ifft rfft irfft hfft ihfft"
TRANSFORMS_OF_AXES = "fft2 ifft2 fftn ifftn rfft2 rfftn irfft2 irfftn"


def all_indices(*shape: Any) -> list[tuple[int, ...]]:
    """Do np.ndindex, all at once."""
    indices = np.ndindex(*shape)
    few(elements_of(shape[0] if len(shape) == 1 else shape))
    return list(indices)


def in_one_order(
    _: Any, a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None, **__: Any
) -> None:
    """Guard `argsort`: processors order equal values differently, unless it is stable."""
    values = np.sort(np.atleast_1d(a), axis)
    last = np.moveaxis(values, -1 if axis is None else axis, -1)
    asked = kind in ("stable", "mergesort") or stable
    if not asked and (last[..., 1:] == last[..., :-1]).any():
        raise Undecided('np.argsort of equal values depends on the processor; write kind="stable"')


GUARDED = {
    "zeros ones full empty fftfreq rfftfreq": result_sizes.of_shape,
    "broadcast_to": result_sizes.of_spread,
    "arange": result_sizes.of_range,
    "linspace": result_sizes.of_space,
    "eye identity tri": result_sizes.of_square,
    "diag": result_sizes.of_diagonal,
    "concatenate stack vstack hstack dstack column_stack block array asarray": (
        result_sizes.of_sequence
    ),
    "outer kron": result_sizes.of_product,
    "tile": result_sizes.of_tiles,
    "repeat": result_sizes.of_repeats,
    "diff": result_sizes.of_differences,
    "round around": result_sizes.of_decimals,
    "broadcast_arrays": result_sizes.of_views,
    "empty_like zeros_like ones_like full_like": result_sizes.of_like,
    "dot inner matmul vdot": result_sizes.of_matrices,
    "einsum": result_sizes.of_einsum,
    "tensordot": result_sizes.of_tensordot,
    "take": result_sizes.of_taken,
    "meshgrid": result_sizes.of_grid,
    "indices": result_sizes.of_indices,
    "pad": result_sizes.of_padding,
    "argsort": in_one_order,
    "bincount": result_sizes.of_counts,
    "split array_split hsplit vsplit dsplit": result_sizes.of_pieces,
    TRANSFORMS: result_sizes.of_transform,
    TRANSFORMS_OF_AXES: result_sizes.of_transforms,
}
GUARDS: dict[str, Any] = {name: guard for names, guard in GUARDED.items() for name in names.split()}

CHANCE = random.Random()
"""What decides with which of these an array begins that is not yet written."""
NUMBERS = (np.nan, 0.0, 12345.0, -54321.0, np.inf)
LONGEST = 1 << 12
"""Characters of the name of a type, with those of its fields."""
OCTETS = (0xA5, 0x00, 0x5A, 0xFF)
"""The bytes of numbers that cannot be NaN."""


def spoil(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Fill an array that is not yet written: each time with other numbers, so that a program whose
    results depend on them has wrong ones.
    """
    if array.dtype.hasobject:
        raise Undecided("an array of Python objects; give a dtype, or use a list")
    if array.dtype.kind in "fc":
        number = CHANCE.choice(NUMBERS)
        array.fill(complex(number, number) if array.dtype.kind == "c" else number)
    elif array.dtype.kind == "b":
        raise Undecided("truth values that nobody has written; write np.zeros(.., bool)")
    elif array.size:
        flat = array.reshape(-1, order="A")
        flat.view(np.uint8).fill(CHANCE.choice(OCTETS))
    return array


def empty(shape: Any, dtype: Any = float, order: Any = "C") -> np.ndarray[Any, Any]:
    """Return an array that is not yet written."""
    return spoil(np.empty(shape, dtype, order))


def empty_like(array: Any, dtype: Any = None, order: Any = "K") -> np.ndarray[Any, Any]:
    """Return an array of the same shape that is not yet written."""
    return spoil(np.empty_like(array, dtype, order, False))


def dtype(kind: Any) -> np.dtype[Any]:
    """Return a data type without Python objects in it."""
    if isinstance(kind, str | list | tuple) and values_in(kind) > LONGEST:
        raise Undecided(f"a dtype of more than {LONGEST} characters")
    found = np.dtype(kind)
    if found.hasobject or found.metadata:
        raise Undecided("a dtype of Python objects, or with metadata")
    return found


def _numeric(module: Any, words: str, keywords: str = "", prefix: str = "") -> dict[str, Any]:
    """Return functions of a module, all with these keywords."""
    words = "".join(f" {name}({keywords})" for name in words.split()) if keywords else words
    return table(Numeric, module, words, prefix, GUARDS)


def _numpy() -> dict[str, Any]:
    names: dict[str, Any] = {
        **{name: getattr(np, name) for name in (*TYPES.split(), *CONSTANTS.split())},
        **_numeric(np, f"{ONE_OPERAND} {TWO_OPERANDS}", "out,dtype"),
        **_numeric(np, OTHERS),
        "dtype": np.dtype,
        "finfo": Plain("finfo", np.finfo),
        "iinfo": Plain("iinfo", np.iinfo),
        "ndindex": Plain("ndindex", all_indices),
        "empty": Numeric(
            "empty", empty, _words("shape dtype order"), dtype_at=1, guard=GUARDS["empty"]
        ),
        "empty_like": Numeric(
            "empty_like", empty_like, _words("dtype order"), guard=GUARDS["empty_like"]
        ),
    }
    for name, at in {"zeros": 1, "ones": 1, "full": 2}.items():
        names[name] = replace(names[name], dtype_at=at)
    names["fft"] = {
        **_numeric(np.fft, TRANSFORMS, "n,axis,norm,out", "fft."),
        **_numeric(np.fft, TRANSFORMS_OF_AXES, "s,axes,norm,out", "fft."),
        **_numeric(np.fft, "fftfreq rfftfreq fftshift(axes) ifftshift(axes)", prefix="fft."),
    }
    return names


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


NUMPY = _numpy()
"""The names of numpy: functions, constants, types, and the modules in it."""
