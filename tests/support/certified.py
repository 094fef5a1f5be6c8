"""What becomes of a program, asked of the function that `certify` asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from derive.verdict import Refuted
from proofs.certify.failures import NotModelled
from proofs.certify.language.table_entries import Undecided
from proofs.certify.program import decided
from tests.support.refused import HOLDS, REFUTED, UNDECIDED

SECONDS = 60
"""Processor time that a program is given."""


@dataclass(frozen=True)
class Fate:
    """The fate of a program, and why: the reasons of the verdicts that refute it or are undecided,
    or the rule that it does not keep.
    """

    fate: str
    reasons: Mapping[str, str] = field(default_factory=dict)
    error: str = ""

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The names of the verdicts that have a reason."""
        return tuple(self.reasons)

    @property
    def reason(self) -> str:
        """The rule, or the first reason."""
        return self.error or next(iter(self.reasons.values()), "")


def fate_of(source, folder):
    """Return what becomes of a program whose file lies in this folder; it is not run on ranks."""
    path = folder / "prog.py"
    path.write_text(source, "utf-8")
    try:
        certificate = decided(path, seconds=SECONDS, ran=0)
    except (NotModelled, Undecided, ValueError, MemoryError) as error:
        return Fate(UNDECIDED, error=str(error))
    left = {name: verdict for name, verdict in certificate.verdicts.items() if not verdict.holds}
    wrong = {
        name: verdict.counterexample
        for name, verdict in left.items()
        if isinstance(verdict, Refuted)
    }
    if wrong:
        return Fate(REFUTED, wrong)
    reasons = {name: verdict.reason for name, verdict in left.items()}
    return Fate(HOLDS if certificate.holds else UNDECIDED, reasons)
