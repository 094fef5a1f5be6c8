"""What a program and a plan of it hold: everything that their names lead to, in a form that two
states have in common only if no program can tell them apart.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import CellType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np

from codegen.mpi.calls.requests import Status
from codegen.mpi.calls.windows import Win
from codegen.mpi.clocks import Moment
from codegen.mpi.memory.buffers import memory
from proofs.certify.arrays.storage import Storage
from proofs.certify.forbidden import Unmodelled
from proofs.certify.stand_ins import MODULE_NAME

CONTAINERS = (OrderedDict, dict, list, tuple, set, frozenset, deque)
EQUAL = frozenset((bool, int, str, bytes, type(None)))
"""Types of what is the same where it is equal."""
VALUES: tuple[Any, ...] = (*EQUAL, float, complex, bytearray, type(...))
PLAIN: tuple[Any, ...] = (*VALUES, np.generic, Moment, ModuleType)
"""What a transform may leave behind, if it alternates: which half of a window is next, a word; and
a time, which nothing depends on.
"""
OPAQUE = ("numba", "pyfftw", "codegen.", "proofs.")
"""Modules of things that are what they are: communicators, kernels, plans of FFTW."""
LIBRARIES = ("numpy", *OPAQUE)
"""Modules whose functions keep nothing."""
RANDOM = "numpy.random"
MADE = 1 << 9
"""What a type has among its flags that is made while Python runs (Py_TPFLAGS_HEAPTYPE)."""
PYTHONS = ("__builtins__", "__warningregistry__")
"""Names of a module that are Python's own business, and that no text can say."""
COUNTS = (
    "{} changes what the program keeps, otherwise than to and fro: by that a later call may do"
    " something else, which no run shows"
)
Form = tuple[Any, ...]


@dataclass(frozen=True)
class Held:
    """What the names of a module, and a plan, lead to: the things by their ids, and in what form
    they are, which two states have in common only if no program can tell them apart.
    """

    things: Mapping[int, Any]
    module: Form
    plan: Form


def held(program: Mapping[str, Any], plan: Any = None) -> Held:
    """Return what a program and a plan lead to: through containers, functions, classes and objects;
    with the contents of arrays of ordinary numbers, where these are not data.

    Raises Unmodelled where something is kept that tells nothing of its state, as an iterator.
    """
    walk = _Walk()
    own = {name: value for name, value in program.items() if name not in PYTHONS}
    module = (*own, *walk.form(own.values()))
    return Held(walk.found, module, walk.form([plan]))


def left_behind(before: Iterable[int], after: Mapping[int, Any]) -> list[str]:
    """Return the types of what a transform newly leaves behind, containers by their contents."""
    new = (type(after[each]) for each in after.keys() - before)
    return sorted({kind.__name__ for kind in new if kind not in CONTAINERS})


def unchanged(program: Mapping[str, Any], plan: Any = None) -> Callable[[str], None]:
    """Return a function that raises Unmodelled unless a program and a plan hold what they hold now;
    it is told what has been called.
    """
    before = held(program, plan)

    def compared(call: str) -> None:
        after = held(program, plan)
        if (before.module, before.plan) != (after.module, after.plan):
            raise Unmodelled(COUNTS.format(call))

    return compared


class _Walk:
    """Things that are found, each numbered when it is first met."""

    def __init__(self) -> None:
        self.found = dict[int, Any]()
        self.numbers, self.kept = dict[int, int](), list[Any]()

    def form(self, roots: Iterable[Any]) -> Form:
        """Return the form of what these lead to, and note what is found."""
        entries, left, numbers, kept = list[Any](), list(roots)[::-1], self.numbers, self.kept
        while left:
            thing = left.pop()
            number = numbers.setdefault(id(thing), len(kept))
            if number < len(kept):
                entries.append(number)
                continue
            kept.append(thing)  # so that its id is no other's
            kind: Any = type(thing)
            if kind in EQUAL:
                entries.append((kind, thing))
            elif _is_plain(kind):
                entries.append((kind, _value(thing, kind)))
            else:
                self.found[id(thing)] = thing
                entries.append((kind, self._of(thing, kind)))
                left += [*_parts(thing, kind)][::-1]
        return tuple(entries)

    def _of(self, thing: Any, kind: Any) -> Any:
        """Return what is told of a thing beside its parts."""
        if base := _base(kind, CONTAINERS):
            return base.__len__(thing)
        if issubclass(kind, Storage | np.ndarray):
            content = b"" if issubclass(kind, Storage) else _digest(thing)
            return id(thing), thing.shape, memory(thing).flags.writeable, content
        if kind is FunctionType:
            return id(thing), *map(bool, _of_function(thing))
        if kind is Status:
            return thing.source, thing.tag, thing.Get_count()
        value = _base(kind, VALUES)
        return id(thing), value and value.__repr__(thing)


