"""What a worker may be asked: to read what a text declares, its places, a script on simulated
ranks, misuse; and the raw results.

A job goes from the checker to a worker, `done` runs there, and what it returns, values for JSON and
arrays, comes back. No job compares anything with what is wanted: the checker does
(proofs/certify/checks/suite.py).
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from codegen.kernels.plain_vectors import LANES as USUAL
from codegen.mpi.faults import NotModelled as NotModelled
from codegen.mpi.ranks import Run
from derive.fields import RootField
from proofs.certify.arrays.constants import Recognizer
from proofs.certify.arrays.elements import Elements, Exact
from proofs.certify.arrays.residue_arrays import Past
from proofs.certify.arrays.tokens import Opaque, Tokens
from proofs.certify.declaration import CONVOLVE, FUNCTIONS, INDICES, Declaration, Transform
from proofs.certify.failures import Wrong, blaming, told
from proofs.certify.forbidden import Forbidden
from proofs.certify.kernels import compiled as lanes
from proofs.certify.reading import CONSTANTS
from proofs.certify.sandbox.loading import Text, compiler_of
from proofs.certify.state.holding import unchanged
from proofs.certify.workers.on_ranks import Setting, performed
from proofs.certify.workers.traffic import Traffic
from proofs.certify.workers.usage import ALONE, OF_NUMBERS, Around, Script, by_numpy, vectors

MOST_JSON = 2**20
"""The most bytes that a worker says beside its arrays; 1024 ranks take a fifth of it."""
Said = tuple[dict[str, Any], list[NDArray[Any]]]


class Job(Protocol):
    """Something that a worker does with a text."""

    @property
    def name(self) -> str:
        """The statement that a text's error refutes, or `messages` where its ranks disagree."""

    def done(self, text: Text) -> Said:
        """Return its values and arrays; raises Wrong, NotModelled or ValueError by the text."""


NAMES = (*FUNCTIONS, *INDICES, CONVOLVE)
NAMED = (*CONSTANTS, "PIECE")
"""The constants that are read of a text: those of its contract, and what main takes beside them."""


@dataclass(frozen=True)
class Constants:
    """The constants of a text as values of JSON, of others the type; and its functions."""

    name: ClassVar[str] = "constants"

    def done(self, text: Text) -> Said:
        """Load the text and read them."""
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                program = text.load()
            found = {name: as_json(program[name]) for name in NAMED if name in program}
        except MemoryError:
            raise
        except (Forbidden, Exception, SystemExit) as error:
            raise ValueError(
                f"{text.name} is no node program that can be run here: {told(text, error)}"
            ) from error
        return {
            "constants": found,
            "functions": [name for name in NAMES if callable(program.get(name))],
        }, []


NUMBER_TYPES = {
    np.dtype(code).type for code in np.typecodes["AllFloat"] + np.typecodes["AllInteger"]
}
"""numpy's types of numbers, which programs may give as DTYPE."""


def as_json(value: Any) -> Any:
    """Return an integer or a text as it is, a tuple of integers as a list, a dtype by its
    description, which a type of numpy's numbers has too, and of others the type.
    """
    if type(value) in (int, str):
        return value
    if type(value) is tuple and all(type(entry) is int for entry in value):
        return {"tuple": list(value)}
    if isinstance(value, type) and value in NUMBER_TYPES:
        value = np.dtype(value)
    if isinstance(value, np.dtype):
        return {"dtype": np.lib.format.dtype_to_descr(value)}
    return {"type": type(value).__name__}


KINDS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
"""The types that indices may have."""


def few(N: int) -> int:
    """Return how many indices all of these hold."""
    return min(N, 128)


WAYS = 3
"""In so many ways the offsets of a rank are cut into pieces."""


