"""Block algebra over GF(2): Cormen's theorems for all sizes, and what the decision procedure refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from derive import hartley
from proofs import blocks
from proofs.blocks import Equation, Letter, Matrix, Refused, Relation, Sum, letter, matrix, one, reduced, relation, zero
from proofs.terms import Nat, nat
from proofs.theorems import cormen
from proofs.theorems.partition import Congruence, partition
from proofs.theorems.smaller import block_theorems

Bits = NDArray[np.uint8]


@pytest.mark.parametrize("name", block_theorems())
def test_every_theorem_is_proved(name: str) -> None:
    theorem = block_theorems()[name]
    assert theorem.prove()
    assert theorem.gloss and theorem.verdict().statement
    assert theorem.verdict().rests_on[0] in ("block algebra over GF(2)", "integer polynomials")


def eliminated(A: Bits) -> tuple[Bits, Bits, int]:
    """Return invertible G and a permutation Π, and r, with G A Π = [I, *; 0, 0]."""
    A, rows, cols = A.copy(), *A.shape
    G, order, r = np.eye(rows, dtype=np.uint8), list(range(cols)), 0
    for j in list(range(cols)):
        pivot = next((i for i in range(r, rows) if A[i, j]), None)
        if pivot is None:
            continue
        A[[r, pivot]], G[[r, pivot]] = A[[pivot, r]], G[[pivot, r]]
        for i in range(rows):
            if i != r and A[i, j]:
                A[i], G[i] = A[i] ^ A[r], G[i] ^ G[r]
        order.remove(j)
        order.insert(r, j)
        r += 1
    return G, np.eye(cols, dtype=np.uint8)[:, order], r


def inverse(A: Bits) -> Bits:
    G, Pi, r = eliminated(A)
    assert r == len(A)
    return Pi @ G % 2


def drawn(n: int, p: int, seed: int) -> tuple[dict[str, int], dict[str, Bits]]:
    """Return sizes and matrices for all letters of the theorems on a random A: a model of the relations."""
    rng = np.random.default_rng([n, p, seed])
    while True:
        A = rng.integers(0, 2, (n, n)).astype(np.uint8)
        if seed % 2:
            A[: n - p, :] &= rng.integers(0, 2, (n - p, n)).astype(np.uint8)
        if eliminated(A)[2] == n:
            break
    m, back = n - p, inverse(A)
    gamma, delta = A[m:, :m], A[m:, m:]
    G, Pi, _ = eliminated(delta)
    u_back = Pi @ G % 2  # G δ = [I, *; 0, 0] Π^-1, so Π G δ is idempotent
    e = u_back @ delta % 2
    H, swap, r = eliminated(gamma)
    first, second = swap[:, r:], swap[:, :r]
    basis = gamma @ second % 2
    left = H[:r]
    d = (H @ gamma @ first % 2)[:r]
    assert np.array_equal(e @ e % 2, e)
    sizes = {"n": n, "p": p, "m": m, "r": r, "k": m - r, "1": 1}
    square = {
        "A": A,
        "A^-1": back,
        "Q": A,
        "Q^-1": back,
        "A'": rng.integers(0, 2, (n, n)),
        "c": rng.integers(0, 2, (n, 1)),
        "c'": rng.integers(0, 2, (n, 1)),
    }
    parts = {"α": A[:m, :m], "β": A[:m, m:], "γ": gamma, "δ": delta, "b": back[:m, :m], "s": back[:m, m:], "b'": back[m:, :m], "t": back[m:, m:]}
    normal = {"u": inverse(u_back), "u^-1": u_back, "e": e}
    columns = {"π1": first, "π2": second, "π1^T": first.T, "π2^T": second.T, "γ''": basis, "λ": left, "d": d}
    values = {name: value.astype(np.uint8) for name, value in (square | parts | normal | columns).items()}
    return sizes, values


def evaluated(a: Sum, sizes: dict[str, int], values: dict[str, Bits]) -> Bits:
    total = np.zeros((sizes[a.rows], sizes[a.cols]), dtype=np.uint8)
    for word in a.words:
        term = np.eye(sizes[a.rows], dtype=np.uint8)
        for one_letter in word:
            term = term @ values[one_letter.name] % 2
        total ^= term
    return total


def whole(a: Matrix, sizes: dict[str, int], values: dict[str, Bits]) -> Bits:
    return np.vstack([np.hstack([evaluated(block, sizes, values) for block in row]) for row in a.blocks])


def models() -> Iterator[tuple[int, int, int]]:
    return ((n, p, seed) for n in (2, 3, 5, 7) for p in range(1, n) for seed in range(3))


@pytest.mark.parametrize("name", ["cormen-lemma-1", "cormen-vw", "cormen-lemma-3"])
def test_every_equation_and_every_relation_holds_on_random_matrices(name: str) -> None:
    """A second reading, with numbers: what is assumed can be fulfilled for every A, and what is proved is then true."""
    for n, p, seed in models():
        sizes, values = drawn(n, p, seed)
        for part in block_theorems()[name].prove():
            assert isinstance(part, Equation)
            for given in part.given:
                word = Sum(given.value.rows, given.value.cols, frozenset({given.word}))
                assert np.array_equal(evaluated(word, sizes, values), evaluated(given.value, sizes, values)), f"{given} at n = {n}, p = {p}"
            assert np.array_equal(whole(part.left, sizes, values), whole(part.right, sizes, values)), f"{part} at n = {n}, p = {p}"


@pytest.mark.parametrize("name", ["cormen-vw", "cormen-lemma-3"])
def test_no_relation_can_be_left_out_of_all_equations(name: str) -> None:
    parts = [part for part in block_theorems()[name].prove() if isinstance(part, Equation)]
    used = 0
    for relation_ in {given for part in parts for given in part.given}:
        refused = 0
        for part in parts:
            try:
                replace(part, given=tuple(given for given in part.given if given != relation_))
            except Refused:
                refused += 1
        used += refused > 0
    assert used >= len({given for part in parts for given in part.given}) - 1


@pytest.mark.parametrize("name", [name for name in block_theorems() if name.startswith("cormen-")])
def test_mutants_of_every_equation_are_refused(name: str) -> None:
    """A block of the right side dropped, doubled by a letter, or exchanged."""
    made = 0
    for part in block_theorems()[name].prove():
        assert isinstance(part, Equation)
        for i, row in enumerate(part.right.blocks):
            for j, block in enumerate(row):
                for other in {zero(block.rows, block.cols), block + letter("wrong", block.rows, block.cols)} - {block}:
                    changed = [list(line) for line in part.right.blocks]
                    changed[i][j] = other
                    with pytest.raises(Refused):
                        replace(part, right=Matrix(part.right.rows, part.right.cols, tuple(map(tuple, changed))))
                    made += 1
    assert made >= 4


def test_matrices_do_not_commute_and_are_not_invertible_by_themselves() -> None:
    X, Y = letter("X", "n", "n"), letter("Y", "n", "n")
    for left, right in ((X * Y, Y * X), (X * X, X), (X + X, X), (X * Y, one("n"))):
        with pytest.raises(Refused):
            Equation(matrix("n", "n", left), matrix("n", "n", right), ())
    with pytest.raises(Refused):
        Equation(matrix("n", "n", Y * X), matrix("n", "n", 1), (relation(X * Y, one("n")),))
    Equation(matrix("n", "n", X * Y + X * Y), matrix("n", "n", 0), ())


def test_shapes_that_do_not_fit_are_refused() -> None:
    X, Y = letter("X", "n", "m"), letter("Y", "p", "n")
    for wrong in (lambda: X * Y, lambda: X + Y, lambda: relation(X, Y), lambda: relation(X + X, X), lambda: matrix("n", "n", X)):
        with pytest.raises(Refused):
            wrong()
    with pytest.raises(Refused):
        Sum("n", "m", frozenset({(Letter("X", "n", "p"),)}))
    with pytest.raises(Refused):
        Relation((), one("n"))


def test_relations_that_go_on_forever_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = letter("X", "n", "n"), letter("Y", "n", "n")
    monkeypatch.setattr(blocks, "MOST_STEPS", 50)
    with pytest.raises(Refused, match="go on"):
        reduced(X, (relation(X, X * Y),))


def test_the_trusted_part_imports_the_standard_library_only() -> None:
    text = (blocks.__file__ or "").removesuffix("c")
    imports = [line for line in open(text, encoding="utf-8") if line.startswith(("import ", "from "))]  # noqa: PTH123, SIM115
    assert {line.split()[1] for line in imports} == {"__future__", "collections.abc", "dataclasses", "itertools"}


def test_the_factorization_without_the_trailer_is_refused() -> None:
    """δ itself may be singular."""
    tau, hat, hat_inverse, given = cormen.trailer()
    for wrong in (cormen.delta, hat + cormen.gamma * tau, hat + one("p")):
        with pytest.raises(Refused):
            Equation(matrix("p", "p", wrong) * matrix("p", "p", hat_inverse), matrix("p", "p", 1), (*given, *cormen.COLUMN_BASIS, *cormen.SWAPS))


def test_the_last_stages_of_the_hartley_transform_are_local() -> None:
    """The places and the ranks of the theorem are those of the algorithm, and each part with a changed sign or place is refused."""
    for n in range(1, 8):
        for p in range(n):
            N, P = 1 << n, 1 << p
            holder = np.empty(N, dtype=np.int64)
            for rank in range(P):
                held = hartley.partition(rank, p + 1, N, P)
                assert {int(m) % (2 * P) for m in held} == ({rank, -rank % (2 * P)} if rank else {0, P})
                holder[held] = rank
            for s in range(p + 2, n + 1):
                for m in range(N):
                    assert {int(holder[place]) for place in hartley.inputs(s, m)} == {int(holder[m])}
    for part in partition():
        for wrong in (
            replace_in(part, left=part.left + 1),
            replace_in(part, right=part.right + nat("P")),
            replace_in(part, quotient=part.quotient + 1),
        ):
            with pytest.raises(Refused):
                Congruence(*wrong)


def replace_in(part: Congruence, **values: Nat) -> tuple[Nat, Nat, Nat, Nat]:
    found = {"left": part.left, "right": part.right, "modulus": part.modulus, "quotient": part.quotient} | values
    return found["left"], found["right"], found["modulus"], found["quotient"]
