"""Sizes and exponents of formulas: integers, or expressions in symbols."""

from __future__ import annotations

from typing import Any

from derive.arguments import is_integer
from derive.lazy import lazily

_symbolic = lazily("derive.symbolic")

Size = Any
"""A positive int, or an expression with +, *, / and == (so that derive.symbolic can use the same
formulas).
"""
Alpha = Any
"""A rational number (int or Fraction), or an expression."""


def size_of(value: Any, of: str) -> Size:
    """Return an integer, or an expression in symbols, which a text may be.

    Raises ValueError for anything else.

    >>> size_of("r*s", "F")
    r*s
    >>> size_of(2.0, "F")
    Traceback (most recent call last):
    ValueError: 2.0 in F: a size is an integer, or an expression in symbols, such as 'r*s'
    """
    if isinstance(value, str):
        return _symbolic.size(value)
    expression = hasattr(value, "free_symbols") and getattr(value, "is_integer", None) is not False
    if expression and value.free_symbols:
        return value
    if not is_integer(value):
        raise ValueError(
            f"{value!r} in {of}: a size is an integer, or an expression in symbols, such as 'r*s'"
        )
    return int(value)


def divide(a: Size, b: Size) -> Size:
    """Return a/b; raise ValueError where integers do not divide.

    >>> divide(12, 5)
    Traceback (most recent call last):
    ValueError: 12 is not divisible by 5
    """
    if isinstance(a, int) and isinstance(b, int):
        if a < 1 or b < 1:
            raise ValueError(f"{a}/{b}: a size is at least 1")
        if a % b:
            raise ValueError(f"{a} is not divisible by {b}")
        return a // b
    return a / b


def same(a: Size, b: Size) -> bool:
    """Return whether two sizes are equal for all values of their symbols (False where that is not
    seen by expanding a - b).

    >>> same(6, 6), same(6, 7)
    (True, False)
    """
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    return bool(a == b or (a - b).expand() == 0)


def subscript(*sizes: Size) -> str:
    """Return sizes as they print below a letter."""
    text = ",".join(str(size) for size in sizes)
    return f"_{text}" if text.isalnum() else f"_{{{text}}}"


def superscript(alpha: Alpha) -> str:
    """Return an exponent α as it prints above a letter, nothing for 0."""
    text = str(alpha)
    if text == "0":
        return ""
    return f"^{text}" if text.isalnum() else f"^{{{text}}}"
