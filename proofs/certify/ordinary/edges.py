"""What a program does at the edges of its type.

A result that the type can hold does not overflow on its way, an infinity or a NaN is not hidden,
and no array of a batch touches another one, however large.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from proofs.certify.declaration import Transform, Vector
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.failures import Wrong
from proofs.certify.ordinary.rounding import (
    NAME,
    apart,
    bits_of_axes,
    extremes,
    natural_order,
    random_vector,
    relative_error,
    tolerance_of,
)
from proofs.certify.ordinary.spoiled_numbers import (
    CONVOLUTION,
    DEPENDS,
    Try,
    are_right,
    asks_for_finite,
    refuse_hiding,
    transformed,
)
from proofs.certify.scripts.evaluation_jobs import Parts, arrays_of

ROOM = 3
"""Impulses on one axis are 2^-ROOM times the power of two above the largest number of their type,
and where results are products those are; a convolution has room for a sum of N as well.
"""
IMPULSES = 2
SLACK = 8
"""The error of one impulse, or of one array of a batch, may be this many times that of a random
vector: an overflow, or another array, is larger than that.
"""
SIZES = 16
"""How many sizes between the least and the greatest are tried, if a program asks."""


def refuse_at_edges(evaluation: Evaluation, d: Transform, name: str = NAME) -> None:
    """Raise Wrong where a transform of such numbers, or a convolution, is not accurate."""
    with np.errstate(all="ignore"):
        asks, rng = asks_for_finite(evaluation), evaluation.rng
        normal = [*_large(evaluation, d, name), *_mixed(d, rng)]
        normal += _of_all_sizes(evaluation, d, name) if asks else ()
        spoiled = [*_spoiled(d, rng, not asks, name), *(_overflowing(d, name) if asks else ())]
        if asks or not are_right(evaluation, d, [*normal, *spoiled], name):
            _refuse_apart(evaluation, d, normal, spoiled, name)
    refuse_hiding(evaluation, d, name)


def _refuse_apart(
    evaluation: Evaluation, d: Transform, normal: list[Try], spoiled: list[Try], name: str
) -> None:
    """Raise Wrong where a result is wrong; where vectors are spoiled, an exception is right."""
    results = transformed(evaluation, d, [x for each in normal for x in each.given], name)
    for each, parts in zip(normal, results, strict=True):
        each.check(parts)
    for each in spoiled:
        are_right(evaluation, d, [each], name)


def _of(name: str) -> int:
    """Return how many vectors a result is of."""
    return 2 if name == CONVOLUTION else 1


def _accurate(
    evaluation: Evaluation, d: Transform, given: tuple[Vector, ...], scale: float, parts: Parts
) -> bool:
    """Return whether a result by ranks is that of vectors times `scale`, a power of two."""
    error = relative_error(d, d.reference(*given), parts, scale**d.degree)
    return error <= SLACK * tolerance_of(d, evaluation.flops)[0]


def _large(evaluation: Evaluation, d: Transform, name: str) -> Iterator[Try]:
    """Yield impulses near the largest number, positive and negative, on vectors whose elements are
    that number over the number of points.
    """
    count, room = d.count("input"), bits_of_axes(d) + (d.n if name == CONVOLUTION else 0)
    scale = 2.0 ** ((int(np.finfo(d.dtype).maxexp) - ROOM - room) // d.degree)
    level = 2.0 ** -np.ceil(np.log2(d.points))

    def check(j: int, sign: int, given: tuple[Vector, ...], parts: Parts) -> None:
        if not _accurate(evaluation, d, given, scale, parts):
            impulse, others = sign * scale * (1 + level), sign * scale * level
            raise Wrong(
                name,
                f"for x_{j} = {impulse:.3g} and other elements {others:.3g} the"
                " result is not accurate, or an intermediate value overflows, though the result is"
                " in range",
            )

    for i, j in enumerate(evaluation.rng.integers(count, size=IMPULSES)):
        sign = (-1) ** i
        given = (sign * (level + (np.arange(count) == j)),) * _of(name)
        yield Try(tuple(scale * x for x in given), partial(check, int(j), sign, given))


def _of_all_sizes(evaluation: Evaluation, d: Transform, name: str) -> Iterator[Try]:
    """Yield random vectors of ordinary size, and of sizes between the least and the greatest."""

    def check(given: tuple[Vector, ...], scale: float, parts: Parts) -> None:
        if not _accurate(evaluation, d, given, scale, parts):
            raise Wrong(name, f"for numbers of about {scale:.3g} the result is not accurate")

    for exponent in (0, *np.linspace(*extremes(d), SIZES + 2).round()[1:-1]):
        given = tuple(random_vector(d, evaluation.rng) for _ in range(_of(name)))
        scale = 2.0 ** int(exponent)
        large = tuple(x * d.dtype.type(scale) for x in given)
        yield Try(large, partial(check, given, scale))


def _overflowing(d: Transform, name: str) -> Iterator[Try]:
    """Yield a vector of the largest number, and what raises Wrong where a result that is out of
    range is finite.
    """
    ones = (np.ones(d.count("input"), dtype=d.dtype_of("input")),) * _of(name)
    size = np.abs(d.reference(*ones))
    beyond = size > (2 if d.degree == 1 else DEPENDS * size.max())

    def check(parts: Parts) -> None:
        if (hidden := np.isfinite(natural_order(d, parts)) & beyond).any():
            k, words = int(np.argmax(hidden)), "though the result is out of range"
            raise Wrong(name, f"y_{k} is finite for a vector of the largest numbers, {words}")

    if beyond.any():
        yield Try(tuple(x * np.finfo(d.dtype).max for x in ones), check)


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

    yield Try((x,), check)


def _spoiled(d: Transform, rng: np.random.Generator, in_one: bool, name: str) -> Iterator[Try]:
    """Yield arrays of infinities and of NaN: some of a batch, of which any two differ in a bit of
    their number. A single array may have both `in_one`.
    """
    arrays = arrays_of(d, "input")
    batch = len(arrays)
    if batch == 1 and in_one:
        x = np.resize([np.inf, np.nan], d.count("input"))
        yield Try((x,) * _of(name), partial(_refuse_finite, d, [0], name))
        return
    for bit, which in product(range(max(1, (batch - 1).bit_length())), (0, 1)):
        x = random_vector(d, rng)
        spoiled = [b for b in range(batch) if b >> bit & 1 == which] or [0]
        x[arrays[spoiled]] = (np.inf, np.nan)[which]
        yield Try((x,) * _of(name), partial(_refuse_finite, d, spoiled, name, x=x))


def _refuse_finite(
    d: Transform, spoiled: list[int], name: str, parts: Parts, x: Vector | None = None
) -> None:
    """Raise Wrong where what is no number is not seen in the results of these arrays of a batch, or
    is seen in that of another one.
    """
    arrays = arrays_of(d, "output")
    if np.isfinite(natural_order(d, parts)[arrays[spoiled]]).all(axis=1).any():
        raise Wrong(name, "the result for an input with an infinity or a NaN is finite")
    if x is None or len(spoiled) == len(arrays):
        return
    for b in _inaccurate(d, x, parts):
        if b not in spoiled:
            raise Wrong(
                NAME, f"an infinity or a NaN of another array of the batch reaches array {b}"
            )


def _inaccurate(d: Transform, x: Vector, parts: Parts) -> Iterator[int]:
    """Yield the arrays of a batch whose transforms are not accurate, each by itself."""
    arrays = arrays_of(d, "output")
    rows = [side[arrays] for side in (natural_order(d, parts), d.reference(x.reshape(-1)))]
    for b, (have, wanted) in enumerate(zip(*rows, strict=True)):
        if not apart(have, wanted) <= SLACK * tolerance_of(d)[0]:
            yield b
