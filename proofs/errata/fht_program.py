"""X. Lin, T. F. Chan, W. J. Karplus, 1988: the graph of the nodes, and what the appendix reads,
declares, sends and takes for π.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from derive.papers.hartley import comp, inputs, partition
from derive.papers.hartley_graph import hartley_edges
from proofs.errata.entry import Evaluation, both, halves
from proofs.errata.fht_appendix import later_angles

READ = 'for (i= 0; i< npoint; i++) fscanf(fp, "%f", &a[i]);'
_SECOND = """
    /* for (i= 0; i< npoint; i++)
        fscanf(fp, "%f", &a[i]);
    for (i= 0; i< npoint; i++)
        a[i]= 1;
    fclose(fp);
    fp= fopen("res", "w");
    /* 2 to the p2's power is N */
"""
HOST_INPUT = {
    1: """
    for (i= 0; i< npoint; i++)
        fscanf(fp, "%f", &a[i]);
    for (i= 0; i< nproc; i++)
        a[i]= i;
    fclose(fp);
    fp= fopen("res", "w");
    /* 2 to the p2's power is N */
""",
    2: _SECOND,
    3: _SECOND.replace("&a[i]);", "&a[i]); */"),
}
"""How copies 1 and 2 of the host program set a, and copy 2 with its comment closed at `fscanf`."""
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LOOP = re.compile(r"for \(i= 0; i< (\w+); i\+\+\)\s+(?:fscanf\(.*&a\[i\]\)|a\[i\]= (\w+));")


def topology(P: int, by_algorithm: bool) -> str | None:
    """Return a pair of nodes that exchange and are not joined in the Hartley graph, or the reverse:
    4 P elements, by Algorithm 1 or by consecutive rows of Figure 1's matrices.
    """
    N = 4 * P
    edges = set()
    before = np.arange(N) // 4
    for s in range(1, N.bit_length()):
        owner = np.arange(N) // 4
        if by_algorithm:
            owner = np.empty(N, int)
            owner[partition(np.arange(P), s, N, P)] = np.arange(P)[:, None]
        if s > 1:
            for place in inputs(s, np.arange(N)):
                edges |= set(zip(before[place].tolist(), owner.tolist(), strict=True))
        before = owner
    found = {(min(pair), max(pair)) for pair in edges if pair[0] != pair[1]}
    wrong = sorted(found ^ set(hartley_edges(P.bit_length() - 1)))
    return f"the nodes {wrong[0]} exchange or are joined, not both" if wrong else None


def types(P: int, step: int) -> str | None:
    """Return two messages with one type for the same node: the type is node + step·s."""
    for node in range(P):
        seen: dict[int, tuple[int, int]] = {}
        for s in range(2, P.bit_length() + 1):
            sender = int(comp(node, s - 1))
            other = seen.setdefault(sender + step * s, (sender, s))
            if other != (sender, s):
                return (
                    f"node {node}: type {sender + step * s} from node {other[0]} in stage"
                    f" {other[1]} and from node {sender} in stage {s}"
                )
    return None


def host_array(text: str, data: list[int], P: int) -> list[int]:
    """Return the array a, zeros at first, after the loops of a host program that has this data.

    >>> host_array(HOST_INPUT[1], [7, 8, 9, 10], 2)
    [0, 1, 9, 10]
    """
    a = [0] * len(data)
    for limit, value in _LOOP.findall(_COMMENT.sub("", text)):
        for i in range({"npoint": len(data), "nproc": P}[limit]):
            a[i] = data[i] if not value else i if value == "i" else int(value)
    return a


def overwritten(text: str, N: int, P: int) -> str | None:
    """Return an element of a that is not the data 2, 3, ..., N + 1."""
    data = [*range(2, N + 2)]
    found = host_array(text, data, P)
    i = next((i for i in range(N) if found[i] != data[i]), None)
    return None if i is None else f"a[{i}] = {found[i]}, the data has {data[i]}"


def readings() -> Iterator[tuple[int, int, int]]:
    """Yield the readings of HOST_INPUT with N and P."""
    return ((reading, N, P) for reading in HOST_INPUT for N, P in halves(5))


EVALUATIONS: dict[str, Evaluation] = {
    "fht-appendix-zero-slot": Evaluation(
        "P t",
        lambda: [(1 << p, 1 << e) for p in range(4) for e in range(1, 4)],
        *both(later_angles, True, False),
    ),
    "fht-appendix-host-overwrites": Evaluation(
        "reading N P",
        readings,
        lambda reading, N, P: overwritten(HOST_INPUT[reading], N, P),
        lambda reading, N, P: overwritten(READ, N, P),
    ),
    "fht-algorithm-1-figure": Evaluation(
        "P", lambda: [(1 << p,) for p in range(1, 6)], *both(topology, False, True)
    ),
    "fht-appendix-types": Evaluation(
        "P", lambda: [(1 << p,) for p in range(1, 8)], lambda P: types(P, 10), lambda P: types(P, P)
    ),
}
