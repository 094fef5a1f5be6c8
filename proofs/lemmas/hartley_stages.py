"""The stages of the fast Hartley transform of X. Lin, T. F. Chan and W. J. Karplus (1988), and
their product. For all sizes.

cas = cos + sin is (1 - i)/2 w + (1 + i)/2 w^-1, w = exp(i angle).
"""

from __future__ import annotations

from fractions import Fraction

from proofs.kernel.rules import Thm, first
from proofs.kernel.sizes import Dim, Nat, Poly, nat
from proofs.kernel.terms import F, I, Kron, Mul, Pi, S, Sum, Term
from proofs.lemmas.fourier_stages import TWO, ZERO, beside, reversal, reversal_step
from proofs.prove.tactics import by_induction, chain, diagonal, mul, tower

HALF = Poly.of(Fraction(1, 2))
n = nat("n")


def hartley(N: Dim) -> Term:
    """Return H_N, entry (j, k) = cas(2 pi j k / N)."""
    return Sum(((HALF, HALF * -1, F(N, 1)), (HALF, HALF, F(N, -1))))


def negation(h: Dim) -> Term:
    """Return the permutation x -> -x mod h, as F_h F_h / h."""
    return Sum(((Poly.of(1) / h, ZERO, Mul(F(h), F(h))),))


def butterfly(h: Dim, turned: bool = False) -> Term:
    """Return [[I, T], [I, -T]], T = diag(cos(2 pi u/2h)) + diag(sin(2 pi u/2h)) (u -> -u mod h), of
    order 2h; transposed where it is `turned`.
    """

    def turn(sign: int) -> Term:
        return diagonal((TWO, h), lambda b, u: b * u * sign / (h * 2))

    cosines = Sum(((HALF, ZERO, turn(1)), (HALF, ZERO, turn(-1))))
    sines = Sum(((ZERO, HALF * -1, turn(1)), (ZERO, HALF, turn(-1))))
    one, minus = Poly.of(1), Kron(I(TWO), negation(h))
    turned_sines = Mul(minus, sines) if turned else Mul(sines, minus)
    turns = Sum(((one, ZERO, cosines), (one, ZERO, turned_sines)))
    both = Kron(F(TWO), I(h)), turns
    return mul(*(both[::-1] if turned else both))


def stage(k: Nat, l: Nat) -> Term:
    """Return L_s = I ⊗ [[I, T], [I, -T]], s = k + 1."""
    return Kron(I(2**l), butterfly(2**k))


def stages(n: Nat) -> Pi:
    """Return L_n ... L_2 L_1."""
    return tower(n, stage)


def fht_factorization() -> tuple[Thm, ...]:
    """H_N = L_n ... L_2 L_1 P_N, N = 2^n."""

    def step(hypothesis: Thm) -> Thm:
        more = stages(n + 1)
        half = mul(butterfly(2**n), Kron(I(TWO), Mul(stages(n), reversal(n))), S(TWO, 2**n))
        pulled = beside(TWO, stage, lambda k, l: stage(k, l + 1), n)
        return chain(
            Mul(more, reversal(n + 1)),
            first(more),
            pulled,
            reversal_step(n),
            half,
            hypothesis,
            hartley(2 ** (n + 1)),
        )

    return (by_induction("n", Mul(stages(n), reversal(n)), hartley(2**n), step),)
