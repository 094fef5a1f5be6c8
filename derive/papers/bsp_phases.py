"""The phases of the group-cyclic FFT (Inda & Bisseling 2000): their radices, the ranks of a group,
the virtual processors of a rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from derive.sizes import Sizes

SIZES = Sizes("the radix-2 framework", lambda N, P: P < N, "the group-cyclic framework needs P < N")


def phases(N: int, P: int) -> int:
    """Return H, the smallest integer with (N/P)^H >= N: the number of computation phases.

    >>> phases(1024, 4), phases(1024, 256), phases(2**21, 2**18)
    (2, 5, 7)
    """
    n, p = SIZES.exponents(N, P)
    return -(-n // (n - p))


def groups(N: int, P: int) -> tuple[int, ...]:
    """Return u = min(P, (N/P)^J), the ranks in a group, for the phases J = 0, ..., H-1.

    >>> groups(1024, 256)
    (1, 4, 16, 64, 256)
    """
    return tuple(min(P, (N // P) ** J) for J in range(phases(N, P)))


def powers_of_two(first: int, last: int) -> tuple[int, ...]:
    """Return the powers of two from `first` to `last`.

    >>> powers_of_two(2, 8)
    (2, 4, 8)
    """
    return tuple(first << i for i in range((last // first).bit_length()))


def radices(N: int, P: int) -> tuple[int, ...]:
    """Return the radix d of each phase: N/P, and what is left for the last.

    >>> radices(1024, 4), radices(1024, 256), radices(32, 8)
    ((256, 4), (4, 4, 4, 4, 4), (4, 4, 2))
    """
    before = groups(N, P)[:-1]
    n = N // P
    return (n,) + tuple(min(n, P // u) for u in before)


def distributions(N: int, P: int, phases: Sequence[int] = ()) -> tuple[int, ...]:
    """Return u, the ranks of a group, for phases of these sizes: elements are cyclic in groups of u
    ranks.

    A phase that multiplies K to K d is local where N/P u >= K d and u <= K. The u of the phase
    before is kept while it can be, and else is the largest, min(P, K), which will serve longest: so
    the exchanges are as few as these phases allow. Raises ValueError unless the sizes are powers of
    two from 2 to N/P whose product is N.

    >>> distributions(1024, 256), distributions(1024, 4, (256, 4)), distributions(1024, 32, (16, 2, 32))
    ((1, 4, 16, 64, 256), (1, 4), (1, 1, 32))
    """  # noqa: E501
    n, K, found = N // P, 1, [1]
    for d in phase_sizes(N, P, phases):
        if K * d > n * found[-1]:
            found.append(min(P, K))
        elif K > 1:
            found.append(found[-1])
        K *= d
    return tuple(found)


def phase_sizes(N: int, P: int, phases: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of the phases, those of (2.8) if none are given."""
    SIZES.exponents(N, P)
    if not phases:
        return radices(N, P)
    n, text = N // P, ",".join(map(str, phases))
    wrong = next((d for d in phases if not 2 <= d <= n or d & d - 1), None)
    if wrong is not None:
        raise ValueError(
            f"phases {text}: {wrong} is no power of two from 2 to N/P = {n}, which is what a rank"
            " can do by itself"
        )
    if prod(phases) != N:
        raise ValueError(f"phases {text}: their product is {prod(phases)}, not N = {N}")
    return tuple(phases)


CACHE_POINTS = 2**13
"""From so many points on, a local transform is done in two steps: in one, it leaves the cache
(measured with numpy's).
"""
VIRTUAL = 256
"""The virtual processors of two steps: of 8, 16, .., 1024 those that took least time, or nearly so,
for 2^13 to 2^24 points.
"""


def virtual_processors(n: int) -> int:
    """Return v for a local transform of n points: 256 where one step leaves the cache, else 1.

    >>> virtual_processors(1024), virtual_processors(2**19)
    (1, 256)
    """
    return VIRTUAL if n >= CACHE_POINTS else 1
