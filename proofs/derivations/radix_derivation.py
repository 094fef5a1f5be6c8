"""The derivation of a transform of any size, or of several axes, in radices: for all radices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

Step = tuple[str, str, dict[str, str]]
"""A rule, a place, and what letters of the rule stand for."""


@dataclass(frozen=True)
class InRadices:
    """F of each axis, side by side, by Cooley & Tukey's equation in radices, the first to be done
    first. The letters r_1, r_2, .. stand for the radices, on each axis from the last to the first.

    >>> found = InRadices(((50, 2), (3,)))
    >>> found.start, found.values
    ('F(r_1*r_2) (x) F(r_3)', {'r_1': 2, 'r_2': 50, 'r_3': 3})
    >>> list(found.steps())
    [('cooley-tukey', '1', {'r': 'r_1'})]
    """

    axes: tuple[tuple[int, ...], ...]

    @property
    def _letters(self) -> list[dict[str, int]]:
        """The letters of each axis with their values."""
        number = count(1)
        return [
            {f"r_{next(number)}": radix for radix in reversed(radices or (1,))}
            for radices in self.axes
        ]

    @property
    def values(self) -> dict[str, int]:
        """The values of the letters."""
        return {name: radix for letters in self._letters for name, radix in letters.items()}

    @property
    def start(self) -> str:
        """The formula at the beginning."""
        return " (x) ".join(f"F({'*'.join(letters)})" for letters in self._letters)

    def steps(self) -> Iterator[Step]:
        """Yield the steps: on each axis the last radix is taken off first."""
        for axis, letters in enumerate(self._letters, 1):
            place = [f"{axis}"] if len(self.axes) > 1 else []
            for name in [*letters][:-1]:
                yield "cooley-tukey", ".".join(place), {"r": name}
                place += ["3", "2"]
