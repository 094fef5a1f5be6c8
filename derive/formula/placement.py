"""The places of a vector's elements, index by index, whether they are an affine map or not."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Protocol

from derive.call_arguments import indices
from derive.lazy import lazily
from derive.maps.index_map import IndexMap

if TYPE_CHECKING:
    from derive.show.drawing import Drawing

_html, _layouts = lazily("derive.show.html"), lazily("derive.show.layout_pictures")


class Placement(Protocol):
    """A layout: the rank and the offset of each of N elements on P ranks.

    `nw.layout` returns it. For an array, indices and offsets are flat, in row-major order.

    Raises:
        ValueError: for `n`, `p` and `m`, if N or P is not a power of two.

    Examples:
        >>> import nodewright as nw
        >>> cyclic = nw.layout("cyclic", 16, 4)
        >>> cyclic.place(6), cyclic.index(2, 1)
        ((2, 1), 6)
        >>> cyclic.name, cyclic.N, cyclic.P, cyclic.M, cyclic.n, cyclic.p, cyclic.m
        ('cyclic', 16, 4, 4, 4, 2, 2)
        >>> cyclic.to_dict()["index"][1]
        [1, 5, 9, 13]
    """

    @property
    def name(self) -> str:
        """The name of the layout."""
        ...

    @property
    def n(self) -> int:
        """lg N."""
        ...

    @property
    def p(self) -> int:
        """lg P."""
        ...

    @property
    def m(self) -> int:
        """lg (N/P)."""
        ...

    @property
    def N(self) -> int:  # the papers' letter
        """The number of elements."""
        ...

    @property
    def P(self) -> int:  # the papers' letter
        """The number of ranks."""
        ...

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank, N/P."""
        ...

    def place(self, j: Any) -> tuple[Any, Any]:
        """Return the rank and the offset of an index.

        Args:
            j: an index, 0 <= j < N, or an array of indices.

        Returns:
            A tuple (rank, offset) of integers, or of arrays of the shape of j.

        Raises:
            ValueError: an index is out of range.
        """
        ...

    def index(self, s: Any, o: Any) -> Any:
        """Return the index at offset o on rank s, the inverse of `place`.

        Args:
            s: a rank, 0 <= s < P, or an array of ranks.
            o: an offset, 0 <= o < M, or an array of offsets.

        Returns:
            An integer, or an array.

        Raises:
            ValueError: a rank or an offset is out of range.
        """
        ...

    def elements(self, s: int) -> int:
        """Return how many elements a rank has: M, or fewer if parts are unequal.

        Args:
            s: a rank, 0 <= s < P.

        Returns:
            An integer.

        Raises:
            ValueError: the rank is out of range.
        """
        ...

    def table(self) -> str:
        """Return the indices as text, a column per rank and a row per offset.

        Raises:
            ValueError: N is above 1024.
        """
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the indices of each rank, as `nodewright layout --json` prints them.

        Raises:
            ValueError: N is above 1024.
        """
        ...

    def drawing(self) -> Drawing:
        """Return the layout as a picture, for `nw.figure`."""
        ...


class Listed:
    """A placement that is shown index by index.

    >>> from derive.formula.affine_layouts import block
    >>> block(16, 4)
    layout('block', 16, 4)
    """

    def __repr__(self: Placement) -> str:
        """Return the call that makes it."""
        return f"layout({self.name!r}, {self.N}, {self.P})"

    def elements(self: Placement, s: int) -> int:
        """Return how many elements rank s has; raise ValueError for one out of range."""
        indices(s, self.P, "rank")
        return self.M

    def drawing(self: Placement) -> Drawing:
        """Return the layout as a picture."""
        return _layouts.layout(self)

    def _repr_html_(self: Placement) -> str:
        """Return the layout as a notebook shows it."""
        return str(_html.fragment(self.drawing()))

    def table(self: Placement) -> str:
        """Return the indices as a table, a column per rank and a row per offset, as in Cormen's
        Figure 1.

        Raises ValueError above 1024 elements.

        >>> from derive.formula.affine_layouts import block
        >>> print(block(8, 2).table())
                 P0 P1
        offset 0  0  4
        offset 1  1  5
        offset 2  2  6
        offset 3  3  7
        """
        rows = list(zip_longest(*_indices(self), fillvalue=""))
        P, M = self.P, self.M
        width = max(len(str(self.N - 1)), len(f"P{P - 1}"))
        margin = len(f"offset {M - 1}")
        head = " " * margin + "".join(f" {f'P{s}':>{width}}" for s in range(P))
        lines = (
            f"{f'offset {o}':<{margin}}" + "".join(f" {j:>{width}}" for j in row)
            for o, row in enumerate(rows)
        )
        return "\n".join([head, *lines])

    def to_dict(self: Placement) -> dict[str, Any]:
        """Return the layout as --json prints it: its name and the indices of each rank.

        Raises ValueError above 1024 elements.
        """
        return {"layout": self.name, "index": _indices(self)}


class Addressed(Placement, Protocol):
    """A placement whose storage addresses s M + o are a map of indices."""

    @property
    def address(self) -> IndexMap:
        """The map from an index to its storage address."""
        ...

    @property
    def back(self) -> IndexMap:
        """The map from a storage address to the index that lives there."""
        ...


class Mapped(Listed):
    """A placement whose storage addresses are a map of indices."""

    def place(self: Addressed, j: Any) -> tuple[Any, Any]:
        """Return (rank, offset) of an index, an integer or an array of integers.

        Raises ValueError for an index out of range.

        >>> from derive.formula.affine_layouts import cyclic
        >>> cyclic(32, 4).place(6)
        (2, 1)
        >>> cyclic(32, 4).place(32)
        Traceback (most recent call last):
        ValueError: index must be an integer from 0 to 31; got 32
        """
        z = self.address(indices(j, self.N))
        return z // self.M, z % self.M

    def index(self: Addressed, s: Any, o: Any) -> Any:
        """Return the index that lives on rank s at offset o, integers or arrays of integers.

        Raises ValueError for a rank or an offset out of range.

        >>> from derive.formula.affine_layouts import cyclic
        >>> cyclic(32, 4).index(2, 1)
        6
        """
        rank, offset = indices(s, self.P, "rank"), indices(o, self.M, "offset")
        return self.back(rank * self.M + offset)


def _indices(layout: Placement) -> list[list[int]]:
    """Return the indices of each rank in their order; raise ValueError where they are many."""
    if layout.N > 1024:
        raise ValueError(f"N = {layout.N}: a table is printed up to 1024 elements")
    ranks = range(layout.P)
    return [[int(layout.index(s, o)) for o in range(layout.elements(s))] for s in ranks]
