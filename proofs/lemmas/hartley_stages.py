"""The stages of the fast Hartley transform of X. Lin, T. F. Chan and W. J. Karplus (1988), and
their product. For all sizes.

cas = cos + sin is (1 - i)/2 w + (1 + i)/2 w^-1, w = exp(i angle).
"""

from __future__ import annotations

from fractions import Fraction

from proofs.kernel.kernel_rules import Thm
from proofs.kernel.numbers import Dim, Nat, Poly
from proofs.kernel.terms import F, I, Kron, Mul, Pi, Sum, Term
from proofs.lemmas.fourier_stages import TWO, ZERO, factorization, stage_by
from proofs.prove.tactics import diagonal, mul, tower

HALF = Poly.of(Fraction(1, 2))


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


def stages(n: Nat) -> Pi:
    """Return L_n ... L_2 L_1, L_s = I ⊗ [[I, T], [I, -T]] of order 2^s."""
    return tower(n, stage_by(butterfly))


def fht_factorization() -> tuple[Thm, ...]:
    """H_N = L_n ... L_2 L_1 P_N, N = 2^n."""
    return (factorization(butterfly, lambda n: hartley(2**n)),)
