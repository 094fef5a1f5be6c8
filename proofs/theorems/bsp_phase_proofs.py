"""The phases of the parallel FFT of Inda and Bisseling, 2000, sections 2 and 4. For all sizes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from proofs.kernel.kernel_rules import Thm, instantiate, recount
from proofs.kernel.numbers import ONE, Dim, Nat, Poly, nat
from proofs.kernel.terms import Term
from proofs.lemmas.fourier_stages import (
    ALPHA,
    NONE,
    ZERO,
    equation_1_6,
    gamma,
    gamma_inverse,
    stage,
)
from proofs.prove.tactics import chain, mul, tower
from proofs.prove.towers.inductions import grouped, inside, restage, split
from proofs.theorems.bsp_stages import hat

Count = Callable[[Nat], Nat]
Place = Callable[[Nat, Nat], tuple[Dim, Dim, Dim, Dim]]
"""(u, r, h, c) of the stage with k before it and l after it in its phase: Γ_{u,ru,N}, and k_paper =
2 h, n = 2 h c.
"""


def phase(count: Nat, first_stage: Count, after: Count, place: Place, alpha: Poly = ZERO) -> Thm:
    """Return a tower of stages A^α as Γ_u^-1 (tower of Γ_u A^α Γ_u^-1) Γ_u, each in its block
    diagonal form.

    first_stage(count) stages come before, after(count) follow.
    """

    def between(X: Term, t: Nat) -> Term:
        u, r, h, c = place(t - 1, NONE)
        return mul(gamma_inverse(u, r, h * c * 2), X, gamma(u, r, h * c * 2))

    def plain(k: Nat, l: Nat) -> Term:
        return stage(alpha)(k + first_stage(k + l + 1), l + after(k + l + 1))

    def apart(k: Nat, l: Nat) -> Term:
        u, r, h, c = place(k, l)
        return hat(u, r, h, c, alpha)

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


def equation_2_8() -> tuple[Thm, ...]:
    """F_N = product over the phases J = H-1, ..., 0 of Γ_u^-1 Â_{n,u} ... Â_{.,u} Γ_u, times P_N, u
    = min(p, n^J), every Â_{k,u} block diagonal.
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
