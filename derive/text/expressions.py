"""Sizes as they are written: integer expressions in symbols, how they print, and what they are at
given values.

    size = Number(value) | Name(name) | Operation(sign, left, right)      sign one of + - * / ^

Every node knows the column where it stands, which is no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from itertools import chain, count
from typing import Any, TypeVar

from derive.call_arguments import values_of

Values = Mapping[str, Fraction | int]
"""What the symbols of sizes stand for."""


class FormulaError(ValueError):
    """A text is no formula, or its sizes do not fit."""


class NotWhole(FormulaError):
    """A size is no positive integer at the given values."""


class TooLarge(FormulaError):
    """A product has too many factors at the given values."""


@dataclass(frozen=True)
class Node:
    """A part of a text; `column` is where it begins, from 1."""

    column: int = field(default=0, compare=False, repr=False, kw_only=True)


class Expression(Node):
    """A size with the operators of Python.

    >>> print((Name("m") + 1) * Name("n") ** 2 / 1)
    (m+1)*n^2
    """

    def __add__(self, other: Any) -> Any:
        return operated("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return operated("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return operated("-", self, other)

    def __mul__(self, other: Any) -> Any:
        return operated("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return operated("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return operated("/", self, other)

    def __pow__(self, other: Any) -> Any:
        return operated("^", self, other)


def operated(sign: str, left: Any, right: Any) -> Any:
    """Return an operation on two sizes, one of them without 0 + and 1 *."""
    a, b = (Number(x) if isinstance(x, int) else x for x in (left, right))
    neutral = Number(0 if sign in "+-" else 1)
    if b == neutral:
        return a
    return b if a == neutral and sign in "+*" else Operation(sign, a, b)


@dataclass(frozen=True)
class Number(Expression):
    """A natural number."""

    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Name(Expression):
    """A symbol; one that is `declared`, k : size, is a size also where it is in phases alone."""

    name: str
    declared: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def __str__(self) -> str:
        return self.name


BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
"""How tightly an operation on sizes binds; ^ from the right, the others from the left."""


@dataclass(frozen=True)
class Operation(Expression):
    """An operation on two sizes."""

    sign: str
    left: Size
    right: Size

    def __str__(self) -> str:
        if self.sign == "-" and self.left == Number(0):
            return f"-{self._part(self.right, True)}"
        return f"{self._part(self.left, self.sign == '^')}{self.sign}{self._part(self.right, self.sign != '^')}"  # noqa: E501

    def _part(self, size: Size, strict: bool) -> str:
        loose = isinstance(size, Operation) and BINDING[size.sign] < BINDING[self.sign] + strict
        return f"({size})" if loose else str(size)


Size = Number | Name | Operation


def number(size: Size, at: Values) -> Any:
    """Return a size at these values of its symbols, an integer or a fraction, or where these are
    expressions one of them.

    >>> number(Operation("/", Name("N"), Number(4)), {"N": 8})
    2
    """
    found = _exact(size, at)
    return found.numerator if isinstance(found, Fraction) and found.denominator == 1 else found


def value(size: Size, at: Values) -> Fraction:
    """Return a size at these values of its symbols.

    Raises FormulaError for a symbol without a value, a division by zero and an exponent that is no
    small integer.

    >>> value(Operation("/", Name("N"), Number(4)), {"N": 6})
    Fraction(3, 2)
    """
    return Fraction(_exact(size, at))


def _exact(size: Size, at: Values) -> Any:
    """Return a size, as an integer wherever no division is met: these are many times faster."""
    match size:
        case Number(number):
            return number
        case Name(name):
            if name not in at:
                need_products([name], at)
                raise FormulaError(
                    f"column {size.column}: {name} has no value; add {values_of([name])}"
                )
            found = at[name]
            whole = isinstance(found, Fraction) and found.denominator == 1
            return found.numerator if whole else found
        case Operation(sign, left, right):
            return _operated(size, sign, _exact(left, at), _exact(right, at), at)


def _operated(size: Operation, sign: str, a: Any, b: Any, at: Values) -> Any:
    match sign:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            if b == 0:
                raise NotWhole(f"column {size.column}: {size} divides by 0{_given(size, at)}")
            return Fraction(a, b) if _is_number(a) and _is_number(b) else a / b
    if not (_is_number(a) and _is_number(b)):
        return a**b
    if b.denominator != 1 or not -64 <= b <= 64 or (a == 0 and b < 0):
        raise NotWhole(
            f"column {size.column}: {size} has the exponent {b}{_given(size, at)}: exponents are"
            " integers up to 64"
        )
    power = a ** abs(b.numerator)
    return power if b >= 0 else Fraction(1, power)


def _is_number(found: Any) -> bool:
    return isinstance(found, int | Fraction)


def need_products(names: Iterable[str], symbols: Iterable[str]) -> None:
    """Raise FormulaError where a name is made of other symbols, and their product may be meant.

    >>> need_products(["rs"], ["r", "s"])
    Traceback (most recent call last):
    derive.text.expressions.FormulaError: rs is one symbol; write r*s
    """
    known = {*symbols}
    for name in sorted(names):
        if product := _product(name, known - {name}):
            raise FormulaError(f"{name} is one symbol; write {'*'.join(product)}")


def _product(name: str, symbols: set[str]) -> list[str]:
    """Return the symbols that a name consists of, one after the other; [] where it does not."""
    before: dict[int, list[str]] = {0: []}  # what the first letters consist of
    for end in range(1, len(name) + 1):
        for start, found in [*before.items()]:
            if name[start:end] in symbols:
                before[end] = [*found, name[start:end]]
    return before.get(len(name), [])


def positive_integer(size: Size, at: Values, what: object, rule: str = "") -> Any:
    """Return a size of something that must be an integer at these values and at least 1; what is
    no number is returned as it is.

    Raises NotWhole where it is none, with a rule of its own if there is one.

    >>> positive_integer(Operation("/", Name("N"), Number(4), column=3), {"N": 6}, "L(N, N/4)")
    Traceback (most recent call last):
    derive.text.expressions.NotWhole: column 3: N/4 = 3/2 at N = 6: the sizes in L(N, N/4) are integers, at least 1
    """  # noqa: E501
    found = _exact(size, at)
    if not _is_number(found):
        return found
    if found.denominator != 1 or found < 1:
        equal = f"{size}" if f"{size}" == f"{found}" else f"{size} = {found}{_given(size, at)}"
        rule = rule or f"the sizes in {what} are integers, at least 1"
        raise NotWhole(f"column {size.column}: {equal}: {rule}")
    return int(found)


def _given(size: Size, at: Values) -> str:
    used = [f"{name} = {at[name]}" for name in sorted(size_symbols(size)) if name in at]
    return f" at {', '.join(used)}" if used else ""


def size_symbols(size: Size) -> set[str]:
    """Return the symbols of a size."""
    match size:
        case Name(name):
            return {name}
        case Operation(_, left, right):
            return size_symbols(left) | size_symbols(right)
    return set()


def declared_symbols(size: Size) -> set[str]:
    """Return the symbols of a size that are declared to be sizes."""
    match size:
        case Name(name) if size.declared:
            return {name}
        case Operation(_, left, right):
            return declared_symbols(left) | declared_symbols(right)
    return set()


def size_replaced(size: Size, by: Mapping[str, Size]) -> Size:
    """Return a size with symbols replaced by sizes, which stand where the symbols stood."""
    match size:
        case Name(name):
            found = replace(by.get(name, size), column=size.column)
            return _declaring(found) if size.declared else found
        case Operation(sign, left, right):
            return Operation(
                sign, size_replaced(left, by), size_replaced(right, by), column=size.column
            )
    return size


def _declaring(size: Size) -> Size:
    """Return a size with its symbols declared, as that for which it is put."""
    match size:
        case Name():
            return replace(size, declared=True)
        case Operation(_, left, right):
            return replace(size, left=_declaring(left), right=_declaring(right))
    return size


def negative(number: Any) -> Any:
    """Return -a for a number a, and a for -a."""
    match number:
        case Operation("-", Number(0), positive):
            return positive
        case Fraction():
            return -number
    return Operation("-", Number(0), number, column=number.column)


def loose(number: Size) -> bool:
    """Return whether a number is a sum or a difference, -a not among them."""
    is_sum = isinstance(number, Operation) and number.sign in "+-"
    return is_sum and not is_negative(number)


def is_negative(number: Any) -> bool:
    """Return whether a number is written as -a, or is below 0."""
    if isinstance(number, Fraction):
        return number < 0
    return isinstance(number, Operation) and number.sign == "-" and number.left == Number(0)


Kind = TypeVar("Kind", bound=Node)


def unused(name: str, taken: Container[str]) -> str:
    """Return a name, or where it is taken the first of name_1, name_2, .. that is not.

    >>> unused("k", {"k", "k_1"})
    'k_2'
    """
    names = chain([name], (f"{name}_{i}" for i in count(1)))
    return next(x for x in names if x not in taken)


def rebuilt(text: Kind, of_size: Callable[[Size], Size], of_part: Callable[[Any], Any]) -> Kind:
    """Return a node with other sizes in it and other texts that it is made of."""

    def new(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(new, value))
        if isinstance(value, Size):
            return of_size(value)
        return of_part(value) if isinstance(value, Node) else value

    return replace(text, **{one.name: new(getattr(text, one.name)) for one in fields(text)})
