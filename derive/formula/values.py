"""Formulas as values: matrices of numpy and of sympy, and LaTeX, made where they are asked for."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from derive.call_arguments import integer
from derive.lazy import lazily
from derive.sizes import same, size_of
from derive.text.expressions import Node

_complexes, _latex = lazily("derive.exact.complexes"), lazily("derive.formula.latex")
_symbolic, _combinations = lazily("derive.symbolic"), lazily("derive.formula.combinations")
_grammar, _adjoints = lazily("derive.formula.grammar"), lazily("derive.formula.adjoints")
_syntax, _definitions = lazily("derive.text.syntax"), lazily("derive.text.definitions")


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
        """Return it as a notebook shows it: in lines, of long products the first factors."""
        return _latex.displayed(self)


class Stated(Written):
    """Two sides, left = right, and before them what they are stated with."""

    left: Formula
    right: Formula

    @property
    def statements(self) -> str:
        """The sizes, definitions and matrix variables before the equation."""
        return str(_definitions.statements(self))

    def __str__(self) -> str:
        return f"{self.statements}{self.left} = {self.right}"

    def __repr__(self) -> str:
        return f"Equation({shortened(str(self))!r})"


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


class Formula(Value, Node):
    """A matrix; `size` is its number of rows, at least 1. Its sizes are values, integers and
    expressions, or as they were typed (derive.text.syntax): then it prints as a text.

    Two formulas with == between them are an equation, which is true where both are written alike;
    two texts are equal or not.

    >>> from derive.formula.grammar import I, kron
    >>> I(0)
    Traceback (most recent call last):
    ValueError: I_0: a size is at least 1
    >>> kron(I(2), I(3)) == I(6), bool(I(6) == I(2) @ I(2))
    (Equation('I_6 = I_6'), False)
    """

    _sizes: ClassVar[tuple[str, ...]] = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    __array_ufunc__ = None  # so that an array @ a formula is refused below

    def __init_subclass__(cls) -> None:
        """Keep == and the text, which a dataclass would define; note which fields are sizes."""
        kinds = vars(cls).get("__annotations__", {})
        cls._sizes = tuple(x for x, kind in kinds.items() if kind in ("Size", "Exponent"))
        cls.__eq__ = Formula.__eq__  # type: ignore[method-assign]
        cls.__repr__ = Formula.__repr__  # type: ignore[method-assign]

    @cached_property
    def parts(self) -> tuple[Formula, ...]:
        """The formulas that it is made of."""
        given = (getattr(self, name) for name in self.__match_args__)
        rows = (one if isinstance(one, tuple) else (one,) for one in given)
        return tuple(part for row in rows for part in row if isinstance(part, Formula))

    @property
    def size(self) -> Any:
        """The number of rows: that of its first part."""
        return self.parts[0].size

    @property
    def columns(self) -> Any:
        """The number of columns: that of its last part, or of rows where it has none."""
        return self.parts[-1].columns if self.parts else self.size

    @property
    def typed(self) -> bool:
        """Whether its sizes are as they were typed."""
        return bool(self.parts) and self.parts[0].typed

    @property
    def definition(self) -> Formula | None:
        """The formula that defines this matrix by others; None for those that have none."""
        return None

    def __str__(self) -> str:
        return str(_syntax.as_typed(self) if self.typed else _grammar.in_letters(self))

    def __repr__(self) -> str:
        """Return the formula as it prints, of a long one the beginning."""
        return shortened(str(self))

    def __eq__(self, other: object) -> Any:
        """Return the equation self = other; False where the sizes differ."""
        if not isinstance(other, Formula):
            return NotImplemented
        if self.typed or other.typed:
            return written_alike(self, other)
        return _combinations.alike(self, other) and _grammar.Equation("equation", "", self, other)

    __hash__ = object.__hash__

    def __post_init__(self) -> None:
        """Take sizes as integers or expressions; raise ValueError for what is none."""
        if not self._sizes or self.typed:
            return
        for name in self._sizes:
            object.__setattr__(self, name, size_of(getattr(self, name), type(self).__name__))
        if any(isinstance(size, int) and size < 1 for size in self.shape):
            raise ValueError(f"{self}: a size is at least 1")

    def __matmul__(self, other: Formula) -> Formula:
        """Return the matrix product: identities vanish and products flatten.

        Raises ValueError where the sizes differ, and for what is no formula.

        >>> from derive.formula.grammar import I
        >>> from derive.formula.transforms import F
        >>> print(F(2) @ I(2) @ F(2))
        F_2 F_2
        """
        return _grammar.product([self, other])

    def __rmatmul__(self, other: Any) -> Formula:
        """Return a product with something else before, which is refused."""
        return _grammar.product([other, self])

    def __pow__(self, k: int) -> Formula:
        """Return the product of k factors of this formula, of its inverse for k < 0.

        Raises ValueError for another exponent than an integer, and unless the formula is square.

        >>> from derive.formula.transforms import F
        >>> print(F(2) ** 3, F(2) ** 0, F(2) ** -1)
        F_2 F_2 F_2 I_2 inv(F_2)
        """
        if not same(self.size, self.columns):
            raise ValueError(
                f"{self} is {self.size} x {self.columns}: only a square matrix has powers"
            )
        base = self if integer(k, "exponent") >= 0 else _adjoints.inverted(self)
        return _grammar.product([_grammar.I(self.size)] + [base] * abs(k))


def written_alike(a: Formula, b: Formula) -> bool:
    """Return whether two formulas are the same but for the columns where they stand."""
    names = a.__match_args__
    return type(a) is type(b) and all(getattr(a, x) == getattr(b, x) for x in names)
