"""The memory of the arrays that stand for a program's data: what moves entries, as numpy does,
without computing with them.

An array of shape s is a numpy array `parts` of numbers of shape (*s, parts, K). Slices, reshape,
transpose and view are views, as in numpy: they share the memory with the array that they come from.
An entry has no value that a program could read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import DTypeLike, NDArray

from codegen.mpi.memory.accesses import used
from codegen.mpi.memory.touched import touched
from codegen.mpi.ranks import running
from proofs.certify.arrays.arguments import taken, unhonoured
from proofs.certify.forbidden import Forbidden, Unmodelled

Parts = NDArray[np.int64]

BY_VALUE = {
    *(np.sort, np.argsort, np.lexsort, np.partition, np.argpartition, np.searchsorted, np.unique),
    *(np.nonzero, np.flatnonzero, np.where, np.argmax, np.argmin),
}
"""Functions whose results depend on the values of elements, which a linear map cannot ask for."""
BEHIND = (
    *("ctypes", "data", "device", "all", "any", "argmax", "argmin", "argsort", "argpartition"),
    *("clip", "max", "min", "nonzero", "partition", "searchsorted", "sort"),
)
"""Attributes of arrays that show their memory, or values of elements: no linear map needs them."""


class Flags:
    """What a program may know of how an array lies in memory."""

    def __init__(self, c_contiguous: bool, f_contiguous: bool, writeable: bool) -> None:
        self.c_contiguous = self.contiguous = c_contiguous
        self.writeable = self.behaved = writeable
        self.f_contiguous = f_contiguous
        self.aligned, self.carray = True, c_contiguous and writeable

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Python asks for protocols
            raise AttributeError(name)
        raise Unmodelled(f"flags.{name} of elements is not modelled")


class Storage(NDArrayOperatorsMixin):
    """An array in place of a numpy array. It is no ndarray, so that nothing in numpy reaches its
    entries past the rules here.
    """

    functions: ClassVar[Mapping[Callable[..., Any], Callable[..., Any]]] = {}
    """What np.f does with such arrays, by f; everything else is refused."""

    def __init__(self, parts: Parts, dtype: DTypeLike) -> None:
        self.parts, self.dtype = parts, np.dtype(dtype)
        # true of what numpy gives for an index of one entry: a number of its own, no view
        self.scalar = False

    def loaded(self, index: Any = None) -> Self:
        """Note that the running rank reads the entries, or those at an index; return the array."""
        touched(self.parts, False, self.ndim, index)
        used(self.parts, stores=False, index=index)
        return self

    def stored(self, index: Any = None) -> None:
        """Note that they have been written by it."""
        touched(self.parts, True, self.ndim, index)
        used(self.parts, stores=True, index=index)

    def sent(self) -> None:
        """Note that the entries, which may be a contiguous view, go through an exchange."""
        raise NotImplementedError

    def like(self, parts: Parts) -> Self:
        """Return an array with these parts, a view where they lie in the memory of this one."""
        raise NotImplementedError

    def assign(self, value: Any) -> None:
        """Set all entries to this array, broadcast as in numpy."""
        raise NotImplementedError

    def store_at(self, index: Any, value: Any) -> None:
        """Set the entries at an index of arrays of integers or truth values."""
        raise NotImplementedError

    @classmethod
    def joined(cls, arrays: Sequence[Any], parts_of: Callable[[list[Parts]], Parts]) -> Self:
        """Return one array of the entries of several, whose parts are put together like this."""
        raise NotImplementedError

    @property
    def depth(self) -> int:
        """The greatest number of exchanges between ranks that an entry has been through."""
        raise NotImplementedError

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        rule = self.functions.get(function)
        name = f"{function.__module__}.{function.__name__}".replace("numpy", "np")
        if rule is None:
            if function in BY_VALUE and (function is not np.where or isinstance(args[0], Storage)):
                raise Forbidden(
                    f"{name} of elements is not modelled: what it does depends on their values"
                )
            raise Unmodelled(f"{name} of elements is not modelled")
        return taken(function, rule, name, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise put_outside(self.dtype, self.dtype if dtype is None else dtype)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # numpy and Python ask for protocols
            raise AttributeError(name)
        if hasattr(np.ndarray, name) and name not in BEHIND:
            raise Unmodelled(f"the attribute {name} of elements is not modelled")
        raise Forbidden(f"the attribute {name} of elements is not modelled")

    def _no_value(self, *_: Any) -> NoReturn:
        raise Forbidden(
            "an element is converted to a truth value, number, text or key: the course of the"
            " program would depend on its data"
        )

    __bool__ = __int__ = __index__ = __bytes__ = __contains__ = _no_value
    __round__ = __trunc__ = __floor__ = __ceil__ = __hash__ = __str__ = __format__ = _no_value

    def _no_number(self, *_: Any) -> NoReturn:
        raise Unmodelled(
            "elements become numbers of Python, or are copied or sent as objects: that is not"
            " modelled"
        )

    __float__ = __complex__ = __reduce_ex__ = _no_number

    def __repr__(self) -> str:
        return f"Elements(shape {self.shape}, {self.dtype})" if running() is None else str(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """As of a numpy array, and so are the following."""
        return self.parts.shape[:-2]

    @shape.setter
    def shape(self, _: Any) -> None:
        raise Unmodelled("the shape of an array of elements is set: that is not modelled")

    @property
    def flat(self) -> NoReturn:
        """Of elements one by one: not modelled, read or set."""
        raise Unmodelled("the attribute flat of elements is not modelled")

    @flat.setter
    def flat(self, _: Any) -> None:
        raise Unmodelled("the attribute flat of elements is not modelled")

    @property
    def ndim(self) -> int:
        return self.parts.ndim - 2

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def flags(self) -> Flags:
        turned = self.parts.transpose(*range(self.ndim)[::-1], self.ndim, self.ndim + 1)
        writeable = bool(self.parts.flags.writeable) and not self.scalar
        rows, columns = (bool(parts.flags.c_contiguous) for parts in (self.parts, turned))
        return Flags(rows, columns, writeable)

    @property
    def T(self) -> Self:
        return self.transpose()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array of shape () has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Self:
        if not _is_basic(index):
            self.loaded(_index(index, self.ndim))
        found = self.like(self.parts[_index(index, self.ndim)])
        return found.alone() if found.ndim == 0 and _is_number(index) else found

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.scalar:
            raise TypeError("an entry of an array is a number: it has no entries to set")
        if _is_basic(index):
            self.like(self.parts[_index(index, self.ndim)]).assign(value)
        else:
            self.store_at(_index(index, self.ndim), value)

    def alone(self) -> Self:
        """Return this entry as numpy gives it, a number of its own."""
        number = self.copy()
        number.scalar = True
        return number

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> Self:
        unhonoured("reshape", copy=copy)
        sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        if self._by_columns("reshape", order):
            return self.T.reshape(*sizes[::-1]).T
        parts = self.parts.reshape(*sizes, *self.parts.shape[-2:])
        if not np.may_share_memory(parts, self.parts):
            parts = self.loaded().parts.reshape(parts.shape)
        return self.like(parts)

    def transpose(self, *axes: Any) -> Self:
        one = len(axes) == 1 and not isinstance(axes[0], int | np.integer)
        order = axes[0] if one else axes or None
        order = range(self.ndim)[::-1] if order is None else order
        chosen = normalize_axis_tuple(order, self.ndim)
        if len(chosen) != self.ndim:
            raise ValueError(f"{len(chosen)} axes for an array of {self.ndim}")
        return self.like(self.parts.transpose(*chosen, self.ndim, self.ndim + 1))

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        both = (normalize_axis_index(axis, self.ndim) for axis in (axis1, axis2))
        return self.like(self.parts.swapaxes(*both))

    def ravel(self, order: str = "C") -> Self:
        found = self.reshape(-1, order=order)
        return found if found.flags.c_contiguous else found.copy()

    def flatten(self, order: str = "C") -> Self:
        return self.reshape(-1, order=order).copy()

    def copy(self, order: str = "C") -> Self:
        return self.like(copied(self.loaded().parts, order))

    def _by_columns(self, name: str, order: str) -> bool:
        """Return whether an order of numpy's is that of columns for this array."""
        if order == "A":
            return not self.flags.c_contiguous and self.flags.f_contiguous
        if order != "F":
            unhonoured(name, order=order)
        return order == "F"

    def lies(self, order: str) -> bool:
        """Return whether the entries lie side by side in this order of numpy's."""
        flags = self.flags
        return {"C": flags.c_contiguous, "F": flags.f_contiguous}.get(
            order, flags.c_contiguous or flags.f_contiguous
        )

    def take(
        self, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
    ) -> Any:
        return np.take(self, indices, axis, out, mode)  # type: ignore[call-overload]

    def squeeze(self, axis: Any = None) -> Any:
        return np.squeeze(self, axis)

    def repeat(self, repeats: Any, axis: int | None = None) -> Any:
        return np.repeat(self, repeats, axis)

    def fill(self, value: Any) -> None:
        self.assign(value)


