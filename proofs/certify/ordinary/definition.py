"""Ordinary numbers against the definition, where exact ones cannot be followed.

A program that computes with a constant of which no field is known to have an element is run on
floating-point numbers, in the same way. If a result is not the declared one, by far more than
numbers are rounded, the function is another one. If it is not accurate, rounding is refuted. Else
nothing is decided.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from codegen.kernels.widths import LANES
from proofs.certify.checks.messages import transformed_numbers
from proofs.certify.declaration import COMPILED, Transform, Vector
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.ordinary.rounding import (
    FAR,
    inaccurate,
    natural_order,
    relative_error,
    tolerance_of,
)
from proofs.certify.scripts.evaluation_jobs import Parts
from proofs.certify.scripts.usage import ONCE, Do, Script, use_of


class Inaccurate(Wrong):
    """A result is the declared one, but for an error that is above the tolerance."""


def refuse_other_results(
    evaluation: Evaluation,
    d: Transform,
    name: str,
    script: Script = ONCE,
    lanes: int = LANES,
    why: str = "",
    only_far: bool = False,
) -> None:
    """Raise Wrong where ordinary numbers show that a program does not compute what it declares, or,
    unless `only_far`, is not accurate.
    """
    steps = [step for step in script if isinstance(step, Do)]
    data = [example(d, i) for i in range(1 + max(max(step.given) for step in steps))]
    results = transformed_numbers(evaluation, d, data, script, name, lanes)
    wanted = {given: d.reference(*(data[i] for i in given)) for given in {s.given for s in steps}}
    for i, (step, parts) in enumerate(zip(steps, results, strict=True)):
        use = f"as {why}" if why else ""
        if not why and script != ONCE:
            use = f"in {use_of(evaluation.taken(script), i)}"
        with contextlib.suppress(Inaccurate) if only_far else contextlib.nullcontext():
            _refuse(d, name, step, wanted[step.given], parts, use, evaluation.flops)


def refuse_far_results(evaluation: Evaluation, d: Transform) -> None:
    """Raise Wrong where compiled kernels, evaluated on ordinary numbers as Python means them, are
    far from what is declared; how they round is measured on real ranks alone.
    """
    with contextlib.suppress(NotModelled):
        refuse_other_results(evaluation, d, "rounding")


def example(d: Transform, i: int) -> Vector:
    """Return vector i of those that are tried: exp(i j²), exp(2i j²), .., of real ones cosines."""
    angles = (i + 1) * np.arange(d.count("input"), dtype=np.float64) ** 2
    x = np.exp(1j * angles) if d.parts == 2 else np.cos(angles)
    return x.astype(d.dtype_of("input"))


def _refuse(
    d: Transform, name: str, step: Do, wanted: Vector, parts: Parts, why: str, flops: float
) -> None:
    error, (tolerance, _) = relative_error(d, wanted, parts), tolerance_of(d, flops)
    if not error > tolerance:
        return
    if error > FAR * tolerance:
        found = natural_order(d, parts)
        k = int(np.argmax(np.nan_to_num(np.abs(found - wanted), nan=np.inf)))
        raise Wrong(
            name,
            f"for {in_words(d, step)} the output y_{k} is {_number(found[k])}, not"
            f" {_number(wanted[k])} (on ordinary numbers{', ' * bool(why)}{why})",
        )
    if d.kernels not in COMPILED:
        raise Inaccurate(
            "rounding", inaccurate(d, error, f", for {in_words(d, step)} ({why})", flops)
        )


def in_words(d: Transform, step: Do) -> str:
    """Return the inputs of a step, of those that are tried."""
    function = "exp(i " if d.parts == 2 else "cos("
    given = zip("xz", step.given, strict=False)
    several = [f"{name}_j = {function}{f'{i + 1} ' * (i > 0)}j²)" for name, i in given]
    return " and ".join(several)


def _number(value: Any) -> str:
    return f"{complex(value):.12g}" if np.iscomplexobj(value) else f"{float(value):.12g}"
