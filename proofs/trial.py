"""The checks of a program's text: what it says of itself, what it computes, what its ranks send each other, and how it rounds.

Run as `python -m proofs.trial SECONDS NAME SEED` with the text on standard input, it writes the verdicts to standard output as JSON.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from codegen.buffers import NotModelled
from derive.fields import RootField
from derive.verdict import Checked, Refuted, Verdict
from proofs.blame import Wrong, blaming, told
from proofs.constants import Refused
from proofs.declaration import Declaration, counted_cost, declared
from proofs.exactly import Outcome, run_exactly
from proofs.rounding import rounding
from proofs.sandbox import Text, limit
from proofs.stimuli import GEOMETRIC

UNITS_UP_TO = 1024
"""Up to this N every unit vector is an input, as long as N·P is at most 2^16."""
ERROR_WANTED = 1e-6
"""Fields are drawn until the probability to miss a wrong program is below this."""
MOST_FIELDS = 16
WORK_FOR_CERTAINTY = 2**17
"""Where (number of fields)·N·P is at most this, so many fields are tried with unit vectors that nothing is left to chance."""


@dataclass(frozen=True)
class Report:
    """The verdicts on a program by their names, and the fields that they were decided in."""

    declaration: Declaration
    verdicts: dict[str, Verdict]
    fields: tuple[RootField, ...]


def tried(name: str, text: str, seed: int) -> Report:
    """Return the verdicts on this text, up to the first refutation that leaves later ones undecided.

    Raises ValueError where it is no program with a contract, NotModelled where it uses what cannot be run here.
    """
    compiled = Text.compiled(name, text)
    declaration = _declaration(compiled)
    statements, verdicts, outcomes = _statements(declaration), dict[str, Verdict](), list[Outcome]()
    try:
        for check, verdict in _checks(compiled, declaration, np.random.default_rng(seed), outcomes):
            verdicts[check] = verdict
    except Wrong as wrong:
        verdicts[wrong.name] = Refuted(statements[wrong.name], wrong.counterexample)
    return Report(declaration, verdicts, tuple(outcome.field for outcome in outcomes))


def _declaration(text: Text) -> Declaration:
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return declared(text.load())
    except (Refused, Exception, SystemExit) as error:
        raise ValueError(f"{text.name} is no node program: {told(text, error)}") from error


def _statements(d: Declaration) -> dict[str, str]:
    """Return what is checked, by name."""
    return {
        "layout": f"input_place and output_place are the {d.input} and {d.output} layouts of N = {d.N} elements on P = {d.P} ranks",
        "messages": f"the {d.P} ranks never deadlock, in any order and without buffering; counts and types agree; free leaves nothing open",
        "function": f"transform computes {d.formula} for every x, which it leaves as it was",
        "cost": "exchanges, messages and words are those counted from the factorization",
        "rounding": f"transform in {d.dtype} is accurate, twice with one plan and with two plans in turn",
    }


def _checks(text: Text, d: Declaration, rng: np.random.Generator, outcomes: list[Outcome]) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdicts by name, in order; raise Wrong at the first that leaves later ones undecided."""
    statements = _statements(d)
    yield "layout", _layout(text, d, statements["layout"])
    outcomes.append(run_exactly(text, d, rng, units=d.N <= UNITS_UP_TO and d.N * d.P <= 2**16))
    yield "messages", _messages(outcomes[0], statements["messages"])
    certain = outcomes[0].inputs.units and (outcomes[0].hiding + 1) * d.N * d.P <= WORK_FOR_CERTAINTY
    while _error(outcomes) > (0 if certain else ERROR_WANTED) and (certain or len(outcomes) < MOST_FIELDS) and not outcomes[-1].counterexample():
        outcomes.append(run_exactly(text, d, rng, certain, [outcome.field.q for outcome in outcomes]))
    yield "function", _function(outcomes, statements["function"])
    yield "cost", _cost(outcomes[0], statements["cost"])
    yield "rounding", rounding(text, d, rng, statements["rounding"])


