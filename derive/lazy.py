"""Modules that are slow to import: each is imported when something of it is first asked for."""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec
from types import ModuleType


def lazily(name: str) -> ModuleType:
    """Return a module that is imported when an attribute of it is first read.

    Raises ModuleNotFoundError if there is none of this name.

    >>> lazily("colorsys").rgb_to_yiq(0, 0, 0)
    (0.0, 0.0, 0.0)
    """
    if name in sys.modules:
        return sys.modules[name]
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"no module {name}", name=name)
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    package, _, own = name.rpartition(".")
    if package:
        setattr(sys.modules[package], own, module)
    return module
