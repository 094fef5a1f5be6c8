"""Whether a program that asks for infinities and NaN hides some: they are put into parts of
elements, one, two or more, of one rank or of all.

Exact elements are finite: what a program does where they are not is known from these numbers alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proofs.certify.checks.messages import transformed_numbers
from proofs.certify.declaration import Declaration, Transform, Vector
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.failures import NotModelled, Wrong
from proofs.certify.language.assumptions import TESTS
from proofs.certify.ordinary.rounding import NAME, natural_order, random_vector
from proofs.certify.scripts.evaluation_jobs import Parts
from proofs.certify.scripts.usage import Do, Free, Make, Script

CONVOLUTION = "convolution"
"""The statement on the convolution of two vectors."""
KINDS = (
    *((np.nan,), (np.inf,), (-np.inf,)),
    *((np.nan, np.inf), (np.inf, -np.inf), (np.nan, np.inf, -np.inf)),
)
"""What the spoiled parts of a vector are."""
PURE = 3
"""So many of these are one value; a single part has one."""
RANKS, LARGE_RANKS = 8, 2
"""On how many ranks elements are spoiled; fewer of a large vector."""
ON_RANK, ON_ALL = 8, 32
"""Each number of elements up to these is tried on a rank, and on all."""
LARGE_FROM_N = 2**14
"""Above this N at most two elements are spoiled."""
AT_ONCE = 2**20
"""Elements of the vectors that one plan transforms."""
DEPENDS = 1e-3
"""An output depends on an element if the entry of the matrix is at least this part of the largest
in its column: smaller ones are 0.
"""


class Spoil(NamedTuple):
    """Values for parts of elements: NaN and infinities where `at`, both of shape (N, parts)."""

    at: NDArray[np.bool_]
    values: NDArray[np.float64]


class Try(NamedTuple):
    """A vector, or two that are convolved, and what raises Wrong where the result by ranks is
    wrong.
    """

    given: tuple[Vector, ...]
    check: Callable[[Parts], None]


def asks_for_finite(evaluation: Evaluation) -> bool:
    """Return whether a program asks which of its elements are infinite or NaN."""
    return any(name in TESTS for _, name in evaluation.asked)


def spoils(d: Declaration, parts: int, rng: np.random.Generator) -> Iterator[Spoil]:
    """Yield what spoils a vector: each part of one element, and two or more elements, of a rank and
    of all.
    """
    held = d.indices("input")
    filled = rng.permutation([rank for rank in range(d.P) if len(held[rank])])
    large = d.N > LARGE_FROM_N
    for rank in filled[: LARGE_RANKS if large else RANKS]:
        each = product(range(1, 1 << parts), KINDS[:PURE])
        yield from (_spoil(d, rng.choice(held[rank], 1), rng, parts, *how) for how in each)
        yield from _several(d, held[rank], rng, parts, 2 if large else ON_RANK)
    yield from _several(d, np.arange(d.count("input")), rng, parts, 2 if large else ON_ALL)


def _several(
    d: Declaration, where: NDArray[np.int64], rng: np.random.Generator, parts: int, most: int
) -> Iterator[Spoil]:
    """Yield what spoils several of these elements: two, with each kind of values; each number of
    them up to `most`, and about half and all of them, with NaN, with infinities and with both.
    """
    size, turn = len(where), int(rng.integers(len(KINDS)))
    more = {size // 2, size - 1, size} if most > 2 else set()
    for count in sorted(({*range(2, most + 1)} | more) & {*range(2, size + 1)}):
        turn += 1
        some = KINDS[0], KINDS[1 + turn % 2], KINDS[PURE + turn % (len(KINDS) - PURE)]
        for kind in KINDS if count == 2 else some:
            bits = rng.integers(1, 1 << parts, count)
            yield _spoil(d, rng.choice(where, count, replace=False), rng, parts, bits, kind)


def _spoil(
    d: Declaration, j: Any, rng: np.random.Generator, parts: int, bits: Any, kind: Sequence[float]
) -> Spoil:
    """Return what spoils the parts `bits` of elements j, with values of this kind, each of them if
    there are as many elements.
    """
    at = np.zeros((d.count("input"), parts), bool)
    at[j] = (np.broadcast_to(bits, len(j))[:, None] >> np.arange(parts)) & 1
    values = np.zeros(at.shape)
    values[j] = rng.permutation(np.resize(kind, len(j)))[:, None]
    return Spoil(at, values)


def refuse_hiding(evaluation: Evaluation, d: Transform, name: str = NAME) -> None:
    """Raise Wrong where a program that asks for infinities or NaN hides some, as an output that
    depends on them is finite; a program may refuse them, which raises an exception.
    """
    if not asks_for_finite(evaluation):
        return
    count, rng = 2 if name == CONVOLUTION else 1, evaluation.rng
    several = ((0,), (1,), (0, 1)) if count == 2 else ((0,),)
    x = [random_vector(d, rng) for _ in range(count)]
    with np.errstate(all="ignore"), contextlib.suppress(NotModelled):
        tries = (
            _spoiled(d, x, which, s, name) for s in spoils(d, d.parts, rng) for which in several
        )
        while some := list(islice(tries, max(1, AT_ONCE // d.N))):
            if not are_right(evaluation, d, some, name):
                for each in some:
                    are_right(evaluation, d, [each], name)


def are_right(evaluation: Evaluation, d: Transform, tries: Sequence[Try], name: str) -> bool:
    """Return whether all these vectors are transformed as they should be, by one plan; raise Wrong
    where a result is wrong. It is not so where the program raises an exception.
    """
    try:
        results = transformed(evaluation, d, [x for each in tries for x in each.given], name)
    except Wrong as wrong:
        if wrong.name == name:
            return False
        raise
    for each, parts in zip(tries, results, strict=True):
        each.check(parts)
    return True


def _spoiled(
    d: Transform, x: Sequence[Vector], which: tuple[int, ...], spoil: Spoil, name: str
) -> Try:
    """Return vectors of which these are spoiled, which outputs that depend on them are to show."""
    given = tuple(put(each, spoil) if i in which else each for i, each in enumerate(x))
    column = np.zeros(d.count("output"))
    for i in which:
        alone = np.where(spoil.at, _parts(x[i]), 0.0)
        others = [_of_parts(x[i], alone) if k == i else each for k, each in enumerate(x)]
        column += np.abs(d.reference(*others)).astype(float)
    depends, words = column > DEPENDS * column.max(), _in_words("xy"[which[0]], spoil)

    def check(parts: Parts) -> None:
        hidden = np.isfinite(natural_order(d, parts)) & depends
        if hidden.any():
            y = f"{'z' if name == CONVOLUTION else 'y'}_{int(np.argmax(hidden))}"
            raise Wrong(name, f"{y} is finite, though {words} is hidden")

    return Try(given, check)


def put(x: Vector, spoil: Spoil) -> Vector:
    """Return a vector with these values."""
    return _of_parts(x, np.where(spoil.at, spoil.values, _parts(x)))


def _parts(x: Vector) -> NDArray[Any]:
    """Return the real and imaginary parts of elements, of shape (N, parts)."""
    return x.view(x.real.dtype).reshape(len(x), -1)


def _of_parts(x: Vector, parts: NDArray[Any]) -> Vector:
    """Return a vector of the type of x that has these parts."""
    return np.ascontiguousarray(parts.astype(x.real.dtype)).view(x.dtype).reshape(-1)


def _in_words(x: str, spoil: Spoil) -> str:
    """Return what is spoiled, in words."""
    j, part = (int(each[0]) for each in np.nonzero(spoil.at))
    of, value = ("real", "imaginary")[part], spoil.values[j, part]
    which = f"{x}_{j}" if spoil.at.shape[1] == 1 else f"the {of} part of {x}_{j}"
    elements = int(spoil.at.any(axis=1).sum())
    if elements == 1:
        return f"{which} is {value}: the infinity or the NaN of one element"
    return f"{which} is {value}, one of {elements} elements: an infinity or a NaN of several"


def transformed(
    evaluation: Evaluation, d: Transform, data: Sequence[Vector], name: str
) -> Sequence[Parts]:
    """Return the results by ranks of transforms of vectors by one plan, or of the convolutions of
    the first with the second, the third with the fourth, ..
    """
    given = [x.astype(d.dtype_of("input")) for x in data]
    steps = [Do(0, i) for i in range(len(data))]
    if name == CONVOLUTION:
        steps = [Do(0, i, other=i + 1) for i in range(0, len(data), 2)]
    script: Script = (Make(0), *steps, Free(0))
    return transformed_numbers(evaluation, d, given, script, name)
