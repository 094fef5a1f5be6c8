"""M. A. Inda, R. H. Bisseling: A simple and efficient parallel FFT algorithm using the BSP model,
2000. For all sizes.

Sizes that divide others are written as products, exponents of powers of two as sums. The sign is
that of the transform.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from proofs.kernel.rules import Thm, assume, diag, first, instantiate, sym
from proofs.kernel.sizes import ONE, Dim, Nat, Poly, Real, nat, size
from proofs.kernel.terms import F, I, Kron, Mul, Pi, S, Sum, Term, Var
from proofs.prove.tactics import Body, blocks, by_induction, chain, diagonal, kron, meet, mul, tower
from proofs.prove.towers.inductions import inside, restage

TWO, ZERO, NONE = Dim.of(2), Poly.of(0), Nat.of(0)
ALPHA = Poly.of(Real("alpha"))
n = nat("n")


def butterfly(h: Dim, alpha: Poly = ZERO, sign: int = 1) -> Term:
    """Return B_2h^alpha = (F_2 ⊗ I_h) diag(I_h, Omega_h^alpha), (1.11)."""
    return Mul(
        Kron(F(TWO, sign), I(h)), diagonal((TWO, h), lambda b, j: b * (j + alpha) * sign / (h * 2))
    )


def stage(alpha: Poly = ZERO, sign: int = 1) -> Body:
    """Return A_{K,N}^alpha = I_{N/K} ⊗ B_K^alpha for K = 2^(k+1), N = K 2^l, (1.10)."""
    return lambda k, l: Kron(I(2**l), butterfly(2**k, alpha, sign))


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


def hat(u: Dim, r: Dim, h: Dim, c: Dim, alpha: Poly = ZERO, sign: int = 1) -> Term:
    """Return I_r ⊗ diag(A_{k,n}^{α/u}, ..., A_{k,n}^{(α+u-1)/u}), k = 2 h, n = k c, the right side
    of (4.5).
    """
    groups = blocks(u, lambda s: Kron(I(c), butterfly(h, (s + alpha) / u, sign)))
    return groups if r == ONE else Kron(I(r), groups)


@cache
def cooley_tukey() -> tuple[Thm, ...]:
    """F_rs = (F_r ⊗ I_s) T^rs_s (I_r ⊗ F_s) L^rs_r."""
    r, s = size("r"), size("s")
    return (diag(F(r * s), mul(Kron(F(r), I(s)), twiddle(r, s), Kron(I(r), F(s)), S(r, s))),)


def lemma_1_2() -> tuple[Thm, ...]:
    """(A ⊗ B)(C ⊗ D) = AC ⊗ BD; I_m ⊗ I_n = I_mn; (A ⊗ I)(I ⊗ B) = A ⊗ B = (I ⊗ B)(A ⊗ I); from AB
    = BA, (I ⊗ A)(I ⊗ B) = (I ⊗ B)(I ⊗ A).
    """
    m, n, q, r, s, t = (size(name) for name in "mnqrst")
    A, B, C, D = Var("A", q, r), Var("B", m, n), Var("C", r, s), Var("D", n, t)
    X, Y, Z = Var("X", m, m), Var("Y", n, n), Var("Z", n, n)
    commute = assume(Mul(Y, Z), Mul(Z, Y))
    return (
        diag(Mul(Kron(A, B), Kron(C, D)), Kron(Mul(A, C), Mul(B, D))),
        diag(Kron(I(m), I(n)), I(m * n)),
        diag(Mul(Kron(X, I(n)), Kron(I(m), Y)), Kron(X, Y)),
        diag(Mul(Kron(I(m), Y), Kron(X, I(n))), Kron(X, Y)),
        chain(
            Mul(Kron(I(m), Y), Kron(I(m), Z)),
            Kron(I(m), Mul(Y, Z)),
            commute,
            Mul(Kron(I(m), Z), Kron(I(m), Y)),
        ),
    )


@cache
def equation_1_12() -> tuple[Thm, ...]:
    """B_K^α (I_2 ⊗ B_{K/2}^α) = (F_4 P_4 ⊗ I_{K/4}) diag(Λ^0, Λ^2, Λ^1, Λ^3), K = 4 q, Λ =
    diag(w_K^{j+α}): the blocks of (1.12).
    """
    q = size("q")
    weights = diagonal((TWO, TWO, q), lambda a, b, j: (a + b * 2) * (j + ALPHA) / (q * 4))
    blocks_of_1_12 = Mul(Kron(Mul(F(Dim.of(4)), S(TWO, TWO)), I(q)), weights)
    return (diag(Mul(butterfly(q * 2, ALPHA), Kron(I(TWO), butterfly(q, ALPHA))), blocks_of_1_12),)


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


@cache
def phase_is_dft(alpha: Poly = ALPHA, sign: int = 1) -> tuple[Thm, ...]:
    """R_N^α P_N = F_N diag(w_N^{αt}), N = 2^n."""

    def right(n: Nat) -> Term:
        return Mul(F(2**n, sign), diagonal((2**n,), lambda t: t * alpha * sign / 2**n))

    def step(hypothesis: Thm) -> Thm:
        more, body = stages(n + 1, alpha, sign), stage(alpha, sign)
        half = mul(
            butterfly(2**n, alpha, sign),
            Kron(I(TWO), Mul(stages(n, alpha, sign), reversal(n))),
            S(TWO, 2**n),
        )
        pulled = beside(TWO, body, lambda k, l: body(k, l + 1), n)
        return chain(
            Mul(more, reversal(n + 1)),
            first(more),
            pulled,
            reversal_step(n),
            half,
            hypothesis,
            right(n + 1),
        )

    return (by_induction("n", Mul(stages(n, alpha, sign), reversal(n)), right(n), step),)


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


def equation_1_14() -> tuple[Thm, ...]:
    """F_N (1/N) Ā_{N,N} ... Ā_{4,N} Ā_{2,N} P_N = I_N = (1/N) Ā_{N,N} ... Ā_{2,N} P_N F_N, N =
    2^n.
    """
    (bar,) = equation_1_6(-1)
    factors = Sum(((Poly.of(1) / 2**n, ZERO, bar.right),))
    return (
        chain(Mul(F(2**n), factors), sym(bar), I(2**n)),
        chain(Mul(factors, F(2**n)), sym(bar), I(2**n)),
    )


@cache
def theorem_2_2() -> tuple[Thm, ...]:
    """S_{u,M} A_{ku,M}^α S_{u,M}^-1 = diag(A_{k,n}^{α/u}, ..., A_{k,n}^{(α+u-1)/u}), n = M/u; the
    paper has α = 0.
    """
    u, h, c = size("u"), size("h"), size("c")
    n = h * c * 2
    right = blocks(u, lambda s: Kron(I(c), butterfly(h, (s + ALPHA) / u)))
    general = diag(mul(S(u, n), Kron(I(c), butterfly(h * u, ALPHA)), S(n, u)), right)
    return general, instantiate(general, alpha=ZERO)


def corollary_2_3() -> tuple[Thm, ...]:
    """Γ_u A_{ku,N} Γ_u^-1 = I_r ⊗ diag(A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u}), n = N/p, p = r u."""
    u, r, h, c = (size(name) for name in "urhc")
    n, (_, one_group) = h * c * 2, theorem_2_2()
    start = mul(gamma(u, r, n), Kron(I(r * c), butterfly(h * u)), gamma_inverse(u, r, n))
    return (chain(start, Kron(I(r), one_group.left), one_group),)


def equation_4_5() -> tuple[Thm, ...]:
    """Γ_{u,v,n} A_{ku,n}^α Γ_{u,v,n}^-1 = I_{v/u} ⊗ diag(A_{k,n/v}^{α/u}, ...,
    A_{k,n/v}^{(α+u-1)/u}).
    """
    u, r, h, c = (size(name) for name in "urhc")
    start = mul(
        gamma(u, r, h * c * 2),
        Kron(I(r * c), butterfly(h * u, ALPHA)),
        gamma_inverse(u, r, h * c * 2),
    )
    return (diag(start, hat(u, r, h, c, ALPHA)),)


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


def equation_4_2() -> tuple[Thm, ...]:
    """Γ_u A_{n,N} ... A_{2,N} P_N = Γ_u (I_p ⊗ F_n) (P_p ⊗ I_n) S_{p,N} = Γ_u (P_p ⊗ I_n) (I_p ⊗
    F_n) S_{p,N}, p = 2^(b+a), u = 2^a, n = 2^m.
    """
    a, b, m = nat("a"), nat("b"), nat("m")
    p = a + b
    groups = gamma(2**a, 2**b, 2**m)
    first_stages = tower(m, lambda k, l: stage()(k, l + p))
    local = beside(2**p, stage(), lambda k, l: stage()(k, l + p), m)
    (split_reversal,) = (instantiate(t, d=m, q=p) for t in corollary_3_2())
    (fourier,) = (instantiate(t, n=m) for t in equation_1_6())
    together = mul(
        Kron(I(2**p), Mul(stages(m), reversal(m))), Kron(reversal(p), I(2**m)), S(2**p, 2**m)
    )
    middle = chain(
        Mul(first_stages, reversal(m + p)), local, split_reversal, together, sym(fourier)
    )
    end = chain(
        middle.right, mul(Kron(reversal(p), I(2**m)), Kron(I(2**p), F(2**m)), S(2**p, 2**m))
    )
    return tuple(chain(mul(groups, x.left), x, mul(groups, x.right)) for x in (middle, end))
