"""M. A. Inda, R. H. Bisseling, 2000: what sections 1.1, 5.3 and 6 and (3.9) say, against Table 3,
the permutations that move data and the matrices that they speak of.

A printed time stands for all numbers that round to it. So a statement about efficiencies is refuted
only if no unrounded times bear it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from codegen.cost.bsp_cost import permutations_of
from derive.exact.exact_check import check
from derive.formula.grammar import Equation, I, kron
from derive.formula.permutation_matrices import R
from derive.formula.transforms import D, F, T
from derive.papers import bsp_phases
from derive.verdict import Refuted
from proofs.errata.bsp_tables import SIZES, Interval, rounded
from proofs.errata.entry import Evaluation, both, differ

MEASURED = {
    0: "0.41 0.66 1.82 2.94 19.95 58.91 149.8 318.3",
    1: "0.40 0.66 1.81 2.95 19.95 58.98 149.8 315.8",
    2: "0.42 0.90 1.66 3.90 8.93 33.65 87.1 207.3",
    4: "0.28 0.47 0.99 1.81 4.40 9.72 39.7 101.1",
    8: "0.21 0.33 0.69 1.22 2.33 5.28 12.5 46.7",
    16: "0.22 0.26 0.39 0.56 1.20 2.26 5.4 12.7",
    32: "0.29 0.33 0.37 0.53 0.75 1.43 2.9 7.1",
    64: "0.31 0.38 0.55 0.63 0.76 0.98 1.7 3.2",
}
"""Table 3, the columns "exp" in ms, by N of SIZES; 0 stands for the sequential algorithm."""


def efficiency(N: int, p: int) -> Interval:
    """Return the least and the largest absolute efficiency Time(seq, N)/(p Time(p, N)) of Table 3,
    (5.2).

    >>> [round(float(bound), 3) for bound in efficiency(16384, 2)]
    [0.875, 0.876]
    """
    (low, high), (least, most) = (
        rounded(MEASURED[rank].split()[SIZES.index(N)]) for rank in (0, p)
    )
    return low / (p * most), high / (p * least)


def shown(N: int, ranks: Sequence[int]) -> str:
    """Return efficiencies as text."""
    found = [sum(efficiency(N, p)) / 2 for p in ranks]
    return f"E = {', '.join(f'{float(x):.3f}' for x in found)} for p = {', '.join(map(str, ranks))}"


def rises(N: int, p: int) -> str | None:
    """Return the efficiencies on p and on 2 p processors where the second is no larger for any
    unrounded times.
    """
    return shown(N, (p, 2 * p)) if efficiency(N, 2 * p)[1] <= efficiency(N, p)[0] else None


def one_processor(N: int, p: int, printed: bool) -> str | None:
    """Return whether the permutations of (3.9), or none on one processor, are not those that move
    data between processors.
    """
    counted = bsp_phases.phases(N, p) + 1 if printed or p > 1 else 0
    return differ(
        counted, permutations_of(N, p, "block", "block"), "{} permutations, and {} move data"
    )


def left_over(N: int, p: int, printed: bool) -> str | None:
    """Return whether cyclic input and output do not leave 1/3 of the H + 1 permutations of (3.9),
    or, corrected, (H - 1)/(H + 1).
    """
    H = bsp_phases.phases(N, p)
    share = Fraction(1, 3) if printed else Fraction(H - 1, H + 1)
    return differ(
        share,
        Fraction(permutations_of(N, p, "cyclic", "cyclic"), H + 1),
        "{} of the permutations, not {}: H = " + str(H),
    )


def ranks(last: int, least: int) -> Iterator[tuple[int, int]]:
    """Yield N and p, powers of two, least <= p < N."""
    powers = bsp_phases.powers_of_two
    return ((N, p) for N in powers(2, last) for p in powers(least, N // 2))


def on_diagonal(K: int, columns: Sequence[int]) -> str:
    """Return the diagonal of the radix-4 butterfly with its block columns in this order: w_K^(r c
    K/4 + a c) in block (r, c), place (a, a).
    """
    exponents = sorted(
        (r * c * K // 4 + a * c) % K for r, c in enumerate(columns) for a in range(K // 4)
    )
    return ", ".join(f"w^{e}" for e in exponents)


def radix_4(K: int) -> str | None:
    """Return whether no Q B Q^T with a permutation Q can be D_K, B the radix-4 butterfly: it has
    the entries of B on its diagonal.
    """
    return differ(
        on_diagonal(K, (0, 1, 2, 3)),
        on_diagonal(K, (0, 2, 1, 3)),
        "{} on the diagonal of Q B Q^T, on that of D_K {}",
    )


def columns_of_radix_4(K: int) -> str | None:
    """Return where D_K is not B (P_4 ⊗ I_{K/4}), B = (F_4 ⊗ I_{K/4}) T^K_{K/4}."""
    h = K // 4
    verdict = check(Equation("", "", D(K), kron(F(4), I(h)) @ T(K, h) @ kron(R(4), I(h))))
    return verdict.counterexample if isinstance(verdict, Refuted) else None


EVALUATIONS: dict[str, Evaluation] = {
    "bsp-radix-4-butterfly": Evaluation(
        "K", lambda: [(K,) for K in bsp_phases.powers_of_two(4, 64)], radix_4, columns_of_radix_4
    ),
    "bsp-5.3-one-to-two": Evaluation(
        "N", lambda: [(8192,), (16384,)], lambda N: rises(N, 1), lambda N: rises(N, N // 8192)
    ),
    "bsp-3.9-one-processor": Evaluation(
        "N p", lambda: ranks(64, 1), *both(one_processor, True, False)
    ),
    "bsp-6-one-third": Evaluation("N p", lambda: ranks(2**10, 2), *both(left_over, True, False)),
}
