"""What compiled kernels ask of numba and of the machine: compiling, arrays that begin on a line,
features. The one door to numba and llvmlite.

Memory is an address, an integer, for the operations of `lanes` and of `vectors`, which follow this
text in emitted programs: both stand there byte for byte, from the next line on. `plain` and `exact`
have the same names for a text that is run without a compiler.
"""

from __future__ import annotations

__all__ = [
    "I32",
    "I64",
    "address",
    "aligned",
    "cgutils",
    "compiled",
    "features",
    "intrinsic",
    "ir",
    "lower_builtin",
    "memory_of",
    "models",
    "njit",
    "np",
    "operation",
    "operator",
    "partial",
    "register_default",
    "type_callable",
    "types",
]

import operator
import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.datamodel import models, register_default
from numba.core.registry import cpu_target
from numba.extending import intrinsic, lower_builtin, type_callable

I32, I64 = ir.IntType(32), ir.IntType(64)


def compiled(function: Callable[..., Any]) -> Any:
    """Return a kernel, compiled at its first call and cached on disk by its module's name."""
    module = sys.modules.get(function.__module__)
    function.__qualname__ = f"{function.__module__}.{function.__name__}"
    try:
        kernel = njit(cache=getattr(module, "__dict__", None) is function.__globals__)(function)
        files, load = kernel._cache, kernel._cache.load_overload
    except (RuntimeError, AttributeError):  # no folder is writable, or nothing is compiled
        return njit(function)

    def load_or_compile(*signature: Any) -> Any:
        try:
            return load(*signature)
        except Exception:  # a damaged file is written again
            try:
                files.flush()
            except OSError:
                files.disable()

    files.load_overload = load_or_compile
    return kernel


def address(array: Any) -> int:
    """Return the address of an array; the caller must keep the array alive."""
    return int(array.ctypes.data)


@compiled
def memory_of(array: Any) -> int:
    """Return the address of an array of numbers, five times faster than `address`."""
    return array.ctypes.data


def aligned(count: int, dtype: Any) -> Any:
    """Return a 64-byte aligned, uninitialised array of `count` elements."""
    size = count * np.dtype(dtype).itemsize
    whole = np.empty(size + 64, np.uint8)
    start = -memory_of(whole) % 64
    return whole[start : start + size].view(dtype)


@cache
def features() -> frozenset[str]:
    """Return the features of the processor that numba compiles for; it may differ from this one."""
    names = cpu_target.target_context.codegen()._tm_features.split(",")
    return frozenset(name[1:] for name in names if name.startswith("+"))


def operation(result: Any, act: Callable[..., Any], integers: int, *others: Any) -> Any:
    """Return the types and the code of an intrinsic; act(b, ..) emits its instructions."""

    def code(context: Any, b: Any, signature: Any, args: Any) -> Any:
        made = act(b, *args)
        return context.get_dummy_value() if result is types.void else made

    return result(*[types.int64] * integers, *others), code
