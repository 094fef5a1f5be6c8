"""The transform of an array as an equation: Cooley and Tukey's along each axis, by runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from derive.formula.grammar import Equation, Formula, I, kron
from derive.formula.permutation_matrices import stride
from derive.formula.transforms import F, T


def by_runs(runs: Sequence[int]) -> Formula:
    """Return F_rs = (F_r ⊗ I_s) T^rs_s (I_r ⊗ F_s) L^rs_r with the last run r, F_s by the others.

    runs: integers from 2 on, or one from 1 on.

    >>> print(by_runs((500, 2)))
    (F_2 ⊗ I_500) T^1000_500 (I_2 ⊗ F_500) L^1000_2
    """
    *others, r = runs
    if not others:
        return F(r)
    s = prod(others)
    return kron(F(r), I(s)) @ T(r * s, s) @ kron(I(r), by_runs(others)) @ stride(r * s, r)


def separable(shape: Sequence[int], runs: Sequence[Sequence[int]], batch: int = 0) -> Equation:
    """Return F_n1 ⊗ F_n2 ⊗ .. with each axis by its runs; of a batch of B arrays, I_B ⊗ both sides.

    >>> print(separable((4, 6), [(4,), (3, 2)], batch=5))
    (I_5 ⊗ F_4 ⊗ F_6) = (I_5 ⊗ F_4 ⊗ ((F_2 ⊗ I_3) T^6_3 (I_2 ⊗ F_3) L^6_2))
    """
    several = (I(max(batch, 1)),)
    left = kron(*several, *map(F, shape))
    right = kron(*several, *(by_runs(part or (1,)) for part in runs))
    return Equation("by-digits", "Cooley & Tukey 1965, along each axis", left, right)


def of_pairs(runs: Sequence[int], back: bool = False) -> Equation:
    """Return F_2m with a butterfly after F_m by its runs, or, on the way back, before it: its
    transpose.

    >>> print(of_pairs((12,), back=True))
    F_24 = L^24_12 (I_2 ⊗ F_12) T^24_12 (F_2 ⊗ I_12)
    """
    m = prod(runs)
    pairs, butterfly = kron(I(2), by_runs(runs or (1,))), kron(F(2), I(m))
    right = (
        stride(2 * m, m) @ pairs @ T(2 * m, m) @ butterfly
        if back
        else butterfly @ T(2 * m, m) @ pairs @ stride(2 * m, 2)
    )
    return Equation("by-digits", "Cooley & Tukey 1965, of pairs", F(2 * m), right)
