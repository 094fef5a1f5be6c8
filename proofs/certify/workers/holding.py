"""What a program and a plan of it hold between transforms: a transform leaves nothing behind but
numbers and texts, so that the next one cannot tell what was given to it before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import CellType, FunctionType, ModuleType
from typing import Any

from codegen.mpi.clocks import Moment
from proofs.certify.stand_ins import MODULE_NAME

CONTAINERS = (dict, list, tuple, set, frozenset)
PLAIN = (int, float, str, Moment, type(None), ModuleType)
"""What a transform may leave behind: which half of a window is next, a count, a time, a word."""


def holdings(program: Mapping[str, Any], plan: Any) -> dict[int, Any]:
    """Return the things that the names of a program and a plan lead to, by their ids, numbers and
    texts left out: through containers, functions, classes and objects of the program's own.
    """
    found: dict[int, Any] = {}
    left = [plan, *(value for name, value in program.items() if name != "__builtins__")]
    while left:
        thing = left.pop()
        if not issubclass(type(thing), PLAIN) and id(thing) not in found:
            found[id(thing)] = thing
            left += _parts(thing)
    return found


def left_behind(before: Mapping[int, Any], after: Mapping[int, Any]) -> list[str]:
    """Return the types of what a transform leaves behind that was not held before; containers count
    by what is in them.
    """
    new = (type(after[each]) for each in after.keys() - before.keys())
    return sorted({kind.__name__ for kind in new if kind not in CONTAINERS})


def _parts(thing: Any) -> Iterator[Any]:
    """Yield what a thing leads to; by its type alone, as asking it may have it imported."""
    kind = type(thing)
    if issubclass(kind, dict):
        yield from (*thing.keys(), *thing.values())
    elif issubclass(kind, CONTAINERS):
        yield from thing
    elif kind is CellType:
        yield from _contents(thing)
    elif kind is FunctionType:
        if thing.__globals__.get("__name__") == MODULE_NAME:
            yield from (thing.__defaults__, thing.__kwdefaults__, thing.__closure__)
            yield vars(thing)
    elif (thing if issubclass(kind, type) else kind).__module__ == MODULE_NAME:
        yield from getattr(thing, "__dict__", {}).values()
        slots = (name for each in kind.__mro__ for name in vars(each).get("__slots__", ()))
        yield from (getattr(thing, name) for name in slots if hasattr(thing, name))


def _contents(cell: CellType) -> Iterator[Any]:
    try:
        yield cell.cell_contents
    except ValueError:
        return
