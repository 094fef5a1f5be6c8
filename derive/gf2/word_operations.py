"""The word operations that Cormen 1997 counts, in sections 2 and 5 and in Appendices A and B, for
one processor.

An operation is the addition of one packed column (of a matrix of bits) to a word, or the look at
one bit, nibble or column. Each is counted as the paper's program goes, not by its bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from derive.gf2.bmmc import Factorization


@dataclass(frozen=True)
class Count:
    """A number of operations, and the paper's bound for it."""

    place: str
    operations: int
    bound: int
    order: str

    def row(self) -> tuple[Any, ...]:
        return self.place, self.operations, self.order


def ones(bits: int) -> int:
    """Return how many ones the numbers 0, .., 2^bits - 1 have together.

    >>> ones(3) == sum(x.bit_count() for x in range(8))
    True
    """
    return bits << bits >> 1


def intraprocessor(f: Factorization, k: int) -> tuple[Count, Count, Count]:
    """Return the columns of W that processor k adds: A x for each x, with the processor's columns
    added once, and in Gray-code order (section 5).
    """
    m, M, once = f.m, 1 << f.m, k.bit_count()
    return (
        Count("section 5, first program", ones(m) + M * once, M * f.n, "(N/P) lg N"),
        Count("section 5, second program", ones(m) + once, M * m + f.p, "(N/P) lg(N/P)"),
        Count("section 5, in Gray-code order", M - 1 + once, M + f.p, "N/P"),
    )


def interprocessor(f: Factorization, k: int) -> tuple[Count, Count]:
    """Return the columns of V that processor k adds for its target offsets: rounds b = 0, 1, ..,
    and elements in Gray-code order; and with the rounds in Gray-code order, too.

    The bound of the first is that of the paper's words, rank γ much less than lg(N/P), and is not
    kept where rank γ is near lg(N/P) (`nodewright errata cormen-section-5-operations`).
    """
    M, each = 1 << f.m, f.elements_per_message - 1
    in_turn = sum(b.bit_count() + f.source(b, k).bit_count() + each for b in range(f.rounds))
    gray = f.source(0, k).bit_count() + f.rounds - 1 + f.rounds * each
    return (
        Count("section 5, lines 6 to 8, b = 0, 1, ..", in_turn, M * (f.n + 1), "N/P"),
        Count("section 5, lines 6 to 8, b in Gray-code order", gray, M + f.p, "N/P"),
    )


def appendix_a(columns: Sequence[int]) -> Count:
    """Return the operations of the elimination in Appendix A: the looks at a column in line 5, at
    bits from row 0 on in line 7, and at a bit in line 9; the additions in lines 10 and 11.

    The bound is that of a square matrix: rows that line 7 finds are distinct.

    >>> appendix_a((1, 2, 4)).operations, appendix_a((3, 2, 1)).operations
    (12, 13)
    """
    left, n = list(columns), len(columns)
    count = n
    for j in reversed(range(n)):
        if left[j]:
            pivot = left[j] & -left[j]
            count += pivot.bit_length() + j
            for k in range(j):
                if left[k] & pivot:
                    left[k] ^= left[j]
                    count += 2
    return Count("Appendix A", count, 2 * n * n, "lg² N")


def appendix_b(N: int) -> tuple[Count, Count]:
    """Return the bits, and the nibbles, that are looked at to find the rightmost 1 of 1, .., N.

    >>> [count.operations for count in appendix_b(16)]
    [31, 17]
    """
    least = [(j & -j).bit_length() for j in range(1, N + 1)]
    nibbles = sum((place + 3) // 4 for place in least)
    return (
        Count("Appendix B, bits", sum(least), 2 * N, "N"),
        Count("Appendix B, nibbles", nibbles, -(-16 * N // 15) + 1, "N"),
    )


def operations(f: Factorization, k: int = 0) -> tuple[Count, ...]:
    """Return every count of a factorization, for processor k.

    >>> from derive.gf2.bmmc import bit_reversal, factor
    >>> [count.operations for count in operations(factor(bit_reversal(8), 4), 3)][:3]
    [64, 34, 17]
    """
    return (
        *intraprocessor(f, k),
        *interprocessor(f, k),
        appendix_a(f.permutation.columns),
        *appendix_b(1 << f.m),
    )
