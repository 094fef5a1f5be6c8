"""Collections that show themselves: a line for each of their members, of many the first.

A member has `row()`, short texts; where it has `cells()`, too, a notebook shows these.
"""

from __future__ import annotations

from typing import Any, TypeVar

from derive.show import html

MOST, WIDE = 64, 100
"""So many members are shown, and so many columns of a terminal."""
Member = TypeVar("Member")


def lines(rows: list[tuple[str, ...]]) -> str:
    """Return rows as lines, their columns below each other; of long ones the beginning.

    >>> print(lines([("a", "1"), ("bcd", "2")]))
    a    1
    bcd  2
    """
    columns = range(max(map(len, rows), default=1) - 1)
    widths = [max(len(row[k]) for row in rows) for k in columns]
    shown = [
        "  ".join([*(row[k].ljust(widths[k]) for k in columns), row[-1]]) for row in rows[:MOST]
    ]
    cut = [line if len(line) <= WIDE else f"{line[: WIDE - 3]}..." for line in shown]
    return "\n".join([*cut, *[f"first {MOST} of {len(rows)}"] * (len(rows) > MOST)])


class _Shown:
    """A collection that shows its members."""

    def _named(self) -> list[tuple[tuple[str, ...], Any]]:
        """Return the members, each behind the name that it has in the collection."""
        return [((), member) for member in self]  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        """Return a line for each member."""
        rows = [(*name, *member.row()) for name, member in self._named()]
        return lines(rows) or super().__repr__()

    def _repr_html_(self) -> str:
        """Return the members as a notebook shows them."""
        rows = [(*name, *getattr(member, "cells", member.row)()) for name, member in self._named()]
        return html.fragment(html.table((), rows, MOST))


class Listing(_Shown, list[Member]):
    """A list that displays a line per member."""


class Series(_Shown, tuple[Member, ...]):
    """A tuple that displays a line per member."""


class ByName(_Shown, dict[str, Member]):
    """A dict that displays a line per member. An integer or a slice as key counts the members.

    >>> found = ByName(a=1, b=2, c=3)
    >>> found["b"], found[-1], list(found[:2])
    (2, 3, ['a', 'b'])
    """

    def __getitem__(self, key: Any) -> Any:
        """Return the member of this name or place, of a slice those within it by name."""
        if isinstance(key, slice):
            return ByName([*self.items()][key])
        return [*self.values()][key] if isinstance(key, int) else super().__getitem__(key)

    def _named(self) -> list[tuple[tuple[str, ...], Any]]:
        return [((name,), member) for name, member in self.items()]
