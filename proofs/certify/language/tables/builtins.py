"""The builtins of Python that a program may use."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from types import UnionType
from typing import Any

import numpy as np

from proofs.certify.language.limits import BITS, MODULAR_BITS, PIECE, few
from proofs.certify.language.rules.access import attribute_of
from proofs.certify.language.rules.calls import CONSTRUCTORS
from proofs.certify.language.rules.expression_rules import text_of
from proofs.certify.language.table_entries import ANY, Undecided, kind_of
from proofs.certify.language.tables.iterating_builtins import (
    enumerated,
    extreme,
    filtered,
    following,
    in_order,
    in_reverse,
    mapped,
    quantified,
    total,
    zipped,
)
from proofs.certify.language.tables.kinds import Plain, WithState
from proofs.certify.language.tables.numpy_names import NUMPY, dtype
from proofs.certify.language.values.classes import Class, Object
from proofs.certify.language.values.function_values import (
    Namespace,
    Native,
    Property,
    Raised,
    State,
    Static,
)
from proofs.certify.language.values.iteration import iterated, listed
from proofs.certify.language.values.nested_sizes import PART, hashed
from proofs.certify.language.values.opaque import Opaque
from proofs.certify.language.values.operators import BINARY, IS_ORDINARY, counted

EXCEPTIONS = (
    "BaseException Exception ValueError TypeError RuntimeError OSError KeyError IndexError"
    " LookupError ArithmeticError ZeroDivisionError OverflowError AttributeError AssertionError"
    " NotImplementedError EOFError FileNotFoundError MemoryError FloatingPointError NameError"
    " StopIteration UnboundLocalError ImportError"
)
PLAIN_TYPES = "int float complex bool"
INTEGERS = "divmod chr ord bin hex oct"


def text(state: State, value: Any = "", *, which: Callable[[Any], str] = str) -> Any:
    """Return str(value), or repr(value)."""
    found = text_of(value, convert=which)
    if isinstance(found, str):
        state.limits.spend(few(len(found), "characters of a string") // PIECE)
    return found


def is_instance(state: State, value: Any, kinds: Any) -> bool:
    """Return isinstance(value, kinds)."""
    if isinstance(kinds, tuple):
        return any(is_instance(state, value, kind) for kind in kinds)
    if isinstance(kinds, UnionType):
        return is_instance(state, value, kinds.__args__)
    if isinstance(kinds, Class):
        return isinstance(value, Object) and value.kind.is_a(kinds)
    if isinstance(kinds, Opaque):
        raise Undecided(f"isinstance of {kinds.name}")
    if not isinstance(kinds, type):
        raise Raised(TypeError("isinstance() arg 2 must be a type, a tuple of types, or a union"))
    if state.ask(value, "isinstance"):
        return kinds in (np.ndarray, object)
    if isinstance(value, Class):
        return kinds in (type, object)
    return value.is_a(kinds) if isinstance(value, Opaque) else isinstance(value, kinds)


def is_called(state: State, value: Any) -> bool:
    """Return callable(value)."""
    if isinstance(value, Opaque):
        return value.is_a(type)
    return callable(value) or hasattr(value, "call")


def type_of(state: State, value: Any) -> Any:
    """Return type(value)."""
    if isinstance(value, Opaque):
        raise Undecided(value.words)
    if isinstance(value, Object):
        return value.kind
    if state.ask(value, "type"):
        return np.ndarray
    if not (IS_ORDINARY[type(value)] or isinstance(value, BaseException)):
        raise Undecided(f"the type of {type(value).__name__}")
    return type(value)


_NOTHING = object()


def get_attribute(state: State, value: Any, name: Any, default: Any = _NOTHING) -> Any:
    """Return getattr(value, name, default)."""
    if not isinstance(name, str) or (name.startswith("_") and name != "__name__"):
        raise Undecided(f"getattr(.., {name!r})")
    if isinstance(value, Namespace) and not value.name.startswith("numpy"):  # as told by its text
        raise Undecided(f"getattr of module {value.name}; write {value.name}.{name}")
    if default is not _NOTHING:
        state.ask(value, "getattr" if default is not _NOTHING_FOUND else "hasattr")
    try:
        return attribute_of(state, value, name, state.line)
    except Raised as raised:
        if default is _NOTHING or not isinstance(raised.value, AttributeError):
            raise
        return default


def has_attribute(state: State, value: Any, name: str) -> bool:
    """Return hasattr(value, name)."""
    return get_attribute(state, value, name, _NOTHING_FOUND) is not _NOTHING_FOUND


_NOTHING_FOUND = object()


def printed(
    state: State, *values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: Any = None
) -> None:
    """Note what a program prints, with the line where it is among what main prints."""
    texts = [getattr(each, "name", each) for each in (text(state, each) for each in values)]
    few(sum(map(len, texts)), "characters of a string")
    words = (sep or " ").join(texts) + end
    state.limits.spend(1 + len(words) // 8)
    is_apart = getattr(file, "name", "") == "stderr"
    state.printed.append((0 if is_apart else state.line, words))


def length(state: State, value: Any) -> int:
    """Return len(value)."""
    if type(value) in state.library.data or isinstance(value, (*_SIZED, Object)):
        return len(value)
    if isinstance(value, int | float | complex | type(None) | np.generic | type):
        raise Raised(TypeError(f"object of type {type(value).__name__!r} has no len()"))
    raise Undecided(f"len of {kind_of(value)}")


_SIZED: tuple[type[Any], ...] = (
    str, list, tuple, dict, range, np.ndarray, np.dtype, type({}.items()), type({}.keys()),
    type({}.values()), Opaque,
)  # fmt: skip


def magnitude(state: State, value: Any) -> Any:
    """Return abs(value)."""
    if type(value) in state.library.data:
        return state.library.function("abs")(value)
    return counted(state, abs(value))


def power(a: Any, b: Any, modulus: Any = None) -> Any:
    """Return pow(a, b, modulus)."""
    if modulus is None:
        return BINARY[ast.Pow].apply(a, b)
    for each in (b, modulus):
        if isinstance(each, int) and each.bit_length() > MODULAR_BITS:
            raise Undecided(f"pow with an exponent or a modulus of more than {MODULAR_BITS} bits")
    return pow(a, b, modulus)


def rounded(number: Any, ndigits: Any = None) -> Any:
    """Return round(number, ndigits)."""
    if isinstance(number, int) and isinstance(ndigits, int) and -ndigits > BITS:
        raise Undecided(f"round to {ndigits} digits")
    return round(number, ndigits)


def sequence(kind: type) -> Callable[..., Any]:
    """Return `list` or `tuple`."""
    return lambda state, values=(): kind(listed(state, values, state.line))


def dictionary(state: State, values: Any = (), **named: Any) -> dict[Any, Any]:
    """Return dict(values, ..)."""
    if isinstance(values, dict):
        state.limits.spend(len(values) // PART)
        return {**values, **named}
    found = listed(state, values, state.line)
    for each in found:
        hashed(each[0] if isinstance(each, list | tuple) and each else None)
    return dict(found, **named)


def _typed(name: str) -> Plain:
    return Plain(name, getattr(builtins, name), frozenset({"base"} if name == "int" else ()))


CONSTRUCTORS.update(
    {
        **{getattr(builtins, name): _typed(name) for name in PLAIN_TYPES.split()},
        str: WithState("str", text),
        list: WithState("list", sequence(list)),
        tuple: WithState("tuple", sequence(tuple)),
        dict: WithState("dict", dictionary, frozenset({ANY})),
        range: Plain("range", range),
        slice: Plain("slice", slice),
        object: WithState("object", lambda state: object()),
        type: WithState("type", type_of),
        np.dtype: Plain("dtype", dtype),
        **{
            kind: Plain(kind.__name__, kind)
            for kind in NUMPY.values()
            if isinstance(kind, type) and issubclass(kind, np.number | np.bool)
        },
    }
)


def with_state(name: str, function: Callable[..., Any], keywords: str = "") -> WithState:
    """Return an operation that gets the state of the rank, with these keywords."""
    return WithState(name, function, frozenset(keywords.split()))


BUILTINS: dict[str, Any] = {
    **{name: getattr(builtins, name) for name in EXCEPTIONS.split()},
    **{kind.__name__: kind for kind in (int, float, complex, bool, str, list, tuple, dict)},
    **{kind.__name__: kind for kind in (range, slice, object, type)},
    **{name: Plain(name, getattr(builtins, name)) for name in INTEGERS.split()},
    "round": Plain("round", rounded, frozenset({"ndigits"})),
    "pow": Plain("pow", power),
    "abs": with_state("abs", magnitude),
    "len": with_state("len", length),
    "min": with_state("min", extreme(min), "key default"),
    "max": with_state("max", extreme(max), "key default"),
    "sum": with_state("sum", total, "start"),
    "any": with_state("any", quantified(any)),
    "all": with_state("all", quantified(all)),
    "sorted": with_state("sorted", in_order, "key reverse"),
    "zip": with_state("zip", zipped, "strict"),
    "enumerate": with_state("enumerate", enumerated, "start"),
    "reversed": with_state("reversed", in_reverse),
    "map": with_state("map", mapped),
    "filter": with_state("filter", filtered),
    "iter": with_state("iter", lambda state, values: iter(iterated(state, values, state.line))),
    "next": with_state("next", following),
    "isinstance": with_state("isinstance", is_instance),
    "getattr": with_state("getattr", get_attribute),
    "hasattr": with_state("hasattr", has_attribute),
    "callable": with_state("callable", is_called),
    "repr": with_state("repr", lambda state, value: text(state, value, which=repr)),
    "format": with_state("format", lambda state, value, spec="": text_of(value, spec)),
    "print": with_state("print", printed, "sep end file flush"),
    "property": with_state("property", lambda state, read: Property(read)),
    "staticmethod": with_state("staticmethod", lambda state, function: Static(function)),
    "classmethod": with_state("classmethod", lambda state, function: Static(function, True)),
    "Ellipsis": Ellipsis,
    "__name__": Opaque("whether the program is a script", str),
    "__doc__": None,
    "super": Native(lambda: None),
}
"""The names that a program has without an import."""
