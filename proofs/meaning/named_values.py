"""The matrices with a name at numbers, by the definitions of docs/notation.md: where each element
goes, the phase at each place, or every entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from proofs.meaning.random_field import (
    MOST_ENTRIES,
    Array,
    RandomField,
    need,
    prime_factors,
    within,
)

MOST_ROWS = 4096
"""No matrix has more rows."""


class Matrix(NamedTuple):
    """A matrix: how many rows and columns, and what it makes of columns of numbers."""

    rows: int
    columns: int
    times: Callable[[Array], Array]


def identity(N: int) -> Matrix:
    """Return the identity."""
    return Matrix(N, N, lambda x: x)


def quotient(a: int, b: int) -> int:
    """Return a / b; NoValue: it is no integer."""
    need(b > 0 and a % b == 0, f"{b} does not divide {a}")
    return a // b


def direct_sum(parts: Sequence[Matrix]) -> Matrix:
    """Return a direct sum."""
    ends = np.cumsum([part.columns for part in parts])[:-1]

    def times(x: Array) -> Array:
        return np.concatenate([p.times(y) for p, y in zip(parts, np.split(x, ends), strict=True)])

    return Matrix(sum(p.rows for p in parts), sum(p.columns for p in parts), times)


def kron(a: Matrix, b: Matrix) -> Matrix:
    """Return a Kronecker product: B for each index of A, then A for each index of B."""

    def times(x: Array) -> Array:
        y = x.reshape(a.columns, b.columns, -1).swapaxes(0, 1).reshape(b.columns, -1)
        y = b.times(y).reshape(b.rows, a.columns, -1).swapaxes(0, 1).reshape(a.columns, -1)
        return a.times(y).reshape(a.rows * b.rows, -1)

    return Matrix(a.rows * b.rows, a.columns * b.columns, times)


def product(parts: Sequence[Matrix]) -> Matrix:
    """Return a product, the rightmost factor applied first."""
    need(all(a.columns == b.rows for a, b in pairwise(parts)), "the sizes of two factors differ")

    def times(x: Array) -> Array:
        return reduce(lambda y, part: part.times(y), reversed(parts), x)

    return Matrix(parts[0].rows, parts[-1].columns, times)


def permutation(targets: Any) -> Matrix:
    """Return the permutation that puts element j at place targets[j]."""
    order = np.argsort(targets)
    need(np.array_equal(targets[order], np.arange(len(order))), "two elements at one index")
    return Matrix(len(order), len(order), lambda x: x[order])


def shuffle(u: int, M: int) -> Matrix:
    """Return S(u, M) = L(M, u): j = a u + b goes to b M/u + a."""
    j, t = np.arange(M), quotient(M, u)
    return permutation(j % u * t + j // u)


def gamma(u: int, p: int, N: int) -> Matrix:
    """Return Γ_{u,p,N} = I_{p/u} ⊗ S_{u, u N/p}."""
    return kron(identity(quotient(p, u)), shuffle(u, u * quotient(N, p)))


def bit_reversal(N: int) -> Matrix:
    """Return R_N."""
    need(N & N - 1 == 0, "a bit reversal of a size that is not a power of two")
    n, j = N.bit_length() - 1, np.arange(N)
    return permutation(sum(((j >> i & 1) << n - 1 - i for i in range(n)), 0 * j))


def first_of(m: int, n: int) -> Matrix:
    """Return the m x n matrix of ones at (j, j)."""
    return Matrix(m, n, lambda x: np.pad(x, ((0, max(m - n, 0)), (0, 0)))[:m])


def exclusive_or(N: int, c: int) -> Matrix:
    """Return the permutation from j to j xor c."""
    need(N & N - 1 == 0 and c < N, "xor beyond the places")
    return permutation(np.arange(N) ^ c)


def bits(*columns: int) -> Matrix:
    """Return y = A x over GF(2), row i of a column at its bit i."""
    j = np.arange(2 ** len(columns))
    return permutation(np.bitwise_xor.reduce([(j >> i & 1) * c for i, c in enumerate(columns)]))


@dataclass(frozen=True)
class Named:
    """The matrices with a name; `sign` is -1 where they are conjugated once more."""

    gf: RandomField
    sign: int = 1

    def phases(self, above: Any, below: int) -> Matrix:
        """Return the diagonal of exp(2πi above/below) at each place."""
        self.gf.need_root(below)

        def times(x: Array) -> Array:
            return self.gf.turned(above * self.sign, below)[:, None] * x % self.gf.q

        return Matrix(len(above), len(above), times)

    def twiddle(self, N: int, s: int) -> Matrix:
        """Return T(N, s): w_N^(i j) at place i s + j."""
        z = np.arange(quotient(N, s) * s)
        return self.phases(z // s * (z % s), N)

    def omega(self, h: int, alpha: Fraction | int = 0, power: Fraction | int = 1) -> Matrix:
        """Return diag(w_2h^((j + alpha) power)), j < h."""
        a, c = Fraction(alpha), Fraction(power)
        above = (np.arange(h) * a.denominator + a.numerator) * c.numerator
        return self.phases(above, 2 * h * a.denominator * c.denominator)

    def dense(self, rows: int, columns: int, entries: Callable[[Any], Array]) -> Matrix:
        """Return a matrix by its entries, a function of row times column."""

        def times(x: Array) -> Array:
            within(
                rows * columns <= MOST_ENTRIES,
                f"a dense matrix is {rows} x {columns}: at most {MOST_ENTRIES} entries are read",
            )
            return self.gf.product(entries(np.outer(np.arange(rows), np.arange(columns))), x)

        return Matrix(rows, columns, times)

    def fourier(self, N: int) -> Matrix:
        """Return F_N."""
        self.gf.need_root(N)
        return self.dense(N, N, lambda jk: self.gf.turned(jk * self.sign, N))

    def chirp(self, m: int, n: int) -> Matrix:
        """Return diag(F_m h), h_t = w_2n^(-t^2) for -m/2 <= t < m/2, t modulo m."""
        t = np.arange(m) - quotient(m, 2)
        for order in (m, 2 * n):
            self.gf.need_root(order)

        def times(x: Array) -> Array:
            h = self.gf.turned(-t * t * self.sign, 2 * n)[:, None]
            entries = self.gf.turned(np.outer(np.arange(m), t) * self.sign, m)
            return self.gf.product(entries, h) * x % self.gf.q

        return Matrix(m, m, times)

    def hartley(self, N: int) -> Matrix:
        """Return H_N, cos + sin of 2πjk/N."""
        self.gf.need_root(4 * N)
        return self.dense(N, N, lambda jk: self.cosine(jk, N) + self.sine(jk, N))

    def cosine(self, above: Any, below: int) -> Array:
        """Return cos(2π above/below) = (w + 1/w)/2."""
        found = self.gf.turned(above, below) + self.gf.turned(-above, below)
        return np.asarray(found % self.gf.q * self.gf.number(Fraction(1, 2)) % self.gf.q)

    def sine(self, above: Any, below: int) -> Array:
        """Return sin(2π above/below) = cos(2π (above/below - 1/4))."""
        return self.cosine(4 * above - below, 4 * below)

    def cosines(self, n: int, sine: bool = False, third: bool = False) -> Matrix:
        """Return C2_n, 2 cos(2π k (2j + 1)/4n), or S2_n; transposed with half a row C3_n, S3_n."""
        self.gf.need_root(16 * n)
        angles = np.outer(np.arange(n) + sine, 2 * np.arange(n) + 1)

        def times(x: Array) -> Array:
            found = 2 * (self.sine if sine else self.cosine)(angles, 4 * n) % self.gf.q
            if third:
                found[-1 if sine else 0] *= self.gf.number(Fraction(1, 2))
                found = found.T % self.gf.q
            return self.gf.product(found, x)

        return Matrix(n, n, times)

    def butterfly(self, h: int, times_c: Callable[[Array], Array]) -> Matrix:
        """Return [[I, C], [I, -C]]."""

        def times(x: Array) -> Array:
            y = times_c(x[h:])
            return np.concatenate([x[:h] + y, x[:h] - y]) % self.gf.q

        return Matrix(2 * h, 2 * h, times)

    def butterfly2(self, K: int, alpha: Fraction | int = 0) -> Matrix:
        """Return B_K^alpha = [[I, Ω], [I, -Ω]]."""
        h = quotient(K, 2)
        return self.butterfly(h, self.omega(h, alpha).times)

    def butterfly4(self, K: int, alpha: Fraction | int = 0) -> Matrix:
        """Return D_K^alpha: i^(a c) diag(w_K^(c (j + alpha))) in row a and column b of its blocks,
        c = 0, 2, 1, 3 for b = 0, 1, 2, 3.
        """
        q, c = quotient(K, 4), (0, 2, 1, 3)
        inner = direct_sum([self.omega(q, alpha, Fraction(b, 2)) for b in c])

        def times(x: Array) -> Array:
            turns = self.gf.turned(np.outer(range(4), c) * self.sign, 4)
            return self.gf.product(turns, inner.times(x).reshape(4, -1)).reshape(x.shape)

        return Matrix(K, K, times)

    def hartley_butterfly(self, K: int) -> Matrix:
        """Return BH_K: C has cos(2πu/K) at (u, u), and sin(2πu/K) added at (u, -u mod h)."""
        self.gf.need_root(4 * K)
        h = quotient(K, 2)
        u = np.arange(h)

        def times(x: Array) -> Array:
            found = self.cosine(u, K)[:, None] * x + self.sine(u, K)[:, None] * x[-u % h]
            return np.asarray(found % self.gf.q)

        return self.butterfly(h, times)

    def square_root(self, a: int) -> Matrix:
        """Return sqrt(a): the product of the square roots of primes, of which each has any sign."""
        found = prime_factors(a)
        for p in found:
            self.gf.need_square_root(p)

        def times(x: Array) -> Array:
            for p, e in found.items():
                x = x * (pow(p, e // 2) * self.gf.roots[p] ** (e % 2) % self.gf.q) % self.gf.q
            return x

        return Matrix(1, 1, times)

    def stage(self, K: int, N: int, alpha: Fraction | int = 0) -> Matrix:
        """Return A_{K,N}^alpha = I_{N/K} ⊗ B_K^alpha."""
        return kron(identity(quotient(N, K)), self.butterfly2(K, alpha))

    def hat(self, k: int, u: int, p: int, N: int) -> Matrix:
        """Return Â_{k,u,p,N} = Γ_u A_{ku,N} Γ_u^-1, Γ_u^-1 = I_{p/u} ⊗ S_{N/p, u N/p}."""
        n = quotient(N, p)
        need(n % k == 0, "k does not divide N/p")
        back = kron(identity(quotient(p, u)), shuffle(n, u * n))
        return product([gamma(u, p, N), self.stage(k * u, N), back])

    def made(self, name: str, *n: Any) -> Matrix | None:
        """Return a matrix by its name and its sizes; None for a name that has no reading here."""
        makers: dict[str, Callable[..., Matrix]] = {
            "I": identity,
            "J": lambda N: permutation(N - 1 - np.arange(N)),
            "E": lambda m, n: self.dense(m, n, lambda jk: np.ones(jk.shape)),
            "Pad": first_of,
            "Chirp": self.chirp,
            "F": self.fourier,
            "H": self.hartley,
            "L": lambda N, r: shuffle(r, N),
            "S": shuffle,
            "R": bit_reversal,
            "Gamma": gamma,
            "bits": bits,
            "xor": exclusive_or,
            "powers": lambda p, g: permutation(np.array([pow(g, j, p) - 1 for j in range(p - 1)])),
            "T": self.twiddle,
            "Omega": self.omega,
            "B": self.butterfly2,
            "D": self.butterfly4,
            "A": self.stage,
            "AHat": self.hat,
            "ButterflySum": lambda k, n, u: direct_sum(
                [self.stage(k, n, Fraction(s, u)) for s in range(u)]
            ),
            "C2": self.cosines,
            "C3": lambda n: self.cosines(n, third=True),
            "S2": lambda n: self.cosines(n, sine=True),
            "S3": lambda n: self.cosines(n, sine=True, third=True),
            "BH": self.hartley_butterfly,
            "LH": lambda s, N: kron(identity(quotient(N, 2**s)), self.hartley_butterfly(2**s)),
            "sqrt": self.square_root,
        }
        within(
            name == "sqrt" or max(n) <= MOST_ROWS,
            f"a matrix has {max(n)} rows, and at most {MOST_ROWS} are read",
        )
        return makers[name](*n) if name in makers else None
