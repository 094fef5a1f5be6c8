"""T. H. Cormen: Performing BMMC permutations efficiently on distributed-memory multiprocessors with
MPI, 1997.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from derive.gf2.word_operations import appendix_b
from proofs.errata.entry import Evaluation, both

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


def gray_sum(N: int, last: int) -> str | None:
    """Return whether the bits that are looked at are more than sum of i N/2^i, i up to `last`;
    without a last one, 2 N.
    """
    bound = sum(i * N / 2**i for i in range(last + 1)) if last >= 0 else 2 * N
    examined = appendix_b(N)[0].operations
    return None if examined <= bound else f"{examined} bits are examined, more than {bound:g}"


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


def bit_sizes(first: int, last: int) -> list[tuple[int, ...]]:
    """Return numbers of bits."""
    return [(n,) for n in range(first, last + 1)]


NAMES = ("bit-reversal", "gray-code", "shuffle", "vector-reversal")
EVALUATIONS: dict[str, Evaluation] = {
    "cormen-pseudocode-1": Evaluation(
        "n c", complements, lambda n, c: pseudocode(n, c, 0), lambda n, c: pseudocode(n, c, c)
    ),
    "cormen-section-5-line-8": Evaluation(
        "n p permutation",
        lambda: [(n, p, i) for n in range(2, 6) for p in range(1, n) for i in range(len(NAMES))],
        lambda n, p, i: interprocessor(NAMES[i], n, p, False),
        lambda n, p, i: interprocessor(NAMES[i], n, p, True),
    ),
    "cormen-4-5-source-bits": Evaluation(
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
    "cormen-appendix-a": Evaluation("rows A_0 A_1", columns_of_two, *both(dependency, 0, 1)),
    "cormen-appendix-b-display": Evaluation(
        "n", lambda: bit_sizes(1, 6), *both(gray_step, True, False)
    ),
    "cormen-appendix-b-sum": Evaluation(
        "N",
        lambda: [(1 << n,) for n in range(1, 11)],
        lambda N: gray_sum(N, N.bit_length() - 2),
        lambda N: gray_sum(N, -1),
    ),
}
