"""The function `convolve` of a Hartley program: what it computes, by itself and among transforms of
the same plans.
"""

from __future__ import annotations

import contextlib

from derive.verdict import Checked, Refuted, Verdict
from proofs.certify.checks.transform import (
    chances_of,
    error,
    every_use,
    evidence_of_runs,
    orders_of,
    with_lanes,
)
from proofs.certify.declaration import COMPILED, CONVOLVE, Declaration
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.fields.chance import MOST_FIELDS, is_enough, stated
from proofs.certify.fields.counterexamples import explained_in
from proofs.certify.fields.field_run import Outcome, convolving, run_convolutions
from proofs.certify.fields.hartley_maps import Hartley
from proofs.certify.last_section import convolve_takes_all
from proofs.certify.ordinary.definition import refuse_other_results
from proofs.certify.ordinary.edges import refuse_at_edges
from proofs.certify.ordinary.rounding import rounding, tolerance_of
from proofs.certify.ordinary.spoiled_numbers import CONVOLUTION
from proofs.certify.scripts.convolutions import (
    BOTH,
    CONVOLVED,
    ELSEWHERE,
    SQUARED,
    convolved,
    convolved_in_every_state,
)
from proofs.certify.scripts.usage import INTO, NO_OUT, TRANSFORM, Do, Script, use_of

CONVOLVES = (
    "convolve computes z_k = sum_j x_j y_(k-j mod N) for every x and y, and leaves x and y"
    " unchanged"
)
UP_TO = 2**15
"""Of more elements a rank makes a product in pieces, and degrees, of arrays, grow with each."""


def operations_of(d: Declaration, functions: list[str]) -> tuple[str, ...]:
    """Return the operations of the plans of a program with these functions."""
    convolves = isinstance(d, Hartley) and CONVOLVE in functions
    return (TRANSFORM, CONVOLVE) if convolves else (TRANSFORM,)


def not_followed(evaluation: Evaluation, d: Declaration) -> str:
    """Return why it is not decided what `convolve` computes; "" where it is, or there is none."""
    if CONVOLVE not in evaluation.operations:
        return ""
    if d.kernels in COMPILED:
        return "convolve has compiled kernels, of which only linear ones are followed"
    return f"convolve has more than {UP_TO} elements a rank" * (d.M > UP_TO)


def refuse_far_convolutions(evaluation: Evaluation, d: Hartley) -> None:
    """Raise Wrong where `convolve` is not followed and ordinary numbers show that it computes
    another function.
    """
    with contextlib.suppress(NotModelled):
        refuse_other_results(evaluation, convolving(d), "contract", CONVOLVED, why="convolve")


def convolution(
    evaluation: Evaluation, d: Hartley, statement: str
) -> tuple[list[Outcome], Verdict]:
    """Return whether `convolve` gives the convolution of two vectors, in a new array, in `out`, of
    a vector with itself, and when a plan is used again, with the runs in all fields.

    Raises:
        Wrong: where an output is not as wanted: of the contract where it is that of a transform.
    """
    outcomes: list[Outcome] = []
    while not is_enough(chances_of(outcomes), d.P):
        evaluation.tell("convolution", len(outcomes) + 1, MOST_FIELDS)
        outcomes.append(_convolved(evaluation, d, outcomes, CONVOLVED))
    takes_all = convolve_takes_all(evaluation.source)
    for script in (BOTH, ELSEWHERE):
        _convolved(evaluation, d, outcomes, script)
    kinds = INTO if every_use(evaluation, d) else (NO_OUT,) * (not takes_all)
    _convolved(evaluation, d, outcomes, convolved(kinds))
    if evaluation.plans_change:
        _convolved(evaluation, d, outcomes, convolved_in_every_state())
    made = outcomes[0].declaration
    measured = rounding(evaluation, made, statement, SQUARED, CONVOLUTION)
    if isinstance(measured, Refuted):
        return outcomes, measured
    refuse_at_edges(evaluation, made, CONVOLUTION)
    close = f"accurate on random vectors within {tolerance_of(made)[1]}"
    evidence = f"{evidence_of_runs(outcomes)}{with_lanes(evaluation.source, made)}; {close}"
    used = (
        "into a new array, into the caller's array, of a vector with itself, and by one plan again"
    )
    return outcomes, Checked(statement, f"{used}; {evidence}", stated(error(outcomes)))


def _convolved(
    evaluation: Evaluation, d: Hartley, outcomes: list[Outcome], script: Script
) -> Outcome:
    """Return the first outcome of a script of convolutions in another field; raise Wrong where an
    output is not as wanted.
    """
    found = run_convolutions(evaluation, d, orders_of(outcomes), script)
    followed = evaluation.taken(script)
    steps = [step for step in followed if isinstance(step, Do)]
    among = any(step.operation == TRANSFORM for step in steps)
    for i, step in enumerate(steps):
        name = CONVOLUTION if step.operation == CONVOLVE else "contract"
        if words := explained_in(evaluation, found, i, followed, name):
            call = f"convolution {i + 1}"
            call = f"call {i + 1} of transform and convolve, {step.operation}" if among else call
            raise Wrong(name, f"in {call} ({use_of(followed, i)}), {words}")
    return found[0].without_vectors()
