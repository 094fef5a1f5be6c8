"""Sums of matrices, each times a number.

    formula = .. | Sum(terms)      term = (number, imaginary, formula), number a Fraction

A term that is imaginary stands for i · number · formula, i being w_4^-1 of numpy's roots w_n.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational

from derive.formula.grammar import Formula, Size, same

Term = tuple[Fraction, bool, Formula]
LARGEST = 2**30
"""Denominators of numbers are smaller, so that no prime of a field in which formulas are compared
divides them.
"""


@dataclass(frozen=True)
class Sum(Formula):
    """A sum of matrices, each times a number; built by `combination`, + and -.

    >>> from derive.formula.transforms import F
    >>> print(F(2) + F(2) / 2 - 1j * F(2))
    (F_2 + 1/2 F_2 - i F_2)
    """

    terms: tuple[Term, ...]

    @property
    def size(self) -> Size:
        return self.terms[0][2].size

    def __str__(self) -> str:
        (number, imaginary, first), *others = self.terms
        begin = ("-" if number < 0 else "") + _term(abs(number), imaginary, first)
        return f"({begin}{''.join(map(_added, others))})"


def _added(term: Term) -> str:
    number, imaginary, formula = term
    return f" {'-' if number < 0 else '+'} {_term(abs(number), imaginary, formula)}"


def _term(number: Fraction, imaginary: bool, formula: Formula) -> str:
    scalar = f"{number}*i" if imaginary and number != 1 else "i" if imaginary else f"{number}"
    return str(formula) if scalar == "1" else f"{scalar} {formula}"


def combination(terms: Iterable[Term]) -> Formula:
    """Return a sum of multiples of matrices: sums in it flatten, and 1 · A is A.

    Raises ValueError where two sizes differ, and for a denominator from 2^30 on.

    >>> from derive.formula.grammar import I
    >>> print(combination([(Fraction(1), False, I(2))]))
    I_2
    >>> combination([(Fraction(1), False, I(2)), (Fraction(1), False, I(3))])
    Traceback (most recent call last):
    ValueError: I_2 is 2 x 2 and I_3 is 3 x 3: the terms of a sum have one size
    """
    flat = tuple(
        part
        for number, turned, formula in terms
        for part in _flat(Fraction(number), turned, formula)
    )
    first = flat[0][2]
    for number, _, formula in flat:
        if not same(first.size, formula.size):
            raise ValueError(
                f"{first} is {first.size} x {first.size} and {formula} is {formula.size} x"
                f" {formula.size}: the terms of a sum have one size"
            )
        if number.denominator >= LARGEST:
            raise ValueError(f"{number}: the denominators of numbers are below 2^30")
    return first if len(flat) == 1 and flat[0][0] == 1 and not flat[0][1] else Sum(flat)


def _flat(number: Fraction, imaginary: bool, formula: Formula) -> tuple[Term, ...]:
    if not isinstance(formula, Sum):
        return ((number, imaginary, formula),)
    return tuple(
        (-number * other if imaginary and turned else number * other, imaginary != turned, part)
        for other, turned, part in formula.terms
    )


def multiple(number: object, formula: Formula) -> Formula:
    """Return a matrix times a rational number or times a + b i, a and b whole.

    Raises ValueError for any other number.

    >>> from derive.formula.grammar import I
    >>> print(multiple(1 - 2j, I(2)))
    (I_2 - 2*i I_2)
    >>> multiple(0.3, I(2))
    Traceback (most recent call last):
    ValueError: 0.3: a formula is multiplied by an integer, a Fraction, or a + b i, a and b whole
    """
    match number:
        case Rational():
            return combination([(Fraction(number), False, formula)])
        case complex() if number.real.is_integer() and number.imag.is_integer():
            parts = (Fraction(int(number.real)), False), (Fraction(int(number.imag)), True)
            kept = [(c, turned, formula) for c, turned in parts if c] or [(*parts[0], formula)]
            return combination(kept)
    raise ValueError(
        f"{number}: a formula is multiplied by an integer, a Fraction, or a + b i, a and b whole"
    )
