"""Loading the text of a program, in ordinary numbers or in exact elements.

The text gets a stand-in for numpy, whose np.empty and the like make arrays of elements where the
program asks for its DTYPE, one for mpi4py, one for numba, and a short list of standard modules,
none of which it can change. That keeps a simulated run like a real one, and an honest text from
what it might do by mistake. It is no wall: proofs/certify/workers/wall.py is.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import linecache
import marshal
import sys
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from codegen.mpi.clocks import CLOCKS, clock
from codegen.mpi.simulate import MPI
from proofs.certify.arrays import pyfftw_stand_in
from proofs.certify.arrays.numpy_stand_in import (
    NUMPY_MODULES,
    Arrays,
    empty,
    empty_like,
    numpy_of,
    numpy_with_poison,
)
from proofs.certify.forbidden import Forbidden, Unmodelled
from proofs.certify.kernels import compiled, sections
from proofs.certify.kernels.frozen import constant, refuse_changes
from proofs.certify.sandbox import caught, ownership, set_order, texts
from proofs.certify.sandbox.introspection import ANSWERED
from proofs.certify.sandbox.libraries import LIBRARIES
from proofs.certify.sandbox.source import Source
from proofs.certify.stand_ins import MODULE_NAME, StandIn, for_main, forbidden, listed, nothing_else

COMPUTING = tuple(name for name in LIBRARIES if name.partition(".")[0] not in ("numpy", "sys"))
FOR_MAIN = (
    *("argparse", "json", "os", "pathlib", "signal", "statistics", "tempfile", "time", "timeit"),
    "traceback",
)
"""Imports of a node program besides numpy, mpi4py, numba and sys; the last are main's alone."""
FORBIDDEN = (
    *("open", "exec", "eval", "compile", "input", "breakpoint", "help", "memoryview", "id", "hash"),
)
"""Built-in functions that no part of a program that runs here needs: files are main's business, and
where something lies is nobody's.
"""
PLAIN = (int, float, complex, str, bytes, type(None), np.generic, np.ndarray)
"""What looks the same in a simulated run as in a real one."""


@dataclass(frozen=True)
class Text:
    """The text of a program, compiled; `real` is the same text with its kernels as they are, for
    numba, None where it has none.
    """

    name: str
    code: CodeType
    modules: frozenset[str]
    real: CodeType | None = None

    @classmethod
    def of(cls, source: Source) -> Text:
        """Return a text to be executed, its lines known to error messages."""
        lines = source.text.splitlines(keepends=True)
        linecache.cache[source.name] = (len(source.text), None, lines, source.name)
        code, *real = map(marshal.loads, filter(None, (source.code, source.whole)))
        return cls(source.name, code, source.modules, *real)

    def load(
        self,
        arrays: Arrays | None = None,
        compiler: compiled.Compiler | None = None,
        as_it_is: bool = False,
    ) -> dict[str, Any]:
        """Execute the text and return its names; every rank needs its own. With a compiler, its
        kernels are compiled; as it is, with pyfftw's plans.

        Raises what the text raises, and Forbidden where it imports or calls what it must not.
        """
        numpy = numpy_of(arrays) if arrays else numpy_with_poison()
        behind: dict[str, Any] = {"numba": StandIn("numba", INTERPRETING, nothing_else("numba"))}
        if self.real:
            behind |= compiled.behind(arrays, compiler)
        if "pyfftw" in self.modules:
            own = pyfftw_stand_in.real() if as_it_is else pyfftw_stand_in.specified(numpy.empty)
            behind["pyfftw"] = StandIn("pyfftw", own, nothing_else("pyfftw"))
        builtins = _builtins(numpy, behind)
        module = ModuleType(MODULE_NAME)
        vars(module).update({"__file__": self.name, "__builtins__": builtins})
        with _imported(module):
            exec(self.real if compiler and self.real else self.code, vars(module))
        return vars(module)

    def place(self, error: BaseException) -> str:
        """Return the innermost line of the program that an error comes from, and its notes."""
        frames = traceback.walk_tb(error.__traceback__)
        lines = [line for frame, line in frames if frame.f_code.co_filename == self.name]
        where = [f"line {n}: {linecache.getline(self.name, n).strip()}" for n in lines[-1:]]
        return ", ".join(where + list(getattr(error, "__notes__", [])))


@contextlib.contextmanager
def _imported(module: ModuleType) -> Iterator[None]:
    """Have a module known by its name while it is executed: dataclasses look annotations up."""
    before = sys.modules.get(MODULE_NAME)
    sys.modules[MODULE_NAME] = module
    try:
        yield
    finally:
        sys.modules.pop(MODULE_NAME)
        if before is not None:
            sys.modules[MODULE_NAME] = before


