"""Loads and stores of memory that ranks share, place by place: races, and what travels from rank to
rank.

An epoch is what a rank does between two calls in which all ranks wait for all. Two accesses of two
ranks to one place in one epoch, one of which stores, are a race. What another rank stored is there
for who loads it if

    store, Sync        Barrier        Sync, load

(MPI 4.1, 12.7): the one Sync comes after the store and before a Barrier, the other after that
Barrier. Elements that a rank loads from, or stores to, another rank's part of a window are words;
each counts once an epoch.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from codegen.mpi.faults import CommunicationError, Fault
from codegen.mpi.ranks import Call, World, call_of, running, unmodelled

WRITER, WROTE, SYNCED, READER, READ = range(5)
"""Rows of a log: the rank that stored last, in which epoch, after how many of its Syncs; the rank
that loaded last, in which epoch.
"""
NOBODY, SEVERAL = -1, -2
ACCESSES = ("load", "store")
"""What the trace calls operations that are no calls."""


def used(parts: NDArray[Any], stores: bool, index: Any = None) -> None:
    """Note that the running rank loads, or has stored to, the elements at an index, all if there is
    none, of an array with these parts.

    Raises CommunicationError where it must not.
    """
    rank = running()
    if rank is not None and (found := _log_of(parts)) is not None:
        found.used(rank.rank, parts, stores, index)


def is_shared(parts: NDArray[Any]) -> bool:
    """Return whether an array with these parts lies in memory that ranks share."""
    return _log_of(parts) is not None


def _log_of(parts: NDArray[Any]) -> Log | None:
    rank = running()
    if rank is None or not rank.world.shared:
        return None
    return rank.world.shared.get(id(_owner(parts)))


def _owner(parts: NDArray[Any]) -> NDArray[Any]:
    """Return the array that has the memory of a view."""
    return parts if parts.base is None else _owner(parts.base)


@dataclass
class Epochs:
    """How far the ranks of a window are: their epoch, how often each has called Sync, in which
    epoch last, and how often when each epoch ended.
    """

    members: tuple[int, ...]
    now: int = 0
    over: bool = False
    logs: list[Log] = field(default_factory=list)
    syncs: list[int] = field(init=False)
    seen: list[int] = field(init=False)
    ended: list[tuple[int, ...]] = field(default_factory=list)
    pausing: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.syncs, self.seen = [0] * len(self.members), [-1] * len(self.members)

    def refuse_between(self, rank: int) -> None:
        """Raise NotModelled where a rank of the window is between an Ibarrier and its Wait."""
        call = next((call for call in self.pausing if call.rank == self.members[rank]), None)
        if call is not None:
            raise unmodelled(f"shared memory is used while {call} is not waited for")

    def sync(self, rank: int) -> None:
        """Note a Sync of a rank of the window."""
        self.refuse_between(rank)
        self.syncs[rank] += 1
        self.seen[rank] = self.now

    def end(self) -> None:
        """Begin the next epoch: what was stored in this one has been through an exchange."""
        for log in self.logs:
            log.end(self.now)
        self.ended.append(tuple(self.syncs))
        self.now += 1

    def shown(self, writer: int, wrote: int, synced: int) -> int | None:
        """Return the epoch at whose end others may see what a rank stored in epoch `wrote` after
        `synced` of its Syncs; None if not yet.
        """
        return next(
            (epoch for epoch in range(wrote, self.now) if self.ended[epoch][writer] > synced), None
        )


class Log:
    """Who used the places of one rank's part of a window last."""

    def __init__(self, world: World, epochs: Epochs, owner: int, elements: Any) -> None:
        self.world, self.epochs, self.owner, self.elements = world, epochs, owner, elements
        self.rows = np.full((5, elements.parts[..., 0].size), NOBODY, np.int32)
        self.travelled: dict[tuple[int, bool], tuple[int, NDArray[np.bool_]]] = {}
        epochs.logs.append(self)
        world.shared[id(_owner(elements.parts))] = self

    def end(self, epoch: int) -> None:
        """Note that all ranks have waited for all, of which there are several."""
        self.travelled = {}
        if len(self.epochs.members) == 1:
            return
        stored = np.flatnonzero(
            (self.rows[WROTE] == epoch).reshape(self.elements.size, -1).any(axis=1)
        )
        if len(stored):
            self.elements[int(stored[0]) : int(stored[-1]) + 1].sent()

    def used(self, rank: int, parts: NDArray[Any], stores: bool, index: Any) -> None:
        """Note an access of a rank of the world; raise CommunicationError where it races, a Sync is
        missing, or the window is gone.
        """
        if not parts.size:
            return
        if self.epochs.over:
            raise CommunicationError(
                Fault.INVALID_PARAMETER,
                f"{self._call(self.epochs.members.index(rank), stores)}, which has been given back",
            )
        me, epoch = self.epochs.members.index(rank), self.epochs.now
        self.epochs.refuse_between(me)
        rows, at = (
            self._of(self.rows, parts),
            (
                slice(None),
                *(() if index is None else index if isinstance(index, tuple) else (index,)),
            ),
        )
        before = rows[at]
        self._refuse_races(me, before, stores)
        if not stores:
            self._refuse_unseen(me, before)
        if me != self.owner:
            self._travels(me, parts, stores, at)
        after = before.copy()
        if stores:
            after[WRITER], after[WROTE], after[SYNCED] = me, epoch, self.epochs.syncs[me]
        else:
            after[READER], after[READ] = (
                np.where((before[READ] == epoch) & (before[READER] != me), SEVERAL, me),
                epoch,
            )
        rows[at] = after

    def _of(self, rows: NDArray[Any], parts: NDArray[np.int64]) -> NDArray[Any]:
        """Return rows of places for a view of the elements, in its shape without the stimuli."""
        whole = self.elements.parts
        place = whole.shape[-1] * whole.itemsize
        first = (
            parts.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
        ) // place
        strides = [stride // place * rows.itemsize for stride in parts.strides[:-1]]
        return as_strided(
            rows[:, first:], (len(rows), *parts.shape[:-1]), (rows.strides[0], *strides)
        )

    def _refuse_races(self, me: int, before: NDArray[np.int32], stores: bool) -> None:
        for who, when, did in (
            (WRITER, WROTE, "stored there"),
            (READER, READ, "loaded from there"),
        )[: 1 + stores]:
            rivals = before[who][(before[when] == self.epochs.now) & (before[who] != me)]
            if len(rivals):
                other = (
                    "several ranks have"
                    if rivals[0] == SEVERAL
                    else f"rank {self.epochs.members[rivals[0]]} has"
                )
                text = (
                    f"{self._call(me, stores)}, but {other} {did}, and the ranks have not waited"
                    " for each other since"
                )
                raise CommunicationError(Fault.GLOBAL_CONCURRENCY, text)

    def _refuse_unseen(self, me: int, before: NDArray[np.int32]) -> None:
        """Raise CommunicationError where a Sync is missing on the way of what another rank has
        stored.
        """
        others = (before[WRITER] != me) & (before[WRITER] != NOBODY)
        for writer, wrote, synced in {
            *zip(*(before[row][others].tolist() for row in (WRITER, WROTE, SYNCED)), strict=True)
        }:
            shown = self.epochs.shown(writer, wrote, synced)
            if shown is None or self.epochs.seen[me] <= shown:
                missing = (
                    f"by rank {self.epochs.members[writer]} after it stored there"
                    if shown is None
                    else "here after the ranks waited for each other"
                )
                raise CommunicationError(
                    Fault.GLOBAL_CONCURRENCY, f"{self._call(me, False)}, with no Sync {missing}"
                )

    def _travels(self, me: int, parts: NDArray[Any], stores: bool, at: tuple[Any, ...]) -> None:
        """Add the elements that this rank is the first time in this epoch to move to or from it."""
        operations = self.world.operations
        if (me, stores) not in self.travelled:
            self.travelled[me, stores] = len(operations), np.zeros((1, self.rows.shape[1]), bool)
            self.world.record(
                self._call(me, stores),
                self.epochs.members,
                (),
                self.elements.like(parts).depth + stores,
                itemsize=np.dtype(self.elements.dtype).itemsize,
            )
        number, moved = self.travelled[me, stores]
        self._of(moved, parts)[at] = True
        elements = int(moved.reshape(self.elements.size, -1).any(axis=1).sum())
        operations[number] = replace(
            operations[number], sent=((self.epochs.members[self.owner], elements),)
        )

    def _call(self, me: int, stores: bool) -> Call:
        where = f"{ACCESSES[stores]}({'to' if stores else 'from'} the memory of rank"
        return call_of(self.epochs.members[me], f"{where} {self.epochs.members[self.owner]})")
