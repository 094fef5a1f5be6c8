"""What a program may do with data: operators, functions of numpy, attributes and methods."""

from __future__ import annotations

from math import ceil, floor, log2, prod
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from proofs.certify.exact.arithmetic import (
    BINARY,
    UNARY,
    WITHIN,
    add,
    conj,
    deliver,
    divide,
    laid,
    multiply,
    negative,
    positive,
    power,
    result,
    square,
    subtract,
)
from proofs.certify.exact.contraction import dot, einsum, inner, matmul, outer, tensordot
from proofs.certify.exact.data import Data, by_numpy, raised
from proofs.certify.exact.entry_moves import SHAPES, Rule, take
from proofs.certify.exact.fourier_by_definition import TRANSFORMS
from proofs.certify.exact.space import UNIT, units
from proofs.certify.language.assumptions import TESTS
from proofs.certify.language.table_entries import DATA, Member, Members, Operation, Undecided
from proofs.certify.language.tables.value_members import read


def ufunc(name: str, act: Rule, operands: int) -> Rule:
    """Return an elementwise function with numpy's arguments."""

    def rule(*given: Any, out: Any = None, where: Any = True, dtype: Any = None) -> Any:
        if len(given) == operands + 1 and out is None:
            *given, out = given  # type: ignore[assignment]
        if len(given) != operands or where is not True or dtype is not None:
            raise Undecided(f"np.{name} of {DATA} with where, dtype, or {len(given)} arguments")
        if not any(isinstance(value, Data) for value in given):
            raise Undecided(f"np.{name} of constants into {DATA}")
        return deliver(act(*given), out)

    return rule


def sums(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False
) -> Data:
    """Return np.sum."""
    if not isinstance(a, Data) or dtype is not None:
        raise Undecided(f"np.sum of {DATA} with a dtype, or of constants into it")
    axes = by_numpy(normalize_axis_tuple, range(a.ndim) if axis is None else axis, a.ndim)
    residues, bounds = a.value()
    count, q = prod(a.shape[i] for i in axes), a.space.q
    sums_of = residues.size // (a.space.stimuli * max(count, 1))
    a.space.count(int(sums_of * log2(max(count, 1))))
    found = residues
    for i in sorted(axes, reverse=True):
        found = found.sum(axis=i) % q
    most = bounds.max(axis=axes, initial=0) if axes else bounds
    most = most + (units(log2(max(count, 1))), 0, 0, 0)
    if keepdims:
        found, most = np.expand_dims(found, axes), np.expand_dims(most, axes)
    made = result(found, most, a.dtype, a.space)
    return deliver(laid(made, lambda x: np.sum(x, axes, keepdims=keepdims), a), out)


def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False
) -> Data:
    """Return np.mean."""
    total = sums(a, axis, dtype, None, keepdims)
    if not a.size:
        raise Undecided("the mean of no elements")
    n, q = a.size // total.size, a.space.q
    residues, bounds = total.value()
    less = bounds + (-floor(UNIT * log2(n)), ceil(2 * log2(n)), 0, 0)
    made = result(residues * pow(n, -1, q) % q, less, a.dtype, a.space)
    return deliver(laid(made, np.positive, total), out)


