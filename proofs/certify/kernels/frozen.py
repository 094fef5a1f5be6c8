"""What the text of a kernel reads beside its arguments, as a value that can be compared.

    frozen = number | text | the bytes of an array | a tuple of these
           | a function: its code, its defaults, and what it reads of its closure and of its module,
           each frozen | a function or type of Python or of our own

numba takes all of this as constants. Where it is the same, a kernel that is run as Python does the
same with the same arguments. What is none of these (a list that may grow, an object, a module)
cannot be frozen.

What is not the same in all calls, numba has of the first one: a kernel that reads such a thing is
not modelled.
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import sys
from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache
from hashlib import blake2b
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np

from proofs.certify.forbidden import Unmodelled

OURS = ("codegen.", "proofs.")
NUMBERS = "biufc"
NAMED = ("LOAD_GLOBAL", "LOAD_NAME")
EXACT = (int, bool, str, bytes, type(None))
READ: WeakKeyDictionary[FunctionType, Hashable] = WeakKeyDictionary()
"""What functions read in the first call of a kernel that calls them."""
RUNNING = list[FunctionType]()
"""The kernels that are called, each by the one before."""


class Unfrozen(Exception):
    """Something that a kernel reads may change, or has no value that could be compared."""


def frozen(value: Any) -> Hashable:
    """Return what a value is, so that two that are the same are equal; raises Unfrozen where that
    cannot be told.

    >>> frozen((1, 2.0)) == frozen((1, 2.0)), frozen(1) == frozen(True), frozen(0.0) == frozen(-0.0)
    (True, False, False)
    """
    return _Freezer().of(value)


class _Freezer:
    """Functions that are being frozen, so that one which calls itself comes to an end."""

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}

    def of(self, value: Any) -> Hashable:
        kind = type(value)
        if kind in EXACT:
            return kind.__name__, value
        if kind in (float, complex):
            return kind.__name__, repr(value)
        if kind is tuple:
            return kind.__name__, *map(self.of, value)
        if isinstance(value, np.generic | np.ndarray):
            return _of_array(value)
        if kind is np.dtype or isinstance(value, np.dtype):
            return "dtype", str(value)
        if isinstance(value, type | BuiltinFunctionType) and any(
            value is known for known in vars(builtins).values()
        ):
            return "Python's", str(value)
        if kind is FunctionType:
            return self.of_function(value)
        raise Unfrozen(f"a kernel reads {kind.__name__}, which may change")

    def of_function(self, function: FunctionType) -> Hashable:
        """Return a function: of ours its name and closure, of a text all that it reads."""
        if id(function) in self.seen:
            return "function", self.seen[id(function)]
        self.seen[id(function)] = len(self.seen)
        cells = tuple(self.of(cell.cell_contents) for cell in function.__closure__ or ())
        own = (
            function.__code__,
            cells,
            self.of(function.__defaults__),
            self.of(tuple((function.__kwdefaults__ or {}).items())),
        )
        if _is_ours(function):
            return "ours", function.__globals__["__name__"], function.__qualname__, *own
        return (
            "function",
            *own,
            tuple((name, self.of(value)) for name, value in self.read_by(function)),
        )

    def read_by(self, function: FunctionType) -> Iterator[tuple[str, Any]]:
        """Yield the names, and their values, that a function reads outside of itself."""
        for name in _names(function.__code__):
            for place in (function.__globals__, cast(Any, function).__builtins__):
                if name in place:
                    yield name, place[name]
                    break


def _of_array(value: np.generic | np.ndarray[Any, Any]) -> Hashable:
    if type(value) is not np.ndarray and not isinstance(value, np.generic):
        raise Unfrozen(f"a kernel reads {type(value).__name__}, which may change")
    if value.dtype.kind not in NUMBERS:
        raise Unfrozen(f"a kernel reads an array of {value.dtype}")
    return (
        "array",
        value.dtype.str,
        value.shape,
        type(value) is np.ndarray,
        blake2b(np.asarray(value).tobytes()).digest(),
    )


def _is_ours(function: FunctionType) -> bool:
    """Return whether a function is one of a module of ours, whatever it says of itself."""
    name = str(function.__globals__.get("__name__"))
    module = sys.modules.get(name)
    return name.startswith(OURS) and module is not None and vars(module) is function.__globals__


@lru_cache(1 << 12)
def _names(code: CodeType) -> tuple[str, ...]:
    """Return the global names that a function reads, those of functions inside of it among them."""
    read = {str(step.argval) for step in dis.get_instructions(code) if step.opname in NAMED}
    own = {name for name in read if not name.startswith("__")}  # which are the checker's
    inner = (
        name
        for constant in code.co_consts
        if isinstance(constant, CodeType)
        for name in _names(constant)
    )
    return tuple(sorted(own.union(inner)))


def constant(function: FunctionType, run: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Return a kernel that does what `run` does, or the function itself.

    It raises Unmodelled where the function, or one that it calls, reads something else than in a
    call before, and for integers of another size than Python's are compiled with; of one's own
    kernels, which `run` does not stand for, for arrays of such integers, too.
    """
    own, run = run is None, run or function

    def kernel(*arguments: Any, **named: Any) -> Any:
        _refuse_narrow((*arguments, *named.values()), own)
        if not RUNNING:
            refuse_changes(function, own)
        RUNNING.append(function)
        try:
            return run(*arguments, **named)
        finally:
            RUNNING.pop()

    return kernel


