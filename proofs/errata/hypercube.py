"""C. Aykanat, A. Dervis: Efficient overlapped FFT algorithms for hypercube-connected
multicomputers.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

from codegen.cost.hypercube import Network, differs
from proofs.errata.entry import (
    COPY,
    EQUATION,
    INTERPRETATION,
    PAPER,
    WORDING,
    Erratum,
    both,
    differ,
)
from proofs.errata.hypercube_programs import PROGRAM_ERRATA

ALPHA = Fraction(13, 10)
"""The least α of the paper."""
LARGEST = 2**20
"""Up to this N/P a complete overlap is looked for."""
BETTER = {("3", "2"): 0, ("4", "3"): 8 * 1024, ("5", "3"): 32, ("5", "4"): 32}
"""From which N/P on the first program is better than the second, Figs. 4 and 6 in section 4."""


def overlap(ratio: int, setup: int, M: int, alpha: bool) -> str | None:
    """Return whether (6), with or without α = 13/10, promises complete overlap where the maximum in
    (5) is the communication.

    t_calc = 1, t_tr = ratio, t_su = setup.
    """
    needed = setup + (Fraction(13, 10) if alpha else 1) * Fraction(M, 2) * ratio
    communication = setup + Fraction(13, 10) * Fraction(M, 2) * ratio
    if needed <= M < communication:
        return f"{M} ≥ {needed}, but the maximum in (5) is {communication}, the communication"
    return None


def timings() -> Iterator[tuple[int, ...]]:
    """Yield N, P, t_su, t_tr and t_copy."""
    return (
        (1 << n, 1 << d, *times)
        for n in range(2, 6)
        for d in range(n)
        for times in product((0, 4, 64), (1, 6), (0, 2))
    )


def halves_of_blocks(n: int, k: int, i: int, exponent: bool) -> str | None:
    """Return whether blocks 2^i (or 2i) and the next of stage k - 1 are no halves of block i of
    stage k.
    """
    first = 2**i if exponent else 2 * i
    points = [*range(first << k, first + 2 << k)]
    block = [*range(i << k + 1, i + 1 << k + 1)]
    return (
        None
        if points == block
        else (
            f"blocks {first} and {first + 1} hold points {points[0]} to {points[-1]}, block {i}"
            f" {block[0]} to {block[-1]}"
        )
    )


def blocks() -> Iterator[tuple[int, int, int]]:
    """Yield n, k and i."""
    return ((n, k, i) for n in range(2, 6) for k in range(1, n) for i in range(1 << n - k - 1))


def block_size(N: int, k: int, printed: bool) -> str | None:
    """Return whether b_k, the number of blocks of Prog. 1 (printed), or its share of N, is not the
    block size: 2 for k = 0, N for k = n - 1.
    """
    size, starts = 2 << k, range(0, N, 2 << k)
    return differ(
        len(starts) if printed else N // len(starts),
        size,
        "b_k = {}, the block size is {}" if printed else "N/b_k = {}, not {}",
    )


def first_and_last() -> Iterator[tuple[int, int]]:
    """Yield N and the first and the last stage."""
    return ((1 << n, k) for n in range(1, 9) for k in dict.fromkeys((0, n - 1)))


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


def granularity(P: int, halves: int) -> str | None:
    """Return whether no larger size follows on 16K <= N/(halves P) <= 32K on P ranks, N <= 64K."""
    largest = (64 * 1024) // (halves * P)
    return (
        None
        if largest > 16 * 1024
        else f"with N ≤ 64K, N/{halves if halves > 1 else ''}P is at most {largest // 1024}K"
    )


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


TIMES = (
    (
        "hypercube-3",
        "(3)",
        (
            r"\left[ t_{su} + \frac{N}{P} t_{tr} \right] \lg_2 P [...] These processors always "
            "issue early synchronous receives thus avoiding the receive overhead."
        ),
        (
            "T_P2 = ... + (t_su + (N/P) t_tr) lg P is the time by the paper's rules, as they "
            "are simulated"
        ),
        (
            "(N/P) t_copy lg P more: a processor that multiplies receives late and copies, and one"
            " of them does so before every stage"
        ),
        "2",
    ),
    (
        "hypercube-5",
        "(5)",
        (
            r"\left[ Max \left\{ \frac{N}{P} t_{calc}, (t_{su} + \alpha \frac{N}{2P} t_{tr}) "
            r"\right\} + \frac{N}{2P} t_{copy} \right] \lg_2 P"
        ),
        (
            "T_P4 = ... + (Max{(N/P) t_calc, t_su + α (N/2P) t_tr} + (N/2P) t_copy) lg P is the "
            "time by the paper's rules, as they are simulated"
        ),
        (
            "(N/2P) t_copy only where (N/P) t_calc > t_su: else the receive is pending when the"
            " message begins to arrive; this is about the model, by the paper's rules as they are"
            " simulated"
        ),
        "4",
    ),
)
"""Times that contradict the paper's rules, as codegen/cost/hypercube.py has them; t_calc = 1."""
ERRATA = (
    *PROGRAM_ERRATA,
    Erratum(
        "hypercube-blocks",
        EQUATION,
        "section 2, blocks of stage k",
        "Two consecutive blocks $B_{k-1}^{2^i}$ and $B_{k-1}^{2^i+1}$ of stage $k-1$ constitute "
        "the $p$ and $q$ halves, respectively, of the block $B_k^i$",
        "blocks 2^i and 2^i + 1 of stage k - 1 are the halves of block i of stage k",
        "blocks 2i and 2i + 1",
        COPY,
        "n k i",
        blocks,
        *both(halves_of_blocks, True, False),
    ),
    Erratum(
        "hypercube-block-size",
        EQUATION,
        "section 2, the note on the block size",
        "the block size is $b_0 = 2$ at the first stage and doubles at each successive stage "
        "and reaches $b_{n-1} = 2^n = N$ at the last stage",
        "the block size of stage k is b_k = N/2^(k+1)",
        "the block size is N/b_k = 2^(k+1), 2 at the first and N at the last stage; b_k = N/2^(k+1)"
        " is the number of blocks",
        PAPER,
        "N k",
        first_and_last,
        *both(block_size, True, False),
    ),
    Erratum(
        "hypercube-fragmented",
        WORDING,
        "section 3, on Prog. 2",
        "by performing the computations corresponding to the fragmented and unfragmented "
        "butterflies, respectively",
        "the first loop has the fragmented butterflies, the second the others",
        "of the unfragmented and fragmented butterflies, respectively, as the paragraph before"
        " has it",
        PAPER,
        "N P k",
        stages_of_ranks,
        *both(fragmented, True, False),
    ),
    *(
        Erratum(
            name,
            INTERPRETATION,
            place,
            printed,
            reading,
            correction,
            PAPER,
            "N P t_su t_tr t_copy",
            timings,
            lambda N, P, *times, scheme=scheme: differs(scheme, N, P, Network(1, *times)),
            lambda N, P, *times, scheme=scheme: differs(
                scheme, N, P, Network(1, *times), corrected=True
            ),
        )
        for name, place, printed, reading, correction, scheme in TIMES
    ),
    Erratum(
        "hypercube-6",
        EQUATION,
        "(6)",
        r"(N/P) t_{calc} \geq t_{su} + (N/2P) t_{tr}",
        "complete overlap where (N/P) t_calc ≥ t_su + (N/2P) t_tr",
        "(N/P) t_calc ≥ t_su + α (N/2P) t_tr, as the maximum in (5) has it",
        PAPER,
        "t_tr/t_calc t_su N/P",
        lambda: [
            (ratio, setup, M)
            for M in (2, 4, 8, 16, 32)
            for setup in range(4)
            for ratio in range(1, 4)
        ],
        *both(overlap, False, True),
    ),
    Erratum(
        "hypercube-overlap-range",
        WORDING,
        "section 4, percent overlap",
        r"$256 \leq N = 2^n \leq 64K$ [...] percent overlap values begin to decrease slightly "
        r"after reaching a maximum value at large data sizes ( $16K \leq N/2P \leq 32K$ )",
        "of the sizes N ≤ 64K, one is larger than that of a maximum at N/2P ≥ 16K, so that values "
        "can decrease after it",
        "N/P in place of N/2P, of which both ends are sizes for P = 2; with N/2P the largest size"
        " of all is the lower end",
        PAPER,
        "P",
        lambda: [(2,)],
        *both(granularity, 2, 1),
    ),
    Erratum(
        "hypercube-program-index",
        WORDING,
        "section 3.2.2, on Table 1",
        "The parallel performance of these algorithms are expected to increase with increasing "
        "program index as is also verified experimentally in the following section.",
        "at every N/P a program with a larger index is better",
        "by section 4 for N/P ≥ 8K; for 32 ≤ N/P < 8K Prog. 4 is no better than Prog. 3, and for"
        " N/P < 32 neither is Prog. 5, nor is it better than Prog. 4",
        PAPER,
        "N/P",
        lambda: [(1 << m,) for m in range(3, 16)],
        increases,
        ordered,
    ),
    Erratum(
        "hypercube-6-sufficiently-large",
        INTERPRETATION,
        "(6), sufficiently large N/P",
        "complete overlap of communication can be achieved for sufficiently large $N/P$, where,",
        "whatever t_calc, t_tr and t_su are",
        "where 2 t_calc > α t_tr: then for N/P ≥ t_su/(t_calc - α t_tr/2)",
        PAPER,
        "10·t_tr/t_calc t_su/t_calc",
        lambda: [(ratio, setup) for ratio in range(1, 31) for setup in (1, 10, 100)],
        *both(sufficient, True, False),
    ),
)
