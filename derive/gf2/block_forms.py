"""Other factorizations of a bit matrix, side by side with A = V W: the block forms of the
streaming-permutation literature.

A = V W      Cormen 1997: W within the ranks, then one exchange
A = L C R    R and L within the ranks (memories), C between ranks at fixed offsets (the connection network);
             Püschel, Milder & Hoe 2009, Serre, Holenstein & Püschel 2016
A = U L P    upper and lower triangular, and a permutation of index bits
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from derive.fields import BitMatrix, over_gf2
from derive.gf2.bits import Affine, inverse, rank
from derive.gf2.bmmc import Factorization, blocks


@dataclass(frozen=True)
class Form:
    """A product of bit matrices, rightmost first, with their letters, for p processor bits."""

    letters: str
    factors: tuple[Affine, ...]
    p: int

    @property
    def rounds(self) -> tuple[int, ...]:
        """The messages of a rank in each factor: 2^rank(gamma), 0 where nothing changes ranks."""
        return tuple(_rounds(factor, self.p) for factor in self.factors)


def _rounds(factor: Affine, p: int) -> int:
    parts = blocks(factor.matrix, p)
    moves = (
        parts.gamma.any()
        or not np.array_equal(parts.delta, np.eye(p, dtype=np.uint8))
        or factor.c >> factor.bits - p
    )
    return 1 << rank(parts.gamma) if moves else 0


def vw(f: Factorization) -> Form:
    """Return A = V W (Cormen 1997, section 4).

    >>> from derive.gf2.bmmc import bit_reversal, factor
    >>> vw(factor(bit_reversal(4), 2)).rounds
    (4, 0)
    """
    return Form("VW", (f.V, f.W), f.p)


def lcr(f: Factorization) -> Form:
    """Return A = L C R with R = W, C = [[I, 0], [gamma, delta]], L = [[alpha + beta delta^-1 gamma,
    beta delta^-1], [0, I]] for V's blocks.

    L carries the offset bits of the complement, C the processor bits.

    >>> from derive.gf2.bmmc import bit_reversal, factor
    >>> form = lcr(factor(bit_reversal(4), 2))
    >>> form.rounds, form.factors[0] @ form.factors[1] @ form.factors[2] == bit_reversal(4)
    ((0, 4, 0), True)
    """
    v = blocks(f.V.matrix, f.p)
    eye_m, eye_p = over_gf2(np.eye(f.m, dtype=np.uint8)), over_gf2(np.eye(f.p, dtype=np.uint8))
    across = v.beta @ inverse(v.delta)
    left = _matrix(
        v.alpha + across @ v.gamma, across, over_gf2(np.zeros((f.p, f.m), dtype=np.uint8)), eye_p
    )
    network = _matrix(eye_m, over_gf2(np.zeros((f.m, f.p), dtype=np.uint8)), v.gamma, v.delta)
    C = Affine.of(network, f.V.c >> f.m << f.m)
    L = Affine.of(left)
    return Form("LCR", (Affine(L.columns, f.n, f.V.c ^ L(C.c)), C, f.W), f.p)


def ulp(f: Factorization) -> Form:
    """Return A = U L P, U and L upper and lower triangular with ones on the diagonal, P a
    permutation matrix; U carries the complement.

    >>> from derive.gf2.bmmc import factor, gray_code
    >>> ulp(factor(gray_code(4), 2)).rounds
    (1, 0, 0)
    """
    reversed_transpose = over_gf2(np.ascontiguousarray(f.permutation.matrix[::-1, ::-1].T))
    permutation, lower, upper = reversed_transpose.plu_decompose()
    U, L, P = (
        Affine.of(over_gf2(np.ascontiguousarray(part.T[::-1, ::-1])))
        for part in (upper, lower, permutation)
    )
    return Form("ULP", (Affine(U.columns, f.n, f.permutation.c), L, P), f.p)


def forms(f: Factorization) -> tuple[Form, ...]:
    """Return the three forms of one permutation.

    >>> from derive.gf2.bmmc import bit_reversal, factor
    >>> [form.letters for form in forms(factor(bit_reversal(4), 2))]
    ['VW', 'LCR', 'ULP']
    """
    return vw(f), lcr(f), ulp(f)


def _matrix(a: BitMatrix, b: BitMatrix, c: BitMatrix, d: BitMatrix) -> BitMatrix:
    return over_gf2(np.block([[np.asarray(a), np.asarray(b)], [np.asarray(c), np.asarray(d)]]))
