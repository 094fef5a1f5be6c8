"""The Fourier transform along any number of axes, with one exchange of all of them. For all sizes.

Axis k has N_k = p_k n_k elements on p_k ranks, n_k = p_k e_k. P_k = p_0 .. p_{k-1} and E_k = e_0 ..
e_{k-1} are sequences.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from proofs.kernel.kernel_rules import Thm, first, instantiate
from proofs.kernel.numbers import ONE, Dim, Nat, Sequence, nat
from proofs.kernel.terms import F, I, Kron, Pi, S, Term
from proofs.lemmas import fourier_stages
from proofs.prove.tactics import Body, by_induction, chain, flattened, meet, mul, tower
from proofs.prove.towers.inductions import last
from proofs.theorems.families.radix_families import Orders, grown
from proofs.theorems.statement_proofs import stated

AXES = nat("d")
RANKS, PARTS = Sequence("P", 0), Sequence("E", 0)
Axis = Callable[[Nat], Term]


def local(k: Nat) -> Dim:
    """Return n_0 .. n_{k-1}."""
    return RANKS.at(k) * PARTS.at(k)


def whole(k: Nat) -> Dim:
    """Return N_0 .. N_{k-1}."""
    return RANKS.at(k) * local(k)


def of_axis(k: Nat) -> tuple[Dim, Dim, Dim]:
    """Return p_k, e_k and n_k."""
    p, e, n = (one(k + 1) / one(k) for one in (RANKS.at, PARTS.at, local))
    return p, e, n


def tensor(count: Nat, axis: Axis, orders: Orders) -> Pi:
    """Return A_{count-1} ⊗ .. ⊗ A_1 ⊗ A_0, as the product of I ⊗ A_k ⊗ I."""
    return tower(count, along(axis, orders))


def along(axis: Axis, orders: Orders) -> Body:
    """Return I ⊗ A_k ⊗ I."""
    return lambda k, l: Kron(I(orders(k + l + 1) / orders(k + 1)), Kron(axis(k), I(orders(k))))


def one_more(axis: Axis, orders: Orders) -> Thm:
    """Return A_d ⊗ .. ⊗ A_0 = A_d ⊗ (A_{d-1} ⊗ .. ⊗ A_0)."""
    body, more = along(axis, orders), tensor(AXES + 1, axis, orders)
    beside = grown(body, lambda k, l: body(k, l + 1), orders, AXES)
    return chain(more, first(more), beside, Kron(axis(AXES), tensor(AXES, axis, orders)))


def in_parts(*axes: Axis) -> Thm:
    """Return (A B ..)_{d-1} ⊗ .. ⊗ (A B ..)_0 = (A_{d-1} ⊗ .. ⊗ A_0) (B_{d-1} ⊗ .. ⊗ B_0) ..."""

    def together(k: Nat) -> Term:
        return mul(*(axis(k) for axis in axes))

    def right(d: Nat) -> Term:
        return mul(*(tensor(d, axis, whole) for axis in axes))

    def step(hypothesis: Thm) -> Thm:
        opened = {one.left: one for one in (one_more(axis, whole) for axis in axes)}.values()
        start = tensor(AXES + 1, together, whole)
        return meet(
            chain(start, one_more(together, whole), hypothesis), chain(right(AXES + 1), *opened)
        )

    return by_induction("d", tensor(AXES, together, whole), right(AXES), step)


def gathering(k: Nat, l: Nat) -> Term:
    """Return I ⊗ I_p ⊗ S_{P,Pn} ⊗ I, p = p_k, P = P_k, n = n_k: n moves behind P."""
    p, _, n = of_axis(k)
    moved = Kron(I(p), Kron(S(RANKS.at(k), n), I(local(k))))
    return Kron(I(whole(k + l + 1) / whole(k + 1)), moved)


def scattering(k: Nat, l: Nat) -> Term:
    """Return I ⊗ I_p ⊗ S_{n,Pn} ⊗ I, p = p_l, P = P_l, n = n_l: P moves behind n."""
    p, _, n = of_axis(l)
    moved = Kron(I(p), Kron(S(n, RANKS.at(l)), I(local(l))))
    return Kron(I(whole(k + l + 1) / whole(l + 1)), moved)


def on_ranks(axis: Axis) -> Thm:
    """Return (I_p ⊗ A)_{d-1} ⊗ .. ⊗ (I_p ⊗ A)_0 = K^-1 (I_P ⊗ A_{d-1} ⊗ .. ⊗ A_0) K."""

    def beside(k: Nat) -> Term:
        return Kron(I(of_axis(k)[0]), axis(k))

    def right(d: Nat) -> Term:
        inner = Kron(I(RANKS.at(d)), tensor(d, axis, local))
        return mul(tower(d, scattering), inner, tower(d, gathering))

    def step(hypothesis: Thm) -> Thm:
        left = chain(tensor(AXES + 1, beside, whole), one_more(beside, whole), hypothesis)
        opened = chain(
            right(AXES + 1),
            last(scattering, AXES),
            grown(scattering, lambda k, l: scattering(k + 1, l), whole, AXES),
            one_more(axis, local),
            first(tower(AXES + 1, gathering)),
            grown(gathering, lambda k, l: gathering(k, l + 1), whole, AXES),
        )
        return meet(left, opened)

    return by_induction("d", tensor(AXES, beside, whole), right(AXES), step)


def last_phase(k: Nat) -> Term:
    """Return F_p ⊗ I_e."""
    p, e, _ = of_axis(k)
    return Kron(F(p), I(e))


def first_phase(k: Nat) -> Term:
    """Return F_n."""
    return F(of_axis(k)[2])


def parts(k: Nat) -> tuple[Term, ...]:
    """Return the factors of F_N along axis k: Γ_p^-1, I_p ⊗ F_p ⊗ I_e, Γ_p, T^N_n, I_p ⊗ F_n and
    L^N_p.
    """
    p, _, n = of_axis(k)
    phases = Kron(I(p), last_phase(k)), Kron(I(p), first_phase(k))
    back, there = fourier_stages.gamma_inverse(p, ONE, n), fourier_stages.gamma(p, ONE, n)
    return back, phases[0], there, fourier_stages.twiddle(p, n), phases[1], S(p, n)


@cache
def one_exchange() -> tuple[Thm, ...]:
    """F_{N_{d-1}} ⊗ .. ⊗ F_{N_0} = Γ^-1 K^-1 (I_P ⊗ (F_p ⊗ I_e)_{d-1} ⊗ .. ⊗ (F_p ⊗ I_e)_0) K Γ T
    K^-1 (I_P ⊗ F_{n_{d-1}} ⊗ .. ⊗ F_{n_0}) K L, N_k = p_k n_k, n_k = p_k e_k, P = p_0 .. p_{d-1}, Γ
    = Γ_{p_{d-1}} ⊗ .. ⊗ Γ_{p_0}, T and L alike of T^{N_k}_{n_k} and L^{N_k}_{p_k}, K = C_{d-1} ..
    C_0, C_k = I ⊗ I_{p_k} ⊗ S_{P_k,P_k n_k} ⊗ I, P_k = p_0 .. p_{k-1}, which moves the digits of
    ranks to the front: one exchange of all d axes.
    """
    (one,), k = stated("bsp-fft-two-phases"), nat("k0")
    p, e, _ = of_axis(k)
    count = len(parts(k))
    return (
        chain(
            tensor(AXES, lambda k: F(whole(k + 1) / whole(k)), whole),
            instantiate(flattened(one), p=p, e=e),
            in_parts(*(lambda k, i=i: parts(k)[i] for i in range(count))),
            on_ranks(last_phase),
            on_ranks(first_phase),
        ),
    )
