"""What is said of a wrong output: that it is not written, or what it is in complex numbers where
ordinary numbers show it; and from which superstep on the data are wrong.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.kernels.widths import LANES
from proofs.certify.checks.messages import transformed_numbers
from proofs.certify.declaration import Transform
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.fields.field_run import Outcome
from proofs.certify.fields.first_difference import superstep_of
from proofs.certify.ordinary.definition import example, in_words
from proofs.certify.ordinary.rounding import FAR, natural_order, tolerance_of
from proofs.certify.ordinary.stimuli import Stimuli
from proofs.certify.scripts.usage import NO_OUT, ONCE, Do, Script

ALIGNED = "is_byte_aligned"
OF_ADDRESSES = (
    f"the result depends on the address of an array, which the program asks for with {ALIGNED}: x"
    " and out begin at any multiple of 8 bytes"
)
"""What is said where ordinary numbers, at other addresses, agree with the definition."""


def explained(evaluation: Evaluation, outcome: Outcome, lanes: int = LANES) -> str:
    """Return an output of a refuted transform that is wrong, and the superstep from which on the
    data are, where that is known; "" where all outputs are as wanted.
    """
    words = explained_in(evaluation, [outcome], 0, ONCE, "function", lanes)
    return words and words + superstep_of(evaluation, outcome)


def explained_in(
    evaluation: Evaluation,
    outcomes: Sequence[Outcome],
    number: int,
    script: Script,
    name: str,
    lanes: int = LANES,
) -> str:
    """Return an output that is wrong of the transform of this number, from 0, in a script which is
    followed for the statement of this name; "" where all its outputs are as wanted.
    """
    outcome = outcomes[number]
    if outcome.first_wrong() is None:
        return ""
    if words := _unwritten(outcome, number, script):
        return words
    with contextlib.suppress(Wrong, NotModelled):
        words = _in_numbers(evaluation, outcome, number, script, name, lanes)
    if not words and ALIGNED in evaluation.source.text:
        return OF_ADDRESSES
    return words or outcome.counterexample()


def _steps(script: Script) -> list[Do]:
    return [step for step in script if isinstance(step, Do)]


def _unwritten(outcome: Outcome, number: int, script: Script) -> str:
    """Return the first output that has no value; "" where each has one."""
    missing = np.flatnonzero((outcome.found < 0).any(axis=(1, 2)))
    if not missing.size:
        return ""
    k, others = missing[0], len(missing) - 1
    rank, offset = outcome.declaration.layout("output").place(int(k))
    in_out = _steps(script)[number].into != NO_OUT
    name = f"y_{k} of `out`" if in_out else f"y_{k}"
    more = f", nor {'is 1 other' if others == 1 else f'are {others} others'}" * bool(others)
    is_left = bool(number) and not in_out
    left = "; it is uninitialised, or left over from an earlier transform" * is_left
    at = f"offset {offset} on rank {rank}"
    return f"the output {name} ({at}) is not written{more}{left}"


def _in_numbers(
    evaluation: Evaluation, outcome: Outcome, number: int, script: Script, name: str, lanes: int
) -> str:
    """Return a wrong output as a number, an entry of the matrix where the input is a basis vector;
    "" where ordinary numbers agree with the definition.
    """
    d, wrong, step = outcome.declaration, outcome.first_wrong(), _steps(script)[number]
    assert wrong is not None, "an output is wrong"
    k, column = wrong
    unit = script == ONCE and column >= outcome.inputs.powers
    count = 1 + max(max(each.given) for each in _steps(script))
    data = [_input(d, outcome.inputs, column)] if unit else [example(d, i) for i in range(count)]
    parts = transformed_numbers(evaluation, d, data, script, name, lanes)[number]
    found, wanted = natural_order(d, parts), d.reference(*(data[i] for i in step.given))
    apart = np.nan_to_num(np.abs(found - wanted), nan=np.inf)
    k = k if unit else int(np.argmax(apart))
    if not apart[k] > FAR * tolerance_of(d)[0] * np.abs(wanted).max():
        return ""
    given = outcome.inputs.name(column) if unit else in_words(d, step)
    return f"for {given} the output y_{k} is {_written(found[k])}, not {_written(wanted[k])}"


def _input(d: Transform, inputs: Stimuli, column: int) -> Any:
    """Return the zero vector or a basis vector as ordinary numbers."""
    i, j = inputs.unit(column)
    indices = np.arange(d.count("input"))
    return ((indices == j) * (0, 1, 1j)[i + 1]).astype(d.dtype_of("input"))


def _written(number: Any) -> str:
    """Return a number with four digits of each part.

    >>> _written(0.7071067811865475 - 0.70710678118654j), _written(3e-17 + 1j), _written(2.0)
    ('0.7071-0.7071i', '1i', '2')
    >>> _written(complex("nan"))
    'NaN'
    """
    if not np.isfinite(number):
        return "NaN" if np.isnan(number) else "infinite"
    least = 1e-9 * abs(number)
    real, imaginary = (
        f"{float(part):.4g}" * bool(abs(part) > least) for part in (number.real, number.imag)
    )
    sign = "+" * bool(real and imaginary and not imaginary.startswith("-"))
    return f"{real}{sign}{imaginary}{'i' * bool(imaginary)}" or "0"
