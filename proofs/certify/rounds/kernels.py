"""What programs have of compiled kernels: the names of numba, and of the known sections."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from codegen.kernels.widths import BYTES, LANES
from proofs.certify.exact.data import Data
from proofs.certify.exact.space import Space
from proofs.certify.language.library_rules import Library
from proofs.certify.language.table_entries import Ended, Module, Operation, Undecided
from proofs.certify.language.tables.builtins import BUILTINS
from proofs.certify.language.tables.kinds import WithState
from proofs.certify.language.tables.numpy_names import spoil
from proofs.certify.language.values.function_values import Function, Native, Raised, State
from proofs.certify.language.values.operators import BINARY, operate
from proofs.certify.modular.residue_kernels import operations
from proofs.certify.modular.residue_space import ResidueSpace
from proofs.certify.rounds.entries import MEMBERS, Entries, Run
from proofs.certify.rounds.frozen import Frozen
from proofs.certify.rounds.indices import Each, Opaque, Varies, Whole, extreme, shown
from proofs.certify.rounds.line_rounds import Lines
from proofs.certify.rounds.memory import BOTH, Address, Conflict, begins_on_line
from proofs.certify.rounds.running import Parallel, Running
from proofs.certify.rounds.sections import DOORS, ON_LINES, OPERATIONS
from proofs.certify.rounds.vector_operations import Vectors

SINGLE, DOUBLE = (np.float32, np.complex64), (np.float64, np.complex128)


class Kernels:
    """Kernels of a program on data of a space, or on ordinary numbers where there is none.

    `lanes` are those of the processor's vectors.
    """

    def __init__(self, space: Space | None = None, lanes: int = LANES) -> None:
        self.space, self.lanes, self.running = space, lanes, Running()
        self.divides = False
        if space is not None:
            self.running.at_once = max(self.running.at_once * 4 // (space.stimuli + 1), 2)

    @property
    def modules(self) -> dict[str, Module]:
        """The modules that programs import: those in place of sections."""
        arrays = {
            "aligned": self.aligned,
            "blank": blank,
            "address": self.address,
            "memory_of": self.address,
            "begins_on_line": begins_on_line,
            "widest": lambda dtype: self.lanes,
            "fence": self.fence,
        }
        of_lines = Lines(self.running)
        lines = {name: getattr(of_lines, name) for name in ON_LINES}
        known = {
            "lanes": arrays | lines,
            "cached": arrays | lines,
            "vectors": arrays | Vectors(self.running, self.space).named(),
            "compiling": {},
            "modular": operations(self.space),
        }
        own = {
            "compiled": WithState("compiled", self.compiled),
            "inline": WithState("inline", lambda state, function: function),
        }
        decorator = WithState("njit", self.njit, _OPTIONS)
        numba: Module = {
            "config": {"DISABLE_JIT": False},
            "njit": decorator,
            "jit": decorator,
            "prange": WithState("prange", self.prange),
        }
        return {"numba": numba} | {
            DOORS[door]: {
                name: own.get(name) or Operation(name, names[name], _KEYWORDS_OF.get(name, _NONE))
                for name in OPERATIONS[door]
            }
            for door, names in known.items()
        }

    def aligned(self, count: int, dtype: Any) -> Any:
        """Return an array of so many elements that begins on a line, and is not yet written."""
        if self.space is not None and self.space.holds(dtype):
            items = self.space.unwritten(int(count), dtype)
            self.space.begin(items, 0)
            return Data(items, dtype, self.space)
        return blank(count, dtype)

    def address(self, array: Any) -> Address:
        """Return the address of an array."""
        if not isinstance(array, Data | np.ndarray):
            raise Undecided(f"the address of {shown(array)}")
        return Address(array, begins_on_line(array))

    def fence(self) -> None:
        """Put all streaming stores in order before what follows."""
        self.running.pending = 0

    def njit(self, state: State, *given: Any, **options: Any) -> Any:
        """Return what numba's decorator makes of a function, or the decorator with its options."""
        divides = options.get("error_model", "python") != "python"
        compiled = partial(self.compiled, parallel=bool(options.get("parallel")), divides=divides)
        return compiled(state, *given) if given else WithState("njit", compiled)

    def prange(self, state: State, *given: Any) -> Any:
        """Return the rounds of a loop, which run in any order if the kernel is parallel."""
        values = range(*given)
        decides = state.rounds is not None and self.running.parallel and self.space is not None
        return Parallel(values) if decides else values

    def compiled(
        self, state: State, function: Any, parallel: bool = False, divides: bool = False
    ) -> Native:
        """Return a kernel; one that `divides` raises nothing where it divides by zero."""
        if not isinstance(function, Function):
            raise Undecided(f"{type(function).__name__} is compiled")

        frozen = Frozen(state, function)

        def kernel(*given: Any, **named: Any) -> Any:
            if named:
                raise Undecided(f"{function.code.name}({min(named)}=..) of a kernel")
            if state.rounds is not None:
                return function(*given)
            frozen.check()
            self.running.parallel = parallel
            self.running.sequential = not frozen.plain
            self.divides |= divides
            if frozen.handles:
                raise Undecided("try in a kernel, where compiled code raises less than Python")
            try:
                return self.run(state, function, given)
            except Raised as raised:
                by_zero = isinstance(raised.value, ZeroDivisionError)
                own = raised.line in frozen.raises
                if own or (by_zero and not self.divides):
                    raise
                raise Undecided(f"in a kernel {raised.words}", raised.line) from raised
            except Ended:
                raise
            except Exception as error:
                raise Undecided(f"a kernel fails: {type(error).__name__}: {error}") from error

        kernel.compiled = function  # type: ignore[attr-defined]  # frozen.py looks for it
        return Native(kernel)

    def run(self, state: State, function: Function, given: tuple[Any, ...]) -> Any:
        """Run a kernel: with rounds at once, and in order where that shows nothing."""
        running = self.running
        demand_apart(given)
        while True:
            running.clear(state.limits)
            state.rounds = running
            try:
                found = _result(function(*[self._argument(each) for each in given]))
                running.end()
                return found
            except (Conflict, Varies) as conflict:
                running.dependent(conflict)
            except Ended:
                if running.sequential:
                    raise
                running.sequential = True
            finally:
                state.rounds = None

    def _argument(self, value: Any) -> Any:
        """Return what a kernel is given: integers of 64 bits, and arrays with entries of rounds."""
        if isinstance(value, tuple):
            return tuple(map(self._argument, value))
        if isinstance(value, Data | np.ndarray):
            return self._array(value)
        if isinstance(value, int | np.integer):
            return value if isinstance(value, bool | np.unsignedinteger) else Whole(value)
        if isinstance(value, Address | float | complex | None):
            return value
        raise Undecided(f"{shown(value)} as an argument of a kernel")

    def _array(self, array: Any) -> Any:
        of_integers = isinstance(array, np.ndarray) and array.dtype.kind in "iu"
        of_residues = isinstance(self.space, ResidueSpace)
        if self.space is not None and array.dtype in SINGLE and self.space.dtype in DOUBLE:
            raise Undecided(f"arithmetic of a kernel with {array.dtype}")
        if of_integers or of_residues or not self.running.sequential:
            return Entries(array, self.running, self.space)
        if self.space is None and array.dtype not in DOUBLE:
            raise Undecided(f"arithmetic of a kernel with {array.dtype}")
        return array


