"""M. A. Inda, R. H. Bisseling: A simple and efficient parallel FFT algorithm using the BSP model,
2000. For all sizes.

Sizes that divide others are written as products, exponents of powers of two as sums. The sign is
that of the transform.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from proofs.kernel.rules import Thm, assume, diag, first, instantiate, recount, sym
from proofs.kernel.sizes import ONE, Dim, Nat, Poly, Real, nat, size
from proofs.kernel.terms import F, I, Kron, Mul, Pi, S, Sum, Term, Var
from proofs.prove.tactics import (
    Body,
    blocks,
    by_induction,
    chain,
    diagonal,
    grouped,
    inside,
    kron,
    meet,
    mul,
    restage,
    split,
    tower,
)

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


Count = Callable[[Nat], Nat]
Place = Callable[[Nat, Nat], tuple[Dim, Dim, Dim, Dim]]
"""(u, r, h, c) of the stage with k before it and l after it in its phase: Γ_{u,ru,N}, and k_paper =
2 h, n = 2 h c.
"""


def phase(
    count: Nat,
    first_stage: Count,
    after: Count,
    place: Place,
    alpha: Poly = ZERO,
    printed_as: str = "blocks",
) -> Thm:
    """Return a tower of stages A^α as Γ_u^-1 (tower of Γ_u A^α Γ_u^-1) Γ_u.

    first_stage(count) stages come before, after(count) follow. Each Γ_u A^α Γ_u^-1 is in its block
    diagonal form, or as it stands (`printed_as` = "stages").
    """

    def between(X: Term, t: Nat) -> Term:
        u, r, h, c = place(t - 1, NONE)
        return mul(gamma_inverse(u, r, h * c * 2), X, gamma(u, r, h * c * 2))

    def plain(k: Nat, l: Nat) -> Term:
        return stage(alpha)(k + first_stage(k + l + 1), l + after(k + l + 1))

    def apart(k: Nat, l: Nat) -> Term:
        u, r, h, c = place(k, l)
        return (
            hat(u, r, h, c, alpha)
            if printed_as == "blocks"
            else mul(gamma(u, r, h * c * 2), plain(k, l), gamma_inverse(u, r, h * c * 2))
        )

    start = tower(count, lambda k, l: stage(alpha)(k + first_stage(count), l + after(count)))
    counted = (recount(start),) if start != tower(count, plain) else ()
    return chain(
        start,
        *counted,
        restage(count, plain, lambda k, l: between(apart(k, l), k + l + 1)),
        inside(apart, between, count),
    )


def last_place(e: Nat, g: Nat) -> Place:
    """Return the places in a last phase of t = k + l + 1 stages: n = 2^(t+e), u = p = n^g 2^t."""
    return lambda k, l: (2 ** (g * (k + l + 1 + e) + k + l + 1), ONE, 2 ** (k + e), 2**l)


def full_phases(count: Nat, m: Nat, before: Nat, a: Nat, alpha: Poly = ZERO) -> Thm:
    """Return a tower of count m stages as `count` phases J = before, before + 1, ... of m stages, u
    = n^J, n = 2^m.

    before m stages come before, a after.
    """
    J, K = nat("k0"), nat("l0")
    one = phase(
        m,
        lambda t: (J + before) * m,
        lambda t: K * m + a,
        lambda k, l: (2 ** ((J + before) * m), 2 ** (K * m + a), 2**k, 2**l),
        alpha,
    )
    apart = grouped(lambda k, l: stage(alpha)(k + before * m, l + a), count, m)
    return chain(apart.left, apart, one)


@cache
def equation_2_5(printed_as: str = "stages") -> tuple[Thm, ...]:
    """F_N = Γ_p^-1 (Γ_p A_{N,N} Γ_p^-1) ... (Γ_p A_{2N/p,N} Γ_p^-1) Γ_p A_{N/p,N} ... A_{2,N} P_N,
    p = 2^a, N/p = 2^(a+e).
    """
    a, e = nat("a"), nat("e")
    m = a + e
    (fourier,) = (instantiate(t, n=a + m) for t in equation_1_6())
    long = phase(a, lambda t: t + e, lambda t: NONE, last_place(e, NONE), ZERO, printed_as)
    return (chain(F(2 ** (a + m)), fourier, split(stage(), a, m), long),)


def equation_2_7() -> tuple[Thm, ...]:
    """F_N = Γ_p^-1 Â_{N/p,p} ... Â_{2N/p²,p} Γ_p Γ_1^-1 Â_{N/p,1} ... Â_{2,1} Γ_1 P_N, p = 2^a, N/p
    = 2^(a+e), every Â_{k,u} block diagonal.

    Γ_1 = I is left out.
    """
    a, e = nat("a"), nat("e")
    (found,) = equation_2_5("blocks")
    short = restage(
        a + e, lambda k, l: stage()(k, l + a), lambda k, l: Kron(I(2**a), stage()(k, l))
    )
    return (chain(found.left, found, short),)


def equation_2_8() -> tuple[Thm, ...]:
    """F_N = product over the phases J = H-1, ..., 0 of Γ_u^-1 Â_{n,u} ... Â_{.,u} Γ_u, times P_N, u
    = min(p, n^J), every Â_{k,u} block diagonal.

    n = N/p = 2^m, p = 2^(g m + a), m = a + e: g + 1 phases of m stages and a last one of a stages,
    H = g + 2 if a > 0. For p = 1 (g = a = 0) the last phase is empty.
    """
    a, e, g = nat("a"), nat("e"), nat("g")
    m = a + e
    count = (g + 1) * m
    (fourier,) = (instantiate(t, n=a + count) for t in equation_1_6())
    last_phase = phase(a, lambda t: (g + 1) * (t + e), lambda t: NONE, last_place(e, g))
    return (
        chain(
            fourier.left,
            fourier,
            split(stage(), a, count),
            last_phase,
            full_phases(g + 1, m, NONE, a),
        ),
    )


@cache
def first_phase() -> Thm:
    """Return the q stages before stage (j + 1) m as a phase, u = c^j, c = 2^m, m = d + q; f m + a
    stages follow.
    """
    a, d, f, j, q = (nat(name) for name in "adfjq")

    def place(k: Nat, l: Nat) -> tuple[Dim, Dim, Dim, Dim]:
        m = d + k + l + 1
        return 2 ** (j * m), 2 ** (f * m + a), 2 ** (d + k), 2**l

    return phase(q, lambda t: j * (d + t) + d, lambda t: f * (d + t) + a, place, ALPHA)


def equation_4_4() -> tuple[Thm, ...]:
    """R_{l,n}^α = A_{n,n}^α ... A_{l,n}^α = product over the phases J = h-1, ..., j of Γ_u^-1
    Â_{c,u}^α ... Γ_u, u = min(v, c^J), c = n/v.

    c = 2^m, v = 2^(g m + a), l = 2^(j m + d + 1), m = a + e = d + q. Phase j < h-1 has the q stages
    from l on, f = g - j phases have m stages, the last has a. Three cases: d = a + y; a = d + y;
    and l in the last phase, which then is the only one.
    """
    a, d, e, f, g, j, q, y = (nat(name) for name in "adefgjqy")

    def case(a: Nat, d: Nat, e: Nat, q: Nat) -> Thm:
        m, plain = d + q, stage(ALPHA)
        from_l = split(lambda k, l: plain(k + j * m + d, l), a, f * m + q)
        rest = split(lambda k, l: plain(k + j * m + d, l + a), f * m, q)
        last_one = instantiate(last_phase, a=a, e=e, g=j + f)
        first_one = instantiate(first_phase(), a=a, d=d, q=q)
        return chain(
            from_l.left, from_l, rest, last_one, full_phases(f, m, j + 1, a, ALPHA), first_one
        )

    def only(k: Nat, l: Nat) -> tuple[Dim, Dim, Dim, Dim]:
        t = k + l + 1
        return 2 ** (g * (d + t + e) + d + t), ONE, 2 ** (e + d + k), 2**l

    last_phase = phase(a, lambda t: (g + 1) * (t + e), lambda t: NONE, last_place(e, g), ALPHA)
    one_phase = phase(q, lambda t: (g + 1) * (d + t + e) + d, lambda t: NONE, only, ALPHA)
    return case(a, a + y, y + q, q), case(d + y, d, e, y + e), one_phase
