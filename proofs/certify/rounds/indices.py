"""Integers of kernels, which have 64 bits: one for all rounds of the loops that run, or one each.

    index = Whole                  an integer that is the same in all rounds
          | Each                   an int64 array with an axis for each loop, the innermost first

An operation whose result has more bits is undecided: a compiled kernel would go on with what is
left of it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from copy import copy
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from proofs.certify.language.table_entries import Undecided, kind_of

Integers = NDArray[np.int64]
LEAST, MOST = -(1 << 63), (1 << 63) - 1
BITS = 64


class Varies(BaseException):
    """Rounds differ where all rounds have to do the same; `depth` loops have values of their own.

    No rule of the language handles it: the kernel is run again with a loop of it in order.
    """

    def __init__(self, depth: int) -> None:
        super().__init__("rounds differ")
        self.depth = depth


class Opaque:
    """A value of a kernel that has the operations of its rules only: `said` is what messages call
    it, `instead` what there is in place of other operations. `by_round` names an array with an axis
    for each loop, and how many axes are before these, and after them.
    """

    __slots__ = ()
    said, instead = "elements of x", ""
    by_round = "", 0, 0

    def last(self, depth: int) -> Any:
        """Return what is left of a loop with so many around it: the value of its last round."""
        name, before, after = self.by_round
        array: Any = getattr(self, name, np.empty(()))
        if array.ndim <= before + depth + after:
            return self
        return self.like(array[(*(slice(None),) * before, -1)])

    def like(self, array: Any) -> Any:
        """Return the same value with another array."""
        found = copy(self)
        setattr(found, self.by_round[0], array)
        return found


BINARY = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%"}
BINARY |= {"pow": "**", "matmul": "@", "lshift": "<<", "rshift": ">>"}
BINARY |= {"and": "&", "or": "|", "xor": "^"}
OTHER = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
OTHER |= {"neg": "-", "pos": "+", "invert": "~", "contains": "in"}
OTHER |= {name: name for name in ("int", "float", "complex", "len", "abs", "round", "divmod")}
OTHER |= dict.fromkeys(("str", "repr", "format"), "the text")
OTHER |= {"bool": "the truth value", "index": "the index", "iter": "a loop over the entries"}
OTHER |= {"getitem": "an entry", "setitem": "an entry", "array": "a numpy array"}
"""Python's methods of operators, without underscores, and what messages call them."""


def shown(value: Any) -> str:
    """Return what a message calls a value of a kernel.

    >>> shown(0.5), shown(Whole(3))
    ('a value of type float', 'an integer')
    """
    kind = kind_of(value)
    return kind if hasattr(type(value), "said") else f"a value of type {kind}"


def none(name: str, value: Any) -> NoReturn:
    """Raise that a value has no such operation."""
    words = f"{(BINARY | OTHER)[name]} of {shown(value)} in a kernel is not in the language"
    raise Undecided(f"{words}{getattr(value, 'instead', '')}")


def without(name: str) -> Callable[..., NoReturn]:
    """Return a method that raises that a value has no such operation."""
    return lambda value, *_: none(name, value)


for _name in (*OTHER, *BINARY):
    setattr(Opaque, f"__{_name}__", without(_name))
for _name in BINARY:
    setattr(Opaque, f"__r{_name}__", without(_name))
Opaque.__hash__ = None  # type: ignore[assignment]

WHOLE = ("add", "sub", "mul", "floordiv", "mod", "lshift", "rshift", "and", "or", "xor")
"""The operators whose result for integers is an integer."""
COMPARED = ("eq", "ne", "lt", "le", "gt", "ge")


def fitting(value: int) -> int:
    """Return an integer of 64 bits.

    Raises:
        Undecided: if it has more.
    """
    if not LEAST <= value <= MOST:
        raise Undecided(f"an integer of a kernel has more than {BITS} bits")
    return value


class Whole(int):
    """An integer of 64 bits."""

    said = "an integer"

    def __neg__(self) -> Whole:
        return Whole(fitting(-int(self)))


def _of_wholes(name: str) -> Callable[[Any, Any], Any]:
    own = getattr(int, name)

    def apply(self: Whole, other: Any) -> Any:
        if "shift" in name:
            by = other if name in ("__lshift__", "__rshift__") else self
            _demand_shift(by, by)
        found = own(self, other)
        return Whole(fitting(found)) if type(found) is int else found

    return apply


def _demand_shift(low: Any, high: Any) -> None:
    if isinstance(low, int) and not (0 <= low and high < BITS):
        raise Undecided(f"a shift by {low} bits in a kernel")


