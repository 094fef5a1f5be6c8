"""The supersteps of a vector of N = n1 n2 elements whose ranks have unequal parts.

    IndexTrade   elements come to ranks by their indices, between a vector and an array of n1 x n2
    Twiddles     the diagonal w_N^(k1 j2) on such an array

Back from half a spectrum, or forth to it, elements that are not there are conjugates of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from codegen.program.protocol import Exchanges, Sent, Words, Works
from codegen.program.ragged.chirp_steps import Pointwise
from codegen.program.ragged.part_steps import PartStep
from derive.digits.part_layouts import PartLayout
from derive.exact.residues import Residues
from derive.exact.rings import Collision, Elements, Ring
from derive.formula.adjoints import conjugate
from derive.formula.grammar import Formula
from derive.formula.permutation_matrices import L
from derive.formula.transforms import T

FOLD, FLATTEN, UNFOLD, FOLD_ROWS = "fold", "flatten", "unfold", "fold rows"
UNFOLD_HALF, FOLD_HALF = "unfold half", "fold half"


def within(lo: Any, hi: Any, n: int, first: Any, stop: Any) -> Any:
    """Return how many j of lo <= j < hi have first <= j mod n < stop <= n.

    >>> int(within(3, 25, 10, 2, 4))
    5
    """
    size = np.maximum(stop - first, 0)

    def below(j: Any) -> Any:
        return j // n * size + np.clip(j % n - first, 0, size)

    return below(hi) - below(lo)


def value_of(text: str, k: Any) -> Any:
    """Return the value of an expression in k, as programs have it.

    >>> value_of("k % 2 * 4 + k // 2", 3)
    5
    """
    return eval(text, {"np": np, "k": k})


@dataclass(frozen=True)
class IndexTrade(PartStep):
    """Elements come to ranks by their indices: a vector j = j1 n2 + j2 becomes an array (fold), or
    back (flatten), or an array becomes the vector k = k2 n1 + k1 (unfold), or back (fold rows). Of
    half a spectrum the array has k1 <= n1/2, and the vector k <= N/2.
    """

    before: PartLayout
    after: PartLayout
    how: str
    n1: int
    n2: int
    words_each: int = 1

    exchanges: ClassVar[bool] = True

    @property
    def needs_conjugates(self) -> bool:
        return self.how in (UNFOLD_HALF, FOLD_HALF)

    @property
    def factors(self) -> tuple[Formula, ...]:
        return (L(self.n1 * self.n2, self.n2),) if self.how == UNFOLD else ()

    @property
    def source_text(self) -> str:
        """The index before of the element with index k after, as an expression of Python."""
        n1, n2, N = self.n1, self.n2, self.n1 * self.n2
        if self.how == UNFOLD:
            return f"k % {n1} * {n2} + k // {n1}"
        if self.how == FOLD_ROWS:
            return f"k % {n2} * {n1} + k // {n2}"
        if self.how == UNFOLD_HALF:
            own = f"k % {n1} * {n2} + k // {n1}"
            other = f"({n1} - k % {n1}) * {n2} + ({N} - k) // {n1}"
            return f"np.where(k % {n1} <= {n1 // 2}, {own}, {other})"
        if self.how == FOLD_HALF:
            own = f"k % {n2} * {n1} + k // {n2}"
            return f"np.minimum({own}, {N} - ({own}))"
        return "k"

    @property
    def turned(self) -> str:
        """Which elements are conjugates, as an expression of Python in k; "" for none."""
        n1, n2, N = self.n1, self.n2, self.n1 * self.n2
        if self.how == UNFOLD_HALF:
            return f"k % {n1} > {n1 // 2}"
        if self.how == FOLD_HALF:
            return f"2 * (k % {n2} * {n1} + k // {n2}) > {N}"
        return ""

    @property
    def turned_text(self) -> str:
        """The same as a function in Python; "" for none."""
        return f"lambda k: {self.turned}" if self.turned else ""

    def source(self, k: Any) -> tuple[Any, Any]:
        """Return the index before of index k after, and whether it is a conjugate."""
        return value_of(self.source_text, k), value_of(self.turned or "k < 0", k)

    def interpret(self, x: Elements, ring: Ring | None = None) -> Elements:
        return self.completed(x, x, ring)

    def completed(self, x: Elements, c: Elements, ring: Ring | None) -> Elements:
        """Return the elements after it, those of c where they are conjugates of x; those that a
        shorter vector does not have are 0.
        """
        k = np.arange(self.after.N)
        j, turned = self.source(k)
        there = j < self.before.N
        if not there.all() and not isinstance(ring, Residues):
            raise Collision
        places = self.before.address(j[there])
        found = x[places]
        found[turned[there]] = c[places][turned[there]]
        y = np.zeros((len(k), *found.shape[1:]), found.dtype)
        y[self.after.address(k[there])] = found
        return y

    def row(self, rank: int) -> NDArray[np.int64]:
        """Return how many elements every rank takes from this one.

        Elements of a vector block whose indices are in an interval mod n are counted by a formula.
        """
        of_vector = self.how in (FOLD, FOLD_HALF, FOLD_ROWS)
        vector, array = (self.before, self.after) if of_vector else (self.after, self.before)
        by_columns = self.how in (FOLD, FLATTEN)
        (blocks,), parts = vector.axes, array.axes[by_columns]
        n = self.n2 if by_columns else self.n1
        every = np.arange(self.after.P)
        of_blocks, of_parts = (rank, every) if of_vector else (every, rank)
        lo, first = blocks.index(of_blocks, 0), parts.index(of_parts, 0)
        hi, stop = lo + blocks.count(of_blocks), first + parts.count(of_parts)
        found = within(lo, hi, n, first, stop)
        if self.how == UNFOLD_HALF:
            others = (np.clip(n + 1 - end, n // 2 + 1, n) for end in (stop, first))
            found = found + within(lo, hi, n, *others)
        if self.how == FOLD_HALF:
            lo, hi = np.maximum(lo, 1), np.minimum(hi, (self.n1 * self.n2 + 1) // 2)
            hi = np.maximum(lo, hi)
            zeros = within(lo, hi, n, 0, 1) * ((first == 0) & (stop > 0))
            found = found + zeros + within(lo, hi, n, n + 1 - stop, n + 1 - np.maximum(first, 1))
        return np.asarray(found + 0 * every)

    def sent(self, ranks: Any) -> Sent:
        rows, own = [self.row(rank) for rank in np.ravel(ranks).tolist()], np.ravel(ranks).tolist()
        both = [*zip(rows, own, strict=True)]
        messages = [np.count_nonzero(row) - (row[rank] > 0) for row, rank in both]
        words = [(row.sum() - row[rank]) * self.words_each for row, rank in both]
        shape = np.shape(ranks)
        return Sent(np.reshape(messages, shape).astype(int), np.reshape(words, shape).astype(int))

    def targets(self, ranks: Any) -> tuple[Any, Any]:
        words = np.stack([self.row(rank) for rank in np.ravel(ranks).tolist()])
        to = np.where(words > 0, np.arange(self.after.P), ranks)
        return to, words * self.words_each

    @property
    def words(self) -> str:
        a, b = self.n1, self.n2
        return {
            FOLD: f"element j = {b} j_0 + j_1 of the vector comes to (j_0, j_1) of {a} x {b}",
            FLATTEN: f"element (j_0, j_1) of {a} x {b} comes to j = {b} j_0 + j_1 of the vector",
            UNFOLD: f"element (k_0, k_1) of {a} x {b} comes to k = k_0 + {a} k_1 of the vector",
            FOLD_ROWS: f"element k = k_0 + {a} k_1 of the vector comes to (k_0, k_1) of {a} x {b}",
            UNFOLD_HALF: f"k = k_0 + {a} k_1 of the vector is (k_0, k_1) of {a} x {b}, or the"
            f" conjugate of {a * b} - k",
            FOLD_HALF: f"(k_0, k_1) of {a} x {b} is k = k_0 + {a} k_1 of the vector, or the"
            f" conjugate of {a * b} - k",
        }[self.how]

    @property
    def in_words(self) -> Words:
        return (Exchanges(self.words),)


@dataclass(frozen=True)
class Twiddles(Pointwise):
    """The diagonal w_N^(k1 j2) on an array (k1, j2) in this layout, N = n1 n2; its conjugate on the
    way back of a convolution.
    """

    n1: int
    n2: int
    back: bool = False

    @property
    def order(self) -> int:
        """N."""
        return self.n1 * self.n2

    @property
    def factors(self) -> tuple[Formula, ...]:
        found = T(self.order, self.n2)
        return (conjugate(found) if self.back else found,)

    @property
    def power_text(self) -> str:
        """The exponent of index k, as an expression of Python."""
        sign = "-" if self.back else ""
        return f"{sign}(k // {self.n2}) * (k % {self.n2}) % {self.order}"

    @property
    def roots(self) -> int:
        return self.order

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        k = np.arange(self.before.N)
        exponents = np.empty_like(k)
        powers = (k // self.n2) * (k % self.n2) * (-1 if self.back else 1)
        exponents[self.before.address(k)] = powers % self.order
        return ring.twist(x, exponents, self.order)

    @property
    def words(self) -> str:
        return f"{self.factors[0]}: twiddles"

    @property
    def in_words(self) -> Words:
        return (Works(str(self.factors[0])),)
