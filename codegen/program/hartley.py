"""The supersteps of the Hartley transform: what they compute, send and cost. Between layouts they
stand in a program with moves.

    hartley program = move, Hartley(algorithm), Unpaired, move        from an affine input; Unpaired and the last move to an affine output
                    | Hartley("hypercube", back), move                from the Hartley layout, the same messages in the opposite order

Where `ahead`, lists that travel alone are computed before those that stay (overlap.py); what is
computed and sent is the same.

Hartley goes from the input layout of its algorithm to the Hartley layout: `hypercube` with the
exchanges of Lin, Chan & Karplus 1988 from `hartley-input`, `group-cyclic` with one all-to-all from
`cyclic`. Unpaired goes from the Hartley to the cyclic layout.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.exact.rings import Elements, Ring
from derive.formula.layout import Layout, cyclic
from derive.formula.permutations import lg
from derive.papers.hartley import SIZES
from derive.papers.hartley_group import GROUP_SIZES, group_cyclic
from derive.papers.hartley_layouts import cyclic_partner, input_layout
from derive.papers.hartley_lists import exchange
from derive.papers.hartley_ranks import backward, backward_ahead, forward, forward_ahead, words

ALGORITHMS = ("hypercube", "group-cyclic")
RESULTS = ("hartley", "dft", "power")
"""What is made of the Hartley transform H, with no message more: nothing, the half spectrum X of
the real input, or |X|^2.
"""


@dataclass(frozen=True)
class Sent:
    """What ranks send to others in a superstep with so many exchanges: messages and words."""

    exchanges: int
    messages: Any
    words: Any


@dataclass(frozen=True)
class Hartley:
    """H_N by all ranks, from the input layout of its algorithm to the Hartley layout, or `back`,
    where H_N is its own inverse but for N.
    """

    N: int
    P: int
    algorithm: str = "hypercube"
    back: bool = False
    ahead: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown algorithm, and for sizes that it does not take."""
        if self.algorithm not in ALGORITHMS:
            raise ValueError(
                f"unknown algorithm {self.algorithm!r}: choose from {', '.join(ALGORITHMS)}"
            )
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
        return (input_layout if self.algorithm == "hypercube" else cyclic)(lg(self.N), lg(self.P))

    @property
    def stages(self) -> range:
        """The stages of `hypercube` with an exchange, in order."""
        return range(lg(self.P) + 1, 1, -1) if self.back else range(2, lg(self.P) + 2)

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

    def sent(self, ranks: NDArray[np.int64]) -> Sent:
        """Return what these ranks send.

        >>> Hartley(64, 4).sent(np.arange(4)).words.tolist(), Hartley(64, 4, "group-cyclic").sent(np.arange(4)).words.tolist()
        ([16, 24, 16, 24], [12, 12, 12, 12])
        """  # noqa: E501
        if self.algorithm == "hypercube":
            return Sent(lg(self.P), np.full_like(ranks, lg(self.P)), words(ranks, self.N, self.P))
        messages = np.full_like(ranks, self.P - 1)
        return Sent(1 if self.P > 1 else 0, messages, messages * (self.N // self.P**2))

    def relations(self) -> list[int]:
        """Return the most words that one rank sends, or receives, in each exchange."""
        if self.algorithm == "hypercube":
            return [self.N // (2 * self.P) * (1 + (s > 2)) for s in self.stages]
        return [(self.P - 1) * (self.N // self.P**2)] * (self.P > 1)

    def flops(self) -> int:
        """Return the flops of the rank that has most; a Fourier transform of n complex numbers
        counts 5 n lg n, of n real ones half of it.

        >>> Hartley(1024, 4).flops(), Hartley(1024, 4, "group-cyclic").flops()
        (6784, 7424)
        """
        M, G = self.N // self.P, self.N // (2 * self.P)
        if self.algorithm == "group-cyclic":
            return 5 * G * lg(M) + 6 * G + 5 * G * lg(self.P) + 2 * G
        # odd ranks multiply in the most stages, rank 0 at the end
        return max(_stages(rank, self) + _rest(rank, M) for rank in range(min(2, self.P)))

    @property
    def growth(self) -> int:
        """A bound of the absolute row sums of H_N and of what the ranks compute, together, times
        2^h where that makes the entries integers.

        A stage has row sums up to 3, and one halving; backwards up to 4. Between two rotations a
        local transform has row sums up to 4 N.
        """
        n, p = lg(self.N), lg(self.P)
        if self.algorithm == "group-cyclic":
            return (2 * self.N + 4 * 4 * self.N) << 3
        return (
            (2 * self.N + 4 ** (p + 2) * 4 * self.N) << p + 4
            if self.back
            else (2 * self.N + 3**n) << n + 1
        )

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        """Return what the ranks make of elements at storage addresses, of shape (N, stimuli,
        ...).
        """
        parts = list(x.reshape(self.P, -1, *x.shape[1:]))
        ways = (backward_ahead, forward_ahead) if self.ahead else (backward, _forward)
        transform = (
            group_cyclic if self.algorithm == "group-cyclic" else ways[0 if self.back else 1]
        )
        return np.concatenate(transform(parts, self.N, self.P, ring))  # type: ignore[arg-type]  # a ring that has no cosines raises Collision


def _forward(x: list[Elements], N: int, P: int, ring: Any) -> list[Elements]:
    return forward(x, N, P, ring, "stages")


def _stages(rank: int, step: Hartley) -> int:
    """Return the flops of stages 1 to lg P + 1, of which rank 0 leaves the last to what follows."""
    M = step.N // step.P
    plans = [exchange(rank, s) for s in step.stages]
    first = M if step.P > 1 else 0
    return (
        first + sum(M if plan.half else 4 * M for plan in plans) - (M if rank == 0 and plans else 0)
    )


def _rest(rank: int, M: int) -> int:
    """Return the flops of all other stages as one Fourier transform."""
    G = M // 2
    return 5 * G * lg(M) + 2 * M if rank == 0 else 6 * G + 5 * G * lg(G)


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
        n, p = lg(self.N), lg(self.P)
        M = self.N // self.P
        k, hartley, moved = np.arange(M // 2), y.reshape(self.P, M, *y.shape[1:]), np.empty_like(y)
        turned = cyclic(n, p)
        for rank in range(self.P):
            mate = cyclic_partner(rank, self.P)
            odd = 2 * k + 1 if rank == 0 else M - 1 - 2 * k
            for places, source in ((2 * k, hartley[rank, 2 * k]), (odd, hartley[mate, 2 * k + 1])):
                moved[turned.address(turned.index(rank, places))] = source
        return moved
