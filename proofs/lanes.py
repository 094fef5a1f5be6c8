"""Kernels on lines of 64 bytes in the text of a program: their operations, as the house has them, and what stands for these.

A text that has the section of codegen/kernels/lanes.py byte for byte is run with codegen/kernels/plain.py in its place, on
arrays of opaque elements as well; all the rest of it, kernels and the tables of their plans, is run as it is. Compiled, it is run whole.
"""

from __future__ import annotations

import ast
import importlib
import weakref
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from types import CodeType
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from codegen.kernels import plain, text
from codegen.mpi.buffers import Octets, poison
from proofs.refusal import Refused
from proofs.storage import Storage

DOOR = "__lanes__"
"""What is imported in place of the section; no text can say this name itself (proofs/vetting.py)."""
SECTION = text.section()
IN_ITS_PLACE = f"from typing import Any; from {DOOR} import {', '.join(plain.NAMES)}"
AFTER_IT = f"from {DOOR} import compiled"
UNLIKE_OURS = "what numba is extended by is not modelled, unless it is the text of codegen/kernels/lanes.py, word for word, and once"
LIBRARIES = ("numba", "llvmlite")


class Arrays(Protocol):
    """What stands for arrays of data; see proofs/sandbox.py."""

    def holds(self, dtype: DTypeLike) -> bool:
        """Return whether an array made with this type is one of data."""

    def zeros(self, shape: Any) -> Storage:
        """Return such an array."""


def without(program: str) -> str:
    """Return a text without the section; its lines keep their numbers. The same text where it has none, or has it twice or within something else."""
    begin, _, end = program.partition(SECTION)
    whole = begin.endswith("\n") and end.startswith("\n\n") and SECTION not in end
    return f"{begin}{_blank(SECTION)}{end}" if whole and _stands_alone(program, begin) else program


def _stands_alone(program: str, begin: str) -> bool:
    """Return whether the statements of the section are statements of the program, and not part of a text."""
    first = begin.count("\n") + SECTION.partition("import ")[0].count("\n") + 1
    return any(node.lineno == first for node in ast.parse(program).body)


def _blank(lines: str) -> str:
    return "\n" * lines.count("\n")


def replaced(program: str) -> str:
    """Return a text with an import in place of the section, if it has it."""
    return program if without(program) == program else program.replace(SECTION, IN_ITS_PLACE + _blank(SECTION))


def shared(program: str) -> str:
    """Return a text with the section and, after it, a decorator that compiles a kernel once for all ranks."""
    return program.replace(f"{SECTION}\n", f"{SECTION}\n{AFTER_IT}")


class Compiler:
    """numba's compiler, which compiles a kernel once for all ranks: they execute the same text."""

    def __init__(self) -> None:
        self.kernels: dict[CodeType, Any] = {}

    def __call__(self, function: Callable[..., None]) -> Any:
        return self.kernels.setdefault(function.__code__, importlib.import_module("numba").njit(function))


def is_installed() -> bool:
    """Return whether there is a compiler."""
    return all(find_spec(name) for name in LIBRARIES)


def behind(arrays: Arrays | None, compiler: Compiler | None) -> Mapping[str, Any]:
    """Return the modules that a text with the section may import beside others, by name; those of DOOR as a mapping of names."""
    if compiler is None:
        return {DOOR: {name: getattr(plain, name) for name in plain.NAMES} | (_of(arrays) if arrays else {})}
    imported = [node.module for node in ast.walk(ast.parse(SECTION)) if isinstance(node, ast.ImportFrom) and node.module]
    return {DOOR: {"compiled": compiler}} | {name: importlib.import_module(name) for name in imported if name.partition(".")[0] in LIBRARIES}


class OnLine(np.ndarray[Any, np.dtype[np.int64]]):
    """Memory of elements that begins on a line; numpy keeps it among the bases of whatever lies in it."""


class Borrowed(plain.Memory):
    """Memory by its address, which does not keep the array that it is of."""

    __slots__ = ("dtype", "gap", "owner", "shape")

    def __init__(self, parts: NDArray[Any], width: int, on_line: bool) -> None:
        self.width, self.on_line, self.shape, self.dtype = width, on_line, parts.shape, parts.dtype
        whole = parts
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        self.owner, self.gap = weakref.ref(whole), _start(parts) - _start(whole)

    @property
    def parts(self) -> NDArray[Any]:  # type: ignore[override]
        """The elements; raises ValueError where the array is no longer there."""
        owner = self.owner()
        if owner is None:
            raise ValueError("the address of an array that is no longer there: an address does not keep it")
        return np.ndarray(self.shape, self.dtype, owner, self.gap)


def _of(arrays: Arrays) -> dict[str, Callable[..., Any]]:
    """Return the functions on arrays, those of data among them."""

    def aligned(count: int, dtype: DTypeLike) -> Any:
        if not arrays.holds(dtype):
            array = plain.aligned(count, dtype)
            poison(array)
            return array
        array = arrays.zeros(count)
        line = OnLine(array.parts.shape, np.int64)
        array = array.like(np.asarray(line))
        poison(array)
        return array

    return {"aligned": aligned, "address": address, "begins_on_line": begins_on_line}


def address(array: Any) -> plain.Memory:
    """Return the elements of an array of data, or the bytes of an ordinary one."""
    if isinstance(array, Octets):
        array = array.elements
    if not isinstance(array, Storage):
        return Borrowed(array.view(np.uint8), 1, begins_on_line(array))
    if array.ndim != 1 or not array.flags.c_contiguous:
        raise Refused(f"the address of an array of shape {array.shape}, contiguous or not: a kernel moves the elements of one that is")
    return Borrowed(array.parts, array.itemsize, begins_on_line(array))


def begins_on_line(array: Any) -> bool:
    """Return whether an array begins on a line: among those of data, what is made by `aligned`, and parts of that."""
    if not isinstance(array, Storage):
        return plain.begins_on_line(array)
    parts = whole = array.parts
    while not isinstance(whole, OnLine):
        if whole.base is None:
            return False
        whole = whole.base
    element = parts.itemsize * int(np.prod(parts.shape[array.ndim :]))
    return (_start(parts) - _start(whole)) // element * array.itemsize % plain.BYTES == 0


def _start(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])
