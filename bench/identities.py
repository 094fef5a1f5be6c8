"""Which identities are proved, and in how many seconds: the table bench/identities.tsv, once more.

A family that begins with "new" uses what came after the first ones: powers, numbers, sums, matrix
variables, definitions, digits. The equations of the family "false" are refuted.
"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench.common import command_line, machine, table
from derive.text.expressions import FormulaError
from derive.text.parse import parse, parse_relations
from proofs.prove.equation_proofs import decide_for_all

TABLE = Path(__file__).with_suffix(".tsv")
SECONDS = 20
"""So long one identity is looked at."""


@dataclass(frozen=True)
class Identity:
    """An equation with its conditions, the verdict on it, and the seconds that it took."""

    family: str
    verdict: str
    seconds: str
    where: str
    equation: str

    def found(self, seconds: float = SECONDS) -> str:
        """Return the verdict anew; "refused" where the equation is wrong input."""
        try:
            sides, conditions = parse(self.equation), parse_relations(self.where)
            return decide_for_all(sides, conditions, seconds).verdict.kind
        except FormulaError:
            return "refused"


def identities() -> list[Identity]:
    """Return the rows of the table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [Identity(**row) for row in csv.DictReader(file, delimiter="\t")]


def main() -> None:
    """Print the verdicts of each family, and the identities that are not proved."""
    print(machine())
    counts: Counter[tuple[str, str]] = Counter()
    seconds: Counter[str] = Counter()
    others: list[tuple[object, ...]] = []
    for one in identities():
        start = perf_counter()
        verdict = one.found()
        took = perf_counter() - start
        counts[one.family, verdict] += 1
        seconds[one.family] += took
        if verdict != one.verdict or (verdict != "proved" and one.family != "false"):
            others.append((one.family, one.verdict, verdict, took, one.equation))
    rows = [(*key, count, seconds[key[0]]) for key, count in sorted(counts.items())]
    table("Identities", ("family", "verdict", "equations", "seconds of the family"), rows)
    table("Not proved", ("family", "in the table", "now", "seconds", "equation"), others)


if __name__ == "__main__":
    command_line(__doc__).parse_args()
    main()
