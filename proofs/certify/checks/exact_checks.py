"""The verdicts on programs that round nothing: those that move opaque elements, and those that
compute with integers modulo p.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from derive.verdict import Checked, Verdict
from proofs.certify.checks.invalid_arguments import with_left_open
from proofs.certify.checks.messages import messages_of, other_messages
from proofs.certify.checks.permutation_check import bytes_kept, kept_by, moved_again, moved_once
from proofs.certify.declaration import Permutation
from proofs.certify.failures import Wrong
from proofs.certify.modular.number_theoretic import NumberTheoretic
from proofs.certify.modular.residue_checks import computed_again, computed_once, on_residues
from proofs.certify.scripts.traffic import Traffic
from proofs.certify.scripts.usage import IN_TURNS, of_numbers, said_of
from proofs.certify.verify import Expected


def opaque(d: Permutation) -> str:
    """Return what a permutation is decided on."""
    return f"{d.N} opaque elements, which can only be moved, so the elements of every x move alike"


def moves(trial: Any, runs: list[Traffic], short: bool) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdicts on a permutation."""
    evaluation, d, said = trial.evaluation, trial.declaration, trial.statements
    try:
        d.address.inverse()
    except ValueError as error:
        raise Wrong("function", f"A and c do not permute {d.N} elements: {error}") from error
    evaluation.tell("messages")
    run = moved_once(evaluation, d)
    runs.append(run)
    yield "messages", messages_of(run, said["messages"])
    yield "function", Checked(said["function"], f"all of {opaque(d)}")
    if short:
        yield "cost", trial.cost(run)
        return
    evaluation.tell("contract")
    several = moved_again(evaluation, d)
    yield "cost", trial.cost(run, several)
    evidence = f"{said_of(d)}; all of {opaque(d)}"
    verdict = Checked(said["contract"], evidence)
    why = other_messages(run, several) or trial.invalid_use()
    yield "contract", with_left_open(verdict, why)
    evaluation.tell("bytes")
    if trial.real.measures:
        yield "bytes", trial.real.bytes(said["bytes"], evaluation.source.said)
    else:
        yield "bytes", bytes_kept(evaluation, d, said["bytes"])


def expected_of(trial: Any, used: str, why: str) -> Expected:
    """Return what is known of the verdicts that a short check does not come to."""
    d, stated = trial.declaration, trial.statements["contract"]
    if isinstance(d, NumberTheoretic):
        evidence, error = on_residues(d)
        rest = f"{used}; {evidence}", used, list[list[Any]]()
        return Expected(None, "", 0, 1, stated, *rest, left_open=why, error=error)
    script = IN_TURNS if trial.real.measures else of_numbers(d)
    of_kernels = trial.evaluation.source.said_by_any
    tested = [[trial.statements["bytes"], 0.0, kept_by(d, script, words)] for words in of_kernels]
    return Expected(
        None, "", 0, 1, stated, f"{used}; all of {opaque(d)}", used, tested, left_open=why
    )


def residues(trial: Any, runs: list[Traffic], short: bool) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdicts on a number-theoretic transform."""
    evaluation, d, said = trial.evaluation, trial.declaration, trial.statements
    evaluation.tell("messages")
    run = computed_once(evaluation, d)
    runs.append(run)
    yield "messages", messages_of(run, said["messages"])
    yield "function", Checked(said["function"], *on_residues(d, has_units=True))
    if short:
        yield "cost", trial.cost(run)
        return
    evaluation.tell("contract")
    several = computed_again(evaluation, d)
    evidence, error = on_residues(d)
    verdict = Checked(said["contract"], f"{said_of(d)}; {evidence}", error)
    why = other_messages(run, several) or trial.invalid_use()
    yield "contract", with_left_open(verdict, why)
    yield "cost", trial.cost(run, several)
