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
from proofs.certify.exact.residues import Residues

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
