"""The supersteps of the Hartley transform: what they compute, send and cost.

    step = ListStage(N, P, s, back, ahead) | Rest(N, P, back) | HalfSpectra(N, P) | AcrossRanks(N, P) | Unpaired(N, P)

hartley_program.py says in which order they stand. Where `ahead`, a list that travels alone is computed before the one
that stays (stages/overlaps.py); what is computed and sent is the same.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from codegen.program.protocol import Exchanges, Sent, Step, Words, Works
from derive.exact.rings import Elements, Ring
from derive.formula.adjoints import transposed
from derive.formula.affine_layouts import cyclic
from derive.formula.grammar import Formula
from derive.formula.permutation_matrices import R
from derive.formula.permutations import lg
from derive.formula.transforms import LH
from derive.papers.hartley_group import entries_by_rank, pairs_of_entries
from derive.papers.hartley_layouts import cyclic_partner
from derive.papers.hartley_lists import Arithmetic, by_fourier_back, by_stages, exchange
from derive.papers.hartley_ranks import (
    first_stage,
    first_stage_back,
    partner_stage,
    partner_stage_back,
)


def stages(N: int, first: int, last: int, back: bool) -> tuple[Formula, ...]:
    """Return these stages as factors of H_N, or of its transpose, the last done first.

    >>> print(*stages(8, 1, 2, False), *stages(8, 3, 3, True))
    LH_{2,8} LH_{1,8} transpose(BH_8)
    """
    found = [LH(s, N) for s in range(first, last + 1)]
    return tuple(map(transposed, found)) if back else tuple(found[::-1])


class OfLists(Step):
    """A step on the two lists of every rank."""

    in_lists: ClassVar[bool] = True


@dataclass(frozen=True)
class ListStage(OfLists):
    """Stage L_s on the two lists of every rank, 1 <= s <= lg P + 1: from L_2 on after an exchange
    with the neighbour in the Hartley graph. Where `back`, times two.
    """

    N: int
    P: int
    s: int
    back: bool = False
    ahead: bool = False

    halvings: ClassVar[int] = 1

    @property
    def factors(self) -> tuple[Formula, ...]:
        return stages(self.N, self.s, self.s, self.back)

    @property
    def row_sum(self) -> int:
        return 4 if self.back else 3

    @property
    def exchanges(self) -> bool:
        return self.s > 1

    def sent(self, ranks: Any) -> Sent:
        """Return what these ranks send: one list or both.

        >>> ListStage(64, 4, 3).sent(np.arange(4)).words.tolist()
        [8, 16, 8, 16]
        """
        if self.s == 1:
            return super().sent(ranks)
        both = ranks % (1 << self.s - 2) != 0
        return Sent(np.ones_like(ranks), self.N // (2 * self.P) * (1 + both))

    def targets(self, ranks: Any) -> tuple[Any, Any]:
        if self.s == 1:
            return super().targets(ranks)
        partners = [exchange(rank, self.s).partner for rank in ranks.ravel().tolist()]
        return np.reshape(partners, (-1, 1)), self.sent(ranks).words

    @property
    def in_words(self) -> Words:
        lists = "a list" if self.s == 2 else "one or both lists"
        works = Works(f"L_{self.s}")
        return (Exchanges(f"{lists}, before L_{self.s}"), works) if self.s > 1 else (works,)

    def flops(self, rank: int = 0) -> int:
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
            found = through(own, self.s, numbers)
        elif self.back:
            found = first_stage_back(own, numbers)
        else:
            found = first_stage(own, numbers)
        return np.stack(found).reshape(x.shape)


@dataclass(frozen=True)
class Rest(OfLists):
    """The stages beyond lg P + 1 as one local transform of every rank, and all stages on one rank;
    where `back`, times a power of two.
    """

    N: int
    P: int
    back: bool = False

    @property
    def factors(self) -> tuple[Formula, ...]:
        if self.P > 1:
            return stages(self.N, lg(self.P) + 2, lg(self.N), self.back)
        every = stages(self.N, 1, lg(self.N), self.back)
        return (R(self.N), *every) if self.back else (*every, R(self.N))

    @property
    def row_sum(self) -> int:
        return 16 * self.N if self.back else 3 ** (lg(self.N) - (lg(self.P) + 1) * (self.P > 1))

    @property
    def halvings(self) -> int:
        return 2 if self.back else lg(self.N) - (lg(self.P) + 1) * (self.P > 1)

    def flops(self, rank: int = 0) -> int:
        """Return the flops of a rank; a Fourier transform of n complex numbers counts 5 n lg n, of
        n real ones half of it.
        """
        M, G = self.N // self.P, self.N // (2 * self.P)
        return 5 * G * lg(M) + 2 * M if rank == 0 else 6 * G + 5 * G * lg(G)

    in_words: ClassVar[Words] = (Works("the remaining stages"),)

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
class HalfSpectra(OfLists):
    """H_M of every rank's elements, with twiddles of order N: entries t and -t side by side, M/P
    for every rank in turn.
    """

    N: int
    P: int

    halvings: ClassVar[int] = 1

    @property
    def row_sum(self) -> int:
        return 4 * self.N

    def flops(self, rank: int = 0) -> int:
        G = self.N // (2 * self.P)
        return 5 * G * lg(self.N // self.P) + 6 * G

    in_words: ClassVar[Words] = (Works("H_M on every rank"),)

    def interpret(self, x: Elements, numbers: Arithmetic) -> Elements:
        """Return the entries of every rank, in the order of those that need them."""
        parts = x.reshape(self.P, -1, *x.shape[1:])
        found = [entries_by_rank(part, s, self.P, numbers) for s, part in enumerate(parts)]
        return np.stack(found).reshape(x.shape)


@dataclass(frozen=True)
class AcrossRanks(OfLists):
    """The sum over all ranks s of the entries t that came from them, for H[t + M l] and H[-t - M l]
    by angles 2 pi s l/P.
    """

    N: int
    P: int

    row_sum: ClassVar[int] = 4

    halvings: ClassVar[int] = 1

    def flops(self, rank: int = 0) -> int:
        G = self.N // (2 * self.P)
        return 5 * G * lg(self.P) + 2 * G

    in_words: ClassVar[Words] = (Works("sums over the ranks"),)

    def interpret(self, x: Elements, numbers: Arithmetic) -> Elements:
        """Return every rank's part in the Hartley layout."""
        got = x.reshape(self.P, self.P, -1, *x.shape[1:])
        found = [pairs_of_entries(part, rank, numbers) for rank, part in enumerate(got)]
        return np.stack(found).reshape(x.shape)


@dataclass(frozen=True)
class Unpaired(OfLists):
    """From the Hartley to the cyclic layout: the second element of every pair goes to the rank of
    its index mod P.
    """

    N: int
    P: int

    @property
    def exchanges(self) -> bool:
        return self.P > 2

    def sent(self, ranks: Any) -> Sent:
        """Return what these ranks send: one message each but for ranks 0 and P/2.

        >>> Unpaired(64, 4).sent(np.arange(4)).words.tolist()
        [0, 8, 0, 8]
        """
        messages = (ranks != cyclic_partner(ranks, self.P)) * 1
        return Sent(messages, messages * (self.N // (2 * self.P)))

    def targets(self, ranks: Any) -> tuple[Any, Any]:
        return cyclic_partner(ranks, self.P), self.sent(ranks).words

    in_words: ClassVar[Words] = (Exchanges("second elements of pairs"),)

    def interpret(self, y: Elements, ring: Ring | None = None) -> Elements:
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
