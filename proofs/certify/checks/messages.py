"""The messages of a run: whether it went through, and whether every transform sends the same."""

from __future__ import annotations

from collections.abc import Sequence

from codegen.kernels.widths import LANES
from derive.verdict import Checked, Verdict
from proofs.certify.declaration import Declaration, Vector
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.scripts.evaluation_jobs import Parts, scattered
from proofs.certify.scripts.traffic import Traffic
from proofs.certify.scripts.usage import Script

NO_DEADLOCK = (
    "never deadlock, in any order and without buffering; counts and types agree; free() releases"
    " everything"
)


def messages_of(run: Traffic, statement: str) -> Verdict:
    """Return that the run went through, which it did."""
    schedules = "only one message can match each receive, so one run decides every schedule"
    if run.accesses:
        schedules += "; accesses to shared memory are compared entry by entry"
    return Checked(
        statement,
        f"every send waits for its receive; {run.counted} calls of the communicator; {schedules}",
    )


OTHER_MESSAGES = (
    "a later transform sends other messages than the first, or synchronises the ranks more or less"
    " often; `cost` is about the first"
)
"""Why the contract is open, of a program that is right in every transform."""


def other_messages(run: Traffic, several: Traffic) -> str:
    """Return why it is open that each of several transforms sends what a single one does; "" where
    it is so.
    """
    sends = tuple(several.transforms * each for each in run.sends)
    calls = several.transforms * run.synchronisations
    return OTHER_MESSAGES * ((several.sends, several.synchronisations) != (sends, calls))


def transformed_numbers(
    evaluation: Evaluation,
    d: Declaration,
    data: Sequence[Vector],
    script: Script,
    name: str,
    lanes: int = LANES,
) -> Sequence[Parts]:
    """Return the result of each transform of a script by ranks; raise Wrong where the program
    fails.
    """
    parts = [scattered(d, vector) for vector in data]
    return evaluation.of_numbers(d, parts, script, name, lanes)
