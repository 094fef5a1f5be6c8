"""Stages and their groups, of Inda and Bisseling (2000). For all sizes: what the search for proofs
does not find, or what has a direct sum over an index with α, which formulas as text do not have.
"""

from __future__ import annotations

from functools import cache

from proofs.kernel.kernel_rules import Thm, diag, instantiate
from proofs.kernel.numbers import ONE, Dim, Poly, size
from proofs.kernel.terms import I, Kron, S, Term
from proofs.lemmas.fourier_stages import ALPHA, ZERO, butterfly, gamma, gamma_inverse
from proofs.prove.tactics import blocks, mul


def hat(u: Dim, r: Dim, h: Dim, c: Dim, alpha: Poly = ZERO) -> Term:
    """Return I_r ⊗ diag(A_{k,n}^{α/u}, ..., A_{k,n}^{(α+u-1)/u}), k = 2 h, n = k c, the right side
    of (4.5).
    """
    groups = blocks(u, lambda s: Kron(I(c), butterfly(h, (s + alpha) / u)))
    return groups if r == ONE else Kron(I(r), groups)


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
