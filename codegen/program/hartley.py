"""The supersteps of the Hartley transform: what they compute, send and cost. Between layouts they
stand in a program with moves.

    hartley program = move, transform, Unpaired, move      from an affine input; Unpaired and the last move to an affine output
                    | transform back, move                 from the Hartley layout, the same messages in the opposite order
    transform       = ListStage(1), ListStage(2), ..., ListStage(lg P + 1), Rest       "hypercube", Lin, Chan & Karplus 1988
                    | HalfSpectra, move, AcrossRanks                                   "group-cyclic", with one all-to-all
                    | Rest                                                             on one rank

Where `ahead`, a list that travels alone is computed before the one that stays (overlap.py); what is
computed and sent is the same.

The transform goes from the input layout of its algorithm to the Hartley layout: `hypercube` from
`hartley-input`, `group-cyclic` from `cyclic`. Unpaired goes from the Hartley to the cyclic layout.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from derive.arguments import unknown
from derive.exact.rings import Elements
from derive.formula.layout import Layout, cyclic
from derive.formula.permutations import lg
from derive.formula.placement import Placement
from derive.papers.hartley import SIZES
from derive.papers.hartley_group import GROUP_SIZES, entries_by_rank, pairs_of_entries
from derive.papers.hartley_layouts import HartleyLayout, cyclic_partner, input_layout
from derive.papers.hartley_lists import Arithmetic, by_fourier_back, by_stages, exchange
from derive.papers.hartley_ranks import (
    first_stage,
    first_stage_back,
    partner_stage,
    partner_stage_back,
)

ALGORITHMS = ("hypercube", "group-cyclic")
RESULTS = ("hartley", "dft", "power")
"""What is made of the Hartley transform H, with no message more: nothing, the half spectrum X of
the real input, or |X|^2.
"""


@dataclass(frozen=True)
class Sent:
    """The messages and words that ranks send to others in a superstep with so many exchanges."""

    exchanges: int
    messages: Any
    words: Any


@dataclass(frozen=True)
class Hartley:
    """The choice of a transform: H_N by all ranks, from the input layout of its algorithm to the
    Hartley layout, or `back`, where H_N is its own inverse but for N.
    """

    N: int
    P: int
    algorithm: str = "hypercube"
    back: bool = False
    ahead: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown algorithm, and for sizes that it does not take."""
        if self.algorithm not in ALGORITHMS:
            raise unknown("algorithm", self.algorithm, ALGORITHMS, rule="choose from")
        if self.back and self.algorithm != "hypercube":
            raise ValueError(
                f"algorithm {self.algorithm}: from the Hartley layout goes only hypercube"
            )
        if self.ahead and self.algorithm != "hypercube":
            raise ValueError(
                f"overlapped with algorithm {self.algorithm}: what it sends is there at once, when"
                " a local transform ends"
            )
        (SIZES if self.algorithm == "hypercube" else GROUP_SIZES).exponents(self.N, self.P)

    @property
    def own(self) -> Layout:
        """The affine layout at one end."""
        return (input_layout if self.algorithm == "hypercube" else cyclic)(self.N, self.P)

    @property
    def output(self) -> Placement:
        """The layout at the other end."""
        return self.own if self.back else HartleyLayout(self.N, self.P)

    @property
    def stages(self) -> range:
        """The stages of `hypercube` with an exchange, in order."""
        return range(lg(self.P) + 1, 1, -1) if self.back else range(2, lg(self.P) + 2)

    @property
    def by_stages(self) -> tuple[ListStage | Rest, ...]:
        """The supersteps of `hypercube`.

        >>> Hartley(64, 2).by_stages[:2]
        (ListStage(N=64, P=2, s=1, back=False, ahead=False), ListStage(N=64, P=2, s=2, back=False, ahead=False))
        """  # noqa: E501
        rest = Rest(self.N, self.P, self.back)
        if self.P == 1:
            return (rest,)
        stages = [
            ListStage(self.N, self.P, s, self.back, self.ahead) for s in sorted((1, *self.stages))
        ]
        return (rest, *reversed(stages)) if self.back else (*stages, rest)

    def overlapped(self, rank: int) -> tuple[int, ...]:
        """Return the stages whose messages this rank sends before it has computed the list that it
        keeps: those of one list.

        At the other stages it sends both lists, and backwards rank 0 has both when it begins:
        nothing is left to compute.

        >>> [Hartley(64, 8, ahead=True).overlapped(rank) for rank in range(4)]
        [(2, 3, 4), (2,), (2, 3), (2,)]
        """
        if not self.ahead:
            return ()
        return tuple(
            s
            for s in self.stages
            if exchange(rank, s).half and not (self.back and (rank, s) == (0, lg(self.P) + 1))
        )


