"""Operators: Python's own on ordinary values, and the rules of the library on exact arrays."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from proofs.certify.language.limits import BITS, ELEMENTS, PIECE, count, few
from proofs.certify.language.table_entries import DATA, Ended, Operation, Undecided
from proofs.certify.language.values.classes import Class, Object
from proofs.certify.language.values.function_values import (
    Bound,
    Function,
    Method,
    Namespace,
    Opaque,
    Raised,
    State,
)
from proofs.certify.language.values.nested_sizes import go_through

ERRORS = (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, BufferError)
"""Errors of Python's and numpy's operations, which a program may handle."""

ORDINARY = (int, float, complex, str, bytes, tuple, list, dict, range, slice, type(None))
NUMPY = (np.ndarray, np.generic, np.dtype, np.flatiter)
OURS = (Class, Object, Function, Method, Bound, Namespace, Opaque, Operation)


class _Kinds(dict[type, bool]):
    """Whether values of a type are ordinary: Python's or numpy's own."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = found = issubclass(kind, (*ORDINARY, *NUMPY))
        return found


IS_ORDINARY = _Kinds()


def error_of(error: Exception, line: int, *operands: Any) -> Ended:
    """Return how a program ends, or what it handles, when an operation raises an error.

    It is CPython's own if the operands are ordinary, and nothing is decided by it otherwise.
    """
    if isinstance(error, Ended):
        error.line = error.line or line
        return error
    if any(isinstance(operand, OURS) for operand in operands):
        if words := _of_objects(error, operands):
            return Raised(TypeError(words), line)
        opaque = next((each for each in operands if isinstance(each, Opaque)), None)
        return Undecided(
            opaque.words if opaque is not None else f"{type(error).__name__}: {error}", line
        )
    return Raised(error, line)


NOT_SUPPORTED = (
    "unsupported operand type(s) for", "can't multiply sequence", "argument of type",
    "can only concatenate",
    *[f"'{sign}' not supported" for sign in ("<", "<=", ">", ">=")],
)  # fmt: skip
"""How the errors begin that name the types of operands."""


def _of_objects(error: Exception, operands: tuple[Any, ...]) -> str:
    """Return the words of a TypeError about objects of the program, with the names of classes."""
    words = str(error)
    known = all(IS_ORDINARY[type(each)] or isinstance(each, Object) for each in operands)
    if not (known and isinstance(error, TypeError) and words.startswith(NOT_SUPPORTED)):
        return ""
    for each in operands:
        if isinstance(each, Object):
            words = words.replace("'Object'", repr(each.kind.name), 1)
            words = words.replace('"Object"', f'"{each.kind.name}"', 1)
    return words


@dataclass(frozen=True)
class Operator:
    """An operator: its sign, what Python does, of numbers alone without a look at lengths, and
    numpy's function of its name.
    """

    sign: str
    apply: Callable[[Any, Any], Any]
    in_place: Callable[[Any, Any], Any]
    of_numbers: Callable[[Any, Any], Any]
    function: str


Two = Callable[[Any, Any], Any]
LISTS = (list, tuple)
LISTED = (str, *LISTS)
"""Types of values that an integer repeats, and whose lengths are counted."""
TOO_MANY_BITS = f"an integer of more than {BITS} bits"


def guarded(guard: Callable[[Any, Any], None], apply: Two) -> Two:
    """Return an operation before which a guard may raise Undecided."""

    def run(a: Any, b: Any) -> Any:
        guard(a, b)
        return apply(a, b)

    return run


def _sum(a: Any, b: Any) -> None:
    if isinstance(a, LISTED):
        few(len(a) + count(b))
    elif type(a) is int:
        _integer(a.bit_length())


def _product(a: Any, b: Any) -> None:
    if isinstance(a, int) and isinstance(b, int):
        _integer(a.bit_length() + b.bit_length())
    elif isinstance(a, LISTED) or isinstance(b, LISTED):
        one, other = (a, b) if isinstance(a, LISTED) else (b, a)
        if isinstance(other, int | np.integer):
            few(len(one) * max(int(other), 0))


def _integer(bits: int) -> None:
    if bits > BITS:
        raise Undecided(TOO_MANY_BITS)


def _power(a: Any, b: Any) -> None:
    if isinstance(a, int) and isinstance(b, int) and abs(a) > 1:
        _integer(b * a.bit_length())


def _shift(a: Any, b: Any) -> None:
    if isinstance(a, int) and isinstance(b, int) and b > BITS:
        raise Undecided(f"a shift by {b} bits")
    if isinstance(a, int) and isinstance(b, int) and b > 0:
        _integer(a.bit_length() + b)


