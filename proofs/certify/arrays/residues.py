"""Arithmetic on residues: GF(q)[I]/(I²+1), an array of parts (*shape, 1 or 2, K) of non-negative
int64 below q.

With iota² = -1 in GF(q), a + bI goes to the pair (a + iota b, a - iota b), on which products are
products of the components: that is how the Fourier transform works here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from derive.fields import least
from proofs.certify.arrays.constants import Recognizer

Residues = NDArray[np.int64]


def times(parts: Residues, constant: Residues, q: int) -> Residues:
    """Return parts · constant, for constant residues of shape (*shape, 2); the product has two
    parts where one factor has.
    """
    real, imaginary = constant[..., 0, None, None], constant[..., 1, None, None]
    if not constant[..., 1].any():
        return parts * real % q
    a = parts[..., :1, :]
    if parts.shape[-2] == 1:
        return np.concatenate([a * real, a * imaginary], axis=-2) % q
    b = parts[..., 1:, :]
    return np.concatenate([a * real + b * (q - imaginary), a * imaginary + b * real], axis=-2) % q


def plus(one: Residues, other: Residues, q: int) -> Residues:
    """Return the sum; a real summand is a complex one without imaginary part."""
    return (widened(one, other.shape[-2]) + widened(other, one.shape[-2])) % q


def widened(parts: Residues, number: int) -> Residues:
    """Return the same elements in at least this number of parts."""
    if parts.shape[-2] >= number:
        return parts
    return np.concatenate([parts, np.zeros_like(parts)], axis=-2)


def conjugate(parts: Residues, q: int) -> Residues:
    """Return a - bI."""
    return np.concatenate([parts[..., :1, :], (q - parts[..., 1:, :]) % q], axis=-2)


def fourier(parts: Residues, sign: int, recognizer: Recognizer) -> Residues:
    """Return y_k = sum_j exp(sign 2πi jk/n) x_j over the first axis; n is a power of two that
    divides the order of w.
    """
    field, n = recognizer.field, parts.shape[0]
    q, root = field.q, field.powers[:: field.order // n]
    pair = to_pair(parts, recognizer.iota, q)
    plus_, minus = (
        radix_two(
            pair[..., i, :].reshape(n, -1),
            np.roll(root[::-1], 1) if (sign > 0) == bool(i) else root,
            q,
        )
        for i in (0, 1)
    )
    shape = (*parts.shape[:-2], parts.shape[-1])
    return from_pair(
        np.stack([plus_.reshape(shape), minus.reshape(shape)], axis=-2), recognizer.iota, q
    )


def to_pair(parts: Residues, iota: int, q: int) -> Residues:
    """Return (a + iota b, a - iota b) for a + bI."""
    a, b = parts[..., 0, :], parts[..., 1, :] * iota % q
    return np.stack([a + b, a + (q - b)], axis=-2) % q


def from_pair(pair: Residues, iota: int, q: int) -> Residues:
    """Return a + bI for (a + iota b, a - iota b)."""
    u, v = pair[..., 0, :], pair[..., 1, :]
    return np.stack(
        [(u + v) * pow(2, -1, q) % q, (u + (q - v)) * pow(2 * iota, -1, q) % q], axis=-2
    )


def radix_two(x: Residues, root: Residues, q: int) -> Residues:
    """Return y_k = sum_j root_(jk) x_j over the first axis of x (n, m), with the n powers of a root
    of unity.

    F_n = (F_2 ⊗ I) T (I ⊗ F_(n/2)) L: evens and odds side by side, transformed, the odds rotated,
    added and subtracted.
    """
    n = x.shape[0]
    if n == 1:
        return x
    halves = radix_two(x.reshape(n // 2, -1), root[::2], q).reshape(n // 2, 2, -1)
    odd = halves[:, 1] * root[: n // 2, None] % q
    return least(np.concatenate([halves[:, 0] + odd, halves[:, 0] + (q - odd)]), -q)


def no_root_of_one(N: int, q: int, rng: np.random.Generator) -> int:
    """Return a random t with t^N != 1."""
    while pow(t := int(rng.integers(1, q)), N, q) == 1:
        pass
    return t


def inverse_root(length: int, power: int, recognizer: Recognizer) -> int:
    """Return the image of √length^-power, for a power of two."""
    return pow(recognizer.root_two, -power * (length.bit_length() - 1), recognizer.field.q)
