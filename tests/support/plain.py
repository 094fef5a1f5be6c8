"""The names of codegen/kernels/lanes.py without a compiler: memory is an array of elements of any
kind, each of which is moved as a whole, within its bounds.

The text of a kernel means the same here as there, so it can be run on elements that only move:
residues, tokens, opaque objects. What a compiled kernel would do without a word is an error here: a
line beyond the end of an array, an element cut in two, an index vector that does not choose whole
elements of its line, a streaming store to an array that does not begin on a line, or one that no
fence has put in order when its kernel ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from operator import index as whole_number
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from codegen.kernels.widths import BYTES

DOORS = "codegen.kernels.lines", "tests.support.plain"
"""Where the text of a kernel imports its names from, compiled and here."""
Places = tuple[int, ...]
KEPT = 1 << 12
"""So many index vectors are kept in a readable form."""


class Opaque:
    """What a kernel can hand on, and has no value for it."""

    __slots__ = ()

    def _no_value(self, *_: Any) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} has no value for a kernel: what it does depends on its"
            " numbers alone"
        )

    __bool__ = __eq__ = __ne__ = __hash__ = __index__ = __str__ = __format__ = _no_value


class Memory(Opaque):
    """Elements one after the other, along the first axis of `parts`; each stands for `width`
    bytes.
    """

    __slots__ = ("on_line", "parts", "width")

    def __init__(self, parts: NDArray[Any], width: int, on_line: bool = True) -> None:
        self.parts, self.width, self.on_line = parts, width, on_line

    def line(self, place: int, stores: bool = False) -> NDArray[Any]:
        """Return the elements of a line, to be loaded or stored to, a view.

        Raises IndexError where it is not within the memory, ValueError where it cuts an element.
        """
        place = whole_number(place)
        if BYTES % self.width:
            raise ValueError(
                f"elements of {self.width} bytes in lines of {BYTES}: a line holds whole elements"
            )
        count, parts = BYTES // self.width, self.parts
        if not 0 <= place < len(parts) // count:
            raise IndexError(
                f"line {place} of memory of {len(parts) // count} lines: a kernel reads and writes"
                " within its arrays"
            )
        return parts[place * count : (place + 1) * count]


class Line(Opaque):
    """A line, as an array of lanes."""

    __slots__ = ("parts",)

    def __init__(self, parts: NDArray[Any]) -> None:
        self.parts = parts


def program(text: str) -> Callable[..., None]:
    """Return the kernel `move` of a text, which stays as it is but for the door that it imports
    from.
    """
    space: dict[str, Any] = {"__name__": "move"}
    exec(compile(text.replace(*DOORS), "<kernel>", "exec"), space)
    move: Callable[..., None] = space["move"]
    return move


class Streams:
    """How many streaming stores of the kernel that runs have no fence after them yet."""

    pending = 0


def compiled(function: Callable[..., None]) -> Callable[..., None]:
    """Return a kernel that raises ValueError where it ends with streaming stores that are pending:
    what runs next may not find them.
    """

    @wraps(function)
    def kernel(*arguments: Any) -> None:
        before, Streams.pending = Streams.pending, 0
        try:
            function(*arguments)
            if Streams.pending:
                raise ValueError(
                    f"{function.__name__} ends with {Streams.pending} streaming stores and no"
                    " fence() after them: what runs next may find what was there before"
                )
        finally:
            Streams.pending = before

    return kernel


def aligned(count: int, dtype: Any) -> Any:
    """Return an array of so many elements that begins on a line."""
    size = count * np.dtype(dtype).itemsize
    whole = np.zeros(size + BYTES, np.uint8)
    start = -whole.ctypes.data % BYTES
    return whole[start : start + size].view(dtype)


def address(array: NDArray[Any]) -> Memory:
    """Return the bytes of an array."""
    return Memory(array.view(np.uint8), 1, begins_on_line(array))


memory_of = address


def begins_on_line(array: NDArray[Any]) -> bool:
    """Return whether an array may be streamed to."""
    return array.ctypes.data % BYTES == 0


def load_line(memory: Memory, place: int, itemsize: int) -> Line:
    """Return the line at this place, with lanes of so many bytes."""
    line = memory.line(place)
    if itemsize % memory.width or BYTES % itemsize:
        raise ValueError(
            f"lanes of {itemsize} bytes of elements of {memory.width}: a lane holds whole elements"
        )
    return Line(line.reshape(BYTES // itemsize, itemsize // memory.width, *line.shape[1:]).copy())


def store_line(memory: Memory, place: int, line: Line) -> None:
    """Put a line at this place."""
    there, parts = memory.line(place, stores=True), line.parts
    if there.dtype != parts.dtype or there.size != parts.size:
        raise ValueError(
            f"a line of {parts.size} elements put where one of {there.size} is: memory keeps the"
            " kind of its elements"
        )
    there[...] = parts.reshape(there.shape)


def stream_line(memory: Memory, place: int, line: Line) -> None:
    """Put a line at this place of memory that begins on a line."""
    if not memory.on_line:
        raise ValueError(
            "a line is streamed into memory that does not begin on a multiple of 64 bytes, which"
            " ends a compiled kernel"
        )
    Streams.pending += 1
    store_line(memory, place, line)


def fence() -> None:
    """Put all streaming stores in order before what follows."""
    Streams.pending = 0


def prefetch_line(memory: Memory, place: int) -> None:
    """Do nothing, wherever the place: nothing is far away here, and a processor asks for no line
    that is not there.
    """


def permute_line(line: Line, index: Line, flip: int) -> Line:
    """Return the line with element index[lane] ^ flip in each lane.

    >>> letters, index = Line(np.array(list("abcdefgh"))), Line(np.array([0, 2, 1, 3, 4, 5, 6, 7], "u8").view("u1").reshape(8, 8))
    >>> "".join(permute_line(letters, index, 1).parts)
    'bdacfehg'
    """  # noqa: E501
    if index.parts.dtype != np.uint8 or len(index.parts) != len(line.parts):
        raise ValueError(
            f"{len(line.parts)} lanes permuted by an index vector of {len(index.parts)}: it has an"
            " index for each lane"
        )
    chosen, flip = _lanes(index.parts.tobytes(), len(index.parts)), whole_number(flip)
    if not 0 <= flip < len(chosen):
        raise IndexError(f"lane indices of a line of {len(chosen)} lanes are turned by {flip}")
    return Line(line.parts[chosen ^ flip])


@lru_cache(KEPT)
def _lanes(octets: bytes, lanes: int) -> NDArray[np.int64]:
    """Return which lane an index vector chooses for each lane; raise IndexError where it cuts or
    misses elements.
    """
    itemsize = BYTES // lanes
    word, parts = min(itemsize, 8), max(itemsize // 8, 1)
    words = np.frombuffer(octets, f"u{word}").astype(np.int64).reshape(lanes, parts)
    chosen = words[:, 0] // parts
    if (
        (words < 0).any()
        or (chosen >= lanes).any()
        or (words != chosen[:, None] * parts + np.arange(parts)).any()
    ):
        raise IndexError(
            f"an index vector {words.reshape(-1).tolist()} for a line of {lanes} lanes of {parts}"
            " words: it chooses whole elements of it"
        )
    return chosen


def exchange_lines(v: Line, w: Line, bit: int) -> tuple[Line, Line]:
    """Return v and w after the lanes of v that have this bit and the lanes of w that have it not
    have changed places.

    >>> low, high = exchange_lines(Line(np.array(list("abcd"))), Line(np.array(list("ABCD"))), 1)
    >>> "".join(low.parts), "".join(high.parts)
    ('aAcC', 'bBdD')
    """
    lanes = len(v.parts)
    if len(w.parts) != lanes or bit not in [1 << k for k in range(lanes.bit_length() - 1)]:
        raise ValueError(
            f"lines of {lanes} and {len(w.parts)} lanes exchange bit {bit}: it is one bit of the"
            " number of a lane of both"
        )
    low, high = (line.parts.reshape(-1, 2, bit, *line.parts.shape[1:]).copy() for line in (v, w))
    low[:, 1], high[:, 0] = high[:, 0].copy(), low[:, 1].copy()
    return Line(low.reshape(v.parts.shape)), Line(high.reshape(w.parts.shape))


ON_LINES: dict[str, Callable[..., Any]] = {
    "load": load_line,
    "store": store_line,
    "stream": stream_line,
    "prefetch": prefetch_line,
    "permute": permute_line,
    "exchange": exchange_lines,
}
"""The operations on one line, or on two."""


def on_tuples(one: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return the operations on tuples of lines that are made of these, and of ours otherwise.

    >>> moved = on_tuples({"load": lambda memory, place, itemsize: memory[place]})["load"]
    >>> moved("abcdefgh", 4, (0, 1, 3), 1)
    ('e', 'f', 'h')
    """
    load_one, put_one, stream_one, ask_one, permute_one, exchange_two = (
        one.get(name, ON_LINES[name]) for name in ON_LINES
    )

    def load(memory: Any, place: int, places: Places, itemsize: int) -> tuple[Any, ...]:
        return tuple(load_one(memory, place ^ at, itemsize) for at in places)

    def storing(one: Callable[..., Any]) -> Callable[..., None]:
        def put(memory: Any, place: int, places: Places, lines: tuple[Any, ...]) -> None:
            for at, line in zip(places, lines, strict=True):
                one(memory, place ^ at, line)

        return put

    def prefetch(memory: Any, place: int, places: Places) -> None:
        for at in places:
            ask_one(memory, place ^ at)

    def permute(lines: tuple[Any, ...], indices: tuple[Any, ...], flip: int) -> tuple[Any, ...]:
        pairs = zip(lines, indices, strict=True)
        return tuple(permute_one(line, index, flip) for line, index in pairs)

    def exchange(lines: tuple[Any, ...], bit: int) -> tuple[Any, ...]:
        v, step = list(lines), bit if bit < len(lines) else bit // 8
        for i, k in ((i, i | step) for i in range(len(v)) if not i & step):
            v[i], v[k] = exchange_two(v[i], v[k], bit)
        return tuple(v)

    of_tuples = (load, storing(put_one), storing(stream_one), prefetch, permute, exchange)
    return dict(zip(ON_LINES, of_tuples, strict=True))


load, store, stream, prefetch, permute, exchange = on_tuples(ON_LINES).values()