def _remainder(a: Any, b: Any) -> None:
    if isinstance(a, str):
        raise Undecided("% of a string; write an f-string")


def _operator(sign: str, name: str, function: str, guard: Any = None) -> Operator:
    plain, in_place = getattr(operator, name), getattr(operator, f"i{name.rstrip('_')}")
    if not guard:
        return Operator(sign, plain, in_place, plain, function)
    apply, in_place = guarded(guard, plain), guarded(guard, in_place)
    return Operator(sign, apply, in_place, plain if sign in "+*" else apply, function)


BINARY: dict[type[ast.operator], Operator] = {
    ast.Add: _operator("+", "add", "add", _sum),
    ast.Sub: _operator("-", "sub", "subtract"),
    ast.Mult: _operator("*", "mul", "multiply", _product),
    ast.Div: _operator("/", "truediv", "divide"),
    ast.MatMult: _operator("@", "matmul", "matmul"),
    ast.FloorDiv: _operator("//", "floordiv", "floor_divide"),
    ast.Mod: _operator("%", "mod", "remainder", _remainder),
    ast.Pow: _operator("**", "pow", "power", _power),
    ast.LShift: _operator("<<", "lshift", "left_shift", _shift),
    ast.RShift: _operator(">>", "rshift", "right_shift"),
    ast.BitOr: _operator("|", "or_", "bitwise_or"),
    ast.BitXor: _operator("^", "xor", "bitwise_xor"),
    ast.BitAnd: _operator("&", "and_", "bitwise_and"),
}

UNARY: dict[type[ast.unaryop], tuple[str, Callable[[Any], Any]]] = {
    ast.USub: ("neg", operator.neg),
    ast.UAdd: ("pos", operator.pos),
    ast.Invert: ("~", operator.invert),
}

COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.In: ("in", lambda a, b: a in b),
    ast.NotIn: ("not in", lambda a, b: a not in b),
    ast.Is: ("is", operator.is_),
    ast.IsNot: ("is not", operator.is_not),
}

SCALARS = frozenset({int, float, complex, bool})
"""Types of which results take no count."""


def counted(state: State, value: Any) -> Any:
    """Return the result of an operation, counted."""
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise Undecided("an array of Python objects; give a dtype, or use a list")
        state.limits.add(value)
    elif isinstance(value, LISTED):
        state.limits.spend(1 + few(len(value)) // 8)
        for each in () if isinstance(value, str) else value:
            if isinstance(each, np.ndarray):
                state.limits.add(each)
    elif type(value) is int and value.bit_length() > BITS:
        raise Undecided(TOO_MANY_BITS)
    return value


def fits(*values: Any) -> None:
    """Raise Undecided where arrays, with lists and tuples, give one of too many elements."""
    arrays, most = [each for each in values if isinstance(each, np.ndarray | list | tuple)], 1
    for each in arrays:
        most *= each.size if isinstance(each, np.ndarray) else max(1, len(each))
    if most > ELEMENTS:
        try:
            few(prod(np.broadcast_shapes(*map(np.shape, arrays))))
        except ValueError:
            return


def operate(state: State, how: Operator, a: Any, b: Any, line: int, in_place: bool = False) -> Any:
    """Return a `how` b; `in_place` is for `a how= b`."""
    library, rounds = state.library, state.rounds
    try:
        for one, other in ((a, b), (b, a)):
            if isinstance(one, LISTS) and not isinstance(other, (*LISTED, int)):
                go_through(state.limits, how.sign, one)
        if in_place and rounds is not None:
            rounds.apart(a, (b,))
        if type(a) in library.data or type(b) in library.data:
            return counted(state, library.operate(how, a, b, in_place))
    except Ended as ended:
        ended.line = ended.line or line
        raise
    if how.sign == "@" and isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        common = max(1, a.shape[-1]) if a.ndim else 1
        size = few((a.size // common) * (b.size // common))
        state.limits.spend(size * common // PIECE)
    try:
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            fits(a, b)
        apply = how.in_place if in_place else how.apply
        if rounds is None:
            found = apply(a, b)
        else:
            found = rounds.whole(rounds.applied(how.sign, apply, a, b))
        return counted(state, found)
    except (*ERRORS, Ended) as error:
        raise error_of(error, line, a, b) from None


def truth(state: State, value: Any, line: int) -> bool:
    """Return whether a value counts as true."""
    if value is True or value is False:
        return value
    if type(value) in state.library.data:
        raise Undecided(f"the truth value of {DATA}", line)
    try:
        return bool(value)
    except (*ERRORS, Ended) as error:
        raise error_of(error, line, value) from None
