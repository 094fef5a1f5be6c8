"""Butterflies, stages and the bit reversal of M. A. Inda and R. H. Bisseling (2000), and lemmas on
their products. For all sizes.

Sizes that divide others are written as products, exponents of powers of two as sums. The sign is
that of the transform.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from proofs.kernel.kernel_rules import Thm, first, instantiate, sym
from proofs.kernel.numbers import ONE, Dim, Nat, Poly, Real, nat
from proofs.kernel.terms import F, I, Kron, Mul, Pi, S, Term
from proofs.prove.tactics import Body, by_induction, chain, diagonal, kron, meet, mul, tower
from proofs.prove.towers.inductions import inside, restage

TWO, ZERO, NONE = Dim.of(2), Poly.of(0), Nat.of(0)
ALPHA = Poly.of(Real("alpha"))
n = nat("n")


def butterfly(h: Dim, alpha: Poly = ZERO, sign: int = 1) -> Term:
    """Return B_2h^alpha = (F_2 ⊗ I_h) diag(I_h, Omega_h^alpha), (1.11)."""
    return Mul(
        Kron(F(TWO, sign), I(h)), diagonal((TWO, h), lambda b, j: b * (j + alpha) * sign / (h * 2))
    )


def stage_by(butterfly: Callable[[Dim], Term]) -> Body:
    """Return I_{N/K} ⊗ B_K for K = 2^(k+1), N = K 2^l, from the butterflies B_K of h = K/2."""
    return lambda k, l: Kron(I(2**l), butterfly(2**k))


def stage(alpha: Poly = ZERO, sign: int = 1) -> Body:
    """Return A_{K,N}^alpha = I_{N/K} ⊗ B_K^alpha, (1.10)."""
    return stage_by(partial(butterfly, alpha=alpha, sign=sign))


def stages(n: Nat, alpha: Poly = ZERO, sign: int = 1) -> Pi:
    """Return R_N^alpha = A_{N,N}^alpha ... A_{4,N}^alpha A_{2,N}^alpha, N = 2^n."""
    return tower(n, stage(alpha, sign))


def reversal(n: Nat) -> Pi:
    """Return the bit reversal P_N, N = 2^n, as S_{2,N} (S_{2,N/2} ⊗ I_2) ... (S_{2,2} ⊗
    I_{N/2}).
    """
    return tower(n, lambda k, l: Kron(S(TWO, 2**k), I(2**l)))


def twiddle(r: Dim, s: Dim, sign: int = 1) -> Term:
    """Return T^rs_s."""
    return diagonal((r, s), lambda i, j: i * j * sign / (r * s))


def gamma(u: Dim, r: Dim, n: Dim) -> Term:
    """Return Γ_{u,p,N} = I_r ⊗ S_{u,nu}, p = r u, N = n p, (2.4)."""
    return S(u, n) if r == ONE else Kron(I(r), S(u, n))


def gamma_inverse(u: Dim, r: Dim, n: Dim) -> Term:
    """Return Γ_{u,p,N}^-1 = Γ_{n,nr,N}."""
    return gamma(n, r, u)


@cache
def reversal_step(n: Nat) -> Thm:
    """P_2N = S_{2,2N} (P_N ⊗ I_2)."""
    start = reversal(n + 1)
    pulled = inside(lambda k, l: Kron(S(TWO, 2**k), I(2**l)), lambda X, t: Kron(X, I(TWO)), n)
    same = restage(
        n,
        lambda k, l: Kron(S(TWO, 2**k), I(2 ** (l + 1))),
        lambda k, l: kron(S(TWO, 2**k), I(2**l), I(TWO)),
    )
    return chain(start, first(start), same, pulled, mul(S(TWO, 2**n), Kron(reversal(n), I(TWO))))


def beside(before: Dim, body: Body, shifted: Callable[[Nat, Nat], Term], count: Nat) -> Thm:
    """Return (tower of shifted) = I ⊗ (tower of body), where shifted = I ⊗ body stage by stage."""
    return chain(
        tower(count, shifted),
        restage(count, shifted, lambda k, l: Kron(I(before), body(k, l))),
        inside(body, lambda X, t: Kron(I(before), X), count),
    )


def factorization(butterfly: Callable[[Dim], Term], transform: Callable[[Nat], Term]) -> Thm:
    """Return (stages of these butterflies) P_N = X_N, N = 2^n, for a transform with
    X_2N = B_2N (I_2 ⊗ X_N) S_{2,2N}.
    """
    body = stage_by(butterfly)

    def step(hypothesis: Thm) -> Thm:
        more = tower(n + 1, body)
        half = mul(butterfly(2**n), Kron(I(TWO), hypothesis.left), S(TWO, 2**n))
        pulled = beside(TWO, body, lambda k, l: body(k, l + 1), n)
        return chain(
            Mul(more, reversal(n + 1)),
            first(more),
            pulled,
            reversal_step(n),
            half,
            hypothesis,
            transform(n + 1),
        )

    return by_induction("n", Mul(tower(n, body), reversal(n)), transform(n), step)


@cache
def phase_is_dft(alpha: Poly = ALPHA, sign: int = 1) -> tuple[Thm, ...]:
    """R_N^α P_N = F_N diag(w_N^{αt}), N = 2^n."""

    def right(n: Nat) -> Term:
        return Mul(F(2**n, sign), diagonal((2**n,), lambda t: t * alpha * sign / 2**n))

    return (factorization(partial(butterfly, alpha=alpha, sign=sign), right),)


@cache
def equation_1_6(sign: int = 1) -> tuple[Thm, ...]:
    """F_N = A_{N,N} ... A_{4,N} A_{2,N} P_N, N = 2^n."""
    (phase,) = phase_is_dft(ALPHA, sign)
    return (
        sym(
            chain(
                Mul(stages(n, ZERO, sign), reversal(n)),
                instantiate(phase, alpha=ZERO),
                F(2**n, sign),
            )
        ),
    )


@cache
def lemma_3_1() -> tuple[Thm, ...]:
    """P_N = S_{u,N} (P_{N/u} ⊗ P_u), u = 2^q, N = 2^(d+q): rev_N(j) = rev_{N/u}(j div u) + N/u
    rev_u(j mod u).
    """
    d, q = nat("d"), nat("q")

    def right(q: Nat) -> Term:
        return Mul(S(2**q, 2**d), Kron(reversal(d), reversal(q)))

    def step(hypothesis: Thm) -> Thm:
        return meet(
            chain(reversal(d + q + 1), reversal_step(d + q), hypothesis),
            chain(right(q + 1), reversal_step(q)),
        )

    return (by_induction("q", reversal(d + q), right(q), step),)


@cache
def corollary_3_2() -> tuple[Thm, ...]:
    """P_N = (I_u ⊗ P_{N/u}) (P_u ⊗ I_{N/u}) S_{u,N}, u = 2^q, N = 2^(d+q)."""
    d, q = nat("d"), nat("q")
    right = mul(Kron(I(2**q), reversal(d)), Kron(reversal(q), I(2**d)), S(2**q, 2**d))
    return (chain(reversal(d + q), *lemma_3_1(), right),)