def _layout(text: Text, d: Declaration, statement: str) -> Verdict:
    """Compare the place functions with the declared layouts, index by index."""
    with blaming(text, "layout"):
        program = text.load()
    j = np.arange(d.N)
    for side in ("input", "output"):
        with blaming(text, "layout"):
            found, last = (np.asarray(program[f"{side}_place"](index)) for index in (j, d.N - 1))
        wanted = np.asarray(d.layout(side).place(j))
        if found.shape != wanted.shape or found.dtype.kind not in "iu" or not np.array_equal(found[:, -1], last):
            raise Wrong(
                "layout", f"{side}_place of {d.N} indices gives {found.dtype} of shape {found.shape}: it is (rank, offset) of an index or of each"
            )
        wrong = np.flatnonzero((found != wanted).any(axis=0))
        if len(wrong):
            places = f"{tuple(found[:, wrong[0]].tolist())}, but in the {getattr(d, side)} layout it is {tuple(wanted[:, wrong[0]].tolist())}"
            raise Wrong("layout", f"{side}_place({wrong[0]}) = {places}")
    return Checked(statement, f"all {d.N} indices of input and output")


def _messages(outcome: Outcome, statement: str) -> Verdict:
    """Return that the run went through, which it did, unless something is left open."""
    leaks = outcome.run.leaks
    if leaks:
        more = f", and {len(leaks) - 1} more" if len(leaks) > 1 else ""
        raise Wrong("messages", f"{leaks[0]} after plan.free(){more}")
    calls = len(outcome.run.trace.operations)
    return Checked(statement, f"one run with rendezvous sends, {calls} calls of the communicator; without wildcards one run decides every schedule")


def _function(outcomes: list[Outcome], statement: str) -> Verdict:
    """Return whether all outputs were as wanted."""
    counterexample = next(filter(None, (outcome.counterexample() for outcome in outcomes)), "")
    if counterexample:
        raise Wrong("function", counterexample)
    first, last = outcomes[0], outcomes[-1]
    error = _error(outcomes)
    units = f"all e_j and i e_j{'' if last.inputs.units else ' (in the first)'}, " if first.inputs.units else ""
    runs = f"run over {len(outcomes)} fields GF(q) with {units}{GEOMETRIC} vectors of powers and zero"
    argument = f"{last.evidence} in each" if error else f"a difference would vanish in {first.hiding} of them at most: nothing is left to chance"
    return Checked(statement, f"{runs}; {argument}", float(f"{error:.2e}"))


def _error(outcomes: list[Outcome]) -> float:
    """Return a bound of the probability that a wrong program passes all of these runs, which have different q."""
    certain = all(outcome.inputs.units for outcome in outcomes) and len(outcomes) > max(outcome.hiding for outcome in outcomes)
    return 0.0 if certain else prod(outcome.error for outcome in outcomes)


def _cost(outcome: Outcome, statement: str) -> Verdict:
    """Compare the trace with the counted cost."""
    counted, trace = counted_cost(outcome.declaration), outcome.run.trace
    figures = {name: (getattr(trace, name), getattr(counted, name)) for name in ("exchanges", "messages", "words")}
    wrong = [f"{found} {name} instead of {wanted}" for name, (found, wanted) in figures.items() if found != wanted]
    if wrong:
        return Refuted(statement, ", ".join(wrong))
    return Checked(statement, ", ".join(f"{found} {name}" for name, (found, _) in figures.items()) + ", the most of any rank")


def main(arguments: list[str]) -> None:
    """Try the text on standard input and print the report as JSON."""
    seconds, name, seed = arguments
    limit(int(seconds))
    try:
        report = tried(name, sys.stdin.read(), int(seed))
    except (ValueError, OSError, NotModelled, MemoryError) as error:
        sys.exit("; ".join(str(error).splitlines()) or "the program needs more memory than it is given")
    fields = [{"q": field.q, "order": field.order, "w": field.w} for field in report.fields]
    verdicts = {name: {"verdict": type(verdict).__name__, **vars(verdict)} for name, verdict in report.verdicts.items()}
    print(json.dumps({"declared": report.declaration.as_json(), "verdicts": verdicts, "fields": fields}))


if __name__ == "__main__":
    main(sys.argv[1:])
