"""The steps from Cooley-Tukey to the group-cyclic FFT of M. A. Inda and R. H. Bisseling (2000), a
phase after the other. For all sizes.
"""

from __future__ import annotations

from functools import cache

from proofs.kernel.rules import Thm, diag, first, instantiate, sym
from proofs.kernel.sizes import ONE, Dim, Nat, nat, power_of, size
from proofs.kernel.terms import F, I, Kron, Mul, Pi, S, Term
from proofs.prove.tactics import by_induction, chain, mul, tower
from proofs.prove.towers.inductions import inside, restage
from proofs.theorems import bsp

ALPHA, TWO = bsp.ALPHA, bsp.TWO


def cooley_tukey(r: Dim, s: Dim) -> Thm:
    """Return F_rs = (F_r ⊗ I_s) T^rs_s (I_r ⊗ F_s) L^rs_r."""
    (found,) = bsp.cooley_tukey()
    return instantiate(found, r=r, s=s)


@cache
def gamma_inverse() -> tuple[Thm, ...]:
    """Γ_{u,p,N}^-1 = Γ_{N/p,N/u,N}: the products in both orders are I_N, p = r u, N = n p."""
    n, r, u = size("n"), size("r"), size("u")
    shuffles = diag(Mul(S(u, n), S(n, u)), I(u * n))

    def undone(u: Dim, n: Dim) -> Thm:
        start = Mul(bsp.gamma(u, r, n), bsp.gamma_inverse(u, r, n))
        inner = Mul(S(u, n), S(n, u))
        return chain(start, Kron(I(r), inner), instantiate(shuffles, u=u, n=n), I(r * u * n))

    return undone(u, n), undone(n, u)


@cache
def stage_pair() -> tuple[Thm, ...]:
    """A_{K,N}^α A_{K/2,N}^α = I_{N/K} ⊗ D_K^α, the pair of stages that is one 4-butterfly stage,
    K = 4 q, N = b K.
    """
    b, q = size("b"), size("q")
    large, small = bsp.butterfly(q * 2, ALPHA), bsp.butterfly(q, ALPHA)
    return (
        chain(
            Mul(Kron(I(b), large), Kron(I(b * 2), small)),
            Kron(I(b), Mul(large, Kron(I(TWO), small))),
            *bsp.equation_1_12(),
        ),
    )


@cache
def two_phases() -> tuple[Thm, ...]:
    """F_N = Γ_p^-1 (I_p ⊗ F_p ⊗ I_e) Γ_p T^N_n (I_p ⊗ F_n) L^N_p, n = N/p = p e: one exchange
    between two phases of local transforms.
    """
    e, p = size("e"), size("p")
    n = p * e
    exchanged = mul(
        bsp.gamma_inverse(p, ONE, n), Kron(I(p), Kron(F(p), I(e))), bsp.gamma(p, ONE, n)
    )
    right = mul(exchanged, bsp.twiddle(p, n), Kron(I(p), F(n)), S(p, n))
    return (chain(F(p * n), cooley_tukey(p, n), right),)


@cache
def stride_lemma() -> tuple[Thm, ...]:
    """(L^{gd}_g ⊗ I_s) L^{gds}_{gd} = (I_g ⊗ L^{ds}_d) L^{gds}_g, and of the inverses, L^{gds}_s
    (L^{gd}_d ⊗ I_s) = L^{gds}_{ds} (I_g ⊗ L^{ds}_s).
    """
    d, g, s = size("d"), size("g"), size("s")
    return (
        diag(Mul(Kron(S(g, d), I(s)), S(g * d, s)), Mul(Kron(I(g), S(d, s)), S(g, d * s))),
        diag(Mul(S(s, g * d), Kron(S(d, g), I(s))), Mul(S(d * s, g), Kron(I(g), S(s, d)))),
    )


