"""Programs evaluated in parts, as the checks do."""

from proofs.certify.evaluation.evaluated_source import Text
from proofs.certify.evaluation.evaluation import Evaluation, declaration_of
from proofs.certify.failures import Wrong
from proofs.certify.fields.field_run import run_over_field


def evaluated(program):
    """Return the evaluation of a program, and what it declares."""
    evaluation = Evaluation(Text.read("prog.py", program))
    return evaluation, declaration_of(evaluation)[0]


def once(program):
    """Return one transform over a random field, and what the program declares."""
    evaluation, d = evaluated(program)
    return run_over_field(evaluation, d, units=False), d


def right(outcome):
    """Raise Wrong where an output of a run is wrong."""
    if outcome.counterexample():
        raise Wrong("function", outcome.counterexample())