KERNEL = constant(cast(FunctionType, lambda: None)).__code__
"""What stands for a function is known by it."""


def renewed(function: FunctionType) -> FunctionType:
    """Return another function that does the same, as what numba compiles is another."""
    code, names = function.__code__, function.__globals__
    again = FunctionType(
        code, names, function.__name__, function.__defaults__, function.__closure__
    )
    again.__kwdefaults__ = function.__kwdefaults__
    return again


def refuse_changes(function: FunctionType, own: bool = True) -> None:
    """Raise Unmodelled where what a function reads is not what it was before."""
    found: dict[FunctionType, Hashable] = {}
    try:
        _read(function, found, own)
    except Unfrozen as error:
        raise Unmodelled(f"{error}: numba takes it as a constant") from error
    for each, read in found.items():
        if READ.setdefault(each, read) != read:
            raise Unmodelled(
                f"the kernel {function.__name__} reads what is another than in a call before: numba"
                " takes it as a constant"
            )


def _read(function: FunctionType, found: dict[FunctionType, Hashable], own: bool) -> None:
    """Put what a function reads, and the functions that it calls, into a dictionary."""
    if function in found:
        return
    found[function] = None
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    read = [(name, cell.cell_contents) for name, cell in cells]
    read += _Freezer().read_by(function)
    _refuse_narrow(
        (*(value for _, value in read), *(_types(function.__code__) if own else ())), own
    )
    values = [(name, _function(value)) for name, value in read]
    for _, value in values:
        if type(value) is FunctionType and not _is_ours(value):
            _read(value, found, own)
    found[function] = tuple((name, _as_constant(value)) for name, value in values)


def _function(value: Any) -> Any:
    """Return the function that a kernel stands for, and anything else as it is."""
    if type(value) is not FunctionType or value.__code__ is not KERNEL:
        return value
    place = KERNEL.co_freevars.index("function")
    return cast(Any, value).__closure__[place].cell_contents


def _as_constant(value: Any) -> Hashable:
    """Return what a value is; a function, a type or a module is what goes by its name."""
    if callable(value) or isinstance(value, ModuleType):
        return id(value)
    if isinstance(value, list):
        return "list", *map(_as_constant, value)
    return frozen(value.view(np.ndarray) if isinstance(value, np.ndarray) else value)


def _types(code: CodeType) -> Iterator[np.dtype[Any]]:
    """Yield the types of numpy that the names and texts of a piece of code may stand for."""
    texts = {each for each in code.co_consts if isinstance(each, str)}
    for text in texts.union(name for name in code.co_names if len(name) > 1):
        with contextlib.suppress(TypeError, ValueError, SyntaxError):
            yield np.dtype(text)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _types(inner)


def _refuse_narrow(values: tuple[Any, ...], own: bool) -> None:
    """Raise Unmodelled for integers of numpy that Python computes with in their own size, and numba
    in 64 bits; in one's `own` kernels for their types and arrays, too.
    """
    for value in values:
        if isinstance(value, tuple):
            _refuse_narrow(value, own)
            continue
        one, kind = isinstance(value, np.integer), value if own else None
        if isinstance(value, np.generic | np.ndarray) and (one or own):
            kind = value.dtype
        if _is_narrow(kind):
            raise Unmodelled(
                f"a kernel computes with integers of type {np.dtype(kind)}, compiled with 64 bits:"
                " that is not modelled"
            )


def _is_narrow(kind: Any) -> bool:
    """Return whether this is a type of integers of less than 64 bits."""
    if not isinstance(kind, np.dtype) and not (
        isinstance(kind, type) and issubclass(kind, np.integer)
    ):
        return False
    return np.dtype(kind).kind in "iu" and np.dtype(kind).itemsize < np.dtype(np.int64).itemsize
