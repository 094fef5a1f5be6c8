"""Fourier and Hartley transforms: what a program's text computes over finite fields, drawn until little is left to chance."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from codegen.kernels.plain_vectors import LANES
from derive.verdict import Checked, Verdict
from proofs.blame import Wrong
from proofs.declaration import Transform
from proofs.exactly import Outcome, run_exactly, run_in_turns
from proofs.sandbox import Text
from proofs.stimuli import GEOMETRIC
from proofs.usage import IN_TURNS

UNITS_UP_TO = 1024
"""Up to this N every unit vector is an input, as long as N·P is at most 2^16."""
WIDTHS_UP_TO = 2**14
"""Up to this N kernels are run with the narrower vectors of other processors, too."""
ERROR_WANTED, ERROR_AGAIN = 1e-6, 1e-4
"""Fields are drawn until the probability to miss a wrong program is below this, and one that is wrong only when its plan is used again."""
MOST_FIELDS = 16
WORK_FOR_CERTAINTY = 2**17
"""Where (number of fields)·N·P is at most this, so many fields are tried with unit vectors that nothing is left to chance."""


def first_run(text: Text, d: Transform, rng: np.random.Generator) -> Outcome:
    """Return one transform of unit vectors where that is feasible, else of vectors of powers."""
    return run_exactly(text, d, rng, units=d.N <= UNITS_UP_TO and d.N * d.P <= 2**16)


def function(text: Text, d: Transform, rng: np.random.Generator, outcomes: list[Outcome], statement: str) -> Verdict:
    """Return whether all outputs are as wanted, in as many fields, beside that of the first outcome, as it takes."""
    certain = outcomes[0].inputs.units and (outcomes[0].hiding + 1) * d.N * d.P <= WORK_FOR_CERTAINTY
    while error(outcomes) > (0 if certain else ERROR_WANTED) and (certain or len(outcomes) < MOST_FIELDS) and not outcomes[-1].counterexample():
        outcomes.append(run_exactly(text, d, rng, certain, [outcome.field.q for outcome in outcomes]))
    counterexample = next(filter(None, (outcome.counterexample() for outcome in outcomes)), "")
    if counterexample:
        raise Wrong("function", counterexample)
    widths = text.widths if d.N <= WIDTHS_UP_TO else ()
    missed = [error(_with_lanes(text, d, rng, lanes)) for lanes in widths]
    more = f"; vectors of {', '.join(map(str, (LANES, *widths)))} lanes" if text.widths else ""
    return Checked(statement, _evidence(outcomes) + more, float(f"{max([error(outcomes), *missed]):.2e}"))


def _with_lanes(text: Text, d: Transform, rng: np.random.Generator, lanes: int) -> list[Outcome]:
    """Return runs in as many fields as it takes, with vectors of so many lanes; raise Wrong where an output is not as wanted."""
    outcomes: list[Outcome] = []
    while not outcomes or (error(outcomes) > ERROR_WANTED and len(outcomes) < MOST_FIELDS):
        outcomes.append(run_exactly(text, d, rng, False, [outcome.field.q for outcome in outcomes], lanes))
        if outcomes[-1].counterexample():
            raise Wrong("function", f"with vectors of {lanes} lanes, {outcomes[-1].counterexample()}")
    return outcomes


def shown_by(outcome: Outcome, statement: str) -> Verdict:
    """Return what one run shows; raises Wrong where an output is not as wanted."""
    if outcome.counterexample():
        raise Wrong("function", outcome.counterexample())
    return Checked(statement, _evidence([outcome]), float(f"{outcome.error:.2e}"))


def contract(text: Text, d: Transform, rng: np.random.Generator, runs: list[list[Outcome]], statement: str) -> Verdict:
    """Return whether transforms that share plans are as wanted, in as many fields as it takes; `runs` takes their outcomes."""
    while not runs or (_of_runs(runs) > ERROR_AGAIN and len(runs) < MOST_FIELDS):
        runs.append(run_in_turns(text, d, rng, [outcomes[0].field.q for outcomes in runs]))
        for number, outcome in enumerate(runs[-1], 1):
            if outcome.counterexample():
                raise Wrong("contract", f"in transform {number} of {len(runs[-1])}, {outcome.counterexample()}")
    evidence = f"{IN_TURNS}; {len(runs)} fields, vectors of powers and zero; {runs[-1][-1].evidence} in each"
    return Checked(statement, evidence, float(f"{_of_runs(runs):.2e}"))


def error(outcomes: Sequence[Outcome]) -> float:
    """Return a bound of the probability that a wrong program passes all of these runs, which have different q."""
    certain = all(outcome.inputs.units for outcome in outcomes) and len(outcomes) > max(outcome.hiding for outcome in outcomes)
    return 0.0 if certain else prod(outcome.error for outcome in outcomes)


def _of_runs(runs: list[list[Outcome]]) -> float:
    """Return the same for runs of several transforms: any of them may be wrong."""
    return max(prod(outcome.error for outcome in transform) for transform in zip(*runs, strict=True))


def _evidence(outcomes: Sequence[Outcome]) -> str:
    first, last = outcomes[0], outcomes[-1]
    complex_too = " and i e_j" if first.declaration.parts == 2 else ""
    units = f"all e_j{complex_too}{'' if last.inputs.units else ' (in the first)'}, " if first.inputs.units else ""
    runs = f"run over {len(outcomes)} fields GF(q) with {units}{GEOMETRIC} vectors of powers and zero"
    certain = f"a difference would vanish in {first.hiding} of them at most: nothing is left to chance"
    return f"{runs}; {f'{last.evidence} in each' if error(outcomes) else certain}"
