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


def fourier(parts: Residues, sign: int, recognizer: Recognizer) -> Residues:
    """Return y_k = sum_j exp(sign 2πi jk/n) x_j over the first axis; n divides the order of w.

    The two components are transformed with inverse roots, which is one transform and in one of them
    a change of sign of k.
    """
    field, n = recognizer.field, parts.shape[0]
    q, root = field.q, field.powers[:: field.order // n]
    pair = to_pair(parts, recognizer.iota, q)
    found = by_definition(pair.reshape(n, -1), root, q).reshape(pair.shape)
    turned = found[..., int(sign > 0), :]
    turned[1:] = turned[:0:-1].copy()
    return from_pair(found, recognizer.iota, q)


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


def by_definition(x: Residues, root: Residues, q: int) -> Residues:
    """Return y_k = sum_j root_(jk) x_j over the first axis of x (n, m), with the n powers of a root
    of unity; by a matrix for a prime n.

    F_n = (F_r ⊗ I) T (I ⊗ F_(n/r)) L for the least prime r of n: r parts side by side, transformed,
    turned, and put together by F_r.
    """
    n = x.shape[0]
    r = _least_prime(n)
    if r == n:
        return x if n == 1 else _of_two(x[:1], x[1:], q) if n == 2 else _by_matrix(x, root, q)
    s = n // r
    parts = by_definition(x.reshape(s, -1), root[::r], q).reshape(s, r, -1)
    if r == 2:
        return _of_two(parts[:, 0], parts[:, 1] * root[:s, None] % q, q)
    turned = parts * root[np.outer(np.arange(s), np.arange(r))][..., None] % q
    together = _by_matrix(turned.swapaxes(0, 1).reshape(r, -1), root[::s], q)
    return together.reshape(n, -1)


def _of_two(even: Residues, odd: Residues, q: int) -> Residues:
    """Return the sums of two parts, and then their differences."""
    found = np.empty((2, *even.shape), np.int64)
    np.add(even, odd, out=found[0])
    np.subtract(even, odd, out=found[1])
    found[1] += q
    plain = found.view(np.uint64)  # in which what is negative is greatest
    np.minimum(plain, (found - q).view(np.uint64), out=plain)
    return found.reshape(2 * len(even), *even.shape[1:])


def _by_matrix(x: Residues, root: Residues, q: int) -> Residues:
    """Return y_k = sum_j root_(jk) x_j by its definition, n^2 products for each column."""
    n = len(root)
    y = np.zeros_like(x)
    for j in range(n):
        y += root[np.arange(n) * j % n, None] * x[j] % q
    return y % q


@cache
def _least_prime(n: int) -> int:
    """Return the least prime that divides a number, 1 for 1."""
    return next((r for r in range(2, isqrt(n) + 1) if n % r == 0), n)


def no_root_of_one(N: int, q: int, rng: np.random.Generator) -> int:
    """Return a random t with t^N != 1."""
    while pow(t := int(rng.integers(1, q)), N, q) == 1:
        pass
    return t
