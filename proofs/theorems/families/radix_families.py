"""Factorizations of F_N into any number of stages or phases, each of a radix of its own. For all
sizes.

N_0 = 1, N_1, N_2, .. are the products of the first radices, r_k = N_{k+1} / N_k.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from proofs.kernel.kernel_rules import Thm, first, instantiate, sym
from proofs.kernel.numbers import ONE, Dim, Nat, Sequence, nat, size
from proofs.kernel.terms import F, I, Kron, Mul, Pi, S, Term
from proofs.lemmas import fourier_stages
from proofs.prove.tactics import Body, by_induction, chain, mul, tower
from proofs.prove.towers.inductions import inside, last, restage
from proofs.theorems.statement_proofs import cooley_tukey, stated

A, E, H = nat("a"), nat("e"), nat("H")
N, LOCAL = Sequence("N", 0), size("n")
RANKS = Sequence("u", LOCAL)
Orders = Callable[[Nat], Dim]
"""The order of a product of k factors."""


def radix(k: Nat) -> Dim:
    """Return r_k = N_{k+1} / N_k."""
    return N.at(k + 1) / N.at(k)


def stage(k: Nat, l: Nat) -> Term:
    """Return I_{N/rs} ⊗ (F_r ⊗ I_s) T^rs_s, r = r_k, s = N_k, N = N_{k+l+1}."""
    r, s = radix(k), N.at(k)
    return Kron(
        I(N.at(k + l + 1) / N.at(k + 1)), Mul(Kron(F(r), I(s)), fourier_stages.twiddle(r, s))
    )


def shuffle(k: Nat, l: Nat) -> Term:
    """Return I_{N/rs} ⊗ L^rs_r, r = r_l, s = N_l, N = N_{k+l+1}."""
    return Kron(I(N.at(k + l + 1) / N.at(l + 1)), S(radix(l), N.at(l)))


def grown(body: Body, longer: Body, orders: Orders, count: Nat) -> Thm:
    """Return (tower of longer) = I_r ⊗ (tower of body), where longer = I_r ⊗ body factor by factor,
    r = orders(count + 1) / orders(count).
    """

    def around(X: Term, t: Nat) -> Term:
        return Kron(I(orders(t + 1) / orders(t)), X)

    same = restage(count, longer, lambda k, l: around(body(k, l), k + l + 1))
    return chain(tower(count, longer), same, inside(body, around, count))


def stages(n: Nat) -> Term:
    """Return A_{n-1} .. A_1 A_0 R_N, the right side of `any_radices`."""
    return Mul(tower(n, stage), tower(n, shuffle))


@cache
def any_radices() -> tuple[Thm, ...]:
    """F_N = A_{H-1} .. A_1 A_0 R_N, N = r_0 r_1 .. r_{H-1}, A_k = I_{N/rs} ⊗ (F_r ⊗ I_s) T^rs_s, r
    = r_k, s = N_k = r_0 .. r_{k-1}, R_N = Q_0 Q_1 .. Q_{H-1}, Q_k = I_{N/rs} ⊗ L^rs_r, the reversal
    of digits of these radices.
    """

    def step(hypothesis: Thm) -> Thm:
        r, s = radix(H), N.at(H)
        return chain(
            stages(H + 1),
            first(tower(H + 1, stage)),
            grown(stage, lambda k, l: stage(k, l + 1), N.at, H),
            last(shuffle, H),
            grown(shuffle, lambda k, l: shuffle(k + 1, l), N.at, H),
            mul(Kron(F(r), I(s)), fourier_stages.twiddle(r, s), Kron(I(r), stages(H)), S(r, s)),
            hypothesis,
            sym(cooley_tukey(r, s)),
            F(N.at(H + 1)),
        )

    return (sym(by_induction("H", stages(H), F(N.at(H)), step)),)


def phase(k: Nat, l: Nat) -> Term:
    """Return (I_P ⊗ F_d ⊗ I_{n/d}) Γ_v (I_g ⊗ T^{vn}_{un}) (L^{gd}_g ⊗ I_{un}) Γ_u^-1, u = u_k,
    v = u_{k+1} = d u, P = u_{k+l+1} = g v.
    """
    u, v, P, n = RANKS.at(k), RANKS.at(k + 1), RANKS.at(k + l + 1), LOCAL
    d, g = v / u, P / v
    return mul(
        Kron(I(P), Kron(F(d), I(n / d))),
        fourier_stages.gamma(v, g, n),
        Kron(I(g), fourier_stages.twiddle(d, u * n)),
        Kron(S(g, d), I(u * n)),
        fourier_stages.gamma_inverse(u, g * d, n),
    )


def phases(a: Nat, e: Nat) -> Pi:
    """Return B_{a-1} .. B_1 B_0 on P = u_{a+e} ranks."""
    return tower(a, lambda k, l: phase(k, l + e))


def before(a: Nat, e: Nat) -> Term:
    """Return B_{a-1} .. B_1 B_0 (I_P ⊗ F_n) L^N_P, P = u_{a+e}."""
    P = RANKS.at(a + e)
    return mul(phases(a, e), Kron(I(P), F(LOCAL)), S(P, LOCAL))


def after(a: Nat, e: Nat) -> Term:
    """Return Γ_u (I_{P/u} ⊗ F_{un}) L^N_{P/u}, u = u_a, P = u_{a+e}."""
    u, groups = RANKS.at(a), RANKS.at(a + e) / RANKS.at(a)
    transforms = Kron(I(groups), F(u * LOCAL))
    return mul(fourier_stages.gamma(u, groups, LOCAL), transforms, S(groups, u * LOCAL))


@cache
def group_cyclic_phases() -> tuple[Thm, ...]:
    """F_N = Γ_P^-1 B_{H-1} .. B_1 B_0 (I_P ⊗ F_n) L^N_P, P = d_0 d_1 .. d_{H-1}, N = n P, every d_k
    a divisor of n, B_k = (I_P ⊗ F_d ⊗ I_{n/d}) Γ_v (I_g ⊗ T^{vn}_{un}) (L^{gd}_g ⊗ I_{un}) Γ_u^-1,
    d = d_k, u = u_k = d_0 .. d_{k-1}, v = u d, g = P/v: H phases after the first, in which groups
    of u ranks become groups of v ranks.
    """

    def step(hypothesis: Thm) -> Thm:
        u, v, P = RANKS.at(A), RANKS.at(A + 1), RANKS.at(A + E + 1)
        (one,) = stated("bsp-fft-next-phase")
        moved = instantiate(one, d=v / u, e=LOCAL * u / v, g=P / v, u=u)
        opened, rest = first(phases(A + 1, E)), mul(phase(A, E), before(A, E + 1))
        shorter = instantiate(hypothesis, e=E + 1)
        return chain(before(A + 1, E), opened, rest, shorter, moved.left, moved, after(A + 1, E))

    found = by_induction("a", before(A, E), after(A, E), step, "e")
    P, done = RANKS.at(H), instantiate(found, a=H, e=Nat.of(0))
    right = Mul(fourier_stages.gamma_inverse(P, ONE, LOCAL), done.left)
    return (sym(chain(right, done, F(P * LOCAL))),)
