"""Which kernel does a local transform I_copies ⊗ F_d ⊗ I_c: the constants that its text in codegen/templates/vectors.py.jinja is given.

    kernel = TwoPasses(r, rest, rows)       c = 1:  d = N1 N2, radices r, *rest of N1, and those of N2
           | Columns(radices, c)            F_d on W columns at a time

What is measured here was measured with AVX-512 on one core (bench/kernel.py); none of it decides what is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from typing import Any

from codegen.kernels import text
from codegen.kernels.plain_vectors import LANES
from codegen.supersteps import Local, Move, Step, Twiddle
from derive.bits import Affine
from derive.permute import lg

ONE_TABLE = 2**13
"""Up to so many points the twiddles between the passes are one table."""
STREAMED, WORK_STREAMED = 2**16, 2**19
"""From so many elements on results go past the caches, and from so many points on what lies between the passes."""
SCALAR = 4
"""Up to so many points side by side there are too few for a vector."""
NONE, EACH, OTHERS = "", "each", "others"
"""Which rows of a transform have twiddles before it: OTHERS, all but the first."""


@dataclass(frozen=True)
class Kernel:
    """The kernel of F_d ⊗ I_c, with twiddles before it or not; `streams` if what it is run for is large.

    Entry k of its results is at place k div parts of part k mod parts: for c = 1, L^d_parts is done as they are stored.
    """

    d: int
    c: int
    twiddled: str
    streams: bool
    parts: int = 1

    @property
    def lanes(self) -> int:
        """The most lanes that its vectors can have."""
        return min(LANES, self.c if self.c > 1 else 1 if self.d <= SCALAR else 1 << lg(self.d) // 2)

    @property
    def passes(self) -> str:
        """The text that makes it."""
        rest = f'"{self.twiddled}", {self.streams}'
        if self.c > 1 or self.d <= SCALAR:
            return f"Columns({radices(self.d)}, {self.c}, {rest})"
        r, more, rows = two_passes(self.d)
        return f"TwoPasses({r}, {more}, {rows}, {rest}{f', {self.parts}' if self.parts > 1 else ''})"

    @property
    def formula(self) -> str:
        """What it computes."""
        dealt = f"L^{self.d}_{self.parts} " if self.parts > 1 else ""
        return f"{dealt}F_{self.d}" if self.c == 1 else f"F_{self.d} ⊗ I_{self.c}"


def radices(d: int) -> tuple[int, ...]:
    """Return radices of butterflies whose product is d: as many as can be 8, which fit the registers, then 4.

    >>> radices(512), radices(256), radices(128), radices(16), radices(2), radices(1)
    ((8, 8, 8), (8, 8, 4), (8, 4, 4), (4, 4), (2,), (1,))
    """
    fours = -lg(d) % 3
    if d <= 4:
        return (d,)
    return (8,) * ((lg(d) - 2 * fours) // 3) + (4,) * fours


def two_passes(d: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return (r, rest, rows): radices of N1, the first apart, and of N2, for d = N1 N2 >= 8 points.

    >>> two_passes(2**10), two_passes(2**20), two_passes(8)
    ((8, (), (8, 4, 4)), (8, (8, 4, 4), (8, 8, 4, 4)), (4, (), (2,)))
    """
    k = lg(d)
    first = 3 if k >= 5 else 2
    k1 = first if k <= 12 else {14: 8, 15: 9}.get(k, (k + 1) // 2)
    return 1 << first, radices(1 << k1 - first) if k1 > first else (), radices(1 << k - k1)


@dataclass(frozen=True)
class Dealt(Local):
    """A local transform whose results are dealt to so many parts, entry k to place k div parts of part k mod parts."""

    parts: int = 1


def fused(steps: tuple[Step, ...], m: int) -> tuple[Step, ...]:
    """Return supersteps in which a rearrangement L^d_p after a transform of all 2^m elements is done as its results are stored.

    >>> from codegen.lower import build
    >>> [local, move, _] = fused(build("fft", 256, 4, "cyclic", "cyclic").steps, 6)
    >>> local.parts, move.pack == Affine(tuple(1 << bit for bit in range(6)) + (0, 0), 6)
    (4, True)
    """
    found = list(steps)
    for i, (local, move) in enumerate(pairwise(steps)):
        if isinstance(local, Local) and isinstance(move, Move) and (parts := _dealt(local, move.pack, m)) > 1:
            found[i] = Dealt(**vars(local), parts=parts)
            found[i + 1] = replace(move, pack=Affine(tuple(1 << bit for bit in range(m)) + (0,) * (len(move.pack.columns) - m), m))
    return tuple(found)


def _dealt(local: Local, pack: Affine, m: int) -> int:
    """Return p where the kernel of a transform can do the rearrangement L^d_p of its results; 1 where it cannot."""
    inside, ranks = pack.columns[:m], (pack.c, *pack.columns[m:])
    p = inside.index(1) if 1 in inside else 0
    if (local.copies, local.c) != (1, 1) or local.d <= SCALAR or not p or any(ranks) or inside != tuple(1 << (bit - p) % m for bit in range(m)):
        return 1
    r, rest, _ = two_passes(local.d)
    return 1 << p if r * prod(rest) >= 1 << p else 1


def kernel_of(local: Local) -> Kernel:
    """Return the kernel of a local transform.

    >>> kernel_of(Local(None, 1, 256, 4)).passes
    'Columns((8, 8, 4), 4, "", False)'
    """
    d, c, elements = local.d, local.c, local.copies * local.d * local.c
    return Kernel(d, c, _twiddled(local), elements >= STREAMED, local.parts if isinstance(local, Dealt) else 1)


def _twiddled(local: Local) -> str:
    if local.twiddle is None:
        return NONE
    one_butterfly = local.copies == 1 and local.d in (2, 4, 8) and local.c > 1
    return OTHERS if one_butterfly and _first_row_has_none(local.twiddle, lg(local.c), lg(local.d * local.c)) else EACH


def _first_row_has_none(twiddle: Twiddle, row: int, m: int) -> bool:
    """Return whether w^(ij) = 1 for offsets below 2^row of the 2^m on each rank."""
    return any(not any((part.c, *part.columns[:row], *part.columns[m:])) for part in (twiddle.i, twiddle.j))


def view(locals_: Iterable[Local]) -> dict[str, Any]:
    """Return what a program prints of the kernels of its local transforms."""
    kernels = used(locals_)
    return of_kernels(kernels, "DTYPE") | {"local_kernels": kernels}


def of_kernels(kernels: Sequence[Kernel], complex: str) -> dict[str, Any]:
    """Return what a program prints of the vectors that kernels are made of, and of the complex type of their parts."""
    return {
        "vectors": text.section("vectors"),
        "lanes": min((kernel.lanes for kernel in kernels), default=LANES),
        "one_table": ONE_TABLE,
        "work_streamed": WORK_STREAMED,
        "complex": complex,
        "local_kernels": [],
    }


def used(locals_: Iterable[Local]) -> list[Kernel]:
    """Return the kernels of local transforms, each once."""
    return list(dict.fromkeys(kernel_of(local) for local in locals_))
