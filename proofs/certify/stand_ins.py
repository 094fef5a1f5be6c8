"""Stand-ins for modules that a program imports: which of their names it finds, and what is said of
the others.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from proofs.certify.forbidden import Forbidden, Unmodelled
from proofs.certify.sandbox.libraries import LIBRARIES

MODULE_NAME = "program"


SHARED_MEMORY = "/dev/shm"
"""Where MPI keeps the memory that ranks share."""


class Free(NamedTuple):
    """What a file system says of its free room: blocks, and bytes of a block."""

    f_bavail: int
    f_frsize: int


class StandIn(ModuleType):
    """A module with some names of its own and another module's for the rest, both as `door` lets
    them through; it cannot be changed.
    """

    def __init__(self, name: str, own: Mapping[str, Any], door: Callable[[str], Any]) -> None:
        super().__init__(name)
        self.__dict__.update(own)
        self.__dict__["_door"] = door

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.__dict__["_door"](name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise Forbidden(
            f"{self.__name__}.{name} is set: other ranks, and this check, use the same module"
        )

    def __repr__(self) -> str:
        if sys._getframe(1).f_globals.get("__name__") == MODULE_NAME:
            raise Forbidden(
                f"the module {self.__name__} is converted to a text, which tells where it comes"
                " from"
            )
        return super().__repr__()

    def __delattr__(self, name: str) -> None:
        raise Forbidden(
            f"{self.__name__}.{name} is deleted: other ranks, and this check, use the same module"
        )


@cache
def listed(module: str) -> StandIn:
    """Return a module with those of its names that are listed (libraries.py)."""
    real, names = importlib.import_module(module), LIBRARIES[module]

    def door(name: str) -> Any:
        found = _of(real, name)
        if name not in names:
            raise Unmodelled(
                f"{module}.{name} is not modelled: plan and transform use what is the same"
                " everywhere and changes nothing, the names in"
                " proofs/certify/sandbox/libraries.py"
            )
        return found

    return StandIn(module, {}, door)


@cache
def for_main(module: str) -> ModuleType:
    """Return a module that a program may import for its main, not for plan and transform."""
    real = importlib.import_module(module)

    def door(name: str) -> Any:
        if callable(_of(real, name)):
            return forbidden(f"{module}.{name}")
        raise Unmodelled(
            f"{module}.{name} is not modelled: plan and transform compute, their results depend on"
            " nothing else"
        )

    own = {"path": for_main("os.path"), "statvfs": _statvfs} if module == "os" else {}
    return StandIn(module, own, door)


def _statvfs(path: Any) -> Free:
    """Return that the memory which ranks share has room for a window."""
    if path != SHARED_MEMORY:
        raise Unmodelled(f"os.statvfs of {path!r} is not modelled: that of {SHARED_MEMORY!r} is")
    return Free(2**50, 2**12)


def _of(real: ModuleType, name: str) -> Any:
    """Return what a module has; what says that it has it not does not hold the module."""
    if not hasattr(real, name):
        raise AttributeError(f"module {real.__name__!r} has no attribute {name!r}")
    return getattr(real, name)


def nothing_else(module: str) -> Callable[[str], Any]:
    """Return the door of a module of which no other name is modelled."""

    def door(name: str) -> Any:
        raise Unmodelled(f"{module}.{name} is not modelled")

    return door


def forbidden(name: str) -> Callable[..., Any]:
    """Return what stands for a function that plan and transform must not call."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise Unmodelled(
            f"{name}() is not modelled: plan and transform compute, their results depend on nothing"
            " else"
        )

    return refuse


def asking(name: str) -> Callable[..., Any]:
    """Return what stands for a function that tells what something is."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise Unmodelled(f"{name}(): what something is, other than its elements, is not modelled")

    return refuse


class Holder:
    """No array, and numpy takes it for the one that it holds."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self._array.copy() if copy else self._array
