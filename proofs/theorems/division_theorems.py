"""Theorems by division with remainder, for all sizes: the partition of the Hartley transform on P
ranks (Lin, Chan & Karplus 1988, section 2), whose last stages are local; Lemma A.1 of Inda &
Bisseling 2000.

A place is an integer polynomial. x mod h is x - h q for an integer q, with a new letter q for every
division; so a statement about residues is an identity of polynomials, difference = modulus *
quotient, which the arithmetic of proofs/kernel/numbers.py decides. 0 < R < P is R = ρ + 1, P = ρ
+ ω + 2 with natural ρ and ω; a polynomial without negative coefficients is natural.
"""

from __future__ import annotations

from proofs.blocks.divisions import Division, Local
from proofs.kernel.numbers import Nat, nat

DIVISION = (
    "division with remainder: x mod h = x - h q for an integer q, and quotient and remainder are"
    " unique"
)
a, b, i, m, q, q2, P, R, z, rho, omega = (
    nat(name) for name in ("a", "b", "i", "m", "q", "q2", "P", "R", "z", "ρ", "ω")
)
ZERO = Nat.of(0)


INSIDE = {"R": rho + 1, "P": rho + omega + 2}
"""0 < R < P."""
POSITIVE = {"P": omega + 1}
"""0 < P."""


def lists() -> tuple[Division, ...]:
    """Return what Algorithm 1 makes at stage s = lg P + 1, so 2^(s-1) = P: first and second, and
    the remainders mod 2 P of all lists.
    """
    twice, inside, positive = P * 2, tuple(INSIDE.items()), tuple(POSITIVE.items())
    return (
        Division(R, P, ZERO, R, inside),
        Division(R, twice, ZERO, R, inside),
        Division(R + twice * i, twice, i, R, inside),
        Division(twice - R + twice * i, twice, i, twice - R, inside),
        Division(twice - R, P, Nat.of(1), P - R, inside),
        Division(twice * i, twice, i, ZERO, positive),
        Division(P + twice * i, twice, i, P, positive),
    )


def reads() -> tuple[tuple[str, Nat], ...]:
    """Return the three places that F(s, m) is made of, h = 2^(s-1) = 2 P a, base = 2 h b, u = m -
    base.
    """
    h = P * a * 2
    base = h * b * 2
    u = m - base
    return (
        ("base + u mod h", base + (u - h * q)),
        ("base + h + u mod h", base + h + (u - h * q)),
        ("base + h + (-u mod h)", base + h + (ZERO - u - h * q2)),
    )


def partition() -> tuple[Division | Local, ...]:
    """F(s, m) is made of elements that the rank of m has, for s > lg P + 1: rank R has the m with m
    = ±R mod 2P, rank 0 those with m = 0 or P.
    """
    same, onward, back = a * q * -1, a - a * q, a + a * b * 4 - a * q2
    of_rank = (
        ((0, z + same), (0, z + onward), (1, back - z - 1)),
        ((1, z + same), (1, z + onward), (0, back - z - 1)),
    )
    of_zero = (
        ((0, z + same), (0, z + onward), (0, back - z)),
        ((1, z + same), (1, z + onward), (1, back - z - 1)),
    )
    return (
        *lists(),
        Local((R, P * 2 - R), P * 2, reads(), of_rank, "rank R"),
        Local((ZERO, P), P * 2, reads(), of_zero, "rank 0"),
    )


def lemma_a_1() -> tuple[Division, ...]:
    """σ(j) = (j mod u) M/u + j div u, K = k u, k = 2 h, M = e K: 1. from j mod K < K/2 follows
    σ(j) mod k < k/2; 2. σ(j + K/2) = σ(j) + k/2; 3. (σ^-1(j) mod K)/K = (j_1 mod k + j_0/u)/k for
    j = j_0 M/u + j_1.
    """
    b, c, e, h, k, q, u, x, y = (nat(name) for name in "bcehkquxy")
    of_c, of_h, of_k = (("u", c + x + 1),), (("h", b + y + 1),), (("k", b + y + 1),)
    within, j = b * u + c, h * u * a * 2 + b * u + c
    j1 = k * a + b
    return (
        Division(j, h * u * 2, a, within, of_c + of_h),
        Division(within, h * u, ZERO, within, of_c + of_h),
        Division(j, u, h * a * 2 + b, c, of_c),
        Division(c * e * h * 2 + h * a * 2 + b, h * 2, c * e + a, b, of_h),
        Division(b, h, ZERO, b, of_h),
        Division(q * u + c, u, q, c, of_c),
        Division(q * u + c + h * u, u, q + h, c, of_c),
        Division(j1 * u + c, u, j1, c, of_c),
        Division(j1 * u + c, k * u, a, within, of_c + of_k),
        Division(j1, k, a, b, of_k),
    )
