"""What a program computes over GF(p): its results against the definition, on all unit vectors where
N is small, else on random vectors.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from proofs.certify.checks.messages import transformed_numbers
from proofs.certify.checks.transform import in_all_uses
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.fields.chance import has_units, stated
from proofs.certify.modular.number_theoretic import NumberTheoretic, Vector
from proofs.certify.scripts.evaluation_jobs import natural, scattered
from proofs.certify.scripts.traffic import Traffic
from proofs.certify.scripts.usage import ONCE, VECTORS, Script, use_of, vectors


def on_residues(d: NumberTheoretic, has_units: bool = False) -> tuple[str, float]:
    """Return on which vectors a program is decided, and a bound of the probability that a wrong one
    passes.
    """
    where = f"over GF({d.modulus}), where results are affine in x"
    if has_units and _takes_units(d):
        return f"{where}, on 0 and all e_j: nothing is left to chance", 0.0
    error = stated(d.error)
    return (
        f"{where}, on {d.vectors} random vectors: an error is missed with probability {error:.1e}",
        error,
    )


def _takes_units(d: NumberTheoretic) -> bool:
    return has_units(d.N, d.P)


def computed_once(evaluation: Evaluation, d: NumberTheoretic) -> Traffic:
    """Return the traffic of one transform; raise Wrong unless it is the definition."""
    x = d.units() if _takes_units(d) else d.drawn(evaluation.rng, d.vectors)
    try:
        return _computed(evaluation, d, [x], ONCE, "function")
    except NotModelled as unknown:
        with contextlib.suppress(NotModelled):
            _refuse_numbers(evaluation, d, str(unknown))
        raise


def computed_again(evaluation: Evaluation, d: NumberTheoretic) -> Traffic:
    """Return the traffic of transforms that share plans; raise Wrong unless each is right."""
    data = [d.drawn(evaluation.rng, d.vectors) for _ in range(VECTORS)]
    return in_all_uses(evaluation, d, lambda each: _computed(evaluation, d, data, each, "contract"))


def _computed(
    evaluation: Evaluation, d: NumberTheoretic, data: Sequence[Vector], script: Script, name: str
) -> Traffic:
    """Return the traffic of a script; raise Wrong where a residue is wrong, NotModelled where an
    output may be outside of [0, p).
    """
    parts = [scattered(d, vector) for vector in data]
    traffic, results = evaluation.in_residues(d, d.modulus, parts, script, name)
    for number, (i, by_rank) in enumerate(zip(vectors(script), results, strict=True)):
        found, bounds = (natural(d, side) for side in zip(*by_rank, strict=True))
        if words := _wrong(d, data[i], found, script == ONCE):
            use = use_of(evaluation.taken(script), number)
            raise Wrong(
                name, words if script == ONCE else f"{words}, in transform {number + 1} ({use})"
            )
        most, least = int(bounds[:, 0].max()), -int(bounds[:, 1].max())
        if most >= d.modulus or least < 0:
            raise NotModelled(
                f"y_k is right modulo {d.modulus}, but may be any integer from {least} to {most}"
            )
    return traffic


def _wrong(d: NumberTheoretic, x: Vector, found: Vector, once: bool) -> str:
    """Return the first wrong output, "" where all are as wanted."""
    wanted = d.reference(x)
    wrong = np.argwhere(found != wanted)
    if not len(wrong):
        return ""
    column, k = min((column, k) for k, column in wrong.tolist())
    if found[k, column] < 0:
        rank, offset = d.layout("output").place(k)
        return f"the output y_{k} (offset {offset} on rank {rank}) is not written"
    given = "a random vector"
    if once and _takes_units(d):
        given = f"the basis vector e_{column - 1}" if column else "the zero vector"
    values = f"{found[k, column]}, not {wanted[k, column]}"
    return f"for {given} the output y_{k} is {values}, modulo {d.modulus}"


def _refuse_numbers(evaluation: Evaluation, d: NumberTheoretic, why: str) -> None:
    """Raise Wrong where ordinary integers show that a program does not compute what it declares:
    for random residues, and for the largest.
    """
    data = [d.drawn(evaluation.rng)[:, 0], np.full(d.N, d.modulus - 1)]
    words = "a random vector", f"x_j = {d.modulus - 1}"
    for x, given in zip(data, words, strict=True):
        [parts] = transformed_numbers(evaluation, d, [x.astype(d.dtype)], ONCE, "function")
        found: NDArray[np.int64] = natural(d, parts)
        wanted = d.reference(x[:, None])[:, 0]
        for k in np.flatnonzero(found != wanted)[:1]:
            values = f"y_{k} is {found[k]}, not {wanted[k]}"
            cause = why.partition(" is not in the language")[0].partition(";")[0]
            raise Wrong(
                "function", f"for {given} the output {values} (on ordinary integers; {cause})"
            )
