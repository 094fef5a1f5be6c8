"""The checks of a program: what it says, what it computes, what its ranks send, how it rounds.

The program is evaluated; what it comes to is compared here with what is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from codegen.systems.exchanges import WAYS
from derive.fields import RootField
from derive.papers.bsp_variants import REPRODUCIBLE
from derive.verdict import Checked, Refuted, Verdict
from proofs.certify.checks.convolution_check import (
    convolution,
    not_followed,
    operations_of,
    refuse_far_convolutions,
)
from proofs.certify.checks.cost_check import by_its_own, cost, dearer, measured, states_cost
from proofs.certify.checks.exact_checks import exactly
from proofs.certify.checks.invalid_arguments import left_open, with_left_open
from proofs.certify.checks.layout_check import layout
from proofs.certify.checks.messages import messages_of, other_messages
from proofs.certify.checks.nodes import between_nodes, places
from proofs.certify.checks.transform import (
    contract,
    evidence_of_runs,
    function,
    refuse_rounding,
    refuse_wrong,
    worst_of,
)
from proofs.certify.declaration import COMPILED, CONVOLVE, Transform
from proofs.certify.declared_constants import check_reach
from proofs.certify.evaluation.evaluated_source import Text
from proofs.certify.evaluation.evaluation import Evaluation, Listener, declaration_of
from proofs.certify.evaluation.invalid_use import find_refused
from proofs.certify.evaluation.ranks import SECONDS
from proofs.certify.exact.constants import NoConstant
from proofs.certify.exact.extension import Extension
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.fields.chance import figures_of, has_units, stated
from proofs.certify.fields.field_run import Outcome, run_over_field
from proofs.certify.head import refuse_head, wrong_cost
from proofs.certify.language.tables.numpy_names import CHANCE
from proofs.certify.last_section import main_of
from proofs.certify.ordinary.definition import refuse_far_results, refuse_other_results
from proofs.certify.ordinary.edges import refuse_at_edges
from proofs.certify.ordinary.reproducible_bits import STATEMENT, same_bits
from proofs.certify.ordinary.rounding import rounding
from proofs.certify.ordinary.spoiled_numbers import refuse_hiding
from proofs.certify.real import real_ranks
from proofs.certify.real.measured import RealNumbers
from proofs.certify.rows import AS_STATED, BITS, NODES, all_hold
from proofs.certify.scripts.traffic import Traffic
from proofs.certify.verdict_words import statements_of

SINGLE = (np.float32, np.complex64)


@dataclass
class Trial:
    """A text on trial: who runs it, what it declares, what it has when it is loaded, and what is
    stated of it; the verdicts on it by their names, and the figures that their evidence is made
    from; `outcomes` has one for each field that is drawn.
    """

    evaluation: Evaluation
    declaration: Any
    loaded: dict[str, Any]
    statements: dict[str, str]
    real: RealNumbers
    outcomes: list[Outcome] = field(default_factory=list)
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    of_node: int = 0
    """How many ranks of a node exchange as one, where not all do."""

    @property
    def fields(self) -> tuple[RootField, ...]:
        """The fields that the verdicts were decided in."""
        return tuple(outcome.field for outcome in self.outcomes)

    def main(self) -> Verdict:
        """Return whether main is covered."""
        return main_of(self.evaluation.source.text, self.loaded)

    def invalid_use(self) -> str:
        """Return why it is not decided that invalid use is refused."""
        return left_open(self.evaluation, self.declaration, self.main())

    def cost(self, run: Traffic, several: Traffic | None = None) -> Verdict:
        """Return the verdict on the cost of one transform, and of several."""
        d, statement, text = self.declaration, self.statements["cost"], self.evaluation.source.text
        found = cost(d, run, statement, self.of_node)
        if not states_cost(text):
            return measured(run) if isinstance(found, Refuted) else found
        if isinstance(found, Refuted):
            found = by_its_own(text, d, run, found)
        elif differs := wrong_cost(d, text, run):
            found = Refuted(AS_STATED, differs)
        words = "" if several is None else dearer(run, several)
        return Refuted(found.statement, words) if words and found.holds else found


def tried(
    name: str,
    text: str,
    seed: int,
    short: bool = False,
    seconds: int = SECONDS,
    on_real: int | None = None,
    listener: Listener | None = None,
) -> Trial:
    """Return a text on trial with the verdicts on it, up to the first refutation that leaves later
    ones undecided; `short` runs one transform only.

    A program for at most `on_real` ranks is run on real ones, too, and a verdict says so; without
    that number there is no such verdict. Raises ValueError where it is no program with a contract,
    NotModelled where it uses what cannot be run here.
    """
    CHANCE.seed(seed)
    evaluation = Evaluation(Text.read(name, text), seconds, listener)
    d, loaded = declaration_of(evaluation)
    evaluation.operations = operations_of(d, loaded["functions"])
    check_reach(d, d.kernels in COMPILED and not evaluation.source.section)
    while True:
        evaluation.rng = np.random.default_rng(seed)
        most = None if short else on_real
        real = RealNumbers(evaluation, d, most)
        trial = Trial(evaluation, d, loaded, statements_of(d), real)
        try:
            _decide(trial, short)
            break
        except NoConstant as unknown:
            if (found := evaluation.extended(d, unknown)) == evaluation.extension:
                raise
            evaluation.extension = found
    if all_hold(trial.verdicts):
        refuse_head(d, name, text, trial.verdicts["cost"].statement == AS_STATED)
    return trial


def _decide(trial: Trial, short: bool) -> None:
    """Find the verdicts, up to the first refutation that leaves later ones undecided."""
    try:
        for check, verdict in _checks(trial, short):
            trial.verdicts[check] = verdict
            if check == "messages":
                d = trial.declaration
                nodes = [where.nodes for where in places(d)] if WAYS[d.exchange].of_nodes else []
                find_refused(trial.evaluation, d, trial.main(), nodes)
    except Wrong as wrong:
        _refuse_unlikely(trial, wrong)
        trial.verdicts[wrong.name] = Refuted(trial.statements[wrong.name], wrong.counterexample)


def _refuse_unlikely(trial: Trial, wrong: Wrong) -> None:
    """Raise NotModelled where ordinary numbers agree with the definition, and exact ones do not, of
    which some may be others than the program means: of a field that was chosen by its constants,
    and in single precision, where some numbers are as near to a scaled cosine as a rounded one is.
    """
    d, extension = trial.declaration, trial.evaluation.extension
    likely = extension == Extension() and d.dtype not in SINGLE
    if wrong.name != "function" or likely or not isinstance(d, Transform):
        return
    try:
        refuse_other_results(trial.evaluation, d, wrong.name)
    except Wrong:
        return
    raise NotModelled(
        f"ordinary numbers agree with the definition, but on exact ones {wrong.counterexample}: a"
        " constant may be taken for another one"
    )


def _checks(trial: Trial, short: bool) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdicts by name, in order; raise Wrong at the first that leaves later ones
    undecided.
    """
    trial.evaluation.tell("layout")
    yield "layout", layout(trial.evaluation, trial.declaration, trial.statements["layout"])
    ran = _transforms if isinstance(trial.declaration, Transform) else exactly
    yield from ran(trial, short)
    if WAYS[trial.declaration.exchange].of_nodes:
        yield NODES, between_nodes(trial, lambda other, brief: ran(other, short or brief))
    yield "main", trial.main()
    if trial.real.most is not None:
        trial.evaluation.tell("ran")
        trial.figures["ran"] = {"most": trial.real.most}
        yield "ran", real_ranks.ran(trial.evaluation, trial.declaration, trial.real.run)


