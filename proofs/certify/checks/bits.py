"""Programs with `--phases reproducible`: the bits that every number of ranks gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from derive.papers.bsp_variants import REPRODUCIBLE
from derive.verdict import Refuted, Tested, Verdict
from proofs.certify.certificate import BITS
from proofs.certify.checks.rounding import Vector, random_vector
from proofs.certify.declaration import Transform
from proofs.certify.workers.jobs import OfNumbers
from proofs.certify.workers.parent import Workers
from proofs.certify.workers.usage import ONCE

STATEMENT = (
    "transform gives the bits of the same butterflies on one rank, and so those of any number of"
    " ranks"
)


def same_bits(
    workers: Workers, d: Transform, rng: np.random.Generator
) -> Iterator[tuple[str, Verdict]]:
    """Yield whether a random vector's transform has the bits of `butterflies`, if declared."""
    if getattr(d, "phases", "") != REPRODUCIBLE:
        return
    x = random_vector(d, rng)
    job = OfNumbers(d, (x[d.indices("input")],), ONCE, BITS)
    _, [parts] = workers.ask(job, [(d.dtype, (d.P, d.M))])
    found, wanted = np.empty_like(x), butterflies(x, d.sign)
    found[d.indices("output")] = parts
    if d.divided:
        wanted = np.multiply(wanted, (d.N**-0.5, 1 / d.N)[d.divided - 1])
    part = np.dtype(f"u{d.dtype.itemsize // 2}")
    wrong = np.flatnonzero(found.view(part) != wanted.view(part))
    if len(wrong):
        k = int(wrong[0]) // 2
        words = f"y[{k}] is {found[k]}, not {wanted[k]}; {len(wrong)} of {2 * d.N} parts differ"
        yield BITS, Refuted(STATEMENT, words)
    else:
        yield BITS, Tested(STATEMENT, 0.0, 0.0, f"0 of {2 * d.N} parts of a random vector differ")


def butterflies(x: Vector, sign: int) -> Vector:
    """Return F_N x by stages in pairs, from the first on, and a last one by itself if lg N is odd.

    >>> butterflies(np.array([1.0, 2.0, 0.0, 0.0]) + 0j, -1).tolist()
    [(3+0j), (1-2j), (-1+0j), (1+2j)]
    """
    N, k = len(x), 4
    places = np.zeros(1, int)
    while len(places) < N:
        places = np.concatenate([2 * places, 2 * places + 1])
    y = x[places]
    while k <= N:
        p, q, r, s = (y.reshape(-1, 4, k // 4)[:, i] for i in range(4))
        r, q, s = (
            roots(k, power, k // 4, sign, x.dtype) * z for power, z in enumerate((r, q, s), 1)
        )
        a, b, c, turned = p + q, p - q, r + s, sign * 1j * (r - s)
        y, k = np.stack([a + c, b + turned, a - c, b - turned], axis=1).reshape(N), 4 * k
    if k == 2 * N:
        p, q = y.reshape(2, N // 2)
        q = roots(N, 1, N // 2, sign, x.dtype) * q
        y = np.concatenate([p + q, p - q])
    return y


def roots(order: int, power: int, count: int, sign: int, dtype: np.dtype[np.generic]) -> Vector:
    """Return w^(power j), j < count, w = exp(sign 2πi/order), from angles up to 1/8 turn."""
    e = power * np.arange(count)
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    turn = np.array([1, sign * 1j, -1, sign * -1j])[quarter % 4]
    return (turn * (np.cos(angle) + sign * 1j * np.sin(angle))).astype(dtype)
