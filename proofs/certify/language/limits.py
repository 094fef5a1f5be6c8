"""What a program is given: steps, elements and bytes, all counted."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from proofs.certify.language.table_entries import Undecided

STEPS = 6_250_000
"""Calls, rounds of loops and pieces of results that all ranks together may take."""
ELEMENTS = 1 << 26
"""Elements of one array, list, tuple, dict or string."""
BYTES = 1 << 33
"""Bytes of all arrays that exist at a time."""
BITS = 1 << 16
"""Bits of one integer."""
MODULAR_BITS = 1 << 10
"""Bits of the exponent and the modulus of pow(a, b, modulus)."""
SLICE = 1 << 13
"""Steps between two looks at the processor time and the memory of an evaluation."""
PIECE = 2048
"""Bytes of a result that count as a step."""
STEP = f"a step is a call, a round of a loop, or {PIECE} bytes of a result"
"""What messages say of steps."""
DEEPEST = 900
"""Calls that are nested: CPython raises RecursionError at 1000, of which the caller has some."""
INDIRECT = 3
"""How many calls a call of a method or the like counts as: CPython may nest more for it."""
TRACKED = 4096
"""Bytes from which an array is followed until it is gone."""


def few(elements: int, what: str = "elements") -> int:
    """Return a number of elements that is about to be made.

    Raises:
        Undecided: if it is more than `ELEMENTS`.
    """
    if elements > ELEMENTS:
        raise Undecided(f"{elements} {what} at once; at most {ELEMENTS} are evaluated")
    return elements


def few_bytes(elements: int, dtype: Any) -> None:
    """Raise Undecided where `elements` of a type have too many bytes."""
    octets = elements * np.dtype(dtype).itemsize
    if octets > BYTES:
        raise Undecided(f"an array of {octets} bytes at once; at most {BYTES} are evaluated")


def elements_of(shape: Any) -> int:
    """Return the number of elements of an array of this shape."""
    return int(shape) if isinstance(shape, int | np.integer) else prod(map(int, shape))


def count(value: Any) -> int:
    """Return how many values a value of Python's or numpy's has, 0 where that is not known."""
    if isinstance(value, np.ndarray):
        return len(value) if value.ndim else 0
    if isinstance(value, range):
        return length(value)
    return len(value) if isinstance(value, str | list | tuple | dict) else 0


def length(values: range) -> int:
    """Return the length of a range, which may be too long for len().

    >>> length(range(0, 10**30, 3)), length(range(5, 0))
    (333333333333333333333333333334, 0)
    """
    return (values[-1] - values[0]) // values.step + 1 if values else 0


@dataclass(slots=True)
class Limits:
    """What is left of steps and bytes, for all ranks together; `left` are those of this slice, and
    `look` may raise Undecided between two slices.
    """

    steps: int = STEPS
    bytes: int = BYTES
    look: Callable[[], None] = lambda: None
    left: int = field(default=0, init=False)
    later: int = field(init=False)
    held: int = field(default=0, init=False)
    arrays: dict[int, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.later = self.steps

    @property
    def all_left(self) -> int:
        """The steps that are left, in this slice and later."""
        return self.left + self.later

    def spend(self, steps: int) -> None:
        """Count steps.

        Raises:
            Undecided: if no steps are left.
        """
        self.left -= steps
        if self.left < 0:
            self.refill()

    def refill(self, line: int | None = None) -> None:
        """Give the next slice of steps, after a look at time and memory.

        Raises:
            Undecided: if no steps are left, with the line of the loop that takes them.
        """
        try:
            self.look()
        except Undecided as spent:
            spent.line = line or spent.line
            raise
        left = self.all_left
        if left < 0:
            raise Undecided(f"the program takes more than {self.steps} steps; {STEP}", line)
        self.left = min(left, SLICE)
        self.later = left - self.left

    def add(self, array: np.ndarray[Any, Any]) -> None:
        """Count an array that a call returns: its bytes as steps, and until it is gone."""
        self.spend(1 + array.nbytes // PIECE)
        owner: Any = array if array.base is None else array.base
        if not isinstance(owner, np.ndarray) or owner.nbytes < TRACKED or id(owner) in self.arrays:
            return
        key, size = id(owner), owner.nbytes
        self.held += size
        if self.held > self.bytes:
            raise Undecided(f"the arrays of the program take more than {self.bytes} bytes")

        def gone(_: Any) -> None:
            self.arrays.pop(key, None)
            self.held -= size

        self.arrays[key] = weakref.ref(owner, gone)