@dataclass(frozen=True)
class ListStage:
    """Stage L_s on the two lists of every rank, 1 <= s <= lg P + 1: from L_2 on after an exchange
    with the neighbour in the Hartley graph. Where `back`, times two.
    """

    N: int
    P: int
    s: int
    back: bool = False
    ahead: bool = False

    halvings: ClassVar[int] = 1
    """Twos in the denominators: those of a cosine and a sine."""

    @property
    def row_sum(self) -> int:
        """A bound of the absolute row sums."""
        return 4 if self.back else 3

    def sent(self, ranks: NDArray[np.int64]) -> Sent:
        """Return what these ranks send: one list or both.

        >>> ListStage(64, 4, 3).sent(np.arange(4)).words.tolist()
        [8, 16, 8, 16]
        """
        if self.s == 1:
            return Sent(0, 0 * ranks, 0 * ranks)
        both = ranks % (1 << self.s - 2) != 0
        return Sent(1, np.ones_like(ranks), self.N // (2 * self.P) * (1 + both))

    def relations(self) -> list[int]:
        """Return the most words that one rank sends, or receives, in each exchange."""
        return [self.N // (2 * self.P) * (1 + (self.s > 2))] * (self.s > 1)

    def flops(self, rank: int) -> int:
        """Return the flops of a rank; rank 0 leaves the last stage to what follows, and odd ranks
        multiply from L_3 on.
        """
        if rank == 0 and 1 << self.s == 2 * self.P:
            return 0
        M = self.N // self.P
        return M if self.s == 1 or exchange(rank, self.s).half else 4 * M

    def interpret(self, x: Elements, numbers: Arithmetic) -> Elements:
        """Return the lists after the stage, or twice those before it."""
        own = list(x.reshape(self.P, 2, -1, *x.shape[1:]))
        if self.s > 1:
            through = partner_stage_back if self.back else partner_stage
            found = through(own, self.s, numbers, self.ahead)
        elif self.back:
            found = first_stage_back(own, numbers)
        else:
            found = first_stage(own, numbers, self.ahead)
        return np.stack(found).reshape(x.shape)


@dataclass(frozen=True)
class Rest:
    """The stages beyond lg P + 1 as one local transform of every rank, and all stages on one rank;
    where `back`, times a power of two.
    """

    N: int
    P: int
    back: bool = False

    @property
    def row_sum(self) -> int:
        """A bound of the absolute row sums: of a stage up to 3, backwards of two rotations and what
        is between them.
        """
        return 16 * self.N if self.back else 3 ** (lg(self.N) - (lg(self.P) + 1) * (self.P > 1))

    @property
    def halvings(self) -> int:
        """Twos in the denominators."""
        return 2 if self.back else lg(self.N) - (lg(self.P) + 1) * (self.P > 1)

    def flops(self, rank: int) -> int:
        """Return the flops of a rank; a Fourier transform of n complex numbers counts 5 n lg n, of
        n real ones half of it.
        """
        M, G = self.N // self.P, self.N // (2 * self.P)
        return 5 * G * lg(M) + 2 * M if rank == 0 else 6 * G + 5 * G * lg(G)

    def interpret(self, x: Elements, numbers: Arithmetic) -> Elements:
        """Return what the ranks have in the end, or the lists that they begin with."""
        if self.back:
            parts = x.reshape(self.P, -1, *x.shape[1:])
            found = [
                by_fourier_back(R, part, self.N, self.P, numbers) for R, part in enumerate(parts)
            ]
        else:
            own = list(x.reshape(self.P, 2, -1, *x.shape[1:]))
            own = own if self.P > 1 else first_stage(own, numbers)
            found = [by_stages(R, lists, self.N, self.P, numbers) for R, lists in enumerate(own)]
        return np.stack(found).reshape(x.shape)


@dataclass(frozen=True)
class HalfSpectra:
    """H_M of every rank's elements, with twiddles of order N: entries t and -t side by side, M/P
    for every rank in turn.
    """

    N: int
    P: int

    halvings: ClassVar[int] = 1

    @property
    def row_sum(self) -> int:
        """A bound of the absolute row sums."""
        return 4 * self.N

    def flops(self, rank: int) -> int:
        """Return the flops of a rank."""
        G = self.N // (2 * self.P)
        return 5 * G * lg(self.N // self.P) + 6 * G

    def interpret(self, x: Elements, numbers: Arithmetic) -> Elements:
        """Return the entries of every rank, in the order of those that need them."""
        parts = x.reshape(self.P, -1, *x.shape[1:])
        found = [entries_by_rank(part, s, self.P, numbers) for s, part in enumerate(parts)]
        return np.stack(found).reshape(x.shape)


@dataclass(frozen=True)
class AcrossRanks:
    """The sum over all ranks s of the entries t that came from them, for H[t + M l] and H[-t - M l]
    by angles 2 pi s l/P.
    """

    N: int
    P: int

    row_sum: ClassVar[int] = 4  # with that of HalfSpectra
    halvings: ClassVar[int] = 1

    def flops(self, rank: int) -> int:
        """Return the flops of a rank."""
        G = self.N // (2 * self.P)
        return 5 * G * lg(self.P) + 2 * G

    def interpret(self, x: Elements, numbers: Arithmetic) -> Elements:
        """Return every rank's part in the Hartley layout."""
        got = x.reshape(self.P, self.P, -1, *x.shape[1:])
        found = [pairs_of_entries(part, rank, numbers) for rank, part in enumerate(got)]
        return np.stack(found).reshape(x.shape)


@dataclass(frozen=True)
class Unpaired:
    """From the Hartley to the cyclic layout: the second element of every pair goes to the rank of
    its index mod P.
    """

    N: int
    P: int

    def sent(self, ranks: NDArray[np.int64]) -> Sent:
        """Return what these ranks send: one message each but for ranks 0 and P/2.

        >>> Unpaired(64, 4).sent(np.arange(4)).words.tolist()
        [0, 8, 0, 8]
        """
        messages = (ranks != cyclic_partner(ranks, self.P)) * 1
        return Sent(int(self.P > 2), messages, messages * (self.N // (2 * self.P)))

    def relations(self) -> list[int]:
        """Return the most words that one rank sends, or receives, in each exchange."""
        return [self.N // (2 * self.P)] * (self.P > 2)

    def interpret(self, y: Elements) -> Elements:
        """Return the elements at their new storage addresses, each rank's part read where it was
        written by the other.
        """
        M = self.N // self.P
        k, hartley, moved = np.arange(M // 2), y.reshape(self.P, M, *y.shape[1:]), np.empty_like(y)
        turned = cyclic(self.N, self.P)
        for rank in range(self.P):
            mate = cyclic_partner(rank, self.P)
            odd = 2 * k + 1 if rank == 0 else M - 1 - 2 * k
            for places, source in ((2 * k, hartley[rank, 2 * k]), (odd, hartley[mate, 2 * k + 1])):
                moved[turned.address(turned.index(rank, places))] = source
        return moved


Computation = ListStage | Rest | HalfSpectra | AcrossRanks
"""The steps that compute."""
HartleyStep = Computation | Unpaired


def growth(steps: Iterable[Any], N: int) -> int:
    """Return a bound of the absolute row sums of H_N and of what these steps compute, together,
    times 2^h where that makes the entries integers; 0 without a step of the Hartley transform.

    >>> growth(Hartley(8, 2).by_stages, 8)
    688
    """
    computed = [step for step in steps if isinstance(step, Computation)]
    if not computed:
        return 0
    rows = prod(step.row_sum for step in computed)
    return (2 * N + rows) << sum(step.halvings for step in computed) + 1
