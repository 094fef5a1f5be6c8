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
from dataclasses import dataclass
from functools import cache

from proofs.kernel.kernel_rules import Thm, first, instantiate, pi, recount, sym, trans
from proofs.kernel.numbers import ONE, Dim, Nat, nat, power_of, size
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import I, Pi, S, Term, free
from proofs.prove.path_sum_cache import diag
from proofs.prove.tactics import by_induction, chain, chain_on, exchanged, factors, mul, tower
from proofs.prove.towers.inductions import grouped

_COUNT, _BEFORE = nat("a_"), nat("e_")


def conjugated(product: Pi) -> Iterator[Thm]:
    """Yield (product) = (product of turned factors) P^c for every shuffle P of whole factors in it;
    P^c where the turned factors are I.

    >>> found = next(conjugated(tower(nat("n"), lambda k, l: S(Dim.of(3), 3 ** (k + l)))))
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
                    yield _Turned(product, r, d, back).equation()
                break


def power_of_shuffle(product: Pi) -> Iterator[Thm]:
    """Yield S S ... S = S^n for a shuffle S, all factors equal; the number n of factors is a
    symbol. For n + 1 factors one is taken out.

    >>> from proofs.prove.tactics import tower
    >>> shuffle = S(2 ** (2 * nat("n")), Dim.of(2))
    >>> print(next(power_of_shuffle(tower(nat("n"), lambda k, l: shuffle))).right)
    S(2^(n+1), 2^(n))
    """
    body, count = product.body, product.count
    constant = not free(body).keys() & {product.k, product.l}
    if isinstance(body, S) and constant and free(count) and (count - 1).natural:
        yield first(product)
    if isinstance(body, S):
        for r, back in ((body.u, False), (body.t, True)):
            d = product.shape[0] / power_of(r, count)
            if d.whole and (constant or free(d).keys() & free(count).keys()):
                with suppress(Refused):
                    yield _power(product, r, d, back)


def _power(product: Pi, r: Dim, d: Dim, back: bool) -> Thm:
    """Return S S ... S = S^n for the shuffle of r^n d elements, d mentioning n as well."""
    one, rest = nat("n_"), size("d_")

    def shuffle(k: Nat, l: Nat) -> S:
        others = power_of(r, k + l) * rest
        return S(others, r) if back else S(r, others)

    general = next(conjugated(tower(one, shuffle)), None)
    if general is None:
        raise Refused(f"{product} is not a power of a shuffle")
    found = instantiate(general, n_=product.count, d_=d)
    assert isinstance(found.left, Pi)
    return trans(trans(recount(product), sym(recount(found.left))), found)


def all_round(product: Pi) -> Iterator[Thm]:
    """Yield S S ... S = I for a shuffle S of n digits of radix r that moves j of them, n factors.

    >>> turned = S(2 ** nat("j"), 2 ** nat("m"))
    >>> print(next(all_round(tower(nat("j") + nat("m"), lambda k, l: turned))).right)
    I(2^(m+j))
    """
    body, count = product.body, product.count
    r = _root(product.shape[0], count)
    if isinstance(body, S) and r is not None and free(count):
        (base, power), moved = min(r.powers, key=str), dict(body.u.powers)
        times = dict(power.terms)[()]
        terms = ((xs, c // times) for xs, c in moved.get(base, Nat.of(0)).terms)
        j = Nat(frozenset((xs, c) for xs, c in terms if c))
        if (power_of(r, j), power_of(r, count - j)) == (body.u, body.t) and (count - j).natural:
            yield instantiate(_all_round(), r_=r, j_=j, m_=count - j)


def _root(d: Dim, count: Nat) -> Dim | None:
    """Return r with r^count = d, None where there is none, or d is 1."""
    names, c = min(count.terms, default=((), 1))
    powers = ((base, dict(e.terms).get(names, 0) // c) for base, e in d.powers)
    found = Dim(frozenset((base, Nat.of(e)) for base, e in powers if e > 0))
    return found if found.powers and power_of(found, count) == d else None


@cache
def _all_round() -> Thm:
    """S^(m + j) = I for S = S(r^j, r^m). With j + 1 for j it is P^((m + j + 1) (j + 1)), where P
    moves one digit, and P^(m + j + 1) = I.
    """
    r, m, j, n = size("r_"), nat("m_"), nat("j_"), nat("n_")

    def power(n: Nat, P: S) -> Thm:
        """Return P^(n+1) as a shuffle."""
        N, whole = P.shape[0], tower(n + 1, lambda k, l: P)
        before = _power(tower(n, lambda k, l: P), r, N / power_of(r, n), False)
        more = power_of(r, n + 1)
        return chain(whole, first(whole), before, S(more, N / more))

    def product(j: Nat) -> Term:
        return tower(m + j, lambda k, l: S(power_of(r, j), power_of(r, m)))

    def step(_: Thm) -> Thm:
        P, count = S(r, power_of(r, m + j)), m + j + 1
        round_ = instantiate(power(n, S(r, power_of(r, n))), n_=m + j)
        return chain(
            product(j + 1),
            pi(count, "k_", "l_", sym(power(j, P))),
            sym(grouped(lambda k, l: P, count, j + 1)),
            grouped(lambda k, l: P, j + 1, count),
            pi(j + 1, "k_", "l_", chain_on(round_, I(P.shape[0]))),
            instantiate(_identities(), n_=j + 1, d_=P.shape[0]),
        )

    none = product(Nat.of(0))
    left = pi(m, "k_", "l_", diag(S(ONE, power_of(r, m)), I(power_of(r, m))))
    base = chain(none, left, instantiate(_identities(), n_=m, d_=power_of(r, m)))
    return by_induction("j_", product(j), I(power_of(r, m + j)), step, base=base)


@cache
def _identities() -> Thm:
    """I I ... I = I."""
    n, d = nat("n_"), size("d_")

    def product(n: Nat) -> Pi:
        return tower(n, lambda k, l: I(d))

    def step(hypothesis: Thm) -> Thm:
        return chain(product(n + 1), first(product(n + 1)), hypothesis, I(d))

    return by_induction("n_", product(n), I(d), step)


@dataclass(frozen=True)
class _Turned:
    """A product with its factors turned by P = S(r, .), or by its inverse where `back`."""

    product: Pi
    r: Dim
    d: Dim
    back: bool

    def power(self, i: Nat, others: Nat, inverse: bool = False) -> Term:
        """Return P^i on i + others digits, or P^-i."""
        high, low = power_of(self.r, i), power_of(self.r, others) * self.d
        return S(low, high) if inverse != self.back else S(high, low)

    def factor(self, k: Nat, l: Nat) -> Term:
        """Return P^l X(k, l) P^-(l+1)."""
        inner = factors(self.product.factor(k, l))
        at_first, at_last = _ends(self.product.factor(k, l), self.power(Nat.of(1), k + l))
        left = self.power(l + 1, k) if at_first else self.power(l, k + 1)
        right = self.power(l, k + 1, True) if at_last else self.power(l + 1, k, True)
        return mul(left, *inner[at_first : len(inner) - at_last], right)

    def before(self, c: Nat, e: Nat) -> Pi:
        """Return c factors, e others before them."""
        return tower(c, lambda k, l: self.product.factor(k, l + e))

    def after(self, c: Nat, e: Nat) -> Pi:
        """Return the same turned."""
        return tower(c, lambda k, l: self.factor(k, l + e))

    def right(self, c: Nat, e: Nat) -> Term:
        """Return what c factors are equal to, e others before them."""
        return mul(self.power(e, c, True), self.after(c, e), self.power(c + e, Nat.of(0)))

    def step(self, hypothesis: Thm) -> Thm:
        """Return the equation for one factor more."""
        more, one = _COUNT + 1, self.power(Nat.of(1), _COUNT + _BEFORE)
        inside = len(factors(self.product.factor(_COUNT, _BEFORE)))
        at_first, at_last = _ends(self.product.factor(_COUNT, _BEFORE), one)
        outer = self.before(more, _BEFORE)
        left = chain(outer, first(outer), instantiate(hypothesis, e_=_BEFORE + 1))
        goal = chain(self.right(more, _BEFORE), first(self.after(more, _BEFORE)))
        goal = exchanged(goal, 0, 2, *([one] if at_first else []))
        if at_last:
            left = exchanged(left, inside - 1, inside + 1, self.power(_BEFORE, more, True))
        return trans(chain_on(left, goal.right), sym(goal))

    def equation(self) -> Thm:
        """Return (product) = (product of turned factors) P^c."""
        left, right = self.before(_COUNT, _BEFORE), self.right(_COUNT, _BEFORE)
        general = by_induction("a_", left, right, self.step, "e_")
        count, zero, k, l = self.product.count, Nat.of(0), nat("k_"), nat("l_")
        found = instantiate(general, a_=count, e_=zero)
        try:
            whole = diag(self.factor(k, l), I(power_of(self.r, k + l + 1) * self.d))
        except Refused:
            end = mul(self.after(count, zero), self.power(count, zero))
            return chain(self.product, found, end)
        none = pi(count, "k_", "l_", whole), identities(self.r, self.d, count)
        return chain(self.product, found, *none, self.power(count, zero))


def _ends(body: Term, one: Term) -> tuple[bool, bool]:
    """Return whether the first factor is P, and if it is not, whether the last one is."""
    found = factors(body)
    return found[0] == one, found[0] != one and found[-1] == one


def identities(r: Dim, d: Dim, count: Nat) -> Thm:
    """Return (product of identities of order r^count d) = I."""
    n = nat("n_")
    N = power_of(r, n) * d
    same = recount(tower(n, lambda k, l: I(N)))
    found = chain_on(sym(same), instantiate(_identities(), n_=n, d_=N))
    return instantiate(found, n_=count)
