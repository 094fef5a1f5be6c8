"""The modules of Python's library that a program may import, with the names that it may use."""

from __future__ import annotations

import ast
import cmath
import functools
import itertools
import math
import operator
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as field_of
from typing import Any

from proofs.certify.language.limits import BITS, ELEMENTS, few
from proofs.certify.language.rules.calls import call
from proofs.certify.language.rules.comparisons import compare
from proofs.certify.language.rules.definition_rules import NamedTuple
from proofs.certify.language.table_entries import ANY, Module, Undecided
from proofs.certify.language.tables.builtins import with_state
from proofs.certify.language.tables.iterating_builtins import caller
from proofs.certify.language.tables.kinds import Plain, WithState, table
from proofs.certify.language.tables.numpy_names import NUMPY
from proofs.certify.language.tables.record_classes import dataclass_of, field, named_tuple, replaced
from proofs.certify.language.values.function_values import (
    ContextMaker,
    Function,
    Namespace,
    Native,
    Null,
    Opaque,
    State,
    Suppress,
)
from proofs.certify.language.values.iteration import iterated, listed
from proofs.certify.language.values.nested_sizes import hashed
from proofs.certify.language.values.operators import BINARY, COMPARISONS, operate


def context_manager(state: State, function: Any) -> ContextMaker:
    """Return a function with one `yield` as what makes contexts."""
    if not (isinstance(function, Function) and function.code.generator):
        raise Undecided("contextmanager of a function without yield")
    return ContextMaker(function)


def cached(state: State, function: Any = None, maxsize: Any = 128, typed: bool = False) -> Any:
    """Return a function that keeps its results."""
    if function is None or isinstance(function, int):
        size = maxsize if function is None else function
        return Native(lambda given: cached(state, given, size, typed))
    return Native(Cache(state, function, maxsize, typed), (function,))


@dataclass(frozen=True, eq=False)
class Cache:
    """A function with the results that it keeps, as functools.lru_cache does.

    Raises:
        Undecided: where it changes anything, as it would not do so again.
    """

    state: State
    function: Any
    most: int | None
    typed: bool
    found: OrderedDict[Any, Any] = field_of(default_factory=OrderedDict)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Return what the function returns, or has returned for these arguments."""
        values = (*given, *named.values())
        key: Any = given, tuple(named.items()), tuple(map(type, values)) if self.typed else ()
        if not self.typed and len(values) == len(given) == 1 and type(given[0]) in (int, str):
            [key] = given  # equal values of other types have keys of their own, as in CPython
        if hashed(key) in self.found:
            self.found.move_to_end(key)
            return self.found[key]
        state = self.state
        line, before = state.line, state.told((state, self.function, *values))
        made = self.found[key] = call(state, self.function, given, named, line)
        if state.told((state, self.function, *values)) != before:
            words = "a function that keeps its results changes something else, which later calls"
            raise Undecided(f"{words} of it do not; return a value instead", line)
        if self.most is not None and len(self.found) > self.most:
            self.found.popitem(last=False)
        return made


def partial(state: State, function: Any, *first: Any, **fixed: Any) -> Native:
    """Return functools.partial(..)."""
    return Native(
        lambda *given, **named: call(
            state, function, (*first, *given), {**fixed, **named}, state.line
        ),
        (function, first, fixed),
    )


def reduced(state: State, function: Any, values: Any, *start: Any) -> Any:
    """Return functools.reduce(..)."""
    return functools.reduce(caller(state, function), listed(state, values, state.line), *start)


def iterator(which: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of itertools of values that a program may iterate."""
    return lambda state, *given, **named: which(
        *[iterated(state, each, state.line) for each in given], **named
    )


def product(state: State, *given: Any, repeat: int = 1) -> Any:
    """Return itertools.product(..)."""
    lists = [listed(state, each, state.line) for each in given]
    if isinstance(repeat, int):
        few(max(repeat, 0) * max(1, len(lists)))
        few(math.prod(map(len, lists)) ** min(repeat, ELEMENTS.bit_length()))
    return itertools.product(*lists, repeat=repeat)


def accumulated(state: State, values: Any, function: Any = None, **named: Any) -> Any:
    """Return itertools.accumulate(..)."""
    given = iterated(state, values, state.line)
    how = caller(state, STANDARD["operator"]["add"] if function is None else function)
    return itertools.accumulate(given, how, **named)


ENOUGH = Namespace("a file system", {"f_bavail": 1 << 50, "f_frsize": 1 << 12})


def statistics(state: State, _: str) -> Namespace:
    """Return a file system with enough memory, which is noted as an assumption."""
    state.asked[state.line, "statvfs"] = None
    return ENOUGH


def product_of(state: State, values: Any) -> Any:
    """Return math.prod(values)."""
    found = listed(state, values, state.line)
    if sum(each.bit_length() for each in found if isinstance(each, int)) > BITS:
        raise Undecided(f"math.prod, of which the result may have more than {BITS} bits")
    return math.prod(found)


