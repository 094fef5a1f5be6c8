"""C. Aykanat, A. Dervis: Efficient overlapped FFT algorithms for hypercube-connected
multicomputers. For all sizes.

N = 2^(d+m) elements on 2^d ranks, w_K = exp(-2 pi i/K). An address has the digits R (the rank) and
o; in Progs. 3 to 5 o = (t, p), t the half of the local array, 0 <= p < 2^u, m = u + 1. A program is
the matrix of what its steps do to the data.
"""

from __future__ import annotations

from functools import cache

from proofs.kernel.rules import Thm, first, instantiate
from proofs.kernel.sizes import Nat, nat
from proofs.kernel.terms import F, I, Kron, Mul, S, Term
from proofs.prove.tactics import by_induction, chain, diagonal, kron, meet, mul, tower
from proofs.prove.towers.inductions import restage, split
from proofs.theorems import bsp
from proofs.theorems.bsp import TWO, ZERO, beside, equation_1_6, reversal

d, m, u = nat("d"), nat("m"), nat("u")


def stage(k: Nat, l: Nat) -> Term:
    """Return the butterflies of stage k with the twiddle factors of exp(-2 pi i)."""
    return bsp.stage(ZERO, -1)(k, l)


def local(m: Nat, ranks: Nat) -> Term:
    """Return the first m stages, on each of 2^ranks ranks: SEQFFT."""
    return Kron(I(2**ranks), tower(m, stage))


def across(k: Nat, l: Nat, m: Nat) -> Term:
    """Return stage m + k of Prog. 2: bit k of the rank is b, below it is R; W_N^r, r = (R M + q)
    2^(d-1-k), where b = 1.
    """
    twiddles = diagonal(
        (TWO, 2**k, 2**m), lambda b, R, q: b * (R * 2**m + q) * -1 / 2 ** (m + k + 1)
    )
    return Kron(I(2**l), Mul(kron(F(TWO, -1), I(2**k), I(2**m)), twiddles))


def halves(k: Nat, l: Nat, u: Nat) -> Term:
    """Return the butterflies between the halves of every local array, W_N^r, r = ((R mod 2^k) M/2 +
    p) 2^(d-k), where t = 1.
    """
    twiddles = diagonal(
        (2**k, TWO, 2**u), lambda R, t, p: t * (R * 2**u + p) * -1 / 2 ** (u + 1 + k)
    )
    return Kron(I(2**l), Mul(kron(I(2**k), F(TWO, -1), I(2**u)), twiddles))


def exchange(k: Nat, l: Nat, u: Nat) -> Term:
    """Return the exchange of half arrays along bit k of the rank: address bits m - 1 (t) and m + k
    change places.
    """
    return kron(I(2**l), Mul(Kron(I(TWO), S(2**k, TWO)), S(TWO, 2 ** (k + 1))), I(2**u))


def output(d: Nat, u: Nat) -> Term:
    """Return the map from address (R, t, p) to index (t, R, p)."""
    return Kron(S(TWO, 2**d), I(2**u))


def apart(m: Nat) -> Thm:
    """F_N = (stages m + d - 1, ..., m) (I ⊗ stages m - 1, ..., 0) P_N."""
    (fourier,) = (instantiate(t, n=d + m) for t in equation_1_6(-1))
    low = beside(2**d, stage, lambda k, l: stage(k, l + d), m)
    return chain(F(2 ** (d + m), -1), fourier, split(stage, d, m), low)


def prog_2() -> tuple[Thm, ...]:
    """F_N = (stages across ranks) (I_P ⊗ SEQFFT_M) P_N."""
    same = restage(d, lambda k, l: stage(k + m, l), lambda k, l: across(k, l, m))
    found = apart(m)
    return (chain(found.left, found, same),)


@cache
def prog_3() -> tuple[Thm, ...]:
    """F_N = (address to index) (butterflies of halves after an exchange, d times) (I_P ⊗ SEQFFT_M)
    P_N.
    """

    def body(k: Nat, l: Nat) -> Term:
        return Mul(halves(k + 1, l, u), exchange(k, l, u))

    def plain(k: Nat, l: Nat) -> Term:
        return stage(k + u + 1, l)

    def step(hypothesis: Thm) -> Thm:
        more, done = tower(d + 1, plain), tower(d + 1, body)
        left = chain(
            more, first(more), beside(TWO, plain, lambda k, l: plain(k, l + 1), d), hypothesis
        )
        right = chain(
            Mul(output(d + 1, u), done),
            first(done),
            beside(TWO, body, lambda k, l: body(k, l + 1), d),
        )
        return meet(left, right)

    moved = by_induction("d", tower(d, plain), Mul(output(d, u), tower(d, body)), step)
    found = apart(u + 1)
    return (chain(found.left, found, moved),)


def prog_4() -> tuple[Thm, ...]:
    """F_N = (address to index) (butterflies of halves) (an exchange after butterflies of halves, d
    times) (I_2P ⊗ SEQFFT_{M/2}) P_N.

    The half that is sent is computed first and stored in a buffer; the other half arrives in its
    place, in the array itself.
    """
    e = nat("e")

    def before(k: Nat, l: Nat) -> Term:
        return Mul(halves(k + 1, l + e, u), exchange(k, l + e, u))

    def after(k: Nat, l: Nat) -> Term:
        return Mul(exchange(k, l + e, u), halves(k, l + 1 + e, u))

    zero = Nat.of(0)

    def left(d: Nat) -> Term:
        return Mul(tower(d, before), halves(zero, d + e, u))

    def right(d: Nat) -> Term:
        return Mul(halves(d, e, u), tower(d, after))

    def step(hypothesis: Thm) -> Thm:
        more = tower(d + 1, before)
        rest = instantiate(hypothesis, e=e + 1)
        peeled = chain(left(d + 1), first(more), Mul(before(d, zero), rest.left), rest)
        return meet(peeled, chain(right(d + 1), first(tower(d + 1, after))))

    turned = instantiate(by_induction("d", left(d), right(d), step, "e"), e=zero)
    (third,) = prog_3()
    seq = tower(u + 1, stage)
    inner = chain(seq, first(seq), beside(TWO, stage, lambda k, l: stage(k, l + 1), u))
    local_ = chain(local(u + 1, d), inner, Mul(halves(zero, d, u), local(u, d + 1)))
    tail = Mul(local(u, d + 1), reversal(d + u + 1))
    done = chain(third.left, third, local_, mul(output(d, u), turned.left, tail), turned)
    return (done,)


def prog_5() -> tuple[Thm, ...]:
    """F_N = (address to index) (butterflies of halves) (an exchange after butterflies of halves, d
    times) (I_2P ⊗ SEQFFT_{M/2}) P_N.

    The equation of Prog. 4, for the two do the same to the data. They differ in where and when a
    half arrives: in Prog. 4 in the array, received after the second half is computed; in Prog. 5 in
    one of two buffers in turn, by a receive that is posted before.
    """
    return prog_4()
