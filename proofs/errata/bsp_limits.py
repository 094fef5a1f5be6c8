"""M. A. Inda, R. H. Bisseling, 2000: ranges, limits and totals, of indices, of phases and of the
efficiencies in Table 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from codegen.cost.bsp import permutations_of
from derive.exact.check import check
from derive.formula.grammar import Equation, I
from derive.formula.grammar import product as multiplied
from derive.formula.layout import group_cyclic
from derive.formula.permutation_matrices import Gamma, inverse
from derive.formula.transforms import A
from derive.papers.bsp_phases import phases, powers_of_two
from derive.verdict import Refuted
from proofs.errata.entry import (
    EITHER,
    EQUATION,
    INTERPRETATION,
    PAPER,
    WORDING,
    Erratum,
    both,
    differ,
)

PRIME = 257
"""2^8 + 1: roots of unity of all orders up to 2^8."""


def inverse_transform(N: int, last: int) -> str | None:
    """Return where (1.2) is not element j of the vector, 0 <= j < last, modulo PRIME."""
    w = pow(3, (PRIME - 1) // N, PRIME)
    z = [j + 1 for j in range(N)]
    Z = [sum(z[j] * pow(w, j * k, PRIME) for j in range(N)) for k in range(N)]
    for j in range(last):
        found = sum(Z[k] * pow(w, -j * k, PRIME) for k in range(N)) * pow(N, -1, PRIME) % PRIME
        if j >= N:
            return f"j = {j}: the sum over k is z_{z.index(found)}, and there is no z_{j}"
        if found != z[j] % PRIME:
            return f"j = {j}: {found}, not z_{j} = {z[j]}"
    return None


def groups(N: int, p: int, r: int, sizes: bool) -> str | None:
    """Return whether r is not the number of processors of a group of the r-cyclic distribution, or
    not the number of groups.
    """
    n, M, layout = N // p, N // r, group_cyclic(N, p, r)
    found = [{int(layout.address(j)) // n for j in range(i * M, i * M + M)} for i in range(r)]
    if sizes:
        return differ(r, len(found[0]), "r = {}, and a group has {} processors")
    return differ(r, len({frozenset(group) for group in found}), "r = {}, and there are {} groups")


def one_processor(N: int, p: int, printed: bool) -> str | None:
    """Return whether the permutations of (3.9), or none on one processor, are not those that move
    data between processors.
    """
    counted = phases(N, p) + 1 if printed or p > 1 else 0
    return differ(
        counted, permutations_of(N, p, "block", "block"), "{} permutations, and {} move data"
    )


def one_phase() -> Iterator[tuple[int, int, int]]:
    """Yield n, v and l of (4.4) with j = h - 1."""
    for n in powers_of_two(4, 32):
        for v in powers_of_two(2, n // 2):
            first = 2 * (n // v) ** (phases(n, v) - 1)
            yield from ((n, v, l) for l in powers_of_two(first, n))


def equation_4_4(n: int, v: int, l: int, printed: bool) -> str | None:
    """Return where (4.4) with one phase is not R_{l,n}^α, α = 1/2: with the last phase and phase 0,
    or with the stages l to n in the distribution of Γ_v alone.
    """
    alpha, c = Fraction(1, 2), n // v
    u, first = c ** (phases(n, v) - 1), 2 * c ** (phases(n, v) - 1)
    written = [(v, K) for K in powers_of_two(first if printed else l, n)]
    if printed:
        written = [(u, K) for K in powers_of_two(l, c * u)] + written
    for w, K in written:
        if K > n or v % w:
            return f"phase 0 has a stage {K} of {n} and Γ_{{{w},{v},{n}}}"
    stages = [
        inverse(Gamma(w, v, n))
        @ (Gamma(w, v, n) @ A(K, n, alpha) @ inverse(Gamma(w, v, n)))
        @ Gamma(w, v, n)
        for w, K in reversed(written)
    ]
    wanted = [A(K, n, alpha) for K in reversed(list(powers_of_two(l, n)))]
    verdict = check(Equation("", "", multiplied([*wanted, I(n)]), multiplied([*stages, I(n)])))
    return verdict.counterexample if isinstance(verdict, Refuted) else None


def processors(last: int) -> Iterator[tuple[int, int]]:
    """Yield N and p, powers of two, 2 <= p < N."""
    return ((N, p) for N in powers_of_two(4, last) for p in powers_of_two(2, N // 2))


LIMITS = (
    Erratum(
        "bsp-1.2-index",
        EQUATION,
        "(1.2)",
        r"z_j = \frac{1}{N} \sum_{k=0}^{N-1} Z_k e^{-\frac{2\pi i j k}{N}}, \quad 0 \leq k < N.",
        "the range is that of k, the index of the sum, and no range of j is given",
        "0 ≤ j < N; k is the index of the sum",
        PAPER,
        "N",
        lambda: [(N,) for N in powers_of_two(2, 16)],
        lambda N: inverse_transform(N, 2 * N),
        lambda N: inverse_transform(N, N),
    ),
    Erratum(
        "bsp-3.3-groups",
        WORDING,
        "section 3.3",
        "where $r_1 = p/u_1$ and $r_2 = p/u_2$ may be any possible group sizes",
        "r is the number of processors in a group",
        "any possible numbers of groups: Definition 2.1 has r groups of u = p/r processors",
        PAPER,
        "N p r",
        lambda: ((N, p, r) for N, p in processors(64) for r in powers_of_two(1, p)),
        *both(groups, True, False),
    ),
    Erratum(
        "bsp-3.9-one-processor",
        INTERPRETATION,
        "(3.9) and Table 3, row p = 1",
        r"for each of the $\lceil \log_{\frac{N}{p}} N \rceil + 1$ permutations performed in the "
        "FFT algorithm",
        "each of these permutations moves data between processors, the two for p = 1 as well",
        "for 2 ≤ p < N; on one processor no permutation moves data, and (3.9) without its terms in"
        " g and l is the row seq of Table 3",
        PAPER,
        "N p",
        lambda: ((N, p) for N in powers_of_two(2, 64) for p in powers_of_two(1, N // 2)),
        *both(one_processor, True, False),
    ),
    Erratum(
        "bsp-4.4-one-phase",
        INTERPRETATION,
        "(4.4) for j = h - 1",
        r"Define $h = \lceil \log_{\frac{n}{v}} n \rceil$ and $j = \lceil \log_{\frac{n}{v}} l "
        r"\rceil - 1$ [...] \underbrace{\hat{A}_{\frac{n}{v},v}^\alpha \cdots \hat{A}_{2, "
        r"\frac{(n/v)^{h-1}}{v}}^\alpha}_{\text{phase } h-j-1} [...] "
        r"\underbrace{\hat{A}_{\frac{n}{v},(\frac{n}{v})^j}^\alpha \cdots "
        r"\hat{A}_{\frac{l}{(n/v)^j},(\frac{n}{v})^j}^\alpha}_{\text{phase 0}}",
        "for j = h - 1 both phases are factors, though they are the same phase",
        "one phase with Γ_v and the stages Â_{k,v}^α, k = l/v, ..., n/v",
        EITHER,
        "n v l",
        one_phase,
        *both(equation_4_4, True, False),
    ),
)
