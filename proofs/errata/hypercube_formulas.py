"""C. Aykanat, A. Dervis: Efficient overlapped FFT algorithms for hypercube-connected
multicomputers.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

from codegen.cost.hypercube_times import Network, differs
from proofs.errata.entry import Evaluation, both

ALPHA = Fraction(13, 10)
"""The least α of the paper."""
LARGEST = 2**20
"""Up to this N/P a complete overlap is looked for."""
BETTER = {("3", "2"): 0, ("4", "3"): 8 * 1024, ("5", "3"): 32, ("5", "4"): 32}
"""From which N/P on the first program is better than the second, Figs. 4 and 6 in section 4."""


def timings() -> Iterator[tuple[int, ...]]:
    """Yield N, P, t_su, t_tr and t_copy."""
    return (
        (1 << n, 1 << d, *times)
        for n in range(2, 6)
        for d in range(n)
        for times in product((0, 4, 64), (1, 6), (0, 2))
    )


def fragmented(N: int, P: int, k: int, printed: bool) -> str | None:
    """Return a butterfly that is not fragmented in the first loop of Prog. 2, k < n - d, or is in
    the second (printed), or the reverse.
    """
    M, first = N // P, k < (N // P).bit_length() - 1
    for p in (p for p in range(N) if not p >> k & 1):
        q = p + (1 << k)
        if (p // M != q // M) != (first == printed):
            return (
                f"stage {k} is of the {'first' if first else 'second'} loop, points {p} and {q} are"
                f" on processors {p // M} and {q // M}"
            )
    return None


def stages_of_ranks() -> Iterator[tuple[int, int, int]]:
    """Yield N, P >= 2 and k."""
    return ((1 << n, 1 << d, k) for n in range(1, 7) for d in range(1, n + 1) for k in range(n))


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


def timing(scheme: str) -> Evaluation:
    """Return the evaluation of the printed time of a program by the rules of the paper."""
    return Evaluation(
        "N P t_su t_tr t_copy",
        timings,
        lambda N, P, *times: differs(scheme, N, P, Network(1, *times)),
        lambda N, P, *times: differs(scheme, N, P, Network(1, *times), corrected=True),
    )


EVALUATIONS: dict[str, Evaluation] = {
    "hypercube-fragmented": Evaluation("N P k", stages_of_ranks, *both(fragmented, True, False)),
    "hypercube-3": timing("2"),
    "hypercube-5": timing("4"),
    "hypercube-program-index": Evaluation(
        "N/P", lambda: [(1 << m,) for m in range(3, 16)], increases, ordered
    ),
    "hypercube-6-sufficiently-large": Evaluation(
        "10·t_tr/t_calc t_su/t_calc",
        lambda: [(ratio, setup) for ratio in range(1, 31) for setup in (1, 10, 100)],
        *both(sufficient, True, False),
    ),
}
