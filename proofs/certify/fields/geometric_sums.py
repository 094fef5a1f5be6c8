"""Fourier transforms along axes over GF(q), by their definition: of powers, which are geometric
sums, and of basis vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from derive.fields import RootField, inverses, powers
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.residue_arrays import Residues, from_pair, no_root_of_one

Axes = Sequence[int]


def of_powers(
    whole: Axes, along: Axes, field: RootField, t: int, sign: int, half: int = -1
) -> NDArray[np.int64]:
    """Return the transform of t^j along these axes, w to the power `sign`: a product over the axes,
    of (r^n - 1) / (r w_n^(±k) - 1) with r = t to the power of what the axis counts; along others of
    r^k. Along the axis `half` only j <= n/2 count, twice where n - j is another index.
    """
    q, found = field.q, np.ones(1, dtype=np.int64)
    for axis, n in enumerate(whole):
        r = pow(t, prod(whole[axis + 1 :]), q)
        if axis not in along:
            part = powers(r, n, q)
        elif axis == half:
            part = _of_half(n, r, field, sign)
        else:
            part = _sum(n, n, r, field, sign)
        found = (found[:, None] * part % q).reshape(-1)
    return found


def _rotation(n: int, power: int, field: RootField) -> NDArray[np.int64]:
    """Return w_n^(power k), k < n."""
    return field.powers[(power * np.arange(n) % n) * (field.order // n)]


def _sum(count: int, n: int, r: int, field: RootField, sign: int) -> NDArray[np.int64]:
    """Return the sums of (r w_n^(±k))^j over j < count, by k."""
    q = field.q
    last = pow(r, count, q) * _rotation(n, sign * count, field) % q
    return (last + q - 1) * inverses((r * _rotation(n, sign, field) + q - 1) % q, q) % q


def _of_half(n: int, r: int, field: RootField, sign: int) -> NDArray[np.int64]:
    """Return the sums of (r w_n^(±k))^j over j <= n/2, twice those of 0 < j < n/2, by k."""
    q, found = field.q, 2 * _sum(n // 2 + 1, n, r, field, sign) - 1
    if n % 2 == 0:
        found = found - pow(r, n // 2, q) * _rotation(n, sign * (n // 2), field) % q
    return found % q


def entries(whole: Axes, along: Axes, recognizer: Recognizer, sign: int) -> Residues:
    """Return cos and ± sin of the sum of 2πjk/n over these axes, of shape (N, 2, N); 0 where j and
    k differ on another axis.
    """
    field, places = recognizer.field, np.unravel_index(np.arange(prod(whole)), tuple(whole))
    angle = np.zeros((1, 1), dtype=np.int64)
    same = np.ones((1, 1), dtype=bool)
    for axis, (j, n) in enumerate(zip(places, whole, strict=True)):
        if axis in along:
            angle = angle + sign * np.outer(j, j) % n * (field.order // n)
        else:
            same = same & (j[:, None] == j)
    found: Residues = recognizer.circle[angle % field.order].transpose(0, 2, 1) * same[:, None]
    return found


def unit_vectors(
    whole: Axes, along: Axes, sign: int, recognizer: Recognizer
) -> tuple[Residues, Residues]:
    """Return all e_j and I e_j, and the columns of the matrix, and these times I."""
    N, q = prod(whole), recognizer.field.q
    columns = entries(whole, along, recognizer, sign)
    given = np.stack([np.eye(N, dtype=np.int64), np.zeros((N, N), dtype=np.int64)], axis=1)
    return _with_turned(given, q), _with_turned(columns, q)


def _with_turned(columns: Residues, q: int) -> Residues:
    """Return vectors, and then the same vectors times I."""
    return np.concatenate(
        [columns, np.stack([(q - columns[:, 1]) % q, columns[:, 0]], axis=1)], axis=-1
    )


def geometric(
    whole: Axes, along: Axes, sign: int, recognizer: Recognizer, rng: np.random.Generator
) -> tuple[Residues, Residues]:
    """Return a vector of powers of t and u, in the ring's two components, and its transform."""
    q, N, pairs = recognizer.field.q, prod(whole), []
    for each in (sign, -sign):
        t = no_root_of_one(N, q, rng)
        pairs.append((powers(t, N, q), of_powers(whole, along, recognizer.field, t, each)))
    given, wanted = (
        np.stack(component, axis=-1)[..., None] for component in zip(*pairs, strict=True)
    )
    return from_pair(given, recognizer.iota, q), from_pair(wanted, recognizer.iota, q)
