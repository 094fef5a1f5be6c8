"""BMMC permutations y = A x + c over GF(2), A nonsingular: the named ones, and the factorization A
= V W (Cormen 1997).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from derive.call_arguments import indices, unknown
from derive.fields import BitMatrix
from derive.formula.grammar import Equation, product
from derive.formula.permutation_matrices import Bmmc
from derive.gf2.bits import Affine, column_basis
from derive.gf2.elimination import Eliminate, by_galois
from derive.sizes import Sizes


def identity(n: int) -> Affine:
    """Return x -> x.

    >>> identity(3)(5)
    5
    """
    return Affine.identity(n)


def bit_reversal(n: int) -> Affine:
    """Return y_i = x_{n-1-i} (Cormen 1997, Appendix C).

    >>> bit_reversal(3)(1)
    4
    """
    return Affine(tuple(1 << n - 1 - j for j in range(n)), n)


def vector_reversal(n: int) -> Affine:
    """Return i -> N - 1 - i, the complement of all bits (Cormen 1997, Appendix C).

    >>> vector_reversal(3)(1)
    6
    """
    return Affine(identity(n).columns, n, (1 << n) - 1)


def gray_code(n: int) -> Affine:
    """Return y_i = x_i + x_{i+1}, the binary reflected Gray code (Cormen 1997, equation 6).

    >>> [gray_code(2)(x) for x in range(4)]
    [0, 1, 3, 2]
    """
    return Affine(tuple(1 << j | (1 << j >> 1) for j in range(n)), n)


def rotation(n: int, k: int) -> Affine:
    """Return the map that rotates n bits left by k: bit j of x becomes bit (j + k) mod n of y.

    >>> rotation(3, 1)(4)
    1
    """
    return Affine(tuple(1 << (j + k) % n for j in range(n)), n)


def transpose(n: int, q: int) -> Affine:
    """Return the transpose of a row-major matrix of 2^q rows and 2^(n-q) columns (Cormen 1997,
    Appendix C).

    Entry i·2^(n-q) + j goes to j·2^q + i. Raises ValueError unless 0 <= q <= n.

    >>> transpose(3, 1)(1)
    2
    """
    if not 0 <= q <= n:
        raise ValueError(
            f"transpose:{q} of 2^{n} elements: a matrix of 2^{n} elements has 2^Q rows with 0 <= Q"
            f" <= {n}"
        )
    return rotation(n, q)


def shuffle(n: int) -> Affine:
    """Return the rotation of the bits left by one (Cormen 1997, Appendix C).

    >>> [shuffle(3)(x) for x in range(4)]
    [0, 2, 4, 6]
    """
    return rotation(n, 1)


def unshuffle(n: int) -> Affine:
    """Return the rotation of the bits right by one (Cormen 1997, Appendix C).

    >>> [unshuffle(3)(x) for x in range(4)]
    [0, 4, 1, 5]
    """
    return rotation(n, -1)


NAMED: dict[str, Callable[[int], Affine]] = {
    "identity": identity,
    "bit-reversal": bit_reversal,
    "vector-reversal": vector_reversal,
    "gray-code": gray_code,
    "shuffle": shuffle,
    "unshuffle": unshuffle,
}


def named(name: str, n: int) -> Affine:
    """Return the permutation of 2^n elements with this name; `transpose:Q` is the transpose of a
    matrix of 2^Q rows.

    Raises ValueError for an unknown name.

    >>> named("transpose:2", 3) == unshuffle(3)
    True
    """
    stem, _, argument = name.partition(":")
    if stem == "transpose" and argument.isdecimal():
        return transpose(n, int(argument))
    if name not in NAMED:
        raise unknown("permutation", name, (*NAMED, "transpose:Q"))
    return NAMED[name](n)


SIZES = Sizes("a BMMC permutation", lambda N, P: P <= N, "every rank needs at least one element")


@dataclass(frozen=True)
class Blocks:
    """The blocks [[alpha, beta], [gamma, delta]] of a matrix: its last p columns and rows apart."""

    alpha: BitMatrix
    beta: BitMatrix
    gamma: BitMatrix
    delta: BitMatrix


def blocks(matrix: BitMatrix, p: int) -> Blocks:
    """Return the blocks of a square matrix, left and top section of n - p, right and bottom section
    of p (Cormen 1997, section 4).

    >>> blocks(shuffle(3).matrix, 1).gamma.tolist()
    [[0, 1]]
    """
    m = matrix.shape[0] - p
    return Blocks(matrix[:m, :m], matrix[:m, m:], matrix[m:, :m], matrix[m:, m:])


@dataclass(frozen=True)
class Factorization:
    """A = V W with W = (T R Pi)^-1, for p processor bits at the top of a storage address (Cormen
    1997, section 4).

    T is a trailer, R a reducer, Pi a swapper matrix. W moves elements within a processor, V between
    processors.
    """

    permutation: Affine
    p: int
    trailer: Affine
    reducer: Affine
    swapper: Affine

    @property
    def n(self) -> int:
        """The number of index bits, lg N."""
        return self.permutation.bits

    @property
    def m(self) -> int:
        """The number of offset bits, lg (N/P)."""
        return self.n - self.p

    @cached_property
    def V(self) -> Affine:  # the paper's letter
        """The interprocessor factor A T R Pi, an affine map with the complement c (equation 3)."""
        return self.permutation @ self.trailer @ self.reducer @ self.swapper

    @cached_property
    def W(self) -> Affine:  # the paper's letter
        """The intraprocessor factor (T R Pi)^-1, equal to Pi R T, as an affine map."""
        return self.swapper @ self.reducer @ self.trailer

    @cached_property
    def rank_gamma(self) -> int:
        """The rank of gamma, the lower left p x (n-p) block of A."""
        basis, _ = column_basis([column >> self.m for column in self.permutation.columns[: self.m]])
        return len(basis)

    @property
    def rounds(self) -> int:
        """The number of messages per rank, 2^rank(gamma); one may go to itself (Lemma 3)."""
        return 1 << self.rank_gamma

    @property
    def elements_per_message(self) -> int:
        """The number of elements in a message, N / (2^rank(gamma) P) (Lemma 3)."""
        return 1 << self.m - self.rank_gamma

    @cached_property
    def delta(self) -> Affine:
        """The nonsingular matrix delta^, an affine map with the processor bits of c."""
        return Affine(
            tuple(column >> self.m for column in self.V.columns[self.m :]),
            self.p,
            self.V.c >> self.m,
        )

    @cached_property
    def gamma(self) -> Affine:
        """The basis columns gamma^'' of gamma, an affine map to processor bits."""
        return Affine(
            tuple(column >> self.m for column in self.V.columns[self.m - self.rank_gamma : self.m]),
            self.p,
        )

    def target(self, b: int, k: int) -> int:
        """Return the rank that rank k sends to in round b (equation 4).

        Args:
            b: the round, 0 <= b < `rounds`.
            k: the rank, 0 <= k < 2^p.

        Raises:
            ValueError: there is no such round or rank.

        Examples:
            >>> [factor(bit_reversal(4), 2).target(b, 1) for b in range(4)]
            [2, 0, 3, 1]
        """
        round_, rank = indices(b, self.rounds, "round"), indices(k, 1 << self.p, "rank")
        return int(self.gamma(round_) ^ self.delta(rank))

    def source(self, b: int, k: int) -> int:
        """Return the rank that rank k receives from in round b (equation 5).

        Args:
            b: the round, 0 <= b < `rounds`.
            k: the rank, 0 <= k < 2^p.

        Raises:
            ValueError: there is no such round or rank.

        Examples:
            >>> [factor(bit_reversal(4), 2).source(b, 1) for b in range(4)]
            [2, 3, 0, 1]
        """
        round_, rank = indices(b, self.rounds, "round"), indices(k, 1 << self.p, "rank")
        return int(self._delta_inverse(rank ^ self.gamma(round_)))

    def messages(self, k: int) -> tuple[int, ...]:
        """Return the ranks that rank k sends to, one per round, possibly itself (equation 4).

        Each message has `elements_per_message` elements.

        Args:
            k: the rank, 0 <= k < 2^p.

        Raises:
            ValueError: there is no rank k.

        Examples:
            >>> factor(bit_reversal(4), 2).messages(1)
            (2, 0, 3, 1)
        """
        return tuple(self.target(b, k) for b in range(self.rounds))

    @cached_property
    def _delta_inverse(self) -> Affine:
        return self.delta.inverse()


def factor(permutation: Affine, p: int, eliminate: Eliminate = by_galois) -> Factorization:
    """Return A = V W for p processor bits (Cormen 1997, section 4).

    galois does the elimination; searches and programs give `by_integers`, with the same result.

    Raises ValueError if A is not square, is singular (naming rows that add up to zero), or p is not
    between 0 and n.

    >>> factorization = factor(bit_reversal(4), p=2)
    >>> factorization.rounds, (factorization.V @ factorization.W) == bit_reversal(4)
    (4, True)
    """
    n = permutation.bits
    if not 0 <= p <= n:
        raise ValueError(f"p = {p} processor bits of n = {n} index bits: p lies between 0 and n")
    permutation.inverse()
    m = n - p
    trailer = _trailer(permutation, m, eliminate)
    gamma = [column >> m for column in (permutation @ trailer).columns[:m]]
    basis, depends = eliminate(gamma, p)
    reducer = Affine(tuple(1 << j | depends[j] for j in range(m)) + identity(n).columns[m:], n)
    return Factorization(permutation, p, trailer, reducer, _swapper(basis, m, n))


def _trailer(permutation: Affine, m: int, eliminate: Eliminate) -> Affine:
    """Return T: a column of Z, basis columns of the bottom section left of m, is added into each
    column of delta outside the basis.
    """
    n = permutation.bits
    basis, _ = eliminate([column >> m for column in permutation.columns], n - m)
    outside = [j for j in range(m, n) if j not in basis]
    columns = list(identity(n).columns)
    for z, y in zip([j for j in basis if j < m], outside, strict=True):
        columns[y] |= 1 << z
    return Affine(tuple(columns), n)


def _swapper(basis: tuple[int, ...], m: int, n: int) -> Affine:
    """Return Pi: disjoint exchanges of columns, basis columns to the left section's right end."""
    end = range(m - len(basis), m)
    columns = list(identity(n).columns)
    for i, j in zip(
        [i for i in basis if i not in end], [j for j in end if j not in basis], strict=True
    ):
        columns[i], columns[j] = columns[j], columns[i]
    return Affine(tuple(columns), n)


def equation(factorization: Factorization, name: str = "A") -> Equation:
    """Return the factorization A = V W as an equation between permutations; V carries the
    complement.

    >>> print(equation(factor(bit_reversal(4), 2), "bit-reversal"))
    Π_{bit-reversal} = Π_V Π_W
    """
    right = product([Bmmc(factorization.V, "V"), Bmmc(factorization.W, "W")])
    return Equation(
        "cormen-vw", "Cormen 1997, section 4", Bmmc(factorization.permutation, name), right
    )