@cache
def _base(kind: Any, among: tuple[Any, ...]) -> Any:
    """Return the first of these types that this one is, or is made from."""
    return next((each for each in among if issubclass(kind, each)), None)


@cache
def _is_plain(kind: Any) -> bool:
    return issubclass(kind, PLAIN) and _module_of(kind) != MODULE_NAME


@cache
def _module_of(kind: Any) -> str:
    """Return the module of a type; that of the program where its own has it not, as a program may
    name any for what it makes.
    """
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return str(kind.__module__) if found is kind or not kind.__flags__ & MADE else MODULE_NAME


def _value(thing: Any, kind: type) -> Any:
    if issubclass(kind, Moment | ModuleType):
        return None
    if issubclass(kind, np.generic):
        return thing.dtype.str, thing.tobytes()
    return bytes(thing) if kind is bytearray else repr(thing)


def _digest(array: Any) -> bytes:
    if array.dtype.hasobject:
        raise Unmodelled("an array of objects is kept from call to call: that is not modelled")
    return hashlib.sha256(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data).digest()


def _parts(thing: Any, kind: type) -> Iterator[Any]:
    """Yield what a thing leads to; by its type alone, as asking it may have it imported, or may be
    answered by the program.
    """
    base, is_class = _base(kind, CONTAINERS), issubclass(kind, type)
    if base and issubclass(base, dict):
        yield from (part for pair in base.items(thing) for part in pair)
    elif base:
        yield from base.__iter__(thing)
    if _module_of(thing if is_class else kind) == MODULE_NAME:
        yield from _attributes(thing, kind)
        if not is_class:
            yield from _referents(thing, kind)
    elif issubclass(kind, np.ndarray):
        yield thing.base
    elif kind is CellType:
        yield from _contents(thing)
    elif kind is Win:
        segment = thing._shared.segments[thing._comm.rank]
        yield segment.array if segment.elements is None else segment.elements
    elif kind is FunctionType:
        if not str(thing.__globals__.get("__name__")).startswith(LIBRARIES):
            yield from filter(None, _of_function(thing))
    elif not base and not is_class and _may_change(kind):
        yield from _referents(thing, kind)


def _of_function(function: FunctionType) -> tuple[Any, ...]:
    """Return what a function has that may change, or None and empty ones."""
    return (function.__defaults__, function.__kwdefaults__, function.__closure__, vars(function))


def _attributes(thing: Any, kind: type) -> Iterator[Any]:
    """Yield the attributes of an object, or a class, of the program's own, with their names."""
    look = type.__getattribute__ if issubclass(kind, type) else object.__getattribute__
    with contextlib.suppress(AttributeError):
        yield from (part for pair in look(thing, "__dict__").items() for part in pair)
    if issubclass(kind, type):
        yield from thing.__bases__
        return
    for name, value in [pair for each in kind.__mro__ for pair in vars(each).items()]:
        if isinstance(value, MemberDescriptorType):
            with contextlib.suppress(AttributeError):
                yield from (name, look(thing, name))
    yield kind


def _may_change(kind: type) -> bool:
    """Return whether a thing of this type may change otherwise than by way of MPI."""
    return not _module_of(kind).startswith(OPAQUE)


@cache
def _counts(kind: Any) -> bool:
    """Return whether a type hides its state: an iterator, an error, random numbers."""
    steps = [vars(each)["__next__"] for each in kind.__mro__ if "__next__" in vars(each)]
    of_c = any(type(step) is not FunctionType for step in steps)
    return of_c or issubclass(kind, BaseException) or _module_of(kind).startswith(RANDOM)


def _referents(thing: Any, kind: type) -> list[Any]:
    """Return what a thing of Python's refers to, by its garbage collector."""
    if _counts(kind):
        raise Unmodelled(
            f"one of type {kind.__name__} is kept from call to call: how far it has come is not"
            " modelled"
        )
    return [part for part in gc.get_referents(thing) if part is not kind]


def _contents(cell: CellType) -> Iterator[Any]:
    try:
        yield cell.cell_contents
    except ValueError:
        return
