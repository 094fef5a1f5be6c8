"""How a program rounds: evaluated on numbers of its own type, against the transform in
extended precision.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, prod
from typing import Any

import numpy as np

from derive.verdict import Refuted, Tested, Verdict
from proofs.certify.checks.messages import transformed_numbers
from proofs.certify.declaration import Transform, Vector
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.rows import system_of
from proofs.certify.scripts.evaluation_jobs import Parts, natural
from proofs.certify.scripts.usage import Do, Script, of_numbers

NAME = "rounding"
ROOM = 5
"""Random vectors are 2^ROOM N times as large as the least normal number of their type, or as much
smaller than the largest power of two.
"""
FAR = 1000
"""Times the error of an accurate program: from here on a program computes another function."""
OTHER_FACTOR = 3.0
"""f for lengths that are no powers of two: these show 0.6 to 1.0, those with large primes 1.7."""
FACTORS = ((256, 1.5), (1, 2.5))
"""The tolerance is f u sqrt(lg N), f = 1.5 for N >= 256, else 2.5; programs show 0.5 to 0.75."""
WORK, MOST_WORK = 2.25, 16
"""Times the flops of an FFT that leave the tolerance as it is, and that count at most. A sum of n
terms counts as lg n additions, as its error grows.
"""
CITED = (
    "Brisebarre, Joldes, Muller, Naneş, Picot: Error analysis of some operations involved in the"
    " Cooley-Tukey fast Fourier transform, 2020"
)


def rounding(
    evaluation: Evaluation,
    declaration: Transform,
    statement: str,
    script: Script = (),
    name: str = NAME,
) -> Verdict:
    """Return whether transforms that share plans, or those of another script, are accurate; raise
    Wrong where the program fails.

    Compiled kernels are measured on real ranks (proofs/certify/real/measured.py).
    """
    d, script = declaration, script or of_numbers(declaration)
    steps = [step.given for step in script if isinstance(step, Do)]
    sizes = _sizes(d, 1 + max(map(max, steps)))
    data = [random_vector(d, evaluation.rng) * d.dtype.type(size) for size in sizes]
    results = transformed_numbers(evaluation, d, data, script, name)
    given = zip(steps, results, strict=True)
    return accuracy(d, data, given, statement, evaluation.source.said, evaluation.flops)


def accuracy(
    d: Transform,
    data: Sequence[Vector],
    results: Iterable[tuple[tuple[int, ...], Parts]],
    statement: str,
    words: str,
    flops: float = 0.0,
) -> Verdict:
    """Return whether results are accurate: each is of the vectors of these numbers, which have the
    sizes of `extremes` in turns.
    """
    scales, wanted, error = _sizes(d, len(data)), dict[tuple[int, ...], Vector](), 0.0
    for given, parts in results:
        if given not in wanted:
            wanted[given] = d.reference(*(data[i] / scales[i] for i in given))
        scale = prod(scales[i] for i in given) ** (d.degree // len(given))
        error = max(error, relative_error(d, wanted[given], parts, scale))
    tolerance, formula = tolerance_of(d, flops)
    if error <= tolerance:
        return Tested(statement + words, float(f"{error:.1e}"), tolerance, formula)
    cause = EXACT * bool(error <= FAR * tolerance)
    return Refuted(statement, f"{inaccurate(d, error, flops=flops)}{cause}")


EXACT = (
    "; on exact numbers the result is right, so the error is that of rounding: in constants, such"
    " as roots of unity whose angle is not reduced modulo 2π, or in intermediate results"
)
"""What is known of an error that is not far above the tolerance."""


def inaccurate(d: Transform, error: float, where: str = "", flops: float = 0.0) -> str:
    """Return that an error is above the tolerance."""
    tolerance, formula = tolerance_of(d, flops)
    figures = f"{error:.1e}, above {formula} = {tolerance:.1e}"
    return f"the relative error in the 2-norm is {figures}{where}"


def _sizes(d: Transform, count: int) -> list[float]:
    """Return the powers of two that so many random vectors are multiplied by."""
    return [2.0 ** extremes(d)[i % 2] for i in range(count)]


def extremes(declaration: Transform) -> tuple[int, int]:
    """Return the exponents of the least and the greatest power of two that random vectors are
    multiplied by.

    Below the least a right program may round as numbers do that are not normal, above the greatest
    its sums may leave the range of the type.
    """
    kind, n = np.finfo(declaration.dtype), declaration.n
    least = int(kind.minexp) + n + ROOM
    greatest = int(kind.maxexp) - n * declaration.degree - ROOM - bits_of_axes(declaration)
    return ceil(least / declaration.degree), greatest // declaration.degree


def bits_of_axes(declaration: Transform) -> int:
    """Return the power of two by which coefficients may be larger for axes after the first."""
    return ceil((declaration.axes_count - 1) * declaration.magnitude)


def tolerance_of(declaration: Transform, flops: float = 0.0) -> tuple[float, str]:
    """Return the largest relative error of an accurate program, and its formula.

    An FFT has 5 N lg N flops. A program with more than WORK times as many may have an error that is
    larger by the square root of the ratio, but not more than sqrt(MOST_WORK) times as large.
    """
    N, u = declaration.points, unit_roundoff(declaration.dtype)
    by_two = next(f for least, f in FACTORS if least <= N)
    factor = (OTHER_FACTOR if N & N - 1 else by_two) * declaration.degree
    lg = max(1.0, float(np.log2(N)))
    more = work_of(declaration, flops)
    words = f"{more:g} " if more > 1 else ""
    return factor * u * (more * lg) ** 0.5, f"{factor} u sqrt({words}lg N), u = 2^{np.log2(u):.0f}"


def work_of(d: Transform, flops: float) -> float:
    """Return by which factor the work of a program widens the square of its tolerance."""
    ratio = round(min(flops / (5 * d.N * max(1.0, float(np.log2(d.points)))), MOST_WORK), 1)
    return ratio if ratio > WORK else 1.0


def random_vector(declaration: Transform, rng: np.random.Generator) -> Vector:
    """Return a vector of normal random numbers."""
    count, dtype = declaration.count("input"), declaration.dtype_of("input")
    x = rng.standard_normal(count)
    return (x + 1j * rng.standard_normal(count) if declaration.parts == 2 else x).astype(dtype)


def unit_roundoff(dtype: np.dtype[Any]) -> float:
    """Return u, half the distance from 1 to the next number of the type.

    >>> unit_roundoff(np.dtype("complex128")) == 2.0**-53
    True
    """
    return float(np.finfo(dtype).eps) / 2


def cited(declared: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return bounds that others have proved and that stand beside what is measured here, with their
    values; not checked here.

    >>> [bound["value"] for bound in cited({"transform": "fft", "N": 8, "dtype": "complex128"})] == [3 * 2.0**-53]
    True
    """  # noqa: E501
    N = int(declared["N"])
    n = N.bit_length() - 1
    if not system_of(declared).cited or n < 3 or N != 1 << n or "shape" in declared:
        return ()
    statement = (
        "the radix-2 transform has a relative error of at most about 3u + 4u(n - 3) in the 2-norm,"
        " n = lg N >= 3"
    )
    return (
        {
            "statement": statement,
            "value": (3 + 4 * (n - 3)) * unit_roundoff(np.dtype(declared["dtype"])),
            "source": CITED,
        },
    )


def relative_error(
    declaration: Transform, wanted: Vector, parts: Parts, scale: float = 1.0
) -> float:
    """Return the relative error of a result by ranks, divided by `scale`, a power of two, in the
    2-norm, against a reference.
    """
    found = natural_order(declaration, parts)
    return apart(found / scale, wanted) if np.isfinite(found).all() else float("inf")


def natural_order(d: Transform, parts: Parts) -> Vector:
    """Return a result in natural order and extended precision."""
    return natural(d, parts).astype(np.clongdouble if d.parts_of("output") == 2 else np.longdouble)


def apart(found: Vector, wanted: Vector) -> float:
    """Return the relative difference in the 2-norm."""
    error = found - wanted
    return float(np.sqrt(np.vdot(error, error).real / np.vdot(wanted, wanted).real))
