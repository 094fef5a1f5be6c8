"""T. H. Cormen: Performing BMMC permutations efficiently on distributed-memory multiprocessors with
MPI, 1997.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from proofs.errata.cormen_text import TEXT
from proofs.errata.entry import EITHER, EQUATION, PAPER, Erratum, both

Columns = tuple[int, ...]


def multiplied(columns: Columns, x: int, start: int) -> int:
    """Return start + A x by the pseudocode of section 2."""
    for j, column in enumerate(columns):
        if x >> j & 1:
            start ^= column
    return start


def pseudocode(n: int, c: int, start: int) -> str | None:
    """Return an index where section 2's program with this line is not A x + c, A bit reversal."""
    address = Affine(bmmc.bit_reversal(n).columns, n, c)
    for x in range(1 << n):
        found = multiplied(address.columns, x, start)
        if found != address(x):
            return f"x = {x} goes to {found}, not {address(x)}"
    return None


def complements() -> Iterator[tuple[int, int]]:
    """Yield sizes and complements."""
    return ((n, c) for n in range(1, 5) for c in range(1 << n))


def interprocessor(name: str, n: int, p: int, offset: bool) -> str | None:
    """Return where the second program of section 5 leaves wrong data; line 8 reads temp[b M + j]
    or, as printed, temp[j].
    """
    f = bmmc.factor(bmmc.named(name, n), p)
    M = 1 << f.m - f.rank_gamma
    temp, data = [0] * (1 << n), [-1] * (1 << n)
    for x in range(1 << n):
        temp[f.W(x)] = x
    for k, b in product(range(1 << p), range(1 << f.rank_gamma)):
        if b == 0:
            buffer = [temp[k << f.m | i] for i in range(1 << f.m)]
        source = f.source(b, k)
        buffer[b * M : (b + 1) * M] = [temp[source << f.m | b * M + j] for j in range(M)]
        for j in range(M):
            data[f.V(source << f.m | b * M + j)] = buffer[(b * M if offset else 0) + j]
    for x in range(1 << n):
        if data[f.permutation(x)] != x:
            return f"place {f.permutation(x)} receives element {data[f.permutation(x)]}, not {x}"
    return None


def neighbours(name: str, n: int, p: int, c: int, moved: bool) -> str | None:
    """Return where (4) or (5) with the bits of x, or of x' = W x (moved), is not the processor of
    y = A x + c, or of x.
    """
    f = bmmc.factor(Affine(bmmc.named(name, n).columns, n, c), p)
    wrong, first = 0, ""
    for x in range(1 << n):
        bits, target = f.W(x) if moved else x, f.permutation(x) >> f.m
        b, k = (bits & (1 << f.m) - 1) >> f.m - f.rank_gamma, bits >> f.m
        found, source = f.target(b, k), f.source(b, target)
        if (found, source) != (target, k):
            first = first or f"x = {x} goes to processor {target}, by (4) to {found}"
            wrong += 1
    return f"wrong for {wrong} of {1 << n} elements: {first}" if wrong else None


def column_dependencies(columns: Columns) -> tuple[set[int], dict[tuple[int, int], int]]:
    """Return S and D of Appendix A's program."""
    A, n, S = list(columns), len(columns), set()
    D = [0] * n
    for j in reversed(range(n)):
        if A[j]:
            S.add(j)
            i = (A[j] & -A[j]).bit_length() - 1
            for k in range(j):
                if A[k] >> i & 1:
                    A[k] ^= A[j]
                    D[k] ^= D[j]
                    D[k] ^= 1 << j
            D[j] = 0
    return S, {(i, j): D[j] >> i & 1 for i in range(n) for j in range(n)}


def dependency(rows: int, a: int, b: int, value: int) -> str | None:
    """Return where d_ij = `value` is not the same as that column j outside the basis is a sum with
    column i of the basis, for columns a, b.
    """
    columns = (a, b)
    S, D = column_dependencies(columns)
    for j in range(2):
        for i in range(2):
            depends = i != j and j not in S and i in S and columns[j] == columns[i]
            if i != j and depends and D[i, j] != value:
                return f"column {j} is column {i}, and d_{i}{j} = {D[i, j]}"
    return None


def columns_of_two() -> Iterator[tuple[int, int, int]]:
    """Yield numbers of rows and two columns."""
    return ((rows, a, b) for rows in (1, 2, 3) for a in range(1 << rows) for b in range(1 << rows))


def bits_examined(N: int) -> int:
    """Return how many bits are looked at to find the rightmost 1 of 1, ..., N."""
    return sum((j & -j).bit_length() for j in range(1, N + 1))


def gray_sum(N: int, last: int) -> str | None:
    """Return whether the bits that are looked at are more than sum of i N/2^i, i up to `last`;
    without a last one, 2 N.
    """
    bound = sum(i * N / 2**i for i in range(last + 1)) if last >= 0 else 2 * N
    return (
        None
        if bits_examined(N) <= bound
        else f"{bits_examined(N)} bits are examined, more than {bound:g}"
    )


def gray_step(n: int, printed: bool) -> str | None:
    """Return where the last step of Appendix B's display is not A x' + c: x_i + A_i + A_i for x_i
    A_i + A_i.
    """
    columns = bmmc.gray_code(n).columns
    for x, i in product(range(1 << n), range(n)):
        rest = multiplied(columns, x & ~(1 << i), 0)
        bit = x >> i & 1
        term = bit ^ columns[i] ^ columns[i] if printed else bit * columns[i] ^ columns[i]
        if rest ^ term != multiplied(columns, x ^ 1 << i, 0):
            return f"x = {x}, bit {i}: {rest ^ term}, not {multiplied(columns, x ^ 1 << i, 0)}"
    return None


