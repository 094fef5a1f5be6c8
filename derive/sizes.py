"""Which numbers of elements and ranks a factorization takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from derive.arguments import integer


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
            f"{size!r} is no size: a size is a positive integer below 2^63, as 1024 or 2^10"
        )
    base, exponent = int(found[1]), int(found[2] or 1)
    if base**exponent >= 1 << 63:
        raise ValueError(f"{size}: sizes lie below 2^63")
    return int(base**exponent)


@dataclass(frozen=True)
class Sizes:
    """The powers of two that a factorization takes: `fits` says for which N and P, `rule` the same
    in words.
    """

    of: str
    fits: Callable[[int, int], bool]
    rule: str

    def exponents(self, N: int, P: int) -> tuple[int, int]:
        """Return (lg N, lg P) for N elements on P ranks.

        Raises ValueError for sizes that the factorization does not take.

        >>> Sizes("a sum", lambda N, P: P <= N, "every rank holds at least one").exponents(8, 2)
        (3, 1)
        """
        for name, value in (("N", N), ("P", P)):
            if value < 1 or value & value - 1:
                raise ValueError(
                    f"{name} = {value} is not a power of two: {self.of} needs N and P to be"
                )
        if not self.fits(N, P):
            raise ValueError(f"P = {P} ranks for N = {N} elements: {self.rule}")
        return N.bit_length() - 1, P.bit_length() - 1
