"""Modules that are slow to import: each is imported when something of it is first asked for."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


class _Later(ModuleType):
    """What stands for a module. The import system makes the module itself, so that threads wait for
    one another, and what is interrupted or fails is imported again.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(import_module(self.__name__), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(import_module(self.__name__), name)

    def __dir__(self) -> list[str]:
        return dir(import_module(self.__name__))


def lazily(name: str) -> ModuleType:
    """Return a module that is imported when an attribute of it is first read or set. Then it raises
    ModuleNotFoundError if there is none of this name.

    >>> lazily("colorsys").rgb_to_yiq(0, 0, 0)
    (0.0, 0.0, 0.0)
    """
    return _Later(name)
