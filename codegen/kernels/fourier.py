"""Which kernel does a local transform I_copies ⊗ F_d ⊗ I_c: the constants that its text in
codegen/templates/vectors.py.jinja is given.

    kernel = TwoPasses(r, rest, rows)       c = 1:  d = N1 N2, radices r, *rest of N1, and those of N2
           | Columns(radices, c)            F_d on W columns at a time
           | Half(c)                        one half of F_2 ⊗ I_c between two ranks

What is measured here was measured with AVX-512 on one core (bench/kernel.py); none of it decides
what is computed.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from codegen.kernels.permute import text
from codegen.kernels.plain_vectors import LANES
from codegen.program.supersteps import Across, Butterflies, Local, Twiddle
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
RUN = 4
"""Arrays are transposed in blocks of at most so many rows and columns: a run of so many elements of
complex128 is a line of a cache.
"""
PARTS = ("columns", "two_passes", "by_one", "by_two", "deals")
"""The parts of the text that a program may do without."""
NONE, EACH, OTHERS = "", "each", "others"
"""Which rows of a transform have twiddles before it: OTHERS, all but the first."""
MESSAGES = 16
"""Up to so many messages are read where they lie; more are put together first."""


@dataclass(frozen=True)
class Kernel:
    """The kernel of F_d ⊗ I_c, with twiddles before it or not; `streams` if what it is run for is
    large.

    Entry k of its results is at place k div parts of part k mod parts: L^(dc)_parts is done as they
    are stored. Its input is one array, or so many `messages` of `size` elements, which lie apart.
    Where it `reverses`, an element is at the place that has its bits in reverse order.
    """

    d: int
    c: int
    twiddled: str
    streams: bool
    parts: int = 1
    messages: int = 1
    size: int = 0
    reverses: bool = False

    @property
    def lanes(self) -> int:
        """The most lanes that its vectors can have."""
        return min(
            LANES,
            self.size or LANES,
            self.c if self.c > 1 else 1 if self.d <= SCALAR else 1 << lg(self.d) // 2,
        )

    @property
    def passes(self) -> str:
        """The text that makes it."""
        rest = f'"{self.twiddled}", {self.streams}' + (
            f", {self.parts}" if self.parts > 1 or self.size else ""
        )
        rest += f", {self.messages}, {self.size}" if self.size else ""
        if self.c > 1 or self.d <= SCALAR:
            return f"Columns({radices(self.d)}, {self.c}, {rest})"
        r, more, rows = two_passes(self.d)
        return f"TwoPasses({r}, {more}, {rows}, {rest}{', reverse=True' if self.reverses else ''})"

    @property
    def formula(self) -> str:
        """What it computes."""
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
    def passes(self) -> str:
        """The text that makes it."""
        return f"Half({self.c}, {self.streams})"

    @property
    def formula(self) -> str:
        """What it computes."""
        return f"one half of F_2 ⊗ I_{self.c}"


def radices(d: int) -> tuple[int, ...]:
    """Return radices of butterflies whose product is d: as many as can be 8, which fit the
    registers, then 4.

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
class Joined(Local):
    """A local transform that reads so many messages where they lie, and deals its results: entry k
    to place k div parts of part k mod parts.
    """

    parts: int = 1
    messages: int = 1


@dataclass(frozen=True)
class Reversed(Local):
    """A local transform of elements that lie, each copy by itself, in bit-reversed order: I_copies
    ⊗ F_d P_d.
    """


@dataclass(frozen=True)
class ReversedStages(Butterflies):
    """Stages A_last .. A_4 A_2 P_M of a rank's M elements, which lie in bit-reversed order."""


def kernel_of(step: Local | Across, M: int = 0) -> Kernel | HalfKernel:
    """Return the kernel of a local transform.

    >>> kernel_of(Local(None, 1, 256, 4)).passes
    'Columns((8, 8, 4), 4, "", False)'
    """
    if isinstance(step, Across):
        return HalfKernel(M, M >= STREAMED)
    d, c, elements = step.d, step.c, step.copies * step.d * step.c
    parts, messages = (step.parts, step.messages) if isinstance(step, Joined) else (1, 1)
    size = elements // messages if messages > 1 else 0
    return Kernel(
        d,
        c,
        _twiddled(step),
        elements >= STREAMED,
        parts,
        messages,
        size,
        isinstance(step, Reversed),
    )


def _twiddled(local: Local) -> str:
    if local.twiddle is None:
        return NONE
    one_butterfly = local.copies == 1 and local.d in (2, 4, 8) and local.c > 1
    return (
        OTHERS
        if one_butterfly and _first_row_has_none(local.twiddle, lg(local.c), lg(local.d * local.c))
        else EACH
    )


def _first_row_has_none(twiddle: Twiddle, row: int, m: int) -> bool:
    """Return whether w^(ij) = 1 for offsets below 2^row of the 2^m on each rank."""
    return any(
        not any((part.c, *part.columns[:row], *part.columns[m:])) for part in (twiddle.i, twiddle.j)
    )


def view(steps: Iterable[Local | Across], M: int, dtype: str) -> dict[str, Any]:
    """Return what a program prints of the kernels of its transforms, M elements of this type a
    rank.
    """
    kernels = used(steps, M)
    return of_kernels(kernels, "DTYPE") | {"local_kernels": kernels, "one_table": of_type(dtype)}


def of_type(dtype: str) -> int:
    """Return up to how many points of this type the twiddles between the passes are one table."""
    return ONE_TABLE * (OF_HALVES if dtype == "complex64" else 1)


def of_kernels(kernels: Sequence[Kernel | HalfKernel], complex: str) -> dict[str, Any]:
    """Return what a program prints of the vectors that kernels are made of, and of the complex type
    of their parts.
    """
    return {
        "vectors": text.section("vectors"),
        "lanes": min((kernel.lanes for kernel in kernels), default=LANES),
        "one_table": ONE_TABLE,
        "work_streamed": WORK_STREAMED,
        "complex": complex,
        "local_kernels": [],
        "uses": dict.fromkeys(PARTS, True),
        "run": 0,
        "across": any(isinstance(kernel, HalfKernel) for kernel in kernels),
        "messages": any(kernel.messages > 1 for kernel in kernels),
        "reverses": any(isinstance(kernel, Kernel) and kernel.reverses for kernel in kernels),
    }


def uses(kernels: Sequence[Kernel | HalfKernel], one_table: int) -> dict[str, bool]:
    """Return which parts of the text these kernels need, with one table of twiddles between the
    passes of up to so many points.

    >>> [name for name, needed in uses([Kernel(64, 1, NONE, False)], 2**13).items() if needed]
    ['two_passes', 'by_one']
    """
    of_both = [kernel for kernel in kernels if isinstance(kernel, Kernel)]
    passes = [kernel for kernel in of_both if kernel.c == 1 and kernel.d > SCALAR]
    return {
        "columns": len(passes) < len(of_both),
        "two_passes": bool(passes),
        "by_one": any(kernel.d <= one_table for kernel in passes),
        "by_two": any(kernel.d > one_table for kernel in passes),
        "deals": any(kernel.parts > 1 for kernel in of_both),
    }


def used(steps: Iterable[Local | Across], M: int = 0) -> list[Kernel | HalfKernel]:
    """Return the kernels of transforms, each once."""
    return list(dict.fromkeys(kernel_of(step, M) for step in steps))
