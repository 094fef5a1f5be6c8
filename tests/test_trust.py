"""The pages on certificates and on trust state the rows, assumptions, limits, lines and numbers of
programs that are there, and the first pages stay short.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from bench.kill import MARKS, PAGE
from proofs.certify import declared_constants
from proofs.certify.declaration import LARGEST_N
from proofs.certify.evaluation.evaluated_source import LARGEST_TEXT
from proofs.certify.evaluation.ranks import ALONE, MEMORY, OF_ANY, OF_ELEMENT, SECONDS, STEPS
from proofs.certify.fields.hartley_maps import LARGEST_SQUARED
from proofs.certify.language.limits import BITS as OF_INTEGERS
from proofs.certify.language.limits import ELEMENTS, PIECE
from proofs.certify.language.limits import STEPS as OF_THE_MODULE
from proofs.certify.program import ASSUMED
from proofs.certify.real.real_ranks import PATIENCE
from proofs.certify.rows import BITS, LEFT_OPEN, MORE, NODES, OF_A_TRANSFORM, SYSTEMS
from proofs.certify.world.base import MOST_CALLS
from tests.support.by_hand import NAMES, WRONG
from tests.support.mpi_bugs import PROGRAMS
from tests.support.paths import ROOT
from tests.support.refused import HOLDS, REFUTED, UNDECIDED, store

SAYS, DETAILS, TRUST = (
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("certificates", "certificate-reference", "trust")
)
PARTS = re.findall(r"^\| `([\w/*.]+)` \| .* \| (\d+) \|$", TRUST, re.MULTILINE)
WORDS, WORDS_OF_DETAILS = (" ".join(page.split()) for page in (SAYS, DETAILS))
MOST_WORDS = 1200
"""Words of a page that is read in five minutes."""


def test_the_page_has_every_verdict_in_its_order() -> None:
    table = SAYS.partition("| verdict |")[2].partition("\n\n")[0]
    rows = re.findall(
        r"^\| \[`(\w+)`\]\(certificate-reference.md#the-row-\1\) \|", table, re.MULTILINE
    )
    assert [name for name in rows if name not in ("bytes", BITS, MORE, NODES)] == [*OF_A_TRANSFORM]
    known = {name for each in SYSTEMS.values() for name in each.verdicts} | {BITS, MORE, NODES}
    assert set(rows) == known
    assert re.findall(r"^## The row `(\w+)`$", DETAILS, re.MULTILINE) == rows


@pytest.mark.parametrize("page", [SAYS, TRUST], ids=["certificates", "trust"])
def test_a_first_page_is_read_in_five_minutes(page: str) -> None:
    assert len(page.split()) <= MOST_WORDS


def test_the_page_says_when_a_certificate_holds() -> None:
    *some, last = (f"`{name}`" for name in LEFT_OPEN)
    left_open = f"{', '.join(some)} and {last}"
    assert f"no row is refuted. Only {left_open} may be undecided, and rows that are" in WORDS


@pytest.mark.parametrize("sentence", ASSUMED)
def test_the_page_has_what_every_certificate_assumes(sentence: str) -> None:
    assert f"- {sentence}" in WORDS


def test_the_page_has_the_limits() -> None:
    table = DETAILS.partition("| limit |")[2].partition("\n\n")[0]
    found = re.findall(r"\| (2\^)?(\d+) \|$", table, re.MULTILINE)
    assert [2 ** int(number) if power else int(number) for power, number in found] == [
        LARGEST_N,
        declared_constants.LARGEST_OF["numba"],
        declared_constants.LARGEST_OF_ONES_OWN,
        LARGEST_SQUARED,
        declared_constants.LARGEST_P,
        LARGEST_TEXT,
        SECONDS,
        SECONDS // ALONE,
        MOST_CALLS,
        STEPS,
        MEMORY,
        ELEMENTS,
        OF_INTEGERS,
        PATIENCE,
    ]
    assert f"or {PIECE} bytes of a result" in table
    assert f"at most {OF_THE_MODULE / 10**6} · 10^6 steps" in WORDS_OF_DETAILS
    between = f"2^{OF_ANY.bit_length() - 1}, and 2^{OF_ELEMENT.bit_length() - 1} for each element"
    assert f"steps of a rank between two messages | {between} of the array |" in table
    assert declared_constants.LARGEST_OF == dict.fromkeys(
        ("numpy", "pyfftw"), LARGEST_N
    ) | dict.fromkeys(("numba", "gray"), declared_constants.LARGEST_OF["numba"])


def lines(part: str) -> int:
    """Return the lines of a file, of a folder's or of those of a pattern, that are not empty."""
    path = ROOT / part
    files = path.rglob("*.py") if part.endswith("/") else path.parent.glob(path.name)
    return sum(sum(map(bool, file.read_text(encoding="utf-8").split("\n"))) for file in files)


@pytest.mark.parametrize(("part", "stated"), PARTS, ids=[part for part, _ in PARTS])
def test_the_trusted_parts_have_as_many_lines_as_stated(part: str, stated: str) -> None:
    """Within a tenth, as the page rounds them."""
    assert lines(part) == pytest.approx(int(stated), rel=0.1)


def test_the_page_has_the_sum_of_the_lines() -> None:
    assert f"These are {sum(int(stated) for _, stated in PARTS):,} lines in all" in TRUST


def test_all_of_the_certifier_is_listed() -> None:
    certifier = ROOT / "proofs" / "certify"
    listed = {part for part, _ in PARTS}
    folders = {file.relative_to(certifier).parts[0] for file in certifier.glob("*/*.py")}
    assert {f"proofs/certify/{folder}/" for folder in folders - {"traces"}} <= listed
    assert f"{certifier.relative_to(ROOT)}/*.py" in listed


def test_what_checks_the_checker_has_the_numbers_of_programs() -> None:
    fates = Counter(each.fate for each in store())
    said = " ".join(TRUST.split())
    assert f"{len(store())} programs are kept as data" in said
    refuted, undecided = fates[REFUTED], fates[UNDECIDED]
    assert (
        f"{refuted} refuted ones, {undecided} undecided ones and {fates[HOLDS]} that hold" in said
    )
    assert f"For {sum(1 for each in store() if each.words)} of them, tests require" in said
    neighbours = sum(map(len, WRONG.values()))
    assert f"{len(NAMES)} programs in different styles" in said
    assert f"{len(NAMES)} programs as people write them" in said
    assert f"{neighbours} neighbours with a small error" in said
    assert f"{len(PROGRAMS)} programs follow the MPI Bugs Initiative" in said


def test_the_page_on_mutants_has_the_marks_of_its_tables() -> None:
    assert all(PAGE.read_text(encoding="utf-8").count(mark) == 1 for mark in MARKS)
    assert Path("bench/mutants.md") == PAGE.relative_to(ROOT)
