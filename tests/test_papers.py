"""Printed formulas that do not hold as printed, beside what holds, and those that were in doubt:
the last two sections of docs/papers.md.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from derive.exact.exact_check import check
from derive.formula import affine_layouts
from derive.formula.grammar import Equation, Formula, I, direct_sum, kron, product
from derive.formula.permutation_matrices import Gamma, R, S, inverse
from derive.formula.permutations import target
from derive.formula.transforms import A, B, D, F
from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from derive.papers import bsp, bsp_phases
from derive.verdict import Refuted, holds
from proofs.certify.language import table_entries
from proofs.certify.world.communicator import Comm
from tests.support import papers as stated
from tests.support.worlds import run as on_ranks


def powers(first: int, last: int) -> tuple[int, ...]:
    return bsp_phases.powers_of_two(first, last)


def equal(left: Formula, right: Formula) -> bool:
    """Return whether two formulas are equal in every entry."""
    verdict = check(Equation("", "", left, right))
    assert isinstance(verdict, Refuted) or verdict.error == 0
    return holds(verdict)


# The BSP paper


def phases_as_printed(N: int, p: int) -> int:
    """Return the largest integer H for which (N/p)^(H-1) <= N (section 2.1)."""
    return max(H for H in range(1, N.bit_length() + 2) if (N // p) ** (H - 1) <= N)


def test_the_number_of_phases_is_one_too_large_where_N_is_a_power_of_N_over_p() -> None:
    assert phases_as_printed(16, 4) == 3
    assert bsp_phases.phases(16, 4) == 2
    for N in powers(2, 2**12):
        for p in powers(1, N // 2):
            H = bsp_phases.phases(N, p)
            assert (N // p) ** (H - 1) < N <= (N // p) ** H
            assert phases_as_printed(N, p) == H + ((N // p) ** H == N)


def test_theorem_2_2_needs_the_stage_ku() -> None:
    """The left side shows A_{k,u,M}, which has no definition: with the stage k it is wrong, with
    the stage k u it holds.
    """
    u, M, k = 2, 4, 2
    right = stated.theorem_2_2(u, M, k).right
    assert not equal(S(u, M) @ A(k, M) @ inverse(S(u, M)), right)
    assert equal(S(u, M) @ A(k * u, M) @ inverse(S(u, M)), right)


def test_definition_2_6_needs_the_stage_ku() -> None:
    k, u, p, N = 2, 2, 2, 4
    right = stated.corollary_2_3(1, p, N, k).right
    assert not equal(Gamma(u, p, N) @ A(k, N) @ inverse(Gamma(u, p, N)), right)
    assert equal(Gamma(u, p, N) @ A(k * u, N) @ inverse(Gamma(u, p, N)), right)


def test_equation_2_8_begins_its_last_phase_at_the_stage_that_it_prints() -> None:
    for N in powers(4, 2**10):
        for P in powers(2, N // 2):
            n, H = N // P, bsp_phases.phases(N, P)
            stages = [
                factor.k
                for factor in bsp.equation_2_8(N, P).right.factors
                if getattr(factor, "u", 0) == P and hasattr(factor, "k")
            ]
            assert min(stages) * P == 2 * n ** (H - 1)
            assert P <= n ** (H - 1) < N


@pytest.mark.parametrize("K", powers(4, 64))
def test_equation_1_12_holds_as_printed(K: int) -> None:
    """Both the product and the four by four blocks, entry by entry."""
    assert equal(D(K), B(K) @ kron(I(2), B(K // 2)))
    h, w = K // 4, np.exp(2j * np.pi / K)
    L = np.diag(w ** np.arange(h))
    blocks = np.block(
        [
            [np.eye(h), s * L @ L, t * L, s * t * L @ L @ L]
            for s, t in ((1, 1), (-1, 1j), (1, -1), (-1, -1j))
        ]
    )
    upper = [
        np.hstack([np.eye(K // 2), sign * np.diag(w ** np.arange(K // 2))]) for sign in (1, -1)
    ]
    lower = [np.hstack([np.eye(h), sign * np.diag(w ** (2 * np.arange(h)))]) for sign in (1, -1)]
    assert np.allclose(np.vstack(upper) @ np.kron(np.eye(2), np.vstack(lower)), blocks)


@pytest.mark.parametrize("K", powers(4, 64))
def test_footnote_2_no_symmetric_permutation_makes_the_radix_4_butterfly(K: int) -> None:
    """A symmetric permutation keeps the trace. Van Loan's matrix with its middle block columns
    exchanged, rows as they are, is D_K.
    """
    h, w, i = K // 4, np.exp(2j * np.pi / K), 1j
    L = np.diag(w ** np.arange(h))
    van_loan = np.block(
        [[i ** (r * c) * np.linalg.matrix_power(L, c) for c in range(4)] for r in range(4)]
    )
    butterfly = np.block(
        [
            [np.eye(h), s * L @ L, t * L, s * t * L @ L @ L]
            for s, t in ((1, 1), (-1, i), (1, -1), (-1, -i))
        ]
    )
    for matrix in (van_loan, van_loan.conj()):
        assert abs(np.trace(matrix) - np.trace(butterfly)) > 1
    exchanged = np.arange(K).reshape(4, h)[[0, 2, 1, 3]].reshape(-1)
    assert np.allclose(van_loan[:, exchanged], butterfly)


def gamma(u: int, v: int, N: int, j: int) -> int:
    """Return gamma_{u,v,N}(j) as (2.1) prints it."""
    M = N // v * u
    return j // M * M + j % u * (N // v) + j % M // u


def divisors(n: int) -> list[int]:
    return [d for d in range(1, n + 1) if n % d == 0]


def test_the_inverse_of_gamma_holds_for_all_sizes_not_only_powers_of_two() -> None:
    for N in range(1, 97):
        for v in divisors(N):
            for u in divisors(v):
                image = [gamma(u, v, N, j) for j in range(N)]
                assert [gamma(N // v, N // u, N, k) for k in image] == list(range(N))


def test_gamma_1_and_gamma_u_N_are_the_identity() -> None:
    for N in range(1, 97):
        for v in divisors(N):
            assert (
                [gamma(1, v, N, j) for j in range(N)]
                == [gamma(v, N, N, j) for j in range(N)]
                == list(range(N))
            )


def test_the_inverse_of_gamma_u1_u2_exchanges_its_indices() -> None:
    """The note at (3.5) reads gamma_{u2}^{-1} on the right; gamma_{u2}^{u1} holds."""
    p, N, u1, u2 = 8, 16, 2, 4
    composed = target(Gamma(u2, p, N) @ inverse(Gamma(u1, p, N)))
    back = np.argsort(composed)
    assert not np.array_equal(back, target(inverse(Gamma(u2, p, N))))
    assert np.array_equal(back, target(Gamma(u1, p, N) @ inverse(Gamma(u2, p, N))))


def test_footnote_3_holds() -> None:
    for n in range(1, 9):
        for p in range(n + 1):
            N, P = 1 << n, 1 << p
            to_cyclic = np.asarray(affine_layouts.cyclic(1 << n, 1 << p).address(np.arange(N)))
            assert np.array_equal(target(S(P, N)), to_cyclic)
            assert np.array_equal(target(S(N // P, N)), np.argsort(to_cyclic))


def bsp_fft(N: int, p: int) -> Formula:
    """Return the product of the supersteps of Algorithm 3.1 as printed: for p = 1, supersteps 2 and
    6 both run.
    """
    n, H = N // p, bsp_phases.phases(N, p)
    factors: list[Formula] = [R(N), *(A(K, N) for K in powers(2, n)), Gamma(min(p, n), p, N)]
    for J in range(1, H - 1):
        u = n**J
        factors += [
            *(bsp.AHat(k, u, p, N) for k in powers(2, n)),
            inverse(Gamma(u, p, N)),
            Gamma(min(p, n * u), p, N),
        ]
    first = 2 * n ** (H - 1) // p
    factors += [*(bsp.AHat(k, p, p, N) for k in powers(first, n)), inverse(Gamma(p, p, N))]
    return product(reversed(factors))


def test_algorithm_3_1_does_all_stages_twice_on_one_processor() -> None:
    assert not equal(F(4), bsp_fft(4, 1))
    for N in powers(4, 256):
        for p in powers(2, N // 2):
            assert equal(F(N), bsp_fft(N, p))


def equation_4_5(
    k: int, u: int, v: int, n: int, alpha: Fraction, copies: int
) -> tuple[Formula, Formula]:
    left = Gamma(u, v, n) @ A(k * u, n, alpha) @ inverse(Gamma(u, v, n))
    return left, kron(I(copies), direct_sum(A(k, n // v, (alpha + s) / u) for s in range(u)))


def test_equation_4_5_has_v_over_u_copies() -> None:
    left, right = equation_4_5(2, 2, 4, 16, Fraction(1, 2), 16 // 4)
    assert (left.size, right.size) == (16, 32)
    for n in powers(4, 64):
        for v in powers(2, n // 2):
            for u in powers(1, v):
                for k in powers(2, n // v):
                    for alpha in (Fraction(0), Fraction(1, 2), Fraction(3, 4)):
                        assert equal(*equation_4_5(k, u, v, n, alpha, v // u))


def equation_4_4(l: int, n: int, v: int, alpha: Fraction) -> Formula:
    """Return the right side of (4.4), where it has at least two phases."""
    c = n // v
    h, j = (next(i for i in range(99) if c**i >= x) for x in (n, l))
    j -= 1
    factors: list[Formula] = []
    for i in range(j, h):
        u = min(v, c**i)
        first = l if i == j else 2 * c**i
        stages = [A(K, n, alpha) for K in powers(first, min(n, c ** (i + 1)))]
        factors += [
            Gamma(u, v, n),
            *(Gamma(u, v, n) @ stage @ inverse(Gamma(u, v, n)) for stage in stages),
            inverse(Gamma(u, v, n)),
        ]
    return product(reversed(factors))


def test_equation_4_4_holds() -> None:
    for n in powers(4, 32):
        for v in powers(2, n // 2):
            for l in powers(2, n):
                alpha = Fraction(1, 4)
                assert equal(
                    product(A(K, n, alpha) for K in reversed(powers(l, n))),
                    equation_4_4(l, n, v, alpha),
                )


def test_equation_4_2_holds() -> None:
    for N in powers(4, 128):
        for p in powers(2, N // 2):
            n = N // p
            u = min(p, n)
            first = Gamma(u, p, N) @ product([*(A(K, N) for K in reversed(powers(2, n))), R(N)])
            assert equal(first, Gamma(u, p, N) @ kron(R(p), I(n)) @ kron(I(p), F(n)) @ S(p, N))


def test_a_rank_sends_fewer_words_than_equation_3_8_counts() -> None:
    """N/p values are an upper bound: with p = 2 a rank keeps half of its elements."""
    address = affine_layouts.cyclic(16, 2).address
    assert sum(address(z) >> 3 for z in range(8)) == 4


# Cormen's paper


def interprocessor(f: bmmc.Factorization, as_printed: bool) -> list[int]:
    """Return the indices in their places after the two factor permutations of section 5."""
    n, m, r, M = f.n, f.m, f.rank_gamma, 1 << f.m - f.rank_gamma
    temp = [0] * (1 << n)
    for x in range(1 << n):
        temp[f.W(x)] = x
    data = [-1] * (1 << n)
    for k in range(1 << f.p):
        for b in range(1 << r):
            source = f.source(b, k)
            received = [temp[source << m | b * M + j] for j in range(M)]
            for j in range(M):
                t = f.V(source << m | b * M + j)
                assert t >> m == k
                data[t] = temp[k << m | j] if as_printed and b else received[j]
    return data


@pytest.mark.parametrize(
    "permutation", [bmmc.bit_reversal(4), bmmc.transpose(4, 2), Affine((9, 5, 4, 2), 4, 6)]
)
def test_section_5_line_8_needs_the_offset_of_the_round(permutation: Affine) -> None:
    f = bmmc.factor(permutation, 2)
    wanted = [permutation.inverse()(y) for y in range(16)]
    assert interprocessor(f, as_printed=False) == wanted
    assert interprocessor(f, as_printed=True) != wanted


def test_section_6_prints_the_map_from_index_to_address_as_Q() -> None:
    """Bits f, ..., f+p-1 of the index become the top bits of the address, as in Figure 1."""
    n, p, f = 5, 2, 1
    Q = Affine(
        tuple(1 << (j if j < f else j + n - p - f if j < f + p else j - p) for j in range(n)), n
    )
    assert affine_layouts.f_layout(1 << n, 1 << p, f).address == Q
    assert [Q.inverse()(z) for z in range(8)] == [0, 1, 8, 9, 16, 17, 24, 25]


# The hypercube paper


def test_programs_2_and_3_deadlock_without_buffering() -> None:
    """Both sides send before they receive."""

    def exchange(comm: Comm) -> None:
        x, received = np.zeros(4), np.empty(4)
        comm.Send(x, comm.rank ^ 1)
        comm.Recv(received, comm.rank ^ 1)

    with pytest.raises(table_entries.Refuted, match="deadlock"):
        on_ranks(2, exchange)


# The Hartley paper


def complement(x: int, s: int) -> int:
    """Return the complement of s bits (section 2)."""
    t, half = x % 2**s, 2 ** (s - 1)
    return x - t + (t ^ half if t in (0, half) else 2**s - t)


@pytest.mark.parametrize("s", range(1, 7))
def test_the_complement_is_affine_over_bits_for_three_bits_and_no_more(s: int) -> None:
    image = [complement(x, s) for x in range(2**s)]
    affine = all(
        image[x ^ y] == image[x] ^ image[y] ^ image[0] for x in range(2**s) for y in range(2**s)
    )
    assert affine == (s <= 3)


def test_the_factors_are_lg_N_in_number() -> None:
    """Figure 1 says s = 1, 2, ..., N; the transform of order N is the product of lg N of them after
    the bit reversal.
    """
    for n in range(1, 6):
        N = 1 << n
        angle = 2 * np.pi * np.outer(np.arange(N), np.arange(N)) / N
        found = np.eye(N)[np.asarray(target(R(N)))]
        for s in range(1, n + 1):
            h, u = 2 ** (s - 1), np.arange(2 ** (s - 1))
            T = np.diag(np.cos(2 * np.pi * u / 2**s))
            T[u, -u % h] += np.sin(2 * np.pi * u / 2**s)
            found = np.kron(np.eye(N // 2**s), np.block([[np.eye(h), T], [np.eye(h), -T]])) @ found
        assert np.allclose(found, np.cos(angle) + np.sin(angle))
