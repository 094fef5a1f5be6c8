"""Sizes of formulas, integers or expressions in symbols; numbers of elements and ranks, and which
a factorization takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from derive.call_arguments import counted, integer, is_integer, named, sequence
from derive.lazy import lazily

_symbolic = lazily("derive.symbolic")

Size = Any
"""A positive int, or an expression with +, *, / and ==."""
Exponent = Any
"""A natural number, or an expression."""
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


def number(size: int | str, name: str = "size") -> int:
    """Return an integer, which may be written as digits or as a power: 1024, 2^10.

    Raises ValueError for any other text, and for what is no integer.

    >>> number("2^10"), number(1024)
    (1024, 1024)
    """
    if not isinstance(size, str):
        return integer(size, name)
    found = re.fullmatch(r"([0-9]{1,20})(?:\^([0-9]{1,3}))?", size)
    if not found:
        raise ValueError(
            f"{named(name)} must be a positive integer below 2^63, such as 1024 or 2^10; got {size}"
        )
    base, exponent = int(found[1]), int(found[2] or 1)
    if base**exponent >= 1 << 63:
        raise ValueError(f"{named(name)} must be below 2^63; got {size}")
    return int(base**exponent)


def check_positive(name: str, *sizes: int) -> None:
    """Raise ValueError where one of these sizes, those of all axes of an option, is below 1.

    >>> check_positive("ranks", 4, 0)
    Traceback (most recent call last):
    ValueError: ranks must be at least 1; got 4x0
    """
    if min(sizes) < 1:
        raise ValueError(f"{named(name)} must be at least 1; got {'x'.join(map(str, sizes))}")


def axes(sizes: int | str | Sequence[int | str], name: str = "size") -> tuple[int, ...]:
    """Return the sizes of one axis or of several, which may be written as 64x48x2^5.

    They may be an array of numpy. Raises ValueError for what is none, and from 2^63 on for all of
    them together.

    >>> axes("64x48x2^5"), axes(1000), axes((12, 10))
    ((64, 48, 32), (1000,), (12, 10))
    """
    parts: Any = sequence(sizes)
    if isinstance(sizes, str) and all(sizes.split("x")):
        parts = sizes.split("x")
    several = parts if isinstance(parts, list | tuple) else [parts]
    found = tuple(number(part, name) for part in several)
    if not found:
        raise ValueError(f"{named(name)} must have at least one axis; got {sizes}")
    check_positive(name, *found)
    if prod(found) >= 1 << 63:
        raise ValueError(f"the product of {named(name)} must be below 2^63; got {sizes}")
    return found


class OnRanks:
    """N elements on P ranks, the same number on each."""

    N: int
    P: int

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return self.N // self.P

    @property
    def n(self) -> int:
        """lg N."""
        return self.N.bit_length() - 1

    @property
    def p(self) -> int:
        """lg P."""
        return self.P.bit_length() - 1

    @property
    def m(self) -> int:
        """lg (N/P)."""
        return self.n - self.p


@dataclass(frozen=True)
class Sizes:
    """The powers of two that a factorization takes: `fits` decides for N and P, `rule` says it."""

    of: str
    fits: Callable[[int, int], bool]
    rule: str

    def exponents(self, N: int, P: int) -> tuple[int, int]:
        """Return (lg N, lg P) for N elements on P ranks.

        Raises ValueError for sizes that the factorization does not take.

        >>> Sizes("a sum", lambda N, P: P <= N, "P must be at most N").exponents(8, 2)
        (3, 1)
        """
        check_positive("size", N)
        check_positive("ranks", P)
        for name, value in (("N", N), ("P", P)):
            if value & value - 1:
                raise ValueError(
                    f"{self.of} needs N and P that are powers of two; got {name} = {value}; try"
                    f" {_powers_near(value)}"
                )
        if not self.fits(N, P):
            raise ValueError(f"{self.rule}; got N = {N} and P = {P}{self._remedy(N, P)}")
        return N.bit_length() - 1, P.bit_length() - 1

    def _remedy(self, N: int, P: int) -> str:
        """Return the most ranks that work for N elements; if none do, the fewest elements for P.

        >>> Sizes("a sum", lambda N, P: P < N, "P must be less than N")._remedy(1, 1)
        '; try 2 elements'
        """
        fewer = (P >> i for i in range(P.bit_length()))
        if ranks := next((p for p in fewer if self.fits(N, p)), 0):
            return f"; try {counted(ranks, 'rank')}"
        more = (N << i for i in range(1, 64 - N.bit_length()))
        elements = next((n for n in more if self.fits(n, P)), 0)
        return f"; try {counted(elements, 'element')}" if elements else ""


def _powers_near(value: int) -> str:
    """Return the powers of two next to a number.

    >>> _powers_near(12)
    '8 or 16'
    """
    below = 1 << value.bit_length() - 1
    return f"{below} or {2 * below}"
