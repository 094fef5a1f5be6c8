"""What a program does at the edges of its type.

A result that the type can hold does not overflow on its way, an infinity or a NaN is not hidden,
and no array of a batch touches another one, however large.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import product

import numpy as np

from proofs.certify.checks.messages import transformed_numbers
from proofs.certify.declaration import Transform
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.language.assumptions import TESTS
from proofs.certify.ordinary.rounding import (
    NAME,
    Vector,
    apart,
    extremes,
    natural_order,
    random_vector,
    relative_error,
    tolerance_of,
)
from proofs.certify.scripts.evaluation_jobs import Parts, arrays_of
from proofs.certify.scripts.usage import Do, Free, Make, Script

ROOM = 3
"""Impulses are 2^-ROOM times the power of two above the largest number of their type."""
IMPULSES = 2
SLACK = 8
"""The error of one impulse, or of one array of a batch, may be this many times that of a random
vector: an overflow, or another array, is larger than that.
"""
SPOILED_RANKS = 8
"""On so many ranks one element is spoiled, of a program that asks for infinities or NaN."""
DEPENDS = 1e-3
"""An output depends on an element if the entry of the matrix is at least this part of the largest
in its column: smaller ones are 0.
"""


def refuse_at_edges(evaluation: Evaluation, d: Transform, rng: np.random.Generator) -> None:
    """Raise Wrong where a transform of such numbers is not accurate; of products of data none is
    tried.
    """
    if d.degree == 1:
        with np.errstate(all="ignore"):
            _refuse_large(evaluation, d, rng)
            _refuse_arrays(evaluation, d, rng)
    refuse_hiding_one(evaluation, d, rng)


def refuse_hiding_one(evaluation: Evaluation, d: Transform, rng: np.random.Generator) -> None:
    """Raise Wrong where a program that asks for infinities or NaN hides a single one: in the real
    or the imaginary part of one element of a rank.

    Exact elements are finite: what it does where they are not is known from these numbers alone.
    """
    if d.degree > 1 or not any(name in TESTS for _, name in evaluation.asked):
        return
    held, parts = d.indices("input"), (1, 1j)[: d.parts]
    ranks = [rank for rank in range(d.P) if len(held[rank])]
    with np.errstate(all="ignore"), contextlib.suppress(NotModelled):
        for rank in rng.permutation(ranks)[:SPOILED_RANKS]:
            j = int(rng.choice(held[rank]))
            for part, value in product(parts, (np.inf, np.nan)):
                _refuse_hiding_at(evaluation, d, random_vector(d, rng), j, part, value)


def _refuse_large(evaluation: Evaluation, d: Transform, rng: np.random.Generator) -> None:
    """Raise Wrong where an impulse near the largest number, on a vector whose elements are that
    number over the number of points, is not transformed right.
    """
    count = d.count("input")
    scale = 2.0 ** (int(np.finfo(d.dtype).maxexp) - ROOM)
    places = rng.integers(count, size=IMPULSES)
    level = 2.0 ** -np.ceil(np.log2(d.points))
    data = [scale * (level + (np.arange(count) == j)) for j in places]
    for j, x, parts in zip(places, data, _transformed(evaluation, d, data), strict=True):
        error = relative_error(d, d.reference(x / scale), parts, scale)
        if not error <= SLACK * tolerance_of(d, evaluation.flops)[0]:
            raise Wrong(
                NAME,
                f"for x_{j} = {scale * (1 + level):.3g} and other elements {scale * level:.3g} the"
                " result is not accurate, or an intermediate value overflows, though the result is"
                " in range",
            )


def _refuse_arrays(evaluation: Evaluation, d: Transform, rng: np.random.Generator) -> None:
    """Raise Wrong where arrays touch each other, or hide an infinity or a NaN of all elements."""
    arrays = arrays_of(d, "input")
    batch = len(arrays)
    if batch > 1:
        spread = np.empty(d.count("input"))
        spread[arrays] = 2.0 ** np.linspace(*extremes(d), batch).round()[:, None]
        x = random_vector(d, rng) * spread
        for b in _inaccurate(d, x, _transformed(evaluation, d, [x])[0]):
            words = "is not accurate when the other arrays are much larger"
            raise Wrong(NAME, f"array {b} of the batch {words}")
    for bit, which in product(range(max(1, (batch - 1).bit_length())), (0, 1)):
        x = random_vector(d, rng)  # two arrays differ in a bit
        spoiled = [b for b in range(batch) if b >> bit & 1 == which] or [0]
        x[arrays[spoiled]] = (np.inf, np.nan)[which]
        _refuse_hiding(evaluation, d, x, spoiled)


def _refuse_hiding(evaluation: Evaluation, d: Transform, x: Vector, spoiled: list[int]) -> None:
    """Raise Wrong where what is no number is not seen in the results of these arrays of a batch, or
    is seen in that of another one; a program may refuse it, which raises an exception.
    """
    if (parts := _unless_refused(evaluation, d, x)) is None:
        return
    arrays = arrays_of(d, "output")
    if np.isfinite(natural_order(d, parts)[arrays[spoiled]]).all(axis=1).any():
        raise Wrong(NAME, "the result for an input with an infinity or a NaN is finite")
    if len(spoiled) == len(arrays):
        return
    for b in _inaccurate(d, x, parts):
        if b not in spoiled:
            raise Wrong(
                NAME, f"an infinity or a NaN of another array of the batch reaches array {b}"
            )


def _refuse_hiding_at(
    evaluation: Evaluation, d: Transform, x: Vector, j: int, part: complex, value: float
) -> None:
    """Raise Wrong where one part of element j is no number, and an output that depends on it is
    finite; a program may refuse it, which raises an exception.
    """
    unit = (part * (np.arange(len(x)) == j)).astype(x.dtype)
    column = np.abs(d.reference(unit))
    (x.real if part == 1 else x.imag)[j] = value
    if (parts := _unless_refused(evaluation, d, x)) is None:
        return
    hidden = np.isfinite(natural_order(d, parts)) & (column > DEPENDS * column.max())
    if hidden.any():
        which = "" if d.parts == 1 else f"the {'real' if part == 1 else 'imaginary'} part of "
        words = f"y_{int(np.argmax(hidden))} is finite, though {which}x_{j} is {value}"
        raise Wrong(NAME, f"{words}: the infinity or the NaN of one element is hidden")


def _unless_refused(evaluation: Evaluation, d: Transform, x: Vector) -> Parts | None:
    """Return the result by ranks, None where the program raises an exception."""
    try:
        return _transformed(evaluation, d, [x])[0]
    except Wrong as wrong:
        if wrong.name == NAME:
            return None
        raise


def _transformed(evaluation: Evaluation, d: Transform, data: list[Vector]) -> list[Parts]:
    """Return the results by ranks of transforms of vectors by one plan."""
    given = [x.astype(d.dtype_of("input")) for x in data]
    script: Script = (Make(0), *(Do(0, i) for i in range(len(data))), Free(0))
    return [parts for _, parts in transformed_numbers(evaluation, d, given, script, NAME)]


def _inaccurate(d: Transform, x: Vector, parts: Parts) -> Iterator[int]:
    """Yield the arrays of a batch whose transforms are not accurate, each by itself."""
    arrays = arrays_of(d, "output")
    rows = [side[arrays] for side in (natural_order(d, parts), d.reference(x.reshape(-1)))]
    for b, (have, wanted) in enumerate(zip(*rows, strict=True)):
        if not apart(have, wanted) <= SLACK * tolerance_of(d)[0]:
            yield b