def _nothing(name: str, keywords: str = "exc_info extra level format stacklevel") -> WithState:
    return with_state(name, lambda state, *given, **named: None, keywords)


def _opaque(name: str, kind: type) -> Plain:
    return Plain(name.rpartition(".")[2], lambda: Opaque(f"{name}()", kind))


LOGGER: Module = {
    name: _nothing(name) for name in ["debug", "info", "warning", "error", "critical"]
}
TYPING = (
    "Any Callable Iterable Iterator Sequence Optional Union Final Literal ClassVar TypeAlias"
    " Protocol Self Mapping Generator TYPE_CHECKING"
)
NUMBERS = (
    "acos asin atan atan2 ceil copysign cos cosh degrees exp expm1 fabs floor fmod frexp"
    " gcd hypot isclose(rel_tol,abs_tol) isfinite isinf isnan isqrt ldexp log log10 log1p log2"
    " modf pow radians remainder sin sinh sqrt tan tanh trunc"
)
SIGNS = {
    "add": ast.Add,
    "sub": ast.Sub,
    "mul": ast.Mult,
    "truediv": ast.Div,
    "floordiv": ast.FloorDiv,
    "mod": ast.Mod,
}
"""Operators that exact data or kernels have in a way of their own."""
COMPARED = {"eq": ast.Eq, "ne": ast.NotEq, "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE}
OPERATORS = "add sub mul truediv floordiv mod neg xor and_ or_ eq ne lt le gt ge"


def _operator(name: str) -> Plain | WithState:
    sign = SIGNS.get(name)
    if name in COMPARED:
        how, apply = COMPARISONS[COMPARED[name]]
        return with_state(name, lambda state, a, b: compare(state, how, apply, a, b, state.line))
    if sign is None:
        return Plain(name, getattr(operator, name))
    return with_state(name, lambda state, a, b: operate(state, BINARY[sign], a, b, state.line))


STANDARD: dict[str, Module] = {
    "numpy": NUMPY,
    "math": {
        **table(Plain, math, NUMBERS),
        **{name: getattr(math, name) for name in ["pi", "e", "tau", "inf", "nan"]},
        "prod": with_state("prod", product_of),
        "fsum": with_state(
            "fsum", lambda state, values: math.fsum(listed(state, values, state.line))
        ),
    },
    "cmath": {
        **table(Plain, cmath, "exp sqrt cos sin log phase polar rect isclose(rel_tol,abs_tol)"),
        **{name: getattr(cmath, name) for name in ["pi", "e", "tau", "inf", "nan"]},
    },
    "contextlib": {
        "contextmanager": with_state("contextmanager", context_manager),
        "suppress": with_state("suppress", lambda state, *kinds: Suppress(kinds)),
        "nullcontext": with_state("nullcontext", lambda state, value=None: Null(value)),
    },
    "functools": {
        "lru_cache": with_state("lru_cache", cached, "maxsize typed"),
        "cache": with_state("cache", lambda state, function: cached(state, function, None)),
        "partial": with_state("partial", partial, ANY),
        "reduce": with_state("reduce", reduced),
    },
    "dataclasses": {
        "dataclass": with_state("dataclass", dataclass_of, "frozen slots eq"),
        "field": with_state("field", field, "default default_factory repr compare init"),
        "replace": with_state("replace", replaced, ANY),
    },
    "collections": {"namedtuple": with_state("namedtuple", named_tuple, "defaults")},
    "itertools": {
        "product": with_state("product", product, "repeat"),
        "chain": with_state("chain", iterator(itertools.chain)),
        "pairwise": with_state("pairwise", iterator(itertools.pairwise)),
        "accumulate": with_state("accumulate", accumulated, "initial"),
    },
    "operator": {name: _operator(name) for name in OPERATORS.split()},
    "typing": {
        **{name: Opaque("a type") for name in TYPING.split()},
        "NamedTuple": NamedTuple,
        "TYPE_CHECKING": False,
    },
    "collections.abc": {name: Opaque("a type") for name in TYPING.split()},
    "numpy.typing": {name: Opaque("a type") for name in ("ArrayLike", "NDArray", "DTypeLike")},
    "time": {
        name: _opaque(f"time.{name}", int if name.endswith("_ns") else float)
        for name in ["perf_counter", "time", "monotonic", "perf_counter_ns"]
    },
    "logging": {
        **LOGGER,
        "getLogger": with_state("getLogger", lambda state, *name: Namespace("logger", LOGGER)),
        "basicConfig": _nothing("basicConfig"),
        **dict.fromkeys(["DEBUG", "INFO", "WARNING", "ERROR"], 0),
    },
    "os": {"statvfs": with_state("statvfs", statistics), "getpid": _opaque("os.getpid", int)},
    "sys": {"stderr": Opaque("stderr"), "stdout": Opaque("stdout")},
    "warnings": {"warn": _nothing("warn", "category stacklevel")},
    "__future__": {"annotations": None},
    **{name: {} for name in ["json", "timeit", "argparse", "pathlib", "traceback", "platform"]},
}
"""The modules that a program may import."""
