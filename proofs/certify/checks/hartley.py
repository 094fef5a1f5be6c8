"""What a Hartley transform, or the half spectrum of a real vector, is to give over GF(q), and the
vector from its half spectrum: by the definition, entry by entry or as geometric sums.

cos(2πe/N) = (w^e + w^-e)/2 and sin(2πe/N) = (w^e - w^-e)/2i, w of order N. With the sums S(k) =
sum_j (t w^k)^j = (t^N - 1)/(t w^k - 1) the sum of t^j cos(2πjk/N) is (S(k) + S(-k))/2, and that of
sines (S(k) - S(-k))/2i. Of N/2 elements the sums are those of t^2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from derive.fields import inverses, powers
from proofs.certify.arrays.constants import Recognizer
from proofs.certify.arrays.residues import Residues, no_root_of_one
from proofs.certify.declaration import Hartley, RealFourier


def unit_vectors(
    declaration: Hartley | RealFourier, recognizer: Recognizer
) -> tuple[Residues, Residues]:
    """Return all e_j, and the columns of the matrix, both of shape (N, 1, N)."""
    N = declaration.N
    angle = np.outer(np.arange(N), np.arange(N)) % N * (recognizer.field.order // N)
    cosines, sines = np.moveaxis(recognizer.circle[angle], -1, 0)
    if _goes_back(declaration):
        return np.eye(N, dtype=np.int64)[:, None], _waves(cosines, sines, recognizer.field.q)
    return np.eye(N, dtype=np.int64)[:, None], _result(
        declaration, cosines, sines, recognizer.field.q
    )[:, None]


def geometric(
    declaration: Hartley | RealFourier, recognizer: Recognizer, rng: np.random.Generator
) -> tuple[Residues, Residues]:
    """Return a vector of powers and its transform, both of shape (N, 1, 1)."""
    if _goes_back(declaration):
        return _geometric_back(declaration, recognizer, rng)
    q, N, w = recognizer.field.q, declaration.N, recognizer.field.powers
    t = no_root_of_one(N, q, rng)
    sums = (pow(t, N, q) - 1) * inverses((t * w[:: recognizer.field.order // N] + q - 1) % q, q) % q
    back = np.roll(sums[::-1], 1)
    cosines, sines = (
        (sums + back) * pow(2, -1, q) % q,
        (sums + q - back) % q * pow(2 * recognizer.iota, -1, q) % q,
    )
    return powers(t, N, q)[:, None, None], _result(declaration, cosines, sines, q)[:, None, None]


def _result(
    declaration: Hartley | RealFourier, cosines: NDArray[np.int64], sines: NDArray[np.int64], q: int
) -> NDArray[np.int64]:
    """Return what is made of the sums with cosines and with sines, along axis 0: their sum, or the
    half spectrum.
    """
    if getattr(declaration, "result", "") == "hartley":
        return (cosines + sines) % q
    half, y = declaration.N // 2, np.empty_like(cosines)
    y[::2], y[1::2] = cosines[:half], (q - sines[:half]) % q
    y[1] = cosines[half]
    return y


def _goes_back(declaration: Hartley | RealFourier) -> bool:
    return isinstance(declaration, RealFourier) and declaration.sign > 0


def _waves(cosines: NDArray[np.int64], sines: NDArray[np.int64], q: int) -> Residues:
    """Return the real vectors whose half spectra are the unit vectors: of X[0], of X[N/2], and of
    both parts of the others 2 cos(2πjm/N) and -2 sin(2πjm/N).
    """
    half, y = len(cosines) // 2, np.empty_like(cosines)
    y[:, ::2], y[:, 1::2] = 2 * cosines[:, :half] % q, 2 * (q - sines[:, :half]) % q
    y[:, 0], y[:, 1] = cosines[:, 0], cosines[:, half]
    return y[:, None]


def _geometric_back(
    declaration: Hartley | RealFourier, recognizer: Recognizer, rng: np.random.Generator
) -> tuple[Residues, Residues]:
    """Return a vector of powers, and the real vector whose half spectrum it is."""
    q, N, field = recognizer.field.q, declaration.N, recognizer.field
    t, w = no_root_of_one(2 * N, q, rng), field.powers[:: field.order // N]
    signs = np.where(np.arange(N) % 2, q - 1, 1)
    ahead = (pow(t, N, q) * signs % q - 1) * inverses((t * t % q * w + q - 1) % q, q) % q
    back = np.roll(ahead[::-1], 1)
    sines = (ahead + q - back) * pow(recognizer.iota, -1, q) % q
    wanted = (ahead + back - 1 + t * signs % q + (q - t) * sines % q) % q
    return powers(t, N, q)[:, None, None], wanted[:, None, None]