def copied(parts: Parts, order: str) -> Parts:
    """Return a copy of parts whose entries lie in this order of numpy's."""
    inner = parts.ndim - 2
    turned = parts.transpose(*range(inner)[::-1], inner, inner + 1)
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order {order!r}: numpy has C, F, A and K")
    if order == "K":
        return parts.copy(order="K")
    if order == "F" or (
        order == "A" and turned.flags.c_contiguous and not parts.flags.c_contiguous
    ):
        return turned.copy(order="C").transpose(*range(inner)[::-1], inner, inner + 1)
    return parts.copy(order="C")


def put_outside(of: DTypeLike, into: DTypeLike) -> Forbidden:
    """Return the message for elements put into an ordinary array, which cannot hold them."""
    text = (
        f"elements of {np.dtype(of)} are put into an ordinary array of {np.dtype(into)}: arrays of"
        " data are made by np.empty or np.zeros with DTYPE"
    )
    return Unmodelled(text) if np.can_cast(of, into) else Forbidden(text)


def _index(index: Any, ndim: int) -> Any:
    """Return an index of the array as an index of its parts; it must not reach into them."""
    if ndim and (type(index) is int or type(index) is slice):
        return index
    entries = index if isinstance(index, tuple) else (index,)
    used = sum(
        max(np.ndim(entry), 1) if np.asarray(entry).dtype == bool else 1
        for entry in entries
        if entry is not None and entry is not Ellipsis
    )
    if used > ndim:
        raise IndexError(f"{used} indices of an array with {ndim} axes")
    dots = any(entry is Ellipsis for entry in entries)
    return (*entries, slice(None), slice(None)) if dots else index


def _is_basic(index: Any) -> bool:
    entries = index if isinstance(index, tuple) else (index,)
    return all(
        entry is None or entry is Ellipsis or isinstance(entry, int | np.integer | slice)
        for entry in entries
    )


def _is_number(index: Any) -> bool:
    """Return whether an index of one entry gives the number, and no view of it: numpy's rule."""
    entries = index if isinstance(index, tuple) else (index,)
    return all(isinstance(entry, int | np.integer) for entry in entries)
