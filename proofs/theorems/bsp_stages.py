"""Stages and their groups, of Inda and Bisseling (2000). For all sizes: what the search for proofs
does not find, or what has a direct sum over an index with α, which formulas as text do not have.
"""

from __future__ import annotations

from functools import cache

from proofs.kernel.rules import Thm, diag, instantiate, sym
from proofs.kernel.sizes import ONE, Dim, Poly, nat, size
from proofs.kernel.terms import F, I, Kron, Mul, S, Sum, Term
from proofs.lemmas.fourier_stages import (
    ALPHA,
    ZERO,
    beside,
    butterfly,
    corollary_3_2,
    equation_1_6,
    gamma,
    gamma_inverse,
    n,
    reversal,
    stage,
    stages,
)
from proofs.prove.tactics import blocks, chain, mul, tower


def hat(u: Dim, r: Dim, h: Dim, c: Dim, alpha: Poly = ZERO, sign: int = 1) -> Term:
    """Return I_r ⊗ diag(A_{k,n}^{α/u}, ..., A_{k,n}^{(α+u-1)/u}), k = 2 h, n = k c, the right side
    of (4.5).
    """
    groups = blocks(u, lambda s: Kron(I(c), butterfly(h, (s + alpha) / u, sign)))
    return groups if r == ONE else Kron(I(r), groups)


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
