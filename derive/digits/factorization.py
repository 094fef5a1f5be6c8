"""The equations of transforms by digits: along each axis, and of pairs of real elements."""

from __future__ import annotations

from collections.abc import Sequence

from derive.formula.grammar import Equation, Formula, I, kron
from derive.formula.permutation_matrices import stride
from derive.formula.transforms import F, T


def along_axes(shape: Sequence[int], right: Formula, batch: int = 0) -> Equation:
    """Return F_n1 ⊗ F_n2 ⊗ .. = `right`; of a batch of B arrays, I_B ⊗ the left side.

    >>> print(along_axes((4, 6), kron(I(5), F(4), I(6)) @ kron(I(20), F(6)), batch=5))
    (I_5 ⊗ F_4 ⊗ F_6) = (I_5 ⊗ F_4 ⊗ I_6) (I_20 ⊗ F_6)
    """
    left = kron(I(max(batch, 1)), *map(F, shape))
    return Equation("by-digits", "Cooley & Tukey 1965, along each axis", left, right)


def of_pairs(made: Formula, back: bool = False) -> Equation:
    """Return F_2m with a butterfly after a formula of F_m, or, on the way back, before it: its
    transpose.

    >>> print(of_pairs(F(12), back=True))
    F_24 = L^24_12 (I_2 ⊗ F_12) T^24_12 (F_2 ⊗ I_12)
    """
    m = made.size
    pairs, butterfly = kron(I(2), made), kron(F(2), I(m))
    right = (
        stride(2 * m, m) @ pairs @ T(2 * m, m) @ butterfly
        if back
        else butterfly @ T(2 * m, m) @ pairs @ stride(2 * m, 2)
    )
    return Equation("by-digits", "Cooley & Tukey 1965, of pairs", F(2 * m), right)
