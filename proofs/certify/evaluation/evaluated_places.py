"""The places of all indices on one side, as a program's functions give them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.certify.declaration import LAYOUTS, SHAPES, SLICES, Declaration
from proofs.certify.evaluation.evaluated_source import called
from proofs.certify.evaluation.remains import Form, changed_name, form_of
from proofs.certify.failures import Wrong
from proofs.certify.language.limits import STEP
from proofs.certify.language.table_entries import Ended, Undecided
from proofs.certify.language.tables.standard import Cache
from proofs.certify.language.values.function_values import Raised, State
from proofs.certify.plain_text import in_words
from proofs.certify.scripts.evaluation_jobs import (
    BROADCAST,
    KINDS,
    NARROW,
    SINGLY,
    STEPS,
    WAYS,
    few,
    in_pieces,
    in_shapes,
)

NAME = "layout"
MIXED = ("uint64", "ulonglong")
"""With integers of other types numpy makes floats of these: a program may return such numbers."""
TYPES = (*KINDS, "longlong", "ulonglong")
RANKS = ("int64", "int32", "longlong")
"""The types of ranks for which the shape of a part is that of the same integer of Python."""
CONVERT = "convert them first, np.asarray(j, np.int64)"
FILL = "np.full_like(j, 0) is an array of zeros"
CHANGES = "{} changes {}, and transform is not tried afterwards"
SHORT = 32
"""The number of single indices whose places are asked for in each type."""
CALLS = 8
"""The least number of calls of the functions for all indices: one call may take the steps of a
module, and all calls together CALLS times these.
"""


class Places:
    """The functions of a program for one side."""

    def __init__(self, state: State, d: Declaration, side: str, single: tuple[int, ...]) -> None:
        self.state, self.declaration, self.side, self.single = state, d, side, single
        self.name, self.left_open = f"{side}_place", ""
        self.count = d.count(side)
        self.left = state.limits.all_left
        state.limits.look = self._look

    def found(self) -> list[Any]:
        """Return the places of all indices at once, of shape (2, N), and of some one by one, as
        integers of Python and of numpy, (.., 2); in each of WAYS the indices of each rank's
        elements, and the shapes and slices of the ranks' parts, nothing where no function has them.

        Raises:
            Wrong: if indices have other places in other arrays, or as integers of other types.
        """
        j = np.arange(self.count)
        before = form_of([self.state])
        found = self._of_array(j)
        self._same(j[::-1].copy(), found, "in another order")
        self._same(j.astype(np.int32).reshape(2 - self.count % 2, -1), found, "of two axes")
        singly = [self._one_by_one(int), self._one_by_one(np.int64, SINGLY)]
        for kind in KINDS:
            self._of_type(kind, found)
        self._by_shape(found)
        self._by_type(found)
        self._by_axes(found)
        table, shapes, slices = self._table(), self._shapes(), self._slices()
        for other in (self.count, -1, 0.5):
            with contextlib.suppress(Ended):
                is_refused(self.state, self.name, other)
        caches = list[Cache]()
        after = form_of([self.state], caches)
        kept = results_of(caches)
        self._place(0)
        if any(kept[key] != form for key, form in results_of(caches).items() if key in kept):
            self.left_open = CHANGES.format(self.name, "what a function keeps")
        if after != before:
            what = in_words(*changed_name(before, after, self.state))
            self.left_open = CHANGES.format(self.name, what)
        return [found, singly, table, shapes, slices]

    def _look(self) -> None:
        """Raise Undecided where one call takes too long."""
        limits = self.state.limits
        most = limits.steps // CALLS
        if self.left - limits.all_left > most:
            raise Undecided(f"{self.name} takes more than {most} steps in one call; {STEP}")

    def _place(self, *index: Any) -> Any:
        return self._called(self.name, *index)

    def _called(self, name: str, *given: Any) -> Any:
        self.left = self.state.limits.all_left
        return called(self.state, name, *given)

    def _of_array(
        self, indices: NDArray[Any], lax: bool = False, *more: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Return the places of indices, one or one for each axis, rank and offset each by
        itself, as together they have another type; lax: floats are taken for integers.
        """
        given = (indices, *more)
        before, found = [each.copy() for each in given], self._place(*given)
        several = isinstance(found, tuple | list) or (isinstance(found, np.ndarray) and found.ndim)
        parts = [np.asarray(part) for part in found] if several else [np.asarray(found)]
        kinds = {part.dtype.kind for part in parts}
        integral = kinds <= {*"biu", *"f" * lax} and kinds != {"b"}
        shapes = {part.shape for part in parts}
        if not integral or len(parts) != 2 or not indices.shape in shapes <= {indices.shape, ()}:
            gives = " and ".join(f"{part.dtype} of shape {part.shape}" for part in parts)
            words = f"{self.name} of {indices.dtype} indices of shape {indices.shape} gives {gives}"
            raise Wrong(NAME, f"{words}: it is (rank, offset) of an index or of each")
        if not all(map(np.array_equal, given, before)):
            raise Wrong(NAME, f"{self.name} changes the indices that it is given")
        if "f" in kinds:
            kind = indices.dtype.name
            self.left_open = f"{self.name} of {kind} indices gives floats; {CONVERT}"
        if len(shapes) > 1:
            self.left_open = f"{self.name} of an array gives one number for all; {FILL}"
        whole = [np.broadcast_to(part, indices.shape) for part in parts]
        return np.stack([part.reshape(-1).astype(np.int64) for part in whole])

    def _of_type(self, kind: str, found: NDArray[np.int64]) -> None:
        """Raise Wrong where a few indices of a type of integers have other places; the program may
        raise for a type that is too narrow for what it computes, or of which numpy makes floats.
        """
        try:
            self._same(np.arange(few(self.count)).astype(kind), found, f"of {kind}", kind in MIXED)
        except Raised as raised:
            if kind in MIXED:
                self.left_open = f"{self.name} of {kind} indices raises {raised}; {CONVERT}"
            elif kind not in NARROW:
                raise

    def _one_by_one(self, kind: type, most: int | None = None) -> NDArray[np.int64]:
        """Return the places of single indices of a type: of `most`, or as many as steps go."""
        found, limits = list[tuple[int, int]](), self.state.limits
        last = limits.all_left - STEPS
        for i in self.single[:most]:
            if limits.all_left < last and len(found) >= SINGLY:
                break
            found.append(self._of_one(kind(i)))
        return np.array(found)

    def _of_one(self, index: Any) -> tuple[int, int]:
        found = self._place(index)
        parts = tuple(found) if isinstance(found, tuple | list | np.ndarray) else ()
        alone = [np.shape(part) for part in parts] == [(), ()]
        if not alone or any(np.asarray(part).dtype.kind not in "biu" for part in parts):
            kind = type(index).__name__
            raise Wrong(NAME, f"{self.name}({index}) of a single {kind} is {found}")
        return int(parts[0]), int(parts[1])

    def _by_shape(self, found: NDArray[np.int64]) -> None:
        """Raise Wrong where an index has another place in an array of another shape or order of
        memory, or in a short one: of none, one, two, .. indices; an array without an axis may be
        refused.
        """
        most = few(self.count)
        for how, arrays in in_shapes(self.count):
            for each in arrays:
                with contextlib.suppress(*[Raised] * (each.ndim > BROADCAST)):
                    self._same(each, found, how)
        try:
            singles = [np.array(i, ("int64", "int32", "uint32")[i % 3]) for i in range(most)]
            places = np.concatenate([self._of_array(each) for each in singles], axis=1)
        except (Raised, Wrong):
            words = "an array without an axis, np.array(0), is not a location"
            self.left_open = f"{self.name} of {words}"
            return
        if not np.array_equal(places, found[:, :most]):
            raise Wrong(NAME, f"{self.name} of an array without an axis has other places")

    def _same(
        self, indices: NDArray[Any], found: NDArray[np.int64], how: str, lax: bool = False
    ) -> None:
        """Raise Wrong where indices in an array have other places than in that of all."""
        wanted = found[:, indices.reshape(-1).astype(np.int64)]
        if not np.array_equal(self._of_array(indices, lax), wanted):
            raise Wrong(NAME, f"{self.name} of indices {how} has other places")

    def _by_type(self, found: NDArray[np.int64]) -> None:
        """Raise Wrong where an index has another place as an integer of another type, up to the
        largest of the type, in an array of either byte order or by itself.
        """
        for kind in TYPES:
            top = min(self.count, np.iinfo(kind).max + 1)
            j = np.arange(max(0, top - STEPS), top).astype(kind)
            single = (j[i] for i in {*range(min(len(j), SHORT)), len(j) // 2, len(j) - 1})
            for indices in (j, j.astype(j.dtype.newbyteorder()), *single):
                try:
                    if indices.ndim:
                        self._same(indices, found, f"of {kind}", kind in MIXED)
                    else:
                        self._alone(indices, found)
                except Raised:
                    if kind not in (*NARROW, *MIXED):
                        raise

    def _alone(self, index: Any, found: NDArray[np.int64]) -> None:
        """Raise Wrong where one integer of numpy has another place than in an array; it may be one
        in arrays with an axis.
        """
        place, kind = np.asarray(self._place(index)), type(index).__name__
        if not np.array_equal(place.reshape(-1), found[:, int(index)]):
            raise Wrong(NAME, f"{self.name}({index}) of a single {kind} has another place")
        if place.ndim != 1:
            self.left_open = self.left_open or f"{self.name} of a single {kind} is not a location"

    def _by_axes(self, found: NDArray[np.int64]) -> None:
        """Raise Wrong where an element has another place by one index for each axis, in arrays or
        by itself, and where indices of none have a place; a program may refuse these.
        """
        axes = self.declaration.whole_of(self.side)
        if len(axes) < 2:
            return
        indices = np.unravel_index(np.arange(self.count), axes)
        try:
            places = self._place(*indices)
        except Raised as raised:
            self.left_open = f"{self.name} of an index for each axis raises {raised}"
            return
        if not np.array_equal(np.asarray(places), found):
            raise Wrong(NAME, f"{self.name} of an index for each axis is another place")
        for j in self.single[:SINGLY]:
            if not np.array_equal(self._place(*(int(index[j]) for index in indices)), found[:, j]):
                raise Wrong(NAME, f"{self.name} of an index for each axis of {j}")
        for kind in KINDS:
            fits = np.flatnonzero(np.max(indices, axis=0) <= np.iinfo(kind).max)[-STEPS:]
            try:
                self._by_axes_of(
                    kind, [index[fits].astype(kind) for index in indices], found[:, fits]
                )
            except Raised:
                if kind not in (*NARROW, *MIXED):
                    raise
        self._broadcast(axes, found.reshape(2, *axes))

    def _by_axes_of(self, kind: str, indices: list[NDArray[Any]], found: NDArray[np.int64]) -> None:
        """Raise Wrong where indices of this type for each axis, in arrays or by themselves, have
        another place.
        """
        words = f"{self.name} of an index of {kind} for each axis is another place"
        first, *rest = indices
        if not np.array_equal(self._of_array(first, kind in MIXED, *rest), found):
            raise Wrong(NAME, words)
        for i in {0, len(first) // 2, len(first) - 1}:
            place = np.asarray(self._place(*(index[i] for index in indices)))
            if not np.array_equal(place.reshape(-1), found[:, i]):
                raise Wrong(NAME, words)

    def _broadcast(self, axes: tuple[int, ...], found: NDArray[np.int64]) -> None:
        """Raise Wrong where indices that numpy broadcasts, if accepted, have another place."""
        every = list(map(np.arange, axes))
        last: tuple[Any, ...] = (*(n - 1 for n in axes[:-1]), every[-1])
        for indices in (np.ix_(*every), last):
            wanted = found if indices is not last else found[:, *last]
            try:
                place = [np.broadcast_to(part, wanted[0].shape) for part in self._place(*indices)]
            except (Raised, TypeError, ValueError):
                self.left_open = f"{self.name} of indices that numpy broadcasts is not a location"
                return
            if not np.array_equal(place, wanted):
                raise Wrong(NAME, f"{self.name} of indices that numpy broadcasts is another place")

    def _table(self) -> list[list[NDArray[np.int64]]] | None:
        """Return the indices of the elements of each rank, which main reads or writes, in each way
        in which they are asked for; None where a program has none.
        """
        name, d = f"{self.side}_index", self.declaration
        if name not in self.state:
            return None
        sizes = [prod(d.part(self.side, rank)) for rank in range(d.P)]
        ways = {size: in_pieces(size, self.state.get("PIECE")) for size in sizes}
        return [
            [
                np.concatenate([self._indices(name, rank, o) for o in ways[size][way]])
                for rank, size in enumerate(sizes)
            ]
            for way in range(WAYS)
        ]

    def _shapes(self) -> list[Any]:
        """Return the shape of each rank's part, if the program has such a function."""
        name = SHAPES[self.side]
        if name not in self.state:
            return []
        found = [self._called(name, rank) for rank in range(self.declaration.P)]
        for kind in TYPES:
            self._same_shapes(name, kind, found)
        return found

    def _same_shapes(self, name: str, kind: str, found: list[Any]) -> None:
        """Raise Wrong where a rank of this type has another shape; it may be refused, and be
        another one for types in which what is computed may not fit.
        """
        for rank in range(len(found)) if kind in RANKS else (0, len(found) - 1):
            words = f"{name}(np.{kind}({rank}))"
            try:
                other = self._called(name, np.dtype(kind).type(rank))
            except (Raised, OverflowError) as raised:
                self.left_open = self.left_open or f"{words} raises {raised}"
                return
            if other != found[rank]:
                words = f"{words} is {other}, not {found[rank]}"
                self.left_open = self.left_open or words
                if kind in RANKS:
                    raise Wrong(NAME, words)

    def _slices(self) -> list[Any]:
        """Return the slices by which main reads or writes each rank's part, if any."""
        layout = self.state.get(LAYOUTS[self.side])
        if layout is None or SLICES not in self.state:
            return []
        return [self._called(SLICES, layout, rank) for rank in range(self.declaration.P)]

    def _indices(self, name: str, rank: int, o: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the indices of the elements at these offsets of a rank."""
        found = np.asarray(self._called(name, rank, o))
        if found.shape != o.shape or found.dtype.kind not in "iu":
            words = f"{name} of {len(o)} offsets gives {found.dtype} of shape {found.shape}"
            raise Wrong(NAME, f"{words}: it is an index for each offset")
        return found.astype(np.int64)


def results_of(caches: Iterable[Cache]) -> dict[tuple[int, Any], Form]:
    """Return the results that functions keep, in the form of a state."""
    return {(id(each), key): form_of([y]) for each in caches for key, y in each.found.items()}


def is_refused(state: State, name: str, *given: Any) -> bool:
    """Return whether a function of the program raises ValueError, or what is derived from it."""
    try:
        called(state, name, *given)
    except Raised as raised:
        return isinstance(raised.value, ValueError)
    return False
