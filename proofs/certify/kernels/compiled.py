"""Compiled kernels in the text of a program: what stands for their operations on lines or vectors.

A text with a section of operations (sections.py) is run with codegen/kernels/plain.py, or
plain_vectors.py, in its place, on arrays of elements as well; all the rest of it, kernels and the
tables of their plans, is run as it is. Compiled, it is run whole.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Hashable, Mapping
from functools import cache, partial
from importlib.util import find_spec
from types import FunctionType, ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from codegen.kernels import plain, plain_vectors
from codegen.kernels.permute.text import COMPILING
from codegen.mpi.accidents import ZEROS, accident
from codegen.mpi.memory.accesses import used
from codegen.mpi.memory.buffers import Octets, poison
from proofs.certify.arrays.elements import Elements, Exact
from proofs.certify.arrays.storage import Storage
from proofs.certify.forbidden import Forbidden, Unmodelled
from proofs.certify.kernels import labelled, labels, memory, taped
from proofs.certify.kernels.frozen import Unfrozen, constant, frozen, renewed
from proofs.certify.kernels.memory import lent, start
from proofs.certify.kernels.sections import DOORS, OPERATIONS, SECTIONS
from proofs.certify.kernels.vectors import of_one_size

LIBRARIES = ("numba", "llvmlite")
FUSING = ("fma", "fma4", "fp-armv8")
"""Names of LLVM, for x86 and ARM."""


class Arrays(Protocol):
    """What stands for arrays of data; see proofs/certify/sandbox/loading.py."""

    def holds(self, dtype: DTypeLike | None) -> bool:
        """Return whether an array made with this type is one of data."""

    def zeros(self, shape: Any) -> Storage:
        """Return such an array."""


class Compiler:
    """numba's compiler, which compiles a kernel once for all ranks: they execute the same text."""

    def __init__(self) -> None:
        self.kernels: dict[Hashable, Any] = {}

    def __call__(self, function: FunctionType) -> Any:
        return self.kernels.setdefault(
            _which(function), importlib.import_module("numba").njit(function)
        )


def _which(function: FunctionType) -> Hashable:
    """Return a kernel's code with what it was made with; the kernel where that may change."""
    cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
    named = tuple((function.__kwdefaults__ or {}).items())
    try:
        return function.__code__, frozen((cells, function.__defaults__, named))
    except Unfrozen:
        return function


def sequential(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of a compiled function but `cache`, as there is no file; raise Unmodelled
    where its loops run in parallel.
    """
    if options.get("parallel"):
        raise Unmodelled(
            "a loop that numba runs in parallel is not modelled: whether its rounds race, no run"
            " here decides"
        )
    return {name: value for name, value in options.items() if name != "cache"}


def njit(*signature: Any, **options: Any) -> Any:
    """numba's decorator."""
    return importlib.import_module("numba").njit(*signature, **sequential(options))


@cache
def make_known(empty: Callable[..., Any], empty_like: Callable[..., Any]) -> None:
    """Have numba compile these as np.empty and np.empty_like, for which they stand."""
    overload = importlib.import_module("numba.extending").overload

    def of_empty(shape: Any, dtype: Any = float) -> Any:
        if dtype is float:
            return lambda shape, dtype=float: np.empty(shape)
        return lambda shape, dtype=float: np.empty(shape, dtype)

    def of_empty_like(prototype: Any, dtype: Any = None) -> Any:
        if dtype is None:
            return lambda prototype, dtype=None: np.empty_like(prototype)
        return lambda prototype, dtype=None: np.empty_like(prototype, dtype)

    overload(empty, strict=False)(of_empty)  # ours are annotated
    overload(empty_like, strict=False)(of_empty_like)


def warm() -> None:
    """Have numba import all that its compiler needs, by compiling something small."""
    importlib.import_module("numba").njit(lambda x: x[0] + 1)(np.zeros(1))


def is_installed() -> bool:
    """Return whether there is a compiler."""
    return all(find_spec(name) for name in LIBRARIES)


def fuses() -> bool:
    """Return whether the processor that numba compiles for rounds a product and a sum at once."""
    features: frozenset[str] = importlib.import_module("codegen.kernels.host").features()
    return not features.isdisjoint(FUSING)


def behind(arrays: Arrays | None, compiler: Compiler | None) -> Mapping[str, Any]:
    """Return the modules that a text with a section may import beside others, by name; those of
    DOORS as mappings of names.
    """
    if compiler is None:
        lines = (
            {name: getattr(plain, name) for name in plain.NAMES}
            | plain.on_tuples(labels.OPERATIONS)
            | (_of(arrays) if arrays else {})
        )
        lines["compiled"] = _constant(labelled.compiled)
        vectors = {name: getattr(plain_vectors, name) for name in plain_vectors.NAMES} | (
            _of_vectors(arrays) if arrays else {}
        )
        vectors["compiled"] = _constant(partial(taped.compiled, vectors["compiled"]))
        vectors = vectors | of_one_size(vectors) | {"inline": renewed}
        return {
            DOORS["lanes"]: lines,
            DOORS["cached"]: {name: lines[name] for name in OPERATIONS["cached"]},
            DOORS["vectors"]: vectors,
            DOORS[COMPILING]: {"compiled": lines["compiled"]},
        }
    real = {name: importlib.import_module(name) for name in _of_libraries()}
    return (
        {door: {"compiled": compiler, "memory_of": _memory_of} for door in DOORS.values()}
        | real
        | {"numba": _Numba("numba")}
    )


@cache
def _of_libraries() -> set[str]:
    """Return the modules of the libraries from which the sections import."""
    imported = {
        node.module
        for section in SECTIONS.values()
        for node in ast.walk(ast.parse(section))
        if isinstance(node, ast.ImportFrom) and node.module
    }
    return {name for name in imported if name.partition(".")[0] in LIBRARIES}


def _constant(decorator: Callable[[Any], Callable[..., None]]) -> Callable[[Any], Any]:
    """Return a decorator whose kernels read the same in every call."""
    return lambda function: constant(function, decorator(function))


def _memory_of(array: Any) -> int:
    """Return where an array begins, as the compiled function does."""
    return int(array.ctypes.data)


class _Numba(ModuleType):
    """numba, whose decorators compile as they do in a program that lies in a file."""

    njit = jit = staticmethod(njit)

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("numba"), name)


