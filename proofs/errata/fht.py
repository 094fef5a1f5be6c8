"""X. Lin, T. F. Chan, W. J. Karplus: The fast Hartley transform on the hypercube multiprocessors,
1988; two copies with recognised text.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from derive.exact.check import claim, decide
from derive.formula.grammar import Equation, I, product
from derive.formula.permutation_matrices import R
from derive.formula.transforms import LH, H
from derive.papers.hartley import inputs, partition, range_of_algorithm_1
from derive.papers.hartley_graph import mapping
from derive.papers.hartley_tables import table_1_differences
from derive.verdict import Refuted
from proofs.errata.entry import (
    COPY,
    EITHER,
    EQUATION,
    PAPER,
    TABLE,
    WORDING,
    Erratum,
    both,
    differ,
    halves,
)
from proofs.errata.fht_appendix import (
    angles,
    branch,
    branches,
    odd_nodes,
    result_list,
    second_of_pair,
    sent_to_nodes,
)
from proofs.errata.fht_program import PROGRAM


def powers(first: int, last: int) -> list[tuple[int]]:
    """Return powers of two."""
    return [(1 << n,) for n in range(first, last + 1)]


def factors(N: int, last: int) -> str | None:
    """Return whether L_last ... L_2 L_1 P_N is not H_N."""
    n = N.bit_length() - 1
    if last > n:
        return f"L_{n + 1} has blocks of order 2^{n + 1} in a matrix of order {N}"
    found = decide(
        claim(
            Equation("", "", H(N), product([*(LH(s, N) for s in range(last, 0, -1)), R(N), I(N)]))
        )
    )
    return found.counterexample if isinstance(found, Refuted) else None


def bits(N: int, count: int) -> str | None:
    """Return whether an index of N elements has another number of bits than the i_0, ...,
    i_(count-1).
    """
    return differ(count, (N - 1).bit_length(), "x = i_lgN ... i_0 has {} bits, an index has {}")


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


ERRATA = (
    Erratum(
        "fht-figure-1-range",
        EQUATION,
        "Figure 1",
        r"(s = 1, 2, \dots, N)",
        "factors L_s, s = 1, 2, ..., N",
        "s = 1, 2, ..., lg N",
        PAPER,
        "N",
        lambda: powers(1, 5),
        lambda N: factors(N, N),
        lambda N: factors(N, N.bit_length() - 1),
        "fht-factorization",
    ),
    Erratum(
        "fht-section-1-bits",
        EQUATION,
        "section 1, the permutation P_n",
        r"y = i_0 i_1 \dots i_{\log N}$ if $x = i_{\log N} \dots i_1 i_0",
        "an index has the bits i_0, ..., i_{log N}",
        "x = i_{log N - 1} ... i_1 i_0",
        PAPER,
        "N",
        lambda: powers(1, 10),
        lambda N: bits(N, N.bit_length()),
        lambda N: bits(N, N.bit_length() - 1),
    ),
    Erratum(
        "fht-table-1",
        TABLE,
        "Table 1, in the first copy",
        r"F(1,4) - F(1,6)C_2 + F(1,6)S_2 \rightarrow F(2,6) [...] F(3, 8) + F(3, 16)C_8 + F(3, "
        r"8)S_8 \rightarrow F(4, 8)",
        "row 6 has a minus in stage 2, rows 8 to 15 have F(3,16), ..., which do not exist, in "
        "stage 4",
        "the equations that Figure 1 gives; the second copy has them in rows 8 to 15",
        COPY,
        "row",
        lambda: [(row,) for row in range(16)],
        lambda row: table(1, row),
        hartley_row,
    ),
    Erratum(
        "fht-table-1-second-copy",
        TABLE,
        "Table 1, in the second copy",
        r"F(1, 4) + F(1, 8)C_2 + F(1, 8)S_2 \rightarrow F(2, 6)",
        "F(1,4) + F(1,8)C_2 + F(1,8)S_2 → F(2,6)",
        "F(1,4) + F(1,6)C_2 + F(1,6)S_2 → F(2,6)",
        COPY,
        "row",
        lambda: [(row,) for row in range(16)],
        lambda row: table(2, row),
        hartley_row,
    ),
    Erratum(
        "fht-algorithm-1-range",
        WORDING,
        "Algorithm 1",
        "The computations in each stage are partitioned according to the following algorithm",
        "of every stage s = 1, ..., lg N",
        "of the stages 1 ≤ s ≤ lg P + 1; later stages keep the lists of stage lg P + 1",
        PAPER,
        "N P",
        partial(halves, 8),
        *both(partitioned, True, False),
    ),
    Erratum(
        "fht-longest-path",
        WORDING,
        "section 2, mapping to the Gray graph",
        "The length of the longest path is the number of dimensions of the Hartley graph minus "
        "one.",
        "of a graph of one dimension as well",
        "of two dimensions and more; of one dimension it is 1: two nodes exchange",
        PAPER,
        "P",
        lambda: powers(1, 8),
        *both(longest_path, True, False),
    ),
    Erratum(
        "fht-appendix-host-input",
        EQUATION,
        "Appendix, host program, input data",
        "msg[2*j+0]= a[perm[(2*i+0)* 2*nproc*t]]; msg[2*j+1]= a[perm[(2*i+1)* 2*nproc*t]];",
        "msg[2*j+e] = a[perm[(2*i+e)*2*nproc*t]], e = 0, 1: without j, every pair of a node is "
        "the same",
        "msg[2*j+e] = a[perm[(2*i+e + 2*nproc*j)*t]]",
        EITHER,
        "N P",
        partial(halves, 8),
        *both(sent_to_nodes, True, False),
    ),
    Erratum(
        "fht-appendix-message-length",
        EQUATION,
        "Appendix, host program, number of input data to each node, in the second copy",
        "para.msg_len= npoint;",
        "para.msg_len = npoint",
        "para.msg_len = npoint/nproc, as the first copy has it",
        COPY,
        "N P",
        partial(halves, 8),
        lambda N, P: differ(N, partition(0, 1, N, P).size),
        lambda N, P: differ(N // P, partition(0, 1, N, P).size),
    ),
    Erratum(
        "fht-appendix-host-results",
        EQUATION,
        "Appendix, host program, list of the results, in the second copy",
        "bit_type, pp, para.msg_len, nproc, lsr);",
        "the list of stage pp, pp = lg P",
        "the list of stage pp+1, as the first copy has it",
        COPY,
        "N P",
        partial(halves, 8),
        *both(result_list, 0, 1),
    ),
    Erratum(
        "fht-appendix-angle",
        EQUATION,
        "Appendix, node program, loop over s",
        "for (s= 2; s <= para.log2P+1; s++) { t= 2; [...] phi= 2.*PI*lst[0]/ t; [...] tmp= "
        "my_node % (t/4);",
        "t = 2 in every stage; angles 2π·lst[0]/t, my_node % (t/4)",
        "t = 2 before the loop, t *= 2 in it: t = 2^s",
        "recognised text of both copies",
        "P",
        lambda: powers(0, 8),
        *both(angles, True, False),
    ),
    Erratum(
        "fht-appendix-odd-nodes",
        EQUATION,
        "Appendix, node program, stage 1, in the first copy",
        "} else for (k= 0; k < n16; k++) { k0= 2*k+0; kl= 2*k+1; msg[nfd+0]= msg[k0]+ msg[kl]; "
        "msg[nfd+1]= msg[k0]- msg[kl];",
        "odd nodes store the sum first",
        "odd nodes store the difference first, as the second copy has it",
        COPY,
        "P",
        lambda: powers(0, 6),
        *both(odd_nodes, 1, 2),
    ),
    Erratum(
        "fht-appendix-pairs",
        EQUATION,
        "Appendix, node program, first branch of stage s, in the second copy",
        "msg[nfd+1] = msg[k1] + (c2+s2)*sm[k0];",
        "msg[nfd+1] = msg[k1] + (c2+s2)*sm[k0]",
        "msg[nfd+1] = msg[k0] + (c2+s2)*sm[k1], as the first copy has it",
        COPY,
        "node P",
        lambda: [(node, 1 << p) for p in range(1, 5) for node in range(0, 1 << p, 2)],
        *both(second_of_pair, 2, 1),
    ),
    Erratum(
        "fht-appendix-second-branch",
        EQUATION,
        "Appendix, node program, second branch of stage s, in the second copy",
        "msg[nfd+0] = sm[k1] + (c1+s1)*sm[k0]; msg[nfd+1] = sm[k0] + (c2+s2)*sm[k1];",
        "msg[nfd+0] = sm[k1] + (c1+s1)*sm[k0], msg[nfd+1] = sm[k0] + (c2+s2)*sm[k1]",
        "sm[k1] + (c1+s1)*msg[k0], sm[k1] + (c2+s2)*msg[k0], as the first copy has it",
        COPY,
        "s node branch",
        lambda: branches(2),
        *both(branch, 2, 1),
    ),
    Erratum(
        "fht-appendix-third-branch",
        EQUATION,
        "Appendix, node program, third branch of stage s, in the second copy",
        "msg[nfd+0] += sm[k1] + s1*sm[k0]; msg[nfd+1] = sm[k1] + c1*sm[k0] + s2*sm[k1]; msg[k0] "
        "+= msg[nfd+0]; msg[k1] += msg[nfd+1];",
        "msg[nfd+0] += sm[k1] + s1*sm[k0], msg[nfd+1] = sm[k1] + c1*sm[k0] + s2*sm[k1], added "
        "to msg[k0], msg[k1]",
        "msg[k0] += c1*sm[k1] + s1*sm[k0], msg[k1] += c2*sm[k0] + s2*sm[k1], as the first copy"
        " has it",
        COPY,
        "s node branch",
        lambda: branches(3),
        *both(branch, 2, 1),
    ),
    Erratum(
        "fht-appendix-fourth-branch",
        EQUATION,
        "Appendix, node program, fourth branch of stage s, in the second copy",
        "msg[nfd+0] = sm[k1] + c1*sm[k0] + s1*sm[k0]; msg[nfd+1] = sm[k0] + c2*sm[k1] + s2*sm[k0];",
        "msg[nfd+0] = sm[k1] + c1*sm[k0] + s1*sm[k0], msg[nfd+1] = sm[k0] + c2*sm[k1] + s2*sm[k0]",
        "sm[k1] + c1*msg[k0] + s1*msg[k1], sm[k0] + c2*msg[k1] + s2*msg[k0], as the first copy"
        " has it",
        COPY,
        "s node branch",
        lambda: branches(4),
        *both(branch, 2, 1),
    ),
    *PROGRAM,
)
