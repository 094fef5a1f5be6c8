"""Matrices by their definitions, in ordinary numbers, and bit matrices without structure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from derive.formula import grammar as f
from derive.formula import permutation_matrices, transforms
from derive.formula.transforms import A
from derive.gf2.bits import Affine, column_echelon


@dataclass(frozen=True)
class Reading:
    """A second reading of formulas, as dense matrices: every leaf from its definition in print,
    entry by entry.
    """

    w: Callable[[int, Any], Any]
    """w(n, e) = w_n^e."""
    dtype: type

    def placed(self, size, target):
        """Return the matrix that takes element j to place target(j)."""
        matrix = np.zeros((size, size), self.dtype)
        for j in range(size):
            matrix[target(j), j] = 1
        return matrix

    def diagonal(self, blocks):
        """Return the block diagonal matrix of these blocks."""
        size = sum(len(block) for block in blocks)
        matrix, start = np.zeros((size, size), self.dtype), 0
        for block in blocks:
            matrix[start : start + len(block), start : start + len(block)] = block
            start += len(block)
        return matrix

    def weights(self, K, exponents):
        return np.diag(np.array([self.w(K, e) for e in exponents], self.dtype))

    def eye(self, n):
        return np.eye(n, dtype=self.dtype)

    def butterfly(self, K, alpha):
        """Return B_K^alpha, equations 1.8, 1.9 and 1.11."""
        eye, omega = self.eye(K // 2), self.weights(K, [j + alpha for j in range(K // 2)])
        return np.block([[eye, omega], [eye, -omega]])

    def gamma(self, u, p, N):
        """Return the matrix of equations 2.1 and 2.4: j = j0 M + j1 u + j2 goes to j0 M + j2 N/p +
        j1, M = u N/p.
        """
        M = u * N // p
        return self.placed(N, lambda j: j // M * M + j % u * (N // p) + j % M // u)

    def __call__(self, formula: f.Formula) -> np.ndarray:
        match formula:
            case f.I(n):
                return self.eye(n)
            case transforms.F(n):
                return np.array(
                    [[self.w(n, j * k) for k in range(n)] for j in range(n)], self.dtype
                )
            case transforms.Omega(h, alpha):
                return self.weights(2 * h, [j + alpha for j in range(h)])
            case transforms.B(K, alpha):
                return self.butterfly(K, alpha)
            case transforms.A(K, N, alpha):
                return np.kron(self.eye(N // K), self.butterfly(K, alpha))
            case transforms.D(K, alpha):
                one, lam, i = (
                    self.eye(K // 4),
                    self.weights(K, [j + alpha for j in range(K // 4)]),
                    self.w(4, 1),
                )
                two, three = lam @ lam, lam @ lam @ lam
                signs = [[1, 1, 1, 1], [1, -1, i, -i], [1, 1, -1, -1], [1, -1, -i, i]]
                return np.block(
                    [
                        [
                            sign * part
                            for sign, part in zip(row, (one, two, lam, three), strict=True)
                        ]
                        for row in signs
                    ]
                )
            case transforms.T(N, s):
                return self.weights(N, [i * j for i in range(N // s) for j in range(s)])
            case transforms.ButterflySum(k, n, u):
                return self.diagonal(
                    [np.kron(self.eye(n // k), self.butterfly(k, Fraction(s, u))) for s in range(u)]
                )
            case permutation_matrices.L(N, r):
                return self.placed(N, lambda place: place % r * (N // r) + place // r)
            case permutation_matrices.S(u, M):
                return self.placed(M, lambda j: j % u * (M // u) + j // u)
            case permutation_matrices.R(N):
                return self.placed(N, lambda j: int(format(j + N, "b")[:0:-1] or "0", 2))
            case permutation_matrices.Gamma(u, p, N):
                return self.gamma(u, p, N)
            case transforms.AHat(k, u, p, N):
                return self.gamma(u, p, N) @ self(A(k * u, N)) @ self.gamma(u, p, N).T
            case f.Kron((left, right)):
                return np.kron(self(left), self(right))
            case f.DirectSum(terms):
                return self.diagonal([self(term) for term in terms])
            case f.Product(factors):
                return reduce(np.matmul, [self(factor) for factor in factors])
            case f.Applied("inv", of):
                return self(of).T
        raise TypeError(formula)


dense = Reading(lambda n, e: np.exp(2j * np.pi * float(e) / n), complex)
"""In complex numbers, w_n = exp(2 pi i/n)."""


def cas(order, e):
    """Return cosine plus sine of e/order turns in extended precision."""
    angle = 2 * np.arccos(np.longdouble(-1)) * np.asarray(e) / order
    return np.cos(angle) + np.sin(angle)


def matrix_of(N):
    """Return H_N from its definition."""
    return cas(N, np.outer(np.arange(N), np.arange(N)) % N).astype(float)


def factor_of(s, N):
    """Return L_s entry by entry: the three numbers of F(s, m)."""
    found, K, h = np.zeros((N, N)), 1 << s, 1 << s - 1
    for m in range(N):
        u = m % K
        found[m, m - u + u % h] += 1
        found[m, m - u + h + u % h] += np.cos(2 * np.pi * u / K)
        found[m, m - u + h + -u % h] += np.sin(2 * np.pi * u / K)
    return found


def nonsingular(n: int, seed: int | tuple[int, ...]) -> Affine:
    """Return a nonsingular bit matrix without structure, and a complement."""
    generator = np.random.default_rng(seed)
    while True:
        found = Affine(
            tuple(int(column) for column in generator.integers(0, 1 << n, n)),
            n,
            int(generator.integers(0, 1 << n)),
        )
        if len(column_echelon(found.columns)[0]) == n:
            return found
