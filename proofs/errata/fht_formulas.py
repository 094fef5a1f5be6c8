"""X. Lin, T. F. Chan, W. J. Karplus: The fast Hartley transform on the hypercube multiprocessors,
1988; two copies with recognised text.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from derive.papers.hartley import inputs, partition, range_of_algorithm_1
from derive.papers.hartley_graph import mapping
from derive.papers.hartley_tables import table_1_differences
from proofs.errata.entry import Evaluation, both, differ, halves
from proofs.errata.fht_appendix import branch, branches, result_list


def powers(first: int, last: int) -> list[tuple[int]]:
    """Return powers of two."""
    return [(1 << n,) for n in range(first, last + 1)]


def table(copy: int, row: int) -> str | None:
    """Return the cells of a row of Table 1 in which a copy is wrong."""
    wrong = [found for found in table_1_differences(copy) if found.row == row and not found.same]
    return (
        "; ".join(
            f"{found.column}: {found.printed}, the formula has {found.correct}" for found in wrong
        )
        or None
    )


def hartley_row(row: int) -> str | None:
    """Return whether Figure 1's cells for a row of Table 1 do not make that row of H_16."""
    values = np.eye(16)[[int(f"{m:04b}"[::-1], 2) for m in range(16)]]
    for s in range(1, 5):
        turn = 2 * np.pi * (np.arange(16) % (1 << s)) / (1 << s)
        a, b, c = np.array([inputs(s, m) for m in range(16)]).T
        values = values[a] + np.cos(turn)[:, None] * values[b] + np.sin(turn)[:, None] * values[c]
    angle = 2 * np.pi * row * np.arange(16) / 16
    return (
        None
        if np.allclose(values[row], np.cos(angle) + np.sin(angle), atol=1e-12)
        else f"row {row} is {values[row]}"
    )


def partitioned(N: int, P: int, printed: bool) -> str | None:
    """Return a stage at which Algorithm 1 (printed) does not do each computation once, or the lists
    with stage lg P + 1 kept do not.
    """
    n = N.bit_length() - 1
    if printed:
        right = range_of_algorithm_1(N, P)
        return next(
            (
                f"stage {s}: not every computation is on one node, once"
                for s in range(1, n + 1)
                if s not in right
            ),
            None,
        )
    for s in range(1, n + 1):
        if not np.array_equal(np.sort(partition(np.arange(P), s, N, P), axis=None), np.arange(N)):
            return f"stage {s}"
    return None


def longest_path(P: int, printed: bool) -> str | None:
    """Return whether the longest path between neighbours, node i being on node i of the cube, is
    not d - 1, or not d - 1 and 1 for d = 1.
    """
    d = P.bit_length() - 1
    return differ(
        d - 1 if printed else max(d - 1, 1),
        mapping(d, "direct").dilation,
        "the number of dimensions minus one is {}, the longest path {}",
    )


EVALUATIONS: dict[str, Evaluation] = {
    "fht-table-1": Evaluation(
        "row", lambda: [(row,) for row in range(16)], lambda row: table(1, row), hartley_row
    ),
    "fht-table-1-second-copy": Evaluation(
        "row", lambda: [(row,) for row in range(16)], lambda row: table(2, row), hartley_row
    ),
    "fht-algorithm-1-range": Evaluation("N P", partial(halves, 8), *both(partitioned, True, False)),
    "fht-longest-path": Evaluation("P", lambda: powers(1, 8), *both(longest_path, True, False)),
    "fht-appendix-host-results": Evaluation("N P", partial(halves, 8), *both(result_list, 0, 1)),
    "fht-appendix-pairs": Evaluation("s node branch", lambda: branches(1), *both(branch, 2, 1)),
    "fht-appendix-second-branch": Evaluation(
        "s node branch", lambda: branches(2), *both(branch, 2, 1)
    ),
    "fht-appendix-third-branch": Evaluation(
        "s node branch", lambda: branches(3), *both(branch, 2, 1)
    ),
    "fht-appendix-fourth-branch": Evaluation(
        "s node branch", lambda: branches(4), *both(branch, 2, 1)
    ),
}
