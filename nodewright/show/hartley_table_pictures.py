"""Algorithm 1 and Tables 1 and 2 of Lin, Chan & Karplus (1988), computed for any size, beside what
two copies of the paper print.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from derive.papers import hartley
from derive.papers.hartley_tables import (
    COPIES,
    Difference,
    table_1,
    table_1_differences,
    table_2_differences,
)
from derive.verdict import Verdict

MOST = 1024
"""The tables have so many rows at most."""
PRINTED = (16, 4)
"""The N and P that the paper's tables are printed for."""
ERRATA = {1: "fht-table-1", 2: "fht-table-1-second-copy"}
"""The errata on what the copies print."""


@dataclass(frozen=True)
class Compared:
    """A cell, its computed form, and the texts of the copies that print it otherwise."""

    table: int
    row: int
    column: str
    computed: str
    copies: dict[int, str]


@dataclass(frozen=True)
class HartleyTables:
    """The tables for N elements on P nodes; raises ValueError for sizes that have none.

    >>> tables = HartleyTables(16, 4)
    >>> tables.algorithm_1[1], tables.right_stages
    ([[3, 2, 11, 10], [1, 3, 9, 11], [1, 7, 9, 15], [1, 15, 9, 23]], [1, 2, 3])
    >>> HartleyTables(16, 16)
    Traceback (most recent call last):
    ValueError: the Hartley transform on ranks needs P <= N/2; got N = 16 and P = 16; try 8 ranks
    """

    N: int
    P: int

    def __post_init__(self) -> None:
        hartley.SIZES.exponents(self.N, self.P)
        if self.N > MOST:
            raise ValueError(f"N = {self.N}: tables are made for N up to {MOST}, a row an element")

    @property
    def stages(self) -> range:
        return range(1, self.N.bit_length())

    @property
    def algorithm_1(self) -> list[list[list[int]]]:
        """The lists of Algorithm 1 as printed, by node and stage."""
        stages = [hartley.as_printed(np.arange(self.P), s, self.N, self.P) for s in self.stages]
        return np.stack(stages, axis=1).tolist()

    @property
    def right_stages(self) -> list[int]:
        """The stages in which these lists have each computation once."""
        return hartley.range_of_algorithm_1(self.N, self.P)

    @property
    def table_1(self) -> list[list[str]]:
        """Table 1: a row for each element, columns Permute, Stage 1, Stage 2, and so on."""
        return [[str(cell) for cell in row] for row in table_1(self.N)]

    @property
    def table_2(self) -> list[list[list[int]]]:
        """Table 2: the indices m of F(s, m), by node, slot and stage."""
        return hartley.table_2(self.N, self.P)

    @property
    def verdict(self) -> Verdict:
        """Whether the lists of Table 2 are a partition that neighbours can compute."""
        return hartley.check_partition(self.N, self.P)

    @property
    def differences(self) -> dict[int, list[Difference]]:
        """The cells that each copy prints otherwise, at the size that the paper has."""
        if (self.N, self.P) != PRINTED:
            return {}
        return {copy: table_1_differences(copy) + table_2_differences(copy) for copy in COPIES}

    @property
    def compared(self) -> list[Compared]:
        """The cells that some copy prints otherwise, with what each copy has there."""
        return list(_compared(self.differences))

    def to_dict(self) -> dict[str, Any]:
        return {
            "size": self.N,
            "ranks": self.P,
            "algorithm_1": self.algorithm_1,
            "right_stages": self.right_stages,
            "table_1": self.table_1,
            "table_2": self.table_2,
            "verdict": self.verdict.to_dict(),
            "copies": [
                {
                    "copy": copy,
                    "erratum": ERRATA[copy],
                    "differences": [asdict(each) for each in found],
                }
                for copy, found in self.differences.items()
            ],
        }


def _compared(differences: dict[int, list[Difference]]) -> Iterator[Compared]:
    """Yield a line for each cell that some copy prints otherwise."""
    cells: dict[tuple[int, int, str, str], dict[int, str]] = {}
    for copy, found in differences.items():
        for d in found:
            kind = "the same number" if d.same else "wrong"
            cell = d.table, d.row, d.column, d.correct
            cells.setdefault(cell, {})[copy] = f"{d.printed}, {kind}"
    for cell in sorted(cells):
        yield Compared(*cell, cells[cell])
