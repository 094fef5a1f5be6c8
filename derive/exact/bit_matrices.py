"""Equations all factors of which are affine over GF(2), decided by their bit matrices: all 2^n
elements at once, for every n.
"""

from __future__ import annotations

from itertools import accumulate

from derive.exact.wrong_factor import block_at, too_many_or_few
from derive.formula.grammar import Equation, Formula, factors_of
from derive.formula.permutations import affine
from derive.gf2.bits import Affine
from derive.verdict import Checked, Refuted, Verdict


def decide_by_matrices(equation: Equation) -> Verdict | None:
    """Return whether both sides put every element at the same place, or None where a factor is not
    affine over GF(2).

    >>> from derive.gf2.bmmc import bit_reversal, equation, factor
    >>> print(decide_by_matrices(equation(factor(bit_reversal(62), 31), "bit-reversal")))
    checked: Π_{bit-reversal} = Π_V Π_W (all 2^62 elements, by bit matrices and complements)
    """
    try:
        left, right = affine(equation.left), affine(equation.right)
        wrong = "" if left == right else _wrong_factor(equation)
    except ValueError:  # no permutation, or not of a power of two of elements
        return None
    return compared(str(equation), left, right, wrong)


def compared(statement: str, left: Affine, right: Affine, wrong: str = "") -> Verdict:
    """Return whether two maps of indices are equal; a Refuted names an element, and the wrong
    factor that is given.

    >>> print(compared("J_2 = I_2", Affine((1,), 1, 1), Affine((1,), 1)))
    refuted: J_2 = I_2: element 0 goes to 1 on the left and to 0 on the right
    """
    x = _first_different(left, right)
    if x is None:
        return Checked(statement, f"all 2^{left.bits} elements, by bit matrices and complements")
    return Refuted(
        statement,
        f"element {x} goes to {left(x)} on the left and to {right(x)} on the right",
        wrong,
    )


def _first_different(left: Affine, right: Affine) -> int | None:
    """Return the first of 0 and the powers of two where two maps differ; None: they are equal."""
    return next((x for x in (0, *(1 << j for j in range(left.bits))) if left(x) != right(x)), None)


def _wrong_factor(equation: Equation) -> str:
    """Return the first factor from the right that does something else than the factors that the
    equation was made of, as `derive.exact.wrong_factor` does.
    """
    left, right = equation.original
    wrong = "" if equation.right is right else _wrong_in(equation.right, right)
    if wrong:
        return wrong
    if equation.left is left:
        single = len(factors_of(equation.right)) == 1
        return _block(equation.right, affine(equation.left)) if single else ""
    several = len(factors_of(equation.left)) > 1
    wrong = _wrong_in(equation.left, left) if several else ""
    return f"{wrong}, on the left side" if wrong else f"{equation.left}, the left side"


def _wrong_in(side: Formula, original: Formula) -> str:
    factors, known = factors_of(side)[::-1], factors_of(original)[::-1]
    made, stated = (
        [*accumulate(map(affine, row), lambda before, factor: factor @ before)]
        for row in (factors, known)
    )
    for i, (factor, product, wanted) in enumerate(zip(factors, made, stated, strict=False)):
        if product != wanted:
            before = stated[i - 1] if i else Affine.identity(wanted.bits)
            name = (
                f"{_block(factor, wanted @ before.inverse())} in factor {i + 1} from the right,"
                f" {factor}"
            )
            missing = len(factors) < len(stated) and affine(factor) @ wanted == stated[i + 1]
            return f"{name}: one is missing before it" if missing else name
    return too_many_or_few(factors, known)


def _block(factor: Formula, wanted: Affine) -> str:
    """Return the smallest block of a factor that puts an element where it is not wanted."""
    x = _first_different(affine(factor), wanted)
    return str(factor if x is None else block_at(factor, wanted(x)))
