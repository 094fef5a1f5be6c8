"""The messages of a run: whether it went through, and whether every transform sends the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from derive.verdict import Checked, Verdict
from proofs.certify.declaration import Declaration
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.failures import Wrong
from proofs.certify.scripts.jobs import OfNumbers
from proofs.certify.scripts.traffic import Traffic
from proofs.certify.scripts.usage import ELSEWHERE, Do, Script, vectors

Vector = NDArray[Any]

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


def same_messages(
    run: Traffic, several: list[tuple[Script, Traffic]], counted: bool = True
) -> None:
    """Raise Wrong unless each of several transforms sends what a single one does, and leaves
    nothing open.

    Without `counted` where they are not seen as such: of ordinary numbers in shared memory, and of
    what travels as bytes.
    """
    for script, turns in several:
        count, one, all_of_them = (sum(isinstance(step, Do) for step in script), run, turns)
        if script == ELSEWHERE:
            continue  # its messages are of other communicators
        wrong = [
            rank
            for rank, sends in enumerate(one.sends)
            if counted and all_of_them.sends[rank] != count * sends
        ]
        if wrong:
            raise Wrong(
                "contract",
                f"rank {wrong[0]} sends other messages in {count} transforms than {count} times"
                " those of one transform",
            )
        if all_of_them.synchronisations != count * one.synchronisations:
            figures = (
                f"{all_of_them.synchronisations} synchronisations in {count} transforms and"
                f" {one.synchronisations} in one"
            )
            raise Wrong("contract", f"{figures}; every transform must have the same number")


def transformed_numbers(
    evaluation: Evaluation,
    d: Declaration,
    data: Sequence[Vector],
    script: Script,
    name: str,
    run: Traffic | None,
    counted: bool,
) -> list[tuple[int, Vector]]:
    """Return which vector of data each transform of a script is of, and its result, of shape
    (P, M).

    Raises Wrong where the program fails, or does not send what it sends in `run`, if there is one.
    """
    places, given = d.indices("input"), vectors(script)
    job = OfNumbers(d, tuple(vector[places] for vector in data), script, name)
    said, results = evaluation.ask(job, [(d.dtype, (d.P, d.M))] * len(given))
    if run is not None:
        same_messages(run, [(script, said["traffic"])], counted)
    return list(zip(given, results, strict=True))
