"""The messages of a run: whether it went through, and whether every transform sends the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from derive.verdict import Checked, Verdict
from proofs.certify.declaration import Declaration
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.failures import Wrong
from proofs.certify.workers.jobs import OfNumbers
from proofs.certify.workers.traffic import RunReport
from proofs.certify.workers.usage import ELSEWHERE, Do, Script, vectors

Vector = NDArray[Any]

NO_DEADLOCK = (
    "never deadlock, in any order and without buffering; counts and types agree; free leaves"
    " nothing open"
)


def messages_of(run: RunReport, statement: str) -> Verdict:
    """Return that the run went through, which it did, unless something is left open."""
    if run.leaked or run.leaks:
        more = f", and {run.leaked - 1} more" if run.leaked > 1 else ""
        raise Wrong(
            "messages", f"{(*run.leaks, 'something is left open')[0]} after plan.free(){more}"
        )
    schedules = "one message can match each receive, so one run decides every schedule"
    if run.schedules > 1:
        schedules = (
            f"{schedules} of messages; {run.schedules} runs, one for each answer of its tests and"
            " order of its accesses to shared memory"
        )
        schedules += ", which are compared place by place" if run.traffic.accesses else ""
    elif run.traffic.accesses:
        schedules += ", and accesses to shared memory are compared entry by entry"
    return Checked(
        statement, f"rendezvous sends, {run.traffic.counted} calls of the communicator; {schedules}"
    )


def same_messages(
    run: RunReport, several: list[tuple[Script, RunReport]], counted: bool = True
) -> None:
    """Raise Wrong unless each of several transforms sends what a single one does, and leaves
    nothing open.

    Without `counted` where they are not seen as such: of ordinary numbers in shared memory, and of
    what travels as bytes.
    """
    for script, turns in several:
        messages_of(turns, "")
        count, one, all_of_them = (
            sum(isinstance(step, Do) for step in script),
            run.traffic,
            turns.traffic,
        )
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
                f"rank {wrong[0]} sends other messages in {count} transforms than in one: every"
                " transform sends the same",
            )
        if all_of_them.synchronisations != count * one.synchronisations:
            figures = (
                f"{all_of_them.synchronisations} synchronisations in {count} transforms and"
                f" {one.synchronisations} in one"
            )
            raise Wrong("contract", f"{figures}: every transform does the same")


def transformed_numbers(
    workers: Evaluation,
    d: Declaration,
    data: Sequence[Vector],
    script: Script,
    name: str,
    run: RunReport,
    counted: bool,
) -> list[tuple[int, Vector]]:
    """Return which vector of data each transform of a script is of, and its result, of shape
    (P, M).

    Raises Wrong where the program fails, or does not send what it sends in `run`.
    """
    places, given = d.indices("input"), vectors(script)
    job = OfNumbers(d, tuple(vector[places] for vector in data), script, name)
    said, results = workers.ask(job, [(d.dtype, (d.P, d.M))] * len(given))
    same_messages(run, [(script, RunReport.from_json(said, d.P))], counted)
    return list(zip(given, results, strict=True))
