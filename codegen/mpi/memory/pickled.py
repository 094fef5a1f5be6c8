"""Objects that travel as mpi4py sends them: pickled by who sends, and made anew by who receives.

Functions and classes of the program go by their names, as in a module that every rank has imported:
what has no such name, a lambda or a class within a function, cannot be sent.
"""

from __future__ import annotations

import io
import pickle
import sys
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any

from codegen.mpi.faults import NotModelled
from codegen.mpi.ranks import OURS

IRECV_BUFFER = 32768
"""The bytes that mpi4py's irecv has room for unless it is given a buffer."""


BY_NAME = (type, FunctionType, type(cache(len)))
"""What is pickled by its name: classes, functions, and functions that remember."""
REDUCING = (
    *("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__"),
    *("__getnewargs__", "__getnewargs_ex__"),
)
"""Methods by which an object says how it is pickled."""


@dataclass(frozen=True)
class Pickled:
    """An object on its way."""

    octets: bytes

    @classmethod
    def of(cls, thing: Any) -> Pickled:
        """Return an object pickled; raises what pickle raises, and NotModelled for what a simulated
        run has its own of.
        """
        into = io.BytesIO()
        _Pickler(into, _namespace()).dump(thing)
        return cls(into.getvalue())

    def made(self) -> Any:
        """Return the object, a new one."""
        return _Unpickler(io.BytesIO(self.octets), _namespace()).load()


def _namespace() -> dict[str, Any]:
    """Return the names of the program of the rank that runs: those of the innermost line that is
    not the communicator's own.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith(OURS):
        frame = frame.f_back
    return frame.f_globals


class _Pickler(pickle.Pickler):
    def __init__(self, into: io.BytesIO, names: dict[str, Any]) -> None:
        super().__init__(into, pickle.HIGHEST_PROTOCOL)
        self.names = names

    def persistent_id(self, thing: Any) -> Any:
        """Return the name of a function or class of the program."""
        if not isinstance(thing, BY_NAME) or thing.__module__ != self.names.get("__name__"):
            return None
        module, name = thing.__module__, thing.__qualname__
        if _found(self.names, name) is not thing:
            raise pickle.PicklingError(
                f"Can't pickle {name}: attribute lookup {name} on {module} failed"
            )
        return name

    def reducer_override(self, thing: Any) -> Any:
        """Refuse an object that says itself how it is pickled: what it says is not looked at."""
        methods = [getattr(type(thing), name, None) for name in REDUCING]
        if any(
            getattr(method, "__module__", None) == self.names.get("__name__") for method in methods
        ):
            raise NotModelled(
                f"an object of class {type(thing).__name__}, which pickles itself, is sent: that is"
                " not modelled"
            )
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    def __init__(self, source: io.BytesIO, names: dict[str, Any]) -> None:
        super().__init__(source)
        self.names = names

    def persistent_load(self, name: Any) -> Any:
        """Return the function or class of this rank's program that is called so."""
        return _found(self.names, name)


def made(value: Any) -> Any:
    """Return what a rank gets of what others have sent: objects made anew, one by one in a list."""
    if isinstance(value, Pickled):
        return value.made()
    return [made(each) for each in value] if isinstance(value, list) else value


def _found(names: dict[str, Any], name: str) -> Any:
    """Return what a module has by a name with dots, or None."""
    first, *rest = name.split(".")
    found = names.get(first)
    for part in rest:
        found = getattr(found, part, None)
    return found
