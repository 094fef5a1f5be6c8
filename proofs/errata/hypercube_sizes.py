"""C. Aykanat, A. Dervis: the sizes at which programs and overlap are possible."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

from codegen.cost.hypercube import PRINTED, Network, equation_4, equation_6
from proofs.errata.entry import PAPER, Erratum, both

ALPHA = Fraction(13, 10)
"""The least α of the paper."""
LARGEST = 2**20
"""Up to this N/P a complete overlap is looked for."""
OVERLAPS = Fraction(23, 100), Fraction(54, 100)
"""The most that Progs. 4 and 5 hide of their messages, section 4."""
BETTER = {("3", "2"): 0, ("4", "3"): 8 * 1024, ("5", "3"): 32, ("5", "4"): 32}
"""From which N/P on the first program is better than the second, Figs. 4 and 6 in section 4."""


def halves_of_ranks(N: int, P: int) -> str | None:
    """Return whether a rank has no two halves of whole points, which Progs. 3 to 5 exchange."""
    M = N // P
    return f"M = {M}: the first half is X(0), ..., X(M/2 - 1), M/2 = {M}/2" if M % 2 else None


def sizes() -> Iterator[tuple[int, int]]:
    """Yield N and P ≤ N, powers of two."""
    return ((1 << n, 1 << p) for n in range(7) for p in range(n + 1))


def least(ratio: int, setup: int) -> int | None:
    """Return the least N/P, a power of two up to LARGEST, with N/P ≥ t_su + α (N/2P) t_tr for
    t_calc = 1, t_tr = ratio/10, t_su = setup.
    """
    found = (2 << i for i in range(LARGEST.bit_length() - 1))
    return next((M for M in found if setup + ALPHA * M * ratio / 20 <= M), None)


def sufficient(ratio: int, setup: int, printed: bool) -> str | None:
    """Return whether no N/P suffices; corrected: whether one does just where α t_tr < 2 t_calc."""
    possible = printed or ALPHA * ratio / 10 < 2
    found = least(ratio, setup)
    if (found is not None) == possible:
        return None
    return f"no N/P up to {LARGEST}" if found is None else f"N/P = {found}"


def fitted(ratio: int) -> tuple[Fraction, Fraction]:
    """Return c and the overhead of the second for-loop, in t_calc a point, with which Progs. 4 and
    5 hide OVERLAPS at large N/P, where t_su does not count.

    A message takes x = α t_tr/2 a point and its copy c = t_copy/2; t_tr = ratio/10. They hide
    min(1, x) and min(1, x) + c of x + c, less the loop.

    >>> [str(time) for time in fitted(10)]
    ['403/1380', '13/30']
    """
    x, apart = ALPHA * ratio / 20, OVERLAPS[1] - OVERLAPS[0]
    c = apart / (1 - apart) * x
    return c, min(Fraction(1), x) - OVERLAPS[0] * (x + c)


def hidden(scheme: str, M: int, ratio: int, setup: int, start: int) -> Fraction:
    """Return by how much a stage of Prog. 4 or 5 is shorter than one of Prog. 3, (4) less (5) or
    (7), with the loop of `fitted` and `start` more, whatever N/P is.
    """
    c, loop = fitted(ratio)
    net = Network(1, setup, Fraction(ratio, 10), 2 * c, ALPHA)
    return Fraction(equation_4(2 * M, 2, net) - PRINTED[scheme](2 * M, 2, net)) - loop * M - start


def too_little(M: int, ratio: int, setup: int, start: int) -> str | None:
    """Return whether Prog. 4 hides 0 or more of its message where (6) does not hold."""
    found = hidden("4", M, ratio, setup, start)
    complete = equation_6(2 * M, 2, Network(1, setup, Fraction(ratio, 10), 0))
    return None if complete or found < 0 else f"{float(found):.2f} t_calc are hidden"


def fixed_part(M: int, ratio: int, setup: int, start: int) -> str | None:
    """Return whether Prog. 4 or 5 does not hide less than nothing exactly where `start` is above
    what it hides without: never for start = 0, and with start only up to some N/P.
    """
    x, (c, loop) = ALPHA * ratio / 20, fitted(ratio)
    for scheme, copy in (("4", Fraction(0)), ("5", c)):
        shorter = min((1 + copy - loop) * M, (x + copy - loop) * M + setup)
        found = hidden(scheme, M, ratio, setup, start)
        if (found < 0) != (shorter < start):
            return f"Prog. {scheme} hides {float(found):.2f} t_calc"
        if found <= 0 == start:
            return f"Prog. {scheme} hides {float(found):.2f} t_calc with start = 0"
    return None


def better(one: str, other: str, M: int) -> bool:
    """Return whether section 4 has program `one` better than `other` for N/P = M.

    >>> better("4", "3", 4096), better("3", "4", 4096)
    (False, True)
    """
    return M >= BETTER[one, other] if one > other else M < BETTER[other, one]


def increases(M: int) -> str | None:
    """Return two programs of which the one with the larger index is not better."""
    return next(
        (
            f"Prog. {one} is not better than Prog. {other}, in section 4 it is for N/P ≥ {least}"
            for (one, other), least in BETTER.items()
            if not better(one, other, M)
        ),
        None,
    )


def ordered(M: int) -> str | None:
    """Return whether Progs. 3, 4 and 5 are not in the order of the correction, best first."""
    order = "543" if M >= 8192 else "534" if M >= 32 else "345"
    wrong = next(((a, b) for a, b in combinations(order, 2) if not better(a, b, M)), None)
    return f"Prog. {wrong[0]} is not better than Prog. {wrong[1]}" if wrong else None


SIZES = (
    Erratum(
        "hypercube-program-index",
        "section 3.2.2, on Table 1",
        "the parallel performance is expected to increase with increasing program index, as is also"
        " verified experimentally in section 4",
        "by section 4 for N/P ≥ 8K; for 32 ≤ N/P < 8K Prog. 4 is no better than Prog. 3, and for"
        " N/P < 32 neither is Prog. 5, nor is it better than Prog. 4",
        PAPER,
        "N/P",
        lambda: [(1 << m,) for m in range(3, 16)],
        increases,
        ordered,
    ),
    Erratum(
        "hypercube-fewer-points",
        "section 3, N ≥ P, for Progs. 3, 4 and 5",
        "the distribution is straightforward whenever N ≥ P; Progs. 3 to 5 keep it",
        "N ≥ 2P: with one point on a processor there are no halves to exchange",
        PAPER,
        "N P",
        sizes,
        halves_of_ranks,
        lambda N, P: halves_of_ranks(N, P) if N >= 2 * P else None,
    ),
    Erratum(
        "hypercube-6-sufficiently-large",
        "(6), sufficiently large N/P",
        "complete overlap can be achieved for sufficiently large N/P, whatever the machine",
        "where 2 t_calc > α t_tr: then for N/P ≥ t_su/(t_calc - α t_tr/2)",
        PAPER,
        "10·t_tr/t_calc t_su/t_calc",
        lambda: [(ratio, setup) for ratio in range(1, 31) for setup in (1, 10, 100)],
        *both(sufficient, True, False),
    ),
    Erratum(
        "hypercube-negative-overlap",
        "section 4, negative percent overlap",
        "for-loop overhead is also included in these timings; for small data sizes, the amount of"
        " computation is not large enough to achieve complete overlap, see (6); hence, negative"
        " values are obtained for small data sizes",
        "by (4), (5) and (7) too little computation hides little, but more than 0; less a for-loop"
        " in proportion to N/P that leaves the 23 % and 54 % of large N/P it is still above 0;"
        " below 0 it is only with an overhead that does not grow with N/P",
        PAPER,
        "N/P 10·t_tr/t_calc t_su/t_calc start/t_calc",
        lambda: product((1 << m for m in range(1, 8)), (1, 10, 30), (1, 99), (0, 5, 50)),
        too_little,
        fixed_part,
    ),
)
