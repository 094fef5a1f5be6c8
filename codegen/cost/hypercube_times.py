"""The time of Progs. 1 to 5 on a hypercube: equations (2) to (7) of Aykanat & Dervis as printed,
and their rules, played step by step.

The rules, from sections 2 and 3: a flop takes t_calc, a complex product six and a complex sum two.
A message begins to arrive t_su after its send is issued, and takes t_tr a word from then on, alpha
t_tr if the neighbour's was issued at the same time. `csend` ends when the message is gone, `isend`
at once. A message that finds no receive pending when it begins to arrive is copied later, t_copy a
word. All of them hold for whole numbers and fractions as well, so that they can be compared
exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from derive.formula.permutations import lg
from derive.papers.hypercube import OVERLAPPED

Seconds = Any
"""A float, an int or a Fraction."""


@dataclass(frozen=True)
class Network:
    """A hypercube: time of a flop, of a message set-up, of a word under way, of a word copied, and
    the slowdown of mutual messages.
    """

    t_calc: Seconds
    t_su: Seconds
    t_tr: Seconds
    t_copy: Seconds
    alpha: Seconds = 1
    name: str = ""


def equation_2(N: int, net: Network) -> Seconds:
    """Return T_P1 = 5N t_calc lg N, eq. (2).

    >>> equation_2(8, Network(1, 100, 10, 1))
    120
    """
    return 5 * N * net.t_calc * lg(N)


def equation_3(N: int, P: int, net: Network) -> Seconds:
    """Return T_P2 = 5M t_calc lg M + 8M t_calc lg P + (t_su + M t_tr) lg P, M = N/P, eq. (3)."""
    M = N // P
    return 5 * M * net.t_calc * lg(M) + (8 * M * net.t_calc + net.t_su + M * net.t_tr) * lg(P)


def equation_3_corrected(N: int, P: int, net: Network) -> Seconds:
    """Return (3) and M t_copy lg P: who multiplies receives late, and the rank whose bits are all 1
    does so before every stage.
    """
    return equation_3(N, P, net) + N // P * net.t_copy * lg(P)


def equation_4(N: int, P: int, net: Network) -> Seconds:
    """Return T_P3 = 5M t_calc lg N + (t_su + alpha M/2 t_tr + M/2 t_copy) lg P, eq. (4)."""
    M = N // P
    return 5 * M * net.t_calc * lg(N) + (_mutual(M, net) + M // 2 * net.t_copy) * lg(P)


def equation_5(N: int, P: int, net: Network) -> Seconds:
    """Return T_P4 = 5M t_calc lg M + 4M t_calc lg P + (max(M t_calc, t_su + alpha M/2 t_tr) + M/2
    t_copy) lg P, eq. (5).
    """
    return equation_7(N, P, net) + N // P // 2 * net.t_copy * lg(P)


def equation_5_corrected(N: int, P: int, net: Network) -> Seconds:
    """Return (5), its copies only where M t_calc > t_su: else the receive is pending when the
    message begins to arrive.
    """
    return equation_5(N, P, net) if N // P * net.t_calc > net.t_su else equation_7(N, P, net)


def equation_6_corrected(N: int, P: int, net: Network) -> bool:
    """Return whether M t_calc >= t_su + alpha M/2 t_tr, as the Max of (5) and (7) has it."""
    M = N // P
    return bool(M * net.t_calc >= _mutual(M, net))


def equation_7(N: int, P: int, net: Network) -> Seconds:
    """Return T_P5 = 5M t_calc lg M + 4M t_calc lg P + max(M t_calc, t_su + alpha M/2 t_tr) lg P,
    eq. (7).
    """
    M = N // P
    return 5 * M * net.t_calc * lg(M) + (
        4 * M * net.t_calc + max(M * net.t_calc, _mutual(M, net))
    ) * lg(P)


def _mutual(M: int, net: Network) -> Seconds:
    return net.t_su + net.alpha * (M // 2) * net.t_tr


PRINTED: dict[str, Callable[[int, int, Network], Seconds]] = {
    "2": equation_3,
    "3": equation_4,
    "4": equation_5,
    "5": equation_7,
    "5r": equation_7,
}
"""The printed time of each scheme."""


def simulate(scheme: str, N: int, P: int, net: Network) -> Seconds:
    """Return when the last of P ranks ends, by the rules, stage after stage; each pair of
    neighbours meets in every stage.

    >>> net = Network(1, 100, 10, 1)
    >>> [simulate(scheme, 64, 4, net) for scheme in ("2", "3", "4", "5")]
    [1128, 856, 808, 808]
    """
    M, d = N // P, lg(P)
    overlaps = scheme in OVERLAPPED
    clock = [5 * M * net.t_calc * (lg(M) - overlaps)] * P
    for l in range(d):
        for low in (R for R in range(P) if not R >> l & 1):
            high = low | 1 << l
            clock[low], clock[high] = PAIRS[scheme](clock[low], clock[high], M, net)
    return max(clock) + (5 * M * net.t_calc if overlaps else 0)


def _pair_2(p: Seconds, q: Seconds, M: int, net: Network) -> tuple[Seconds, Seconds]:
    """Return when the two are done with a stage of Prog. 2: q multiplies first, so p's message is
    there before it asks for it.
    """
    sent_p, sent_q = p, q + 6 * M * net.t_calc
    factor = net.alpha if sent_p == sent_q else 1
    done_p, done_q = (start + net.t_su + factor * M * net.t_tr for start in (sent_p, sent_q))
    got_p, got_q = (
        _received(asks, begins + net.t_su, end, M, net)
        for asks, begins, end in ((done_p, sent_q, done_q), (done_q, sent_p, done_p))
    )
    return got_p + 2 * M * net.t_calc, got_q + 2 * M * net.t_calc


def _pair_3(p: Seconds, q: Seconds, M: int, net: Network) -> tuple[Seconds, Seconds]:
    assert p == q, "the load is balanced"
    done = p + _mutual(M, net)
    end = _received(done, p + net.t_su, done, M // 2, net) + 5 * M * net.t_calc
    return end, end


def _pair_4(p: Seconds, q: Seconds, M: int, net: Network) -> tuple[Seconds, Seconds]:
    assert p == q, "the load is balanced"
    sent = p + 4 * M * net.t_calc
    end = _received(sent + M * net.t_calc, sent + net.t_su, sent + _mutual(M, net), M // 2, net)
    return end, end


def _pair_5(p: Seconds, q: Seconds, M: int, net: Network) -> tuple[Seconds, Seconds]:
    assert p == q, "the load is balanced"
    sent = p + 4 * M * net.t_calc
    end = max(sent + M * net.t_calc, sent + _mutual(M, net))
    return end, end


PAIRS = {"2": _pair_2, "3": _pair_3, "4": _pair_4, "5": _pair_5, "5r": _pair_5}
"""When two neighbours are done with a stage of each scheme."""


def _received(
    asks: Seconds, begins: Seconds, ends: Seconds, words: Seconds, net: Network
) -> Seconds:
    """Return when a receive is through that is issued at `asks`, of a message that begins and ends
    to arrive: late ones are copied.
    """
    return max(asks, ends) + (words * net.t_copy if asks > begins else 0)


CORRECTED: dict[str, Callable[[int, int, Network], Seconds]] = PRINTED | {
    "2": equation_3_corrected,
    "4": equation_5_corrected,
}
"""The time of each scheme by the rules, which is that of the simulation."""


def differs(scheme: str, N: int, P: int, net: Network, corrected: bool = False) -> str | None:
    """Return how the printed time of a scheme differs from the rules, None where it does not: (3)
    and (5) do.

    >>> differs("2", 2, 2, Network(1, 0, 1, 2)), differs("2", 2, 2, Network(1, 0, 1, 2), corrected=True)
    ('11 by the rules, 9 as printed', None)
    >>> differs("4", 4, 2, Network(1, 4, 1, 2)), differs("3", 4, 2, Network(1, 4, 1, 2))
    ('23 by the rules, 25 as printed', None)
    """  # noqa: E501
    ruled, stated = (
        simulate(scheme, N, P, net),
        (CORRECTED if corrected else PRINTED)[scheme](N, P, net),
    )
    return None if ruled == stated else f"{ruled} by the rules, {stated} as printed"


Time = Callable[[str, int, int, Network], Seconds]
"""The time of a scheme for N, P and a network."""


def gain(
    scheme: str, N: int, P: int, net: Network, over: str = "3", time: Time = simulate
) -> float:
    """Return by how many percent the exchange phase of a scheme is shorter than another's, by the
    rules or by other times.

    >>> net = Network(t_calc=0.4e-9, t_su=2e-6, t_tr=1.28e-9, t_copy=1e-9)
    >>> [round(gain(scheme, 2**20, 2, net), 1) for scheme in ("4", "5")]
    [12.7, 28.6]
    """
    local = equation_2(N // P, net)
    return float(100 * (1 - (time(scheme, N, P, net) - local) / (time(over, N, P, net) - local)))


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
