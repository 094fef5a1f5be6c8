"""Formulas as values: matrices of numpy and of sympy, and LaTeX, made where they are asked for."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.lazy import lazily

_complexes, _latex = lazily("derive.exact.complexes"), lazily("derive.formula.latex")
_symbolic, _combinations = lazily("derive.symbolic"), lazily("derive.formula.combinations")


LONGEST = 1000
"""So many letters of a formula stand where it shows itself on a terminal."""


def shortened(text: str) -> str:
    """Return a text, of a long one the beginning, with what is left out.

    >>> shortened("F_2 " * 300)[-40:]
    'F_2 F_2 F_2 F_2 .. (200 more characters)'
    """
    more = len(text) - LONGEST
    return f"{text[:LONGEST]}.. ({more} more characters)" if more > 0 else text


class Written:
    """An object that is written in LaTeX."""

    def to_latex(self) -> str:
        r"""Return it as LaTeX, without dollar signs.

        >>> from derive.formula.transforms import F, H
        >>> print(F(4).to_latex(), (F(4) == H(4)).to_latex())
        F_{4} F_{4} = H_{4}
        """
        return _latex.latex(self)

    def _repr_latex_(self) -> str:
        """Return it as a notebook shows it: an equation in lines, of long products the first
        factors.
        """
        return _latex.displayed(self)


class Value(Written):
    """A square matrix, of `size` rows.

    >>> from derive.formula.transforms import F
    >>> print(2 * F(2) - F(2) / 2, -F(2))
    (2 F_2 - 1/2 F_2) (-F_2)
    """

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Value):
            return NotImplemented
        return _combinations.combination(((1, False, self), (1, False, other)))

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, Value) else NotImplemented

    def __neg__(self) -> Any:
        return -1 * self

    def __rmul__(self, number: Any) -> Any:
        return _combinations.multiple(number, self)

    def __truediv__(self, number: int | Fraction) -> Any:
        if number == 0:
            raise ValueError(f"{self} / 0: a formula is divided by another number")
        return _combinations.multiple(1 / Fraction(number), self)

    @property
    def size(self) -> Any:
        """The number of rows."""
        raise NotImplementedError

    @property
    def columns(self) -> Any:
        """The number of columns: that of rows, but for what a matrix variable makes."""
        return self.size

    @property
    def shape(self) -> tuple[Any, Any]:
        """The number of rows and of columns."""
        return self.size, self.columns

    def to_matrix(self) -> NDArray[np.complex128]:
        """Return the matrix, of complex numbers, with w_N = exp(-2 pi i/N) as numpy has it.

        Raises ValueError where a size is a symbol.

        >>> from derive.formula.transforms import H
        >>> H(2).to_matrix().real.tolist()
        [[1.0, 1.0], [1.0, -1.0]]
        """
        return _complexes.matrix(self)

    def to_sympy(self) -> Any:
        """Return the exact matrix as sympy's, w_N as numpy has it; where a size is a symbol, a
        MatrixExpr.

        >>> from derive.formula.transforms import F
        >>> F(4).to_sympy()[1, 1]
        -I
        """
        exactly = _symbolic.explicit if isinstance(self.size, int) else _symbolic.matrix
        return exactly(self, sign=-1)
