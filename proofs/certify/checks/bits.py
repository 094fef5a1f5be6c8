"""Programs with `--phases reproducible`: the bits that every number of ranks gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from derive.papers.bsp_variants import REPRODUCIBLE
from derive.verdict import Refuted, Tested, Undecided, Verdict
from proofs.certify.certificate import BITS
from proofs.certify.checks.rounding import Vector, random_vector
from proofs.certify.declaration import Transform
from proofs.certify.kernels import compiled
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
    """Yield whether a random vector's transform has the bits of `butterflies`, if declared.

    Compiled kernels round a product and a sum at once where the processor can: they have the bits
    of one of the two ways.
    """
    if getattr(d, "phases", "") != REPRODUCIBLE:
        return
    if d.kernels == "numba" and not compiled.is_installed():
        yield BITS, Undecided(STATEMENT, "numba is not installed, and kernels run as Python")
        return
    x = random_vector(d, rng)
    job = OfNumbers(d, (x[d.indices("input")],), ONCE, BITS)
    _, [parts] = workers.ask(job, [(d.dtype, (d.P, d.M))])
    found, part = np.empty_like(x), np.dtype(f"u{d.dtype.itemsize // 2}")
    found[d.indices("output")] = parts
    wrong = None
    for way in (times, np.multiply) if d.kernels == "numba" else (np.multiply,):
        wanted = butterflies(x, d.sign, way)
        if d.divided:
            wanted = np.multiply(wanted, (d.N**-0.5, 1 / d.N)[d.divided - 1])
        wrong = np.flatnonzero(found.view(part) != wanted.view(part))
        if not len(wrong):
            break
    if len(wrong):
        k = int(wrong[0]) // 2
        words = f"y[{k}] is {found[k]}, not {wanted[k]}; {len(wrong)} of {2 * d.N} parts differ"
        yield BITS, Refuted(STATEMENT, words)
    else:
        yield BITS, Tested(STATEMENT, 0.0, 0.0, f"0 of {2 * d.N} parts of a random vector differ")


def butterflies(
    x: Vector, sign: int, times: Callable[[Vector, Vector], Vector] = np.multiply
) -> Vector:
    """Return F_N x by stages in pairs, from the first on, and a last one by itself if lg N is odd;
    `times` multiplies roots and elements.

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
            times(roots(k, power, k // 4, sign, x.dtype), z) for power, z in enumerate((r, q, s), 1)
        )
        a, b, c, turned = p + q, p - q, r + s, sign * 1j * (r - s)
        y, k = np.stack([a + c, b + turned, a - c, b - turned], axis=1).reshape(N), 4 * k
    if k == 2 * N:
        p, q = y.reshape(2, N // 2)
        q = times(roots(N, 1, N // 2, sign, x.dtype), q)
        y = np.concatenate([p + q, p - q])
    return y


def roots(order: int, power: int, count: int, sign: int, dtype: np.dtype[np.generic]) -> Vector:
    """Return w^(power j), j < count, w = exp(sign 2πi/order), from angles up to 1/8 turn."""
    e = power * np.arange(count)
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    turn = np.array([1, sign * 1j, -1, sign * -1j])[quarter % 4]
    return (turn * (np.cos(angle) + sign * 1j * np.sin(angle))).astype(dtype)


def times(w: Vector, v: Vector) -> Vector:
    """Return w v, each part by one product that is rounded and one that is not."""
    p, q, r, s = np.broadcast_arrays(v.real, v.imag, w.real, w.imag)
    product = np.empty(p.shape, v.dtype)
    product.real, product.imag = fused(p, r, -(q * s)), fused(p, s, q * r)
    return product


def fused(a: Vector, b: Vector, c: Vector) -> Vector:
    """Return a b + c rounded once, of numbers whose products neither overflow nor underflow.

    Reference: Boldo & Melquiond, Emulation of FMA and correctly rounded sums: proved algorithms
    using rounding to odd (2008), Fig. 2.

    >>> tiny = np.array([2.0**-52])
    >>> float(fused(1 + tiny, 1 - tiny, -np.ones(1))[0]) == -(2.0**-104)
    True
    """
    high, low = exact_product(a, b)
    third, least = exact_sum(c, low)
    high, low = exact_sum(high, third)
    total, rest = exact_sum(low, least)
    even = total.view(f"u{total.itemsize}") % 2 == 0
    odd = np.nextafter(total, np.copysign(np.inf, rest).astype(total.dtype))
    return high + np.where((rest != 0) & even, odd, total)


def exact_sum(a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """Return a + b rounded, and its error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def exact_product(a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """Return a b rounded, and its error (Veltkamp and Dekker)."""
    factor = a.dtype.type(2 ** ((np.finfo(a.dtype).nmant + 2) // 2) + 1)
    (e, f), (g, h) = ((high := factor * z - (factor * z - z), z - high) for z in (a, b))
    product = a * b
    return product, f * h - (product - e * g - f * g - e * h)
