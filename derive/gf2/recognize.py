"""Is a permutation of 2^n indices BMMC? One pass over it, with little memory."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.gf2.bits import Affine, rank, span
from derive.lazy import lazily

_html = lazily("derive.show.html")

CHUNK_BITS = 16
"""So many low bits of the index are looked up in a table, 2^16 indices at a time."""


@dataclass(frozen=True, repr=False)
class Witness:
    """The reason why a list of targets is not a BMMC permutation.

    There is one affine map that agrees with the list at 0 and at the powers of two. The list
    differs from it at index x.

    Attributes:
        x: an index.
        y: the target of x in the list.
        wanted: the target of x under the affine map.
        other: another index with the target y, if one is known: the list is then not a permutation;
            otherwise None.

    Examples:
        >>> found = recognize(np.array([0, 1, 2, 3, 4, 5, 7, 6]))
        >>> found.x, found.y, found.wanted, found.other
        (6, 7, 6, None)
    """

    x: int
    y: int
    wanted: int
    other: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as `bmmc --json` prints it."""
        known = {name: value for name, value in asdict(self).items() if value is not None}
        return {"bmmc": False, "witness": known, "text": str(self)}

    def _repr_html_(self) -> str:
        return str(_html.fragment(_html.verdict("refuted", self)))

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        if self.other is not None:
            return f"no permutation: indices {self.other} and {self.x} both go to {self.y}"
        sources = " + ".join(
            ["0", *(str(1 << j) for j in range(self.x.bit_length()) if self.x >> j & 1)]
        )
        return (
            f"not BMMC: index {self.x} goes to {self.y}, but the targets of {sources} make it"
            f" {self.wanted}"
        )


def recognize(targets: NDArray[Any]) -> Affine | Witness:
    """Return the map j -> A j + c that a permutation is, given the target of every index, or a
    witness that there is none.

    targets: 2^n integers (a memory map will do). O(N) time, but n + 2 looks where those at 0 and
    the powers of two make A singular; memory for 2^16 indices. Raises ValueError if the length is
    no power of two, the entries are no integers, or one of those at 0 and the powers of two lies
    outside 0..N-1.

    >>> recognize(np.array([0, 4, 2, 6, 1, 5, 3, 7])).columns
    (4, 2, 1)
    >>> print(recognize(np.array([0, 1, 2, 3, 4, 5, 7, 6])))
    not BMMC: index 6 goes to 7, but the targets of 0 + 2 + 4 make it 6
    >>> print(recognize(np.array([0, 1, 2, 2])))
    no permutation: indices 2 and 3 both go to 2
    """
    N = len(targets) if targets.ndim == 1 else 0
    if N < 1 or N & N - 1 or targets.dtype.kind not in "iu":
        raise ValueError(
            f"{targets.dtype} of shape {targets.shape}: a BMMC permutation is a list of 2^n"
            " integers"
        )
    n = N.bit_length() - 1
    basis = [0, *(1 << j for j in range(n))]
    outside = [j for j in basis if not 0 <= int(targets[j]) < N]
    if outside:
        raise ValueError(
            f"index {outside[0]} goes to {targets[outside[0]]}: a permutation of {N} indices has"
            f" targets 0..{N - 1}"
        )
    c = int(targets[0])
    address = Affine(tuple(int(targets[j]) ^ c for j in basis[1:]), n, c)
    return _collision(targets, address) or _mismatch(targets, address) or address


def _mismatch(targets: NDArray[Any], address: Affine) -> Witness | None:
    """Return the first index that does not go where the map puts it."""
    low = span(address.columns[:CHUNK_BITS])
    for start in range(0, len(targets), len(low)):
        wanted = low ^ address(start)
        wrong = np.flatnonzero(wanted != targets[start : start + len(low)])
        if len(wrong):
            x = start + int(wrong[0])
            y = int(targets[x])
            other = address.inverse()(y) if 0 <= y < len(targets) else x
            both = other if other != x and int(targets[other]) == y else None
            return Witness(x, y, int(wanted[wrong[0]]), both)
    return None


def _collision(targets: NDArray[Any], address: Affine) -> Witness | None:
    """Return an index beside 0 that the map puts at the target of 0, if A is singular: it goes
    there, or the map is missed.
    """
    if rank(address.matrix) == address.bits:
        return None
    x = int(sum(1 << j for j in np.flatnonzero(np.asarray(address.matrix.null_space()[0]))))
    y = int(targets[x])
    return Witness(x, y, address.c, 0 if y == address.c else None)
