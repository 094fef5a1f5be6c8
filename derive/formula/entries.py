"""Matrices by their entries: what the products of the first factors of an equation are, said
without its factors.

    entries = Entries(name, n, order, exponent)

A check that finds an equation wrong compares these with the products, from the right, and names the
first factor that does not lead from one to the next. So nothing here uses the formulas of an
equation: every entry is 0 or w_order^exponent, a function of its row and column. `by_entries`
returns nothing where a size is symbolic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.formula.grammar import Formula

Indices = NDArray[np.int64]
Exponent = Callable[[Indices, Indices], Indices]
"""(rows, columns) -> exponents, -1 for an entry that is 0."""
Place = Callable[[Indices], Indices]


@dataclass(frozen=True)
class Entries(Formula):
    """The matrix of order n with entry (i, j) = w_order^exponent(i, j), or 0 where the exponent is
    -1.

    >>> Entries("reversal", 4, 1, lambda i, j: np.where(i + j == 3, 0, -1)).dense().tolist()
    [[-1, -1, -1, 0], [-1, -1, 0, -1], [-1, 0, -1, -1], [0, -1, -1, -1]]
    """

    name: str
    n: int
    order: int
    exponent: Exponent

    @property
    def size(self) -> int:
        return self.n

    def column(self, j: int) -> Indices:
        """Return the exponents of a column."""
        return self.exponent(np.arange(self.n), np.asarray(j))

    def dense(self) -> Indices:
        """Return all exponents."""
        return self.exponent(np.arange(self.n)[:, None], np.arange(self.n))

    def moved(self, origin: Place) -> Entries:
        """Return the matrix whose row i is row origin(i) of this one."""
        return replace(
            self, name=f"{self.name}, moved", exponent=lambda i, j: self.exponent(origin(i), j)
        )

    def __str__(self) -> str:
        return f"[{self.name}]"


def by_entries(claims: Callable[..., tuple[Entries, ...]]) -> Callable[..., tuple[Entries, ...]]:
    """Make a function of sizes return () where one of them is no number."""

    @wraps(claims)
    def stated(*sizes: Any) -> tuple[Entries, ...]:
        return claims(*sizes) if all(isinstance(size, int) for size in sizes) else ()

    return stated


def _where(holds: Any, exponent: Any) -> Indices:
    return np.where(holds, exponent, -1)


def permutation(name: str, n: int, target: Place) -> Entries:
    """Return the matrix that takes element j to place target(j)."""
    return Entries(name, n, 1, lambda i, j: _where(i == target(j), 0))


def rev(N: int, j: Indices) -> Indices:
    """Return j with its lg N bits in reverse order, equation 3.4.

    >>> rev(8, np.arange(8)).tolist()
    [0, 4, 2, 6, 1, 5, 3, 7]
    """
    y = np.zeros_like(j)
    while N > 1:
        y, j, N = y * 2 + j % 2, j // 2, N // 2
    return y


def shuffled(u: int, M: int, j: Indices) -> Indices:
    """Return sigma_{u,M}(j), equation 2.2."""
    return j % u * (M // u) + j // u


def undistributed(u: int, p: int, N: int, i: Indices) -> Indices:
    """Return the j with gamma_{u,p,N}(j) = i: j = j0 M + j1 u + j2 goes to j0 M + j2 N/p + j1, M =
    u N/p, equations 2.1 and 2.4.
    """
    n = N // p
    return i // (u * n) * (u * n) + i % n * u + i % (u * n) // n


def butterfly(K: int, weight: int = 1, turn: Indices | int = 0) -> Exponent:
    """Return the entries of 2-butterflies [[I, W], [I, -W]] of order K, W_jj = w_{K weight}^(j
    weight + turn), equation 1.11.
    """
    h = K // 2

    def exponent(i: Indices, j: Indices) -> Indices:
        twiddle = j % h * weight + turn + np.where(i % K >= h, h * weight, 0)
        return _where(
            (i // K == j // K) & (i % h == j % h), np.where(j % K < h, 0, twiddle % (K * weight))
        )

    return exponent


def stage(K: int, N: int) -> Entries:
    """Return what the stages up to K have made of a vector: block g of K elements is the transform
    of elements j = rev(g) mod N/K.
    """
    blocks = N // K
    return Entries(
        f"stage {K}",
        N,
        K,
        lambda i, j: _where(j % blocks == rev(blocks, i // K), i % K * (j // blocks) % K),
    )


def stages(last: int, N: int) -> tuple[Entries, ...]:
    """Return the bit reversal and the stages of (1.6) up to the last."""
    return tuple(stage(1 << s, N) for s in range(last.bit_length()))


@by_entries
def four_butterfly(K: int) -> tuple[Entries, ...]:
    """Return I_2 ⊗ B_{K/2} and D_K, equation 1.12."""
    h, k = K // 2, K // 4
    two = butterfly(h, 2)
    power, turns = (
        np.array([0, 2, 1, 3]),
        np.array([[0, 0, 0, 0], [0, 2, 1, 3], [0, 0, 2, 2], [0, 2, 3, 1]]),
    )
    four = Entries(
        "D",
        K,
        K,
        lambda i, j: _where(
            i % k == j % k, (power[j // k] * (j % k) + k * turns[i // k, j // k]) % K
        ),
    )
    return Entries("two butterflies", K, K, two), four


@by_entries
def butterfly_sum(k: int, n: int, u: int, r: int = 1) -> tuple[Entries, ...]:
    """Return I_r ⊗ diag(A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u}), Theorem 2.2 and Corollary 2.3."""
    return (
        Entries(
            "butterflies of all ranks",
            r * u * n,
            k * u,
            lambda i, j: butterfly(k, u, i // n % u)(i, j),
        ),
    )


@by_entries
def between_shuffles(u: int, M: int, k: int) -> tuple[Entries, ...]:
    """Return S^-1, A_{ku,M} S^-1 and S A_{ku,M} S^-1, S = S_{u,M}, Theorem 2.2."""
    n = M // u
    first = Entries("unshuffled", M, 1, lambda i, j: _where(j == shuffled(u, M, i), 0))
    second = Entries(
        "butterflies, unshuffled", M, k * u, lambda i, j: butterfly(k * u)(i, shuffled(n, M, j))
    )
    return first, second, *butterfly_sum(k, n, u)


@by_entries
def reversed_apart(u: int, N: int) -> tuple[Entries, ...]:
    """Return what Lemma 3.1's factors make: j = a u + b to rev(a) u + rev(b), then to rev(j)."""
    apart = permutation("both parts reversed", N, lambda j: rev(N // u, j // u) * u + rev(u, j % u))
    return apart, permutation("reversed", N, partial(rev, N))


@by_entries
def reversed_in_turn(u: int, N: int) -> tuple[Entries, ...]:
    """Return what the factors of Corollary 3.2 make: j = a u + b goes to b N/u + a, to rev(b) N/u +
    a, to rev(b) N/u + rev(a).
    """
    n = N // u
    return (
        permutation("shuffled", N, partial(shuffled, u, N)),
        permutation("one part reversed", N, lambda j: rev(u, j % u) * n + j // u),
        permutation("reversed", N, partial(rev, N)),
    )


def subsequences(r: int, N: int) -> Entries:
    """Return L^N_r: element j = a r + b goes to b N/r + a."""
    return permutation(f"subsequences of stride {r}", N, partial(shuffled, r, N))


def transforms(r: int, N: int) -> Entries:
    """Return the transforms of the r subsequences j = b mod r, one after the other."""
    s = N // r
    return Entries(
        f"{r} transforms", N, s, lambda i, j: _where(j % r == i // s, i % s * (j // r) % s)
    )


@by_entries
def decimation(r: int, s: int) -> tuple[Entries, ...]:
    """Return what the factors of Cooley & Tukey's equation make, N = r s; the weights of block b
    and place k are w_N^(b k).
    """
    N = r * s

    def twiddled(i: Indices, j: Indices) -> Indices:
        return _where(j % r == i // s, (i % s * (j // r * r) + i // s * (i % s)) % N)

    return (
        subsequences(r, N),
        transforms(r, N),
        Entries("weighted", N, N, twiddled),
        transforms(1, N),
    )


@by_entries
def transposed_decimation(r: int, s: int, P: int = 1) -> tuple[Entries, ...]:
    """Return what the factors of the transposed equation make of each of P subsequences of N = r s
    elements.

    With t = a s + b: sums over a, at c s + b; weighted by w_N^(b c); frequency c + r d at c s + d;
    in order.
    """
    N = r * s

    def local(name: str, order: int, exponent: Exponent) -> Entries:
        return Entries(
            name,
            P * N,
            order,
            lambda i, j: _where(
                (j % P == i // N) & (exponent(i % N, j // P) >= 0), exponent(i % N, j // P)
            ),
        )

    return (
        local("sums", r, lambda i, t: _where(t % s == i % s, i // s * (t // s) % r)),
        local("sums, weighted", N, lambda i, t: _where(t % s == i % s, i // s * t % N)),
        local("frequencies by residues", N, lambda i, t: (i // s + r * (i % s)) * t % N),
        local("frequencies", N, lambda i, t: i * t % N),
    )


def in_radices(radices: Sequence[int]) -> tuple[Entries, ...]:
    """Return what the factors of F_N in these radices, decimated in frequency, make of N elements.

    After r = d_1 .. d_i of N = r s, the element with the digits of k < r in reverse order above b <
    s is the frequency k of the elements t = b mod s, weighted by w_N^(k b). Then the digits come
    in order, the last first.
    """
    N = prod(radices)

    def transformed(i: int, weighted: bool) -> Entries:
        d, r, s = radices[i], prod(radices[:i]), prod(radices[i + 1 :])

        def exponent(z: Indices, t: Indices) -> Indices:
            before = _frequency(radices[:i], z // (d * s), r) * t
            last = z // s % d * (r * t if weighted else N // d * (t // s))
            return _where(t % s == z % s, (before + last) % N)

        return Entries(f"sums{', weighted' * weighted}", N, N, exponent)

    def ordered(i: int) -> Entries:
        r = prod(radices[:i])
        return Entries(
            "frequencies",
            N,
            N,
            lambda z, t: (_frequency(radices[:i], z // (N // r), r) + r * (z % (N // r))) * t % N,
        )

    last = range(len(radices) - 1)
    pairs = [transformed(i, weighted) for i in last for weighted in (False, True)]
    whole = [transformed(len(radices) - 1, False)] if radices else []
    return (*pairs, *whole, *(ordered(i) for i in reversed(last)))


def _frequency(radices: Sequence[int], z: Indices, r: int) -> Indices:
    """Return the number whose digits stand in reverse order in z < r."""
    k, weight = 0 * z, 1
    for d in radices:
        r //= d
        k, z, weight = k + z // r * weight, z % r, weight * d
    return k


def joined(d: int, r: int, N: int, weighted: bool) -> Entries:
    """Return the transforms of r d subsequences, those together that join to one of r: l = 0, ...,
    d - 1 of each, weighted by w_{N/r}^(l k).
    """
    s = N // (r * d)

    def exponent(i: Indices, j: Indices) -> Indices:
        l, k = i // s % d, i % s
        return _where(
            j % (r * d) == l * r + i // (s * d),
            (k * (j // (r * d)) * d + (l * k if weighted else 0)) % (s * d),
        )

    return Entries(f"{r} times {d} transforms" + ", weighted" * weighted, N, s * d, exponent)
