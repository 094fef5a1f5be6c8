"""The numpy that a program finds: its new arrays of data are arrays of exact elements, others hold
no number before they are written.

Arguments are honoured as numpy honours them, or refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import DTypeLike

from codegen.mpi.memory.buffers import poison
from codegen.mpi.memory.segments import Memory
from proofs.certify.arrays.arguments import unhonoured
from proofs.certify.arrays.storage import Storage
from proofs.certify.forbidden import Unmodelled
from proofs.certify.stand_ins import StandIn, for_main, listed, nothing_else

NUMPY_MODULES = ("fft", "linalg", "random", "typing")
ANNOTATIONS = ("NDArray", "ArrayLike", "DTypeLike")


class Arrays(Protocol):
    """What stands for arrays of data."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type that the program asks for."""

    def holds(self, dtype: DTypeLike | None) -> bool:
        """Return whether an array made with this type is one of data."""

    def zeros(self, shape: Any) -> Storage:
        """Return such an array."""


class NdArray:
    """np.ndarray, which a program may name in its annotations."""

    def __new__(cls, *_: Any, **__: Any) -> NoReturn:
        raise Unmodelled("np.ndarray() is not modelled: arrays are made by np.empty or np.zeros")

    def __class_getitem__(cls, _: Any) -> type[NdArray]:
        return cls

    def __init_subclass__(cls) -> NoReturn:
        raise Unmodelled("a class of arrays of one's own is not modelled")


def numpy_of(arrays: Arrays) -> ModuleType:
    """Return numpy whose new arrays of data are these."""
    made = {name: _making(name, arrays) for name in ("zeros", "empty", "ones", "full")}
    made["frombuffer"] = partial(_from_buffer, arrays)
    passing = {name: _passing(getattr(np, name), *how) for name, how in PASSING.items()}
    return _numpy(made | {"require": _required, "empty_like": _written(np.empty_like)} | passing)


