"""Times of Progs. 1 to 5 for a machine: equations (2) to (7) of Aykanat & Dervis as printed, the
efficiency, the gain of the exchange phase and the overlap as their section 4 defines them.
"""

from __future__ import annotations

from dataclasses import dataclass

from codegen.cost.hypercube_times import PRINTED, Network, equation_2, equation_6_corrected, gain
from derive.formula.permutations import lg
from derive.papers.hypercube import OVERLAPPED

NUMBERS = {"1": "(2)", "2": "(3)", "3": "(4)", "4": "(5)", "5": "(7)", "5r": "(7)"}
"""The equation of each scheme."""


@dataclass(frozen=True)
class Predicted:
    """Seconds and efficiency of a scheme; in percent, by how much its exchange phase is shorter
    than that of Prog. 3, and how much of the communication of Prog. 3 it hides; whether a
    message hides in full, by (6) with alpha, which it is printed without (erratum hypercube-6).
    """

    ranks: int
    seconds: float
    efficiency: float
    gain: float | None
    overlap: float | None
    complete: bool | None


def seconds(scheme: str, N: int, P: int, net: Network) -> float:
    """Return the time of a scheme by its equation, which on one rank is (2).

    >>> seconds("5", 64, 4, Network(1, 100, 10, 1)), seconds("1", 64, 1, Network(1, 100, 10, 1))
    (808.0, 1920.0)
    """
    return float(equation_2(N, net) if P == 1 else PRINTED[scheme](N, P, net))


def predict(scheme: str, N: int, P: int, net: Network) -> Predicted:
    """Return what (2) to (7) say of a scheme; N and P are sizes that it takes.

    >>> found = predict("5", 64, 4, Network(1, 100, 10, 1))
    >>> round(found.efficiency, 3), round(found.gain, 1), round(found.overlap, 1), found.complete
    (0.594, 9.0, 12.8, False)
    """
    taken = seconds(scheme, N, P, net)
    efficiency = float(equation_2(N, net)) / (P * taken)
    shorter = None if P == 1 else gain(scheme, N, P, net, time=seconds)
    if P == 1 or scheme not in OVERLAPPED:
        return Predicted(P, taken, efficiency, shorter, None, None)
    hidden, complete = overlap(scheme, N, P, net), equation_6_corrected(N, P, net)
    return Predicted(P, taken, efficiency, shorter, hidden, complete)


def overlap(scheme: str, N: int, P: int, net: Network) -> float:
    """Return the percentage of the communication of Prog. 3 that a scheme hides, as Fig. 5 has it:
    Prog. 3 without its messages takes 5 N/P t_calc lg N.

    >>> overlap("3", 64, 4, Network(1, 100, 10, 1))
    0.0
    """
    plain = seconds("3", N, P, net)
    silent = 5 * (N // P) * net.t_calc * lg(N)
    return float(100 * (plain - seconds(scheme, N, P, net)) / (plain - silent))
