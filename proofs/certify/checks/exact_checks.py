"""The verdicts on programs that round nothing: those that move opaque elements, and those that
compute with integers modulo p.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from derive.verdict import Checked, Verdict
from proofs.certify.checks.invalid_arguments import with_left_open
from proofs.certify.checks.messages import messages_of, other_messages
from proofs.certify.checks.permutation_check import bytes_kept, moved_again, moved_once
from proofs.certify.declaration import Permutation
from proofs.certify.modular.number_theoretic import NumberTheoretic
from proofs.certify.modular.residue_checks import computed_again, computed_once, on_residues
from proofs.certify.rows import system_of
from proofs.certify.scripts.usage import said_of


def exactly(trial: Any, short: bool) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdicts on a permutation, or on a number-theoretic transform."""
    evaluation, d, said = trial.evaluation, trial.declaration, trial.statements
    ways: tuple[Any, Any] = (moved_once, moved_again)
    once, again = (computed_once, computed_again) if isinstance(d, NumberTheoretic) else ways
    evaluation.tell("messages")
    run = once(evaluation, d)
    yield "messages", messages_of(run, said["messages"])
    yield "function", Checked(said["function"], *shown_on(d, has_units=True))
    if short:
        yield "cost", trial.cost(run)
        return
    evaluation.tell("contract")
    several, (evidence, error) = again(evaluation, d), shown_on(d)
    why = other_messages(run, several) or trial.invalid_use()
    verdict = Checked(said["contract"], f"{said_of(d)}; {evidence}", error)
    rows = {"cost": trial.cost(run, several), "contract": with_left_open(verdict, why)}
    yield from ((name, rows[name]) for name in system_of(d.as_json()).verdicts if name in rows)
    if not isinstance(d, Permutation):
        return
    evaluation.tell("bytes")
    if trial.real.measures:
        yield "bytes", trial.real.bytes(said["bytes"], evaluation.source.said)
    else:
        yield "bytes", bytes_kept(evaluation, d, said["bytes"])


def shown_on(d: Any, has_units: bool = False) -> tuple[str, float]:
    """Return what a program is decided on, and a bound of the probability that a wrong one passes:
    a permutation on elements that can only be moved.
    """
    if isinstance(d, NumberTheoretic):
        return on_residues(d, has_units)
    opaque = "opaque elements, which can only be moved, so the elements of every x move alike"
    return f"all of {d.N} {opaque}", 0.0
