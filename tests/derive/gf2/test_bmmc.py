"""BMMC permutations against their definitions, and A = V W against what every element does; each
broken property is refused by its name.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.gf2 import bmmc, properties
from derive.gf2.bits import Affine, bit_matrix
from derive.gf2.elimination import by_integers
from derive.gf2.matrix_files import complement
from derive.verdict import Checked, Refuted
from tests.support.strategies import multiply, permutations, permutations_over_ranks

DEFINITIONS = {
    "identity": lambda x, n: x,
    "bit-reversal": lambda x, n: int(format(x, f"0{n}b")[::-1], 2),
    "vector-reversal": lambda x, n: 2**n - 1 - x,
    "gray-code": lambda x, n: x ^ x // 2,
    "shuffle": lambda x, n: 2 * x % 2**n + 2 * x // 2**n,
    "unshuffle": lambda x, n: x // 2 + x % 2 * 2 ** (n - 1),
}
"""Appendix C, for index x below 2^n."""


@pytest.mark.parametrize("name", bmmc.NAMED)
@pytest.mark.parametrize("n", range(1, 9))
def test_a_named_permutation_is_what_the_paper_defines(name, n):
    permutation = bmmc.named(name, n)
    assert [permutation(x) for x in range(2**n)] == [DEFINITIONS[name](x, n) for x in range(2**n)]


def test_every_name_has_a_definition_here():
    assert set(bmmc.NAMED) == set(DEFINITIONS)


@pytest.mark.parametrize(("n", "Q"), [(n, Q) for n in range(1, 8) for Q in range(n + 1)])
def test_a_transpose_takes_place_i_r_plus_j_to_j_q_plus_i(n, Q):
    q, r = 2**Q, 2 ** (n - Q)
    permutation = bmmc.named(f"transpose:{Q}", n)
    assert [permutation(i * r + j) for i in range(q) for j in range(r)] == [
        j * q + i for i in range(q) for j in range(r)
    ]
    x, y = np.arange(2**n), np.empty(2**n, int)
    y[permutation(x)] = x
    assert np.array_equal(y.reshape(r, q), x.reshape(q, r).T)


def test_shuffles_are_transposes_of_two_rows_and_of_two_columns():
    assert bmmc.shuffle(6) == bmmc.transpose(6, 1)
    assert bmmc.unshuffle(6) == bmmc.transpose(6, 5)


def test_the_gray_code_matrix_is_that_of_equation_6():
    rows = [
        [1, 1, 0, 0, 0, 0],
        [0, 1, 1, 0, 0, 0],
        [0, 0, 1, 1, 0, 0],
        [0, 0, 0, 1, 1, 0],
        [0, 0, 0, 0, 1, 1],
        [0, 0, 0, 0, 0, 1],
    ]
    assert bmmc.gray_code(6).matrix.tolist() == rows


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("no-such", "unknown permutation 'no-such': the names are identity, .*transpose:Q"),
        ("transpose", "unknown permutation 'transpose'"),
        ("transpose:x", "unknown permutation 'transpose:x'"),
        ("transpose:-1", "unknown permutation 'transpose:-1'"),
        ("shuffle:1", "unknown permutation 'shuffle:1'"),
        (
            "transpose:5",
            (
                r"transpose:5 of 2\^4 elements: a matrix of 2\^4 elements has 2\^Q rows with 0 <= Q"
                r" <= 4"
            ),
        ),
    ],
)
def test_other_names_are_refused(name, complaint):
    with pytest.raises(ValueError, match=complaint):
        bmmc.named(name, 4)


def targets(permutation, m):
    """Return for every rank the set of ranks that its elements go to, element by element."""
    found = {}
    for z in range(2**permutation.bits):
        found.setdefault(z >> m, set()).add((multiply(permutation.columns, z) ^ permutation.c) >> m)
    return found


def broken(f):
    """Return what is wrong with a factorization, element by element, or nothing: Lemma 3, equations
    1 to 5 and the forms of section 3.
    """
    n, m, p, N = f.n, f.m, f.p, 2**f.n
    A = [multiply(f.permutation.columns, z) ^ f.permutation.c for z in range(N)]
    w = [f.W(z) for z in range(N)]
    message = 2**m // f.rounds
    yield "W is no permutation", sorted(w) != list(range(N))
    yield "W leaves the rank", any(w[z] >> m != z >> m for z in range(N))
    yield "V after W is not A", [f.V(y) for y in w] != A
    yield "messages", f.rounds * f.elements_per_message != 2**m or f.elements_per_message != message
    for k, b in product(range(2**p), range(f.rounds)):
        start = (k << m) + b * message
        went = {f.V(z) >> m for z in range(start, start + message)}
        yield "a message has two targets or another than equation 4", went != {f.target(b, k)}
        yield (
            "equation 5 does not undo equation 4",
            f.source(b, f.target(b, k)) != k or f.target(b, f.source(b, k)) != k,
        )
    for b in range(f.rounds):
        yield (
            "a round is no permutation of the ranks",
            sorted(f.target(b, k) for k in range(2**p)) != list(range(2**p)),
        )
    for k, others in targets(f.permutation, m).items():
        yield (
            "not 2^rank(gamma) targets",
            others != {f.target(b, k) for b in range(f.rounds)} or len(others) != f.rounds,
        )
    for name, columns in (
        ("T", f.trailer.columns),
        ("R", f.reducer.columns),
        ("Pi", f.swapper.columns),
    ):
        yield (
            f"{name} is not its own inverse",
            any(multiply(columns, columns[j]) != 1 << j for j in range(n)),
        )


def first_broken(f):
    return next((name for name, wrong in broken(f) if wrong), "")


@pytest.mark.parametrize(
    ("name", "n"),
    [(name, n) for name in [*bmmc.NAMED, "transpose:1", "transpose:2"] for n in (2, 3, 5, 6)],
)
def test_a_named_permutation_is_factored_for_every_number_of_processor_bits(name, n):
    for p in range(n + 1):
        f = bmmc.factor(bmmc.named(name, n), p)
        assert isinstance(properties.check(f), Checked)
        assert first_broken(f) == ""


@given(permutations_over_ranks(8))
def test_every_factorization_does_with_every_element_what_the_paper_says(case):
    permutation, p = case
    f = bmmc.factor(permutation, p)
    assert isinstance(properties.check(f), Checked)
    assert first_broken(f) == ""


@given(permutations_over_ranks(6), st.sampled_from(["trailer", "reducer", "swapper"]), st.data())
def test_a_factor_with_one_wrong_bit_is_refused_or_still_moves_every_element_rightly(
    case, factor, data
):
    permutation, p = case
    f = bmmc.factor(permutation, p)
    columns = list(getattr(f, factor).columns)
    columns[data.draw(st.integers(0, f.n - 1))] ^= 1 << data.draw(st.integers(0, f.n - 1))
    mutant = replace(f, **{factor: Affine(tuple(columns), f.n)})
    if isinstance(properties.check(mutant), Checked):
        assert first_broken(mutant) == ""


@given(permutations_over_ranks(8))
def test_the_rank_of_gamma_is_that_of_the_inverse_and_has_its_bounds(case):
    permutation, p = case
    f = bmmc.factor(permutation, p)
    delta = bmmc.blocks(permutation.matrix, p).delta
    assert bmmc.factor(permutation.inverse(), p).rank_gamma == f.rank_gamma
    assert p - (int(np.linalg.matrix_rank(delta)) if p else 0) <= f.rank_gamma <= min(p, f.m)


RANK_GAMMA = {
    "identity": lambda n, p: 0,
    "bit-reversal": lambda n, p: min(p, n - p),
    "transpose:1": lambda n, p: min(1, n - 1, p, n - p),
    "transpose:2": lambda n, p: min(2, n - 2, p, n - p),
    "transpose:3": lambda n, p: min(3, n - 3, p, n - p),
    "shuffle": lambda n, p: min(1, p, n - p),
    "unshuffle": lambda n, p: min(1, p, n - p),
    "gray-code": lambda n, p: 0,
    "vector-reversal": lambda n, p: 0,
}
"""rank gamma, processor-major, of the permutations of Appendix C."""


@pytest.mark.parametrize("name", RANK_GAMMA)
def test_the_rank_of_gamma_has_its_closed_form(name):
    for n in range(3, 9):
        for p in range(n + 1):
            permutation = bmmc.named(name, n)
            want = RANK_GAMMA[name](n, p)
            assert bmmc.factor(permutation, p).rank_gamma == want
            assert {len(others) for others in targets(permutation, n - p).values()} == {2**want}


@pytest.mark.long
@given(permutations_over_ranks(40))
def test_galois_and_packed_integers_yield_the_same_factors(case):
    permutation, p = case
    assert bmmc.factor(permutation, p) == bmmc.factor(permutation, p, by_integers)


@pytest.mark.long
def test_168_of_the_512_matrices_of_three_bits_are_permutations():
    accepted = 0
    for columns in product(range(8), repeat=3):
        matrix = Affine(columns, 3)
        if len({multiply(columns, x) for x in range(8)}) == 8:
            accepted += all(
                isinstance(properties.check(bmmc.factor(matrix, p)), Checked) for p in range(4)
            )
        else:
            with pytest.raises(ValueError, match="3 x 3 matrix is singular"):
                bmmc.factor(matrix, 1)
    assert accepted == 168


@pytest.mark.parametrize("seed", range(3))
def test_62_bits_and_31_processor_bits_are_factored(seed):
    random = np.random.default_rng(seed)
    made = [1 << j for j in range(62)]
    for i, j in random.integers(0, 62, (2000, 2)):
        if i != j:
            made[j] ^= made[i]
    permutation = Affine(tuple(made), 62, int(random.integers(1 << 62)))
    f = bmmc.factor(permutation, 31)
    assert isinstance(properties.check(f), Checked)
    x = random.integers(0, 1 << 62, 200)
    assert np.array_equal(f.W(x) >> 31, x >> 31)
    assert f.V(f.W(x)).tolist() == [
        multiply(permutation.columns, one) ^ permutation.c for one in x.tolist()
    ]
    b, k = 12345 % f.rounds, 987654321
    assert f.source(b, f.target(b, k)) == k


def matrix(*rows):
    """Return the linear map with these rows of text, bit 0 first."""
    return Affine.of(bit_matrix([[int(entry) for entry in row] for row in rows]))


def exchange(n, i, j):
    """Return the map that exchanges bits i and j."""
    columns = list(bmmc.identity(n).columns)
    columns[i], columns[j] = columns[j], columns[i]
    return Affine(tuple(columns), n)


def adding(n, *pairs):
    """Return the column-addition matrix that adds column i into column j for each pair."""
    columns = list(bmmc.identity(n).columns)
    for i, j in pairs:
        columns[j] |= 1 << i
    return Affine(tuple(columns), n)


def plain(permutation, p, **factors):
    """Return a factorization whose factors are identities but for these."""
    eye = bmmc.identity(permutation.bits)
    return bmmc.Factorization(
        permutation, p, **{"trailer": eye, "reducer": eye, "swapper": eye, **factors}
    )


SIMPLE = bmmc.identity(6)
CYCLE = Affine((2, 4, 1, 8, 16, 32), 6)
TWO_EQUAL = matrix("100", "010", "111")
NOT_LAST = matrix("001", "010", "100")
MUTANTS = {
    "a cycle of three columns is no exchange": (
        plain(SIMPLE, 2, swapper=CYCLE),
        "V W = A",
        "V W = ",
    ),
    "R adds what it has added": (
        plain(SIMPLE, 2, reducer=adding(6, (0, 1), (1, 2))),
        "V W = A",
        "V W = ",
    ),
    "T exchanges columns": (
        plain(SIMPLE, 2, trailer=exchange(6, 0, 1)),
        "forms of T, R, Pi, W",
        "T",
    ),
    "T adds into the left section": (
        plain(SIMPLE, 2, trailer=adding(6, (0, 1))),
        "forms of T, R, Pi, W",
        "T",
    ),
    "T adds within the right section": (
        plain(SIMPLE, 2, trailer=adding(6, (4, 5))),
        "forms of T, R, Pi, W",
        "T",
    ),
    "R adds into the right section": (
        plain(SIMPLE, 2, reducer=adding(6, (0, 5))),
        "forms of T, R, Pi, W",
        "R",
    ),
    "R adds from the right section": (
        plain(SIMPLE, 2, reducer=adding(6, (5, 0))),
        "forms of T, R, Pi, W",
        "R",
    ),
    "Pi exchanges with the right section": (
        plain(SIMPLE, 2, swapper=exchange(6, 0, 5)),
        "forms of T, R, Pi, W",
        "Pi",
    ),
    "Pi exchanges within the right section": (
        plain(SIMPLE, 2, swapper=exchange(6, 4, 5)),
        "forms of T, R, Pi, W",
        "Pi",
    ),
    "Pi adds": (plain(SIMPLE, 2, swapper=adding(6, (0, 1))), "forms of T, R, Pi, W", "Pi"),
    "R chains additions that cancel": (
        plain(SIMPLE, 2, reducer=adding(6, (0, 1), (0, 2), (1, 3), (2, 3))),
        "dependency restriction",
        "R",
    ),
    "R exchanges columns": (
        plain(SIMPLE, 2, reducer=exchange(6, 0, 1)),
        "dependency restriction",
        "R",
    ),
    "T is missing": (
        replace(bmmc.factor(bmmc.bit_reversal(4), 2), trailer=bmmc.identity(4)),
        "delta^ nonsingular",
        "delta^",
    ),
    "T adds one column of two": (
        replace(bmmc.factor(bmmc.bit_reversal(4), 2), trailer=adding(4, (0, 3))),
        "delta^ nonsingular",
        "delta^",
    ),
    "R is missing": (
        replace(bmmc.factor(TWO_EQUAL, 1), reducer=bmmc.identity(3)),
        "gamma^ reduced",
        "R",
    ),
    "Pi is missing": (
        replace(bmmc.factor(NOT_LAST, 1), swapper=bmmc.identity(3)),
        "basis gathered",
        "gamma^''",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_property_is_refused_by_its_name(name):
    mutant, wrong, witness = MUTANTS[name]
    verdict = properties.check(mutant)
    assert isinstance(verdict, Refuted)
    assert verdict.wrong == wrong
    assert verdict.counterexample.startswith(f"{wrong}: {witness}")


def test_every_property_has_a_mutant():
    named = (
        str(properties.check(bmmc.factor(SIMPLE, 2)))
        .split("section 4: ")[1]
        .rstrip(")")
        .split("; ")
    )
    assert {wrong for _, wrong, _ in MUTANTS.values()} == set(named)
    assert all(
        isinstance(properties.check(bmmc.factor(mutant.permutation, mutant.p)), Checked)
        for mutant, _, _ in MUTANTS.values()
    )


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("a cycle of three columns is no exchange", "V after W is not A"),
        ("T adds within the right section", "W leaves the rank"),
        ("Pi adds", ""),
        ("R is missing", "a message has two targets or another than equation 4"),
        ("Pi is missing", "a message has two targets or another than equation 4"),
    ],
)
def test_mutants_are_seen_element_by_element_where_they_do_harm(name, seen):
    assert first_broken(MUTANTS[name][0]) == seen


@pytest.mark.long
@given(permutations_over_ranks(6), st.data())
def test_factors_of_another_permutation_are_refused_or_serve_this_one_as_well(case, data):
    permutation, p = case
    assume(permutation.bits > 1)
    other = bmmc.factor(data.draw(permutations(permutation.bits)), p)
    mutant = replace(other, permutation=permutation)
    if isinstance(properties.check(mutant), Checked):
        assert first_broken(mutant) == ""


@pytest.mark.parametrize("p", [-1, 5])
def test_processor_bits_beyond_the_index_bits_are_refused(p):
    with pytest.raises(
        ValueError, match=f"p = {p} processor bits of n = 4 index bits: p lies between 0 and n"
    ):
        bmmc.factor(bmmc.bit_reversal(4), p)


def test_a_singular_matrix_is_not_factored():
    with pytest.raises(ValueError, match="rows 1, 2 add up to zero"):
        bmmc.factor(matrix("100", "011", "011"), 1)
    with pytest.raises(ValueError, match="not square"):
        bmmc.factor(Affine((1, 2), 3), 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [("21", 21), ("007", 7), ("0x15", 21), ("0XfF", None), ("0b10101", 21), ("-1", -1), ("0", 0)],
)
def test_a_complement_is_written_in_digits_or_after_0x_or_0b(text, value):
    if value is None:
        with pytest.raises(ValueError, match="or 0b10101; got '0XfF'"):
            complement(text)
    else:
        assert complement(text) == value


@pytest.mark.parametrize("text", ["", "five", "1.5", "0x", "0b2", "1_0", "٣", "9" * 5000, "0xg"])
def test_what_is_no_complement_is_refused(text):
    with pytest.raises(ValueError, match="must be an integer, such as 21, 0x15 or 0b10101; got"):
        complement(text)


def test_factor_takes_a_complement_in_other_bases_and_refuses_others_in_one_line(nodewright):
    for text, status in (("21", 0), ("0x15", 0), ("0b10101", 0), ("five", 2)):
        found, out, err = nodewright(
            "factor",
            "--name",
            "shuffle",
            "--bits",
            "6",
            "--processor-bits",
            "2",
            "--json",
            "--complement",
            text,
        )
        assert found == status
        assert (
            (json.loads(out)["c"] == 21)
            if status == 0
            else ("must be an integer, such as 21, 0x15 or 0b10101; got" in err)
        )
