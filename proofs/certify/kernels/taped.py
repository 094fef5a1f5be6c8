"""Kernels on vectors, the quick way: taken down once (tape.py), and what was taken down done to the
data of every call.

A kernel is taken down again where anything is another that it could depend on: what its text reads
(frozen.py), its numbers, the sizes of its arrays, which of them are one array, and which begin on a
line. Its tables are read anew in every call. What cannot be taken down, and what would be refused,
is run as it is (vectors.py), which has the last word.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from codegen.kernels import plain, plain_vectors
from derive.lazy import lazily
from proofs.certify.arrays.constants import Recognizer
from proofs.certify.arrays.residue_arrays import Past
from proofs.certify.forbidden import Forbidden
from proofs.certify.kernels import tape
from proofs.certify.kernels.frozen import Unfrozen, frozen
from proofs.certify.kernels.kept import Kept, Kernel, Untaken, is_large, noted, quick, taken_down
from proofs.certify.kernels.memory import Data, Reals, Table, start
from proofs.certify.kernels.tape import PAIR, Region, Tape

if TYPE_CHECKING:
    from proofs.certify.kernels import play, registers
else:
    play = lazily("proofs.certify.kernels.play")
    registers = lazily("proofs.certify.kernels.registers")

MOST_STEPS = 2**25
"""So many steps of all kernels are kept: 28 bytes each."""
HANDED_OUT = (tape.Memory, tape.Table, tape.Value, tape.Constant)


@dataclass(frozen=True)
class Uses:
    """Which elements of an array a kernel reads before it writes them, which it writes, which it
    reads after that, and leaves in split vectors.
    """

    read: NDArray[np.bool_]
    written: NDArray[np.bool_]
    again: NDArray[np.bool_]
    split: NDArray[np.bool_]


class Taken:
    """What was taken down of a kernel, ready to be done."""

    def __init__(self, taken: Tape) -> None:
        self.exact, self.rows = taken.exact, taken.rows
        self.factors, self.memories = taken.factors, taken.memories
        self.steps, self.lists, self.groups = taken.steps, taken.lists, taken.groups
        rows = registers.uses(self.steps, self.rows)
        self.uses = [self._uses(memory, rows) for memory in taken.memories]
        self.registers = registers.registers(self.steps, self.lists, taken.values)
        self.read, self.entries = taken.read, taken.entries

    def _uses(self, memory: tape.Memory, rows: Sequence[NDArray[np.bool_]]) -> Uses:
        region, first = memory.region, memory.first
        one = [
            np.asarray(side[first : first + region.rows].reshape(-1, region.parts).any(axis=1))
            for side in rows
        ]
        known = bytes(len(one[0])) if memory.lane is None else bytes(memory.lane)
        lane = np.frombuffer(known, np.uint8)
        return Uses(one[0], one[1], one[2], lane != PAIR)

    @cached_property
    def places(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Of each table, which entries are read of it, and where in it their real and imaginary
        parts are, counted in real numbers.
        """
        return [
            self._places(self.read[self.read[:, 0] == table])
            for table in range(int(self.read[:, 0].max(initial=-1)) + 1)
        ]

    def _places(
        self, read: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        lanes = np.repeat(read[:, 2], read[:, 2]).astype(np.int64)
        start, first, split = (
            np.repeat(read[:, column], read[:, 2]).astype(np.int64) for column in (1, 4, 3)
        )
        lane = np.arange(len(lanes)) - np.repeat(np.cumsum(read[:, 2]) - read[:, 2], read[:, 2])
        return (
            first + lane,
            2 * start + np.where(split, lane, 2 * lane),
            2 * start + np.where(split, lanes + lane, 2 * lane + 1),
        )

    @cached_property
    def group_of(self) -> NDArray[np.int64]:
        """With which others each entry is read."""
        found = np.zeros(self.entries, np.int64)
        for _, _, lanes, _, first, group in self.read.tolist():
            found[first : first + lanes] = group
        return found


KEPT: Kept[Taken] = Kept(MOST_STEPS, lambda taken: len(taken.steps))


class _Call:
    """The arguments of a call: arrays of data, tables, numbers, and tuples of these."""

    def __init__(self, arguments: Sequence[Any]) -> None:
        self.data: dict[tuple[int, int], Any] = {}
        self.tables: dict[int, Table] = {}
        self.arguments = arguments
        self.shape = tuple(map(self._of, arguments))
        if not self.data:
            raise Untaken("no data")

    def _of(self, argument: Any) -> Hashable:
        kind = type(argument)
        if kind is tuple:
            return "tuple", *map(self._of, argument)
        if kind in (Data, Reals, plain_vectors.Numbers):
            extent = _extent(argument)
            other = self.data.setdefault(extent, argument)
            if type(other) is not kind:
                raise Untaken("one array as complex numbers and as real ones")
            self.data[extent] = argument
            return "data", list(self.data).index(extent)
        if kind is Table:
            self.tables[id(argument)] = argument
            return "table", list(self.tables).index(id(argument))
        if kind in HANDED_OUT:
            raise Untaken("a kernel that is called by another")
        if kind not in (int, bool, float) and not isinstance(argument, np.integer):
            raise Untaken(f"an argument of type {kind.__name__}")
        return frozen(argument)

    @property
    def exact(self) -> bool:
        """Whether the data are exact elements."""
        return type(next(iter(self.data.values()))) is not plain_vectors.Numbers

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """Where the arrays lie; raises Untaken where some overlap, or are of several types."""
        if any(begin < end for (_, end), (begin, _) in pairwise(sorted(self.data))):
            raise Untaken("arrays with elements in common")
        arrays = [memory.again() if self.exact else memory.array for memory in self.data.values()]
        flat = all(array.ndim == 1 for array in arrays)
        if not self.exact and (len({array.real.dtype for array in arrays}) > 1 or not flat):
            raise Untaken("arrays of several types")
        parts = [a.shape[1] if self.exact else 1 + (a.dtype.kind == "c") for a in arrays]
        return tuple(
            Region(len(array) * part, part, memory.on_line)
            for array, part, memory in zip(arrays, parts, self.data.values(), strict=True)
        )

    @property
    def sizes(self) -> tuple[tuple[int, bool], ...]:
        """How many constants each table has, and whether it begins on a line."""
        return tuple((len(table.again()), table.on_line) for table in self.tables.values())

    def handed(self, taken: Tape) -> tuple[Any, ...]:
        """Return the arguments with what stands for arrays in their place."""

        def one(argument: Any) -> Any:
            kind = type(argument)
            if kind is tuple:
                return tuple(map(one, argument))
            if kind is Table:
                return taken.tables[list(self.tables).index(id(argument))]
            return (
                argument
                if kind not in (Data, Reals, plain_vectors.Numbers)
                else taken.memories[list(self.data).index(_extent(argument))]
            )

        return tuple(map(one, self.arguments))


def _extent(memory: Any) -> tuple[int, int]:
    if not isinstance(memory, plain_vectors.Numbers):
        extent: tuple[int, int] = memory.extent
        return extent
    if not memory.array.flags.c_contiguous:
        raise Untaken("an array with gaps")
    return start(memory.array), start(memory.array) + memory.array.nbytes


def compiled(slowly: Callable[[Kernel], Kernel], function: Kernel) -> Kernel:
    """Return a kernel taken down where its arrays are large, else run as `slowly` decorates it."""
    return quick(slowly(function), partial(_done_quickly, function))


def _done_quickly(function: Kernel, arguments: Sequence[Any]) -> bool:
    """Do what a kernel does to these arguments, and return True; or change nothing, and False."""
    try:
        if not is_large(max(map(_size, arguments), default=0)):
            return False
        call = _Call(arguments)
        key = frozen(function), call.shape, call.regions, call.sizes, call.exact
    except (Untaken, Unfrozen, ValueError, Forbidden, RecursionError):
        return False
    taken = KEPT.of(
        key, lambda: taken_down(lambda: frozen(function), lambda: _taken(function, call))
    )
    return taken is not None and (_exactly if call.exact else _roughly)(taken, call)


def _size(argument: Any) -> int:
    """Return how many elements an argument has, or the largest of several."""
    if isinstance(argument, tuple):
        return max(map(_size, argument), default=0)
    if isinstance(argument, HANDED_OUT):
        raise Untaken("a kernel that is called by another")
    if isinstance(argument, Data):
        return len(argument.again())
    return len(argument.array) if isinstance(argument, plain_vectors.Numbers) else 0


def _taken(function: Kernel, call: _Call) -> Taken:
    taken = Tape(call.regions, call.sizes, call.exact)
    plain.compiled(function)(*call.handed(taken))
    return Taken(taken)


def _exactly(taken: Taken, call: _Call) -> bool:
    """Do what was taken down to exact elements; return False where a constant is none."""
    memories = list(call.data.values())
    recognizer: Recognizer = memories[0].recognizer
    try:
        entries, entry_bounds = _constants(
            taken, [table.again() for table in call.tables.values()], recognizer
        )
        factors = [recognizer.recognize(c) for c in taken.factors]
    except Forbidden:
        return False
    residues = np.array([constant.residues[0] for constant in factors] or [0], np.int64)
    factor_bounds = np.array(
        [(constant.magnitude, constant.halves) for constant in factors] or [(0, 0)], float
    )
    arrays = [memory.again() for memory in memories]
    for memory, parts, use in zip(memories, arrays, taken.uses, strict=True):
        noted(memory.like(parts).read, use.read)
    rows = np.concatenate([parts.reshape(-1, parts.shape[-1]) for parts in arrays])
    bounds = np.concatenate(
        [_bounds(memory, parts) for memory, parts in zip(memories, arrays, strict=True)]
    )
    constants = entries, entry_bounds, residues, factor_bounds
    play.exactly(
        taken.steps, taken.lists, taken.registers, rows, bounds, constants, recognizer.field.q
    )
    for i, (memory, parts, use) in enumerate(zip(memories, arrays, taken.uses, strict=True)):
        if use.written.any():
            here = slice(
                taken.memories[i].first, taken.memories[i].first + taken.memories[i].region.rows
            )
            _put(parts, rows[here].reshape(parts.shape), use.written)
            if use.split.any():
                parts[use.split] = -1
            elements = memory.like(parts)
            magnitude, halves, exchanges = (column[here].max().item() for column in bounds.T)
            elements._written(Past(magnitude, int(halves), int(exchanges), recognizer.degree))
            noted(elements.stored, use.written)
            noted(elements.loaded, use.again)
    return True


def _put(parts: NDArray[Any], values: NDArray[Any], written: NDArray[np.bool_]) -> None:
    """Put the values of the written elements, and leave the others, which may be no element."""
    if written.all():
        parts[...] = values
    else:
        parts[written] = values[written]


def _bounds(memory: Data, parts: NDArray[np.int64]) -> NDArray[np.float64]:
    past = memory.like(parts).past
    return np.tile(
        [past.magnitude, float(past.halves), float(past.exchanges)],
        (len(parts) * parts.shape[1], 1),
    )


def _constants(
    taken: Taken, tables: Sequence[NDArray[Any]], recognizer: Recognizer
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the residues of all entries, of shape (entries, 2), and the bounds of each group of
    them; raises Forbidden where one is no constant.
    """
    residues, bounds = (
        np.zeros((max(taken.entries, 1), 2), np.int64),
        np.zeros((max(taken.groups, 1), 2)),
    )
    bounds[:, 0] = -np.inf
    for table, (which, re, im) in zip(tables, taken.places, strict=False):
        floats = table.view(table.real.dtype)
        found = recognizer.recognize_each((floats[re] + 1j * floats[im]).astype(table.dtype))
        residues[which] = found.residues
        np.maximum.at(bounds[:, 0], taken.group_of[which], found.magnitudes)
        np.maximum.at(bounds[:, 1], taken.group_of[which], found.halves)
    return residues, bounds


def _roughly(taken: Taken, call: _Call) -> bool:
    """Do what was taken down to ordinary numbers; return False where they may not be written to."""
    arrays = [memory.floats for memory in call.data.values()]
    if any(
        use.written.any() and not array.flags.writeable
        for use, array in zip(taken.uses, arrays, strict=True)
    ):
        return False
    rows = np.concatenate(arrays)[:, None]
    play.roughly(
        taken.steps, taken.lists, taken.registers, rows, np.array(taken.factors or [0], rows.dtype)
    )
    for memory, array, use in zip(taken.memories, arrays, taken.uses, strict=True):
        if use.written.any():
            _put(
                array,
                rows[memory.first : memory.first + memory.region.rows, 0],
                np.repeat(use.written, memory.region.parts),
            )
    return True
