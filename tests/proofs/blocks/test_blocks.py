"""Block algebra over GF(2): Cormen's theorems for all sizes, and what the decision procedure
refuses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from derive.gf2 import bmmc
from derive.gf2.bits import Affine, column_basis
from derive.papers import hartley
from proofs.blocks import block_matrices, column_induction, columns
from proofs.blocks.block_matrices import (
    Equation,
    Letter,
    Matrix,
    Refused,
    Relation,
    Sum,
    identity,
    letter,
    matrix,
    one,
    reduced,
    relation,
    zero,
)
from proofs.blocks.column_induction import Case, Elimination, Obtained
from proofs.blocks.columns import (
    Assumed,
    Chain,
    Derivation,
    Fibres,
    Invertible,
    SameSize,
    resized,
    sums,
)
from proofs.blocks.divisions import Congruence, Division, Local
from proofs.kernel.numbers import Nat, nat
from proofs.theorems import cormen, elimination_theorem, factoring
from proofs.theorems.by_blocks import block_theorems
from proofs.theorems.division_theorems import partition
from proofs.theorems.elimination_theorem import ELIMINATION, basis_of
from tests.mutation.wrong_statements import counted, wrong_parts

Bits = NDArray[np.uint8]
Sizes = dict[str, int]
Values = dict[str, Bits]
CORMEN = [name for name in block_theorems() if name.startswith("cormen-")]


@pytest.mark.parametrize("name", block_theorems())
def test_every_theorem_is_proved(name: str) -> None:
    theorem = block_theorems()[name]
    assert theorem.prove()
    assert theorem.gloss and theorem.verdict().statement
    assert theorem.verdict().rests_on[0] in ("block algebra over GF(2)", "integer polynomials")


def test_nothing_is_assumed_but_that_the_matrix_is_nonsingular_and_the_swapper_gathers() -> None:
    """The basis, the pairing and δ̂^-1 are made and proved."""
    for name in CORMEN:
        theorem = block_theorems()[name]
        assert theorem.verdict().statement.startswith(
            f"{', '.join(theorem.assumed())} ⊢ " if theorem.assumed() else ""
        )
        assert ("⊢" in theorem.verdict().statement) == (name != "cormen-lemma-3")
    reasons = {name: block_theorems()[name].verdict().rests_on[1:] for name in CORMEN}
    rules = {
        reason
        for reason in reasons["cormen-vw"]
        if reason.startswith(("induction", "an invertible"))
    }
    assert len(rules) == 2 and {*reasons["cormen-vw"]} - rules == {
        cormen.NONSINGULAR,
        factoring.GATHERED,
        factoring.EXCHANGED,
    }
    assert len(reasons["cormen-lemma-3"]) == 2 and all(
        "A is" not in reason for reason in reasons["cormen-lemma-3"]
    )


# A second reading, with numbers


def evaluated(a: Sum, sizes: Sizes, values: Values) -> Bits:
    total = np.zeros((sizes[a.rows], sizes[a.cols]), dtype=np.uint8)
    for word in a.words:
        term = np.eye(sizes[a.rows], dtype=np.uint8)
        for one_letter in word:
            assert values[one_letter.name].shape == (sizes[one_letter.rows], sizes[one_letter.cols])
            term = term @ values[one_letter.name] % 2
        total ^= term
    return total


def whole(a: Matrix, sizes: Sizes, values: Values) -> Bits:
    found = np.zeros((sum(sizes[x] for x in a.rows), sum(sizes[x] for x in a.cols)), dtype=np.uint8)
    at = np.cumsum([0, *(sizes[x] for x in a.rows)])
    across = np.cumsum([0, *(sizes[x] for x in a.cols)])
    for i, row in enumerate(a.blocks):
        for j, block in enumerate(row):
            found[at[i] : at[i + 1], across[j] : across[j + 1]] = evaluated(block, sizes, values)
    return found


def run(rule: Elimination, C: Bits, Y: Bits, a0: Bits) -> tuple[Sizes, Values]:
    """Return what the loop of a rule makes, column by column from the right; what it says it keeps
    is looked at after every one.
    """
    p, y = Y.shape
    sizes = {"p": p, "y": y, "1": 1, **dict.fromkeys(rule.grown, 0)}
    shapes = {
        x.name: (x.rows, x.cols)
        for r in rule.kept
        for a in (r.value, Sum(r.value.rows, r.value.cols, frozenset({r.word})))
        for x in letters_of(a)
    }
    values: Values = {
        name: np.zeros((sizes[rows], sizes[cols]), dtype=np.uint8)
        for name, (rows, cols) in shapes.items()
    }
    values |= {"Y": Y, "a0": a0}
    values |= {name: whole(value, sizes, values) for name, value in rule.start}
    for j in range(C.shape[1], -1, -1):
        for r in rule.kept:
            word = Sum(r.value.rows, r.value.cols, frozenset({r.word}))
            assert np.array_equal(
                evaluated(word, sizes, values), evaluated(r.value, sizes, values)
            ), r
        if j == 0:
            break
        values["v"] = C[:, j - 1 : j]
        residual = evaluated(rule.residual, sizes, values)
        case = rule.unit if residual.any() else rule.zero
        values["π"] = np.eye(p, dtype=np.uint8)[[int(residual.argmax())]]
        new = {name: whole(value, sizes, values) for name, value in case.state}
        values |= new | {"C": C[:, j - 1 :]}
        sizes |= {name: sum(sizes[x] for x in parts) for name, parts in case.sizes}
    return sizes, values


def letters_of(a: Sum) -> set[Letter]:
    return {x for word in a.words for x in word}


def inverse(A: Bits) -> Bits:
    n = len(A)
    both = np.hstack([A, np.eye(n, dtype=np.uint8)])
    for j in range(n):
        pivot = next(i for i in range(j, n) if both[i, j])
        both[[j, pivot]] = both[[pivot, j]]
        for i in range(n):
            if i != j and both[i, j]:
                both[i] ^= both[j]
    return both[:, n:]


def packed(A: Bits) -> tuple[int, ...]:
    return tuple(int(sum(int(bit) << i for i, bit in enumerate(column))) for column in A.T)


def nonsingular(n: int, seed: int) -> Bits:
    rng = np.random.default_rng([n, seed])
    lower, upper = (
        np.tril(rng.integers(0, 2, (n, n)), -1) + np.eye(n, dtype=np.int64) for _ in range(2)
    )
    A = lower @ np.roll(np.eye(n, dtype=np.int64), int(rng.integers(n)), 0) @ upper.T
    return (A % 2).astype(np.uint8)


MODELS = [(n, p, seed) for n in (2, 3, 5, 6) for p in range(1, n) for seed in range(4)]


@pytest.mark.parametrize("seed", range(12))
def test_the_loop_finds_the_basis_and_the_dependencies_of_appendix_a(seed: int) -> None:
    rng = np.random.default_rng(seed)
    C = rng.integers(0, 2, (int(rng.integers(1, 6)), int(rng.integers(0, 8)))).astype(np.uint8)
    empty = np.zeros((len(C), 0), dtype=np.uint8)
    _, values = run(ELIMINATION, C, empty, empty.T)
    S, D = column_basis(packed(C))
    assert tuple(np.flatnonzero(values["σ"].any(axis=1))) == S
    dependencies = values["σ"] @ values["e"] % 2
    for j in range(C.shape[1]):
        assert packed(dependencies[:, j : j + 1]) == ((1 << j if j in S else D[j]),)


def named(obtained: Obtained, sizes: Sizes, values: Values) -> tuple[Sizes, Values]:
    """Return sizes and values under the names that they are obtained with."""
    new, names = dict(obtained.sizes), dict(obtained.letters)
    return {new[x]: n for x, n in sizes.items() if new.get(x)}, {
        names[x]: value for x, value in values.items() if names.get(x)
    }


def model(n: int, p: int, seed: int) -> tuple[Sizes, Values, bmmc.Factorization]:
    """Return sizes and matrices for all letters of the theorems on a random A, and the
    factorization that the program makes of it.
    """
    A, m = nonsingular(n, seed), n - p
    back, factored = inverse(A), bmmc.factor(Affine(packed(A), n), p)
    gamma, delta = A[m:, :m], A[m:, m:]
    empty = np.zeros((p, 0), dtype=np.uint8)
    sizes: Sizes = {"n": n, "p": p, "m": m, "1": 1}
    rng = np.random.default_rng(seed)
    values: Values = {
        "A": A,
        "A^-1": back,
        "Q": A,
        "Q^-1": back,
        "α": A[:m, :m],
        "β": A[:m, m:],
        "γ": gamma,
        "δ": delta,
    }
    values |= {
        "s": back[:m, m:],
        "t": back[m:, m:],
        "A'": rng.integers(0, 2, (n, n)).astype(np.uint8),
        "v": rng.integers(0, 2, (p, 1)).astype(np.uint8),
    }
    values |= {
        "c": rng.integers(0, 2, (n, 1)).astype(np.uint8),
        "c'": rng.integers(0, 2, (n, 1)).astype(np.uint8),
        "π": np.ones((1, p), dtype=np.uint8),
    }
    for obtained, C, before in (
        (factoring.BASIS_OF_DELTA, delta, None),
        (factoring.BASIS_OF_BOTTOM, gamma, ("Y", "a0")),
        (cormen.BASIS_OF_GAMMA, gamma, None),
    ):
        Y, a0 = (values[x] for x in before) if before else (empty, empty.T)
        more_sizes, more = named(obtained, *run(ELIMINATION, C, Y, a0))
        sizes, values = more_sizes | sizes, more | values
    assert sizes["q"] == sizes["z"]
    Pi = np.hstack([bits_of(column, m) for column in factored.swapper.columns[:m]])
    k, r = sizes["k"], sizes["r"]
    values |= {"π1": Pi[:, :k], "π1^T": Pi[:, :k].T, "π2": Pi[:, k:], "π2^T": Pi[:, k:].T}
    basis = set(np.flatnonzero(values["σ"].any(axis=1)))
    for rows, offset, inside, outside in ((k, 0, "ρ1", "ρ0"), (r, k, "ε0", "ε1")):
        for name, keep in ((inside, True), (outside, False)):
            chosen = np.eye(rows, dtype=np.uint8)[
                :, [i for i in range(rows) if (i + offset in basis) == keep]
            ]
            values |= {name: chosen, f"{name}^T": chosen.T}
    sizes |= {"x": values["ρ1"].shape[1], "i": values["ρ0"].shape[1], "j": values["ε0"].shape[1]}
    return sizes, values, factored


OF_A = [name for name in CORMEN if name not in ("cormen-layout", "cormen-theorem-2")]


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", OF_A)
def test_every_relation_and_every_equation_holds_on_random_matrices(name: str) -> None:
    """What is assumed can be fulfilled for every A, by what the program makes of it, and what is
    proved is then true.
    """
    for n, p, seed in MODELS:
        sizes, values, _ = model(n, p, seed)
        for part in block_theorems()[name].derivation():
            for a in sums(part):
                assert not evaluated(a, sizes, values).any(), f"{part} at n = {n}, p = {p}"
            if isinstance(part, Fibres):
                images = Counter(
                    packed(values["γ"] @ bits_of(o, n - p) % 2) for o in range(1 << n - p)
                )
                assert len(images) == 1 << sizes["r"] and {*images.values()} == {1 << sizes["k"]}


@pytest.mark.parametrize("seed", range(8))
def test_theorem_2_holds_on_random_matrices_and_other_bases(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, c = (int(rng.integers(1, 6)) for _ in range(2))
    M, empty = rng.integers(0, 2, (p, c)).astype(np.uint8), np.zeros((p, 0), dtype=np.uint8)
    sizes, values = named(cormen.BASIS_OF_M, *run(ELIMINATION, M, empty, empty.T))
    r = sizes["r"]
    X = nonsingular(r, seed) if r else np.zeros((0, 0), dtype=np.uint8)
    back = inverse(X) if r else X
    C, G, b, at = (values[name] for name in ("C", "G", "b", "σ"))
    values |= {"M": M, "C'": C @ back % 2, "G'": X @ G % 2, "b'": X @ b % 2, "σ'": at @ back % 2}
    values |= {"C''": C @ X % 2, "G''": back @ G % 2, "b''": back @ b % 2, "σ''": at @ X % 2}
    sizes |= {"p": p, "c": c, "s": r, "t": r}
    for part in block_theorems()["cormen-theorem-2"].derivation():
        for a in sums(part):
            assert not evaluated(a, sizes, values).any(), part


def bits_of(x: int, n: int) -> Bits:
    return np.array([[x >> i & 1] for i in range(n)], dtype=np.uint8).reshape(n, 1)


def test_trailer_reducer_and_swapper_are_those_of_the_program() -> None:
    """T, R and Π of the theorem, evaluated, are the matrices that `nodewright factor` prints:
    Appendix A pairs and eliminates alike.
    """
    shown = dict(factoring.vw().letters)
    for n, p, seed in MODELS:
        sizes, values, factored = model(n, p, seed)
        T, R, Pi = (whole(shown[x], sizes, values) for x in ("T", "R", "Π"))  # type: ignore[arg-type]
        assert (
            packed(T) == factored.trailer.columns
            and packed(R) == factored.reducer.columns
            and packed(Pi) == factored.swapper.columns
        )
        exchanged = factoring.exchanges()[0]
        assert isinstance(exchanged, Equation) and np.array_equal(
            whole(factoring.exchange(), sizes, values), Pi[: n - p, : n - p]
        )


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", block_theorems())
def test_every_changed_part_is_refused(name: str) -> None:
    found = sum(
        (counted(wrong_parts(part)) for part in block_theorems()[name].derivation()), Counter()
    )
    assert found["refused"] == found["made"] >= 19


def derivations() -> Iterator[tuple[str, Derivation]]:
    for name in CORMEN:
        found = block_theorems()[name].proof()
        assert isinstance(found, Derivation)
        yield name, found


def test_a_derivation_needs_every_part_that_another_one_rests_on() -> None:
    dropped = 0
    for _, found in derivations():
        for i, part in enumerate(found.parts):
            if isinstance(part, SameSize) and part in found.stated:
                continue
            if isinstance(part, Assumed | Obtained | SameSize) or part.name == "[Y, Z] [a; b]":  # type: ignore[union-attr]
                stated = tuple(other for other in found.stated if other != part)
                with pytest.raises(Refused):
                    Derivation((*found.parts[:i], *found.parts[i + 1 :]), stated)
                dropped += 1
    assert dropped >= 9


def test_a_derivation_uses_earlier_parts_only() -> None:
    for _, found in derivations():
        with pytest.raises(Refused):
            Derivation(found.parts[::-1], found.stated)
        with pytest.raises(Refused):
            Derivation(found.parts, ())
    with pytest.raises(Refused, match="among the parts"):
        Derivation(cormen.layout().parts, cormen.lemma_1().stated)


OTHER = letter("other", "p", "p")
MINE = Equation(matrix("p", "p", OTHER), matrix("p", "p", 1), (relation(OTHER, one("p"), "mine"),))
ATTACKS: dict[str, Callable[[], object]] = {
    "a name that is there": lambda: Derivation(
        (
            Assumed((relation(letter("Z", "p", "z"), zero("p", "z"), "why"),)),
            of_delta(z="s", Z="Z"),
        ),
        (of_delta(z="s", Z="Z"),),
    ),
    "a size that is there": lambda: Derivation(
        (Assumed((relation(letter("X", "p", "z"), zero("p", "z"), "why"),)), of_delta()),
        (of_delta(),),
    ),
    "obtained twice": lambda: Derivation((of_delta(), of_delta()), (of_delta(),)),
    "two letters of one name": lambda: of_delta(Z="b"),
    "a new letter that is the matrix": lambda: of_delta(Z="δ"),
    "a basis of no columns": lambda: replace(
        of_delta(), sizes=(("c", "p"), ("z", ""), ("k", "k"), ("y", ""))
    ),
    "the size 1 renamed": lambda: replace(of_delta(), sizes=(*of_delta().sizes, ("1", "p"))),
    "a left inverse that is not known": lambda: Derivation(
        (basis_of("γ", "m", ("Y", "y", "a0"), z="z", k="k"),),
        (basis_of("γ", "m", ("Y", "y", "a0"), z="z", k="k"),),
    ),
    "a state that is given": lambda: replace(
        ELIMINATION, given=(*ELIMINATION.given, elimination_theorem.KEPT[4])
    ),
    "a column that is given": lambda: replace(
        ELIMINATION, given=(*ELIMINATION.given, relation(elimination_theorem.v, zero("p", "1")))
    ),
    "a size that grows from another start": lambda: replace(
        ELIMINATION,
        zero=replace(ELIMINATION.zero, sizes=(*ELIMINATION.zero.sizes, ("y", ("1", "y")))),
    ),
    "rows that grow": lambda: replace(ELIMINATION, grown=("c", "z", "k", "p")),
    "no column more": lambda: replace(
        ELIMINATION, zero=replace(ELIMINATION.zero, sizes=(("c", ("c",)), ("k", ("1", "k"))))
    ),
    "no cases": lambda: replace(ELIMINATION, unit=ELIMINATION.zero),
    "another case": lambda: replace(
        ELIMINATION,
        zero=replace(ELIMINATION.zero, relation=relation(elimination_theorem.v, zero("p", "1"))),
    ),
    "chosen columns that are not": lambda: replace(ELIMINATION, chosen=(("Z", "b"),)),
    "a letter that one case changes": lambda: every_column_is_a_sum_of_any(),
    "what is given with a size that grows": lambda: ones_that_are_zero(),
    "a residual that has the row in it": lambda: neither_zero_nor_one(),
    "a letter that is other at the start": lambda: replace(
        ELIMINATION, start=(*ELIMINATION.start, ("Y", matrix("p", "y", 0)))
    ),
    "a start without the left inverse": lambda: replace(ELIMINATION, start=()),
    "an assumption without a reason": lambda: Assumed((relation(OTHER, one("p")),)),
    "an assumption that is not stated": lambda: Derivation((MINE,), (MINE,)),
    "sizes that differ": lambda: replace(factoring.same_number(), old="y"),
    "a chain with a gap": lambda: Chain(factoring.whole_basis().equations[::2]),
    "two matrices of one name": lambda: Derivation(
        (
            Assumed(
                (
                    relation(OTHER, one("p"), "why"),
                    relation(letter("other", "q", "q"), zero("q", "q"), "why"),
                )
            ),
            MINE,
        ),
        (MINE,),
    ),
    "two matrices that a size makes one": lambda: every_matrix_is_zero(),
    "two matrices of one name in a rule": lambda: replace(
        ELIMINATION,
        given=(
            *ELIMINATION.given,
            relation(letter("W", "y", "y"), one("y")),
            relation(letter("W", "p", "p"), one("p")),
        ),
    ),
    "a left inverse only": lambda: Invertible(
        matrix("p", "y", factoring.Y), matrix("y", "p", factoring.a), factoring.OF_BOTTOM
    ),
}


def every_column_is_a_sum_of_any() -> Elimination:
    """For any X there would be e with C = X e: X becomes I where a column is not 0, and would pass
    for a letter that is given.
    """
    X, e, v = letter("X", "p", "p"), letter("e", "p", "c"), elimination_theorem.v
    more = (("c", ("1", "c")),)
    zero_column = Case(relation(v, zero("p", "1")), more, (("e", matrix("p", "1 c", 0, e)),))
    other = Case(
        relation(elimination_theorem.pivot * v, one("1")),
        more,
        (("e", matrix("p", "1 c", v, elimination_theorem.C)), ("X", matrix("p", "p", 1))),
    )
    kept = (relation(elimination_theorem.C, X * e),)
    return Elimination(
        ELIMINATION.visited,
        ELIMINATION.column,
        ELIMINATION.row,
        v,
        (),
        kept,
        ("c",),
        (),
        zero_column,
        other,
        (),
    )


def ones_that_are_zero() -> Elimination:
    """There would be A and B with A B = I and A = 0, made of p and q with p q = 1: these are of g
    columns, and at g = 0 their product is 0.
    """
    p, q, U, V, A, B = (
        letter(*x)
        for x in (
            ("p", "1", "g"),
            ("q", "g", "1"),
            ("U", "x", "x"),
            ("V", "x", "x"),
            ("A", "g", "x"),
            ("B", "x", "g"),
        )
    )
    given = (relation(p * q, one("1")), relation(U * V, one("x")))
    kept = (relation(A * B, one("g")), relation(A, zero("g", "x")))
    state = (
        ("A", Matrix(("1", "g"), ("x",), ((p * A * U,), (A,)))),
        ("B", Matrix(("x",), ("1", "g"), ((V * B * q, B),))),
    )
    v, row = letter("v", "r", "1"), letter("e", "1", "r")
    nothing, pivot = (
        Case(is_so, (("g", ("1", "g")),), state)
        for is_so in (relation(v, zero("r", "1")), relation(row * v, one("1")))
    )
    return Elimination(
        Letter("C", "r", "g"),
        Letter("v", "r", "1"),
        Letter("e", "1", "r"),
        v,
        given,
        kept,
        ("g",),
        (),
        nothing,
        pivot,
        (),
    )


def neither_zero_nor_one() -> Elimination:
    """A residual w made of the row u is not 0 for y v = 1, and u w is 0 for every u: neither case
    holds, and no state would be there.
    """
    C, v, u = letter("C", "m", "n"), letter("v", "m", "1"), letter("u", "1", "m")
    e1, e2, y = letter("e1", "m", "1"), letter("e2", "m", "1"), letter("y", "1", "m")
    D, E, T, Y = (letter(name, "n", "n") for name in "DETY")
    last = e2 * y * v * u * e1
    w = e1 * y * v + e1 * y * v * u * e1 + e1 * y * v * u * e1 * u * e2 + last

    def put(total: Sum, word: Sum) -> Relation:
        return relation(word, total + word)

    k = e1 * y * C + e1 * y * C * D + e1 * y * C * D * E + e2 * y * C * D
    kept = (
        put(k + k * T, e1 * y * C * D * E * T),
        put((D * Y + D * Y * D + D * Y * D * E + E * Y * D) * T + T, D * Y * D * E * T),
    )

    def state(t: int) -> tuple[tuple[str, Matrix], ...]:
        values = (("D", u * e1, D), ("E", u * e2, E), ("Y", y * v, Y), ("T", t, T))
        return tuple(
            (name, matrix("1 n", "1 n", first, 0, 0, rest)) for name, first, rest in values
        )

    cases = (
        Case(put(w, last), (("n", ("1", "n")),), state(0)),
        Case(put(u * w + one("1"), u * last), (("n", ("1", "n")),), state(1)),
    )
    return Elimination(
        Letter("C", "m", "n"),
        Letter("v", "m", "1"),
        Letter("u", "1", "m"),
        w,
        (),
        kept,
        ("n",),
        (),
        *cases,
        (),
    )


def test_a_letter_of_another_shape_is_no_chosen_one() -> None:
    known = [Letter("Q", "n", "z"), Letter("R", "z", "n")]
    for size, right in (("z", True), ("1", False)):
        values = (
            Matrix(("n",), (size,), ((letter("Q", "n", size),),)),
            Matrix((size,), ("n",), ((letter("R", size, "n"),),)),
        )
        assert column_induction.is_chosen("Q", "R", *values, known) is right


def every_matrix_is_zero() -> Derivation:
    """X of order k is 0 and another X of order l is I: if k = l and they are taken for one, every Z
    = Z X is 0.
    """
    there, back = letter("P", "k", "l"), letter("P^-1", "l", "k")
    Xk, Xl, Z, V = (
        letter("X", "k", "k"),
        letter("X", "l", "l"),
        letter("Z", "l", "l"),
        letter("V", "l", "l"),
    )
    pair = (relation(there * back, one("k"), "why"), relation(back * there, one("l"), "why"))
    given = Assumed(
        (
            *pair,
            relation(Xk, zero("k", "k"), "why"),
            relation(Xl, one("l"), "why"),
            relation(V, Z * Xl, "why"),
        )
    )
    same = Equation(matrix("l", "l", V), matrix("l", "l", Z), given.relations)
    square = Invertible(matrix("k", "l", there), matrix("l", "k", back), pair)
    sizes = SameSize("l", "k", square, Invertible(identity(("k",)), identity(("k",)), ()))
    Z2, V2 = letter("Z", "k", "k"), letter("V", "k", "k")
    wrong = Equation(
        matrix("k", "k", Z2),
        matrix("k", "k", 0),
        (relation(Xk, zero("k", "k")), relation(Z2, V2), relation(V2, Z2 * Xk)),
    )
    return Derivation((given, same, square, sizes, wrong), (wrong,))


def of_delta(**new: str) -> Obtained:
    return basis_of("δ", "p", **{"z": "z", "k": "k", **new})


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_does_not_follow_is_refused(attack: str) -> None:
    with pytest.raises(Refused):
        ATTACKS[attack]()


def test_the_attacks_are_on_rules_that_hold() -> None:
    assert (
        Derivation((of_delta(),), (of_delta(),))
        and replace(ELIMINATION, given=ELIMINATION.given) == ELIMINATION
    )


def test_a_size_is_replaced_everywhere() -> None:
    assert resized(letter("X", "q", "p"), "q", "z") == letter("X", "z", "p") and columns.names(
        [letter("X", "q", "p")]
    ) == {"X", "q", "p"}


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
    for wrong in (
        lambda: X * Y,
        lambda: X + Y,
        lambda: relation(X, Y),
        lambda: relation(X + X, X),
        lambda: matrix("n", "n", X),
    ):
        with pytest.raises(Refused):
            wrong()
    with pytest.raises(Refused):
        Sum("n", "m", frozenset({(Letter("X", "n", "p"),)}))
    with pytest.raises(Refused):
        Relation((), one("n"))


def test_relations_that_go_on_forever_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = letter("X", "n", "n"), letter("Y", "n", "n")
    monkeypatch.setattr(block_matrices, "MOST_STEPS", 50)
    with pytest.raises(Refused, match="go on"):
        reduced(X, (relation(X, X * Y),))


def test_the_trusted_part_imports_the_standard_library_only() -> None:
    allowed = {
        "__future__",
        "collections",
        "collections.abc",
        "dataclasses",
        "itertools",
        "proofs.blocks.column_induction",
        "proofs.blocks.block_matrices",
        "proofs.kernel.sealed",
    }
    for module in (block_matrices, column_induction, columns):
        lines = Path(str(module.__file__)).read_text(encoding="utf-8").splitlines()
        assert {
            line.split()[1] for line in lines if line.startswith(("import ", "from "))
        } <= allowed


def test_the_factorization_without_the_trailer_is_refused() -> None:
    """δ itself may be singular."""
    tau, hat, hat_inverse, given = factoring.trailer()
    for wrong in (cormen.delta, hat + cormen.gamma * tau, hat + one("p")):
        with pytest.raises(Refused):
            Equation(
                matrix("p", "p", wrong) * matrix("p", "p", hat_inverse), matrix("p", "p", 1), given
            )


def test_the_last_stages_of_the_hartley_transform_are_local() -> None:
    """The places and the ranks of the theorem are those of the algorithm, and each part with a
    changed sign or place is refused.
    """
    for n in range(1, 8):
        for p in range(n):
            N, P = 1 << n, 1 << p
            holder = np.empty(N, dtype=np.int64)
            for rank in range(P):
                held = hartley.partition(rank, p + 1, N, P)
                assert {int(m) % (2 * P) for m in held} == (
                    {rank, -rank % (2 * P)} if rank else {0, P}
                )
                holder[held] = rank
            for s in range(p + 2, n + 1):
                for m in range(N):
                    assert {int(holder[place]) for place in hartley.inputs(s, m)} == {
                        int(holder[m])
                    }
    for part in partition():
        assert isinstance(part, Division | Local)


def test_quotients_and_places_are_those_of_numbers() -> None:
    for part in partition():
        for P in range(1, 6):
            for R in range(1, P):
                at = {
                    "P": P,
                    "R": R,
                    "ρ": R - 1,
                    "ω": P - 1 if part_is_of_zero(part) else P - R - 1,
                    "i": 3,
                    "z": 2,
                    "a": 3,
                    "b": 2,
                    "q": 1,
                    "q2": 0,
                }
                if isinstance(part, Division):
                    assert divmod(number(part.number, at), number(part.divisor, at)) == (
                        number(part.quotient, at),
                        number(part.remainder, at),
                    )
                else:
                    for found in part.congruences:
                        assert (number(found.left, at) - number(found.right, at)) % number(
                            found.modulus, at
                        ) == 0


def part_is_of_zero(part: Division | Local) -> bool:
    return isinstance(part, Division) and dict(part.where).keys() == {"P"}


def number(x: Nat, at: dict[str, int]) -> int:
    return sum(
        c * int(np.prod([at[name] for name in names], dtype=np.int64)) for names, c in x.terms
    )


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Division(nat("R"), nat("P"), Nat.of(0), nat("R"), ()),
        lambda: Division(nat("R"), nat("P"), Nat.of(0), nat("R"), (("P", nat("R")),)),
        lambda: Division(nat("R") * 2, nat("R"), Nat.of(1), nat("R"), (("R", nat("x") + 1),)),
        lambda: Division(nat("R"), nat("R"), Nat.of(2), nat("R") * -1, (("R", nat("x") + 1),)),
        lambda: Congruence(nat("x"), nat("y"), nat("P"), Nat.of(0)),
        lambda: Local(
            (nat("z"),),
            nat("P"),
            (("m", nat("m")),),
            (((0, nat("z")),),),
            "a place with the letter of any place",
        ),
        lambda: Local(
            (nat("R"),),
            nat("P"),
            (("z", nat("R") + nat("P") * nat("z")),),
            (((0, nat("z")),),),
            "the same of what is read",
        ),
        lambda: Division(
            nat("R") - 1, nat("P"), Nat.of(0), nat("R") - 1, (("R", nat("x")), ("P", nat("x") + 1))
        ),
        lambda: Division(
            nat("R"), nat("P"), Nat.of(0), nat("R"), (("R", nat("x") - 1), ("P", nat("x")))
        ),
    ],
)
def test_a_remainder_that_is_none_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(Refused):
        wrong()
