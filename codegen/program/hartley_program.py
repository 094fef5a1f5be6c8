"""The choice of a Hartley transform, and its supersteps in their order. Between layouts they stand in
a program with moves.

    hartley program = move, transform, Unpaired, move      from an affine input; Unpaired and the last move to an affine output
                    | transform back, move                 from the Hartley layout, the same messages in the opposite order
    transform       = ListStage(1), ListStage(2), ..., ListStage(lg P + 1), Rest       "hypercube", Lin, Chan & Karplus 1988
                    | HalfSpectra, move, AcrossRanks                                   "group-cyclic", with one all-to-all
                    | Rest                                                             on one rank

The transform goes from the input layout of its algorithm to the Hartley layout: `hypercube` from
`hartley-input`, `group-cyclic` from `cyclic`. Unpaired goes from the Hartley to the cyclic layout.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from codegen.program.hartley_steps import ListStage, Rest
from codegen.program.protocol import Step
from derive.call_arguments import unknown
from derive.formula.affine_layouts import Layout, cyclic
from derive.formula.permutations import lg
from derive.formula.placement import Placement
from derive.papers.hartley import SIZES
from derive.papers.hartley_group import GROUP_SIZES
from derive.papers.hartley_layouts import HartleyLayout, input_layout
from derive.papers.hartley_lists import exchange

ALGORITHMS = ("hypercube", "group-cyclic")
RESULTS = ("hartley", "dft", "power")
"""What is made of the Hartley transform H, with no message more: nothing, the half spectrum X of
the real input, or |X|^2.
"""


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
    def reverses(self) -> bool:
        """Whether elements come to bit-reversed places, or from there, outside of the transform."""
        return self.algorithm == "hypercube" and self.P > 1

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


def growth(steps: Iterable[Step], N: int) -> int:
    """Return a bound of the absolute row sums of H_N and of what these steps compute, together,
    times 2^h where that makes the entries integers; 0 without a step of the Hartley transform.

    >>> growth(Hartley(8, 2).by_stages, 8)
    688
    """
    steps = [*steps]
    halvings = sum(step.halvings for step in steps)
    return (2 * N + prod(step.row_sum for step in steps)) << halvings + 1 if halvings else 0
