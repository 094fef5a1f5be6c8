"""Programs with `--phases reproducible`: the bits that every number of ranks gives."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable

import numpy as np

from derive.verdict import Refuted, Tested, Verdict
from proofs.certify.checks.messages import transformed_numbers
from proofs.certify.declaration import Transform, Vector
from proofs.certify.evaluation.evaluation import Evaluation
from proofs.certify.ordinary.rounding import random_vector
from proofs.certify.rows import BITS
from proofs.certify.scripts.evaluation_jobs import natural
from proofs.certify.scripts.usage import ONCE

FUSING = ("fma", "fma4", "fp-armv8")
"""Features of processors that round a product and a sum at once."""
Products = tuple[Callable[..., Vector], Callable[..., Vector]]
ZEROS = 4
"""How many vectors of zeros are transformed: one alone may miss a wrong sign."""
STATEMENT = (
    "transform returns the bits of the same butterflies on one rank, and so those of any number of"
    " ranks"
)


def same_bits(evaluation: Evaluation, d: Transform) -> Verdict:
    """Return whether a random vector's transform, and one of zeros of both signs, have the bits of
    `butterflies`.
    """
    data = random_vector(d, evaluation.rng), *zeros(d, evaluation.rng)
    results = [transformed_numbers(evaluation, d, [x], ONCE, BITS) for x in data]
    found = [natural(d, parts) for [parts] in results]
    return compared(d, zip(data, found, strict=True))


def compared(d: Transform, pairs: Iterable[tuple[Vector, Vector]]) -> Verdict:
    """Return whether transforms of vectors, in natural order, have these bits."""
    part = np.dtype(f"u{d.dtype.itemsize // 2}")
    for x, found in pairs:
        wanted = scaled(d, butterflies(x, d.sign, products_of(d)))
        wrong = np.flatnonzero(found.view(part) != wanted.view(part))
        if len(wrong):
            k = int(wrong[0]) // 2
            words = f"y[{k}] is {found[k]}, not {wanted[k]}; {len(wrong)} of {2 * d.N} parts differ"
            return Refuted(STATEMENT, words)
    return alike(d.N)


def alike(N: int) -> Tested:
    """Return the verdict on a program that has these bits."""
    words = f"0 of {2 * N} parts differ for a random vector, and for {ZEROS} of zeros of both signs"
    return Tested(STATEMENT, 0.0, 0.0, words)


def zeros(d: Transform, rng: np.random.Generator) -> Vector:
    """Return vectors of N zeros, of whose parts a tenth is positive."""
    signs = rng.choice([-0.0, 0.0], (ZEROS, 2 * d.N), p=[0.9, 0.1])
    return signs.view(complex).astype(d.dtype)


def scaled(d: Transform, y: Vector) -> Vector:
    """Return y as the norm of a program divides it."""
    return np.multiply(y, (d.N**-0.5, 1 / d.N)[d.divided - 1]) if d.divided else y


def products_of(d: Transform) -> Products:
    """Return how a program's kernels multiply: compiled ones not by a root that is 1 in a whole
    stage, nor by i, and with a product and a sum at once where the processor can.
    """
    if d.kernels != "numba":
        return np.multiply, np.multiply
    way = times if fuses() else np.multiply
    return lambda w, v: v if len(w) == 1 else way(w, v), turned


def fuses() -> bool:
    """Return whether the processor that numba compiles for rounds a product and a sum at once."""
    features: frozenset[str] = importlib.import_module("codegen.kernels.host").features()
    return not features.isdisjoint(FUSING)


def butterflies(x: Vector, sign: int, products: Products = (np.multiply, np.multiply)) -> Vector:
    """Return F_N x by stages in pairs, from the first on, and a last one by itself if lg N is odd;
    `products` multiply roots, and i or -i, by elements.

    >>> butterflies(np.array([1.0, 2.0, 0.0, 0.0]) + 0j, -1).tolist()
    [(3+0j), (1-2j), (-1+0j), (1+2j)]
    """
    times, turn = products
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
        a, b, c, d = p + q, p - q, r + s, turn(sign * 1j, r - s)
        y, k = np.stack([a + c, b + d, a - c, b - d], axis=1).reshape(N), 4 * k
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


def turned(i: complex, v: Vector) -> Vector:
    """Return i v, or -i v: parts change places, and one its sign."""
    found = np.empty_like(v)
    found.real, found.imag = -i.imag * v.imag, i.imag * v.real
    return found


def times(w: Vector, v: Vector) -> Vector:
    """Return w v, each part by one product that is rounded and one that is not."""
    p, q, r, s = np.broadcast_arrays(v.real, v.imag, w.real, w.imag)
    product = np.empty(p.shape, v.dtype)
    product.real, product.imag = fused(p, r, -(q * s)), fused(p, s, q * r)
    return product


def fused(a: Vector, b: Vector, c: Vector) -> Vector:
    """Return a b + c rounded once, of zeros and numbers whose products neither overflow nor
    underflow.

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
    found = high + np.where((rest != 0) & even, odd, total)
    return np.where(found == 0, a * b + c, found)  # where a b = -c, and the sign is that of a sum


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
