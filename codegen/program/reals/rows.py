"""Hartley transforms of one array: real along the last axis, of pairs of its elements along others.

H = H_n1 ⊗ .. ⊗ H_nd = (H_n1 ⊗ .. ⊗ I_n) (I ⊗ H_n), n = nd, in either order. Both factors are real: the
first takes z = x[.., 2m] + i x[.., 2m + 1] for complex numbers, n/2 in a row, as if these were of a
batch; the second takes rows of n real elements, whole on a rank.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, log2

from codegen.program.digits.places import digits_of
from codegen.program.digits.routes.search import MOST_PHASES, routes
from derive.digits.layouts import ArrayLayout
from derive.exact.action import act
from derive.exact.rings import Elements, Ring
from derive.formula.grammar import Formula, I, kron
from derive.formula.transforms import H


@dataclass(frozen=True)
class Rows:
    """I ⊗ H_n on rows of n real elements, M elements on each rank."""

    M: int
    n: int

    @property
    def factor(self) -> Formula:
        """What each rank does."""
        return kron(I(self.M // self.n), H(self.n))

    @property
    def flops(self) -> int:
        """Half as many as of complex rows, and an addition for each element."""
        return ceil(5 * self.M * log2(self.n) / 2) + self.M

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        """Return what becomes of the elements of all ranks, by storage address."""
        return act(kron(I(len(x) // self.n), H(self.n)), x, ring)


@lru_cache(256)
def in_rows(source: ArrayLayout, target: ArrayLayout) -> bool:
    """Return whether an array is transformed along its last axis by real rows: even, in one piece
    on each rank, whole before or afterwards; and pairs are enough for a message to each rank, and
    take no more exchanges than elements.

    >>> block, cyclic = (ArrayLayout(name, (12, 8), (2, 1)) for name in ("block", "cyclic"))
    >>> in_rows(block, cyclic), in_rows(block, ArrayLayout("block", (12, 8), (1, 4)))
    (True, True)
    >>> in_rows(block, ArrayLayout("cyclic", (12, 8), (1, 4)))
    False
    """
    ends = source, target
    one = len(source.shape) > 1 and not source.batched and source.M // 2 % source.P == 0
    pieces = (_in_one_piece(end) for end in ends)
    even = (end.shape[-1] // end.grid[-1] % 2 == 0 for end in ends)
    if not (one and all(pieces) and all(even) and 1 in {end.grid[-1] for end in ends}):
        return False
    pairs = routes(*_of_pairs(*ends), most=MOST_PHASES - 1)  # of which fewer ways are looked at
    most = pairs[0].price[0] - 1 if pairs else 0
    return bool(pairs) and (most < 0 or not routes(*ends, most=most))


def _in_one_piece(layout: ArrayLayout) -> bool:
    """Return whether each rank has neighbours of the last axis alone."""
    axis, m = len(layout.shape) - 1, layout.local_shape[-1]
    return all(digit.weight < m for digit in digits_of(layout, True)[1] if digit.axis == axis)


def _of_pairs(*ends: ArrayLayout) -> list[ArrayLayout]:
    """Return layouts of pairs of a row, which is in one piece."""
    *axes, n = ends[0].shape
    named = (replace(end, name=",".join((*end.names[:-1], "block"))) for end in ends)
    return [replace(end, shape=(*axes, n // 2), paired=True) for end in named]


def of_complex(source: ArrayLayout, target: ArrayLayout) -> tuple[ArrayLayout, ArrayLayout]:
    """Return the layouts of the complex numbers that real elements make: pairs of a row, two arrays
    of a batch, or each element one.

    >>> layout = ArrayLayout("block", (5, 12), (1, 2), batched=True)
    >>> [end.shape for end in of_complex(layout, layout)]
    [(3, 12), (3, 12)]
    >>> layout = ArrayLayout("block", (12, 8), (2, 1))
    >>> [end.shape for end in of_complex(layout, layout)]
    [(12, 4), (12, 4)]
    """
    if in_rows(source, target):
        before, after = _of_pairs(source, target)
        return before, after
    half = tuple(-(-B // 2) for B in source.shape[: source.batched])
    shape = half + source.shape[source.batched :]
    return replace(source, shape=shape), replace(target, shape=shape)
