"""Loads and stores of memory that ranks share, entry by entry: races, and what travels.

An epoch is what a rank does between two calls in which all ranks wait for all. Two accesses of two
ranks to one entry in one epoch, one of which stores, are a race. What another rank has stored is
there for who loads it if

    store, Sync        Barrier        Sync, load

(MPI 4.1, 12.7): the one Sync comes after the store and before a Barrier, the other after that
Barrier. Entries that a rank loads from, or stores to, another rank's part of a window are words;
each counts once an epoch.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from proofs.certify.exact.data import Data
from proofs.certify.exact.space import EXCHANGES
from proofs.certify.language.table_entries import Undecided
from proofs.certify.world.faults import Fault
from proofs.certify.world.hub import Hub

WRITER, WROTE, SYNCED, READER, READ = range(5)
"""Rows of a log: the rank that stored last, in which epoch, after how many of its Syncs; the rank
that loaded last, in which epoch.
"""
NOBODY, SEVERAL = -1, -2

ACCESSES = ("load", "store")
"""The operations on shared memory in a trace."""


@dataclass
class Epochs:
    """How far the ranks of a window are.

    `now` is their epoch, `syncs` how often each has called Sync, `seen` in which epoch last,
    `ended` how often when each epoch ended. `disorder` says that calls that order some ranks only
    have been made in this epoch: then a race is not decided.
    """

    members: tuple[int, ...]
    now: int = 0
    over: bool = False
    disorder: bool = False
    ended: list[tuple[int, ...]] = field(default_factory=list)
    syncs: list[int] = field(init=False)
    seen: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.syncs, self.seen = [0] * len(self.members), [-1] * len(self.members)

    def sync(self, rank: int) -> None:
        """Note a Sync of a rank of the window."""
        self.syncs[rank] += 1
        self.seen[rank] = self.now

    def end(self) -> None:
        """Begin the next epoch."""
        self.ended.append(tuple(self.syncs))
        self.now += 1
        self.disorder = False

    def shown(self, writer: int, wrote: int, synced: int) -> int | None:
        """Return the epoch at whose end others may see what a rank stored in epoch `wrote` after
        `synced` of its Syncs; None if not yet.
        """
        epochs = range(wrote, self.now)
        return next((epoch for epoch in epochs if self.ended[epoch][writer] > synced), None)


class Accesses:
    """Who used the entries of one rank's part of a window last."""

    def __init__(self, world: Hub, epochs: Epochs, owner: int, data: Data) -> None:
        self.world, self.epochs, self.owner, self.data = world, epochs, owner, data
        self.rows = np.full((5, data.size * data.parts), NOBODY, np.int32)
        self.moved: dict[tuple[int, bool], tuple[int, NDArray[np.bool_]]] = {}

    def end(self) -> None:
        """Note that all ranks have waited for all: what is stored has been through an exchange, one
        after the last of it was there.
        """
        self.moved = {}
        if len(self.epochs.members) > 1:
            stored = (self.rows[WROTE] == self.epochs.now).reshape(self.data.size, -1)
            depths = self.data.numbers[stored, EXCHANGES]
            self.data.numbers[stored, EXCHANGES] = depths.max(initial=0) + 1

    def used(self, rank: int, data: Data, writes: bool, index: Any) -> None:
        """Note an access of a world rank; Refuted where it races, a Sync is missing, or the window
        is gone.
        """
        if not data.size:
            return
        if self.epochs.over:
            raise self._wrong(writes, "which is freed", Fault.INVALID_PARAMETER)
        me, epoch = self.epochs.members.index(rank), self.epochs.now
        at = _within(index)
        rows = self._of(self.rows, data)
        before = rows[at]
        self._refuse_races(me, before, writes)
        if not writes:
            self._refuse_unseen(me, before)
        if me != self.owner:
            self._travels(me, data, writes, at)
        after = before.copy()
        if writes:
            after[WRITER], after[WROTE], after[SYNCED] = me, epoch, self.epochs.syncs[me]
        else:
            others = (before[READ] == epoch) & (before[READER] != me)
            after[READER], after[READ] = np.where(others, SEVERAL, me), epoch
        rows[at] = after

    def _of(self, rows: NDArray[Any], data: Data) -> NDArray[Any]:
        """Return the columns of rows that a view has, in its shape and with its parts."""
        part = data.space.columns * 8
        first = (data.items.ctypes.data - self.data.items.ctypes.data) // part
        strides = [stride // part * rows.itemsize for stride in data.items.strides]
        shape = (len(rows), *data.shape, data.parts)
        return as_strided(rows[:, first:], shape, (rows.strides[0], *strides, rows.itemsize))

    def _refuse_races(self, me: int, before: NDArray[np.int32], writes: bool) -> None:
        rules = ((WRITER, WROTE, "stored there"), (READER, READ, "loaded from there"))
        for who, when, did in rules[: 1 + writes]:
            rivals = before[who][(before[when] == self.epochs.now) & (before[who] != me)]
            if len(rivals):
                rival = rivals[0]
                other = "several ranks have"
                if rival != SEVERAL:
                    other = f"rank {self.epochs.members[rival]} has"
                words = f"but {other} {did}, and the ranks have not waited for each other since"
                raise self._wrong(writes, words)

    def _refuse_unseen(self, me: int, before: NDArray[np.int32]) -> None:
        """Raise Refuted where a Sync is missing on the way of what another rank has stored."""
        others = (before[WRITER] != me) & (before[WRITER] != NOBODY)
        if not others.any():
            return
        columns = np.unique(before[: SYNCED + 1][:, others], axis=1)
        for writer, wrote, synced in columns.T.tolist():
            shown = self.epochs.shown(writer, wrote, synced)
            if shown is None or self.epochs.seen[me] <= shown:
                missing = (
                    f"by rank {self.epochs.members[writer]} after it stored there"
                    if shown is None
                    else "here after the ranks waited for each other"
                )
                raise self._wrong(False, f"with no Sync {missing}")

    def _travels(self, me: int, data: Data, writes: bool, at: tuple[Any, ...]) -> None:
        """Count the entries that this rank is the first time in this epoch to move."""
        log, members = self.world.log, self.epochs.members
        rank, depth = members[me], data.depth + writes
        if (me, writes) not in self.moved:
            kind = ACCESSES[writes]
            number = log.note(rank, kind, members, (), depth, True, self.data.itemsize)
            self.moved[me, writes] = number, np.zeros((1, self.rows.shape[1]), bool)
        number, moved = self.moved[me, writes]
        if data.space.sends is not None:
            ways = (rank, members[self.owner]) if writes else (members[self.owner], rank)
            new = ~self._of(moved, data)[at][0].any(axis=-1)
            residues = np.moveaxis(data.numbers, -1, 0)[at][: data.space.stimuli]
            residues = np.moveaxis(residues[:, new], 0, -1)
            data.space.sends(*ways, self.world.line(rank), residues)
        self._of(moved, data)[at] = True
        count = int(moved.reshape(self.data.size, -1).any(axis=1).sum())
        known = log.operations[number]
        sent = ((members[self.owner], count),)
        log.operations[number] = replace(known, sent=sent, depth=max(known.depth, depth))

    def _wrong(self, writes: bool, words: str, kind: Fault = Fault.GLOBAL_CONCURRENCY) -> Exception:
        where = "a store to" if writes else "a load from"
        text = f"{where} the memory of rank {self.epochs.members[self.owner]}, {words}"
        if self.epochs.disorder and kind == Fault.GLOBAL_CONCURRENCY:
            return Undecided(f"{text}; the messages of some ranks may order it")
        return self.world.wrong(kind, text)


def _within(index: Any) -> tuple[Any, ...]:
    """Return an index of the entries as one of rows with their parts."""
    if index is None:
        return (slice(None),)
    entries = index if isinstance(index, tuple) else (index,)
    dots = any(entry is Ellipsis for entry in entries)
    return (slice(None), *entries, slice(None)) if dots else (slice(None), *entries)
