"""What is said of a wrong output: in complex numbers where ordinary numbers show it, else by residues,
and from which superstep on the data are wrong.
"""  # noqa: E501

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from proofs.certify.checks.definition import example
from proofs.certify.checks.rounding import FAR, natural_order, reference, tolerance_of
from proofs.certify.checks.stimuli import GEOMETRIC
from proofs.certify.declaration import Transform
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.fields.field_run import Outcome
from proofs.certify.fields.first_difference import superstep_of
from proofs.certify.scripts.jobs import OfNumbers
from proofs.certify.scripts.usage import ONCE


def explained(evaluation: Evaluation, outcome: Outcome) -> str:
    """Return an output of a refuted transform that is wrong, and the superstep from which on the
    data are, where that is known; "" where all outputs are as wanted.
    """
    residues = outcome.counterexample()
    if not residues:
        return ""
    words = ""
    with contextlib.suppress(Wrong, NotModelled):
        words = _in_numbers(evaluation, outcome)
    return (words or residues) + superstep_of(evaluation, outcome)


def _in_numbers(evaluation: Evaluation, outcome: Outcome) -> str:
    """Return a wrong output as a number, an entry of the matrix where the input is a basis vector;
    "" where ordinary numbers agree with the definition.
    """
    d, wrong = outcome.declaration, outcome.first_wrong()
    assert wrong is not None, "an output is wrong"
    k, column = wrong
    unit, name, x = column > GEOMETRIC, outcome.inputs.name(column), _input(d, column)
    job = OfNumbers(d, (x[d.indices("input")],), ONCE, "function")
    _, [parts] = evaluation.ask(job, [(d.dtype, (d.P, d.M))])
    found, wanted = natural_order(d, parts), reference(d, x)
    apart = np.nan_to_num(np.abs(found - wanted), nan=np.inf)
    if column and not unit:
        name = f"x_j = {'exp(i j²)' if d.parts == 2 else 'cos(j²)'}"
        k = int(np.argmax(apart))
    if not apart[k] > FAR * tolerance_of(d)[0] * np.abs(wanted).max():
        return ""
    return f"for {name} the output y_{k} is {_written(found[k])}, not {_written(wanted[k])}"


def _input(d: Transform, column: int) -> Any:
    """Return an input as ordinary numbers: of a basis vector these, in place of powers others."""
    if 0 < column <= GEOMETRIC:
        return example(d, 0)
    i, j = divmod(max(column - 1 - GEOMETRIC, 0), d.N)
    return ((np.arange(d.N) == j) * (1j if i else 1) * bool(column)).astype(d.dtype)


def _written(number: Any) -> str:
    """Return a number with four digits of each part.

    >>> _written(0.7071067811865475 - 0.70710678118654j), _written(3e-17 + 1j), _written(2.0)
    ('0.7071-0.7071i', '1i', '2')
    """
    least = 1e-9 * abs(number)
    real, imaginary = (
        f"{float(part):.4g}" * bool(abs(part) > least) for part in (number.real, number.imag)
    )
    sign = "+" * bool(real and imaginary and not imaginary.startswith("-"))
    return f"{real}{sign}{imaginary}{'i' * bool(imaginary)}" or "0"
