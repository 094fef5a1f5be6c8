"""The committed programs are what the emitter writes now, and their certificates are their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nodewright import library
from proofs.certify import certificate_path, read

COMMITTED = Path(__file__).parents[1] / "generated"
PROGRAMS = [entry.name for entry in library.LIBRARY]


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which the library has just been written."""
    folder = tmp_path_factory.mktemp("generated")
    library.write(folder)
    return folder


def of_this_machine(certificate: Path) -> dict[str, Any]:
    """Return a certificate without what another numpy or processor may change: the versions, and how far floating point was off."""
    values: dict[str, Any] = json.loads(certificate.read_text(encoding="utf-8"))
    del values["predicate"]["checker"]
    values["predicate"]["verdicts"].get("rounding", {}).pop("measured", None)
    return values


def test_nothing_else_lies_in_generated() -> None:
    wanted = {"README.md", *PROGRAMS, *(certificate_path(Path(name)).name for name in PROGRAMS)}
    assert {path.name for path in COMMITTED.iterdir() if path.name != "__pycache__"} == wanted


@pytest.mark.parametrize("name", ["README.md", *PROGRAMS])
def test_every_committed_text_is_what_is_written_now(again: Path, name: str) -> None:
    assert (COMMITTED / name).read_bytes() == (again / name).read_bytes()


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_committed_certificate_is_what_is_decided_now(again: Path, name: str) -> None:
    committed, now = (certificate_path(folder / name) for folder in (COMMITTED, again))
    assert of_this_machine(committed) == of_this_machine(now)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_committed_certificate_is_its_programs_own_and_holds(name: str) -> None:
    assert read(COMMITTED / name).holds


def test_what_differs_between_machines_is_no_more_than_two_entries(again: Path) -> None:
    path = certificate_path(again / PROGRAMS[0])
    whole = json.loads(path.read_text(encoding="utf-8"))
    predicate, same = whole["predicate"], of_this_machine(path)["predicate"]
    assert predicate.keys() - same.keys() == {"checker"}
    assert predicate["verdicts"].keys() == same["verdicts"].keys()
