"""The cost of the group-cyclic FFT by the formulas of Inda & Bisseling (2000), (3.1) to (3.9), and
what they predict, section 5.3.

Flops are whole numbers or fractions as g and l are, so that they can be compared exactly.
`codegen.cost.counted` counts the same of a program.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from codegen.cost.counted import Machine
from derive.formula.affine_layouts import cyclic, named
from derive.formula.permutations import lg
from derive.papers.bsp_phases import SIZES, phases

Flops = Any
"""An int, a Fraction or a float."""
LARGEST = 2**62
"""Up to so many elements an efficiency is looked for."""


def equation_3_1(n: int, k0: int) -> int:
    """Return C_BTFLY(n, k0), the flops of Algorithm 3.2: 17/2 n for a pair of stages from k0/2 to
    n, 5 n for a last single one, eq. (3.1).

    >>> equation_3_1(4, 4), equation_3_1(8, 4), equation_3_1(8, 16)
    (34, 108, 40)
    """
    stages = lg(n) - lg(k0) + 2
    return 17 * n // 2 * (stages // 2) + 5 * n * (stages % 2)


def equation_3_2(N: int, P: int) -> Fraction:
    """Return C_FFT,par,comp = 17/4 n lg N + 3/4 n [(lg n mod 2) (lg N div lg n) + (lg N mod lg n)
    mod 2], n = N/P, eq. (3.2).

    >>> equation_3_2(1024, 32), equation_3_2(1024, 4)
    (Fraction(1408, 1), Fraction(10880, 1))
    """
    n, m = N // P, lg(N // P)
    return Fraction(17, 4) * n * lg(N) + Fraction(3, 4) * n * (m % 2 * (lg(N) // m) + lg(N) % m % 2)


def communication(h: Flops, g: Flops, l: Flops, synchronizations: int = 1) -> Flops:
    """Return h g + l or h g + 2 l, the flops of a communication superstep with one or two global
    synchronizations (section 1.2).

    >>> communication(10, 2, 100), communication(10, 2, 100, 2)
    (120, 220)
    """
    return h * g + synchronizations * l


def equation_3_8(N: int, P: int, g: Flops, l: Flops) -> Flops:
    """Return C_permut = 2 N/P g + l, in real numbers, eq. (3.8): an upper bound, as what stays on a
    rank is not sent.
    """
    return communication(2 * (N // P), g, l)


def equation_3_9(N: int, P: int, g: Flops, l: Flops, permutations: int | None = None) -> Flops:
    """Return C_FFT,par = 17/4 N/P lg N + (2 N/P g + l) (H + 1), eq. (3.9), or with another number
    of permutations than H + 1.

    >>> float(equation_3_9(512, 1, Fraction("0.28"), 3) / Fraction("34900"))
    0.577...
    """
    moves = phases(N, P) + 1 if permutations is None else permutations
    return Fraction(17, 4) * (N // P) * lg(N) + moves * equation_3_8(N, P, g, l)


def permutations_of(N: int, P: int, input: str, output: str) -> int:
    """Return how often data is permuted between ranks: H - 1 times, and once for an end whose ranks
    are not the cyclic layout's (section 4.1).

    So on one rank never, where (3.9) has H + 1 = 2. Raises ValueError where N and P have no layout
    of a name.

    >>> permutations_of(1024, 4, "block", "block"), permutations_of(1024, 4, "cyclic", "group-cyclic:1")
    (3, 1)
    """  # noqa: E501
    return phases(N, P) - 1 + sum(not _has_cyclic_ranks(name, N, P) for name in (input, output))


def _has_cyclic_ranks(name: str, N: int, P: int) -> bool:
    ranks = [
        [place // (N // P) for place in (layout.address.c, *layout.address.columns)]
        for layout in (named(name, N, P), cyclic(N, P))
    ]
    return ranks[0] == ranks[1]


@dataclass(frozen=True)
class Prediction:
    """The prediction of (3.9) for N elements on P ranks: seconds, flop/s by (5.1), and the
    absolute efficiency (5.2).
    """

    N: int
    P: int
    seconds: float
    rate: float
    efficiency: float


def sequential_seconds(N: int, machine: Machine) -> float:
    """Return the time of the sequential transform, 17/4 N lg N flops."""
    return 17 * N * lg(N) / (4 * machine.v)


def predict(
    N: int, P: int, machine: Machine, input: str = "block", output: str = "block"
) -> Prediction:
    """Return the prediction for a machine, with its g and l for P ranks.

    A machine states g for an element; the paper's is for a real number, half of it.

    >>> predict(65536, 64, Machine("T3E", 34.9e6, 2 * 3.05, 3861)).seconds
    0.00286...
    """
    SIZES.exponents(N, P)
    at = machine.at(P)
    seconds = float(equation_3_9(N, P, at.g / 2, at.l, permutations_of(N, P, input, output)) / at.v)
    return Prediction(
        N, P, seconds, 5 * N * lg(N) / seconds, sequential_seconds(N, machine) / (P * seconds)
    )


def enough(
    target: float, P: int, machine: Machine, input: str = "block", output: str = "block"
) -> int | None:
    """Return the least N/P for which the predicted efficiency on P ranks is at least `target`, None
    where N would be above 2^62.

    >>> T3E = Machine("T3E", 34.9e6, 2 * 3.05, 3861)
    >>> enough(0.5, 64, T3E), enough(0.8, 64, T3E), enough(0.99, 64, T3E)
    (512, 8192, None)
    """
    local = (2 << i for i in range(62) if 2 * P << i <= LARGEST)
    return next(
        (
            n
            for n in local
            if exist(n * P, P, input, output)
            and predict(n * P, P, machine, input, output).efficiency >= target
        ),
        None,
    )


def exist(N: int, P: int, *layouts: str) -> bool:
    """Return whether N elements on P ranks have layouts of these names.

    >>> exist(64, 8, "group-cyclic:4"), exist(64, 2, "group-cyclic:4")
    (True, False)
    """
    try:
        for name in layouts:
            named(name, N, P)
    except ValueError:
        return False
    return True
