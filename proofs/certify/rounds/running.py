"""A kernel that runs: its memory, and the loops whose rounds are evaluated at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from proofs.certify.exact.data import Data, wrong
from proofs.certify.language.limits import Limits
from proofs.certify.language.rules.rounds import Loop
from proofs.certify.language.scopes import FIRST, Frame
from proofs.certify.language.table_entries import Refuted, Undecided
from proofs.certify.rounds.indices import Each, Opaque, Varies, Whole, fitting, shown
from proofs.certify.rounds.memory import Address, Conflict, Level, Memory

AT_ONCE = 256
"""Rounds of all loops that are evaluated at once."""
PIECE = 64
"""Elements of vectors that count as a step."""


@dataclass(frozen=True)
class Parallel:
    """What `prange` gives in a kernel with parallel=True: rounds that run in any order."""

    values: range


WIDE = tuple(map(np.dtype, (np.bool_, np.int64, np.float64, np.complex128)))
"""Types of arrays that numba computes with as numpy does, alone and with its numbers."""
NUMBERS = (int, float, complex, np.number)
DIVIDES = ("/", "//", "%", "**")
"""Operators that end with an exception for some numbers."""
RACE = "rounds of a loop of prange race: one writes what another one reads or writes"
MOST_PARALLEL = 1 << 16
"""Rounds of a loop of prange of which it is found whether they race."""


class Running:
    """What runs now: nothing, or a kernel.

    It is `sequential` if no rounds are evaluated at once, `parallel` if those of prange are in any
    order; it is `unsure` whether they race.
    """

    def __init__(self) -> None:
        self.at_once, self.sequential, self.parallel, self.unsure = AT_ONCE, False, False, False
        self.clear(None)

    def clear(self, limits: Limits | None) -> None:
        """Begin a run of a kernel, or end it."""
        self.memories: dict[Any, Memory] = {}
        self.levels: list[Level] = []
        self.pending, self.base, self.limits, self.unsure = 0, 0, limits, False

    def spend(self, elements: int) -> None:
        """Count elements that are loaded."""
        if self.limits is None:
            raise Undecided("an operation of kernels outside of a kernel")
        self.limits.spend(1 + elements // PIECE)

    def memory(self, address: Any, kind: Callable[[Address], Memory]) -> Memory:
        """Return the memory of an address; Undecided where it has some elements of another one."""
        if not isinstance(address, Address):
            raise Undecided(f"a kernel has {shown(address)} where it needs an address")
        key = address.extent, address.dtype
        found = self.memories.get(key)
        if found is None:
            begin, end = address.extent
            for (low, high), _ in self.memories:
                if begin < high and low < end:
                    raise Undecided("a kernel is given arrays that have some elements in common")
            self.spend(address.size // 8)
            self.memories[key] = found = kind(address)
        return found

    def end(self) -> None:
        """Write back what the kernel leaves."""
        if self.pending:
            words = f"a kernel ends with {self.pending} streaming stores and no fence() after them"
            raise wrong(f"{words}: what runs next may find what was there before")
        if self.unsure:
            raise Undecided("whether the rounds of a loop of prange race")
        for memory in self.memories.values():
            memory.end()

    def whole(self, value: Any) -> Any:
        """Return a value with integers of 64 bits; Undecided where one has more."""
        if type(value) is tuple:
            return tuple(map(self.whole, value))
        return Whole(fitting(value)) if type(value) is int else value

    def operand(self, value: Any, compared: bool = False) -> Any:
        """Return an operand as numba has it: its types are not those of numpy, unless they have 64
        bits; Undecided where they lead to other numbers.
        """
        if isinstance(value, np.signedinteger):
            return Whole(value)
        if isinstance(value, np.bool_):
            return bool(value)
        kind = getattr(value, "dtype", None) if isinstance(value, np.ndarray | np.generic) else None
        if kind is None or kind in WIDE or (compared and kind.kind in "iu"):
            return self.whole(value)
        raise Undecided(f"{kind} in arithmetic of a kernel, where numba's types are not numpy's")

    def applied(self, sign: str, apply: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        """Return what an operator gives; Undecided where numba's is another one: by zero numbers of
        numpy give infinities, and numba raises an exception, or not, as the kernel is compiled.
        """
        one, other = self.operand(a), self.operand(b)
        if sign not in DIVIDES or isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
            return apply(one, other)
        if sign == "**":
            return _power(apply, one, other)
        by_numpy = isinstance(one, np.inexact) or isinstance(other, np.inexact)
        if by_numpy and isinstance(other, NUMBERS) and other == 0:
            raise Undecided(f"{sign} by zero in a kernel")
        return apply(one, other)

    def apart(self, target: Any, sources: Iterable[Any], in_order: bool = True) -> None:
        """Raise Undecided where an operation writes to what it reads at other places: numba goes
        from element to element, or not even `in_order`, and numpy takes a copy.
        """
        to = items_of(target)
        for source in map(items_of, sources):
            if to is None or source is None or (in_order and _places(to) == _places(source)):
                continue
            if np.shares_memory(to, source):
                raise Undecided("a kernel changes, in place, what the same operation reads")

    def alike(self, entries: tuple[Any, ...]) -> None:
        """Raise Undecided where the entries of a tuple have several types: numba compiles no index
        that varies there.
        """
        if len(set(map(_kind, entries))) > 1:
            raise Undecided("an index that varies, in a kernel, of a tuple with several types")

    def of_loop(self, loop: Loop, values: Any, frame: Frame) -> Iterator[Any]:
        """Yield what the variable of a loop is: many rounds at once, or one after the other."""
        if type(values) is Parallel:
            yield from self._parallel(loop, values.values, frame)
            return
        if type(values) is not range:
            yield from values
            return
        most = max(self.at_once // prod(level.size for level in self.levels), 1)
        alone = most < 2 or self.sequential or not loop.independent or loop.in_order
        if alone:
            yield from map(Whole, values)
            return
        for start in range(0, len(values), most):
            some = values[start : start + most]
            if len(some) == 1:
                yield Whole(some[0])
                continue
            yield from self._at_once(loop, some, frame)

    def _parallel(self, loop: Loop, values: range, frame: Frame) -> Iterator[Any]:
        """Yield all rounds at once, which may race."""
        alone = self.sequential or not loop.independent or len(values) > MOST_PARALLEL
        if alone or len(values) < 2:
            self.unsure |= alone and len(values) > 1
            yield from map(Whole, values)
            return
        yield from self._at_once(loop, values, frame, True)

    def _at_once(
        self, loop: Loop, some: range, frame: Frame, parallel: bool = False
    ) -> Iterator[Any]:
        depth, before = len(self.levels), frame[FIRST:]
        self.levels.append(Level(loop, len(some), self.base, parallel))
        self.base += len(some) + 1
        yield Each(np.array(some, np.int64).reshape(-1, *[1] * depth))
        self.levels.pop()
        for memory in self.memories.values():
            memory.leave(depth)
        for slot, value in enumerate(frame[FIRST:]):
            if value is not before[slot]:
                frame[FIRST + slot] = last(value, depth)

    def dependent(self, found: Any) -> None:
        """Note the loop whose rounds are to have copies of a memory, or are to be evaluated in
        order, from now on; Refuted where they run in any order.
        """
        level = self.levels[found.depth - 1] if isinstance(found, Varies) else found.level
        if level.parallel and isinstance(found, Conflict):
            raise Refuted("function", RACE, level.loop.line)
        if level.parallel:
            self.sequential = True
        number = found.number if isinstance(found, Conflict) else None
        if number is None or number in level.loop.scratch or level.parallel:
            level.loop.in_order = True
        else:
            level.loop.scratch.add(number)


def _power(apply: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    """Return a power; Undecided where numba raises no exception, or gives another type."""
    whole = isinstance(one, int) and isinstance(other, int)
    given = isinstance(one, NUMBERS) and isinstance(other, int | float | np.floating)
    if given and other < 0 and (whole or one == 0):
        raise Undecided("a negative power of an integer, or of zero, in a kernel")
    try:
        found = apply(one, other)
    except ArithmeticError as error:
        raise Undecided(f"in a kernel {type(error).__name__}: {error}") from error
    if isinstance(found, complex) and not isinstance(one, complex):
        raise Undecided("a power of a negative number in a kernel")
    return found


def items_of(value: Any) -> Any:
    """Return the array of numpy that has the entries of a value, None where it is no array."""
    array = getattr(value, "array", value)  # of Entries
    items = array.items if isinstance(array, Data) else array
    return items if isinstance(items, np.ndarray) else None


def _places(items: Any) -> tuple[Any, ...]:
    return items.ctypes.data, items.shape, items.strides


def _kind(value: Any) -> Any:
    """Return what numba makes of the type of a value."""
    if isinstance(value, tuple):
        return tuple(map(_kind, value))
    if (items := items_of(value)) is not None:
        return getattr(value, "array", value).dtype, items.ndim, items.flags.c_contiguous
    names = ((bool | np.bool_, bool), (int | Each | np.int64, int), (float | np.float64, float))
    return next((kind for known, kind in names if isinstance(value, known)), type(value))


def last(value: Any, depth: int) -> Any:
    """Return what a value is after a loop with so many around it: that of its last round."""
    if isinstance(value, tuple):
        return tuple(last(each, depth) for each in value)
    return value.last(depth) if isinstance(value, Opaque) else value
