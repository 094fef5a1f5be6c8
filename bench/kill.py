"""The mutation score: mutants of the programs and factorizations of tests/mutation/kill.py, refused
or shown to be right; written into bench/mutants.md.

python -m bench.kill [MUTANTS] [-j JOBS] [--kept FILE] [--minutes M]

It takes about so many mutants of each program, evenly spread over its text, of each kind the same
share; 0: all. What becomes of a program's mutants is kept in FILE, a line of JSON each, and taken
from there while its text and the mutants are the same. After M minutes no further program is begun,
and the table waits for the rest. FILE knows nothing of the certifier: where that has changed, begin
another one.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.common import command_line
from derive.exact.exact_check import check
from derive.verdict import Refuted
from tests.mutation.edits import KINDS
from tests.mutation.kill import (
    CASES,
    EQUATIONS,
    EQUIVALENT,
    GAP,
    LIVES,
    MEMORY_ALONE,
    OPEN,
    REFUSED,
    REVIEWED,
    UNEXPLAINED,
    WORKERS,
    Case,
    Trials,
    explained,
    mutants_of,
    review_of,
    sample_of_kinds,
)
from tests.mutation.mutants import Mutant
from tests.mutation.wrong_equations import wrong_equations

PAGE = Path(__file__).with_name("mutants.md")
MARKS = (
    "<!-- the tables, written by python -m bench.kill -->\n",
    "<!-- the end of the tables -->\n",
)
MOST = 60
"""Mutants of each program, of 500 to 1700: the table takes half an hour on two busy cores."""
Judged = list[tuple[Case, Mutant, str]]


def main(
    most: int = MOST, jobs: int = WORKERS, kept: Path | None = None, minutes: float = 0
) -> None:
    """Decide `most` mutants of each program, all if it is 0, in `jobs` processes, print the tables,
    and write them into bench/mutants.md. Fates are kept in a file, if one is given; after this
    number of minutes, if there is a limit, no program is begun.
    """
    judged: Judged = []
    made, left, start = 0, 0, time.perf_counter()
    for case in [case for cases in CASES.values() for case in cases()]:
        every = mutants_of(case)
        chosen = sample_of_kinds(every, most or len(every))
        fates = kept_of(case, chosen, kept)
        if fates is None and minutes and time.perf_counter() > start + 60 * minutes:
            left += 1
            continue
        if fates is None:
            fates = fates_of(case, chosen, jobs)
            if kept:
                keep(kept, case, len(every), chosen, fates)
        made += len(every)
        judged += _after_review(case, chosen, fates)
    if left:
        print(f"{left} programs are left")
        return
    text = table(judged, made, most)
    write(text)
    print(text)


def _after_review(case: Case, chosen: Sequence[Mutant], fates: Sequence[str]) -> Judged:
    """Return mutants of a program with what a review says; print what no review knows."""
    found = [
        (case, mutant, explained(mutant, fate)) for mutant, fate in zip(chosen, fates, strict=True)
    ]
    for _, mutant, fate in found:
        if fate == UNEXPLAINED:
            print(f"unexplained: {case.system}, {case.name}: {mutant}", flush=True)
    return found


def fates_of(case: Case, chosen: Sequence[Mutant], jobs: int) -> list[str]:
    """Return the fates of mutants of a program, before any review."""
    start = time.perf_counter()
    with Trials.of(case, jobs) as trials:
        fates = trials.fates([mutant.text for mutant in chosen])
    seconds = time.perf_counter() - start
    print(f"{case.system}, {case.name}: {len(chosen)} mutants, {seconds:.0f} s", flush=True)
    return fates


def keep(kept: Path, case: Case, made: int, chosen: Sequence[Mutant], fates: Sequence[str]) -> None:
    """Append a line to the file: a program, the digest of its text, how many mutants it has, and
    of each that was taken its words, its kind and its fate before any review.
    """
    line = {
        "system": case.system,
        "name": case.name,
        "text": _digest(case.text),
        "made": made,
        "mutants": [
            [str(mutant), mutant.kind, fate] for mutant, fate in zip(chosen, fates, strict=True)
        ],
    }
    with kept.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def kept_of(case: Case, chosen: Sequence[Mutant], kept: Path | None) -> list[str] | None:
    """Return the fates of these mutants that the file has, the last ones."""
    lines = kept.read_text(encoding="utf-8").splitlines() if kept and kept.exists() else []
    words, found = [str(mutant) for mutant in chosen], None
    for line in map(json.loads, lines):
        known, _, fates = zip(*line["mutants"], strict=True)
        if line["text"] == _digest(case.text) and [*known] == words:
            found = [*fates]
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def table(judged: Judged, made: int, most: int) -> str:
    """Return the tables of these mutants, of as many as were made."""
    how = (
        "about {most} of each program, of every kind of change the same share:" if most else "all:"
    )
    sampled = f"{len(judged)} of {made} mutants, {how.format(most=most)}"
    same = sum(fate == "same" for _, _, fate in judged)
    share = f"{same} of {len(judged)} are *same*, {100 * same / len(judged):.1f} %."
    tables = [*_programs(judged), *_kinds(judged), *_reviewed(judged), *_equations()]
    return "\n".join([sampled, "", *tables, share])


def write(text: str) -> None:
    """Put the tables between the marks of bench/mutants.md."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    PAGE.write_text(
        f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.partition(MARKS[1])[2]}", encoding="utf-8"
    )


def _rows(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    return [f"| {' | '.join(map(str, row))} |" for row in (head, ["---"] * len(head), *rows)] + [""]


def _columns(fates: Iterable[str]) -> list[int]:
    """Return how many mutants there are, are refused, by verdict, are right, by how that is shown,
    are open, and are not covered.
    """
    found = Counter(fates)
    return [found.total(), *(found[fate] for fate in (*REFUSED, *LIVES, UNEXPLAINED))]


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
    return _rows(("system", "program", "mutants", *REFUSED, *LIVES, UNEXPLAINED), rows)


def _kinds(judged: Judged) -> list[str]:
    by_kind = {
        kind: Counter(fate for _, mutant, fate in judged if mutant.kind == kind) for kind in KINDS
    }
    rows = [
        (
            kind,
            found.total(),
            *(
                sum(found[fate] for fate in fates)
                for fates in (REFUSED, EQUIVALENT, (OPEN,), (GAP,))
            ),
        )
        for kind, found in by_kind.items()
        if found
    ]
    return _rows(("what is changed", "mutants", "refused", "right", OPEN, GAP), rows)


def _reviewed(judged: Judged) -> list[str]:
    known = [(mutant, fate) for _, mutant, fate in judged if fate in ("argued", GAP)]
    found = Counter(review_of(mutant) or review_of(mutant, MEMORY_ALONE) for mutant, _ in known)
    rows = [
        (found[reviewed], GAP if reviewed.gap else "argued", reviewed.reason)
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
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--minutes", type=float, default=0)
    given = parser.parse_args()
    main(given.mutants, given.jobs, given.kept, given.minutes)
