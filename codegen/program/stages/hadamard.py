"""Walsh-Hadamard transforms of a rank's elements: sums and differences alone.

    step     = Hadamard(copies, d, c)

A storage address z = s M + o has the rank s above the offset o.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from codegen.program.protocol import Step, Words, Works, written
from derive.exact.action import act
from derive.exact.rings import Elements, Ring
from derive.formula.grammar import Formula, I, kron
from derive.formula.permutations import lg
from derive.formula.transforms import F


def hadamard(bits: int) -> Formula:
    """Return F_2 ⊗ .. ⊗ F_2 of so many bits.

    >>> print(hadamard(3))
    (F_2 ⊗ F_2 ⊗ F_2)
    """
    return kron(*[F(2)] * bits) if bits else I(1)


RUN, ROWS = 2**13, 2**7
"""Up to so many elements side by side, and so many rows, are transformed in one pass: they fit a
cache.
"""


@dataclass(frozen=True)
class Hadamard(Step):
    """I_copies ⊗ F_2 ⊗ .. ⊗ F_2 ⊗ I_c on every rank's M = copies d c elements, which are real, or
    have two `parts`.
    """

    copies: int
    d: int
    c: int
    parts: int = 1
    factors: tuple[Formula, ...] = field(default=(), compare=False)

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return self.copies * self.d * self.c

    def rounds(self) -> Iterator[tuple[int, int, int]]:
        """Yield the copies, rows and columns of each pass.

        >>> [*Hadamard(1, 2**15, 1).rounds()], [*Hadamard(1, 2**14, 64).rounds()]
        ([(4, 8192, 1), (1, 4, 8192)], [(128, 128, 64), (1, 128, 8192)])
        """
        left, c = self.d, self.c
        while left > 1:
            d = min(left, max(RUN // c, ROWS))
            yield self.M // (d * c), d, c
            left, c = left // d, c * d

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        copies = len(x) // (self.d * self.c)
        return act(kron(I(copies), hadamard(lg(self.d)), I(self.c)), x, ring)

    def flops(self, rank: int = 0) -> int:
        """Return M lg d sums and differences, of each part."""
        return self.parts * self.M * lg(self.d)

    def passes(self, kernels: str) -> int:
        return len([*self.rounds()])

    @property
    def row_sum(self) -> int:
        return self.d

    @property
    def in_words(self) -> Words:
        return (Works(written(self.factors)),)

    def together(self, o: Any) -> Any:
        return o // (self.d * self.c) * self.c + o % self.c
