"""The committed programs are what the emitter writes now, and their certificates are their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from derive.verdict import holds
from nodewright import library
from proofs.certify.program import certificate_path, read, verify
from tests.support.paths import ROOT

COMMITTED = ROOT / "generated"
PROGRAMS = list(library.LIBRARY)


def of_this_machine(certificate: Path) -> dict[str, Any]:
    """Return a certificate without what another numpy or processor may change: the versions, and
    how far floating point was off.
    """
    values: dict[str, Any] = json.loads(certificate.read_text(encoding="utf-8"))
    del values["predicate"]["checker"]
    values["predicate"]["verdicts"].get("rounding", {}).pop("measured", None)
    return values


def test_nothing_else_lies_in_generated() -> None:
    wanted = {"README.md", *PROGRAMS, *(certificate_path(Path(name)).name for name in PROGRAMS)}
    assert {path.name for path in COMMITTED.iterdir() if path.name != "__pycache__"} == wanted


def test_the_readme_is_what_is_written_now() -> None:
    assert (COMMITTED / "README.md").read_text(encoding="utf-8") == library.readme(COMMITTED)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_is_what_is_written_now(name: str) -> None:
    assert (COMMITTED / name).read_text(encoding="utf-8") == emit(resolve(library.LIBRARY[name]))


MOST_LINES = {
    "fft_1024_4_block.py": 251,
    "fft_1024_4_cyclic.py": 245,
    "fft_1024_256_block.py": 293,
    "hypercube_1024_4_prog_3.py": 275,
    "permute_1024_8_gray_code_records.py": 247,
    "permute_4096_4_bit_reversal_numba.py": 482,
    "fht_1024_4_block.py": 318,
    "fft_4096_2_numba.py": 793,
    "fht_1024_4_numba.py": 809,
}


@pytest.mark.parametrize("name", MOST_LINES)
def test_a_program_has_no_more_lines(name: str) -> None:
    assert (COMMITTED / name).read_text(encoding="utf-8").count("\n") <= MOST_LINES[name]


LONG = {
    "fft_1024_256_block.py",
    "fft_1024_4_auto.py",
    "fft_1024_4_cyclic.py",
    "fft_1024_4_node_aware.py",
    "fft_1024_4_overlapped.py",
    "fft_1024_4_shared.py",
    "fft_1024_8_butterflies.py",
    "fft_4096_2_numba.py",
    "fht_1024_4_numba.py",
    "fht_48_4_batch.py",
    "hypercube_1024_4_prog_5_backward.py",
    "permute_4096_4_bit_reversal_numba.py",
    "rfft_1000_5_block.py",
}
"""Programs that take longest to certify: a short check is enough by default."""


@pytest.mark.sampled(4)
@pytest.mark.long
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in PROGRAMS]
)
def test_every_certificate_is_what_is_decided_now(name: str, tmp_path: Path) -> None:
    library.write_one(name, tmp_path)
    committed, now = COMMITTED / name, tmp_path / name
    assert of_this_machine(certificate_path(committed)) == of_this_machine(certificate_path(now))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in PROGRAMS]
)
def test_every_committed_certificate_is_its_programs_own_and_holds(name: str) -> None:
    path = COMMITTED / name
    certificate, again = verify(path) if name in LONG else (read(path), {})
    assert certificate.holds and all(map(holds, again.values()))


def test_what_differs_between_machines_is_no_more_than_two_entries() -> None:
    path = certificate_path(COMMITTED / PROGRAMS[0])
    whole = json.loads(path.read_text(encoding="utf-8"))
    predicate, same = whole["predicate"], of_this_machine(path)["predicate"]
    assert predicate.keys() - same.keys() == {"checker"}
    assert predicate["verdicts"].keys() == same["verdicts"].keys()
