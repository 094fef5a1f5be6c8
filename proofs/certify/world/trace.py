"""What the ranks sent to each other, noted while they run."""

from __future__ import annotations

from codegen.mpi.trace import Operation, Trace

Sent = tuple[tuple[int, int], ...]
"""To which rank, how many elements."""


class Log:
    """The operations of all ranks in the order in which they began, and the phase of each rank."""

    def __init__(self, size: int) -> None:
        self.operations: list[Operation] = []
        self.phases = [""] * size

    def note(
        self,
        rank: int,
        kind: str,
        members: tuple[int, ...],
        sent: Sent,
        depth: int,
        line: int,
        moves: bool,
        itemsize: int,
    ) -> int:
        """Add an operation, and return its number; `sent` has world ranks."""
        self.operations.append(
            Operation(rank, kind, members, sent, depth, line, self.phases[rank], moves, itemsize)
        )
        return len(self.operations) - 1

    @property
    def trace(self) -> Trace:
        """The trace of the run so far."""
        return Trace(tuple(self.operations))
