"""The number of breakdown trees: F_N is a leaf, or two of them by Cooley & Tukey's equation.

The data of a leaf has its place in the index, and all trees whose leaves have the same sizes from
left to right do the same transforms between the same twiddles. They differ in permutations alone,
which are composed before data moves. So one plan stands for all of them.
"""

from __future__ import annotations

from math import comb

from derive.digits.radices import divisors


def trees(n: int, leaf: int) -> int:
    """Return the number of trees of F_2^n with leaves of at most 2^leaf points.

    >>> [trees(n, 1) for n in (1, 2, 3, 4)], [trees(n, 2) for n in (1, 2, 3, 4)]
    ([1, 1, 2, 5], [1, 2, 4, 12])
    >>> trees(30, 1)
    1002242216651368
    """
    found = [0]
    for j in range(1, n + 1):
        found.append(int(j <= leaf) + sum(found[a] * found[j - a] for a in range(1, j)))
    return found[n]


def trees_of(N: int, M: int | None) -> int:
    """Return the number of trees of F_N whose leaves divide M; of prime length without an M.

    >>> trees_of(12, 6), trees_of(12, None), trees_of(2**30, None) == trees(30, 1)
    (8, 6, True)
    """
    every, found = divisors(N), {1: 1}
    for d in every[1:]:
        inner = [a for a in every if 1 < a < d and d % a == 0]
        leaf = M % d == 0 if M else not inner
        found[d] = leaf + sum(found[a] * found[d // a] for a in inner)
    return found[N]


def sequences_of(N: int, M: int) -> int:
    """Return the number of ways to write N as a product of radices that divide M, in every order.

    >>> sequences_of(12, 6), sequences_of(8, 8)
    (5, 4)
    """
    every, found = divisors(N), {1: 1}
    for d in every[1:]:
        found[d] = sum(found[d // a] for a in every[1:] if d % a == 0 and M % a == 0)
    return found[N]


def trees_of_plan(leaves: int) -> int:
    """Return the number of trees that have so many leaves of given sizes from left to right.

    >>> [trees_of_plan(k) for k in (1, 2, 3, 4)]
    [1, 1, 2, 5]
    """
    return comb(2 * leaves - 2, leaves - 1) // leaves


def sequences(n: int, p: int) -> int:
    """Return the number of plans: phases that multiply to 2^n, each in the radices of its local
    transform, with growing groups of ranks.

    >>> sequences(2, 1), sequences(4, 1), sequences(6, 3)
    (1, 12, 136)
    """
    m = n - p
    found = {(0, 0): 1}
    whole = 0
    for K in range(n):
        for q in range(p + 1):
            ways = found.get((K, q), 0)
            for after in range(K + 1, min(n, m + q) + 1) if ways else ():
                inner = ways << (after - K - 1)
                whole += inner * (after == n)
                for more in range(q + 1, min(p, after) + 1):
                    found[after, more] = found.get((after, more), 0) + inner
    return whole
