"""H_N H_N = N I_N, from the squares of F_N and its conjugate."""

from __future__ import annotations

from proofs.kernel import rules
from proofs.kernel.rules import Thm, diag, refl, sym, trans
from proofs.kernel.sizes import Poly, size
from proofs.kernel.terms import F, I, Mul, Sum
from proofs.lemmas.fourier_stages import ZERO
from proofs.lemmas.hartley_stages import HALF, hartley
from proofs.prove.tactics import chain, chain_on, mul


def squares_agree() -> Thm:
    """F_N F_N = conj(F_N) conj(F_N), by F_N F_N F_N = N conj(F_N) and conj(F_N) F_N = N I_N."""
    N = size("N")
    f, g, n = F(N), F(N, -1), Poly.of(N)
    cube = diag(mul(f, f, f), Sum(((n, ZERO, g),)))
    one = diag(Sum(((Poly.of(1) / N, ZERO, Mul(f, g)),)), I(N))
    start = chain(mul(f, f), Mul(mul(f, f), I(N)))
    times = trans(start, rules.mul(refl(mul(f, f)), sym(one)))
    return chain_on(times, Sum(((Poly.of(1) / N, ZERO, Mul(mul(f, f, f), g)),)), cube, mul(g, g))


def fht_inverse() -> tuple[Thm, ...]:
    """H_N H_N = N I_N."""
    N, both = size("N"), (HALF * -1, HALF)
    f, g = F(N), F(N, -1)
    squares = ((ZERO, turn, mul(x, x)) for turn, x in zip(both, (f, g), strict=True))
    expanded = Sum((*squares, (Poly.of(1), ZERO, mul(f, g))))
    start, end = Mul(hartley(N), hartley(N)), Sum(((Poly.of(N), ZERO, I(N)),))
    return (chain(start, expanded, sym(squares_agree()), end),)
