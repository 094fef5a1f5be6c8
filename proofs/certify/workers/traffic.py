"""What the ranks of a simulated run sent to each other, counted: all that a checker asks of a
trace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from codegen.mpi.memory.accesses import ACCESSES
from codegen.mpi.ranks import Run
from codegen.mpi.schedules import MOST as SCHEDULES
from proofs.certify.plain_text import printable
from proofs.certify.workers.usage import TRANSFORM

MALFORMED = (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError)
"""What reading a report may raise that is none."""
LARGEST_COUNT = 2**53
"""Nothing is counted further."""


@dataclass(frozen=True)
class Traffic:
    """Exchanges, messages and words of a run (codegen/mpi/trace.py), its h-relations, and the calls
    by which elements travel.

    `ranks` has messages and words of each rank, `sends` for each what it sends within transforms, a
    digest a transform, and `synchronisations` are the most calls within transforms in which a rank
    moves nothing.
    """

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
    def of(cls, done: Run, transforms: int) -> Traffic:
        """Return the traffic of a run of so many transforms."""
        trace, ranks = done.trace, range(len(done.results))
        sent = trace.sent_during(TRANSFORM)
        accesses = sum(operation.kind in ACCESSES for operation in trace.operations)
        return cls(
            trace.exchanges,
            trace.messages,
            trace.words,
            trace.relations,
            trace.synchronisations(TRANSFORM),
            trace.calls,
            tuple(trace.sent_by(rank) for rank in ranks),
            tuple(_digests(sent[rank], transforms) for rank in ranks),
            len(trace.operations) - accesses,
            accesses,
        )

    def as_json(self) -> dict[str, Any]:
        """Return it as values of JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Any) -> Traffic:
        """Return the traffic that a worker has sent; raises ValueError where it is none."""
        counts = ("exchanges", "messages", "words", "synchronisations", "counted", "accesses")
        try:
            found = cls(
                **{name: count_of(values[name]) for name in counts},
                relations=tuple(map(count_of, values["relations"])),
                calls=tuple(printable(str(call)) for call in values["calls"]),
                ranks=tuple(
                    (count_of(messages), count_of(words)) for messages, words in values["ranks"]
                ),
                sends=tuple(map(str, values["sends"])),
            )
        except MALFORMED as error:
            raise ValueError(f"the program sends no report: {error}") from error
        return found

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


def count_of(value: Any, least: int = 0, most: int = LARGEST_COUNT) -> int:
    """Return a number that a worker has counted; raises ValueError unless it is between these."""
    if type(value) is not int or not least <= value <= most:
        raise ValueError("a figure that nothing comes to")
    return value


@dataclass(frozen=True)
class RunReport:
    """What a run shows beside its results: traffic, the first thing that is left open of `leaked`,
    and over how many schedules.
    """

    traffic: Traffic
    leaks: tuple[str, ...]
    leaked: int
    schedules: int

    @classmethod
    def from_json(cls, values: Any, P: int) -> RunReport:
        """Return a worker's report on P ranks; raises ValueError where it is none."""
        try:
            if not len(values["traffic"]["ranks"]) == len(values["traffic"]["sends"]) == P:
                raise ValueError("of another number of ranks")
            leaks = tuple(printable(str(leak)) for leak in values["leaks"])
            leaked, schedules = (
                count_of(values["leaked"]),
                count_of(values["schedules"], 1, SCHEDULES),
            )
            return cls(Traffic.from_json(values["traffic"]), leaks, leaked, schedules)
        except MALFORMED as error:
            raise ValueError(f"the program sends no report: {error}") from error
