"""The exact meaning of a formula: its action on vectors over a ring with a root of unity
(rings.py), all stimuli at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.exact.residues import Residues
from derive.exact.rings import (
    NOWHERE,
    Collision,
    Cyclotomic,
    DrawingRing,
    Elements,
    RealRing,
    Ring,
    Terms,
    spread,
)
from derive.formula.adjoints import conjugate
from derive.formula.combinations import Added, Ranged, Scaled, Sqrt, Variable, terms_of
from derive.formula.grammar import Applied, DirectSum, Formula, I, Kron, Product
from derive.formula.leaves import Leaf
from derive.formula.named_matrices import Chirp, Pad
from derive.formula.permutation_matrices import L, inverse
from derive.formula.permutations import is_permutation, target
from derive.formula.transforms import BH, A, B, ButterflySum, E, F, H, Omega, T, W
from derive.lazy import lazily

_matrices = lazily("derive.text.text_matrices")


def act(formula: Formula, x: Elements, ring: Ring) -> Elements:
    """Return formula · x, exactly; x has shape (formula.size, stimuli, ...).

    Raises Collision where two roots of unity meet in Monomials, and where a ring has no halves.

    >>> from derive.exact.rings import Monomials
    >>> act(F(2), Monomials(2).units(2, range(2)), Monomials(2)).tolist()
    [[0, 0], [0, 1]]
    """
    match formula:
        case Product(factors):
            return reduce(lambda y, factor: act(factor, y, ring), reversed(factors), x)
        case Kron((left, right)):
            return _kron(left, right, x, ring)
        case DirectSum(terms):
            parts = np.split(x, np.cumsum([term.columns for term in terms])[:-1])
            return _joined([act(term, part, ring) for term, part in zip(terms, parts, strict=True)])
        case Added() | Scaled():
            each = (_times(act(of, x, ring), c, i, ring) for c, i, of in terms_of(formula))
            return reduce(ring.add, each)
        case _ if is_permutation(formula):
            return _permuted(formula, x, ring)
        case Omega() | T() | W() | Ranged("diag"):
            return ring.twist(x, *_diagonal(formula))
        case Applied("conj", Omega() | T() | W() | Ranged("diag")):
            return ring.twist(x, *_diagonal(formula))
        case F():
            return ring.fourier(x)
        case Applied("conj", F()):
            return ring.fourier(x)[-np.arange(len(x))]
        case Applied("inv", of):
            return _real(ring).divide(act(conjugate(of), x, ring), len(x))
        case H():
            return _real(ring).hartley(x)
    return _stage(formula, x, ring)


def _permuted(formula: Formula, x: Elements, ring: Ring) -> Elements:
    """Return a permutation of x: a stride permutation without the places of all elements."""
    match formula:
        case L(_, r):
            return _shuffle(x, r)
        case Applied("inv", L(N, r)):
            return _shuffle(x, N // r)
        case Applied("inv", Leaf() as of) if of.definition is not None:
            return act(inverse(of.definition), x, ring)
        case Leaf() if formula.definition is not None:
            return act(formula.definition, x, ring)
    y = np.empty_like(x)
    y[target(formula)] = x
    return y


def _times(x: Elements, number: Fraction, imaginary: bool, ring: Ring) -> Elements:
    """Return x times a number, or times i and a number; i is w_4^3."""
    if imaginary:
        x = ring.twist(x, 3, 4)
    if abs(number) == 1:
        return x if number == 1 else ring.twist(x, 1, 2)
    if isinstance(ring, Cyclotomic) and number.denominator == 1:
        return x * number.numerator
    return _real(ring).multiply(x, number)


def _root(formula: Sqrt, x: Elements, ring: Ring) -> Elements:
    """Return x times a square root, by the sum of w_p^(k^2) over k < p: it is the root of p, or -i
    times that where p = 3 modulo 4; the root of 2 is w_8 + w_8^-1.
    """
    whole, primes = formula.primes
    x = _times(x, Fraction(whole), False, ring)
    for p in primes:
        turns = [(k * k, p) for k in range(p)] if p > 2 else [(1, 8), (-1, 8)]
        x = reduce(ring.add, (ring.twist(x, k, order) for k, order in turns))
        x = ring.twist(x, 3, 4) if p % 4 == 3 else x
    return x


def _stage(formula: Formula, x: Elements, ring: Ring) -> Elements:
    """Return a butterfly, a stage of butterflies, or a matrix variable, of x."""
    match formula:
        case Sqrt():
            return _root(formula, x, ring)
        case E(m, _):
            total = _total(x, ring)
            return np.broadcast_to(total, (m, *total.shape)).copy()
        case Pad(m, n):
            nothing = ring.add(x[:1], ring.twist(x[:1], 1, 2))
            return _joined([x[:m], *[nothing] * (m - n)])
        case Chirp(m, n) if isinstance(ring, Residues):
            return ring.times(x, spread(_of_chirp(m, n, ring), x))
        case Variable() | Applied("conj", Variable()):
            return _by_variable(formula, x, ring)
        case B(K, alpha) | A(K, _, alpha):
            weights = _weights(np.arange(K // 2)[None], alpha, K)
            return _butterflies(x, (1, len(x) // K, K), *weights, ring)
        case ButterflySum(k, n, u):
            exponent = np.arange(u)[:, None] + u * np.arange(k // 2)
            return _butterflies(x, (u, n // k, k), exponent, k * u, ring)
        case BH(K):
            return _hartley_butterflies(x, K, ring)
        case Applied("transpose"):
            return _transposed_hartley_butterfly(x, ring)
    if formula.definition is None:
        raise TypeError(f"no meaning for {formula!r}")
    return act(formula.definition, x, ring)


def _of_chirp(m: int, n: int, ring: Residues) -> Elements:
    """Return the diagonal of a chirp."""
    t = np.roll(np.arange(m) - m // 2, m // 2)
    chirp = ring.twist(np.ones((m, 1), np.int64), -t * t, 2 * n)
    return act(F(m), chirp, ring)[:, 0]


def _total(x: Elements, ring: Ring) -> Elements:
    """Return the sum of the elements: of both halves together, and so on."""
    if len(x) == 1:
        return x[0]
    half = len(x) // 2
    total = _total(ring.add(x[:half], x[half : 2 * half]), ring)
    return ring.add(total, x[-1]) if len(x) % 2 else total


def _diagonal(formula: Formula) -> tuple[NDArray[Any], int]:
    """Return the exponents and the order of the roots of unity of a diagonal."""
    match formula:
        case Omega(h, alpha):
            return _weights(np.arange(h), alpha, 2 * h)
        case T(N, s):
            return np.outer(np.arange(N // s), np.arange(s)).reshape(-1), N
        case W(order, i, j):
            z = np.arange(formula.size)
            return i(z) * j(z), order
        case Ranged("diag"):
            return _matrices.exponents_of(formula)
        case Applied("conj", of):
            exponent, order = _diagonal(of)
            return -exponent, order
    raise AssertionError(f"{formula} is not a diagonal")


def _joined(parts: Sequence[Elements]) -> Elements:
    """Return vectors one below the other; shorter formal sums end in terms of column NOWHERE.

    Raises Collision where some are sums of more roots of unity than others.
    """
    if len({part.ndim for part in parts}) > 1:
        raise Collision
    if parts[0].ndim != 3:
        return np.concatenate(parts)
    longest = max(part.shape[2] for part in parts)
    return np.concatenate(
        [
            np.pad(part, ((0, 0), (0, 0), (0, longest - part.shape[2])), constant_values=NOWHERE)
            for part in parts
        ]
    )


def _shuffle(x: Elements, r: int) -> Elements:
    """Return L^N_r x."""
    return x.reshape(len(x) // r, r, *x.shape[1:]).swapaxes(0, 1).reshape(x.shape)


def _weights(j: NDArray[Any], alpha: Fraction | int, K: int) -> tuple[NDArray[Any], int]:
    """Return the exponents and the order of w_K^(j + alpha)."""
    a = Fraction(alpha)
    return j * a.denominator + a.numerator % (K * a.denominator), K * a.denominator


def _butterflies(
    x: Elements, shape: tuple[int, int, int], exponent: NDArray[Any], order: int, ring: Ring
) -> Elements:
    """Return the butterflies [[I, W], [I, -W]] of x, an array of blocks of K elements, W =
    diag(w_order^exponent).

    `shape` is (groups, blocks of a group, K), and exponents have the shape (groups or 1, K/2).
    """
    groups, blocks, K = shape
    if isinstance(ring, Residues):
        each = np.repeat(
            np.repeat(exponent, blocks if groups > 1 else 1, axis=0), x[0].size, axis=1
        )
        return ring.butterflies(x.reshape(groups * blocks, 2, -1), each, order).reshape(x.shape)
    y = x.reshape(groups, blocks, 2, K // 2, *x.shape[1:])
    low, high = y[:, :, 0], ring.twist(y[:, :, 1], exponent[:, None], order)
    if isinstance(ring, Terms):
        z = np.empty((*y.shape[:-1], 2 * x.shape[-1]), dtype=x.dtype)
        z[..., : x.shape[-1]] = low[:, :, None]
        z[:, :, 0, ..., x.shape[-1] :] = high
        z[:, :, 1, ..., x.shape[-1] :] = ring.twist(high, 1, 2)
        return z.reshape(len(x), *z.shape[4:])
    z = np.stack([ring.add(low, high), ring.add(low, ring.twist(high, 1, 2))], axis=2)
    return z.reshape(len(x), *z.shape[4:])


def _by_variable(formula: Formula, x: Elements, ring: Ring) -> Elements:
    """Return a matrix variable times x, for the matrix that a ring draws."""
    conjugated = isinstance(formula, Applied)
    letter = formula.of if isinstance(formula, Applied) else formula
    assert isinstance(letter, Variable)
    if not isinstance(ring, DrawingRing):
        raise Collision
    drawn = ring.drawn(letter.name, letter.rows, letter.cols, conjugated)
    return ring.apply(drawn.T if letter.turned else drawn, x)


def _real(ring: Ring) -> RealRing:
    if not isinstance(ring, RealRing):
        raise Collision
    return ring


def _hartley_butterflies(x: Elements, K: int, ring: Ring) -> Elements:
    """Return (I ⊗ BH_K) x."""
    h = K // 2
    u = np.arange(h)
    y = x.reshape(len(x) // K, 2, h, *x.shape[1:])
    low, high = y[:, 0], y[:, 1]
    turned = _real(ring).rotate(high, high[:, -u % h], u[None], K)
    return np.stack(
        [ring.add(low, turned), ring.add(low, ring.twist(turned, 1, 2))], axis=1
    ).reshape(x.shape)


def _transposed_hartley_butterfly(x: Elements, ring: Ring) -> Elements:
    """Return BH^T x = (low + high, T (low - high)): BH has the blocks I, T, I, -T, T symmetric."""
    K, h = len(x), len(x) // 2
    u = np.arange(h)
    low, high = x[:h], ring.twist(x[h:], 1, 2)
    less = ring.add(low, high)
    turned = _real(ring).rotate(less[None], less[None, -u % h], u[None], K)[0]
    return np.concatenate([ring.add(low, x[h:]), turned])


def _kron(left: Formula, right: Formula, x: Elements, ring: Ring) -> Elements:
    """Return (left ⊗ right) x, each factor applied along its own axis."""
    a, b, stimuli = left.columns, right.columns, x.shape[1]
    y = x.reshape(a, b, *x.shape[1:])
    if not isinstance(right, I):
        y = _along_second(right, y, ring)
    if not isinstance(left, I):
        rows = y.shape[1]
        z = act(left, y.reshape(a, rows * stimuli, *y.shape[3:]), ring)
        y = z.reshape(len(z), rows, stimuli, *z.shape[2:])
    return y.reshape(y.shape[0] * y.shape[1], stimuli, *y.shape[3:])


def _along_second(formula: Formula, y: Elements, ring: Ring) -> Elements:
    a, b, stimuli = y.shape[:3]
    columns = y.swapaxes(0, 1).reshape(b, a * stimuli, *y.shape[3:])
    z = act(formula, columns, ring)
    return z.reshape(len(z), a, stimuli, *z.shape[2:]).swapaxes(0, 1)
