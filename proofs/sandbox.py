"""Loading the text of a program, in ordinary numbers or in exact elements, and running a check within bounds.

The text gets a stand-in for numpy, whose np.empty and the like make arrays of elements where the program asks for its DTYPE, one for
mpi4py, and a short list of standard modules. A check runs in a process of its own with limits on time and memory. That stops
programs that run away. It is no wall against malice: a text that wants to can reach the rest of Python.
"""

from __future__ import annotations

import builtins
import importlib
import linecache
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from codegen.buffers import poison
from codegen.simulate import MPI
from proofs.constants import Recognizer, Refused
from proofs.elements import Elements

STANDARD_MODULES = (
    *("__future__", "argparse", "collections", "contextlib", "dataclasses", "functools", "itertools", "json", "math", "operator"),
    *("os", "pathlib", "signal", "statistics", "sys", "tempfile", "time", "traceback", "typing"),
)
"""What a node program may import besides numpy and mpi4py."""
FORBIDDEN = ("open", "exec", "eval", "compile", "input", "breakpoint")
"""Built-in functions that no part of a program that runs here needs: reading and writing files is main's business."""
MODULE_NAME = "program"
SECONDS = 600
MEMORY = 16 * 2**30


@dataclass(frozen=True)
class Exact:
    """Arrays of data are arrays of elements: those of this type, with this many stimuli."""

    recognizer: Recognizer
    stimuli: int
    dtype: np.dtype[Any]


@dataclass(frozen=True)
class Text:
    """The text of a program, compiled."""

    name: str
    code: CodeType

    @classmethod
    def compiled(cls, name: str, text: str) -> Text:
        """Return a program's text compiled, its lines known to error messages.

        Raises ValueError if it is no Python.
        """
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        try:
            return cls(name, compile(text, name, "exec", dont_inherit=True))
        except (SyntaxError, ValueError) as error:
            raise ValueError(f"{name} is no Python program: {error}") from error

    def load(self, exact: Exact | None = None) -> dict[str, Any]:
        """Execute the text and return its names; every rank needs its own.

        Raises what the text raises, and Refused where it imports or calls what it must not.
        """
        numpy = exact_numpy(exact) if exact else numpy_with_poison()
        namespace: dict[str, Any] = {"__name__": MODULE_NAME, "__file__": self.name, "__builtins__": _builtins(numpy)}
        exec(self.code, namespace)
        return namespace

    def place(self, error: BaseException) -> str:
        """Return the innermost line of the program that an error comes from, and what was noted of it."""
        lines = []
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.name:
                lines.append(trace.tb_lineno)
            trace = trace.tb_next
        where = [f"line {lines[-1]}: {linecache.getline(self.name, lines[-1]).strip()}"] if lines else []
        return ", ".join(where + list(getattr(error, "__notes__", [])))


class StandIn(ModuleType):
    """A module that has some names of its own, and another module's for the rest."""

    def __init__(self, name: str, own: Mapping[str, Any], rest: Any) -> None:
        super().__init__(name)
        self.__dict__.update(own)
        self.__dict__["_rest"] = rest

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_rest"], name)


def exact_numpy(exact: Exact) -> ModuleType:
    """Return numpy whose new arrays of the exact type are arrays of elements."""

    def zeros(shape: Any, dtype: DTypeLike = float, order: str = "C") -> Any:
        if np.dtype(dtype) != exact.dtype:
            return np.zeros(shape, dtype)
        return Elements.zeros(shape, exact.dtype, exact.recognizer, exact.stimuli)

    def empty(shape: Any, dtype: DTypeLike = float, order: str = "C") -> Any:
        return _poisoned(zeros(shape, dtype))

    def ones(shape: Any, dtype: DTypeLike = float, order: str = "C") -> Any:
        array = zeros(shape, dtype)
        array[...] = 1
        return array

    own = {"zeros": zeros, "empty": empty, "ones": ones, "random": _without_calls(np.random)}
    return StandIn("numpy", own | {name: _passing(getattr(np, name)) for name in ("array", "asarray", "ascontiguousarray")}, np)


def numpy_with_poison() -> ModuleType:
    """Return numpy whose new arrays hold no number before they are written."""
    own = {"empty": lambda shape, dtype=float, order="C": _poisoned(np.zeros(shape, dtype)), "random": _without_calls(np.random)}
    return StandIn("numpy", own, np)


def _poisoned(array: Any) -> Any:
    poison(array)
    return array


def _passing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return np.array or the like for elements, which they leave as they are or copy."""

    def made(value: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(value, Elements):
            return function(value, *args, **kwargs)
        if args or kwargs:
            raise Refused(f"np.{function.__name__} of elements with further arguments is not modelled")
        return value.copy() if function is np.array or not value.flags.c_contiguous else value

    return made


def _builtins(numpy: ModuleType) -> dict[str, Any]:
    allowed = vars(builtins) | {name: _forbidden(name) for name in FORBIDDEN}
    mpi4py = StandIn("mpi4py", {"MPI": MPI()}, None)
    own_sys = StandIn("sys", {}, sys)
    outside = {module.__name__: _without_calls(module) for module in (os, time, tempfile, signal)}

    def import_(name: str, globals: Any = None, locals: Any = None, fromlist: tuple[str, ...] = (), level: int = 0) -> Any:
        top = name.partition(".")[0]
        if level == 0 and top == "numpy":
            return importlib.import_module(name) if fromlist and name != "numpy" else numpy
        if level == 0 and top == "mpi4py":
            return mpi4py.MPI if fromlist and name != "mpi4py" else mpi4py
        if level == 0 and name == "sys":
            return own_sys
        if level == 0 and name in outside:
            return outside[name]
        if level == 0 and top in STANDARD_MODULES:
            return __import__(name, globals, locals, fromlist, level)
        raise Refused(f"import of {name}: a node program needs numpy, mpi4py and of the standard library {', '.join(STANDARD_MODULES)}")

    return allowed | {"__import__": import_}


@cache
def _without_calls(module: ModuleType) -> ModuleType:
    """Return a module that a program may import for its main, and whose functions plan and transform must not call."""
    functions = {name for name, value in vars(module).items() if callable(value) and not isinstance(value, type)}
    return StandIn(module.__name__, {name: _forbidden(f"{module.__name__}.{name}") for name in functions}, module)


def _forbidden(name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise Refused(f"{name}(): plan and transform compute, their results depend on nothing else")

    return refuse


def bounded(module: str, arguments: list[str], text: str, seconds: int = SECONDS) -> str:
    """Run `python -m module` in a process of its own with this text on standard input; return its standard output.

    Raises ValueError, with the last line that it wrote to standard error, if it fails or exceeds its bounds.
    """
    root = str(Path(__file__).resolve().parents[1])
    paths = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", module, str(seconds), *arguments]
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=2 * seconds, env=os.environ | {"PYTHONPATH": paths}, check=False
        )
    except subprocess.TimeoutExpired:
        raise ValueError(f"the check took more than {2 * seconds} s: it is stopped") from None
    if done.returncode:
        told = done.stderr.strip().splitlines() or [f"exit status {done.returncode}: bounds are {seconds} s of processor time, {MEMORY >> 30} GiB"]
        raise ValueError(told[-1])
    return done.stdout


def limit(seconds: int) -> None:
    """Bound the processor time and the memory of this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
