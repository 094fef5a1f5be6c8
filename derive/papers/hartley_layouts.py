"""The places of a Hartley transform's elements on the ranks, before and after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from derive.call_arguments import indices, text
from derive.formula.affine_layouts import Layout, named
from derive.formula.placement import Listed, Placement
from derive.gf2.bits import Affine
from derive.papers.hartley import SIZES
from derive.sizes import OnRanks


@dataclass(frozen=True, repr=False)
class _Sized(OnRanks, Listed):
    """A layout of N elements over P ranks."""

    N: int
    P: int

    def _within(self, rank: Any, offset: Any) -> tuple[Any, Any]:
        return indices(rank, self.P, "rank"), indices(offset, self.M, "offset")


@dataclass(frozen=True, repr=False)
class HartleyLayout(_Sized):
    """The place of H[j] at the end: rank 0 holds the multiples of P in order, rank R the pairs
    H[m], H[N - m], m = R, R + 2P, R + 4P, ...

    So H[m] and H[-m] are always on one rank. Over GF(2), the offset is not affine for P > 1, nor is
    the rank for P > 2.
    """

    name: str = "hartley"

    def place(self, j: Any) -> tuple[Any, Any]:
        """Return (rank, offset) of H[j]; raises ValueError out of range.

        >>> [HartleyLayout(16, 4).place(j) for j in (1, 7, 9, 15)]
        [(1, 0), (1, 3), (1, 2), (1, 1)]
        """
        j, P, G = indices(j, self.N), self.P, self.N // self.P // 2
        v, k = j % (2 * P), j // (2 * P)
        second = v // P
        rank = v * (1 - 2 * second) % P
        return rank, 2 * (k ^ (rank > 0) * second * (G - 1)) + second

    def index(self, rank: Any, offset: Any) -> Any:
        """Return j with place(j) = (rank, offset); raises ValueError out of range.

        >>> [HartleyLayout(16, 4).index(1, o) for o in range(4)]
        [1, 15, 9, 7]
        """
        rank, offset = self._within(rank, offset)
        P, k, second = self.P, offset // 2, offset % 2
        m = (rank + 2 * P * k) * (1 - 2 * second) % self.N
        return (rank == 0) * P * offset + (rank != 0) * m

    def negative(self, rank: Any, offset: Any) -> Any:
        """Return the offset of H[-j] on the rank that holds H[j] at this offset; raises ValueError
        out of range.

        >>> HartleyLayout(16, 4).negative(1, 2), HartleyLayout(16, 4).negative(0, 1)
        (3, 3)
        """
        rank, offset = self._within(rank, offset)
        return (rank == 0) * (-offset % (self.N // self.P)) + (rank != 0) * (offset ^ 1)


@dataclass(frozen=True, repr=False)
class HalfSpectrum(_Sized):
    """The place of the spectrum of a real vector beside its Hartley transform: N real numbers,
    read as N/2 complex ones X[0], X[1], ...

    X[m] is where the first element of the pair H[m], H[-m] is, on rank 0 in order. X[0] is real,
    and X[N/2] stands in place of its imaginary part. So y[2m] = Re X[m], y[2m + 1] = Im X[m] for 0
    < m < N/2, and y[1] = X[N/2].
    """

    name: str = "half-spectrum"

    def place(self, j: Any) -> tuple[Any, Any]:
        """Return (rank, offset) of y[j]; raises ValueError out of range.

        >>> [HalfSpectrum(16, 4).place(j) for j in (2, 3, 8, 9, 14)]
        [(1, 0), (1, 1), (0, 2), (0, 3), (1, 2)]
        """
        j = indices(j, self.N)
        rank, offset = HartleyLayout(self.N, self.P).place(j // 2)
        return rank, (1 + (rank == 0)) * (offset - (rank != 0) * (offset % 2)) + j % 2

    def index(self, rank: Any, offset: Any) -> Any:
        """Return j with place(j) = (rank, offset); raises ValueError out of range.

        >>> [HalfSpectrum(16, 4).index(1, o) for o in range(4)]
        [2, 3, 14, 15]
        """
        N, P, (rank, offset) = self.N, self.P, self._within(rank, offset)
        m = (rank == 0) * P * (offset // 2) + (rank != 0) * (rank + 2 * P * (offset // 2))
        return 2 * (m - (2 * m > N) * (2 * m - N)) + offset % 2


def placement(name: str, N: int, P: int) -> Placement:
    """Return the layout of this name, those of the Hartley transform included.

    Raises ValueError for an unknown name and where P > N/2, FileNotFoundError where bmmc:FILE names
    no file.

    >>> placement("hartley", 16, 4).place(9)
    (1, 2)
    """
    if text(name, "layout") not in HARTLEY_LAYOUTS:
        return named(name, N, P, HARTLEY_LAYOUTS)
    SIZES.exponents(N, P)
    return HARTLEY_LAYOUTS[name](N, P)


def cyclic_partner(rank: Any, P: int) -> Any:
    """Return the rank with which a rank exchanges half its elements to go from the Hartley to the
    cyclic layout: -rank mod P.

    Its first elements of pairs, H[m], m = R + 2Pk, stay, at the even offsets 2k; the second ones,
    H[N - m], go to the odd offsets M - 1 - 2k of rank P - R. Ranks 0 and P/2 keep everything, and
    rank 0 its order.

    >>> [cyclic_partner(rank, 4) for rank in range(4)]
    [0, 3, 2, 1]
    """
    return -indices(rank, P, "rank") % P


def input_layout(N: int, P: int) -> Layout:
    """Return the affine layout that a transform begins with: own[e] of rank R holds G neighbours, j
    = G rev(2R + e) + c, c < G.

    rev reverses p + 1 bits. In the paper's words the slot 2i + e of node R holds h[rev_n(2P i + 2R
    + e)], c = rev(i).

    >>> print(input_layout(16, 2).table())
             P0 P1
    offset 0  0  4
    offset 1  1  5
    offset 2  2  6
    offset 3  3  7
    offset 4  8 12
    offset 5  9 13
    offset 6 10 14
    offset 7 11 15
    """
    n, p = SIZES.exponents(N, P)
    g = n - p - 1
    ranks = [1 << n - 1 - b for b in range(p)]
    return Layout("hartley-input", Affine((*(1 << b for b in range(g)), *ranks, 1 << g), n), p)


HARTLEY_LAYOUTS: dict[str, Callable[[int, int], Placement]] = {
    "hartley-input": input_layout,
    "hartley": HartleyLayout,
    "half-spectrum": HalfSpectrum,
}
"""The layouts of the Hartley transform by name; the first is affine."""
