"""How a program rounds where its transform is too long for a reference: equations that the Fourier
transform F alone satisfies.

    F(2x - z) = 2 F x - F z        linearity
    F e_i = column i               impulse
    F(x_(j-1)) = w^k (F x)_k       shift in time
    F(w^j x_j) = (F x)_(k+1)       shift in frequency; of real x, F(cos(2πj/N) x_j) = ((F x)_(k-1) + (F x)_(k+1))/2
    F(2^-s x) = 2^-s F x           numbers of another size: the greatest that a transform takes, and the least

w = exp(±2πi/N). A right program breaks them by its rounding alone: each side is a transform or two
of it. Where a whole table is wrong in its last bits, impulse and shifts show it; linearity does
not.

Reference: Ergün, Testing multivariate linear functions: overcoming the generator bottleneck, 1995;
FFTW's bench tests by it.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.verdict import Refuted, Tested, Verdict
from proofs.certify.checks.messages import transformed_numbers
from proofs.certify.checks.rounding import extremes, random_vector, tolerance_of
from proofs.certify.declaration import Hartley, Transform
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.scripts.traffic import Traffic
from proofs.certify.scripts.usage import Do, Free, Make, Script

Vector = NDArray[Any]
TESTS = "linearity, impulse, shift in time and in frequency, numbers of another size"
BY_TWO_PLANS: Script = (Make(0), Make(1), *(Do(i % 2, i) for i in range(7)), Free(0), Free(1))
"""The transforms of the seven vectors, by two plans in turn."""


def ergun(
    evaluation: Evaluation,
    declaration: Transform,
    rng: np.random.Generator,
    run: Traffic,
    statement: str,
) -> Verdict:
    """Return whether a program satisfies the equations within the rounding of an accurate one.

    Raises Wrong where it fails.
    """
    inputs, i = _inputs(declaration, rng)
    counted = not run.accesses
    results = transformed_numbers(
        evaluation, declaration, inputs, BY_TWO_PLANS, "rounding", run, counted
    )
    with np.errstate(all="ignore"):  # a wrong program may give what is no number
        spectra = [_spectrum(declaration, parts) for _, parts in results]
        errors = {
            name: _relative(found, wanted)
            for name, (found, wanted) in _equations(declaration, spectra, i).items()
        }
    worst = max(errors, key=lambda name: errors[name])
    tolerance, formula = tolerance_of(declaration)
    if errors[worst] <= tolerance:
        return Tested(
            statement, float(f"{errors[worst]:.1e}"), tolerance, formula + evaluation.source.said
        )
    return Refuted(
        statement,
        f"{worst}: the sides differ by {errors[worst]:.1e} in the 2-norm, above {formula} ="
        f" {tolerance:.1e}",
    )


def ergun_of(declaration: Transform, statement: str, of_kernels: Sequence[str]) -> list[list[Any]]:
    """Return statement, tolerance and formula of an accurate program, as certificates have one."""
    tolerance, formula = tolerance_of(declaration)
    return [[statement, tolerance, formula + words] for words in of_kernels]


def _inputs(d: Transform, rng: np.random.Generator) -> tuple[list[Vector], int]:
    """Return x, z, 2x - z, e_i, x shifted in time and in frequency, and 2^-s x; the numbers of x
    are far from 1, where it makes no difference.
    """
    least, greatest = (d.dtype.type(2.0**e) for e in extremes(d))
    u = random_vector(d, rng)
    x, z = u * greatest, random_vector(d, rng) * greatest
    i = int(rng.integers(1, d.N))
    impulse = np.zeros(d.N, d.dtype)
    impulse[i] = 1
    wave = _wave(d, np.arange(d.N))
    turned = x * (wave if d.parts == 2 else wave.real)
    return [
        vector.astype(d.dtype)
        for vector in (x, z, 2 * x - z, impulse, np.roll(x, 1), turned, u * least)
    ], i


def _wave(d: Transform, exponents: NDArray[np.int64]) -> Vector:
    """Return w^e in extended precision."""
    angle = 2 * np.arctan2(np.longdouble(0), np.longdouble(-1)) / d.N * (exponents % d.N)
    return np.asarray(np.cos(angle) + 1j * d.sign * np.sin(angle))


def _spectrum(d: Transform, parts: Vector) -> Vector:
    """Return the whole Fourier transform, in extended precision and natural order, that a result of
    shape (P, M) is, or is made of.
    """
    y = np.empty(d.N, np.clongdouble if d.parts == 2 else np.longdouble)
    y[d.indices("output")] = parts
    match d:
        case Hartley(result="dft"):
            half = y.reshape(-1, 2) @ np.array([1, 1j])
            half[0] = y[0]
            return np.concatenate([half, y[1:2], half[:0:-1].conj()])
        case Hartley():
            back = np.roll(y[::-1], 1)
            return np.asarray((y + back) / 2 + 1j * d.sign * (y - back) / 2)
    return y


def _equations(d: Transform, spectra: Sequence[Vector], i: int) -> dict[str, tuple[Vector, Vector]]:
    """Return both sides of each equation."""
    x, z, sum_of_both, impulse, shifted, turned, small = spectra
    least, greatest = extremes(d)
    k = np.arange(d.N)
    moved = np.roll(x, -1) if d.parts == 2 else (np.roll(x, -1) + np.roll(x, 1)) / 2
    return {
        "linearity": (sum_of_both, 2 * x - z),
        "impulse": (impulse, _wave(d, i * k) / np.sqrt(np.longdouble(d.N)) ** d.divided),
        "shift in time": (shifted, _wave(d, k) * x),
        "shift in frequency": (turned, moved),
        "numbers of another size": (small, x * np.longdouble(2) ** (least - greatest)),
    }


def _relative(found: Vector, wanted: Vector) -> float:
    size = np.max(np.abs(wanted))
    error = float(
        np.sqrt(np.sum(np.abs((found - wanted) / size) ** 2) / np.sum(np.abs(wanted / size) ** 2))
    )
    return error if np.isfinite(error) else float("inf")
