"""The part of a factor in a program: a permutation, a diagonal of twiddles, a stage of butterflies,
a transform between two ranks or within each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from codegen.program.digits.digit_places import Digit
from codegen.program.digits.digit_supersteps import Diagonal, Transform
from codegen.program.digits.ways import Counted, Twiddles
from codegen.program.protocol import Step
from codegen.program.stages.butterflies import Across, OfHalves
from codegen.program.stages.diagonal_phases import phases_of
from codegen.program.stages.generalized_butterflies import Butterflies
from derive.digits.digit_permutations import digits_of
from derive.digits.radices import DigitPermutation
from derive.formula.combinations import Ranged
from derive.formula.grammar import Applied, DirectSum, Formula, I, Kron
from derive.formula.permutations import affine, is_permutation, lg
from derive.formula.transforms import A, AHat, F, HatSum, Omega, T, W
from derive.gf2.bits import Affine
from derive.maps.map_expressions import Field, Number


def map_of(factor: Formula) -> DigitPermutation | Affine | None:
    """Return where a permutation takes each index, None of other factors.

    Raises ValueError for one that is neither of whole digits nor affine over GF(2).
    """
    if not is_permutation(factor):
        return None
    try:
        return digits_of(factor)
    except ValueError:
        if factor.size & factor.size - 1:
            raise
    return affine(factor)


def twiddles_of(factor: Formula) -> tuple[Twiddles, ...] | None:
    """Return I_a ⊗ D ⊗ I_b as products of digits in exponents, None where D is no diagonal: w_N^(ij)
    for D = T^N_s, i the digits above those of j < s; i is one bit for I_h ⊕ Ω_h; W as it stands;
    diag(..) by its phases; or the conjugate of one of these.
    """  # noqa: E501
    inner, _, b = apart(factor)
    sign = 1
    if isinstance(inner, Applied) and inner.name == "conj":
        inner, sign = inner.of, -1
    match inner:
        case W():
            i, j = (Number.of_bits(part.columns).fields for part in (inner.i, inner.j))
            return (Twiddles(inner.order, _counted(i), _counted(j)),)
        case T(order, s):
            return (_twiddles(order, s, b, sign),)
        case DirectSum((I(h), Omega(_, 0))):
            return (_twiddles(2 * h, h, b, sign),)
        case DirectSum((I(h), Applied("conj", Omega(_, 0)))):
            return (_twiddles(2 * h, h, b, -sign),)
        case Ranged("diag"):
            return tuple(_by_phases(inner, b, sign))
    return None


def is_diagonal(formula: Formula) -> bool:
    """Return whether a formula is D as `twiddles_of` has it, without identities beside it."""
    match formula:
        case T() | Ranged("diag") | Applied("conj", T() | Ranged("diag")):
            return True
        case DirectSum((I(h), Omega(n, 0) | Applied("conj", Omega(n, 0)))):
            return bool(n == h)
    return False


def _counted(fields: Iterable[Field]) -> tuple[Counted, ...]:
    return tuple((Digit(0, False, each.place, each.radix), each.value) for each in fields)


def _twiddles(order: int, s: int, b: int, sign: int) -> Twiddles:
    """Return the diagonal T^order_s of elements b apart, or its conjugate."""
    i, j = (((Digit(0, False, s * b, order // s), 1),), ((Digit(0, False, b, s), sign % order),))
    return Twiddles(order, i * (order > s), j * (s > 1))


def _by_phases(diagonal: Ranged, b: int, sign: int) -> Iterator[Twiddles]:
    """Yield the products in the exponents of a diagonal of elements b apart, or its conjugate."""
    order, terms = phases_of(diagonal)
    for digits, number in terms:
        if not digits:
            raise ValueError(f"{diagonal} has the phase {number}/{order} at index 0: leave it out")
        first, *others = [Digit(0, False, weight * b, radix) for weight, radix in digits]
        second = tuple((digit, 1) for digit in others) or None
        yield Twiddles(order, ((first, sign * number % order),), second)


def apart(factor: Formula) -> tuple[Formula, int, int]:
    """Return X, a and b of I_a ⊗ X ⊗ I_b.

    >>> from derive.formula.grammar import kron
    >>> apart(kron(I(2), F(3), I(5))), apart(F(3))
    ((F_3, 2, 5), (F_3, 1, 1))
    """
    a, b = 1, 1
    if isinstance(factor, Kron) and isinstance(factor.left, I):
        a, factor = factor.left.size, factor.right
    if isinstance(factor, Kron) and isinstance(factor.right, I):
        b, factor = factor.right.size, factor.left
    return factor, a, b


def finished(step: Step, diagonal: Diagonal | None, factor: Formula) -> Step | None:
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


def channel_of(factor: Formula, M: int) -> int | None:
    """Return b where the factor is I ⊗ F_2 ⊗ I_c on bit b of the rank."""
    inner, _, c = apart(factor)
    return lg(c // M) if inner == F(2) and c >= M else None


def local_of(factor: Formula, M: int) -> tuple[int, int, int]:
    """Return (copies, d, c) with I_copies ⊗ F_d ⊗ I_c = the factor on every rank's M elements."""
    match apart(factor):
        case F(d), _, c if M % (d * c) == 0:
            return M // (d * c), d, c
    raise ValueError(
        f"{factor} must be a permutation, a twiddle diagonal I ⊗ T or a transform I ⊗ F_d ⊗ I_c of"
        f" the {M} elements of a rank"
    )
