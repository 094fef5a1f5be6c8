"""What becomes of a program, asked of the function that `certify` asks."""

from __future__ import annotations

from dataclasses import dataclass

from derive.verdict import Refuted
from proofs.certify.failures import NotModelled
from proofs.certify.language.operations import Undecided
from proofs.certify.program import decided
from tests.support.refused import HOLDS, REFUTED, UNDECIDED

SECONDS = 60
"""Processor time that a program is given."""


@dataclass(frozen=True)
class Fate:
    """The fate of a program, the verdicts that refute it or are undecided, and the first reason."""

    fate: str
    verdicts: tuple[str, ...] = ()
    reason: str = ""


def fate_of(source, folder):
    """Return what becomes of a program whose file lies in this folder; it is not run on ranks."""
    path = folder / "prog.py"
    path.write_text(source, "utf-8")
    try:
        certificate = decided(path, seconds=SECONDS, ran=0)
    except (NotModelled, Undecided, ValueError, MemoryError) as error:
        return Fate(UNDECIDED, (), str(error))
    wrong = {
        name: verdict.counterexample
        for name, verdict in certificate.verdicts.items()
        if isinstance(verdict, Refuted)
    }
    if wrong:
        return Fate(REFUTED, tuple(wrong), next(iter(wrong.values())))
    left = tuple(name for name, verdict in certificate.verdicts.items() if not verdict.holds)
    return Fate(HOLDS if certificate.holds else UNDECIDED, left)
