"""Towers cut in two, grouped, put into a context or side by side: inductions on the number of their
factors. Not trusted: every step goes through the kernel.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import Thm, empty, first, instantiate, trans
from proofs.kernel.numbers import Nat, nat
from proofs.kernel.terms import Kron, Mul, Pi, Term, free
from proofs.prove.path_sum_cache import diag
from proofs.prove.tactics import Body, by_induction, chain, chain_on, meet, rewrite, tower

_A, _B, _C, _D, _E = nat("a_"), nat("b_"), nat("c_"), nat("d_"), nat("e_")


def split(body: Body, a: Nat, b: Nat) -> Thm:
    """Return (tower of a + b) = (tower of a, k + b for k) (tower of b, l + a for l)."""

    def high(count: Nat, e: Nat) -> Pi:
        return tower(count, lambda k, l: body(k + _B, l + e))

    def low(count: Nat, e: Nat) -> Pi:
        return tower(_B, lambda k, l: body(k, l + count + e))

    whole, parts = tower(_A + _B, lambda k, l: body(k, l + _E)), Mul(high(_A, _E), low(_A, _E))

    def step(hypothesis: Thm) -> Thm:
        start = tower(_A + 1 + _B, lambda k, l: body(k, l + _E))
        left = chain(start, first(start), at_values(hypothesis, e_=_E + 1))
        end = high(_A + 1, _E)
        return meet(left, chain(Mul(end, low(_A + 1, _E)), first(end)))

    general = by_induction("a_", whole, parts, step, "e_")
    return at_values(general, a_=a, b_=b, e_=Nat.of(0))


def at_values(theorem: Thm, **values: Nat) -> Thm:
    """Return a theorem at values of those of these symbols that it has."""
    symbols = free(theorem.left, theorem.right)
    return instantiate(theorem, **{name: one for name, one in values.items() if name in symbols})


def inside(body: Body, context: Callable[[Term, Nat], Term], count: Nat) -> Thm:
    """Return (tower of context(body, k + l + 1)) = context(tower of body, count), for a context
    that respects products.
    """

    def outer(c: Nat, e: Nat) -> Pi:
        return tower(c, lambda k, l: context(body(k, l + e), k + l + 1 + e))

    def inner(c: Nat, e: Nat) -> Pi:
        return tower(c, lambda k, l: body(k, l + e))

    def step(hypothesis: Thm) -> Thm:
        more = _A + 1
        left = chain(outer(more, _E), first(outer(more, _E)), instantiate(hypothesis, e_=_E + 1))
        return meet(left, chain(context(inner(more, _E), more + _E), first(inner(more, _E))))

    general = by_induction("a_", outer(_A, _E), context(inner(_A, _E), _A + _E), step, "e_")
    return instantiate(general, a_=count, e_=Nat.of(0))


def towers_beside(high: Body, low: Body, count: Nat) -> Thm:
    """Return (tower of high ⊗ low) = (tower of high) ⊗ (tower of low)."""

    def outer(c: Nat, e: Nat) -> Pi:
        return tower(c, lambda k, l: Kron(high(k, l + e), low(k, l + e)))

    def inner(c: Nat, e: Nat) -> tuple[Pi, Pi]:
        return tower(c, lambda k, l: high(k, l + e)), tower(c, lambda k, l: low(k, l + e))

    def step(hypothesis: Thm) -> Thm:
        more = outer(_A + 1, _E)
        left = chain(more, first(more), instantiate(hypothesis, e_=_E + 1))
        a, b = inner(_A + 1, _E)
        return meet(left, kernel_rules.kron(first(a), first(b)))

    general = by_induction("a_", outer(_A, _E), Kron(*inner(_A, _E)), step, "e_")
    return instantiate(general, a_=count, e_=Nat.of(0))


def one_factor(body: Body) -> Thm:
    """Return (tower of 1) = body(0, 0)."""
    zero = Nat.of(0)
    start = tower(Nat.of(1), body)
    found = chain(start, first(start))
    found = trans(found, rewrite(found.right, empty(tower(zero, lambda k, l: body(k, l + 1)))))
    return chain_on(found, body(zero, zero))


def last(body: Body, count: Nat) -> Thm:
    """Return (tower of count + 1) = (tower of count, k + 1 for k) body(0, count)."""
    return chain_on(split(body, count, Nat.of(1)), one_factor(lambda k, l: body(k, l + count)))


def restage(count: Nat, before: Body, after: Body) -> Thm:
    """Return (tower of before) = (tower of after), stage by stage by path sums."""
    k, l = nat("k_"), nat("l_")
    return kernel_rules.pi(count, "k_", "l_", diag(before(k, l), after(k, l)))


def grouped(body: Body, count: Nat, m: Nat) -> Thm:
    """Return (tower of count m) = (tower of count towers of m)."""

    def flat(c: Nat, e: Nat) -> Pi:
        return tower(c * m, lambda k, l: body(k, l + e))

    def nested(c: Nat, e: Nat) -> Pi:
        return tower(c, lambda J, K: tower(m, lambda i, j: body(J * m + i, K * m + j + e)))

    def step(hypothesis: Thm) -> Thm:
        more = _C + 1
        left = chain(
            flat(more, _D),
            split(lambda k, l: body(k, l + _D), m, _C * m),
            at_values(hypothesis, d_=_D + m),
        )
        return meet(left, first(nested(more, _D)))

    general = by_induction("c_", flat(_C, _D), nested(_C, _D), step, "d_")
    return at_values(general, c_=count, d_=Nat.of(0))
