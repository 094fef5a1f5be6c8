"""The kill table: mutants of the programs and factorizations of tests/mutation/kill.py, refused or
shown to be right; written into docs/trust.md.

python -m bench.kill [MUTANTS] [-j JOBS]   about so many of each program, evenly spread over its
                                           text, of each kind the same share; 0: all
"""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.common import command_line
from derive.exact.check import check
from derive.verdict import Refuted
from tests.mutation.edits import KINDS
from tests.mutation.kill import (
    CASES,
    EQUATIONS,
    EQUIVALENT,
    MEMORY_ALONE,
    REFUSED,
    REVIEWED,
    WORKERS,
    Case,
    Trials,
    mutants_of,
    review_of,
    sample_of_kinds,
)
from tests.mutation.mutants import Mutant
from tests.mutation.wrong_equations import wrong_equations

TRUST = Path(__file__).resolve().parents[1] / "docs" / "trust.md"
MARKS = (
    "<!-- the kill table, written by python -m bench.kill -->\n",
    "<!-- the end of the kill table -->\n",
)
MOST = 60
"""Mutants of each program, of one to four thousand: the table takes less than ten minutes on two
cores.
"""
Judged = list[tuple[Case, Mutant, str]]


def main(most: int = MOST, jobs: int = WORKERS) -> None:
    """Judge `most` mutants of each program, all if it is 0, in so many processes, print the table,
    and write it where it stands in docs/trust.md.
    """
    judged: Judged = []
    made, start = 0, time.perf_counter()
    for case in [case for cases in CASES.values() for case in cases()]:
        found, count = judged_of(case, most, jobs)
        judged, made = judged + found, made + count
    took = (
        f"The whole table took {time.perf_counter() - start:.0f} s, {_seconds():.0f} s of processor"
        f" time, in {jobs} process{'es' * (jobs > 1)}."
    )
    text = table(judged, made, most, took)
    write(text)
    print(text)


def judged_of(case: Case, most: int, jobs: int) -> tuple[Judged, int]:
    """Return the fates of mutants of a program, and how many mutants it has."""
    every = mutants_of(case)
    chosen = sample_of_kinds(every, most or len(every))
    with Trials.of(case, jobs) as trials:
        judged = [
            (case, mutant, fate) for mutant, fate in zip(chosen, trials.judged(chosen), strict=True)
        ]
    print(
        f"{case.system}, {case.name}: {len(chosen)} of {len(every)} mutants, {_seconds():.0f} s of"
        " processor time so far",
        flush=True,
    )
    for _, mutant, fate in judged:
        if fate == "unexplained":
            print(f"unexplained: {mutant}", flush=True)
    return judged, len(every)


def table(judged: Judged, made: int, most: int, took: str) -> str:
    """Return the tables of these mutants, of as many as were made."""
    how = (
        "about {most} of each program, of every kind of change the same share:" if most else "all:"
    )
    sampled = f"{len(judged)} of {made} mutants, {how.format(most=most)}"
    tables = [*_programs(judged), *_kinds(judged), *_reviewed(judged), *_equations()]
    return "\n".join([sampled, "", *tables, took])


def write(text: str) -> None:
    """Put the table where it stands in docs/trust.md."""
    before, _, rest = TRUST.read_text(encoding="utf-8").partition(MARKS[0])
    TRUST.write_text(
        f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.partition(MARKS[1])[2]}", encoding="utf-8"
    )


def _seconds() -> float:
    """Return the processor time, of processes that have ended and of this one."""
    return sum(
        resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )


def _rows(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    return [f"| {' | '.join(map(str, row))} |" for row in (head, ["---"] * len(head), *rows)] + [""]


def _columns(fates: Iterable[str]) -> list[int]:
    """Return how many mutants there are, are refused, by verdict, are right, by how that is shown,
    and are not covered.
    """
    found = Counter(fates)
    return [found.total(), *(found[fate] for fate in (*REFUSED, *EQUIVALENT, "gap", "unexplained"))]


def _programs(judged: Judged) -> list[str]:
    cases = list(dict.fromkeys(case for case, _, _ in judged))
    rows = [
        [case.system, case.name, *_columns(fate for other, _, fate in judged if other is case)]
        for case in cases
    ]
    rows += [
        [
            f"**{system}**",
            "all",
            *_columns(fate for case, _, fate in judged if case.system == system),
        ]
        for system in CASES
    ]
    return _rows(
        ("system", "program", "mutants", *REFUSED, *EQUIVALENT, "gap", "unexplained"), rows
    )


def _kinds(judged: Judged) -> list[str]:
    by_kind = {
        kind: Counter(fate for _, mutant, fate in judged if mutant.kind == kind) for kind in KINDS
    }
    rows = [
        (
            kind,
            found.total(),
            *(sum(found[fate] for fate in fates) for fates in (REFUSED, EQUIVALENT, ("gap",))),
        )
        for kind, found in by_kind.items()
        if found
    ]
    return _rows(("what is changed", "mutants", "refused", "right", "gap"), rows)


def _reviewed(judged: Judged) -> list[str]:
    known = [(mutant, fate) for _, mutant, fate in judged if fate in ("argued", "gap")]
    found = Counter(review_of(mutant) or review_of(mutant, MEMORY_ALONE) for mutant, _ in known)
    rows = [
        (found[reviewed], "gap" if reviewed.gap else "argued", reviewed.reason)
        for reviewed in REVIEWED
    ]
    return _rows(("mutants", "", "why they live"), rows)


def _equations() -> list[str]:
    rows = []
    for name, made in EQUATIONS.items():
        equation = made()
        every = wrong_equations(equation)
        refuted = sum(isinstance(check(wrong), Refuted) for _, wrong in every)
        rows.append((name, f"`{equation}`", len(every), refuted, len(every) - refuted))
    return _rows(
        ("system", "factorization", "mutants", "refuted by an entry", "equal in every entry"), rows
    )


if __name__ == "__main__":
    parser = command_line(__doc__)
    parser.add_argument("mutants", type=int, nargs="?", default=MOST)
    parser.add_argument("-j", "--jobs", type=int, default=WORKERS)
    given = parser.parse_args()
    main(given.mutants, given.jobs)
