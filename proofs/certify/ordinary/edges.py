"""What a program does at the edges of its type.

A result that the type can hold does not overflow on its way, an infinity or a NaN is not hidden,
and no array of a batch touches another one, however large.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

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
    bits_of_axes,
    extremes,
    natural_order,
    random_vector,
    relative_error,
    tolerance_of,
)
from proofs.certify.scripts.evaluation_jobs import Parts, arrays_of
from proofs.certify.scripts.usage import Do, Free, Make, Script

CONVOLUTION = "convolution"
"""The statement on the convolution of two vectors."""
ROOM = 3
"""Impulses on one axis are 2^-ROOM times the power of two above the largest number."""
IMPULSES = 2
SLACK = 8
"""The error of one impulse, or of one array of a batch, may be this many times that of a random
vector: an overflow, or another array, is larger than that.
"""
SIZES = 16
"""How many sizes between the least and the greatest are tried, if a program asks."""
SPOILED_RANKS = 8
"""On how many ranks one element is an infinity or a NaN, if a program asks for these."""
DEPENDS = 1e-3
"""An output depends on an element if the entry of the matrix is at least this part of the largest
in its column: smaller ones are 0.
"""


class Try(NamedTuple):
    """A vector, and what raises Wrong where its transform, by ranks, is wrong."""

    x: Vector
    check: Callable[[Parts], None]


def refuse_at_edges(evaluation: Evaluation, d: Transform, rng: np.random.Generator) -> None:
    """Raise Wrong where a transform of such numbers is not accurate; of products of data none is
    tried.
    """
    if d.degree == 1:
        with np.errstate(all="ignore"):
            asks = asks_for_finite(evaluation)
            normal = [*_large(evaluation, d, rng), *_mixed(d, rng)]
            normal += _of_all_sizes(evaluation, d, rng) if asks else ()
            spoiled = [*_spoiled(d, rng, not asks), *(_overflowing(d) if asks else ())]
            if asks or not _right(evaluation, d, [*normal, *spoiled]):
                _refuse_apart(evaluation, d, normal, spoiled)
    refuse_hiding_one(evaluation, d, rng)


def asks_for_finite(evaluation: Evaluation) -> bool:
    """Return whether a program asks which of its elements are infinite or NaN."""
    return any(name in TESTS for _, name in evaluation.asked)


def _right(evaluation: Evaluation, d: Transform, tries: list[Try]) -> bool:
    """Return whether all these vectors are transformed as they should be, by one plan; raise Wrong
    where a result is wrong.
    """
    results = _unless_refused(evaluation, d, [each.x for each in tries])
    for each, parts in zip(tries, results or (), strict=False):
        each.check(parts)
    return results is not None


def _refuse_apart(
    evaluation: Evaluation, d: Transform, normal: list[Try], spoiled: list[Try]
) -> None:
    """Raise Wrong where a result is wrong; where vectors are spoiled, an exception is right."""
    results = _transformed(evaluation, d, [each.x for each in normal])
    for each, parts in zip(normal, results, strict=True):
        each.check(parts)
    for each in spoiled:
        _right(evaluation, d, [each])


def refuse_hiding_one(
    evaluation: Evaluation, d: Transform, rng: np.random.Generator, name: str = NAME
) -> None:
    """Raise Wrong where a program that asks for infinities or NaN hides a single one: in the real
    or the imaginary part of one element of a rank.

    Exact elements are finite: what it does where they are not is known from these numbers alone.
    """
    if not asks_for_finite(evaluation):
        return
    held, parts = d.indices("input"), (1, 1j)[: d.parts]
    ranks = [rank for rank in range(d.P) if len(held[rank])]
    with np.errstate(all="ignore"), contextlib.suppress(NotModelled):
        for rank in rng.permutation(ranks)[:SPOILED_RANKS]:
            j = int(rng.choice(held[rank]))
            for part, value in product(parts, (np.inf, np.nan)):
                data = [random_vector(d, rng) for _ in range(2 if name == CONVOLUTION else 1)]
                for spoiled in range(len(data)):
                    _refuse_hiding_at(evaluation, d, data, spoiled, j, part, value, name)


def _accurate(evaluation: Evaluation, d: Transform, x: Vector, scale: float, parts: Parts) -> bool:
    """Return whether a result by ranks is the transform of x times `scale`, a power of two."""
    error = relative_error(d, d.reference(x), parts, scale)
    return error <= SLACK * tolerance_of(d, evaluation.flops)[0]


def _large(evaluation: Evaluation, d: Transform, rng: np.random.Generator) -> Iterator[Try]:
    """Yield impulses near the largest number, on vectors whose elements are that number over the
    number of points.
    """
    count = d.count("input")
    scale = 2.0 ** (int(np.finfo(d.dtype).maxexp) - ROOM - bits_of_axes(d))
    level = 2.0 ** -np.ceil(np.log2(d.points))

    def check(j: int, x: Vector, parts: Parts) -> None:
        if not _accurate(evaluation, d, x / scale, scale, parts):
            raise Wrong(
                NAME,
                f"for x_{j} = {scale * (1 + level):.3g} and other elements {scale * level:.3g} the"
                " result is not accurate, or an intermediate value overflows, though the result is"
                " in range",
            )

    for j in rng.integers(count, size=IMPULSES):
        x = scale * (level + (np.arange(count) == j))
        yield Try(x, partial(check, int(j), x))


def _of_all_sizes(evaluation: Evaluation, d: Transform, rng: np.random.Generator) -> Iterator[Try]:
    """Yield random vectors of ordinary size, and of sizes between the least and the greatest."""

    def check(x: Vector, scale: float, parts: Parts) -> None:
        if not _accurate(evaluation, d, x, scale, parts):
            raise Wrong(NAME, f"for numbers of about {scale:.3g} the result is not accurate")

    for exponent in (0, *np.linspace(*extremes(d), SIZES + 2).round()[1:-1]):
        x, scale = random_vector(d, rng), 2.0 ** int(exponent)
        yield Try(x * d.dtype.type(scale), partial(check, x, scale))


def _overflowing(d: Transform) -> Iterator[Try]:
    """Yield a vector of the largest number, and what raises Wrong where a result that is out of
    range is finite.
    """
    ones = np.ones(d.count("input"), dtype=d.dtype_of("input"))
    beyond = np.abs(d.reference(ones)) > 2

    def check(parts: Parts) -> None:
        if (hidden := np.isfinite(natural_order(d, parts)) & beyond).any():
            k, words = int(np.argmax(hidden)), "though the result is out of range"
            raise Wrong(NAME, f"y_{k} is finite for a vector of the largest numbers, {words}")

    if beyond.any():
        yield Try(ones * np.finfo(d.dtype).max, check)


def _mixed(d: Transform, rng: np.random.Generator) -> Iterator[Try]:
    """Yield a batch of arrays of very different sizes, if there is one."""
    arrays = arrays_of(d, "input")
    if len(arrays) == 1:
        return
    spread = np.empty(d.count("input"))
    spread[arrays] = 2.0 ** np.linspace(*extremes(d), len(arrays)).round()[:, None]
    x = random_vector(d, rng) * spread

    def check(parts: Parts) -> None:
        for b in _inaccurate(d, x, parts):
            words = "is not accurate when the other arrays are much larger"
            raise Wrong(NAME, f"array {b} of the batch {words}")

    yield Try(x, check)


def _spoiled(d: Transform, rng: np.random.Generator, in_one: bool) -> Iterator[Try]:
    """Yield arrays of infinities and of NaN: some of a batch, of which any two differ in a bit of
    their number. A single array may have both `in_one`.
    """
    arrays = arrays_of(d, "input")
    batch = len(arrays)
    if batch == 1 and in_one:
        yield Try(np.resize([np.inf, np.nan], d.count("input")), partial(_refuse_hiding, d, [0]))
        return
    for bit, which in product(range(max(1, (batch - 1).bit_length())), (0, 1)):
        x = random_vector(d, rng)
        spoiled = [b for b in range(batch) if b >> bit & 1 == which] or [0]
        x[arrays[spoiled]] = (np.inf, np.nan)[which]
        yield Try(x, partial(_refuse_hiding, d, spoiled, x=x))


def _refuse_hiding(d: Transform, spoiled: list[int], parts: Parts, x: Vector | None = None) -> None:
    """Raise Wrong where what is no number is not seen in the results of these arrays of a batch, or
    is seen in that of another one.
    """
    arrays = arrays_of(d, "output")
    if np.isfinite(natural_order(d, parts)[arrays[spoiled]]).all(axis=1).any():
        raise Wrong(NAME, "the result for an input with an infinity or a NaN is finite")
    if x is None or len(spoiled) == len(arrays):
        return
    for b in _inaccurate(d, x, parts):
        if b not in spoiled:
            raise Wrong(
                NAME, f"an infinity or a NaN of another array of the batch reaches array {b}"
            )


def _refuse_hiding_at(
    evaluation: Evaluation,
    d: Transform,
    data: list[Vector],
    spoiled: int,
    j: int,
    part: complex,
    value: float,
    name: str,
) -> None:
    """Raise Wrong where one part of element j of a vector is no number, and an output that depends
    on it is finite; a program may refuse it, which raises an exception.
    """
    x = data[spoiled].copy()
    given = [*data[:spoiled], x, *data[spoiled + 1 :]]
    x[...] = part * (np.arange(len(x)) == j)
    column = np.abs(d.reference(*given))
    x[...] = data[spoiled]
    (x.real if part == 1 else x.imag)[j] = value
    if (results := _unless_refused(evaluation, d, given, name)) is None:
        return
    hidden = np.isfinite(natural_order(d, results[0])) & (column > DEPENDS * column.max())
    if hidden.any():
        which = "" if d.parts == 1 else f"the {'real' if part == 1 else 'imaginary'} part of "
        words = f"y_{int(np.argmax(hidden))} is finite, though {which}x_{j} is {value}"
        if name == CONVOLUTION:
            words = f"z_{int(np.argmax(hidden))} is finite, though {'xy'[spoiled]}_{j} is {value}"
        raise Wrong(name, f"{words}: the infinity or the NaN of one element is hidden")


def _unless_refused(
    evaluation: Evaluation, d: Transform, data: list[Vector], name: str = NAME
) -> list[Parts] | None:
    """Return the results by ranks, None where the program raises an exception."""
    try:
        return _transformed(evaluation, d, data, name)
    except Wrong as wrong:
        if wrong.name == name:
            return None
        raise


def _transformed(
    evaluation: Evaluation, d: Transform, data: list[Vector], name: str = NAME
) -> list[Parts]:
    """Return the results by ranks of transforms of vectors by one plan, or of their convolution."""
    given = [x.astype(d.dtype_of("input")) for x in data]
    steps = [Do(0, i) for i in range(len(data))]
    steps = [Do(0, 0, other=1)] if name == CONVOLUTION else steps
    script: Script = (Make(0), *steps, Free(0))
    return [parts for _, parts in transformed_numbers(evaluation, d, given, script, name)]


def _inaccurate(d: Transform, x: Vector, parts: Parts) -> Iterator[int]:
    """Yield the arrays of a batch whose transforms are not accurate, each by itself."""
    arrays = arrays_of(d, "output")
    rows = [side[arrays] for side in (natural_order(d, parts), d.reference(x.reshape(-1)))]
    for b, (have, wanted) in enumerate(zip(*rows, strict=True)):
        if not apart(have, wanted) <= SLACK * tolerance_of(d)[0]:
            yield b
