"""What the ranks of a simulated run sent to each other.

Trace = Operation*         in the order in which the ranks began them
Message                    the elements that one operation carries from one rank to one other
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """`elements` elements from world rank `source` to world rank `target`, sent by this line of the program."""

    source: int
    target: int
    elements: int
    line: int


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of the communicator by one rank: its kind, the world ranks of the communicator, and what it sent to whom.

    `depth` is the number of exchanges that the elements sent have been through, this one included; 0 where nothing is sent or
    the elements do not carry it. `phase` is what the rank was doing, where that is known. An operation that does not move
    elements of any rank is a synchronisation: Barrier, Fence, an empty message, a collective call with objects.
    """

    rank: int
    kind: str
    members: tuple[int, ...]
    sent: tuple[tuple[int, int], ...]
    depth: int
    line: int
    phase: str = ""
    moves: bool = True

    @property
    def messages(self) -> Iterator[Message]:
        """The messages to other ranks; what a rank keeps to itself is none, nor is an empty one."""
        return (Message(self.rank, target, count, self.line) for target, count in self.sent if target != self.rank and count)


@dataclass(frozen=True)
class Trace:
    """All operations of a run, with its cost counted.

    An exchange is a step of the data, not of the clock: `exchanges` is the greatest number of exchanges that any element has
    been through, where an array that is received has been through one more than the array that was sent, and every local
    operation hands on the greatest number among its operands. So one Alltoall in each of several disjoint groups is one
    exchange, the rounds of pairwise messages that make up one move are one, however they are packed, and two moves with local work
    between them are two. It takes arrays that carry this number (proofs/elements.py): for others it is 0.
    """

    operations: tuple[Operation, ...]

    @property
    def exchanges(self) -> int:
        """Communication supersteps."""
        return max((operation.depth for operation in self.operations), default=0)

    @property
    def messages(self) -> int:
        """The most messages that one rank sends to others."""
        return self._most(lambda message: 1)

    @property
    def words(self) -> int:
        """The most elements that one rank sends to others."""
        return self._most(lambda message: message.elements)

    def synchronisations(self, phase: str) -> int:
        """Return the most calls in which a rank moves nothing during this phase of the program."""
        per_rank = Counter(operation.rank for operation in self.operations if operation.phase == phase and not operation.moves)
        return max(per_rank.values(), default=0)

    @property
    def sends(self) -> dict[int, list[tuple[str, tuple[int, ...], tuple[tuple[int, int], ...]]]]:
        """What each rank sends, in its order: the kind of call, the ranks of the communicator, and how much to whom."""
        found = defaultdict[int, list[tuple[str, tuple[int, ...], tuple[tuple[int, int], ...]]]](list)
        for operation in self.operations:
            if operation.sent:
                found[operation.rank].append((operation.kind, operation.members, operation.sent))
        return found

    def _most(self, weight: Callable[[Message], int]) -> int:
        per_rank: Counter[int] = Counter()
        for operation in self.operations:
            per_rank[operation.rank] += sum(map(weight, operation.messages))
        return max(per_rank.values(), default=0)
