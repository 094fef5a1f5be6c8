"""The attributes of Python's and numpy's own values that a program may read, call and set."""

from __future__ import annotations

import string
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

from proofs.certify.language.limits import PIECE, Limits, count, few, few_bytes
from proofs.certify.language.table_entries import Member, Operation, Undecided
from proofs.certify.language.tables.numpy_names import GUARDS
from proofs.certify.language.values.classes import Object
from proofs.certify.language.values.function_values import Native
from proofs.certify.language.values.nested_sizes import (
    PART,
    hashed,
    short_text,
    values_compared,
    values_in,
)
from proofs.certify.language.values.opaque import without_opaque


def read(name: str, write: bool = False) -> Member:
    """Return an attribute of a value as Python has it."""

    def put(value: Any, new: Any) -> None:
        setattr(value, name, new)

    return Member(name, attrgetter(name), put if write else None)


def method(kind: type, name: str, keywords: str = "") -> Operation:
    """Return a method of a type of Python's or numpy's."""
    assert callable(getattr(kind, name))
    call = _virtual(name) if kind is not str else without_opaque(_virtual(name))
    words, accepts = f"{kind.__name__}.{name}", frozenset(keywords.split())
    work, lists = WORK.get(kind, {}).get(name), name in LISTS.get(kind, ())
    more = OF_ARRAYS.get(name) if kind is np.ndarray else None

    def guard(limits: Limits, *given: Any, **named: Any) -> int | None:
        if work:
            what = f"values that {words} goes through"
            limits.spend(few(work(*given, **named), what) // PART)
        return more(limits, *given, **named) if more else None

    return Operation(words, call, accepts, guard=guard if work or more else None, lists=lists)


def _virtual(name: str) -> Callable[..., Any]:
    def call(value: Any, *given: Any, **named: Any) -> Any:
        return getattr(value, name)(*given, **named)

    return call


def methods(kind: type, names: str) -> dict[str, Member | Operation]:
    """Return methods of a type; `name(keyword,keyword)` has keywords."""
    found: dict[str, Member | Operation] = {}
    for words in names.split():
        name, _, keywords = words.partition("(")
        listed = keywords.rstrip(")").replace(",", " ")
        found[name] = method(kind, name, listed)
    return found


def _all(value: Any, *given: Any) -> int:
    """Return how many values a method goes through that compares all of them with one."""
    return values_compared(value, given[0]) if given else 0


def _of_entries(value: Any, *given: Any, **named: Any) -> int:
    return count(value)


def _moved_on(value: list[Any], *given: Any) -> int:
    """Return how many values take as long as moving those of a list by one place."""
    return len(value) * PART // PIECE if given else 0


def _of_text(value: str, *given: Any, **named: Any) -> int:
    return len(value) + sum(len(each) for each in (*given, *named.values()) if type(each) is str)


def _of_key(value: Any, *given: Any) -> int:
    hashed(*given[:1])
    return 1


def _of_array(value: Any, *given: Any, **named: Any) -> int:
    """Return how many numbers a method of an array goes through, with those of its arguments."""
    return int(value.size) + sum(map(values_in, (*given, *named.values())))


def _of_type(limits: Limits, value: Any, *given: Any, **named: Any) -> None:
    """Guard `view` and `astype`."""
    for kind in (*given, *named.values()):
        if kind is object or (isinstance(kind, np.dtype) and kind.hasobject) or kind == "O":
            raise Undecided("dtype object; use a list")
        if isinstance(kind, str | np.dtype | list):
            few_bytes(value.size, kind)


def _of_format(value: str, *given: Any, **named: Any) -> int:
    """Return how many characters a text with fields has at most."""
    fields, parts = 0, (*given, *named.values())
    for _, name, spec, _ in string.Formatter().parse(value):
        if name and ("." in name or "[" in name):
            raise Undecided(f"format of {name!r}; write an f-string")
        if spec and "{" in spec:
            raise Undecided(f"a format of {spec!r}; write an f-string")
        format_is_short(spec or "")
        fields += name is not None
    longest = max((values_in(short_text(each)) for each in parts), default=0)
    return few(len(value) + fields * longest, "characters of a string")


def format_is_short(spec: str) -> None:
    """Raise Undecided where a format has a width of more than four digits."""
    digits = "".join(c if c.isdigit() else " " for c in spec).split()
    if any(len(number) > 4 for number in digits):
        raise Undecided(f"a format of {spec!r}; widths and precisions have at most 4 digits")


def _of_width(value: str, width: Any, *_: Any) -> int:
    return max(len(value), int(width))


def _joined(value: str, parts: Any) -> int:
    texts = parts if isinstance(parts, list | tuple) else ()
    return len(value) + sum(len(part) + len(value) for part in texts if isinstance(part, str))


def _replaced(value: str, old: str, new: str, *_: Any) -> int:
    return len(value) * max(1, len(new))


def _extended(value: list[Any], more: Any) -> int:
    few(len(value) + count(more))
    return count(more)


def _setting(kind: type) -> Native:
    """Return what `object.__setattr__` does: it sets an attribute of a frozen object."""
    if kind is not object:
        raise Undecided(f"{kind.__name__}.__setattr__")
    return Native(_set_plainly)


def _set_plainly(owner: Any, name: str, value: Any) -> None:
    if not isinstance(owner, Object) or not owner.kind.frozen or name.startswith("__"):
        raise Undecided("object.__setattr__ of what is no frozen dataclass")
    owner.names[name] = value


NUMBER = {name: read(name) for name in ("real", "imag")}
ARRAY_READS = "shape ndim size dtype T real imag itemsize nbytes flat flags strides base"
ARRAY_METHODS = (
    "reshape(order,copy) transpose copy(order) view(dtype) astype(dtype,order,copy,casting) tolist"
    " any(axis,out,keepdims) all(axis,out,keepdims) ravel(order) flatten(order)"
    " sum(axis,dtype,out,keepdims) prod(axis,dtype,out,keepdims) cumsum(axis,dtype,out)"
    " cumprod(axis,dtype,out) mean(axis,dtype,out,keepdims) take(indices,axis,out,mode)"
    " swapaxes max(axis,out,keepdims) min(axis,out,keepdims) argmax(axis) argmin(axis)"
    " argsort(axis,kind,stable) conj conjugate item fill repeat(repeats,axis) squeeze(axis) nonzero"
    " sort(axis,kind,stable) round(decimals,out) clip(min,max,out) dot diagonal"
)

VIEWS = {"reshape", "transpose", "view", "ravel", "swapaxes", "squeeze", "diagonal", "item"}
"""Methods of arrays that go through no elements, or are counted by what they return."""
TEXT_METHODS = (
    "join split(sep,maxsplit) format(*) startswith endswith strip lstrip rstrip upper lower"
    " title replace find index count partition rpartition isdecimal isdigit isalpha"
    " isidentifier splitlines removeprefix removesuffix zfill ljust rjust center"
)


def _names(words: str) -> set[str]:
    return {each.partition("(")[0] for each in words.split()}


WORK: dict[type, dict[str, Callable[..., int]]] = {
    list: {
        **dict.fromkeys(("index", "count", "remove"), _all),
        **dict.fromkeys(("copy", "reverse"), _of_entries),
        **dict.fromkeys(("insert", "pop"), _moved_on),
        "extend": _extended,
    },
    tuple: dict.fromkeys(("index", "count"), _all),
    dict: {**dict.fromkeys(("get", "pop", "setdefault"), _of_key), "copy": _of_entries},
    str: {
        **dict.fromkeys(_names(TEXT_METHODS), _of_text),
        **dict.fromkeys(("zfill", "ljust", "rjust", "center"), _of_width),
        "format": _of_format,
        "join": _joined,
        "replace": _replaced,
    },
    np.ndarray: dict.fromkeys(_names(ARRAY_METHODS) - VIEWS, _of_array),
}
"""How many values methods go through, by types and names."""
OF_ARRAYS = {**GUARDS, "view": _of_type, "astype": _of_type}
"""Guards of methods of arrays: of most those of the functions of numpy with their names."""
LISTS: dict[type, tuple[str, ...]] = {list: ("extend",), dict: ("update",), str: ("join",)}
"""Methods that go through all values of their first argument."""

DTYPE = "kind itemsize str name type char num names"
FLAGS = "aligned carray writeable c_contiguous f_contiguous contiguous owndata fnc forc behaved"

_ARRAY: dict[str, Member | Operation] = {
    **{name: read(name, name in ("shape", "real", "imag")) for name in ARRAY_READS.split()},
    **methods(np.ndarray, ARRAY_METHODS),
}

MEMBERS: dict[type, dict[str, Any]] = {
    int: {
        **NUMBER,
        **methods(int, "bit_length bit_count conjugate"),
        "numerator": read("numerator"),
        "denominator": read("denominator"),
    },
    float: {**NUMBER, **methods(float, "is_integer conjugate hex")},
    complex: {**NUMBER, **methods(complex, "conjugate")},
    str: methods(str, TEXT_METHODS),
    list: methods(list, "append extend pop insert remove index count copy reverse clear"),
    tuple: methods(tuple, "index count"),
    dict: methods(dict, "get items keys values pop setdefault update copy clear"),
    range: {name: read(name) for name in ("start", "stop", "step")},
    slice: {**methods(slice, "indices"), **{n: read(n) for n in ("start", "stop", "step")}},
    np.ndarray: _ARRAY,
    np.generic: {
        name: member
        for name, member in _ARRAY.items()
        if name not in ("fill", "sort", "flat", "base", "strides", "view")
    },
    np.dtype: {**{name: read(name) for name in DTYPE.split()}},
    np.flatiter: methods(np.flatiter, "copy"),
    type(np.empty(0).flags): {**{name: read(name, name == "writeable") for name in FLAGS.split()}},
    BaseException: {"args": read("args")},
    OSError: {name: read(name) for name in ("strerror", "errno", "filename")},
    type: {"__name__": read("__name__"), "__setattr__": Member("__setattr__", _setting)},
}
"""The attributes of values by their type; a program reads no others."""
