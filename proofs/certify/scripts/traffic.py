"""What the ranks of a run sent to each other, counted: all that the checks ask of a trace."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from proofs.certify.scripts.usage import TRANSFORM
from proofs.certify.world.memory.accesses import ACCESSES
from proofs.certify.world.trace import Trace


@dataclass(frozen=True)
class Traffic:
    """Exchanges, messages and words of the transforms of a run (world/trace.py), h-relations, and
    the calls by which elements travel; what plans send each other, such as tables, is none of it.

    `ranks` has messages and words of each rank, `sends` for each what it sends within transforms, a
    digest a transform, and `synchronisations` are the most calls within transforms in which a rank
    moves nothing.
    """

    transforms: int

    exchanges: int
    messages: int
    words: int
    relations: tuple[int, ...]
    synchronisations: int
    calls: tuple[str, ...]
    ranks: tuple[tuple[int, int], ...]
    sends: tuple[str, ...]
    counted: int
    accesses: int

    @classmethod
    def of(cls, trace: Trace, ranks: int, transforms: int) -> Traffic:
        """Return the traffic of a run of so many transforms on so many ranks."""
        one = trace.during(TRANSFORM)
        sent = one.sends
        accesses = sum(operation.kind in ACCESSES for operation in trace.operations)
        return cls(
            transforms,
            one.exchanges,
            one.messages,
            one.words,
            one.relations,
            one.synchronisations,
            one.calls,
            tuple(one.sent_by(rank) for rank in range(ranks)),
            tuple(_digests(sent[rank], transforms) for rank in range(ranks)),
            len(trace.operations) - accesses,
            accesses,
        )

    def sent_by(self, rank: int) -> tuple[int, int]:
        """Return how many messages and words a rank sends to others."""
        return self.ranks[rank]


def _digests(calls: Sequence[object], transforms: int) -> str:
    """Return a digest of each of so many equal parts of a rank's calls, the last shorter."""
    size = -(-len(calls) // transforms)
    return "".join(_digest(calls[i * size : (i + 1) * size]) for i in range(transforms))


def _digest(calls: Sequence[object]) -> str:
    found = hashlib.blake2b(digest_size=8)
    for call in calls:
        found.update(repr(call).encode())
    return found.hexdigest()