def _transforms(trial: Trial, short: bool) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdicts on a transform: of unit vectors where that is feasible, else of vectors of
    powers, which are all in a short check.
    """
    evaluation, d = trial.evaluation, trial.declaration
    said, outcomes = trial.statements, trial.outcomes
    if not short:
        evaluation.tell("messages")
    units = not short and d.degree == 1 and has_units(d.N, d.P)
    outcomes.append(run_over_field(evaluation, d, units))
    run, by_field = outcomes[0].run, list[list[list[Outcome]]]()
    yield "messages", messages_of(run, said["messages"])
    if short:
        refuse_wrong(evaluation, outcomes)
        error = stated(outcomes[0].chance.error)
        yield "function", Checked(said["function"], evidence_of_runs(outcomes), error)
        yield "cost", trial.cost(run)
        yield from _convolution(trial)
        return
    try:
        yield "function", function(evaluation, d, outcomes, said["function"])
        trial.figures["function"] = figures_of([outcome.chance for outcome in outcomes])
        verdict = contract(evaluation, d, by_field, said["contract"])
    finally:
        outcomes += [scripts[0][0] for scripts in by_field]
    several = by_field[0][0][0].run
    trial.figures["contract"] = figures_of(worst_of(by_field))
    why = other_messages(run, several) or trial.invalid_use()
    yield "contract", with_left_open(verdict, why)
    yield "cost", trial.cost(run, several)
    evaluation.tell("rounding")
    yield "rounding", _rounding(trial)
    yield from _convolution(trial)


def _rounding(trial: Trial) -> Verdict:
    evaluation, d, statement = trial.evaluation, trial.declaration, trial.statements["rounding"]
    if trial.real.measures:
        refuse_far_results(evaluation, d)
        refuse_hiding(evaluation, d)
        return trial.real.rounding(statement, evaluation.source.said)
    found = rounding(evaluation, d, statement)
    if found.holds:
        refuse_rounding(evaluation, d)
        refuse_at_edges(evaluation, d)
    return found


def _convolution(trial: Trial) -> Iterator[tuple[str, Verdict]]:
    """Yield the verdict on the same bits for every P, where they are declared, and that on the
    function `convolve` of a Hartley program, if it has one; none where kernels are compiled, of
    which only linear ones are followed, or a rank has many elements.
    """
    d = trial.declaration
    if getattr(d, "phases", "") == REPRODUCIBLE:
        measured_there = trial.real.measures
        yield (
            BITS,
            trial.real.bits(STATEMENT) if measured_there else same_bits(trial.evaluation, d),
        )
    if CONVOLVE not in trial.evaluation.operations:
        return
    if not_followed(trial.evaluation, d):
        refuse_far_convolutions(trial.evaluation, d)
        return
    outcomes, verdict = convolution(trial.evaluation, d, trial.statements["convolution"])
    trial.outcomes += outcomes
    trial.figures["convolution"] = figures_of([outcome.chance for outcome in outcomes])
    yield "convolution", verdict
