"""The exact meaning of a formula: its action on vectors over a ring with a root of unity
(rings.py), all stimuli at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.exact.rings import NOWHERE, Collision, Elements, RealRing, Residues, Ring, Terms, spread
from derive.formula.entries import Entries
from derive.formula.grammar import DirectSum, Formula, I, Inverse, Kron, Product
from derive.formula.permutation_matrices import Gamma, L, S
from derive.formula.permutations import is_permutation, target
from derive.formula.transforms import BH, LH, A, AHat, B, ButterflySum, D, F, H, HatSum, Omega, T, W


def halvings(formula: Formula) -> int:
    """Return h such that 2^h times every entry of a formula is an algebraic integer: cosines and
    sines are halves of such.

    >>> halvings(LH(2, 4) @ LH(1, 4)), halvings(F(4))
    (2, 0)
    """
    match formula:
        case H() | BH() | LH():
            return 1
        case Kron(left, right):
            return halvings(left) + halvings(right)
        case DirectSum(parts):
            return max(halvings(part) for part in parts)
        case Product(parts):
            return sum(halvings(part) for part in parts)
    return 0


def order(formula: Formula) -> int:
    """Return a common order of all roots of unity in a formula.

    >>> order(A(4, 8, Fraction(1, 2)))
    8
    """
    match formula:
        case F(n):
            return int(n)
        case T(N, _):
            return int(N)
        case W(order=own):
            return own
        case Omega(h, alpha):
            return int(2 * h * Fraction(alpha).denominator)
        case B(K, alpha) | A(K, _, alpha):
            return int(K * Fraction(alpha).denominator)
        case D(K, alpha):
            return int(K * Fraction(alpha).denominator)
        case ButterflySum(k, _, u):
            return int(k * u)
        case AHat() | HatSum():
            return order(formula.definition)
        case Entries():
            return formula.order
        case H(n) | BH(n):
            return lcm(8, int(n))
        case LH(s, _):
            return int(max(8, 2**s))
        case Kron(left, right):
            return lcm(order(left), order(right))
        case DirectSum(parts) | Product(parts):
            return lcm(*[order(part) for part in parts])
    return 1


def row_sum(formula: Formula) -> int:
    """Return a bound on the sum of the absolute values of a row's entries, for every choice of the
    root of unity.

    >>> row_sum(A(4, 8) @ A(2, 8))
    4
    """
    match formula:
        case F(n):
            return int(n)
        case B() | A() | ButterflySum() | AHat() | HatSum():
            return 2
        case H(n):
            return int(2 * n)
        case BH() | LH():
            return 3
        case D():
            return 4
        case Kron(left, right):
            return row_sum(left) * row_sum(right)
        case DirectSum(parts):
            return max(row_sum(part) for part in parts)
        case Product(parts):
            return reduce(lambda a, b: a * b, [row_sum(part) for part in parts])
    return 1


def act(formula: Formula, x: Elements, ring: Ring) -> Elements:
    """Return formula · x, exactly; x has shape (formula.size, stimuli, ...).

    Raises Collision where `ring` is Monomials and two roots of unity meet.

    >>> from derive.exact.rings import Monomials
    >>> act(F(2), Monomials(2).units(2, range(2)), Monomials(2)).tolist()
    [[0, 0], [0, 1]]
    """
    match formula:
        case Product(factors):
            return reduce(lambda y, factor: act(factor, y, ring), reversed(factors), x)
        case L(N, r):
            return _shuffle(x, 1, r)
        case S(u, M) | Inverse(S(u, M)):
            return _shuffle(x, 1, M // u if isinstance(formula, Inverse) else u)
        case Gamma(u, p, N) | Inverse(Gamma(u, p, N)):
            return _shuffle(x, p // u, N // p if isinstance(formula, Inverse) else u)
        case _ if is_permutation(formula):
            y = np.empty_like(x)
            y[target(formula)] = x
            return y
        case F():
            return ring.fourier(x)
        case Omega(h, alpha):
            return ring.twist(x, *_weights(np.arange(h), alpha, 2 * h))
        case T(N, s):
            return ring.twist(x, np.outer(np.arange(N // s), np.arange(s)).reshape(-1), N)
        case W(own, i, j):
            z = np.arange(len(x))
            return ring.twist(x, i(z) * j(z), own)
        case B(K, alpha) | A(K, _, alpha):
            return _butterflies(
                x, (1, len(x) // K, K), *_weights(np.arange(K // 2)[None], alpha, K), ring
            )
        case ButterflySum(k, n, u):
            exponent = np.arange(u)[:, None] + u * np.arange(k // 2)
            return _butterflies(x, (u, n // k, k), exponent, k * u, ring)
        case D(K, alpha):
            return _butterfly4(x, K, alpha, ring)
        case AHat() | HatSum():
            return act(formula.definition, x, ring)
        case H():
            return _real(ring).hartley(x)
        case BH(K):
            return _hartley_butterflies(x, K, ring)
        case LH(s, _):
            return _hartley_butterflies(x, 2**s, ring)
        case Entries():
            return _by_entries(formula, x, ring)
        case Kron(left, right):
            return _kron(left, right, x, ring)
        case DirectSum(terms):
            ends = np.cumsum([term.size for term in terms])[:-1]
            return join(
                [act(term, part, ring) for term, part in zip(terms, np.split(x, ends), strict=True)]
            )
    raise TypeError(f"no meaning for {formula!r}")


def join(parts: Sequence[Elements]) -> Elements:
    """Return vectors one below the other; formal sums that are shorter than others end in terms of
    the column NOWHERE.
    """
    if parts[0].ndim != 3:
        return np.concatenate(parts)
    longest = max(part.shape[2] for part in parts)
    return np.concatenate(
        [
            np.pad(part, ((0, 0), (0, 0), (0, longest - part.shape[2])), constant_values=NOWHERE)
            for part in parts
        ]
    )


def _shuffle(x: Elements, copies: int, r: int) -> Elements:
    """Return (I ⊗ L_r) x for so many copies of a stride permutation."""
    y = x.reshape(copies, len(x) // (copies * r), r, *x.shape[1:])
    return y.swapaxes(1, 2).reshape(x.shape)


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


def _butterfly4(x: Elements, K: int, alpha: Fraction | int, ring: Ring) -> Elements:
    """Return D_K^alpha x by equation 1.12: [[1, L2, L, L3], [1, -L2, iL, -iL3], [1, L2, -L, -L3],
    [1, -L2, -iL, iL3]], L2 = L squared.
    """
    x0, *rest = x.reshape(4, K // 4, *x.shape[1:])
    j = np.arange(K // 4)
    terms = [
        x0,
        *(
            ring.twist(part, *_weights(e * j, e * Fraction(alpha), K))
            for part, e in zip(rest, (2, 1, 3), strict=True)
        ),
    ]
    turns = ((0, 0, 0, 0), (0, 2, 1, 3), (0, 0, 2, 2), (0, 2, 3, 1))
    return np.concatenate(
        [
            reduce(
                ring.add, [ring.twist(term, turn, 4) for term, turn in zip(terms, row, strict=True)]
            )
            for row in turns
        ]
    )


def _by_entries(matrix: Entries, x: Elements, ring: Ring) -> Elements:
    """Return the sum of the columns of a matrix times the elements of x, those that are not 0."""
    zero = ring.units(2, range(1))[1:]
    y = np.broadcast_to(zero, x.shape)
    for j in np.flatnonzero((x != zero).reshape(len(x), -1).any(axis=1)):
        exponent = matrix.column(int(j))
        column = ring.twist(np.broadcast_to(x[j], x.shape), np.maximum(exponent, 0), matrix.order)
        y = ring.add(y, np.where(spread(exponent, x) < 0, zero, column))
    return y


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


def _kron(left: Formula, right: Formula, x: Elements, ring: Ring) -> Elements:
    """Return (left ⊗ right) x, each factor applied along its own axis."""
    a, b = left.size, right.size
    y = x.reshape(a, b, *x.shape[1:])
    if not isinstance(right, I):
        y = _along_second(right, y, ring)
    if not isinstance(left, I):
        z = act(left, y.reshape(a, b * x.shape[1], *y.shape[3:]), ring)
        y = z.reshape(a, b, x.shape[1], *z.shape[2:])
    return y.reshape(*x.shape[:2], *y.shape[3:])


def _along_second(formula: Formula, y: Elements, ring: Ring) -> Elements:
    a, b, stimuli = y.shape[:3]
    columns = y.swapaxes(0, 1).reshape(b, a * stimuli, *y.shape[3:])
    z = act(formula, columns, ring)
    return z.reshape(b, a, stimuli, *z.shape[2:]).swapaxes(0, 1)
