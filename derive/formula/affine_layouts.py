"""The place of index j: every affine layout is an affine map over GF(2) from the index to its
storage address.

The storage address z = s·M + o has the rank s in its top p bits and the offset o in its low m bits,
M = N/P = 2^m.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from derive.call_arguments import counted, text, unknown
from derive.formula.placement import Mapped, Placement
from derive.gf2.bits import Affine
from derive.gf2.bmmc import identity
from derive.gf2.matrix_files import read_matrix
from derive.maps.layout_digits import OF_VECTORS, cut, spelled
from derive.sizes import Sizes

SIZES = Sizes("a layout", lambda N, P: P <= N, "every rank needs at least one element")
"""What a layout takes, whether it is affine or not."""
AFFINE_LAYOUTS = (*spelled(OF_VECTORS), "bmmc:FILE")


def affine_layout(placement: Placement) -> Layout:
    """Return a placement that is an affine map as such.

    Raises ValueError for one that is none.
    """
    if not isinstance(placement, Layout):
        raise ValueError(f"the {placement.name} layout is not an affine map and has no bit matrix")
    return placement


@dataclass(frozen=True, repr=False)
class Layout(Mapped):
    """A distribution of 2^n elements over 2^p ranks: index j lives at address `address(j)`."""

    name: str
    address: Affine
    p: int

    @property
    def n(self) -> int:
        """lg N."""
        return self.address.bits

    @property
    def m(self) -> int:
        """lg (N/P)."""
        return self.n - self.p

    @property
    def N(self) -> int:  # the papers' letter
        """The number of elements."""
        return 1 << self.n

    @property
    def P(self) -> int:  # the papers' letter
        """The number of ranks."""
        return 1 << self.p

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return 1 << self.m

    @cached_property
    def back(self) -> Affine:
        """The map from a storage address to the index that lives there."""
        return self.address.inverse()

    def to_dict(self) -> dict[str, Any]:
        """Return the layout as --json prints it: its name, its bit matrix, the indices of each
        rank.

        Raises ValueError above 1024 elements.

        >>> block(4, 2).to_dict()
        {'layout': 'block', 'address': [1, 2], 'complement': 0, 'index': [[0, 1], [2, 3]]}
        """
        matrix = {"address": list(self.address.columns), "complement": self.address.c}
        return {"layout": self.name, **matrix, "index": super().to_dict()["index"]}


def _of_digits(stem: str, N: int, P: int, *number: int) -> Layout:
    """Return the layout of this name, with a number or without."""
    n, p = SIZES.exponents(N, P)
    name = ":".join([stem, *map(str, number)])
    return Layout(name, _address(stem, 1 << n, 1 << p, *number), p)


@lru_cache(256)
def _address(stem: str, N: int, P: int, *number: int) -> Affine:
    return cut(stem, N, P, *number).address.affine()


def block(N: int, P: int) -> Layout:
    """Return the block distribution, j = s·M + o.

    >>> block(16, 4).place(5)
    (1, 1)
    """
    return _of_digits("block", N, P)


def cyclic(N: int, P: int) -> Layout:
    """Return the cyclic distribution, j = o·P + s.

    >>> cyclic(16, 4).place(5)
    (1, 1)
    """
    return _of_digits("cyclic", N, P)


def group_cyclic(N: int, P: int, groups: int) -> Layout:
    """Return C^r(P, N), cyclic in r groups of u = P/r ranks: the permutation gamma_u (Inda &
    Bisseling 2000, Definition 2.1, equation 2.1).

    Raises ValueError unless r is a power of two with 1 <= r <= P.

    >>> group_cyclic(32, 8, 2).place(5)
    (1, 1)
    """
    SIZES.exponents(N, P)
    if groups < 1 or groups & groups - 1 or groups > P:
        raise ValueError(
            f"group-cyclic:{groups}: the number of groups must be a power of two from 1 to P = {P}"
        )
    return _of_digits("group-cyclic", N, P, groups)


def f_layout(N: int, P: int, f: int) -> Layout:
    """Return the layout with the processor bits at positions f, ..., f+p-1 of the index: Q of
    Cormen 1997, section 6.

    Raises ValueError unless 0 <= f <= n - p.

    >>> f_layout(32, 4, 1).place(10)
    (1, 2)
    """
    n, p = SIZES.exponents(N, P)
    if not 0 <= f <= n - p:
        raise ValueError(
            f"layout f:{f} needs 0 <= K <= {n - p} for {counted(N, 'element')} on"
            f" {counted(P, 'rank')}; got {f}"
        )
    return _of_digits("f", N, P, f)


def bit_reversed(N: int, P: int) -> Layout:
    """Return the block distribution of the bit-reversed vector.

    >>> bit_reversed(16, 4).place(1)
    (2, 0)
    """
    return _of_digits("bit-reversed", N, P)


def scrambled(N: int, P: int) -> Layout:
    """Return the layout in which Progs. 3 to 5 leave their results (Aykanat & Dervis, section 3.1).

    Rank R holds two runs of M/2 indices, the R-th of the lower and the R-th of the upper half: at
    offset (t, o), o < M/2, is index t·N/2 + R·M/2 + o. Raises ValueError for P > 1 ranks with fewer
    than two elements.

    >>> print(scrambled(16, 4).table())
             P0 P1 P2 P3
    offset 0  0  2  4  6
    offset 1  1  3  5  7
    offset 2  8 10 12 14
    offset 3  9 11 13 15
    """
    SIZES.exponents(N, P)
    if P == N > 1:
        raise ValueError(
            f"layout scrambled needs N >= 2P; got N = {N} and P = {P}; try"
            f" {counted(max(P // 2, 1), 'rank')}"
        )
    return _of_digits("scrambled", N, P)


def dynamic(n: int, p: int, l: int) -> Affine:
    """Return the dynamic mapping after l exchanges: the map from index to address of Progs. 3 to 5
    (Aykanat & Dervis, section 3.1).

    Index bit m-1+l, on which stage n-p+l-1 does its butterflies, lies at address bit m-1, the l
    bits below it are rank bits 0 .. l-1. For l = 0 it is the identity, which is the static mapping.

    >>> dynamic(4, 2, 1).columns
    (1, 4, 2, 8)
    """
    m, eye = n - p, identity(n).columns
    if l == 0:
        return identity(n)
    return Affine((*eye[: m - 1], *eye[m : m + l], eye[m - 1], *eye[m + l :]), n)


def bmmc(N: int, P: int, address: Affine, name: str = "bmmc") -> Layout:
    """Return the layout with this address map.

    Raises ValueError if the map is not a bijection of n bits.

    >>> from derive.gf2.bmmc import bit_reversal
    >>> bmmc(8, 2, bit_reversal(3)).place(1)
    (1, 0)
    """
    n, p = SIZES.exponents(N, P)
    if (address.bits, address.rows) != (n, n):
        raise ValueError(
            f"layout {name} maps {address.bits} bits to {address.rows}: N = 2^{n} needs {n} to {n}"
        )
    address.inverse()
    return Layout(name, address, p)


def named(name: str, N: int, P: int, others: Iterable[str] = ()) -> Layout:
    """Return the layout of N elements over P ranks with this name; `others` are names that the
    caller knows beside.

    Raises ValueError for an unknown name or an argument out of range, FileNotFoundError where
    bmmc:FILE names no file.

    >>> named("group-cyclic:2", 32, 8).name
    'group-cyclic:2'
    """
    stem, _, argument = text(name, "layout").partition(":")
    if not argument and stem == name and stem in MAKERS:
        return MAKERS[stem](N, P)
    if stem in NUMBERED and argument.isdecimal():
        return NUMBERED[stem](N, P, int(argument))
    if stem == "bmmc" and argument:
        return bmmc(N, P, Affine.of(read_matrix(Path(argument))), name)
    known = (*AFFINE_LAYOUTS, *others)
    raise unknown("layout", name, known, rule="the layouts are")


MAKERS = {"block": block, "cyclic": cyclic, "bit-reversed": bit_reversed, "scrambled": scrambled}
NUMBERED = {"group-cyclic": group_cyclic, "f": f_layout}
"""The layouts by name, without a number and with one."""
