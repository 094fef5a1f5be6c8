"""How the constants of a program are read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

import numpy as np

from codegen.program.resolve import resolve
from codegen.shapes import left_side
from codegen.system_table import EXCHANGE, KERNEL, NORM, OPTIONS
from codegen.systems.exchanges import WAYS
from derive.exact.exact_check import check
from derive.formula.grammar import Equation
from derive.verdict import Refuted
from proofs.certify.declaration import FUNCTIONS, LARGEST_N, SHAPES, BeyondReach, Declaration
from proofs.certify.fields.fourier_maps import Arrays
from proofs.certify.fields.linear_maps import LinearMap
from proofs.certify.rows import OF_NONE, SYSTEMS, System, system_of
from proofs.certify.scripts.declared_options import LARGEST_OF

CONSTANTS = (
    "M",
    *sorted({entry.name.upper() for each in SYSTEMS.values() for entry in fields(each.declares)}),
)
"""The constants in which programs of all systems state their contract."""
KNOWN: dict[str, tuple[str, ...]] = {
    "transform": tuple(SYSTEMS),
    **{name: option.known for name, option in OPTIONS.items() if option.known and option.only},
}
"""The values of a program's constants that are known here."""
DEFAULTS = {option.name.upper(): option.default for option in (NORM, KERNEL, EXCHANGE)}
"""What a program means that does not define these; M = N / P, and with the library of
kernels imported it has these.
"""
LARGEST_P = 1024
LARGEST_OF_ONES_OWN = 2**14
"""The same for functions under numba's decorators in a text without nodewright's operations: these
may be evaluated element by element.
"""
TUPLES, INTEGERS = ("A", "shape", "grid", "axes"), ("N", "P", "C", "batch", "modulus", "root")
"""The constants that are tuples of integers, and integers; DTYPE is a dtype, others are texts."""


def declared(namespace: Mapping[str, Any]) -> Declaration:
    """Return what a program declares, with DEFAULTS.

    Raises ValueError naming the first constant that is missing, contradicts another or is out of
    range.
    """
    stated = namespace.get("TRANSFORM")
    record = system_of({"transform": stated})
    if record is OF_NONE and "TRANSFORM" in namespace:
        raise ValueError(f"TRANSFORM = {stated!r}: use one of {', '.join(SYSTEMS)}")
    system = (record.of_arrays if "SHAPE" in namespace else None) or record.declares
    names = {
        entry.name: entry.name.upper()
        for entry in fields(system)
        if entry.default is MISSING or entry.name.upper() in namespace
    }
    namespace = DEFAULTS | dict(namespace)
    _complete(names.values(), namespace)
    given = {name: namespace[constant] for name, constant in names.items()}
    of_arrays = system.by_digits and issubclass(system, Arrays)
    _sizes(given["N"], given["P"], namespace.get("M"), of_arrays)
    if not system.by_digits:
        _powers_of_two(given["N"], given["P"], record)
    _of_their_types(given)
    try:
        dtype = np.dtype(given["dtype"])
    except TypeError as error:
        raise ValueError(f"DTYPE = {given['dtype']!r}: {error}") from error
    declaration = system.of(given | {"dtype": dtype})
    _fits(declaration)
    _complete_of_parts(declaration, namespace)
    return declaration


def _of_their_types(given: Mapping[str, Any]) -> None:
    """Raise ValueError where a constant is of another type, or a text that is not known."""
    for name, value in given.items():
        wanted = tuple if name in TUPLES else int if name in INTEGERS else str
        if name != "dtype" and type(value) is not wanted:
            raise ValueError(f"{name.upper()} = {value!r}: it must be of type {wanted.__name__}")
        if name in KNOWN and value not in KNOWN[name]:
            raise ValueError(f"{name.upper()} = {value!r}: use one of {', '.join(KNOWN[name])}")


def _complete(names: Iterable[str], namespace: Mapping[str, Any]) -> None:
    """Raise ValueError where a constant or a function of the contract is missing."""
    missing = [name for name in names if name not in namespace]
    functions = [f"{name}()" for name in FUNCTIONS if name not in namespace]
    if missing or functions:
        raise ValueError(
            f"the program does not define {', '.join(missing + functions)}: these names are the"
            f" contract of a node program{''.join(map(_values, missing))}"
        )


def _complete_of_parts(declaration: Declaration, namespace: Mapping[str, Any]) -> None:
    """Raise ValueError where ranks have unequal parts, and no function says which, and where shape
    or type of a side is stated otherwise.
    """
    for side, name in SHAPES.items():
        wanted = declaration.whole_of(side), declaration.dtype_of(side)
        for word, value in zip(("SHAPE", "DTYPE"), wanted, strict=True):
            constant = f"{side.upper()}_{word}"
            if namespace.get(constant, value) != value:
                raise ValueError(f"{constant} = {namespace[constant]!r}: it must be {value!r}")
        parts = [declaration.part(side, rank) for rank in range(declaration.P)]
        if name not in namespace and len({*parts}) > 1:
            raise ValueError(
                f"the program does not define {name}(): ranks have unequal parts, {parts[0]} on"
                f" rank 0 and {parts[-1]} on rank {len(parts) - 1}"
            )


def _values(name: str) -> str:
    """Return the values of a constant, in words; "" where it has others than texts."""
    known = KNOWN.get(name.lower())
    return f"; {name} is one of {', '.join(known)}" if known else ""


