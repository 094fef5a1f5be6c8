"""What the ranks of a run sent to each other, noted while they run, and its cost counted.

Trace = Operation*         in the order in which the ranks began them
Message                    the elements that one operation carries from one rank to one other
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

Sent = tuple[tuple[int, int], ...]
"""To which rank, how many elements."""
Call = tuple[str, tuple[int, ...], Sent]
"""The kind of a call, the ranks of the communicator, and what is sent."""


@dataclass(frozen=True)
class Message:
    """A message of `elements` elements between world ranks."""

    source: int
    target: int
    elements: int


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of the communicator by one rank: its kind, the world ranks of the communicator, and
    what it sent to whom.

    `depth` is the number of exchanges that the elements sent have been through, this one included;
    0 where nothing is sent or the elements do not carry it. `phase` is what the rank was doing,
    where that is known. An operation that does not move elements of any rank is a synchronisation:
    Barrier, Fence, an empty message, a collective call with objects.
    """

    rank: int
    kind: str
    members: tuple[int, ...]
    sent: tuple[tuple[int, int], ...]
    depth: int
    phase: str = ""
    moves: bool = True
    itemsize: int = 0
    """Bytes of an element that is sent, 0 where that is not known."""

    def in_numbers_of(self, itemsize: int) -> Operation:
        """Return the operation with what it sent counted in numbers of so many bytes."""
        if self.itemsize in (0, itemsize):
            return self
        sent = tuple((to, -(-count * self.itemsize // itemsize)) for to, count in self.sent)
        return replace(self, sent=sent, itemsize=itemsize)

    @property
    def messages(self) -> Iterator[Message]:
        """The messages to other ranks; what a rank keeps to itself is none, nor is an empty one."""
        return (
            Message(self.rank, target, count)
            for target, count in self.sent
            if target != self.rank and count
        )


@dataclass(frozen=True)
class Trace:
    """All operations of a run, with its cost counted.

    An exchange is a step of the data, not of the clock: `exchanges` is the greatest number of
    exchanges that any element has been through, where all elements of a message that is received
    have been through one more than that element of it which has been through most, and every local
    operation hands on the greatest number among its operands. So one Alltoall in each of several
    disjoint groups is one exchange, the rounds of pairwise messages that make up one move are one,
    however they are packed, and two moves with local work between them are two. Exact arrays carry
    this number; of ordinary numbers it is 0.
    """

    operations: tuple[Operation, ...]

    def in_numbers_of(self, itemsize: int) -> Trace:
        """Return the trace with what is sent counted in numbers of so many bytes.

        >>> sent = Operation(0, "Send", (0, 1), ((1, 3),), 1, itemsize=16)
        >>> Trace((sent,)).words, Trace((sent,)).in_numbers_of(8).words
        (3, 6)
        """
        return Trace(tuple(operation.in_numbers_of(itemsize) for operation in self.operations))

    @property
    def exchanges(self) -> int:
        """Communication supersteps."""
        return max((operation.depth for operation in self.operations), default=0)

    @property
    def messages(self) -> int:
        """The most messages that one rank sends to others."""
        return max((messages for messages, _ in self._counted.values()), default=0)

    @property
    def words(self) -> int:
        """The most elements that one rank sends to others."""
        return max((words for _, words in self._counted.values()), default=0)

    @property
    def relations(self) -> tuple[int, ...]:
        """h of the h-relation of every exchange of the data: the most words that one rank sends to
        others, or receives from them, in it; nothing where some ranks take part in other exchanges
        than others.

        A rank that takes no part in an exchange is one behind in its count from then on, so that
        its messages cannot be told to be of this exchange or of that.
        """
        by_rank: Counter[tuple[int, str, int]] = Counter()
        for operation in self.operations:
            for message in operation.messages:
                by_rank[operation.depth, "sends", message.source] += message.elements
                by_rank[operation.depth, "receives", message.target] += message.elements
        parts = defaultdict[int, set[int]](set)
        for depth, way, rank in by_rank:
            if way == "sends":
                parts[rank].add(depth)
        if len({frozenset(depths) for depths in parts.values()}) > 1:
            return ()
        largest = Counter[int]()
        for (depth, _, _), words in by_rank.items():
            largest[depth] = max(largest[depth], words)
        return tuple(largest[depth] for depth in sorted(largest))

    def during(self, phase: str) -> Trace:
        """Return the trace of one phase of the program."""
        return Trace(tuple(each for each in self.operations if each.phase == phase))

    @property
    def synchronisations(self) -> int:
        """The most calls in which a rank moves nothing; a call with counts, in which other ranks
        move elements, is an exchange of all of them.
        """
        number, moving = Counter[object](), set[object]()
        still = list[tuple[int, str, object]]()
        for each in self.operations:
            of_rank = each.rank, each.kind, each.members
            call = each.kind, each.members, number[of_rank]
            number[of_rank] += 1
            if each.moves:
                moving.add(call)
            else:
                still.append((each.rank, each.kind, call))
        per_rank = Counter(
            rank for rank, kind, call in still if not (kind.endswith("v") and call in moving)
        )
        return max(per_rank.values(), default=0)

    @property
    def sends(self) -> dict[int, list[Call]]:
        """The sends of each rank, in its order: the kind of call, the ranks of the communicator,
        and how much to whom.
        """
        found = defaultdict[int, list[Call]](list)
        for operation in self.operations:
            if operation.sent:
                found[operation.rank].append((operation.kind, operation.members, operation.sent))
        return found

    def sent_by(self, rank: int) -> tuple[int, int]:
        """Return how many messages and words a rank sends to others."""
        return self._counted[rank]

    @cached_property
    def _counted(self) -> dict[int, tuple[int, int]]:
        messages, words = Counter[int](), Counter[int]()
        for operation in self.operations:
            for message in operation.messages:
                messages[operation.rank] += 1
                words[operation.rank] += message.elements
        return defaultdict(
            lambda: (0, 0), {rank: (messages[rank], words[rank]) for rank in messages}
        )

    @property
    def calls(self) -> tuple[str, ...]:
        """The names of the calls in which elements go to other ranks."""
        return tuple(
            sorted({operation.kind for operation in self.operations if any(operation.messages)})
        )


class Log:
    """The operations of all ranks in the order in which they began, and the phase of each rank."""

    def __init__(self, size: int) -> None:
        self.operations: list[Operation] = []
        self.phases, self.calls = [""] * size, [0] * size

    def begin(self, rank: int, phase: str) -> None:
        """Note what a rank does from now on; `calls` has how often it calls communicators."""
        self.phases[rank], self.calls[rank] = phase, 0

    def note(
        self,
        rank: int,
        kind: str,
        members: tuple[int, ...],
        sent: Sent,
        depth: int,
        moves: bool,
        itemsize: int,
    ) -> int:
        """Add an operation, and return its number; `sent` has world ranks."""
        self.calls[rank] += 1
        self.operations.append(
            Operation(rank, kind, members, sent, depth, self.phases[rank], moves, itemsize)
        )
        return len(self.operations) - 1

    @property
    def trace(self) -> Trace:
        """The trace of the run so far."""
        return Trace(tuple(self.operations))
