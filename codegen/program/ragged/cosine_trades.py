"""Exchanges of elements by their indices in cosine and sine transforms of a vector (cosine_steps.py
has the formulas), and Makhoul's order: the even elements forwards, then the odd ones backwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from codegen.program.ragged.vector_steps import IndexTrade, value_of, within
from derive.exact.rings import Elements, Ring

SORT, RESTORE, TAKE_PARTS, GIVE_PARTS = "sort", "restore", "take parts", "give parts"
HALF_TURN = (1, 2)
"""A factor of -1, as a root of unity."""


@dataclass(frozen=True)
class CosineTrade(IndexTrade):
    """Elements come to ranks by their indices: a vector in Makhoul's order becomes an array of n1 x
    n2 (sort), or back (restore); real and imaginary parts of an array (k1, k2), k1 <= n1/2, become
    the elements k and N - k of a vector, k = k1 + n1 k2 (take parts), or back (give parts).
    """

    sine: bool = False
    needs_conjugates: ClassVar[bool] = False

    @property
    def factors(self) -> tuple[Any, ...]:
        return ()

    @property
    def _forth(self) -> bool:
        """Whether it is from a vector to an array."""
        return self.how in (SORT, GIVE_PARTS)

    @property
    def signed(self) -> bool:
        """Whether some elements get the other sign."""
        return self.sine and self.how in (SORT, RESTORE)

    @property
    def source_text(self) -> str:
        n1, n2, N = self.n1, self.n2, self.n1 * self.n2
        if self.how in (SORT, RESTORE):
            return order_text(N, self.how == RESTORE)
        if self.how == GIVE_PARTS:
            k = f"(k // {2 * n2} + k // 2 % {n2} * {n1})"
            if self.sine:
                return f"np.where(k % 2, {N - 1} - {k}, ({k} - 1) % {N + 1})"
            return f"np.where(k % 2, {k}, {N} - {k})"
        j = f"({N - 1} - k)" if self.sine else "k"
        own = f"{j} % {n1} * {2 * n2} + {j} // {n1} * 2 + 1"
        other = f"({n1} - {j} % {n1}) * {2 * n2} + ({N} - {j}) // {n1} * 2"
        return f"np.where({j} % {n1} <= {n1 // 2}, {own}, {other})"

    @property
    def turned(self) -> str:
        if not self.signed:
            return ""
        return "k % 2 > 0" if self.how == RESTORE else f"2 * k >= {self.n1 * self.n2}"

    def interpret(self, x: Elements, ring: Ring | None = None) -> Elements:
        other = ring.twist(x, *HALF_TURN) if self.signed and ring else x
        return self.completed(x, other, ring)

    def row(self, rank: int) -> NDArray[np.int64]:
        n1, n2, N = self.n1, self.n2, self.n1 * self.n2
        vector, array = (self.before, self.after) if self._forth else (self.after, self.before)
        by_columns, every = self.how in (SORT, RESTORE), np.arange(self.after.P)
        (blocks,), split = vector.axes, array.axes[by_columns]
        of_blocks, of_parts = (rank, every) if self._forth else (every, rank)
        lo, first = blocks.index(of_blocks, 0), split.index(of_parts, 0)
        hi, stop = lo + blocks.count(of_blocks), first + split.count(of_parts)
        if by_columns:
            even = within(-(-lo // 2), -(-hi // 2), n2, first, stop)
            return np.asarray(
                even + within(lo // 2, hi // 2, n2, n2 - stop, n2 - first) + 0 * every
            )
        if self.sine:
            lo, hi = N - hi, N - lo
        found = within(lo, hi, n1, first, stop)
        if self.how == TAKE_PARTS:
            others = (np.clip(n1 + 1 - end, n1 // 2 + 1, n1) for end in (stop, first))
            return np.asarray(found + within(lo, hi, n1, *others) + 0 * every)
        lo = np.minimum(np.maximum(lo, 1), hi)
        zeros = within(lo, hi, n1, 0, 1) * ((first == 0) & (stop > 0))
        return np.asarray(
            found + zeros + within(lo, hi, n1, n1 + 1 - stop, n1 + 1 - np.maximum(first, 1))
        )

    @property
    def words(self) -> str:
        a, b = self.n1, self.n2
        signs, reverse = " with alternating signs" * self.sine, ", in reversed order" * self.sine
        return {
            SORT: f"even elements forwards, then odd ones backwards{signs}, come to {a} x {b}",
            RESTORE: f"{a} x {b} is even elements forwards, then odd ones backwards{signs}",
            TAKE_PARTS: f"y_k = Im W_k, y_({a * b}-k) = Re W_k, k = k_0 + {a} k_1{reverse}",
            GIVE_PARTS: f"x_({a * b}-k) + i x_k comes to (k_0, k_1), k = k_0 + {a} k_1{reverse}",
        }[self.how]


def order_text(n: int, back: bool) -> str:
    """Return the index before of index k after Makhoul's order of n elements, or after the way back
    from it, as an expression of Python.
    """
    if back:
        return f"np.where(k % 2, {n - 1} - k // 2, k // 2)"
    return f"np.where(2 * k < {n}, 2 * k, 2 * ({n} - k) - 1)"


def order(n: int, back: bool = False) -> NDArray[np.int64]:
    """Return Makhoul's order of n elements, the index of each before; or the way back from it.

    >>> order(8).tolist(), order(5).tolist(), order(5, back=True).tolist()
    ([0, 2, 4, 6, 7, 5, 3, 1], [0, 2, 4, 3, 1], [0, 4, 1, 3, 2])
    """
    return np.asarray(value_of(order_text(n, back), np.arange(n)))
