"""X. Lin, T. F. Chan, W. J. Karplus: The fast Hartley transform on the hypercube multiprocessors,
1988. For all sizes.

cas = cos + sin is (1 - i)/2 w + (1 + i)/2 w^-1, w = exp(i angle).
"""

from __future__ import annotations

from fractions import Fraction

from proofs.kernel import rules
from proofs.kernel.rules import Thm, diag, first, refl, sym, trans
from proofs.kernel.sizes import Dim, Nat, Poly, nat, size
from proofs.kernel.terms import F, I, Kron, Mul, Pi, S, Sum, Term
from proofs.prove.tactics import by_induction, chain, chain_on, diagonal, mul, tower
from proofs.theorems.bsp import TWO, ZERO, beside, reversal, reversal_step

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


def fht_step() -> tuple[Thm, ...]:
    """H_2h = [[I, T], [I, -T]] (I_2 ⊗ H_h) S_{2,2h}."""
    h = size("h")
    return (diag(hartley(h * 2), mul(butterfly(h), Kron(I(TWO), hartley(h)), S(TWO, h))),)


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
