"""What a program may do with integers modulo p: sums, differences, products with integers of its
own, remainders, and comparisons that come out alike for all inputs.

Each rule gives the residues, and bounds of the integers. A result that may have more than 64 bits
is undecided, as numpy would go on with what is left of it. So is a remainder by a number that is
not a multiple of p, unless it changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from proofs.certify.exact import data_functions as exact
from proofs.certify.exact.arithmetic import PRODUCT, laid, result, space_of, type_of, within
from proofs.certify.exact.data import Data, by_numpy
from proofs.certify.exact.entry_moves import SHAPES
from proofs.certify.exact.space import Numbers
from proofs.certify.language.table_entries import DATA, Members, Undecided
from proofs.certify.modular.residue_space import MOST, ResidueSpace, read

OVERFLOW = "{} of integers that may have more than 64 bits: reduce the operands modulo p first"
Two = tuple[Numbers, Numbers]


def _both(one: Any, other: Any) -> tuple[ResidueSpace, Two, Two]:
    space: Any = space_of(one, other)
    if (kind := type_of(one, other)) != np.int64:
        raise Undecided(f"a result of {kind} of integers modulo p")
    sides = [read(value, space) for value in (one, other)]
    space.few(by_numpy(np.broadcast_shapes, *(residues.shape[:-2] for residues, _ in sides)))
    return space, sides[0], sides[1]


def _largest(bounds: Numbers) -> int:
    """Return the largest size of an integer with these bounds."""
    return max(int(bounds[..., :2].max(initial=0)), -int(bounds[..., :2].min(initial=0)))


def _past(one: Numbers, other: Numbers) -> Numbers:
    """Return exchanges and degrees of what is made of two integers, the larger ones."""
    return np.maximum(one[..., 2:], other[..., 2:])


def _sum(one: Any, other: Any, sign: int) -> Data:
    space, (x, a), (y, b) = _both(one, other)
    if _largest(a) + _largest(b) > MOST:
        raise Undecided(OVERFLOW.format("a sum"))
    swapped = b[..., :2] if sign > 0 else b[..., 1::-1]
    bounds = np.concatenate([a[..., :2] + swapped, _past(a, b)], axis=-1)
    found = result((x + sign * y) % space.p, bounds, np.dtype(np.int64), space)
    return laid(found, np.add, one, other)


def add(one: Any, other: Any) -> Data:
    """Return one + other."""
    return _sum(one, other, 1)


def subtract(one: Any, other: Any) -> Data:
    """Return one - other."""
    return _sum(one, other, -1)


def negative(x: Data) -> Data:
    """Return -x."""
    return subtract(0, x)


def multiply(one: Any, other: Any) -> Data:
    """Return one * other; Undecided for a product of two integers that depend on the input."""
    space, (x, a), (y, b) = _both(one, other)
    if a[..., 3].any() and b[..., 3].any():
        raise Undecided(PRODUCT)
    if _largest(a) * _largest(b) > MOST:
        raise Undecided(OVERFLOW.format("a product"))
    corners = [(-1) ** (i + j) * a[..., i] * b[..., j] for i in (0, 1) for j in (0, 1)]
    most, least = np.max(corners, axis=0), np.min(corners, axis=0)
    both = np.stack([most, -least], axis=-1)
    bounds = np.concatenate([both, np.broadcast_to(_past(a, b), both.shape)], axis=-1)
    found = result(x * y % space.p, bounds, np.dtype(np.int64), space)
    return laid(found, np.multiply, one, other)


def remainder(one: Any, other: Any) -> Data:
    """Return one % other, for multiples of p; for other numbers where that is `one` itself."""
    if isinstance(other, Data) or np.ndim(other):
        raise Undecided(f"a remainder by {DATA}, or by an array")
    space, (x, a), (_, modulus) = _both(one, other)
    m = int(modulus[..., 0].item())
    most, least = a[..., 0], -a[..., 1]
    same = (least >= 0) & (most < m)
    if m % space.p and not same.all():
        low, high = int(least.min(initial=0)), int(most.max(initial=0))
        raise Undecided(f"a remainder by {m} of integers from {low} to {high}, modulo {space.p}")
    bounds = a.copy()
    bounds[..., 0], bounds[..., 1] = np.where(same, most, m - 1), np.where(same, -least, 0)
    return laid(result(x, bounds, np.dtype(np.int64), space), np.positive, one)


def positive(x: Data) -> Data:
    """Return +x."""
    return add(x, 0)


ALWAYS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "<": (lambda most, least, x, y: most < x, lambda most, least, x, y: least >= y),
    "<=": (lambda most, least, x, y: most <= x, lambda most, least, x, y: least > y),
    ">": (lambda most, least, x, y: least > y, lambda most, least, x, y: most <= x),
    ">=": (lambda most, least, x, y: least >= y, lambda most, least, x, y: most < x),
}
"""When a comparison holds for all inputs, and when for none, by the bounds of both sides: the left
one is from `least` to `most`, the right one from x to y.
"""


def _compared(sign: str) -> Callable[[Any, Any], Any]:
    holds, fails = ALWAYS[sign]

    def compare(one: Any, other: Any) -> Any:
        _, (_, a), (_, b) = _both(one, other)
        given = a[..., 0, 0], -a[..., 0, 1], -b[..., 0, 1], b[..., 0, 0]
        always, never = holds(*given), fails(*given)
        if not np.all(always | never):
            raise Undecided(f"{sign} of integers modulo p depends on their values")
        return always

    return compare


COMPARED = {sign: _compared(sign) for sign in ALWAYS}
BINARY: dict[str, Callable[[Any, Any], Data]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "%": remainder,
}
OPERATORS: dict[str, Callable[..., Any]] = {
    **BINARY,
    **COMPARED,
    "neg": negative,
    "pos": positive,
    **{f"{sign}=": within(rule) for sign, rule in BINARY.items()},
}
"""Operators by their signs, for operands of which one is data."""
ELEMENTWISE: dict[str, Callable[..., Data]] = {
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "remainder": remainder,
    "mod": remainder,
    "negative": negative,
    "positive": positive,
}
RULES: dict[str, Callable[..., Any]] = SHAPES | {
    name: exact.ufunc(name, rule, 1 if name in ("negative", "positive") else 2)
    for name, rule in ELEMENTWISE.items()
}
FUNCTIONS = {name: exact.taken(name, rule) for name, rule in RULES.items()}
"""Functions of numpy, by their names in it, for arguments of which one is data."""
COMPUTING = ("real", "imag", "conj", "conjugate", "sum", "mean", "cumsum", "dot")
"""The members of arrays of data that compute with numbers that are rounded."""
MEMBERS: Members = {
    kind: {name: one for name, one in members.items() if name not in COMPUTING}
    for kind, members in exact.MEMBERS.items()
}
"""The attributes and methods of arrays of data."""
