"""Functions of numpy that move entries and do not compute with them: numpy's own, on the items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import DTypeLike

from proofs.certify.exact.arithmetic import deliver, space_of
from proofs.certify.exact.data import Data, by_numpy, demand_same, operand, raised
from proofs.certify.exact.space import UNWRITTEN
from proofs.certify.language.limits import Limits
from proofs.certify.language.table_entries import DATA, OTHER_ARRAY, Undecided
from proofs.certify.language.tables.result_sizes import of_repeats, of_spread, of_tiles

Rule = Callable[..., Any]
OF_ONE = 1 << 15
"""Bytes of a result that take as long as one more array that is joined."""


def of_items(function: Rule) -> Rule:
    """Return a function of one array as one of data: views stay views."""

    def rule(a: Any, *given: Any, **named: Any) -> Any:
        if not isinstance(a, Data) or any(isinstance(one, Data) for one in given):
            raise Undecided(f"np.{function.__name__} with {DATA} as a second argument")
        if function in GROWING:
            a.space.few(by_numpy(GROWING[function], Limits(), a, *given, **named))
        found = by_numpy(function, a.items, *given, **named)
        arrays = found if isinstance(found, list | tuple) else [found]
        if any(not np.may_share_memory(one, a.items) and one.size for one in arrays):
            a.touch(False)
        if isinstance(found, list | tuple):
            return type(found)(a.like(one) for one in found)
        return a.like(found)

    return rule


def _of_pieces(limits: Limits, a: Data, pieces: Any, *_: Any, **__: Any) -> Any:
    return pieces if np.ndim(pieces) == 0 else len(pieces)


GROWING: dict[Rule, Rule] = {
    np.tile: of_tiles,
    np.repeat: of_repeats,
    np.broadcast_to: of_spread,
    np.take_along_axis: lambda limits, a, indices, *_, **__: np.size(indices),
    **dict.fromkeys((np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit), _of_pieces),
}
"""How many entries, or arrays, the results of functions have that may have many more than their
arguments.
"""


def of_many(function: Rule) -> Rule:
    """Return a function that puts several arrays together."""

    def rule(arrays: Any, *given: Any, out: Any = None, **named: Any) -> Data:
        values = list(arrays)
        space = space_of(*values)
        if space.spend is not None:
            space.spend(len(values) * OF_ONE)
        whole = [operand(value, space) for value in values]
        space.few(sum(value.size for value in whole))
        dtype = np.result_type(*(value.dtype for value in whole))
        for value in whole:
            demand_same(value.dtype, dtype, space)
            value.touch(False)
        items = [value.moved(space.parts(dtype)) for value in whole]
        found = Data(by_numpy(function, items, *given, **named), dtype, space)
        if isinstance(out, Data) and any(np.shares_memory(each.items, out.items) for each in whole):
            axis = given[0] if given else named.get("axis", 0)
            if axis is None or "dtype" in named or found.shape != out.shape:
                raise Undecided(f"np.{function.__name__} into an array that it reads")
            place = by_numpy(normalize_axis_index, axis, out.ndim)
            return _one_by_one(whole, out, place, function is np.stack)
        return deliver(found, out)

    return rule


def _one_by_one(values: list[Data], out: Data, axis: int, stacks: bool) -> Data:
    """Put arrays into `out`, in whose memory some of them are: one after the other, as numpy does,
    so that a later one may be read when an earlier one has been written over it.
    """
    lead, begin = (slice(None),) * axis, 0
    for value in values:
        end = begin + (1 if stacks else value.shape[axis])
        out[(*lead, begin if stacks else slice(begin, end))] = value
        begin = end
    return out


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Data:
    """Return np.take."""
    if not isinstance(a, Data) or isinstance(indices, Data):
        raise Undecided(f"np.take of constants into {DATA}, or at indices that depend on x")
    array = a.reshape(-1) if axis is None else a
    place = by_numpy(normalize_axis_index, 0 if axis is None else axis, array.ndim)
    within = np.asarray(indices)
    array.space.few([within.size, array.size // max(1, array.shape[place])])
    found = by_numpy(np.take, array.items, indices, axis=place, mode=mode)
    if mode != "raise":
        n = array.shape[place]
        within = np.clip(within, 0, n - 1) if mode == "clip" else within % n
    array.touch(False, (*(slice(None),) * place, within))
    scalar = not np.ndim(found)
    items = found if isinstance(found, np.ndarray) else np.asarray(found)
    return deliver(Data(array.like(items).items, a.dtype, a.space, scalar), out)


def where(condition: Any, *choices: Any) -> Data:
    """Return np.where with a condition that is no data."""
    if isinstance(condition, Data) or len(choices) != 2:
        raise Undecided("np.where with a condition that depends on x, or with one value")
    space = space_of(*choices)
    one, other = (operand(choice, space) for choice in choices)
    dtype = np.result_type(*(c.dtype if isinstance(c, Data) else _kind(c) for c in choices))
    for choice in (one, other):
        choice.touch(False)
    parts = space.parts(dtype)
    space.few(by_numpy(np.broadcast_shapes, *map(np.shape, (condition, one, other))))
    items = by_numpy(np.where, condition, one.moved(parts), other.moved(parts))
    return Data(items, dtype, space)


def _kind(value: Any) -> Any:
    return value if isinstance(value, int | float | complex) else np.asarray(value).dtype


def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """Do np.copyto."""
    if not isinstance(dst, Data) or isinstance(where, Data):
        raise Undecided(OTHER_ARRAY)
    source = operand(src, dst.space)
    kind = src.dtype if isinstance(src, Data) else np.asarray(src).dtype
    if isinstance(src, Data | np.ndarray) and not np.can_cast(kind, dst.dtype, casting):
        raise raised(TypeError(f"np.copyto of {kind} into {dst.dtype}"))
    if where is True:
        dst.assign(src)
        return
    mask = by_numpy(np.broadcast_to, where, dst.shape)
    spread = source.viewed(np.broadcast_to, dst.shape)
    dst[mask] = spread[mask]


def array(
    object: Any,
    dtype: DTypeLike | None = None,
    *,
    copy: Any = True,
    order: Any = "K",
    ndmin: int = 0,
) -> Data:
    """Return np.array."""
    if not isinstance(object, Data):
        if copy is False:
            raise raised(ValueError("unable to avoid copy while creating an array as requested"))
        rows = [_row(each) for each in object]
        order = "F" if order == "F" else "C"  # the rows' own order does not matter
        return array(of_many(np.stack)(rows), dtype, copy=None, order=order, ndmin=ndmin)
    kind = object.dtype if dtype is None else np.dtype(dtype)
    found = object.astype(kind, order, copy=bool(copy))
    if copy is False and found is not object:
        raise raised(ValueError("unable to avoid copy while creating an array as requested"))
    found = found.viewed(lambda items: items[...]) if found.scalar else found
    missing = max(ndmin - found.ndim, 0)
    return found.reshape((1,) * missing + found.shape) if missing else found


def _row(value: Any) -> Any:
    """Return a part of a list as an array, counted."""
    if not _has_data(value):
        return np.asarray(value)
    found = array(value)
    if found.space.spend is not None:
        found.space.spend(OF_ONE)
    return found


def _has_data(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_has_data, value))
    return isinstance(value, Data)


def asarray(a: Any, dtype: DTypeLike | None = None, order: Any = None, *, copy: Any = None) -> Data:
    """Return np.asarray."""
    return array(a, dtype, copy=copy, order=order or "K")


def _in_order(order: str) -> Rule:
    def rule(a: Any, dtype: DTypeLike | None = None) -> Data:
        return array(a, dtype, copy=None, order=order, ndmin=1)

    return rule


def like(fill: Any) -> Rule:
    """Return np.zeros_like, ..; None leaves entries unwritten."""

    def rule(
        a: Any,
        dtype: DTypeLike | None = None,
        order: Any = "K",
        subok: bool = True,
        shape: Any = None,
    ) -> Any:
        return full_like(a, fill, dtype, order, subok, shape)

    return rule


def full_like(
    a: Any,
    fill_value: Any,
    dtype: DTypeLike | None = None,
    order: Any = "K",
    subok: bool = True,
    shape: Any = None,
) -> Any:
    """Return np.full_like."""
    if not isinstance(a, Data):
        raise Undecided(OTHER_ARRAY)
    fill, kind, space = fill_value, a.dtype if dtype is None else np.dtype(dtype), a.space
    if kind != a.dtype and (kind.kind not in "fc" or space.recognizer is None):
        if fill is None or isinstance(fill, Data):
            raise Undecided(f"an array of {kind} like one of {a.dtype}")
        return np.full(a.shape if shape is None else shape, fill, kind)
    space.few(a.shape if shape is None else shape)
    item = space.items[space.parts(kind)]
    items = by_numpy(np.empty_like, a.items, dtype=item, order=order, shape=shape)
    zero = isinstance(fill, int) and fill == 0
    items[...] = space.zeros((), kind) if zero else space.unwritten((), kind)
    found = Data(items, kind, space)
    if fill is not None and not zero:
        found.assign(fill)
    return found


def pad(array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0) -> Data:
    """Return np.pad with zeros."""
    if not isinstance(array, Data) or mode != "constant" or constant_values != 0:
        raise Undecided(f"np.pad of {DATA} with mode={mode!r}: in the language are zeros")
    widths = by_numpy(np.broadcast_to, pad_width, (array.ndim, 2)).tolist()
    shape = tuple(low + n + high for (low, high), n in zip(widths, array.shape, strict=True))
    order = "F" if array.items.flags.fnc else "C"
    found = Data(array.space.zeros(shape, array.dtype, order), array.dtype, array.space)
    inner = zip(widths, array.shape, strict=True)
    found[tuple(slice(low, low + n) for (low, _), n in inner)] = array
    return found


def memory_of(function: Rule) -> Rule:
    """Return np.shares_memory, or np.may_share_memory."""

    def rule(a: Any, b: Any, max_work: Any = None) -> bool:
        sides = [one.items if isinstance(one, Data) else one for one in (a, b)]
        return bool(function(*sides))

    return rule


MOVING = (
    *("transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis", "rollaxis"),
    *("expand_dims", "squeeze", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to"),
    *("flip", "fliplr", "flipud", "rot90", "roll", "repeat", "tile", "reshape", "ravel"),
    *("split", "array_split", "hsplit", "vsplit", "dsplit", "diagonal"),
    "take_along_axis",
)
MOVED = {name: of_items(getattr(np, name)) for name in MOVING}
SHIFTED = {f"fft.{name}": of_items(getattr(np.fft, name)) for name in ("fftshift", "ifftshift")}
JOINED = {
    name: of_many(getattr(np, name))
    for name in ["concatenate", "stack", "hstack", "vstack", "dstack", "column_stack"]
}
SHAPES: dict[str, Rule] = {
    **MOVED,
    **SHIFTED,
    **JOINED,
    "take": take,
    "where": where,
    "copyto": copyto,
    "array": array,
    "asarray": asarray,
    "ascontiguousarray": _in_order("C"),
    "asfortranarray": _in_order("F"),
    "copy": lambda a, order="K", subok=False: a.copy(order),
    "empty_like": like(None),
    "zeros_like": like(0),
    "ones_like": like(1),
    "full_like": full_like,
    "pad": pad,
    "shares_memory": memory_of(np.shares_memory),
    "may_share_memory": memory_of(np.may_share_memory),
    "shape": lambda a: a.shape,
    "ndim": lambda a: a.ndim,
    "size": lambda a: a.size,
    "iscomplexobj": lambda x: x.dtype.kind == "c",
    "isrealobj": lambda x: x.dtype.kind != "c",
}
"""The functions that move entries, by their names in numpy."""


def fresh(name: str, space: Any) -> Rule:
    """Return np.empty, np.zeros, np.ones or np.full for arrays of data."""
    fills = {"empty": UNWRITTEN, "zeros": 0, "ones": 1}

    def rule(shape: Any, *given: Any, dtype: Any = None, order: Any = "C") -> Data:
        fill, *rest = given if name == "full" else (fills[name], *given)
        stated = rest[0] if rest else dtype
        of_fill = name == "full" and stated is None
        kind = np.dtype(getattr(fill, "dtype", None) or type(fill) if of_fill else stated)
        order = rest[1] if rest[1:] else order
        if rest[2:]:
            raise Undecided(f"np.{name} with {len(given) + 1} arguments by their place")
        make = space.zeros if name == "zeros" else space.unwritten
        found = Data(by_numpy(make, shape, kind, order), kind, space)
        if name in ("ones", "full"):
            found.assign(fill)
        return found

    return rule
