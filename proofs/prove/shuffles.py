"""Products with the same shuffle in every factor: its powers, and constant geometry (Pease 1968).
Not trusted: every step goes through the kernel.

With P the shuffle of r^c d elements that moves a digit of radix r to the other end, P^i is a
shuffle, too. So each factor X of a product is written as P^l X P^-(l+1), l being the number of
factors before it, and what is left over is P^c:

    X(c-1, 0) ... X(0, c-1)  =  (P^0 X(c-1, 0) P^-1) (P^1 X(c-2, 1) P^-2) ... (P^(c-1) X(0, c-1) P^-c)  P^c
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from proofs.kernel.rules import Thm, diag, first, instantiate, pi, sym, trans
from proofs.kernel.sealed import Refused
from proofs.kernel.sizes import Dim, Nat, nat
from proofs.kernel.terms import I, Pi, S, Term, free
from proofs.prove.tactics import (
    by_induction,
    chain,
    chain_on,
    exchanged,
    factors,
    mul,
    power_of,
    tower,
)

_COUNT, _BEFORE = nat("a_"), nat("e_")


def turned(product: Pi) -> Iterator[Thm]:
    """Yield (product) = (product of turned factors) P^c for every shuffle P of whole factors in it;
    P^c where the turned factors are I.

    >>> found = next(turned(tower(nat("n"), lambda k, l: S(Dim.of(3), 3 ** (k + l)))))
    >>> print(found.right)
    S(3^(n), 1)
    """
    for shuffle in dict.fromkeys(x for x in factors(product.body) if isinstance(x, S)):
        if shuffle.shape[0] != product.body.shape[0]:
            continue
        for r, others, back in ((shuffle.u, shuffle.t, False), (shuffle.t, shuffle.u, True)):
            d = others / power_of(r, nat(product.k) + nat(product.l))
            if d.whole and not free(r, d).keys() & {product.k, product.l}:
                with suppress(Refused):
                    yield _turned(product, r, d, back)
                break


def _turned(product: Pi, r: Dim, d: Dim, back: bool) -> Thm:
    """Return the equation for P = S(r, .), or for its inverse where `back`."""

    def power(i: Nat, others: Nat, inverse: bool = False) -> Term:
        high, low = power_of(r, i), power_of(r, others) * d
        return S(low, high) if inverse != back else S(high, low)

    def body(k: Nat, l: Nat) -> Term:
        inner = factors(product.factor(k, l))
        at_first, at_last = _ends(product.factor(k, l), power(Nat.of(1), k + l))
        left = power(l + 1, k) if at_first else power(l, k + 1)
        right = power(l, k + 1, inverse=True) if at_last else power(l + 1, k, inverse=True)
        return mul(left, *inner[at_first : len(inner) - at_last], right)

    def outer(c: Nat, e: Nat) -> Pi:
        return tower(c, lambda k, l: product.factor(k, l + e))

    def inner(c: Nat, e: Nat) -> Pi:
        return tower(c, lambda k, l: body(k, l + e))

    def right(c: Nat, e: Nat) -> Term:
        return mul(power(e, c, inverse=True), inner(c, e), power(c + e, Nat.of(0)))

    one = power(Nat.of(1), _COUNT + _BEFORE)
    at_first, at_last = _ends(product.factor(_COUNT, _BEFORE), one)

    def step(hypothesis: Thm) -> Thm:
        more, inside = _COUNT + 1, len(factors(product.factor(_COUNT, _BEFORE)))
        left = chain(
            outer(more, _BEFORE),
            first(outer(more, _BEFORE)),
            instantiate(hypothesis, e_=_BEFORE + 1),
        )
        goal = chain(right(more, _BEFORE), first(inner(more, _BEFORE)))
        goal = exchanged(goal, 0, 2, *([one] if at_first else []))
        if at_last:
            left = exchanged(left, inside - 1, inside + 1, power(_BEFORE, more, inverse=True))
        return trans(chain_on(left, goal.right), sym(goal))

    general = by_induction("a_", outer(_COUNT, _BEFORE), right(_COUNT, _BEFORE), step, "e_")
    zero = Nat.of(0)
    found = instantiate(general, a_=product.count, e_=zero)
    try:
        k, l = nat("k_"), nat("l_")
        whole = diag(body(k, l), I(power_of(r, k + l + 1) * d))
    except Refused:
        return chain(product, found, mul(inner(product.count, zero), power(product.count, zero)))
    return chain(
        product,
        found,
        pi(product.count, "k_", "l_", whole),
        identities(r, d, product.count),
        power(product.count, zero),
    )


def _ends(body: Term, one: Term) -> tuple[bool, bool]:
    """Return whether the first factor is P, and if it is not, whether the last one is."""
    found = factors(body)
    return found[0] == one, found[0] != one and found[-1] == one


def identities(r: Dim, d: Dim, count: Nat) -> Thm:
    """Return (product of identities of order r^count d) = I."""

    def outer(c: Nat, e: Nat) -> Pi:
        return tower(c, lambda k, l: I(power_of(r, k + l + e + 1) * d))

    def step(hypothesis: Thm) -> Thm:
        more = outer(_COUNT + 1, _BEFORE)
        return chain(
            more,
            first(more),
            instantiate(hypothesis, e_=_BEFORE + 1),
            I(power_of(r, _COUNT + 1 + _BEFORE) * d),
        )

    general = by_induction(
        "a_", outer(_COUNT, _BEFORE), I(power_of(r, _COUNT + _BEFORE) * d), step, "e_"
    )
    return instantiate(general, a_=count, e_=Nat.of(0))