def _written(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return np.empty or np.empty_like, whose arrays of ordinary numbers have no entries: nothing
    is said of what nobody has written.
    """

    def made(*arguments: Any, **options: Any) -> Any:
        array = function(*arguments, **options)
        if isinstance(array, Storage) or not array.size or array.dtype.hasobject:
            return array
        raise Unmodelled(
            f"np.{function.__name__} of numbers of {array.dtype} that are no data is not modelled:"
            " what nobody has written is another thing in every run, and np.zeros makes zeros"
        )

    return made


def _making(name: str, arrays: Arrays) -> Callable[..., Any]:
    """Return np.zeros or the like, whose arrays of data are these."""
    usual = {"empty": _written(np.empty)}.get(name, getattr(np, name))

    def made(
        shape: Any,
        dtype: DTypeLike | None = None,
        order: str = "C",
        *,
        device: Any = None,
        like: Any = None,
    ) -> Any:
        unhonoured(f"np.{name}", device=device, like=like)
        if not arrays.holds(dtype):
            return usual(shape, dtype, order)
        array = _ordered(arrays, shape, order)
        if name == "ones":
            array[...] = 1
        return _poisoned(array) if name == "empty" else array

    def full(
        shape: Any, fill_value: Any, dtype: DTypeLike | None = None, *rest: Any, **more: Any
    ) -> Any:
        kind = fill_value.dtype if dtype is None and isinstance(fill_value, Storage) else dtype
        if kind is None or not arrays.holds(kind):
            return np.full(shape, fill_value, dtype, *rest, **more)
        array = made(shape, kind, *rest, **more)
        array[...] = fill_value
        return array

    chosen = full if name == "full" else made
    chosen.__name__ = name
    return chosen


def _from_buffer(
    arrays: Arrays,
    /,
    buffer: Any,
    dtype: DTypeLike | None = None,
    count: int = -1,
    offset: int = 0,
    *,
    like: Any = None,
) -> Any:
    unhonoured("np.frombuffer", like=like)
    if not isinstance(buffer, Memory):
        raise Unmodelled(
            "np.frombuffer of what is no window: arrays of data are made by np.empty or"
            " np.zeros with DTYPE"
        )
    return (
        _shared(buffer, dtype, count, offset, arrays)
        if arrays.holds(dtype)
        else np.frombuffer(buffer, dtype, count, offset)
    )


def _ordered(arrays: Arrays, shape: Any, order: str) -> Storage:
    """Return an array of data of zeros in rows or in columns."""
    if order not in ("C", "F"):
        raise ValueError(f"order {order!r}: only 'C' or 'F' order is permitted")
    if order == "C" or isinstance(shape, int | np.integer):
        return arrays.zeros(shape)
    return arrays.zeros(tuple(shape)[::-1]).transpose()


def _shared(
    memory: Memory, dtype: DTypeLike | None, count: int, offset: int, arrays: Arrays
) -> Any:
    """Return the array of data that a rank's part of a window stands for."""
    size = np.dtype(dtype).itemsize
    if offset % size or memory.segment.octets % size:
        raise Unmodelled(
            f"np.frombuffer from byte {offset} of {memory.segment.octets}: elements of {size} bytes"
            " keep their size"
        )
    whole_ = memory.segment.typed(arrays.zeros, size)
    return (
        whole_[offset // size :] if count < 0 else whole_[offset // size : offset // size + count]
    )


def empty(
    shape: Any,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> Any:
    """np.empty, whose arrays hold no number before they are written."""
    unhonoured("np.empty", device=device, like=like)
    return _poisoned(np.empty(shape, dtype, order))  # type: ignore[call-overload]


def empty_like(
    prototype: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """np.empty_like, likewise."""
    found = np.empty_like(prototype, dtype=dtype, order=order, shape=shape, device=device)  # type: ignore[call-overload]
    return found if isinstance(found, Storage) else _poisoned(found)


def numpy_with_poison() -> ModuleType:
    """Return numpy whose new arrays hold no number before they are written."""
    return _numpy({"empty": empty})


def _numpy(own: Mapping[str, Any]) -> ModuleType:
    inner = {
        "fft": listed("numpy.fft"),
        "linalg": listed("numpy.linalg"),
        "random": for_main("numpy.random"),
        "typing": StandIn(
            "numpy.typing", dict.fromkeys(ANNOTATIONS, NdArray), nothing_else("numpy.typing")
        ),
    }
    known = {"empty_like": empty_like, "ndarray": NdArray} | inner | dict(own)
    return StandIn("numpy", known, listed("numpy").__getattr__)


def _poisoned(array: Any) -> Any:
    if not array.dtype.hasobject:  # of objects numpy makes None
        poison(array)
    return array


PASSING: dict[str, tuple[str, bool | None]] = {
    "array": ("K", True),
    "asarray": ("K", None),
    "asanyarray": ("K", None),
    "ascontiguousarray": ("C", None),
    "asfortranarray": ("F", None),
}
"""The functions that make an array of what they are given, with the order and the copy that they
make if they are not told.
"""


def _passing(
    function: Callable[..., Any], order_of_its_own: str, copies: bool | None
) -> Callable[..., Any]:
    """Return np.array or the like for elements, which they leave as they are or copy."""

    def made(
        value: Any,
        dtype: DTypeLike | None = None,
        order: Any = None,
        copy: bool | None = copies,
        **options: Any,
    ) -> Any:
        array = _stacked(value)
        if not isinstance(array, Storage):
            given = {"order": order} if order is not None else {}
            return function(
                value, dtype, **given, **({"copy": copy} if copy is not copies else {}), **options
            )
        unhonoured(f"np.{function.__name__}", **options)
        return _converted(array, dtype, order or order_of_its_own, copy)

    return made


def _converted(array: Storage, dtype: DTypeLike | None, order: str, copy: bool | None) -> Any:
    """Return an array of elements in this type and order, itself if it is so and no copy asked."""
    kind = array.dtype if dtype is None else np.dtype(dtype)
    array = array if array.ndim or order == "K" else array.reshape(1)
    in_order = order in ("K", "A") or array.lies(order)
    stays = kind == array.dtype and in_order and not array.scalar
    if stays and not copy:
        return array
    if copy is False:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return array.copy(order) if kind == array.dtype else array.astype(kind, order=order)


def _required(
    a: Any, dtype: DTypeLike | None = None, requirements: Any = None, *, like: Any = None
) -> Any:
    """np.require, of an array of elements in rows or columns and to be written to."""
    wanted = {
        str(requirement).upper()
        for requirement in ([requirements] if isinstance(requirements, str) else requirements or ())
    }
    if not isinstance(a, Storage):
        return np.require(a, dtype, requirements, like=like)
    rows, columns, written = (
        {"C", "C_CONTIGUOUS", "CONTIGUOUS"},
        {"F", "F_CONTIGUOUS", "FORTRAN"},
        {"W", "WRITEABLE"},
    )
    unhonoured("np.require", like=like)
    if wanted - rows - columns - written - {"A", "ALIGNED"}:
        raise Unmodelled(
            f"np.require of elements with requirements={requirements!r} is not modelled"
        )
    found = _converted(a, dtype, "C" if wanted & rows else "F" if wanted & columns else "A", None)
    return found if found.flags.writeable or not wanted & written else found.copy("A")


def _stacked(value: Any) -> Any:
    """Return a list of arrays of elements, or of such lists, as an array; all else as it is."""
    if not isinstance(value, list | tuple):
        return value
    arrays = [_stacked(entry) for entry in value]
    return np.stack(arrays) if any(isinstance(array, Storage) for array in arrays) else value
