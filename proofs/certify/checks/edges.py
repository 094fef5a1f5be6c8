"""Numbers at the edges of their type: impulses at the top of its range, infinities and NaN, and the
arrays of a batch of very different sizes, or such ones among others.

A result that the type can hold does not overflow on its way, what is no number is not hidden, and
no array of a batch touches another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from proofs.certify.checks.messages import transformed_numbers
from proofs.certify.checks.rounding import (
    Vector,
    extremes,
    random_vector,
    reference,
    relative_error,
    tolerance_of,
)
from proofs.certify.declaration import Transform
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.failures import Wrong
from proofs.certify.scripts.traffic import Traffic
from proofs.certify.scripts.usage import Do, Free, Make, Script

NAME = "rounding"
ROOM = 4
"""An impulse is by so many bits smaller than the range of its type."""
IMPULSES = 2
SLACK = 8
"""By so much the error of one impulse, or of one array of a batch, may be above that of a random
vector: an overflow, or another array, is not of that order.
"""


def refuse_at_edges(
    evaluation: Evaluation, d: Transform, rng: np.random.Generator, run: Traffic
) -> None:
    """Raise Wrong where a transform of such numbers is not accurate; of products of data none is
    tried.
    """
    if d.degree == 1:
        with np.errstate(all="ignore"):
            _refuse(evaluation, d, rng, run)


def _refuse(evaluation: Evaluation, d: Transform, rng: np.random.Generator, run: Traffic) -> None:
    batch = getattr(d, "batch", 0)
    scale = 2.0 ** (int(np.finfo(d.dtype).maxexp) - ROOM)
    places = rng.integers(d.N, size=IMPULSES)
    spread = np.repeat(2.0 ** np.linspace(*extremes(d), batch or 1).round(), d.N // (batch or 1))
    data = [scale * (np.arange(d.N) == j) for j in places]
    data += [random_vector(d, rng) * spread] * (batch > 1)
    results = _transformed(evaluation, d, data, run)
    for j, parts in zip(places, results, strict=False):
        wanted = reference(d, scale * (np.arange(d.N) == j), scale)
        if not relative_error(d, wanted, parts, scale) <= SLACK * tolerance_of(d)[0]:
            words = f"for x_{j} = {scale:.3g} and other elements 0 the result is not accurate"
            raise Wrong(NAME, f"{words}, or overflows on its way: it is in the range of the type")
    if batch > 1:
        for b in _inaccurate(d, data[-1], results[-1]):
            words = "is not accurate where others are much larger"
            raise Wrong(NAME, f"array {b} of the batch {words}")
    for bit, which in product(range(max(1, (batch - 1).bit_length())), (0, 1)):
        rows = random_vector(d, rng).reshape(batch or 1, -1)  # two arrays differ in a bit
        spoiled = [b for b in range(len(rows)) if b >> bit & 1 == which] or [0]
        rows[spoiled] = (np.inf, np.nan)[which]
        _refuse_hiding(evaluation, d, rows, spoiled, run)


def _refuse_hiding(
    evaluation: Evaluation, d: Transform, rows: Vector, spoiled: list[int], run: Traffic
) -> None:
    """Raise Wrong where what is no number is not seen in the results of these arrays of a batch, or
    is seen in that of another one; a program may refuse it, which raises an exception.
    """
    try:
        [parts] = _transformed(evaluation, d, [rows.reshape(-1)], run)
    except Wrong as wrong:
        if wrong.name == NAME:
            return
        raise
    if np.isfinite(_natural(d, parts).reshape(rows.shape)[spoiled]).all(axis=1).any():
        raise Wrong(NAME, "the result of an input with an infinity, or a NaN, is finite")
    for b in _inaccurate(d, rows, parts):
        if b not in spoiled:
            raise Wrong(NAME, f"an infinity, or a NaN, of other arrays of a batch is in array {b}")


def _transformed(
    evaluation: Evaluation, d: Transform, data: list[Vector], run: Traffic
) -> list[Vector]:
    """Return the results, of shape (P, M), of transforms of vectors by one plan."""
    given = [x.astype(d.dtype) for x in data]
    script: Script = (Make(0), *(Do(0, i) for i in range(len(data))), Free(0))
    counted = not run.accesses
    return [
        parts for _, parts in transformed_numbers(evaluation, d, given, script, NAME, run, counted)
    ]


def _natural(d: Transform, parts: Vector) -> Vector:
    """Return a result in natural order."""
    found = np.empty(d.N, np.clongdouble if d.parts == 2 else np.longdouble)
    found[d.indices("output")] = parts
    return found


def _inaccurate(d: Transform, x: Vector, parts: Vector) -> Iterator[int]:
    """Yield the arrays of a batch whose transforms are not accurate, each by itself."""
    shape = x.shape if x.ndim > 1 else (d.whole[0], -1)
    rows = [side.reshape(shape) for side in (_natural(d, parts), reference(d, x.reshape(-1)))]
    for b, (have, wanted) in enumerate(zip(*rows, strict=True)):
        error = np.sqrt(np.sum(np.abs(have - wanted) ** 2) / np.sum(np.abs(wanted) ** 2))
        if not error <= SLACK * tolerance_of(d)[0]:
            yield b