class OnLine(np.ndarray[Any, np.dtype[np.int64]]):
    """Memory of elements that begins on a line; numpy keeps it among the bases of its views."""


def _blank(array: Storage) -> Storage:
    """Return an array like this one in memory that begins on a line."""
    return array.like(np.asarray(OnLine(array.parts.shape, np.int64)))


def on_line(array: Any) -> Any:
    """Return the same elements in memory that begins on a line."""
    held = (
        _blank(array)
        if isinstance(array, Storage)
        else plain.aligned(array.size, array.dtype).reshape(array.shape)
    )
    held[...] = array
    return held


class Borrowed(plain.Memory):
    """Memory by its address, which does not keep the array that it is of."""

    __slots__ = ("again",)

    def __init__(self, parts: NDArray[Any], width: int, on_line: bool) -> None:
        self.width, self.on_line, self.again = width, on_line, lent(parts)

    @property
    def parts(self) -> NDArray[Any]:  # type: ignore[override]
        """The elements; raises ValueError where the array is no longer there."""
        return self.again()

    def line(self, place: int, stores: bool = False) -> NDArray[Any]:
        found = super().line(place)
        used(found, stores)
        return found


def _of(arrays: Arrays) -> dict[str, Callable[..., Any]]:
    """Return the functions on arrays, those of data among them."""

    def aligned(count: int, dtype: DTypeLike) -> Any:
        holds = arrays.holds(dtype)
        array = _blank(arrays.zeros(count)) if holds else plain.aligned(count, dtype)
        poison(array)
        return array

    return {"aligned": aligned, "address": address, "begins_on_line": begins_on_line}


def _of_vectors(arrays: Arrays) -> dict[str, Callable[..., Any]]:
    """Return the functions on arrays for a text with vectors, and how many lanes these have;
    permutations have no vectors.
    """
    own = _of(arrays) | {"compiled": memory.compiled}
    if not isinstance(arrays, Exact):
        return own

    def address(array: Any) -> memory.Data | memory.Table:
        if isinstance(array, Elements):
            return (memory.Data if array.dtype.kind == "c" else memory.Reals)(
                array, begins_on_line(array)
            )
        return memory.Table(array, begins_on_line(array), arrays.recognizer)

    return own | {"address": address, "memory_of": address, "widest": lambda dtype: arrays.lanes}


def address(array: Any) -> plain.Memory:
    """Return the elements of an array of data, or the bytes of an ordinary one."""
    if isinstance(array, Octets):
        array = array.elements
    if not isinstance(array, Storage):
        return Borrowed(array.view(np.uint8), 1, begins_on_line(array))
    if array.ndim != 1 or not array.flags.c_contiguous:
        raise Forbidden(
            f"the address of an array of shape {array.shape}, contiguous or not: a kernel moves the"
            " elements of one that is"
        )
    return Borrowed(array.parts, array.itemsize, begins_on_line(array))


def begins_on_line(array: Any) -> bool:
    """Return whether an array begins on a line: made by `aligned`, or a part of that; of others by
    accident.
    """
    if not isinstance(array, Storage):
        return plain.begins_on_line(array)
    parts = whole = array.parts
    while not isinstance(whole, OnLine) and isinstance(whole.base, np.ndarray):
        whole = whole.base
    if not isinstance(whole, OnLine) and accident() != ZEROS:
        return False
    element = parts.itemsize * int(np.prod(parts.shape[array.ndim :]))
    return (start(parts) - start(whole)) // element * array.itemsize % plain.BYTES == 0