def in_pieces(M: int, piece: Any) -> list[list[NDArray[np.int64]]]:
    """Return all offsets in one piece; in one offset at each end and two pieces between; and in
    pieces of this length, if it is one, as main asks for them.

    >>> [[o.tolist() for o in pieces] for pieces in in_pieces(4, 2)]
    [[[0, 1, 2, 3]], [[0], [1], [2], [3]], [[0, 1], [2, 3]]]
    """
    offsets, step = np.arange(M), piece if type(piece) is int and piece > 0 else M
    offsets.flags.writeable = False  # main uses them again
    cuts = set[int](), {1, M // 2, M - 1} - {0, M}, range(step, M, step)
    return [np.split(offsets, sorted(at)) for at in cuts]


@dataclass(frozen=True)
class Places:
    """The places of all indices on one side: of all at once, in another order and of two axes, of
    some one by one, and of a few in each type.
    """

    name: ClassVar[str] = "layout"
    declaration: Declaration
    side: str
    single: tuple[int, ...]

    def done(self, text: Text) -> Said:
        """Return them as integers, of shapes (2, N), (2, N), (2, N), (2 types, len(single), 2),
        (KINDS, 2, few(N)) and, of a table, (WAYS, P, M).
        """
        d = self.declaration
        j = np.arange(d.N)
        with blaming(text, self.name):
            program = text.load(Opaque(by_numpy(d.dtype)))
            place, same = program[f"{self.side}_place"], unchanged(program)
            found = self._of_array(place, j)
            turned = self._of_array(place, j[::-1].copy())
            rows = self._of_array(place, j.astype(np.int32).reshape(2 - d.N % 2, -1))
            single = np.array(
                [[self._of_one(place, kind(i)) for i in self.single] for kind in (int, np.int64)]
            )
            typed = np.stack([self._of_array(place, j[: few(d.N)].astype(kind)) for kind in KINDS])
            self._by_axes(place, found)
            table = self._table(program)
            same(f"{self.side}_place")
        return {"table": table is not None}, [
            found,
            turned,
            rows,
            single,
            typed,
            np.full((WAYS, d.P, d.M), -1) if table is None else table,
        ]

    def _of_array(self, place: Callable[[Any], Any], indices: NDArray[Any]) -> NDArray[np.int64]:
        before = indices.copy()
        found = np.asarray(place(indices))
        if found.shape != (2, *indices.shape) or found.dtype.kind not in "iu":
            words = (
                f"{self.side}_place of indices of shape {indices.shape} gives {found.dtype} of"
                f" shape {found.shape}"
            )
            raise Wrong(self.name, f"{words}: it is (rank, offset) of an index or of each")
        if not np.array_equal(indices, before):
            raise Wrong(self.name, f"{self.side}_place changes the indices that it is given")
        return found.reshape(2, -1).astype(np.int64)

    def _by_axes(self, place: Callable[..., Any], found: NDArray[np.int64]) -> None:
        """Raise Wrong where an element has another place by one index for each axis, in arrays or
        by itself, and where indices of none have a place.
        """
        axes = self.declaration.whole
        if len(axes) < 2:
            return
        indices = np.unravel_index(np.arange(self.declaration.N), axes)
        if not np.array_equal(np.asarray(place(*indices)), found):
            raise Wrong(self.name, f"{self.side}_place of an index for each axis is another place")
        for j in self.single:
            if not np.array_equal(place(*(int(index[j]) for index in indices)), found[:, j]):
                raise Wrong(self.name, f"{self.side}_place of an index for each axis of {j}")
        for axis, n in enumerate(axes):
            for outside in (-1, n):
                with contextlib.suppress(ValueError):
                    place(*(outside if i == axis else 0 for i in range(len(axes))))
                    words = f"{self.side}_place gives a place to index {outside} of axis {axis}"
                    raise Wrong(self.name, f"{words}, which has {n}")

    def _of_one(self, place: Callable[[Any], Any], index: Any) -> tuple[int, int]:
        found = tuple(place(index))
        if [np.shape(part) for part in found] != [(), ()] or np.asarray(
            found
        ).dtype.kind not in "iu":
            raise Wrong(
                self.name,
                f"{self.side}_place({index}) of a single {type(index).__name__} is {found}",
            )
        return int(found[0]), int(found[1])

    def _table(self, program: dict[str, Any]) -> NDArray[np.int64] | None:
        """Return the indices of the elements of each rank, which main reads or writes, in each way
        in which they are asked for; None where a program has none.
        """
        name, d = f"{self.side}_index", self.declaration
        if name not in program:
            return None
        held = np.full((WAYS, d.P, d.M), -1)
        for way, pieces in enumerate(in_pieces(d.M, program.get("PIECE"))):
            for rank, o in product(range(d.P), pieces):
                found = np.asarray(program[name](rank, o))
                if found.shape != o.shape or found.dtype.kind not in "iu":
                    words = f"{name} of {len(o)} offsets gives {found.dtype} of shape {found.shape}"
                    raise Wrong(self.name, f"{words}: it is an index for each offset")
                held[way, rank, o] = found
        return held


@dataclass(frozen=True)
class InField:
    """A script on elements of GF(q): data[i] is vector i by ranks, of shape (P, M, parts, K)."""

    declaration: Transform
    drawn: tuple[int, int, int]
    data: tuple[NDArray[np.int64], ...]
    script: Script
    name: str
    width: int = USUAL
    around: Around = ALONE

    def done(self, text: Text) -> Said:
        """Return the residues of each result, (P, M, parts, K), and their entries' past."""
        d = self.declaration
        recognizer = Recognizer(RootField(*self.drawn), d.followed, d.points)
        dtype = by_numpy(d.dtype)
        exact = Exact(dtype, recognizer, self.data[0].shape[-1], self.width)
        data = [
            [Elements(part, dtype, recognizer, Past(degree=1)) for part in vector.copy()]
            for vector in self.data
        ]
        done = performed(text, d, data, self.script, Setting(self.name, exact, None, self.around))
        results = list(zip(*done.results, strict=True))
        pasts = [[(y.past.magnitude, y.past.halves) for y in parts] for parts in results]
        past = [[max(column) for column in zip(*parts, strict=True)] for parts in pasts]
        return {"past": past, **_run(done, self.script)}, [
            np.stack([y.parts for y in parts]) for parts in results
        ]


@dataclass(frozen=True)
class OfTokens:
    """A script on opaque elements: data[i] has the tokens of vector i by ranks, of shape (P, M)."""

    declaration: Declaration
    data: tuple[NDArray[np.int64], ...]
    script: Script
    name: str
    around: Around = ALONE

    def done(self, text: Text) -> Said:
        """Return the tokens of each result, of shape (P, M)."""
        d, dtype = self.declaration, by_numpy(self.declaration.dtype)
        data = [[Tokens.of(part, dtype) for part in vector] for vector in self.data]
        done = performed(
            text, d, data, self.script, Setting(self.name, Opaque(dtype), None, self.around)
        )
        return _run(done, self.script), [
            np.stack([y.tokens for y in parts]) for parts in zip(*done.results, strict=True)
        ]


@dataclass(frozen=True)
class OfNumbers:
    """A script on ordinary numbers, of shape (P, M) each, kernels compiled by numba if there."""

    declaration: Declaration
    data: tuple[NDArray[Any], ...]
    script: Script
    name: str
    compiled: bool = field(default_factory=lanes.is_installed)

    def done(self, text: Text) -> Said:
        """Return each result, of shape (P, M)."""
        setting = Setting(self.name, None, compiler_of(text) if self.compiled else None, OF_NUMBERS)
        done = performed(
            text,
            self.declaration,
            [vector.view(by_numpy(vector.dtype)).copy() for vector in self.data],
            self.script,
            setting,
        )
        return _run(done, self.script), [
            np.stack(parts, dtype=self.declaration.dtype)
            for parts in zip(*done.results, strict=True)
        ]


def _run(done: Run, script: Script) -> dict[str, Any]:
    """Return what a run of a script shows beside its results."""
    return {
        "traffic": Traffic.of(done, len(vectors(script))).as_json(),
        "leaks": done.leaks[:1],
        "leaked": len(done.leaks),
        "schedules": done.schedules,
    }
