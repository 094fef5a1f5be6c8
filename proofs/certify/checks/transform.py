"""Fourier and Hartley transforms: what a program computes over finite fields, drawn until
little is left to chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from codegen.kernels.widths import LANES
from derive.verdict import Checked, Refuted, Verdict
from proofs.certify.checks.first_use import refuse_first_use, refuse_places_apart
from proofs.certify.declaration import COMPILED, Declaration, Transform
from proofs.certify.evaluation.evaluated_source import Text
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.evaluation.forms import turns
from proofs.certify.evaluation.refusals import refusals
from proofs.certify.exact.data_functions import FLAGS
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.fields.chance import (
    ERROR_AGAIN,
    Chance,
    error_of,
    evidence_again,
    evidence_of,
    is_certain,
    is_enough,
    is_enough_again,
    runs_for,
    stated,
)
from proofs.certify.fields.counterexamples import ALIGNED, explained, explained_in
from proofs.certify.fields.field_run import Outcome, run_again, run_over_field
from proofs.certify.last_section import section_of, takes_all
from proofs.certify.ordinary.definition import refuse_other_results
from proofs.certify.ordinary.rounding import rounding
from proofs.certify.scripts.every_use import in_every_form, in_every_state, on_some_ranks
from proofs.certify.scripts.traffic import Traffic
from proofs.certify.scripts.usage import (
    GAPS,
    GAPS_READ_ONLY,
    LONG_LONG,
    READ_ONLY,
    USES,
    USUAL,
    Do,
    Script,
    again,
    said_of,
    use_of,
)

OWN_UP_TO = 2**12
"""Up to this N each use of programs with a treatment of arguments of their own is tried."""
WIDTHS_UP_TO = 2**14
"""Up to this N kernels are run with the narrower vectors of other processors, too."""


def function(
    evaluation: Evaluation, d: Transform, outcomes: list[Outcome], statement: str
) -> Verdict:
    """Return whether outputs are as wanted, in as many fields as it takes after the first."""
    first = outcomes[0].chance
    certain = is_certain(first, d.P)
    many = first.hiding + 1 if certain else runs_for(first)
    refuse_wrong(evaluation, outcomes)
    while not is_enough(chances_of(outcomes), d.P):
        evaluation.tell("function", len(outcomes) + 1, many)
        outcomes.append(run_over_field(evaluation, d, certain, orders_of(outcomes)))
        refuse_wrong(evaluation, outcomes)
    widths = evaluation.source.widths if d.N <= WIDTHS_UP_TO else ()
    missed = [error(_with_lanes(evaluation, d, lanes)) for lanes in widths]
    return Checked(
        statement,
        evidence_of_runs(outcomes, bool(widths)) + with_lanes(evaluation.source, d),
        stated(max([error(outcomes), *missed])),
    )


def refuse_wrong(evaluation: Evaluation, outcomes: list[Outcome]) -> None:
    """Raise Wrong where an output is not as wanted; keep of the others what is needed of them."""
    for i, outcome in enumerate(outcomes):
        if words := explained(evaluation, outcome):
            raise Wrong("function", words)
        outcomes[i] = outcome.without_vectors()


def with_lanes(source: Text, d: Transform) -> str:
    """Return what the evidence says of vectors, where a text has them."""
    if d.degree > 1:
        more = f"degree {d.followed} at most, on sums of {d.followed} such vectors"
        return f"; products of data are followed, {more}: by Schwartz and Zippel"
    widths = source.widths if d.N <= WIDTHS_UP_TO else ()
    return f"; vectors of {', '.join(map(str, (LANES, *widths)))} lanes" if source.widths else ""


def _with_lanes(evaluation: Evaluation, d: Transform, lanes: int) -> list[Outcome]:
    """Return runs in as many fields as it takes, with vectors of so many lanes; raise Wrong where
    an output is not as wanted.
    """
    outcomes: list[Outcome] = []
    while not is_enough(chances_of(outcomes), d.P):
        many = runs_for(outcomes[0].chance) if outcomes else 1
        evaluation.tell(f"function, vectors of {lanes} lanes", len(outcomes) + 1, many)
        outcomes.append(run_over_field(evaluation, d, False, orders_of(outcomes), lanes))
        if words := explained(evaluation, outcomes[-1], lanes):
            raise Wrong("function", f"with vectors of {lanes} lanes, {words}")
    return outcomes


def contract(
    evaluation: Evaluation, d: Transform, runs: list[list[list[Outcome]]], statement: str
) -> Verdict:
    """Return whether transforms that share plans are as wanted, in as many fields as it takes;
    `runs` takes their outcomes, by field and script.
    """
    scripts = again(d)
    while not runs or not all(map(is_enough_again, _chances(runs))):
        many = runs_for(runs[0][0][0].chance, ERROR_AGAIN) if runs else 1
        evaluation.tell("contract", len(runs) + 1, many)
        runs.append(
            run_again(evaluation, d, scripts, [outcomes[0][0].field.q for outcomes in runs])
        )
        for i, script in enumerate(scripts):
            _as_wanted(evaluation, runs[-1][i], script, f"run {i + 1} of {len(scripts)}")
        for more in every_use(evaluation, d) if len(runs) == 1 else ():
            used = [outcomes[0][0].field.q for outcomes in runs]
            [outcomes] = run_again(evaluation, d, [more.script], used)
            _as_wanted(evaluation, outcomes, more.script, more.words)
        runs[-1] = [[outcome.without_vectors() for outcome in outcomes] for outcomes in runs[-1]]
    refuse_on_some_ranks(evaluation, d)
    refuse_what_is_left(evaluation, d)
    worst = worst_of(runs)
    return Checked(
        statement, evidence_again(worst, said_of(d)), stated(prod(chance.error for chance in worst))
    )


def in_all_uses(
    evaluation: Evaluation, d: Declaration, follow: Callable[[Script], Traffic]
) -> Traffic:
    """Follow all scripts whose transforms share plans; return the traffic of the first of them."""
    runs = [follow(script) for script in again(d)]
    for more in every_use(evaluation, d):
        follow(more.script)
    follow(use_on_some_ranks(evaluation, d))
    refuse_what_is_left(evaluation, d)
    return runs[0]


def refuse_what_is_left(evaluation: Evaluation, d: Declaration) -> None:
    """Raise Wrong, or NotModelled, where calls leave behind what changes a later one."""
    if words := refusals(evaluation, d, takes_all(evaluation.source)).wrong:
        raise Wrong("contract", words)
    refuse_first_use(evaluation, d)
    refuse_places_apart(evaluation, d)


class Uses(NamedTuple):
    """A script, and which one it is in words."""

    script: Script
    words: str


def every_use(evaluation: Evaluation, d: Declaration) -> list[Uses]:
    """Return scripts with each form of x and each kind of `out`, where what a transform does may
    depend on both: its plans change, it reads flags or addresses of arrays, or it treats arguments
    in a way of its own, and is not large.
    """
    reads = _reads_flags(evaluation)
    reads |= d.N <= OWN_UP_TO and not takes_all(evaluation.source)
    found = list[Uses]()
    if evaluation.plans_change:
        words = "three transforms by each of several plans, a plan for each kind of use"
        found.append(Uses(in_every_state(USES if reads else USUAL), words))
    if reads or evaluation.plans_change:
        orders = turns(len(d.part("input", 0)))
        words = "transforms by one plan, one for each kind of use"
        found.append(Uses(in_every_form(orders), words))
    return found


def use_on_some_ranks(evaluation: Evaluation, d: Declaration) -> Script:
    """Return forms of x that a program can tell apart without flags, on all ranks and on some; of
    one that begins with nodewright's treatment of arguments an x that is read-only, or of C's long
    long, is all.
    """
    begins = takes_all(evaluation.source)
    forms = (READ_ONLY, *(LONG_LONG,) * (d.dtype in (np.int64, np.uint64)))
    found = on_some_ranks(forms if begins else (READ_ONLY, GAPS, GAPS_READ_ONLY))
    few = begins and d.kernels in COMPILED and isinstance(d, Transform)
    return (*found[:2], found[3], found[-1]) if few else found


def refuse_on_some_ranks(evaluation: Evaluation, d: Transform) -> None:
    """Raise Wrong where a transform of ordinary numbers is wrong in one of these uses, or in any;
    compiled kernels of which these are not followed are left out.
    """
    script = use_on_some_ranks(evaluation, d)
    try:
        refuse_other_results(evaluation, d, "contract", script, only_far=True)
    except Wrong:
        usual = tuple(Do(0, step.vector) if isinstance(step, Do) else step for step in script)
        refuse_other_results(evaluation, d, "rounding", usual, only_far=True)
        raise
    except NotModelled:
        if d.kernels not in COMPILED:
            raise


def refuse_rounding(evaluation: Evaluation, d: Transform) -> None:
    """Raise Wrong where a transform is less accurate in one of these uses."""
    for uses in every_use(evaluation, d)[-1:]:
        found = rounding(evaluation, d, "", uses.script)
        if isinstance(found, Refuted):
            raise Wrong("rounding", f"{uses.words}: {found.counterexample}")


def _reads_flags(evaluation: Evaluation) -> bool:
    """Return whether the program reads flags or addresses of arrays, but where its code is that of
    all generated programs.
    """
    text = evaluation.source.text
    own = text.removesuffix(section_of(text)) if takes_all(evaluation.source) else text
    names, lines = {f".{name}" for name in FLAGS}, own.count("\n")
    return ALIGNED in own or any(name in names and line <= lines for line, name in evaluation.asked)


def _as_wanted(
    evaluation: Evaluation, outcomes: Sequence[Outcome], script: Script, which: str
) -> None:
    """Raise Wrong where an output of one of the transforms of a script is not as wanted."""
    followed = evaluation.taken(script)
    for i, outcome in enumerate(outcomes):
        if words := explained_in(evaluation, outcomes, i, followed, "contract"):
            use = use_of(followed, i, len(outcome.declaration.part("input", 0)))
            at = f"in transform {i + 1} of {len(outcomes)} of {which}"
            raise Wrong("contract", f"{at} ({use}), {words}")


def error(outcomes: Sequence[Outcome]) -> float:
    """Return a bound of the chance that a wrong program passes all these runs, of different q."""
    return error_of(chances_of(outcomes))


def chances_of(outcomes: Sequence[Outcome]) -> list[Chance]:
    """Return how likely it is in each of these runs that a wrong program passes."""
    return [outcome.chance for outcome in outcomes]


def orders_of(outcomes: Sequence[Outcome]) -> list[int]:
    """Return the orders of the fields of runs, of which no other is to be one."""
    return [outcome.field.q for outcome in outcomes]


def _chances(runs: list[list[list[Outcome]]]) -> list[list[Chance]]:
    """Return the chances of each of several transforms, in all fields: any of them may be wrong."""
    fields = [[outcome for outcomes in scripts for outcome in outcomes] for scripts in runs]
    return [chances_of(transform) for transform in zip(*fields, strict=True)]


def worst_of(runs: list[list[list[Outcome]]]) -> list[Chance]:
    """Return the chances of the transform whose conjugates grow most."""
    return max(_chances(runs), key=lambda chances: chances[-1].bits)


def evidence_of_runs(outcomes: Sequence[Outcome], has_widths: bool = False) -> str:
    """Return in words what these runs show."""
    return evidence_of(chances_of(outcomes), outcomes[0].declaration.parts, has_widths)
