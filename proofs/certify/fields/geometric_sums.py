"""Linear maps along axes over GF(q), by their definition: of powers, which come to geometric sums,
and of basis vectors.

    sum_(j < count) (r w_n^e)^j = (r^count w_n^(e count) - 1) / (r w_n^e - 1),   w_n of order n
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from derive.fields import RootField, inverses, powers

Axes = Sequence[int]
Numbers = NDArray[np.int64]


def rotation(n: int, exponents: Numbers, field: RootField) -> Numbers:
    """Return the powers of w_n."""
    return np.asarray(field.powers[exponents % n * (field.order // n)])


def sums(count: int, r: int, n: int, exponents: Numbers, field: RootField) -> Numbers:
    """Return the sums of (r w_n^e)^j over j < count, by e."""
    q = field.q
    last = pow(r, count, q) * rotation(n, exponents * count, field) % q
    below = (r * rotation(n, exponents, field) + q - 1) % q
    return np.asarray((last + q - 1) * inverses(below, q) % q)


def of_powers(
    whole: Axes, along: Axes, q: int, t: int, of_axis: Callable[[int, int, int], Numbers]
) -> Numbers:
    """Return the image of t^j: the product over the axes of what `of_axis` gives for r^j, r = t to
    the power of what the axis counts, given the axis, its length and r; along others of r^k.
    """
    found = np.ones(1, dtype=np.int64)
    for axis, n in enumerate(whole):
        r = pow(t, prod(whole[axis + 1 :]), q)
        part = of_axis(axis, n, r) if axis in along else powers(r, n, q)
        found = (found[:, None] * part % q).reshape(-1)
    return found


def of_units(whole: Axes, along: Axes, q: int, matrix: Callable[[int], Numbers]) -> Numbers:
    """Return the product of the matrices of these axes, of these lengths."""
    found = np.ones((1, 1), dtype=np.int64)
    for axis, n in enumerate(whole):
        found = np.kron(found, matrix(n) if axis in along else np.eye(n, dtype=np.int64)) % q
    return found


def basis(N: int, parts: int = 1) -> Numbers:
    """Return all e_j, of complex elements then all I e_j, of shape (N, parts, parts N)."""
    return np.eye(parts * N, dtype=np.int64).reshape(parts, N, -1).swapaxes(0, 1)
