"""Which kernel does a local transform I_copies ⊗ F_d ⊗ I_c: two passes with radices r, *rest of N1
and those of N2 for d = N1 N2 and c = 1, F_d on W columns at a time, or one half of F_2 ⊗ I_c
between two ranks. codegen/kernels/loops.py has their loops.

What is measured here was measured with AVX-512 on one core (bench/kernel.py); none of it decides
what is computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import gcd, log, prod
from typing import Any

from codegen.kernels.primes import PRIMES
from codegen.kernels.widths import LANES
from codegen.program.digits.digit_supersteps import Diagonal, Transform
from derive.digits.radices import divisors
from derive.formula.permutations import lg

ONE_TABLE, OF_HALVES = 2**13, 2**3
"""Up to so many points the twiddles between the passes are one table, and up to so many times as
many where they are complex64.
"""
STREAMED, WORK_STREAMED = 2**16, 2**19
"""From so many elements on results go past the caches, and from so many points on what lies between
the passes.
"""
SCALAR = 4
"""Up to so many points side by side there are too few for a vector."""
ONE_PASS, NEAR = 2**10, 2**12
"""Up to so many points scalars take one pass; up to so many the first pass has one radix."""
OF_PRODUCTS = 2**21
"""From so many elements on, twiddles of several rows are products of entries of two tables."""
RUN = 4
"""Arrays are transposed in blocks of at most so many rows and columns: a run of so many elements of
complex128 is a line of a cache.
"""
CODELETS = (8, 4, 2, *PRIMES)
"""The numbers that kernels have butterflies of."""
NONE, EACH, OTHERS, PRODUCTS, LISTS = "", "each", "others", "products", "lists"
"""Which rows of a transform have twiddles before it: OTHERS, all but the first; PRODUCTS, the same,
and each is a product of entries of two tables; LISTS, all, and its
input is two lists, real and imaginary parts.
"""
MESSAGES = 16
"""Up to so many messages are read where they lie; more are put together first."""


@dataclass(frozen=True)
class Kernel:
    """The kernel of F_d ⊗ I_c, with twiddles before it or not; `streams` if what it is run for is
    large.

    Entry k of its results is at place k div parts of part k mod parts: L^(dc)_parts is done as they
    are stored. Its input is one array, or so many `messages` of `size` elements, which lie apart.
    Where it `reverses`, an element is at the place that has its bits in reverse order. If not 1, a
    `run` of elements of each column has one twiddle. All copies have the `same` ones, or not. If it
    is `strided`, it computes one copy, and the distances between rows are arguments. Its results
    lie apart if they are `put`: the digits of a row, the least significant first, and how far each
    takes it.
    """

    d: int
    c: int
    twiddled: str
    streams: bool
    parts: int = 1
    messages: int = 1
    size: int = 0
    reverses: bool = False
    run: int = 1
    same: bool = False
    strided: bool = False
    put: tuple[tuple[int, int], ...] = ()

    @property
    def lanes(self) -> int:
        """The most lanes that its vectors can have."""
        if self.in_columns:
            own = self.c
        else:
            r, _, rows = two_passes(self.d)
            own = gcd(r, prod(rows))
        return gcd(LANES, self.size or LANES, own)

    @property
    def in_columns(self) -> bool:
        """Whether it is F_d on W columns at a time: of one column where two passes have none."""
        if self.c > 1 or not self.d & self.d - 1:
            return self.c > 1 or self.d <= SCALAR
        lanes, r, _ = _cut(self.d)
        return r == self.d or (lanes == 1 and self.d <= ONE_PASS)

    @property
    def formula(self) -> str:
        dealt = f"L^{self.d * self.c}_{self.parts} " if self.parts > 1 else ""
        if self.d == 1:
            return dealt or f"I_{self.c}"
        found = f" P_{self.d}" if self.reverses else ""
        return dealt + (
            f"F_{self.d}{found}"
            if self.c == 1
            else f"(F_{self.d} ⊗ I_{self.c})"
            if dealt
            else f"F_{self.d} ⊗ I_{self.c}"
        )


@dataclass(frozen=True)
class HalfKernel:
    """The kernel of one half of F_2 ⊗ I_c between two ranks, of which each has the whole of
    both.
    """

    c: int
    streams: bool
    d: int = 2
    messages: int = 2
    twiddled: str = EACH

    @property
    def lanes(self) -> int:
        """The most lanes that its vectors can have."""
        return min(LANES, self.c)

    @property
    def formula(self) -> str:
        return f"one half of F_2 ⊗ I_{self.c}"


def radices(d: int) -> tuple[int, ...]:
    """Return radices of butterflies whose product is d: odd primes, then as many as can be 8, which
    fit the registers, then 4.

    >>> radices(512), radices(256), radices(128), radices(16), radices(2), radices(1)
    ((8, 8, 8), (8, 8, 4), (8, 4, 4), (4, 4), (2,), (1,))
    >>> radices(1000), radices(42)
    ((5, 5, 5, 8), (7, 3, 2))
    """
    if d & d - 1:
        p = next(p for p in PRIMES if d % p == 0)
        return (p, *(radices(d // p) if d > p else ()))
    fours = -lg(d) % 3
    if d <= 4:
        return (d,)
    return (8,) * ((lg(d) - 2 * fours) // 3) + (4,) * fours


def two_passes(d: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return (r, rest, rows): radices of N1, the first apart, and of N2, for d = N1 N2 >= 8 points.

    >>> two_passes(2**10), two_passes(2**20), two_passes(8)
    ((8, (), (8, 4, 4)), (8, (8, 4, 4), (8, 8, 4, 4)), (4, (), (2,)))
    >>> two_passes(1000), two_passes(10**4)
    ((4, (), (5, 5, 5, 2)), (4, (5, 5), (5, 5, 4)))
    """
    if d & d - 1:
        return _two_passes(d)
    k = lg(d)
    first = 3 if k >= 5 else 2
    k1 = first if k <= 12 else {14: 8, 15: 9}.get(k, (k + 1) // 2)
    return 1 << first, radices(1 << k1 - first) if k1 > first else (), radices(1 << k - k1)


def _two_passes(d: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return the same for numbers that are no powers of two."""
    _, r, m = _cut(d)
    return r, radices(m) if m > 1 else (), radices(d // (r * m))


@cache
def _cut(d: int) -> tuple[int, int, int]:
    """Return (lanes, r, m) of two passes with N1 = r m and the most lanes, of many points with N1
    and N2 nearly equal; (1, d, 1) where there are none.
    """
    whole = [(r, m) for r in CODELETS if d % r == 0 for m in divisors(d // r)[:-1]]
    cuts = [(gcd(LANES, r, d // (r * m)), r, m) for r, m in whole if m == 1 or d > NEAR]

    def unequal(cut: tuple[int, int, int]) -> tuple[int, float]:
        lanes, r, m = cut
        return -lanes, abs(log(r * m) - log(d) / 2)

    return min(cuts, key=unequal, default=(1, d, 1))


def first_radix(step: Transform) -> int:
    """Return the radix of the butterflies that load the elements of a transform."""
    in_columns = Kernel(step.d, step.c, NONE, False).in_columns
    return radices(step.d)[0] if in_columns else two_passes(step.d)[0]


def has_kernel(d: int) -> bool:
    """Return whether codelets do F_d.

    >>> has_kernel(2 * 3 * 5 * 7), has_kernel(22)
    (True, False)
    """
    for r in CODELETS:
        while d % r == 0:
            d //= r
    return d == 1


def kernel_of(step: Any, M: int = 0) -> Kernel | HalfKernel:
    """Return the kernel of a local transform.

    >>> kernel_of(Transform(None, 1, 256, 4)).formula
    'F_256 ⊗ I_4'
    """
    if step.exchanges:
        return HalfKernel(M, M >= STREAMED)
    d, c, elements = step.d, step.c, step.copies * step.d * step.c
    size = elements // step.messages if step.messages > 1 else 0
    streams, run = elements >= STREAMED or step.put != (), common_twiddles(step)
    twiddled = _twiddled(step) if run == 1 else EACH
    same = step.diagonal is not None and step.copies > 1 and has_same(step, M)
    dealt = step.parts, step.messages, size
    return Kernel(d, c, twiddled, streams, *dealt, step.reverses, run, same, put=step.put)


def deals(step: Transform, parts: int) -> bool:
    """Return whether the kernel of a transform can deal its results to so many parts.

    >>> deals(Transform(None, 5, 64, 1), 2), deals(Transform(None, 5, 64, 1), 3)
    (True, False)
    >>> deals(Transform(None, 5, 88, 1), 2)
    False
    """
    if step.c > 1 or parts & parts - 1 or not has_kernel(step.d):
        return False
    if Kernel(step.d, 1, NONE, False).in_columns:
        return False
    r, rest, _ = two_passes(step.d)
    return r * prod(rest) % parts == 0


def has_same(step: Transform, M: int) -> bool:
    """Return whether the copies of a transform of M elements have no twiddles, or all the same."""
    return step.diagonal is None or step.d * step.c % step.diagonal.period(M) == 0


def common_twiddles(step: Transform) -> int:
    """Return how many neighbours within a row have a twiddle in common, whole vectors; 1 where
    there are none.
    """
    run = step.diagonal.run if step.diagonal else 1
    return run if step.c % run == 0 and run % (2 * LANES) == 0 else 1


def _twiddled(step: Transform) -> str:
    if step.diagonal is None:
        return NONE
    one_butterfly = step.copies == 1 and step.d in (2, 4, 8) and step.c > 1
    M = step.d * step.c
    if not one_butterfly or step.diagonal.first(M) < step.c:
        return EACH
    long = step.d > 2 and M >= OF_PRODUCTS
    return PRODUCTS if long and _are_products(step.diagonal, step.c, M) else OTHERS


def _are_products(diagonal: Diagonal, c: int, M: int) -> bool:
    """Return whether w^(ij) is a product for low and high digits of offsets below c, as i is of the
    rows of length c, and j of all but these.
    """
    (i, j, _), *others = diagonal.terms
    return not (others or i.part(1, c, 1).fields or j.part(c, M, c).fields)


def of_type(dtype: str) -> int:
    """Return up to how many points of this type the twiddles between the passes are one table."""
    return ONE_TABLE * (OF_HALVES if dtype in ("complex64", "float32") else 1)


def used(steps: Iterable[Any], M: int = 0) -> list[Kernel | HalfKernel]:
    """Return the kernels of transforms, each once."""
    return list(dict.fromkeys(kernel_of(step, M) for step in steps))
