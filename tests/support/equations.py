"""Equations with symbols in their sizes, at numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from derive.formula.grammar import Equation
from derive.formula.instances import instantiate


def instantiate_equation(equation: Equation, values: Mapping[Any, int]) -> Equation:
    """Return the equation with its symbols replaced.

    >>> from derive.formula.permutation_matrices import L, S
    >>> from derive.symbolic import positive_integers
    >>> N = positive_integers("N")
    >>> print(instantiate_equation(Equation("", "", S(2, N), L(N, 2)), {N: 8}))
    S_{2,8} = L^8_2
    """
    at = partial(instantiate, values=values)
    sides = at(equation.left), at(equation.right)
    return Equation(equation.name, equation.source, *sides)
