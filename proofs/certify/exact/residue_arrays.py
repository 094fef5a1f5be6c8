"""Arithmetic on residues: GF(q)[I]/(I²+1), an array of parts (*shape, 1 or 2, K) of non-negative
int64 below q.

With iota² = -1 in GF(q), a + bI goes to the pair (a + iota b, a - iota b), on which products are
products of the components: that is how the Fourier transform works here.
"""

from __future__ import annotations

from functools import cache
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from proofs.certify.exact.constants import Recognizer

Residues = NDArray[np.int64]
CACHED = 1 << 16
"""So many residues are transformed at a time: they, and what is made of them, fit a cache."""


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


def products(one: Residues, other: Residues, q: int) -> Residues:
    """Return the products of elements, stimulus by stimulus."""
    a, c = one[..., :1, :], other[..., :1, :]
    if one.shape[-2] == other.shape[-2] == 1:
        return a * c % q
    one, other = widened(one, 2), widened(other, 2)
    b, d = one[..., 1:, :], other[..., 1:, :]
    real, imaginary = (a * c + b * d % q * (q - 1)) % q, (a * d % q + b * c) % q
    return np.concatenate([real, imaginary], axis=-2)


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
    field, n = recognizer.field, parts.shape[0]
    q, root = field.q, field.powers[:: field.order // n]
    others = range(1, parts.ndim - 2)  # K is short, others not
    columns = np.ascontiguousarray(parts.transpose(0, -2, -1, *others))
    pair = to_pair(columns, recognizer.iota, q, axis=1)
    x = pair.reshape(n, -1)
    pieces = np.array_split(x, x.size // CACHED + 1, axis=1)
    found = np.hstack([by_definition(each, root, q) for each in pieces]).reshape(pair.shape)
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


def by_definition(x: Residues, root: Residues, q: int) -> Residues:
    """Return y_k = sum_j root_(jk) x_j over the first axis of x (n, m), with the n powers of a root
    of unity.

    With n = rs, j = j' r + j" and k = k' s + k" this is sum_j" root_(j" k) sum_j' root_(j' k" r)
    x_j, where the inner sums are transforms of s points.
    """
    n = len(x)
    if n == 1:
        return x
    r = 4 if n % 4 == 0 else _least_prime(n)
    parts = by_definition(x.reshape(n // r, -1), root[::r], q).reshape(n // r, r, -1)
    k = np.arange(n).reshape(r, -1, 1)
    y = np.zeros((r, *parts[:, 0].shape), np.int64)
    for j in range(r):
        y += root[j * k % n] * parts[:, j]
        if j % 3 == 2 or j == r - 1:  # a residue and three products have less than 64 bits
            y = reduced(y, q)
    return y.reshape(n, -1)


def reduced(numbers: Residues, q: int) -> Residues:
    """Return numbers, unsigned ones of 64 bits, modulo q in the same memory: % takes longer."""
    plain = numbers.view(np.uint64)
    multiples = plain // np.uint64(q)
    multiples *= np.uint64(q)
    plain -= multiples
    return numbers


@cache
def _least_prime(n: int) -> int:
    """Return the least prime that divides a number, 1 for 1."""
    return next((r for r in range(2, isqrt(n) + 1) if n % r == 0), n)


def no_root_of_one(N: int, q: int, rng: np.random.Generator) -> int:
    """Return a random t with t^N != 1."""
    while pow(t := int(rng.integers(1, q)), N, q) == 1:
        pass
    return t