@dataclass(frozen=True)
class Strange:
    """A value of a type that no constant has, as it is written if that is short."""

    kind: str
    text: str = ""

    def __repr__(self) -> str:
        return self.text or f"<{self.kind}>"


NUMBER_TYPES = {
    np.dtype(code).type for code in np.typecodes["AllFloat"] + np.typecodes["AllInteger"]
}
NUMBER_TYPES |= {float, complex}
"""The types of numbers of numpy and Python that programs may give as DTYPE."""
SHOWN = (int, float, complex, bool, str, type(None), np.float64)
MOST_ENTRIES, MOST_CHARACTERS = 9, 60
"""What is shown of a value that is no constant."""


def constant(value: Any) -> Any:
    """Return a constant of a program: an integer, which one of numpy is too, a text, a tuple of
    integers, or a dtype, for which a type of numbers stands; of other values what is shown of them.

    >>> constant(np.int64(64)), constant((8, np.int32(8))), constant(complex)
    (64, (8, 8), dtype('complex128'))
    >>> constant(30.0), constant({})
    (30.0, <dict>)
    """
    if type(value) in (int, str) or isinstance(value, np.dtype):
        return value
    if isinstance(value, np.integer):
        return int(value)
    if type(value) is tuple and all(isinstance(constant(entry), int) for entry in value):
        return tuple(map(int, value))
    if isinstance(value, type) and value in NUMBER_TYPES:
        return np.dtype(value)
    entries = value if isinstance(value, list | tuple) else (value,)
    few = len(entries) < MOST_ENTRIES and all(type(each) in SHOWN for each in entries)
    return Strange(type(value).__name__, repr(value)[:MOST_CHARACTERS] if few else "")


def is_text_of(found: Any, value: Any) -> bool:
    """Return whether a constant is written as the value that a program gives it: a class or an
    object of the program has no text.

    >>> is_text_of(constant(64), 64), is_text_of(constant(np.int64(64)), np.int64(64))
    (True, False)
    """
    has_text = not isinstance(found, Strange) or bool(found.text)
    return has_text and repr(found) == repr(value)


def _fits(declaration: Declaration) -> None:
    """Raise ValueError unless layouts, dtype and matrix are what the system takes."""
    dtype = declaration.dtype
    for side in ("input", "output"):
        try:
            declaration.layout(side)
        except OSError as error:
            name = getattr(declaration, side)
            raise ValueError(
                f"{side.upper()} = {name!r}: {error.strerror or error}: this file has the bit"
                " matrix of the layout"
            ) from error
    declaration.fit()
    _of_own(declaration)
    if dtype.hasobject or not dtype.itemsize:
        raise ValueError(f"DTYPE = {str(dtype)!r}: elements must have a fixed number of bytes")


def _of_own(declaration: Declaration) -> None:
    """Raise ValueError for a factorization of one's own that is another matrix."""
    if (own := declaration.own_formula()) is None or isinstance(declaration, LinearMap):
        return
    left = left_side(declaration)
    found = check(Equation("factorization", "FACTORIZATION", left, own))
    if isinstance(found, Refuted):
        raise ValueError(f"FACTORIZATION = {str(own)!r} is not {left}: {found.counterexample}")


def _powers_of_two(N: int, P: int, record: System) -> None:
    """Raise ValueError for other sizes where indices are split into bits."""
    for name, value in (("N", N), ("P", P)):
        if value & (value - 1):
            words = f"{name} = {value!r} is not a power of two"
            if record.of_arrays:
                raise ValueError(f"{words}: define SHAPE, GRID = ({N},), ({P},), lengths and ranks")
            raise ValueError(f"{words}: the radix-2 framework needs N and P to be")


def _sizes(N: Any, P: Any, M: Any, may_differ: bool) -> None:
    for name, value, largest in (("N", N, LARGEST_N), ("P", P, LARGEST_P)):
        if type(value) is not int or value < 1:
            raise ValueError(f"{name} = {value!r}: it must be an integer, at least 1")
        if value > largest:
            raise BeyondReach(
                f"{name} = {value} is above {largest}, the largest that certify runs; certify the"
                " same program for smaller N and P"
            )
    if N % P and may_differ:
        return
    M = N // P if M is None else M
    if N % P or type(M) is not int or M != N // P:
        raise ValueError(
            f"N = {N}, P = {P}, M = {M!r}: every rank must have M = N/P elements, at least one"
        )


def check_reach(d: Declaration, ones_own: bool) -> None:
    """Raise ValueError where N is too large for the kernels of a program, or for kernels of one's
    own, and where there is no exchange to choose, or none for all ranks.
    """
    if WAYS[d.exchange].of_nodes and d.request.exchange != d.exchange:
        raise ValueError(
            f"EXCHANGE = {d.exchange!r} but this program can only use {d.request.exchange}"
        )
    if WAYS[d.exchange].of_all:
        resolve(d.request)  # which needs a message for every rank
    if d.N <= (LARGEST_OF_ONES_OWN if ones_own else LARGEST_OF[d.kernels]):
        return
    limits = ", ".join(
        f"2^{largest.bit_length() - 1} for {kernels}" for kernels, largest in LARGEST_OF.items()
    )
    what = "your own numba functions" if ones_own else f"{d.kernels} kernels"
    raise BeyondReach(
        f"N = {d.N} with {what} is too large: the largest N is {limits}, and"
        f" 2^{LARGEST_OF_ONES_OWN.bit_length() - 1} for your own numba functions; certify"
        " the same program for a smaller N"
    )
