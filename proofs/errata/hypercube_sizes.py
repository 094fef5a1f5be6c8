"""C. Aykanat, A. Dervis: the sizes at which programs and overlap are possible."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from proofs.errata.entry import HYPERCUBE, PAPER, Erratum

ALPHA = Fraction(13, 10)
"""The least α of the paper."""
LARGEST = 2**20
"""Up to this N/P a complete overlap is looked for."""


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
    """Return whether no N/P is sufficient; corrected: whether one is exactly where not α t_tr < 2
    t_calc.
    """
    possible = printed or ALPHA * ratio / 10 < 2
    found = least(ratio, setup)
    if (found is not None) == possible:
        return None
    return f"no N/P up to {LARGEST}" if found is None else f"N/P = {found}"


def hidden(M: int, ratio: int, setup: int, printed: bool) -> str | None:
    """Return whether an exchange hides 0 or more of its message, (4) less (5), where (6) does not
    hold; corrected: whether it does not hide the shorter of message and computation.

    Times are in t_calc: t_tr = ratio/10, t_su = setup; t_copy is the same in (4) and (5).
    """
    message, computation = setup + ALPHA * M * ratio / 20, Fraction(M)
    found = (5 * M + message) - (4 * M + max(computation, message))
    if not printed:
        return None if found == min(message, computation) > 0 else f"{found} t_calc"
    incomplete = computation < message
    return f"{found} t_calc of {message} are hidden" if incomplete and found >= 0 else None


SIZES = (
    Erratum(
        "hypercube-fewer-points",
        HYPERCUBE,
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
        HYPERCUBE,
        "(6), sufficiently large N/P",
        "complete overlap can be achieved for sufficiently large N/P, whatever the machine",
        "where 2 t_calc > α t_tr: then for N/P ≥ t_su/(t_calc - α t_tr/2)",
        PAPER,
        "10·t_tr/t_calc t_su/t_calc",
        lambda: [(ratio, setup) for ratio in range(1, 31) for setup in (1, 10, 100)],
        lambda ratio, setup: sufficient(ratio, setup, True),
        lambda ratio, setup: sufficient(ratio, setup, False),
    ),
    Erratum(
        "hypercube-negative-overlap",
        HYPERCUBE,
        "section 4, negative percent overlap",
        "negative values for small data sizes follow from too little computation, see (6)",
        "by (4), (5) and (7) the shorter of message and computation is hidden, which is above 0;"
        " negative values are of the for-loop that Progs. 4 and 5 have more",
        PAPER,
        "N/P 10·t_tr/t_calc t_su/t_calc",
        lambda: [
            (1 << m, ratio, setup) for m in range(1, 8) for ratio in (1, 10) for setup in (1, 99)
        ],
        lambda M, ratio, setup: hidden(M, ratio, setup, True),
        lambda M, ratio, setup: hidden(M, ratio, setup, False),
    ),
)
