"""The part of a factor in a program: a diagonal of twiddles, a stage of butterflies, a transform
between two ranks or within each.
"""

from __future__ import annotations

from dataclasses import replace

from codegen.program.bits.bit_transforms import Butterflies
from codegen.program.digits.steps import Diagonal, Transform
from codegen.program.protocol import Step
from codegen.program.stages.butterflies import Across, OfHalves
from derive.formula.grammar import Beside, Formula, I, Stacked
from derive.formula.permutations import lg
from derive.formula.transforms import A, AHat, F, HatSum, Omega, T, W
from derive.gf2.bits import Affine
from derive.maps.expressions import Field, Number


def twiddle_of(factor: Formula) -> Diagonal | None:
    """Return a layer I_a ⊗ D ⊗ I_b as a diagonal: w_N^(ij) for D = T^N_s, i the digits above those
    of j < s; i is one bit for I_h ⊕ Ω_h.

    W is one as it stands.
    """
    if isinstance(factor, W):
        i, j = (Number.of_bits(part.columns) for part in (factor.i, factor.j))
        return Diagonal(factor.order, ((i, j, 1),))
    inner, _, b = apart(factor)
    match inner:
        case T(N, s):
            order, below = N, s
        case Stacked((I(h), Omega(_, 0))):
            order, below = 2 * h, h
        case _:
            return None
    digits = Field(b * below, order // below, 1), Field(b, below, 1)
    i, j = (Number((digit,) * (digit.radix > 1)) for digit in digits)
    return Diagonal(order, ((i, j, 1),))


def moved(diagonal: Diagonal | None, back: Affine) -> Diagonal | None:
    """Return a diagonal by the bits of other coordinates, from which a map leads to its own."""
    if diagonal is None:
        return None

    def by_bits(part: Number) -> Number:
        return Number.of_bits([part(column) for column in back.columns])

    terms = ((by_bits(i), by_bits(j), scale) for i, j, scale in diagonal.terms)
    return Diagonal(diagonal.order, tuple(terms))


def apart(factor: Formula) -> tuple[Formula, int, int]:
    """Return X, a and b of I_a ⊗ X ⊗ I_b.

    >>> from derive.formula.grammar import kron
    >>> apart(kron(I(2), F(3), I(5))), apart(F(3))
    ((F_3, 2, 5), (F_3, 1, 1))
    """
    a, b = 1, 1
    if isinstance(factor, Beside) and isinstance(factor.left, I):
        a, factor = factor.left.size, factor.right
    if isinstance(factor, Beside) and isinstance(factor.right, I):
        b, factor = factor.right.size, factor.left
    return factor, a, b


def is_diagonal(factor: Formula) -> bool:
    """Return whether a factor is a diagonal of twiddles, of any size."""
    match apart(factor)[0]:
        case T() | W() | Stacked((I(), Omega(_, 0))):
            return True
    return False


def finished(step: Step, diagonal: Diagonal, factor: Formula) -> Step | None:
    """Return a step of butterflies that have no twiddles yet and end in these, or None."""
    match step:
        case Across(diagonal=None):
            factors = (factor, *step.factors)
            return replace(step, diagonal=diagonal, after=True, factors=factors)
        case Transform(None, 1, 2, c) if isinstance(factor, W):
            factors = (factor, *step.factors)
            return OfHalves(diagonal, 1, 2, c, factors=factors, after=True)
    return None


def stage_of(factor: Formula, M: int) -> Butterflies | None:
    """Return a stage of generalized butterflies within the ranks, None where the factor is none: A,
    Â and sums of Â, beside identities.
    """
    inner, alone = (
        (factor.right, False)
        if isinstance(factor, Beside) and isinstance(factor.left, I)
        else (factor, True)
    )
    match inner:
        case A(k, n, 0) if M % n == 0:
            return Butterflies(M, k, k, n, 1, 1, (factor,))
        case AHat(k, u, p, N) if alone and N == p * M:
            return Butterflies(M, k, k, M, u, 1, (factor,))
        case AHat(k, w, v, n) if n == M:
            return Butterflies(M, k, k, n // v, 1, w, (factor,))
        case HatSum(k, w, v, n, u) if n == M:
            return Butterflies(M, k, k, n // v, u, w, (factor,))
    return None


def continued(step: Step, stage: Butterflies) -> Butterflies | None:
    """Return the stages of both as one step where they follow one another on the same blocks, else
    None.
    """
    match step:
        case Butterflies(_, _, last, b, u, w) if (2 * last, b, u, w) == (
            stage.first,
            stage.b,
            stage.u,
            stage.w,
        ):
            return replace(step, last=stage.last, factors=(*stage.factors, *step.factors))
    return None


def channel_of(factor: Formula, m: int) -> int | None:
    """Return b where the factor is I ⊗ F_2 ⊗ I_c on bit b of the rank."""
    inner, _, c = apart(factor)
    return lg(c) - m if inner == F(2) and c >= 1 << m else None


def local_of(factor: Formula, M: int) -> tuple[int, int, int]:
    """Return (copies, d, c) with I_copies ⊗ F_d ⊗ I_c = the factor on every rank's M elements."""
    match apart(factor):
        case F(d), _, c if M % (d * c) == 0:
            return M // (d * c), d, c
    raise ValueError(
        f"{factor} must be a permutation, a twiddle diagonal I ⊗ T or a transform I ⊗ F_d ⊗ I_c of"
        f" the {M} elements of a rank"
    )
