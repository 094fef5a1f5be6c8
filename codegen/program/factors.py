"""The part of a factor in a program: a diagonal of twiddles, a stage of butterflies, a transform
between two ranks or within each.
"""

from __future__ import annotations

from dataclasses import replace

from codegen.program.bits.bit_transforms import Butterflies, Twiddle
from codegen.program.digits.steps import Diagonal, Transform
from codegen.program.protocol import Step
from codegen.program.stages.butterflies import Across, OfHalves
from derive.formula.grammar import DirectSum, Formula, I, Kron
from derive.formula.permutations import lg
from derive.formula.transforms import A, AHat, F, HatSum, Omega, T, W
from derive.gf2.bits import Affine
from derive.maps.expressions import Number


def twiddle_of(factor: Formula) -> Twiddle | None:
    """Return a layer I_a ⊗ D ⊗ I_b as a twiddle: w_N^(ij) for D = T^N_s, i the bits above those of
    j < s; i is one bit for I_h ⊕ Ω_h.

    W is one as it stands.
    """
    if isinstance(factor, W):
        return Twiddle(factor.order, factor.i, factor.j)
    inner, b = _beside(factor)
    low = lg(b)
    match inner:
        case T(N, s):
            order, size, below = N, lg(N), lg(s)
        case DirectSum((I(h), Omega(_, 0))):
            order, size, below = 2 * h, lg(h) + 1, lg(h)
        case _:
            return None
    total = lg(factor.size)
    i = Affine(
        tuple(1 << b - low - below if low + below <= b < low + size else 0 for b in range(total)),
        size - below,
    )
    j = Affine(tuple(1 << b - low if low <= b < low + below else 0 for b in range(total)), below)
    return Twiddle(order, i, j)


def _beside(factor: Formula) -> tuple[Formula, int]:
    """Return X and b for I_a ⊗ X ⊗ I_b."""
    inner = factor.right if isinstance(factor, Kron) and isinstance(factor.left, I) else factor
    return (
        (inner.left, inner.right.n)
        if isinstance(inner, Kron) and isinstance(inner.right, I)
        else (inner, 1)
    )


def is_diagonal(factor: Formula) -> bool:
    """Return whether a factor is a diagonal of twiddles, of any size."""
    match _beside(factor)[0]:
        case T() | W() | DirectSum((I(), Omega(_, 0))):
            return True
    return False


def diagonal_of(twiddle: Twiddle | None) -> Diagonal | None:
    """Return a diagonal by digits, if there is one."""
    if twiddle is None:
        return None
    i, j = (Number.of_bits(part.columns) for part in (twiddle.i, twiddle.j))
    return Diagonal(twiddle.order, ((i, j, 1),))


def finished(step: Step, twiddle: Twiddle, factor: Formula) -> Step | None:
    """Return a step of butterflies that have no twiddles yet and end in these, or None."""
    match step:
        case Across(diagonal=None):
            diagonal = diagonal_of(twiddle)
            factors = (factor, *step.factors)
            return replace(step, diagonal=diagonal, after=True, factors=factors)
        case Transform(None, 1, 2, c) if isinstance(factor, W):
            factors = (factor, *step.factors)
            return OfHalves(diagonal_of(twiddle), 1, 2, c, factors=factors, after=True)
    return None


def stage_of(factor: Formula, M: int) -> Butterflies | None:
    """Return a stage of generalized butterflies within the ranks, None where the factor is none: A,
    Â and sums of Â, beside identities.
    """
    inner, alone = (
        (factor.right, False)
        if isinstance(factor, Kron) and isinstance(factor.left, I)
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
    match factor:
        case Kron(I(), Kron(F(2), I(c))) | Kron(F(2), I(c)) if c >= 1 << m:
            return lg(c) - m
        case Kron(I(), F(2)) | F(2) if m == 0:
            return 0
    return None


def local_of(factor: Formula, M: int) -> tuple[int, int, int]:
    """Return (copies, d, c) with I_copies ⊗ F_d ⊗ I_c = the factor on every rank's M elements."""
    match factor:
        case Kron(I(), Kron(F(d), I(c))) | Kron(F(d), I(c)) if M % (d * c) == 0:
            return M // (d * c), d, c
        case Kron(I(), F(d)) | F(d) if M % d == 0:
            return M // d, d, 1
    raise ValueError(
        f"{factor} must be a permutation, a twiddle diagonal I ⊗ T or a transform I ⊗ F_d ⊗ I_c of"
        f" the {M} elements of a rank"
    )