def _power(one: Any, other: Any, modulus: None = None) -> Any:
    """Return one ** other, where one is an integer of a kernel."""
    if not isinstance(other, int):
        return int(one) ** other
    if not 0 <= other < BITS:
        raise Undecided("a power of integers of a kernel that is not an integer of 64 bits")
    return Whole(fitting(int(one) ** int(other)))


def _power_of(one: Any, other: Any, modulus: None = None) -> Any:
    """Return other ** one, where one is an integer of a kernel."""
    return _power(other, one) if isinstance(other, int) else other ** int(one)


for _name, _rule in (("__pow__", _power), ("__rpow__", _power_of)):
    setattr(Whole, _name, _rule)
for _name in WHOLE:
    for _method in (f"__{_name}__", f"__r{_name}__"):
        setattr(Whole, _method, _of_wholes(_method))


class Each(Opaque):
    """An integer or a truth value for each round: `values` has an axis for each loop."""

    __slots__ = ("values",)
    said = "an integer"
    one: Callable[[Any], Any] = Whole

    def __init__(self, values: Integers) -> None:
        self.values = values

    def uniform(self) -> int:
        """Return the value that all rounds have.

        Raises:
            Varies: if there is none.
        """
        flat = self.values.reshape(-1)
        if (flat != flat[0]).any():
            axes = self.values.shape[::-1]
            raise Varies(max(i + 1 for i, size in enumerate(axes) if size > 1))
        return int(flat[0])

    def __bool__(self) -> bool:
        return bool(self.uniform())

    def __index__(self) -> int:
        return self.uniform()

    def __neg__(self) -> Each:
        found: Each = operator.sub(0, self)
        return found

    def last(self, depth: int) -> Any:
        if self.values.ndim <= depth:
            return self
        found = self.values[-1]
        return type(self)(found) if found.ndim else type(self).one(found)


def _values(value: Any) -> Any:
    """Return an operand as numpy takes it, None if it is no integer."""
    if isinstance(value, Each):
        return value.values
    return int(value) if isinstance(value, int | np.integer) else None


def _extremes(value: Any) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    return int(value.min()), int(value.max())


def _demand_fit(name: str, one: Any, other: Any) -> None:
    """Raise where a result has more than 64 bits."""
    (a, b), (c, d) = _extremes(one), _extremes(other)
    for value in (a, b, c, d):
        fitting(value)
    if name in ("lshift", "rshift"):
        _demand_shift(c, d)
    if name in ("floordiv", "mod") and c <= 0 <= d and not np.all(other):
        raise Undecided("a division by zero in a kernel")
    if name in ("add", "sub", "mul", "lshift", "floordiv"):
        apply = getattr(operator, name)
        if name == "floordiv":
            fitting(-a)
            return
        for x in (a, b):
            for y in (c, d):
                fitting(apply(x, y))


def _of_each(name: str) -> Callable[[Any, Any], Any]:
    apply = getattr(operator, f"{name}_" if name in ("and", "or") else name)

    def result(one: Any, other: Any) -> Any:
        a, b = _values(one), _values(other)
        if a is None or b is None:
            none(name, other if b is None else one)
        if name not in COMPARED:
            _demand_fit(name, a, b)
        return Each(apply(a, b).astype(np.int64))

    return result


class Unsigned(Each):
    """An integer of an unsigned type for each round: numba computes with them modulo 2^64, or as
    with signed ones, so they are indices, and compared.
    """

    __slots__ = ()
    said = "an unsigned integer"
    one = np.uint64


def _swapped(apply: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda one, other: apply(other, one)


for _name in (*WHOLE, *COMPARED):
    setattr(Each, f"__{_name}__", _of_each(_name))
    if _name not in COMPARED:
        setattr(Each, f"__r{_name}__", _swapped(_of_each(_name)))
        setattr(Unsigned, f"__{_name}__", without(_name))
        setattr(Unsigned, f"__r{_name}__", without(_name))
Unsigned.__neg__ = without("neg")  # type: ignore[method-assign]


def extreme(which: str, values: list[Any]) -> Any:
    """Return `min` or `max` of integers, of each round."""
    numbers = [_values(value) for value in values]
    if any(number is None for number in numbers):
        raise Undecided(f"{which} of integers and others in a kernel")
    apply = np.minimum if which == "min" else np.maximum
    found = numbers[0]
    for number in numbers[1:]:
        found = apply(found, number)
    return Each(np.asarray(found, np.int64))


def integers(value: Any) -> Integers:
    """Return the integers of a value for all rounds.

    Raises:
        Undecided: if it is no integer.
    """
    found = _values(value)
    if found is None:
        raise Undecided(f"a kernel has {shown(value)} where it needs an integer of its own")
    if isinstance(found, int):
        return np.asarray(fitting(found), np.int64)
    array: Integers = found
    return array
