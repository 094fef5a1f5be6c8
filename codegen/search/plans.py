"""Plans: the radices of an FFT in the order of their transforms, and between which of them data
moves.

    plan  = Plan(n, p, (phase, phase, ..))       N = 2^n, P = 2^p
    phase = Phase((digit, digit, ..), group)     radices 2^digit, groups of 2^group ranks

In a phase the elements are cyclic in groups of 2^group ranks (Γ of the BSP paper), so that its
transform is local; it is done in its radices. The groups grow from 1 to P, each time by an
exchange.
"""

from __future__ import annotations

from dataclasses import dataclass

from codegen.cost import local_passes
from codegen.search.prices import Figures


@dataclass(frozen=True)
class Phase:
    """Local transforms of 2^(digits together) points, cyclic in groups of 2^group ranks."""

    digits: tuple[int, ...]
    group: int

    @property
    def bits(self) -> int:
        """lg of the points of one transform."""
        return sum(self.digits)

    def __str__(self) -> str:
        return " · ".join(f"2^{digit}" for digit in self.digits)


@dataclass(frozen=True)
class Plan:
    """The phases of F_2^n on 2^p ranks, in the order in which they are done; after them a last F_2
    between two ranks, if it is `across`, which leaves the results in blocks.

    >>> print(Plan(30, 10, (Phase((8, 12), 0), Phase((10,), 10))))
    2^8 · 2^12 | 2^10
    """

    n: int
    p: int
    phases: tuple[Phase, ...]
    across: bool = False

    @property
    def leaves(self) -> int:
        """The number of radices."""
        return sum(len(phase.digits) for phase in self.phases) + self.across

    @property
    def order(self) -> tuple[tuple[int, ...], ...]:
        """The order of equally cheap plans: the first phases are to be large."""
        return tuple((-phase.bits, phase.group, *phase.digits) for phase in self.phases)

    def __str__(self) -> str:
        return " | ".join([*map(str, self.phases), *["2 between the ranks"] * self.across])


def of_digits(digits: tuple[int, ...], m: int, kernels: str) -> Figures:
    """Return the figures of local transforms in these radices, of 2^m elements a rank.

    >>> of_digits((4, 4), 8, "numpy")
    Figures(exchanges=0, messages=0, words=0, passes=3, flops=11776)
    """
    found = of_twiddles(m, kernels, len(digits) - 1)
    for digit in digits:
        flops = 5 * digit << m
        found = found.plus(
            Figures(passes=local_passes.of_transform(1 << digit, kernels), flops=flops)
        )
    return found


def of_twiddles(m: int, kernels: str, diagonals: int = 1) -> Figures:
    """Return the figures of diagonals of twiddles."""
    return Figures(passes=local_passes.of_twiddles(kernels) * diagonals, flops=(6 << m) * diagonals)


def of_exchange(before: int, after: int, m: int, p: int) -> Figures:
    """Return the figures of an exchange from groups of 2^before ranks to groups of 2^after.

    A rank keeps a message for itself where the groups have all 2^p ranks then; else some ranks keep
    none, as the groups are numbered by other bits of the index.

    >>> of_exchange(0, 2, 8, 2), of_exchange(0, 2, 8, 3).messages
    (Figures(exchanges=1, messages=3, words=192, passes=0, flops=0), 4)
    """
    others = (1 << after - before) - (after == p)
    return Figures(1, others, others << (m - (after - before)))


def of_across(m: int) -> Figures:
    """Return the figures of F_2 between two ranks, with its twiddles: they send all that they have.

    >>> of_across(8)
    Figures(exchanges=1, messages=1, words=256, passes=1, flops=2048)
    """
    return Figures(1, 1, 1 << m, 1, 8 << m)


def sequences(n: int, p: int) -> int:
    """Return the number of plans: phases that multiply to 2^n, each in the radices of its local
    transform, with growing groups of ranks.

    >>> sequences(2, 1), sequences(4, 1), sequences(6, 3)
    (1, 12, 136)
    """
    m = n - p
    found = {(0, 0): 1}
    whole = 0
    for K in range(n):
        for q in range(p + 1):
            ways = found.get((K, q), 0)
            for after in range(K + 1, min(n, m + q) + 1) if ways else ():
                inner = ways << (after - K - 1)
                whole += inner * (after == n)
                for more in range(q + 1, min(p, after) + 1):
                    found[after, more] = found.get((after, more), 0) + inner
    return whole
