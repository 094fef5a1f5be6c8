"""Labels, one for each element, for a kernel that moves elements: what stands for its arrays, and
the operations on lines of 64 bytes.

    argument = the address of an array, for a kernel on lines       -> Lines
             | an array of data, for one that goes element by element     -> Elements

Labels can be moved and nothing else, so where they end up is where any elements do (labelled.py).
Index vectors are read from tables of numbers. What would be refused, or is out of the ordinary,
ends this: the kernel is then run as it is, which says why.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from operator import index as whole_number
from operator import itemgetter
from typing import Any

import numpy as np

from codegen.kernels import plain
from proofs.certify.arrays.storage import Storage
from proofs.certify.kernels.kept import Untaken

Labels = Sequence[Any]
SHIFT = 40
"""A label is a number, of its array in the bits from this on and of its place below."""


class _Places(plain.Opaque):
    """The places of an array: the labels that they hold, which are read before they are written,
    written, and read after that.
    """

    def __init__(self, number: int, count: int) -> None:
        self.number, self.count = number, count
        self.read, self.written, self.again = bytearray(count), bytearray(count), bytearray(count)
        self.labels: list[Any] = []

    def _reading(self, place: int) -> None:
        (self.again if self.written[place] else self.read)[place] = 1


class Line(plain.Opaque):
    """The labels of a line; of one that was loaded, from where."""

    __slots__ = ("kind", "labels", "place", "source")

    def __init__(
        self, labels: Labels, kind: Hashable, source: Lines | None = None, place: int = 0
    ) -> None:
        self.labels, self.kind, self.source, self.place = labels, kind, source, place


class Lines(_Places):
    """An array by its address, in lines of 64 bytes; a label for each lane, whose size is that of
    the first line that is loaded or stored.
    """

    def __init__(self, number: int, memory: plain.Memory) -> None:
        parts = memory.parts
        super().__init__(number, len(parts) * memory.width // plain.BYTES)
        self.on_line, self.width, self.kind = (
            memory.on_line,
            memory.width,
            (parts.dtype.str, parts.shape[1:], memory.width),
        )
        self.octets = parts if parts.dtype == np.uint8 and memory.width == 1 else None
        self.lanes, self.is_index = 0, False
        self.choices: dict[tuple[int, int], Callable[[Labels], Labels]] = {}

    def cut(self, lanes: int) -> None:
        """Give each lane its label, so many to a line."""
        if self.lanes or plain.BYTES % lanes or plain.BYTES // lanes % self.width:
            raise Untaken("lanes of several sizes, or parts of elements")
        self.lanes, base = lanes, self.number << SHIFT
        self.labels = list(range(base, base + self.count * lanes))

    def at(self, place: Any, lanes: int) -> int:
        """Return a place as a whole number; raises Untaken where there is no such line."""
        here = whole_number(place)
        if lanes != self.lanes:
            self.cut(lanes)
        if not 0 <= here < self.count:
            raise Untaken("a line beyond the end of an array")
        return here

    def choice(self, place: int, flip: Any) -> Callable[[Labels], Labels]:
        """Return what an index vector, turned by `flip`, does to the labels of a line."""
        if self.octets is None or any(self.written):
            raise Untaken("an index vector that is no table's")
        turned = whole_number(flip)
        if (place, turned) not in self.choices:
            begin = place * plain.BYTES
            chosen = plain._lanes(self.octets[begin : begin + plain.BYTES].tobytes(), self.lanes)
            if not 0 <= turned < self.lanes:
                raise Untaken("an index of no lane")
            self.choices[place, turned] = _chosen((chosen ^ turned).tolist())
        self.is_index = True
        return self.choices[place, turned]


def _chosen(lanes: Sequence[int]) -> Callable[[Labels], Labels]:
    """Return the function that takes these of several labels."""
    return itemgetter(*lanes) if len(lanes) > 1 else lambda labels: (labels[lanes[0]],)


def load(memory: Any, place: Any, itemsize: Any) -> Any:
    """Return a line, of labels where they are."""
    if type(memory) is not Lines:
        return plain.load_line(memory, place, itemsize)
    if type(itemsize) is not int or not 1 <= itemsize <= plain.BYTES or plain.BYTES % itemsize:
        raise Untaken("lanes of no size")
    lanes = plain.BYTES // itemsize
    here = memory.at(place, lanes)
    memory._reading(here)
    return Line(memory.labels[here * lanes : here * lanes + lanes], memory.kind, memory, here)


def store(memory: Any, place: Any, line: Any) -> None:
    """Put a line at a place."""
    if type(memory) is not Lines:
        plain.store_line(memory, place, line)
        return
    if type(line) is not Line or line.kind != memory.kind or memory.is_index:
        raise Untaken("memory keeps the kind of its elements")
    lanes = len(line.labels)
    here = memory.at(place, lanes)
    memory.labels[here * lanes : here * lanes + lanes] = line.labels
    memory.written[here] = 1


def stream(memory: Any, place: Any, line: Any) -> None:
    """Put a line at a place of memory that begins on a line."""
    if type(memory) is not Lines:
        plain.stream_line(memory, place, line)
        return
    if not memory.on_line:
        raise Untaken("a streaming store to memory that does not begin on a line")
    plain.Streams.pending += 1
    store(memory, place, line)


def permute(line: Any, index: Any, flip: Any) -> Any:
    """Return a line with element index[lane] ^ flip in each lane."""
    if type(line) is not Line:
        return plain.permute_line(line, index, flip)
    if type(index) is not Line or index.source is None or len(index.labels) != len(line.labels):
        raise Untaken("an index vector that was not loaded")
    return Line(index.source.choice(index.place, flip)(line.labels), line.kind)


EXCHANGES: dict[tuple[int, int], tuple[Callable[[Labels], Labels], Callable[[Labels], Labels]]] = {}
"""By lanes and bit, what is taken of the labels of both lines for each of them."""


def exchange(v: Any, w: Any, bit: Any) -> Any:
    """Return two lines after their lanes with and without this bit have changed places."""
    if type(v) is not Line:
        return plain.exchange_lines(v, w, bit)
    lanes = len(v.labels)
    if (
        type(w) is not Line
        or w.kind != v.kind
        or len(w.labels) != lanes
        or type(bit) is not int
        or bit not in [1 << k for k in range(6)]
    ):
        raise Untaken("an exchange of unlike lines")
    if (lanes, bit) not in EXCHANGES:
        if bit >= lanes:
            raise Untaken("an exchange of no bit")
        low = [lane if not lane & bit else lanes + (lane ^ bit) for lane in range(lanes)]
        high = [lanes + lane if lane & bit else lane ^ bit for lane in range(lanes)]
        EXCHANGES[lanes, bit] = _chosen(low), _chosen(high)
    both = *v.labels, *w.labels
    low_of, high_of = EXCHANGES[lanes, bit]
    return Line(low_of(both), v.kind), Line(high_of(both), v.kind)


OPERATIONS = {
    "load": load,
    "store": store,
    "stream": stream,
    "permute": permute,
    "exchange": exchange,
}
"""What a kernel on lines uses in place of the operations on lines of codegen/kernels/plain.py,
which they are where no labels are moved.
"""


class Label(plain.Opaque):
    """One element."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Elements(_Places):
    """An array of data, of one axis."""

    def __init__(self, number: int, array: Storage) -> None:
        super().__init__(number, len(array))
        base = number << SHIFT
        self.labels, self.shape, self.size = (
            [Label(base + i) for i in range(self.count)],
            (self.count,),
            self.count,
        )

    def __len__(self) -> int:
        return self.count

    def _at(self, place: Any) -> int:
        if type(place) is not int and not isinstance(place, np.integer):
            raise Untaken("several elements at once")
        here = whole_number(place)
        if not -self.count <= here < self.count:
            raise Untaken("an element beyond the end of an array")
        return here

    def __getitem__(self, place: Any) -> Label:
        here = self._at(place)
        self._reading(here)
        found: Label = self.labels[here]
        return found

    def __setitem__(self, place: Any, value: Any) -> None:
        here = self._at(place)
        if type(value) is not Label:
            raise Untaken("another value than an element")
        self.labels[here] = value
        self.written[here] = 1
