"""What the collective calls of a simulated communicator do when all of its ranks have entered them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from codegen.buffers import Buffer, CommunicationError, outgoing
from codegen.ranks import Call, World
from codegen.transfers import Transfer


@dataclass
class Meeting:
    """One collective call that the ranks of a communicator enter one by one."""

    kind: str
    calls: dict[int, Call] = field(default_factory=dict)
    given: dict[int, Any] = field(default_factory=dict)
    results: Sequence[Any] | None = None


@dataclass
class Group:
    """What the ranks of one communicator share: their meetings in order, and the transfers that wait for their other side."""

    world: World
    members: tuple[int, ...]
    meetings: dict[int, Meeting] = field(default_factory=dict)
    waiting: dict[tuple[int, int], list[Transfer]] = field(default_factory=dict)


def alltoall(given: list[tuple[Buffer, Buffer]], names: list[str]) -> list[None]:
    """Put part j of what rank i sends into part i of what rank j receives."""
    _agree("Alltoall", given, names)
    size = len(given)
    together = np.stack([out.array.reshape(size, -1) for out, _ in given])
    for rank, (_, into) in enumerate(given):
        into.array.reshape(size, -1)[...] = together[:, rank]
    return [None] * size


def alltoallv(given: list[tuple[Buffer, Buffer]], names: list[str]) -> list[None]:
    """The same for parts of different lengths."""
    _agree("Alltoallv", given, names)
    for rank, (_, into) in enumerate(given):
        for peer, (out, _) in enumerate(given):
            into.part(peer)[...] = out.part(rank)
    return [None] * len(given)


def _agree(kind: str, given: list[tuple[Buffer, Buffer]], names: list[str]) -> None:
    """Raise CommunicationError unless every rank expects what the others send it."""
    counts = np.array([out.counts for out, _ in given]), np.array([into.counts for _, into in given]).T
    kinds = [(out.kind, into.kind) for out, into in given]
    wrong: list[Any] = np.argwhere(counts[0] != counts[1]).tolist()
    wrong += (
        [(i, j) for i, (sent, _) in enumerate(kinds) for j, (_, wanted) in enumerate(kinds) if sent != wanted] if len({*sum(kinds, ())}) > 1 else []
    )
    if wrong:
        i, j = wrong[0]
        sent, wanted = given[i][0].describe(j), given[j][1].describe(i)
        raise CommunicationError(f"{kind}: {names[i]} sends {sent} to {names[j]}, which expects {wanted}: count and type agree")


def broadcast(given: list[Buffer], root: int) -> list[None]:
    """Copy the root's elements into every other buffer."""
    for buffer in given:
        if (buffer.counts, buffer.kind) != (given[root].counts, given[root].kind):
            raise CommunicationError(f"Bcast of {given[root].describe(0)} into {buffer.describe(0)}: count and type agree")
        if buffer is not given[root]:
            buffer.part(0)[...] = outgoing(given[root].part(0))
    return [None] * len(given)


def split(group: Group, given: list[tuple[int, int]]) -> list[tuple[Group, int]]:
    """Return for every rank its new group and its rank there: the ranks of one color, by key and then by rank."""
    ranks = sorted(range(len(given)), key=lambda rank: (given[rank], rank))
    found: dict[int, tuple[Group, int]] = {}
    for color in sorted({color for color, _ in given}):
        chosen = [rank for rank in ranks if given[rank][0] == color]
        part = Group(group.world, tuple(group.members[rank] for rank in chosen))
        found |= {rank: (part, i) for i, rank in enumerate(chosen)}
    return [found[rank] for rank in range(len(given))]


def gathered(given: list[Any], roots: Sequence[int]) -> list[list[Any] | None]:
    """Return copies of all objects for these ranks."""
    return [copy.deepcopy(given) if rank in roots else None for rank in range(len(given))]


def reduced(given: list[Any], op: Callable[[Any, Any], Any]) -> list[Any]:
    """Return the reduction of all objects, in the order of the ranks, for every rank."""
    return [list(accumulate(given, op))[-1]] * len(given)
