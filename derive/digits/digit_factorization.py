"""The equations of transforms by digits: along each axis, of pairs of real elements, and of Hartley
transforms by Fourier transforms.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from fractions import Fraction

from derive.formula.adjoints import transposed
from derive.formula.combinations import combination
from derive.formula.grammar import Equation, Formula, I, direct_sum, factors_of, kron, product
from derive.formula.permutation_matrices import J, L, stride
from derive.formula.transforms import BH, F, H, T


def along_axes(
    shape: Sequence[int],
    right: Formula,
    still: Collection[int] = (),
    made: Callable[[int], Formula] = F,
) -> Equation:
    """Return F_n1 ⊗ F_n2 ⊗ .. = `right`; I_n for axes that are `still`, as that of a batch; or the
    same of another transform.

    >>> print(along_axes((5, 4, 6), kron(I(5), F(4), I(6)) @ kron(I(20), F(6)), still=(0,)))
    (I_5 ⊗ F_4 ⊗ F_6) = (I_5 ⊗ F_4 ⊗ I_6) (I_20 ⊗ F_6)
    """
    left = kron(*((I if axis in still else made)(n) for axis, n in enumerate(shape)))
    return Equation("by-digits", "Cooley & Tukey 1965, along each axis", left, right)


def hartley_along_axes(shape: Sequence[int], batch: int = 0) -> Equation:
    """Return H_n1 ⊗ H_n2 ⊗ .. = (E_n1 ⊗ E_n2 ⊗ ..) (F_n1 ⊗ F_n2 ⊗ ..), or, of a batch of B arrays,
    I_B ⊗ these: (E_n z)[k] = (1 + i)/2 z[k] + (1 - i)/2 z[-k].

    >>> print(hartley_along_axes((4, 2)))
    (H_4 ⊗ H_2) = ((1/2 I_4 + 1/2*i I_4 + 1/2 (I_1 ⊕ J_3) - 1/2*i (I_1 ⊕ J_3)) ⊗ I_2) (F_4 ⊗ F_2)
    """
    arrays = I(max(batch, 1))
    left, fourier, turned = (kron(arrays, *map(made, shape)) for made in (H, F, _reflection))
    return Equation("hartley", "Bracewell 1983, along each axis", left, turned @ fourier)


def hartley_by_rows(shape: Sequence[int], batch: int = 0) -> Equation:
    """Return the same where pairs of neighbours on the last axis, of n elements, are complex
    numbers: H_n comes first, of real rows.

    >>> print(hartley_by_rows((4, 6)))
    (H_4 ⊗ H_6) = ((1/2 I_4 + 1/2*i I_4 + 1/2 (I_1 ⊕ J_3) - 1/2*i (I_1 ⊕ J_3)) ⊗ I_6) (F_4 ⊗ I_6) (I_4 ⊗ H_6)
    """  # noqa: E501
    *axes, n = shape
    across = hartley_along_axes(axes, batch)
    factors = [kron(factor, I(n)) for factor in factors_of(across.right)]
    right = product([*factors, kron(I(across.left.size), H(n))])
    return replace(across, left=kron(across.left, H(n)), right=right)


def hartley_by_halves(N: int, back: bool = False, batch: int = 0) -> Equation:
    """Return H_N of an even N by F_{N/2} of the even and of the odd elements, the parts of complex
    numbers; or, on the way back, by that of two halves: the transpose. So is each of a batch.

    >>> print(hartley_by_halves(4, back=True))
    H_4 = L^4_2 (I_2 ⊗ F_2) transpose(BH_4)
    """
    m = N // 2
    halves = kron(I(2), product([_reflection(m), F(m)]))
    right = L(N, m) @ halves @ transposed(BH(N)) if back else BH(N) @ halves @ L(N, 2)
    arrays = I(max(batch, 1))
    left, right = kron(arrays, H(N)), product([kron(arrays, each) for each in factors_of(right)])
    return Equation("hartley", "Lin, Chan & Karplus 1988, section 1, for any N", left, right)


def _reflection(n: int) -> Formula:
    """Return E_n = H_n F_n^-1."""
    if n <= 2:
        return I(n)
    opposite, half = direct_sum(I(1), J(n - 1)), Fraction(1, 2)
    terms = (half, False, I(n)), (half, True, I(n)), (half, False, opposite)
    return combination([*terms, (-half, True, opposite)])


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