def transposes(q: int, r: int, widths: tuple[int, int]) -> str | None:
    """Return where [[0, I], [I, 0]] with columns of these widths does not send i r + j to j q + i,
    the least significant bit at the top left.
    """
    left, right = widths
    columns = tuple(1 << right + b for b in range(left)) + tuple(1 << b for b in range(right))
    for i, j in product(range(1 << q), range(1 << r)):
        found, wanted = multiplied(columns, i << r | j, 0), j << q | i
        if found != wanted:
            return f"entry ({i}, {j}), at {i << r | j}, goes to {found}, not {wanted}"
    return None


def bit_sizes(first: int, last: int) -> list[tuple[int, ...]]:
    """Return numbers of bits."""
    return [(n,) for n in range(first, last + 1)]


NAMES = ("bit-reversal", "gray-code", "shuffle", "vector-reversal")
ERRATA = (
    Erratum(
        "cormen-pseudocode-1",
        EQUATION,
        "section 2, first program, line 1",
        r"we can compute $y = A x \oplus c$ in $O(n)$ word operations: [...] 1 y ← 0",
        "the program for y = A x + c begins with y ← 0",
        "y ← c",
        PAPER,
        "n c",
        complements,
        lambda n, c: pseudocode(n, c, 0),
        lambda n, c: pseudocode(n, c, c),
    ),
    Erratum(
        "cormen-section-5-line-8",
        EQUATION,
        "section 5, second program, line 8",
        r"$data[t] \leftarrow temp[j]$",
        "data[t] ← temp[j] in every round b",
        "data[t] ← temp[b·N/(2^(rank γ) P) + j]",
        PAPER,
        "n p permutation",
        lambda: [(n, p, i) for n in range(2, 6) for p in range(1, n) for i in range(len(NAMES))],
        lambda n, p, i: interprocessor(NAMES[i], n, p, False),
        lambda n, p, i: interprocessor(NAMES[i], n, p, True),
    ),
    Erratum(
        "cormen-4-5-source-bits",
        EQUATION,
        "section 4, (4) and (5)",
        r"y_{n-p..n-1} = \widehat{\gamma}'' x_{(n-p-\text{rank } \gamma)..(n-p-1)} \oplus "
        r"\widehat{\delta} x_{n-p..n-1} \oplus c_{n-p..n-1} [...] x_{n-p..n-1} = "
        r"(\widehat{\delta})^{-1} (y_{n-p..n-1} \oplus \widehat{\gamma}'' "
        r"x_{(n-p-\text{rank } \gamma)..(n-p-1)} \oplus c_{n-p..n-1})",
        "x is that of (1) and (2), where y = V x' + c and x' = W x",
        "x' in place of x: V acts on what W has moved within the processors",
        PAPER,
        "n p c permutation",
        lambda: [
            (n, p, c, i)
            for n in range(2, 6)
            for p in range(1, n)
            for c in (0, (1 << n) - 1)
            for i in range(len(NAMES))
        ],
        lambda n, p, c, i: neighbours(NAMES[i], n, p, c, False),
        lambda n, p, c, i: neighbours(NAMES[i], n, p, c, True),
    ),
    Erratum(
        "cormen-appendix-a",
        EQUATION,
        "Appendix A, the matrix D",
        r"$d_{ij} = 0$ if $i \neq j$ and column $A_j$ depends on column $A_i$",
        "d_ij = 0 if i ≠ j and column A_j depends on column A_i",
        "d_ij = 1",
        PAPER,
        "rows A_0 A_1",
        columns_of_two,
        *both(dependency, 0, 1),
    ),
    Erratum(
        "cormen-appendix-b-display",
        EQUATION,
        "Appendix B, third line of the display",
        r"x_0 A_0 \oplus \cdots \oplus x_i \oplus A_i \oplus A_i \oplus \cdots",
        "x_0 A_0 ⊕ ... ⊕ x_i ⊕ A_i ⊕ A_i ⊕ ...",
        "x_0 A_0 ⊕ ... ⊕ x_i A_i ⊕ A_i ⊕ ...",
        EITHER,
        "n",
        lambda: bit_sizes(1, 6),
        *both(gray_step, True, False),
    ),
    Erratum(
        "cormen-appendix-b-sum",
        EQUATION,
        "Appendix B, number of bits examined",
        r"The total number of bits examined, therefore, is at most [...] \sum_{i=0}^{\lg N-1} i "
        r"\cdot \frac{N}{2^i}",
        "at most the sum of i N/2^i over i = 0, ..., lg N - 1, for the numbers 1 to N",
        "less than 2 N: the numbers whose rightmost 1 is the last bit, and N itself, are"
        " also examined",
        PAPER,
        "N",
        lambda: [(1 << n,) for n in range(1, 11)],
        lambda N: gray_sum(N, N.bit_length() - 2),
        lambda N: gray_sum(N, -1),
    ),
    Erratum(
        "cormen-appendix-c-transpose",
        EQUATION,
        "Appendix C, matrix of the transpose",
        r"\lg q & \lg r \\ \hline 0 & I \\ \hline I & 0 \end{array} \right] \begin{array}{l} \lg "
        r"r \\ \lg q \end{array}",
        "columns of widths lg q, lg r, rows of heights lg r, lg q, for a q × r matrix in "
        "row-major order",
        "columns of widths lg r, lg q, rows of heights lg q, lg r: the column number is in the low"
        " bits",
        EITHER,
        "lg_q lg_r",
        lambda: sorted(((q, r) for q in range(4) for r in range(4)), key=sum),
        lambda q, r: transposes(q, r, (q, r)),
        lambda q, r: transposes(q, r, (r, q)),
    ),
    *TEXT,
)
