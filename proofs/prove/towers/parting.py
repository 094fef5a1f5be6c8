"""Towers taken apart: an identity or a shuffle that stands in every factor taken out, towers of
A ⊗ B as two towers, towers of towers as one. Not trusted: every step goes through the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from proofs.kernel import kernel_rules
from proofs.kernel.kernel_rules import Thm, instantiate, recount, refl, sym, trans
from proofs.kernel.numbers import ONE, Dim, Nat, nat
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import I, Kron, Pi, S, Term, free, substitute
from proofs.prove.generalisations import with_naturals
from proofs.prove.tactics import Body, chain, chain_on, factors, kron, mul
from proofs.prove.towers.inductions import grouped, inside, restage, towers_beside


def operands_of(term: Term) -> list[Term]:
    """Return what nested Kronecker products are made of."""
    return operands_of(term.left) + operands_of(term.right) if isinstance(term, Kron) else [term]


def as_beside(term: Term, rows: Dim, others: Dim) -> Kron:
    """Return a term as a ⊗ b, a of so many rows and b of the others."""
    pairs = []
    for factor in factors(term):
        operands, before, left = operands_of(factor), ONE, []
        while operands and before != rows:
            one = operands.pop(0)
            rest = rows / before
            if isinstance(one, I) and not (rest / one.size).whole:
                if not (one.size / rest).whole:
                    raise Refused(f"{factor} is not parted at {rows} rows")
                operands.insert(0, I(one.size / rest))
                one = I(rest)
            left.append(one)
            before = before * one.shape[0]
        if before != rows or term.shape[0] != rows * others:
            raise Refused(f"{factor} is not a product of {rows} and {others} rows")
        pairs.append((kron(*left) if left else I(ONE), kron(*operands) if operands else I(ONE)))
    return Kron(*(mul(*one) for one in zip(*pairs, strict=True)))


def side_by_side(product_: Pi) -> Iterator[Thm]:
    """Yield (tower of A ⊗ B) = (tower of A) ⊗ (tower of B), A or B being an identity first."""
    yield from _taken_out(product_)
    operands = operands_of(product_.body)
    for i in range(1, len(operands)):
        high, low = kron(*operands[:i]), kron(*operands[i:])
        if high.shape[0] == high.shape[1] == _fixed(high.shape[0], product_):
            with suppress(Refused):
                yield chain(product_, *_parted(product_, high, low))


def _parted(product_: Pi, high: Term, low: Term) -> tuple[Thm, Thm]:
    """Return that the factors are A ⊗ B, and (tower of A ⊗ B) = (tower of A) ⊗ (tower of B)."""
    a, b, count = stage(high, product_), stage(low, product_), product_.count
    same = restage(count, product_.factor, lambda k, l: Kron(a(k, l), b(k, l)))
    return same, towers_beside(a, b, count)


def _taken_out(product_: Pi) -> Iterator[Thm]:
    """Yield (tower of A ⊗ I_d) = (tower of A) ⊗ I_d, or with I_d on the left, for the largest d
    that is the same in every factor.
    """
    operands = operands_of(product_.body)
    for end in (0, -1):
        one = operands[end]
        if len(operands) == 1 or not isinstance(one, I):
            continue
        d = _fixed(one.size, product_)
        rest = one.size / d
        if d == ONE or not (d.whole and rest.whole):
            continue
        others = [I(rest)] if rest != ONE else []
        inner = kron(*([*others, *operands[1:]] if end == 0 else [*operands[:-1], *others]))
        body = stage(inner, product_)

        def context(X: Term, t: Nat, end: int = end, d: Dim = d) -> Term:
            beside = I(substitute(d, {product_.k: t - 1, product_.l: Nat.of(0)}))
            return Kron(beside, X) if end == 0 else Kron(X, beside)

        with suppress(Refused):
            same = restage(
                product_.count,
                product_.factor,
                lambda k, l, body=body, context=context: context(  # type: ignore[misc]
                    body(k, l), k + l + 1
                ),
            )
            yield chain(product_, same, inside(body, context, product_.count))


def turned(product_: Pi) -> Iterator[Thm]:
    """Yield (tower of S X S^-1) = S (tower of X) S^-1 for a shuffle S, beside identities perhaps,
    that is the same in every factor.
    """
    row = factors(product_.body)
    one, other = row[0], row[-1]
    if len(row) < len("SXS") or not (undone(one, other) and _same(one, product_)):
        return

    body = stage(mul(*row[1:-1]), product_)

    def context(X: Term, t: Nat) -> Term:
        ends = (substitute(x, {product_.k: t - 1, product_.l: Nat.of(0)}) for x in (one, other))
        return mul(next(ends), X, next(ends))

    with suppress(Refused):
        yield chain(product_, inside(body, context, product_.count))


def stage(term: Term, product_: Pi) -> Body:
    """Return a term in the indices of a product as a function of their values."""

    def at(k: Nat, l: Nat) -> Term:
        put: Term = substitute(term, {product_.k: k, product_.l: l})
        return put

    return at


def undone(one: Term, other: Term) -> bool:
    """Return whether two shuffles beside identities are seen to be inverse to each other."""
    match one, other:
        case S(u, t), S(u_, t_):
            return (u, t) == (t_, u_)
        case (Kron(I(d), a), Kron(I(e), b)) | (Kron(a, I(d)), Kron(b, I(e))):
            return d == e and undone(a, b)
    return False


def _same(term: Term, product_: Pi) -> bool:
    """Return whether identities and shuffles are the same in every factor."""
    match term:
        case I(d):
            return _is_fixed(d, product_)
        case S(u, t):
            return _is_fixed(u, product_) and _is_fixed(t, product_)
        case Kron(a, b):
            return _same(a, product_) and _same(b, product_)
    return False


def counted(product_: Pi) -> Thm:
    """Return (tower) = (tower with its number of factors n in the place of k + l + 1)."""
    n, both = nat("n_"), _counts(product_)

    def put(e: Nat) -> Nat:
        return e + (n - both) * _together(e, product_)

    try:
        found = Pi(n, product_.k, product_.l, with_naturals(product_.body, put))
        return sym(instantiate(recount(found), n_=product_.count))
    except Refused:
        return refl(product_)


def ungrouped(product_: Pi) -> Iterator[Thm]:
    """Yield (tower of n towers of m) = (tower of n m), where their factors follow each other."""
    J, K, none = nat("J_"), nat("K_"), Nat.of(0)
    inner = product_.factor(J, K)
    if not isinstance(inner, Pi) or free(inner.count).keys() & {"J_", "K_"}:
        return
    n, m, within = product_.count, inner.count, counted(inner)
    stages = within.right
    assert isinstance(stages, Pi)
    start = substitute(stages, {"J_": none, "K_": none})

    body = start.factor
    with suppress(Refused):
        follow = restage(m, stages.factor, lambda i, j: body(J * m + i, K * m + j))
        found = kernel_rules.pi(n, "J_", "K_", trans(within, follow))
        yield chain_on(chain(product_, found.left, found), sym(grouped(body, n, m)))


def _together(e: Nat, product_: Pi) -> Nat:
    """Return how often k + l + 1 is in an exponent; the 1 may be missing in one that falls."""
    c = dict(e.terms)

    def of(name: str) -> dict[tuple[str, ...], int]:
        return {tuple(x for x in xs if x != name): n for xs, n in c.items() if xs.count(name) == 1}

    before, after, found = of(product_.k), of(product_.l), dict[tuple[str, ...], int]()
    for xs in before.keys() & after.keys():
        two = before[xs], after[xs]
        found[xs] = max(two) if max(two) < 0 else max(0, min(*two, c.get(xs, 0)))
    return Nat(frozenset((xs, n) for xs, n in found.items() if n))


def _fixed(d: Dim, product_: Pi) -> Dim:
    """Return the largest divisor of d that is the same in all factors: what has k and l as k + l +
    1, and neither.
    """

    def of(e: Nat) -> Nat:
        both = _counts(product_) * _together(e, product_)
        others = (x for x in (e - both).terms if x[0] and not {product_.k, product_.l} & {*x[0]})
        return Nat(frozenset(others)) + both

    return Dim(
        frozenset(
            (base, fixed)
            for base, e in d.powers
            if base not in (product_.k, product_.l) and (fixed := of(e))
        )
    )


def _is_fixed(d: Dim, product_: Pi) -> bool:
    """Return whether a size is the same in all factors."""
    left = (e - _counts(product_) * _together(e, product_) for _, e in d.powers)
    return not {product_.k, product_.l} & free(*left).keys()


def _counts(product_: Pi) -> Nat:
    """Return k + l + 1, which is the number of factors."""
    return nat(product_.k) + nat(product_.l) + 1