def compiler_of(text: Text) -> compiled.Compiler | None:
    """Return a compiler for a text's kernels; None where it has none, or numba is missing."""
    if not text.real or not compiled.is_installed():
        return None
    compiled.make_known(empty, empty_like)
    return compiled.Compiler()


def njit(*signature: Any, **options: Any) -> Any:
    """numba's decorator, whose kernels are run as Python, and read the same in every call."""
    compiled.sequential(options)
    if len(signature) == 1 and not options and isinstance(signature[0], FunctionType):
        return constant(signature[0])

    def decorator(function: FunctionType) -> Any:
        if signature:  # of the arguments: it is compiled at once
            refuse_changes(function)
        return constant(function)

    return decorator


def prange(*bounds: int) -> Any:
    """numba's loop whose rounds may come in any order, and come in reverse here."""
    return reversed(range(*bounds))


REPLACED: dict[str, dict[str, Any]] = {
    "contextlib": {"ExitStack": caught.Stack},
    "operator": texts.OPERATORS,
    "collections": {"abc": listed("collections.abc")},
}
"""What stands for some names of libraries, by module."""
INTERPRETING = {
    "njit": njit,
    "jit": njit,
    "prange": prange,
    "config": StandIn("numba.config", {"DISABLE_JIT": 0}, nothing_else("numba.config")),
}


def _known(numpy: ModuleType, behind: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands for each module that a text may import, by name."""
    mpi = StandIn("mpi4py", {"MPI": MPI()}, nothing_else("mpi4py"))
    return (
        {name: listed(name) for name in (*COMPUTING, "sys")}
        | {name: for_main(name) for name in FOR_MAIN}
        | {"numpy": numpy}
        | {f"numpy.{name}": getattr(numpy, name) for name in NUMPY_MODULES}
        | {
            name: StandIn(name, own, listed(name).__getattr__)
            for name, own in {**ownership.DECORATING, **REPLACED}.items()
        }
        | {
            "mpi4py": mpi,
            "mpi4py.MPI": mpi.MPI,
            "time": StandIn("time", dict.fromkeys(CLOCKS, clock), for_main("time").__getattr__),
        }
        | {
            name: StandIn(name, own, nothing_else(name)) if name in sections.DOORS.values() else own
            for name, own in behind.items()
        }
    )


def _builtins(numpy: ModuleType, behind: Mapping[str, Any]) -> dict[str, Any]:
    public = {
        name: value
        for name, value in vars(builtins).items()
        if not name.startswith("_") or name in ("__build_class__", "__debug__")
    }
    known = _known(numpy, behind)

    def import_(
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: tuple[str, ...] = (),
        level: int = 0,
    ) -> Any:
        # numpy's own C code imports by whoever calls it; the text cannot say this
        if name.startswith("numpy._"):
            return importlib.import_module(name)
        if level or name not in known:
            raise _unknown(name)
        return known[name if fromlist else name.partition(".")[0]]

    own = {"__import__": import_, "print": forbidden("print"), "repr": _repr, "ascii": _repr}
    said = {"str": texts.Str, "format": texts.formatted} | texts.LOOKING
    sets = {"set": set_order.Set, set_order.MADE: set_order.Set, "frozenset": set_order.Frozen}
    owned = ownership.ASKED
    closed = {name: forbidden(name) for name in FORBIDDEN}
    return public | closed | ANSWERED | own | said | sets | owned | caught.NOTING


def _unknown(name: str) -> Forbidden | Unmodelled:
    """Return what is raised where a text imports a module that it may not."""
    if name.partition(".")[0] in ("llvmlite", "numba"):
        return Forbidden(f"import of {name}: {sections.UNLIKE_OURS}")
    standard = ", ".join((*COMPUTING, *FOR_MAIN))
    return Unmodelled(
        f"import of {name}: a node program needs numpy, mpi4py, numba, pyfftw, and of the standard"
        f" library sys, {standard}"
    )


def _repr(thing: Any) -> str:
    """repr() of what looks the same outside of a simulated run."""
    if not _is_plain(thing):
        raise Unmodelled(
            "repr() of what is neither number, text nor a list of these: it looks otherwise in a"
            " simulated run"
        )
    return repr(thing)


def _is_plain(thing: Any) -> bool:
    return (
        all(map(_is_plain, thing)) if isinstance(thing, list | tuple) else isinstance(thing, PLAIN)
    )