def with_kernels(library: Library, space: Space | None, lanes: int = LANES) -> Library:
    """Return a library with compiled kernels on data of a space, or on ordinary numbers."""
    kernels = Kernels(space, lanes)
    return replace(
        library,
        data=library.data | {Entries, Run},
        members={**library.members, **MEMBERS},
        modules={**library.modules, **kernels.modules},
        builtins={**library.builtins, **OF_ROUNDS},
    )


def blank(count: int, dtype: Any) -> Any:
    """Return an array for constants, which begins on a line and is not yet written."""
    size = int(count) * np.dtype(dtype).itemsize
    whole = np.zeros(size + BYTES, np.uint8)
    start = -whole.ctypes.data % BYTES
    return spoil(whole[start : start + size].view(dtype))


_OPTIONS = frozenset(
    {
        *("cache", "parallel", "nopython", "nogil", "fastmath", "error_model", "boundscheck"),
        *("inline", "forceinline"),
    }
)
_NONE = frozenset[str]()
_KEYWORDS_OF = dict.fromkeys(("aligned", "blank"), frozenset({"count", "dtype"}))
_KEYWORDS = frozenset({"key", "default"})


def _divided(state: State, one: Any, other: Any) -> Any:
    if state.rounds is not None:
        for sign in (ast.FloorDiv, ast.Mod):
            operate(state, BINARY[sign], one, other, state.line)
    return BUILTINS["divmod"].on(state, (one, other), {})


def _power(state: State, *given: Any) -> Any:
    if state.rounds is not None and len(given) == 2:
        return operate(state, BINARY[ast.Pow], *given, state.line)
    return BUILTINS["pow"].on(state, given, {})


def _of_rounds(name: str) -> Callable[..., Any]:
    def found(state: State, *given: Any, **named: Any) -> Any:
        if not named and any(isinstance(each, Each) for each in given):
            return extreme(name, list(given))
        return BUILTINS[name].call(state, *given, **named)

    return found


OF_ROUNDS = {
    **{name: WithState(name, _of_rounds(name), _KEYWORDS) for name in ("min", "max")},
    "divmod": WithState("divmod", _divided),
    "pow": WithState("pow", _power),
}
"""Python's names that know the integers of all rounds."""


def demand_apart(given: tuple[Any, ...]) -> None:
    """Raise Undecided where a kernel is given an array, and the address of a part of it."""
    flat = [each for value in given for each in (value if isinstance(value, tuple) else (value,))]
    spans = [each.extent for each in flat if isinstance(each, Address)]
    for each in flat:
        if isinstance(each, Data | np.ndarray):
            items = each.items if isinstance(each, Data) else each
            low, high = byte_bounds(items)
            if any(low < end and begin < high for begin, end in spans):
                raise Undecided(BOTH)


def _result(value: Any) -> Any:
    """Return what a kernel returns, with Python's integers."""
    if isinstance(value, tuple):
        return tuple(map(_result, value))
    if isinstance(value, Entries):
        return value.array
    if isinstance(value, Opaque):
        raise Undecided("a kernel returns a value of all rounds")
    return int(value) if isinstance(value, Whole) else value
