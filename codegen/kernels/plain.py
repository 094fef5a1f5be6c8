"""The names of `lanes` without a compiler: memory is whatever can be indexed and sliced, a line is a list of elements of any kind.

The text of a kernel means the same here as there, so it can be run on elements that only move: fractions, residues, opaque objects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Line = list[Any]
DOORS = "codegen.kernels.lanes", "codegen.kernels.plain"
"""Where the text of a kernel imports its names from, compiled and here."""


def program(text: str) -> Callable[..., None]:
    """Return the kernel `move` of a text, which stays as it is but for the door that it imports from."""
    space: dict[str, Any] = {"__name__": "move"}
    exec(compile(text.replace(*DOORS), "<kernel>", "exec"), space)
    move: Callable[..., None] = space["move"]
    return move


def compiled(function: Callable[..., None]) -> Callable[..., None]:
    """Return the function as it is."""
    return function


def address(memory: Any) -> Any:
    """Return the memory itself."""
    return memory


def load(memory: Any, place: int, itemsize: int) -> Line:
    """Return the line at this place."""
    lanes = 64 // itemsize
    return list(memory[place * lanes : (place + 1) * lanes])


def store(memory: Any, place: int, line: Line) -> None:
    """Put a line at this place."""
    memory[place * len(line) : (place + 1) * len(line)] = line


stream = store


def fence() -> None:
    """Do nothing: what is put here is there."""


def prefetch(memory: Any, place: int) -> None:
    """Do nothing: nothing is far away here."""


def permute(line: Line, index: Line, flip: int) -> Line:
    """Return the line with element index[lane] ^ flip in each lane.

    >>> permute(list("abcd"), [0, 2, 1, 3], 1)
    ['b', 'd', 'a', 'c']
    """
    return [line[i ^ flip] for i in index]


def exchange(v: Line, w: Line, bit: int) -> tuple[Line, Line]:
    """Return v and w after the lanes of v that have this bit and the lanes of w that have it not have changed places.

    >>> exchange(list("abcd"), list("ABCD"), 1)
    (['a', 'A', 'c', 'C'], ['b', 'B', 'd', 'D'])
    """
    low = [w[lane ^ bit] if lane & bit else v[lane] for lane in range(len(v))]
    high = [w[lane] if lane & bit else v[lane ^ bit] for lane in range(len(v))]
    return low, high
