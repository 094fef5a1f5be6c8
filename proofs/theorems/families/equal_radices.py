"""F_N by any number of phases of one radix. For all sizes."""

from __future__ import annotations

from functools import cache

from proofs.kernel.rules import Thm, first, sym
from proofs.kernel.sizes import Nat, nat, power_of, size
from proofs.kernel.terms import F, I, Kron, Mul, Pi, S, Term
from proofs.lemmas import fourier_stages
from proofs.prove.tactics import by_induction, chain, mul, tower
from proofs.prove.towers.inductions import inside, restage
from proofs.theorems.stated import cooley_tukey

RADIX = size("r")


def digit_stage(k: Nat, l: Nat) -> Term:
    """Return I_{r^l} ⊗ (F_r ⊗ I_{r^k}) T^{r^{k+1}}_{r^k}."""
    s = power_of(RADIX, k)
    return Kron(I(power_of(RADIX, l)), Mul(Kron(F(RADIX), I(s)), fourier_stages.twiddle(RADIX, s)))


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
        pulled = fourier_stages.beside(RADIX, digit_stage, lambda k, l: digit_stage(k, l + 1), n)
        inner = mul(
            Kron(F(RADIX), I(s)),
            fourier_stages.twiddle(RADIX, s),
            Kron(I(RADIX), left(n)),
            S(RADIX, s),
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
