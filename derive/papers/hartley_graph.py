"""The Hartley graph of Lin, Chan & Karplus (1988), section 2: its edges, and maps to the hypercube.

Its nodes are 0 .. 2^d - 1; in dimension s = 1 .. d node i is joined with comp_s(i). These are the
ranks that exchange before stage s + 1. The highest bit in which i and comp_s(i) differ is s - 1, so
every node has d neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.papers.hartley import comp
from derive.verdict import Checked, Refuted, Verdict

LARGEST = 16
"""Dimensions up to which graphs are made and mappings counted."""

Edges = dict[tuple[int, int], int]
"""Pairs i < j with the dimension of the edge between them."""
Relabel = Callable[[Any], Any]
"""A map of nodes, integers or arrays of integers."""


def dimensions(d: int) -> int:
    """Return d.

    Raises ValueError unless 0 <= d <= 16.

    >>> dimensions(99)
    Traceback (most recent call last):
    ValueError: a Hartley graph of 99 dimensions: 0 to 16 can be made
    """
    if not 0 <= d <= LARGEST:
        raise ValueError(f"a Hartley graph of {d} dimensions: 0 to {LARGEST} can be made")
    return d


def hartley_edges(d: int) -> Edges:
    """Return the edges of the Hartley graph of d dimensions.

    >>> hartley_edges(2)
    {(0, 1): 1, (2, 3): 1, (0, 2): 2, (1, 3): 2}
    """
    return {
        (i, comp(i, s)): s
        for s in range(1, dimensions(d) + 1)
        for i in range(1 << d)
        if i < comp(i, s)
    }


def cube_edges(d: int) -> Edges:
    """Return the edges of the binary d-cube, the paper's Gray graph: dimension s joins i with i +
    2^(s-1) over GF(2).

    >>> cube_edges(2) == hartley_edges(2)
    True
    """
    return {
        (i, i ^ 1 << s - 1): s
        for s in range(1, dimensions(d) + 1)
        for i in range(1 << d)
        if not i >> s - 1 & 1
    }


def relabelled(edges: Edges, relabel: Relabel) -> Edges:
    """Return edges with other names of their nodes.

    >>> relabelled({(0, 1): 1}, lambda i: 5 - i)
    {(4, 5): 1}
    """
    named = ((relabel(i), relabel(j), s) for (i, j), s in edges.items())
    return {(min(i, j), max(i, j)): s for i, j, s in named}


def gray(i: Any) -> Any:
    """Return i xor (i >> 1), the Gray code of an integer or of an array of integers.

    >>> [gray(i) for i in range(8)]
    [0, 1, 3, 2, 6, 7, 5, 4]
    """
    return i ^ i >> 1


def even_to_hartley(i: Any) -> Any:
    """Return i/2: where an even node goes in Figure 4."""
    return i // 2


def odd_to_cube(i: Any) -> Any:
    """Return gray((i - 1)/2): where an odd node goes in Figure 4."""
    return gray((i - 1) // 2)


def figure_4(d: int, even: Relabel = even_to_hartley, odd: Relabel = odd_to_cube) -> Verdict:
    """Return whether the Hartley graph without its first dimension is a Hartley graph and a binary
    cube of d - 1 dimensions (Figure 4).

    The even nodes are the Hartley graph, under i -> i/2: comp_s(2i) = 2 comp_{s-1}(i). The odd ones
    are the cube, under i -> gray((i-1)/2): comp_s of an odd number complements its bits 1 .. s-1,
    and one bit of its Gray code. Dimension s becomes s - 1.

    >>> print(figure_4(4))
    checked: without its first dimension, the 4-dimensional Hartley graph splits into a Hartley graph and a binary 3-cube (24 edges, under i -> i/2 and i -> gray((i-1)/2))
    >>> print(figure_4(3, odd=lambda i: (i - 1) // 2).counterexample)
    odd nodes: (0, 3) of dimension 2, (1, 2) of dimension 2 should be (0, 2) of dimension 2, (1, 3) of dimension 2
    """  # noqa: E501
    statement = (
        f"without its first dimension, the {d}-dimensional Hartley graph splits into a Hartley"
        f" graph and a binary {d - 1}-cube"
    )
    left = {edge: s - 1 for edge, s in hartley_edges(d).items() if s > 1}
    for i, j in left:
        if (i + j) % 2:
            return Refuted(statement, f"edge ({i}, {j}) joins an even with an odd node")
    for parity, relabel, wanted in ((0, even, hartley_edges(d - 1)), (1, odd, cube_edges(d - 1))):
        found = relabelled({(i, j): s for (i, j), s in left.items() if i % 2 == parity}, relabel)
        if found != wanted:
            wrong, missing = (
                sorted(a.items() - b.items()) for a, b in ((found, wanted), (wanted, found))
            )
            return Refuted(
                statement,
                f"{('even', 'odd')[parity]} nodes: {_listed(wrong)} should be {_listed(missing)}",
            )
    return Checked(statement, f"{len(left)} edges, under i -> i/2 and i -> gray((i-1)/2)")


def _listed(edges: list[tuple[tuple[int, int], int]]) -> str:
    """Return a few edges with their dimensions in words."""
    few = ", ".join(f"{edge} of dimension {s}" for edge, s in edges[:2])
    return (few or "no edge") + (", .." if len(edges) > 2 else "")


@dataclass(frozen=True)
class Mapping:
    """The cost of having node i of a Hartley graph on node `host(i)` of the binary cube.

    dilation: the longest path between neighbours; load: the most nodes on one; congestion: the most
    messages on a link in one direction while every node sends to its neighbour of one dimension,
    bits corrected from the lowest; hops: links of all messages.
    """

    name: str
    dilation: int
    load: int
    congestion: int
    hops: int


HOSTS: dict[str, Relabel] = {"direct": lambda i: i, "gray": gray}
"""The paper's mapping, i to i, and i to its Gray code, which is not in the paper."""


def mapping(d: int, name: str) -> Mapping:
    """Return the cost of a mapping onto the cube of as many dimensions.

    Direct: comp_s of an odd number changes bits 1 .. s-1, so the dilation is d - 1 (1 for d = 1),
    as the paper says. Gray: comp_s changes a run of bits a+1 .. s-1 and so the bits a and s - 1 of
    the Gray code, or the bit s - 1 alone and so s - 1 and s - 2: dilation 2 for every d >= 2.
    Dilation 1 is impossible for d >= 3: 0, 4, 5, 3, 1 is a cycle of five nodes, and a cube has no
    odd cycle.

    >>> mapping(4, "direct")
    Mapping(name='direct', dilation=3, load=1, congestion=1, hops=92)
    >>> mapping(4, "gray").dilation, mapping(10, "direct").dilation, mapping(10, "gray").dilation
    (2, 9, 2)
    """
    nodes = np.arange(1 << dimensions(d))
    host = HOSTS[name](nodes)
    paths = [(host, HOSTS[name](comp(nodes, s))) for s in range(1, d + 1)]
    lengths = [np.bitwise_count(a ^ b) for a, b in paths]
    return Mapping(
        name,
        dilation=max((int(length.max()) for length in lengths), default=0),
        load=int(np.bincount(host).max()),
        congestion=max((_congestion(a, b, d) for a, b in paths), default=0),
        hops=int(sum(length.sum() for length in lengths)),
    )


def _congestion(a: NDArray[np.int64], b: NDArray[np.int64], d: int) -> int:
    """Return the most messages on one link in one direction, for messages from a[i] to b[i]."""
    most = 0
    for bit in range(d):
        crossing = (a ^ b) >> bit & 1 == 1
        if crossing.any():
            most = max(most, int(np.bincount(a[crossing]).max()))
        a = a & -(2 << bit) | b & (2 << bit) - 1
    return most