@cache
def equation_3_5() -> tuple[Thm, ...]:
    """Γ_{U,P,N} Γ_{u,P,N}^-1 = (I_{gd} ⊗ S_{u,U} ⊗ I_c) (I_{gu} ⊗ S_{d,dU} ⊗ I_c) (I_P ⊗ S_{d,n}),
    U = d u, P = g U, n = N/P = d c: γ_u^U is local, and then moves packets; its inverse is γ_U^u.
    """
    c, d, g, u = (size(name) for name in "cdgu")
    n = d * c
    groups, packets = Kron(I(g * d), Kron(S(u, d), I(c))), Kron(I(g), Kron(S(d, d * u), I(c)))
    local = Kron(I(g * d * u), S(d, c))
    there = mul(bsp.gamma(d * u, g, n), bsp.gamma_inverse(u, g * d, n))
    back = mul(bsp.gamma(u, g * d, n), bsp.gamma_inverse(d * u, g, n))
    return diag(there, mul(groups, packets, local)), diag(Mul(there, back), I(g * d * u * n))


@cache
def equation_3_6() -> tuple[Thm, ...]:
    """S_{p,N} = (S_{p,p^2} ⊗ I_c) (I_p ⊗ S_{p,b}), b = N/p = p c: σ_{p,N} is local, and then moves
    packets of c elements; S_{p,N}^-1 = S_{b,N} = (I_p ⊗ S_{c,b}) (S_{p,p^2} ⊗ I_c).
    """
    c, p = size("c"), size("p")
    packets = Kron(S(p, p), I(c))
    return (
        diag(S(p, p * c), Mul(packets, Kron(I(p), S(p, c)))),
        diag(S(p * c, p), Mul(Kron(I(p), S(c, p)), packets)),
    )


@cache
def next_phase() -> tuple[Thm, ...]:
    """(I_P ⊗ F_d ⊗ I_e) Γ_U (I_g ⊗ T^{Un}_{un}) (L^{gd}_g ⊗ I_{un}) Γ_u^-1 Γ_u (I_{P/u} ⊗ F_{un})
    L^N_{P/u} = Γ_U (I_g ⊗ F_{Un}) L^N_g: groups of u ranks become groups of U = u d.

    n = d e, P = g d u, N = n P. What a phase does to Γ_u (I_{P/u} ⊗ F_{un}) L^N_{P/u} is the same
    with U in place of u: by induction on the phases that is Γ_P F_N at last.
    """
    d, e, g, u = (size(name) for name in "degu")
    n = d * e
    s, groups, after = u * n, g * d, bsp.gamma(u * d, g, n)
    before = bsp.gamma_inverse(u, groups, n), bsp.gamma(u, groups, n)
    transform, weights = Kron(I(groups * u), Kron(F(d), I(e))), Kron(I(g), bsp.twiddle(d, s))
    inner, short = Kron(I(groups), F(s)), Kron(S(g, d), I(s))
    strides, _ = stride_lemma()

    def grouped(*factors: Term) -> Term:
        return mul(after, Kron(I(g), mul(*factors)), S(g, d * s))

    return (
        chain(
            mul(transform, after, weights, short, *before, inner, S(groups, s)),
            mul(transform, after, weights, inner, short, S(groups, s)),
            instantiate(strides, s=s),
            grouped(Kron(F(d), I(s)), bsp.twiddle(d, s), Kron(I(d), F(s)), S(d, s)),
            sym(cooley_tukey(d, s)),
        ),
    )


RADIX = size("r")


def digit_stage(k: Nat, l: Nat) -> Term:
    """Return I_{r^l} ⊗ (F_r ⊗ I_{r^k}) T^{r^{k+1}}_{r^k}."""
    s = power_of(RADIX, k)
    return Kron(I(power_of(RADIX, l)), Mul(Kron(F(RADIX), I(s)), bsp.twiddle(RADIX, s)))


