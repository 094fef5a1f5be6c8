"""Arithmetic on residues: GF(q)[I]/(I²+1), an array of parts (*shape, 1 or 2, K) of non-negative
int64 below q.

With iota² = -1 in GF(q), a + bI goes to the pair (a + iota b, a - iota b), on which products are
products of the components: that is how the Fourier transform works here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.exact.residues import Residues as Ring
from proofs.certify.exact.constants import Recognizer

Residues = NDArray[np.int64]


def products(one: Residues, other: Residues, q: int) -> Residues:
    """Return the products of elements, stimulus by stimulus; of two real ones real."""
    if 1 in (one.shape[-2], other.shape[-2]):
        return one * other % q
    a, b, c, d = one[..., :1, :], one[..., 1:, :], other[..., :1, :], other[..., 1:, :]
    return np.concatenate([a * c + b * (q - d), a * d + b * c], axis=-2) % q


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


def fourier(parts: Residues, sign: int, recognizer: Recognizer, scale: int) -> Residues:
    """Return y_k = scale · sum_j exp(sign 2πi jk/n) x_j over the first axis of parts of shape
    (n, *others, 2, K); n divides the order of w.

    The two components are transformed with inverse roots, which is one transform and in one of them
    a change of sign of k.
    """
    q = recognizer.field.q
    others = range(1, parts.ndim - 2)  # K is short, others not
    columns = np.ascontiguousarray(parts.transpose(0, -2, -1, *others))
    pair = to_pair(columns, recognizer.iota, q, axis=1)
    found = Ring(recognizer.field).fourier(pair) if pair.size else pair
    turned = found[:, int(sign > 0)]
    turned[1:] = turned[:0:-1].copy()
    found = from_pair(found, recognizer.iota, q, 1, scale)
    return found.transpose(0, *(axis + 2 for axis in others), 1, 2)


def to_pair(parts: Residues, iota: int, q: int, axis: int = -2) -> Residues:
    """Return (a + iota b, a - iota b) for a + bI, whose parts are along this axis."""
    a, b = np.moveaxis(parts, axis, 0)
    b = reduced(b * iota, q)
    return reduced(np.stack([a + b, a + (q - b)], axis), q)


def from_pair(pair: Residues, iota: int, q: int, axis: int = -2, scale: int = 1) -> Residues:
    """Return scale (a + bI) for (a + iota b, a - iota b)."""
    u, v = np.moveaxis(pair, axis, 0)
    real, imaginary = (scale * pow(divisor, -1, q) % q for divisor in (2, 2 * iota))
    return reduced(np.stack([(u + v) * real, (u + (q - v)) * imaginary], axis), q)


def reduced(numbers: NDArray[Any], q: int) -> NDArray[Any]:
    """Return numbers, not negative ones of 64 bits, modulo q: % takes longer."""
    plain = numbers.view(np.uint64)
    multiples = plain // np.uint64(q)
    multiples *= np.uint64(q)
    return np.subtract(plain, multiples, out=multiples).view(numbers.dtype)


def no_root_of_one(N: int, q: int, rng: np.random.Generator) -> int:
    """Return a random t with t^N != 1."""
    while pow(t := int(rng.integers(1, q)), N, q) == 1:
        pass
    return t
