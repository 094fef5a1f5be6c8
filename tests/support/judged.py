"""What a check says of a program's text."""

from derive.verdict import Refuted
from proofs.certify.checks.suite import tried


def verdicts(program, seed=0, **options):
    """Return the verdicts by name."""
    return tried("prog.py", program, seed, **options).verdicts


def refuted(program):
    """Return the names and counterexamples of what is refuted."""
    return {
        name: verdict.counterexample
        for name, verdict in verdicts(program).items()
        if isinstance(verdict, Refuted)
    }