def digit_shuffle(k: Nat, l: Nat) -> Term:
    """Return L^{r^{k+1}}_r ⊗ I_{r^l}."""
    return Kron(S(RADIX, power_of(RADIX, k)), I(power_of(RADIX, l)))


def digit_reversal(n: Nat) -> Pi:
    """Return the reversal of n digits of radix r."""
    return tower(n, digit_shuffle)


@cache
def digit_reversal_step(n: Nat) -> Thm:
    """R_rN = L^{rN}_r (R_N ⊗ I_r), N = r^n."""
    start, last = digit_reversal(n + 1), Kron(digit_reversal(n), I(RADIX))
    pulled = inside(digit_shuffle, lambda X, t: Kron(X, I(RADIX)), n)
    same = restage(
        n, lambda k, l: digit_shuffle(k, l + 1), lambda k, l: Kron(digit_shuffle(k, l), I(RADIX))
    )
    shuffle = S(RADIX, power_of(RADIX, n))
    return chain(start, first(start), same, pulled, mul(shuffle, last))


@cache
def equal_radices() -> tuple[Thm, ...]:
    """F_N = A_{n-1} .. A_1 A_0 R_N, N = r^n, A_k = I_{N/rs} ⊗ (F_r ⊗ I_s) T^rs_s, s = r^k: n phases
    of any radix r, R_N the reversal of digits.
    """
    n = nat("n")

    def left(n: Nat) -> Term:
        return Mul(tower(n, digit_stage), digit_reversal(n))

    def step(hypothesis: Thm) -> Thm:
        more, s = tower(n + 1, digit_stage), power_of(RADIX, n)
        pulled = bsp.beside(RADIX, digit_stage, lambda k, l: digit_stage(k, l + 1), n)
        inner = mul(
            Kron(F(RADIX), I(s)), bsp.twiddle(RADIX, s), Kron(I(RADIX), left(n)), S(RADIX, s)
        )
        return chain(
            Mul(more, digit_reversal(n + 1)),
            first(more),
            pulled,
            digit_reversal_step(n),
            inner,
            hypothesis,
            sym(cooley_tukey(RADIX, s)),
            F(power_of(RADIX, n + 1)),
        )

    return (sym(by_induction("n", left(n), F(power_of(RADIX, n)), step)),)


@cache
def one_exchange_of_two_axes() -> tuple[Thm, ...]:
    """F_N ⊗ F_M = (Γ_p ⊗ Γ_q)^-1 K^-1 (I_pq ⊗ F_p ⊗ I_e ⊗ F_q ⊗ I_f) K (Γ_p ⊗ Γ_q) (T^N_n ⊗ T^M_m)
    K^-1 (I_pq ⊗ F_n ⊗ F_m) K (L^N_p ⊗ L^M_q), n = p e, N = p n, m = q f, M = q m, K = I_p ⊗
    L^{nq}_q ⊗ I_m: one exchange of both axes, on p q ranks, between their local phases.
    """
    e, f, p, q = (size(name) for name in "efpq")
    n, m = p * e, q * f
    (one,) = two_phases()
    ranks = Kron(I(p), Kron(S(q, n), I(m)))
    back = Kron(I(p), Kron(S(n, q), I(m)))
    right = mul(
        Kron(bsp.gamma_inverse(p, ONE, n), bsp.gamma_inverse(q, ONE, m)),
        back,
        Kron(I(p * q), Kron(F(p), Kron(I(e), Kron(F(q), I(f))))),
        ranks,
        Kron(bsp.gamma(p, ONE, n), bsp.gamma(q, ONE, m)),
        Kron(bsp.twiddle(p, n), bsp.twiddle(q, m)),
        back,
        Kron(I(p * q), Kron(F(n), F(m))),
        ranks,
        Kron(S(p, n), S(q, m)),
    )
    return (chain(Kron(F(p * n), F(q * m)), one, instantiate(one, e=f, p=q), right),)