def running_sums(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Data:
    """Return np.cumsum."""
    if not isinstance(a, Data) or dtype is not None:
        raise Undecided(f"np.cumsum of {DATA} with a dtype, or of constants into it")
    rows = a.reshape(-1) if axis is None else a
    [place] = by_numpy(normalize_axis_tuple, 0 if axis is None else axis, rows.ndim)
    residues, bounds = rows.value()
    most = bounds.max(axis=place, keepdims=True, initial=0)
    most = most + (units(log2(max(rows.shape[place], 1))), 0, 0, 0)
    a.space.count(residues.size // a.space.stimuli)
    found = np.cumsum(residues, axis=place) % a.space.q
    made = result(found, most, a.dtype, a.space)
    return deliver(laid(made, lambda x: np.cumsum(x, axis), a), out)


def guard(name: str, answer: bool) -> Rule:
    """Return np.isfinite, .. of elements, which are finite numbers."""

    def rule(x: Any) -> Any:
        if not isinstance(x, Data):
            raise Undecided(f"np.{name} of constants into {DATA}")
        return np.full(x.shape, answer)[()]

    return rule


def _part(which: int) -> Rule:
    return lambda val: val.part(which)


def taken(name: str, rule: Rule) -> Rule:
    """Return a rule that leaves other arguments than its own undecided."""

    def call(*given: Any, **named: Any) -> Any:
        try:
            return rule(*given, **named)
        except TypeError as error:
            raise Undecided(f"np.{name} of {DATA}: {error}") from None

    return call


ELEMENTWISE = {
    **{
        name: ufunc(name, rule, 2)
        for name, rule in {
            "add": add,
            "subtract": subtract,
            "multiply": multiply,
            "divide": divide,
            "true_divide": divide,
            "power": power,
        }.items()
    },
    **{
        name: ufunc(name, rule, 1)
        for name, rule in {
            "negative": negative,
            "positive": positive,
            "conj": conj,
            "conjugate": conj,
            "square": square,
        }.items()
    },
}
RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    **TRANSFORMS,
    **SHAPES,
    "matmul": matmul,
    "dot": dot,
    "inner": inner,
    "outer": outer,
    "tensordot": tensordot,
    "einsum": einsum,
    "sum": sums,
    "mean": mean,
    "cumsum": running_sums,
    "real": _part(0),
    "imag": _part(1),
    **{name: guard(name, name == "isfinite") for name in TESTS},
}
FUNCTIONS: dict[str, Rule] = {name: taken(name, rule) for name, rule in RULES.items()}
"""Functions of numpy, by their names in it, for arguments of which one is data."""
OPERATORS: dict[str, Rule] = {
    **BINARY,
    **UNARY,
    **WITHIN,
    "@": matmul,
    "@=": lambda one, other: deliver(matmul(one, other), one),
}
"""Operators by their signs, for operands of which one is data; `+=`, .. change the left one."""


class Flags:
    """How an array lies in memory."""

    def __init__(self, data: Data) -> None:
        flags = data.items.flags
        self.c_contiguous = self.contiguous = flags.c_contiguous
        self.f_contiguous, self.writeable = flags.f_contiguous, data.writeable
        self.aligned, self.owndata = True, flags.owndata
        self.carray = self.c_contiguous and self.writeable
        self.forc = self.c_contiguous or self.f_contiguous


def conj_of(x: Data) -> Data:
    """Return x.conj(): real data themselves, of which np.conj makes a copy."""
    return conj(x) if x.dtype.kind == "c" else x


def _set_shape(data: Data, shape: Any) -> None:
    found = data.reshape(shape)
    if not np.may_share_memory(found.items, data.items):
        raise raised(AttributeError("incompatible shape for in-place modification"))
    data.items = found.items


METHODS: dict[str, tuple[Rule, tuple[str, ...]]] = {
    "reshape": (Data.reshape, ("order",)),
    "transpose": (Data.transpose, ()),
    "swapaxes": (Data.swapaxes, ()),
    "copy": (Data.copy, ("order",)),
    "flatten": (Data.flatten, ("order",)),
    "ravel": (Data.ravel, ("order",)),
    "squeeze": (SHAPES["squeeze"], ("axis",)),
    "view": (Data.view, ("dtype",)),
    "astype": (Data.astype, ("dtype", "order", "casting", "copy")),
    "fill": (Data.assign, ()),
    **dict.fromkeys(("conj", "conjugate"), (conj_of, ())),
    "take": (take, ("indices", "axis", "out", "mode")),
    "sum": (sums, ("axis", "out", "keepdims")),
    "mean": (mean, ("axis", "out", "keepdims")),
    "cumsum": (running_sums, ("axis", "out")),
    "dot": (dot, ("out",)),
    "repeat": (SHAPES["repeat"], ("repeats", "axis")),
    "diagonal": (SHAPES["diagonal"], ("offset", "axis1", "axis2")),
}


def _method(name: str, rule: Rule, keywords: tuple[str, ...]) -> Member:
    found = Operation(f"ndarray.{name}", taken(name, rule), frozenset(keywords))
    return Member(name, lambda _: found)


FLAGS = (
    *("c_contiguous", "contiguous", "f_contiguous", "forc", "carray"),
    *("writeable", "aligned", "owndata"),
)
MEMBERS: Members = {
    Data: {
        **{name: read(name) for name in ("ndim", "size", "dtype", "itemsize", "nbytes", "T")},
        **{name: read(name, write=True) for name in ("real", "imag")},
        "shape": Member("shape", attrgetter("shape"), _set_shape),
        "flags": Member("flags", Flags),
        **{name: _method(name, rule, keywords) for name, (rule, keywords) in METHODS.items()},
    },
    Flags: {name: read(name) for name in FLAGS},
}
"""The attributes and methods of arrays of data."""
ASKS: dict[type | None, frozenset[str]] = {
    Data: frozenset({"dtype", "itemsize", "nbytes"}),
    Flags: frozenset(FLAGS),
    None: frozenset({*TESTS, "iscomplexobj", "isrealobj"}),
}
"""Attributes, and functions of numpy, by which a program tells other arrays from those of data."""
