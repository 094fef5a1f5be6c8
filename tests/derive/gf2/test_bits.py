"""Bit matrices and affine maps, against galois, against sums done bit by bit, and against what the
paper says of column bases.
"""

from __future__ import annotations

import tracemalloc
from functools import reduce
from itertools import product
from operator import xor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.fields import over_gf2
from derive.gf2.bits import (
    Affine,
    bit_matrix,
    column_basis,
    column_echelon,
    inverse,
    pack,
    picture,
    rank,
    span,
    spans,
    unpack,
)
from derive.gf2.elimination import by_galois
from derive.gf2.matrix_files import read_matrix
from tests.support.strategies import columns, invertible, multiply, permutations

SIZES = st.integers(1, 12)
MATRICES = st.tuples(SIZES, SIZES).flatmap(
    lambda shape: st.tuples(columns(*shape), st.just(shape[1]))
)
SQUARE = SIZES.flatmap(lambda n: columns(n, n))
INVERTIBLE = SIZES.flatmap(invertible)


def entries(packed, rows):
    """Return packed columns as lists of rows, without numpy."""
    return [[column >> i & 1 for column in packed] for i in range(rows)]


def subset(packed, mask):
    """Return the sum of the columns that a mask chooses."""
    return reduce(xor, [column for i, column in enumerate(packed) if mask >> i & 1], 0)


@given(MATRICES)
def test_packed_columns_hold_row_i_at_bit_i(matrix):
    packed, rows = matrix
    found = unpack(packed, rows)
    assert type(found) is type(over_gf2(np.eye(1, dtype=int)))
    assert found.tolist() == entries(packed, rows)
    assert pack(over_gf2(entries(packed, rows))) == packed


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 63, 64, 65, 200])
def test_columns_of_every_height_are_packed(rows):
    packed = (1 << rows - 1, (1 << rows) - 1, 0)
    assert pack(unpack(packed, rows)) == packed
    assert unpack(packed, rows)[rows - 1].tolist() == [1, 1, 0]


@given(MATRICES)
def test_the_rank_is_that_of_galois(matrix):
    packed, rows = matrix
    assert rank(unpack(packed, rows)) == int(np.linalg.matrix_rank(over_gf2(entries(packed, rows))))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_a_matrix_without_entries_has_rank_zero(shape):
    assert rank(over_gf2(np.zeros(shape, int))) == 0


@given(INVERTIBLE)
def test_the_inverse_is_that_of_galois_and_undoes_every_index(packed):
    n = len(packed)
    found = inverse(unpack(packed, n))
    assert found.tolist() == np.linalg.inv(over_gf2(entries(packed, n))).tolist()
    assert [multiply(pack(found), multiply(packed, 1 << j)) for j in range(n)] == [
        1 << j for j in range(n)
    ]


def named_rows(error):
    """Return the rows that a message names."""
    return [int(row) for row in str(error).split("rows ")[1].split(" add up")[0].split(", ")]


@given(SQUARE)
def test_a_singular_matrix_is_refused_by_rows_that_add_up_to_zero(packed):
    n = len(packed)
    matrix = entries(packed, n)
    if rank(over_gf2(matrix)) == n:
        assert rank(inverse(over_gf2(matrix))) == n
        return
    with pytest.raises(
        ValueError, match=f"the {n} x {n} matrix is singular over GF.2.: rows .* add up to zero"
    ) as caught:
        inverse(over_gf2(matrix))
    rows = named_rows(caught.value)
    assert len(rows) == len(set(rows)) > 0
    assert [sum(matrix[i][j] for i in rows) % 2 for j in range(n)] == [0] * n


def test_rows_that_add_up_to_zero_are_named():
    with pytest.raises(
        ValueError, match=r"4 x 4 matrix is singular over GF\(2\): rows 0, 2, 3 add up to zero"
    ):
        inverse(bit_matrix([[1, 1, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1]]))


def test_a_matrix_that_is_not_square_has_no_inverse():
    with pytest.raises(ValueError, match="a 2 x 3 matrix has no inverse: it is not square"):
        inverse(bit_matrix([[1, 0, 0], [0, 1, 0]]))


@given(MATRICES)
def test_the_column_basis_is_a_basis_that_prefers_columns_on_the_right(matrix):
    packed, rows = matrix
    basis, _ = column_basis(packed)
    assert list(basis) == sorted(basis)
    greedy = [
        j
        for j in range(len(packed))
        if rank(unpack(packed[j:], rows))
        > (rank(unpack(packed[j + 1 :], rows)) if packed[j + 1 :] else 0)
    ]
    assert list(basis) == greedy


@given(MATRICES)
def test_every_column_is_the_sum_of_the_basis_columns_that_it_depends_on(matrix):
    packed, _ = matrix
    basis, depends = column_basis(packed)
    assert len(depends) == len(packed)
    for j, on in enumerate(depends):
        members = [i for i in range(len(packed)) if on >> i & 1]
        assert on >> len(packed) == 0
        assert set(members) <= set(basis)
        if j in basis:
            assert on == 0
        else:
            assert all(i > j for i in members)
            assert subset(packed, on) == packed[j]


def test_from_the_left_the_basis_would_be_another():
    assert column_basis((1, 1, 2))[0] == (1, 2)


@given(MATRICES)
def test_a_column_echelon_form_is_reduced_and_says_how_it_was_made(matrix):
    packed, rows = matrix
    echelon, made = column_echelon(packed)
    assert len(echelon) == len(made) == rank(unpack(packed, rows))
    leads = [e.bit_length() - 1 for e in echelon]
    assert leads == sorted(set(leads))
    assert all(
        (e >> lead & 1) == (i == k) for i, e in enumerate(echelon) for k, lead in enumerate(leads)
    )
    assert [subset(packed, g) for g in made] == list(echelon)


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(columns(4, n), st.just(n))))
def test_columns_span_exactly_their_sums(matrix):
    packed, n = matrix
    sums = {subset(packed, mask) for mask in range(1 << len(packed))}
    assert {v for v in range(1 << n) if spans(packed, v)} == sums


@given(columns(4, 6), st.lists(st.integers(0, 63)))
def test_several_vectors_are_sums_where_each_of_them_is(packed, vectors):
    assert spans(packed, *vectors) == all(spans(packed, vector) for vector in vectors)


@given(columns(6, 9), st.integers(0, 511))
def test_a_span_lists_the_images_of_all_indices(packed, c):
    assert (span(packed) ^ c).tolist() == [multiply(packed, x) ^ c for x in range(1 << 6)]


def test_a_picture_has_the_least_significant_bit_at_the_top_left():
    assert picture(unpack((1, 3, 4), 3)) == "1 1 .\n. 1 .\n. . 1"


AFFINE_PAIRS = SIZES.flatmap(
    lambda n: st.tuples(permutations(n), permutations(n), st.integers(0, (1 << n) - 1))
)


@given(AFFINE_PAIRS)
def test_a_composition_applies_the_right_map_first(pair):
    second, first, x = pair
    both = second @ first
    assert (
        both(x)
        == second(first(x))
        == multiply(second.columns, multiply(first.columns, x) ^ first.c) ^ second.c
    )
    # Lemma 1: A'' = A' A and c'' = A' c + c'.
    assert both.columns == tuple(multiply(second.columns, column) for column in first.columns)
    assert both.c == multiply(second.columns, first.c) ^ second.c


@pytest.mark.long
@given(AFFINE_PAIRS)
def test_an_inverse_has_the_inverse_matrix_and_its_image_of_the_complement(pair):
    map_, _, x = pair
    back = map_.inverse()
    assert back(map_(x)) == map_(back(x)) == x
    assert back.columns == pack(np.linalg.inv(over_gf2(entries(map_.columns, map_.rows))))
    assert back.c == multiply(back.columns, map_.c)


def test_maps_of_different_widths_do_not_compose():
    with pytest.raises(ValueError, match="a map of 3 bits cannot follow one that yields 2 bits"):
        Affine.identity(3) @ Affine.identity(2)


@given(
    st.tuples(st.integers(1, 30), st.integers(1, 30)).flatmap(
        lambda shape: st.tuples(columns(*shape), st.just(shape[1]), st.randoms())
    )
)
def test_an_array_is_mapped_as_its_integers_are(case):
    packed, rows, random = case
    map_ = Affine(packed, rows, random.randrange(1 << rows))
    x = [random.randrange(1 << len(packed)) for _ in range(50)]
    assert (
        map_(np.array(x)).tolist()
        == [map_(one) for one in x]
        == [multiply(packed, one) ^ map_.c for one in x]
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.uint64, np.int64])
def test_indices_of_every_integer_type_and_shape_are_mapped(dtype):
    gray = Affine(tuple(1 << j | (1 << j >> 1) for j in range(6)), 6, 5)
    x = np.arange(64, dtype=dtype).reshape(4, 16)
    assert gray(x).dtype == np.int64
    assert gray(x).tolist() == [[i ^ i >> 1 ^ 5 for i in row] for row in x.tolist()]
    assert gray(np.array([], dtype)).shape == (0,)


def test_indices_of_62_bits_are_mapped_and_more_are_refused_in_arrays_only():
    wide = Affine(tuple(1 << 61 - j for j in range(62)), 62)
    assert wide(np.array([1, 1 << 61])).tolist() == [1 << 61, 1]
    wider = Affine(tuple(1 << 62 - j for j in range(63)), 63)
    assert wider(1) == 1 << 62
    with pytest.raises(ValueError, match="arrays hold indices of at most 62 bits, not 63"):
        wider(np.array([1]))


def test_all_of_2_to_the_24_indices_are_mapped_without_an_array_of_their_bits():
    n = 24
    # Exchanges, then additions along a chain: invertible, dense, and with a complement.
    packed = tuple(
        (1 << j * 7 % n)
        ^ ((1 << (j + 1) * 7 % n) if j + 1 < n else 0)
        ^ ((1 << (j + 2) * 7 % n) if j + 2 < n else 0)
        for j in range(n)
    )
    map_ = Affine(packed, n, 0xABCDEF)
    x = np.arange(1 << n)
    map_(x[:1])  # makes the tables
    tracemalloc.start()
    y = map_(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * y.nbytes
    some = np.random.default_rng(0).integers(0, 1 << n, 2000).tolist() + [0, (1 << n) - 1]
    assert y[some].tolist() == [multiply(packed, i) ^ map_.c for i in some]
    seen = np.zeros(1 << n, bool)
    seen[y] = True
    assert seen.all()


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([[1, 2], [0, 1]], "entry 2 in row 0, column 1: a bit matrix has entries 0 and 1 only"),
        ([[1, 0], [-1, 1]], "entry -1 in row 1, column 0"),
        ([[0.5]], r"entry 0\.5 in row 0, column 0"),
        ([[float("nan")]], "entry nan"),
        ([1, 0], r"a bit matrix has rows and columns, not shape \(2,\)"),
        ([[[1]]], r"not shape \(1, 1, 1\)"),
    ],
)
def test_entries_other_than_zero_and_one_are_refused_with_their_place(rows, complaint):
    with pytest.raises(ValueError, match=complaint):
        bit_matrix(rows)


@pytest.mark.parametrize(
    ("columns", "rows", "c", "complaint"),
    [
        ((1, 4), 2, 0, "column 1 = 4 does not fit 2 rows"),
        ((-1,), 1, 0, "column 0 = -1 does not fit 1 rows"),
        ((1, 2), 2, 4, r"complement 4 does not fit 2 bits; it must be from 0 to 3"),
        ((1, 2), 2, -1, "complement -1 does not fit"),
    ],
)
def test_maps_that_do_not_fit_their_rows_are_refused(columns, rows, c, complaint):
    with pytest.raises(ValueError, match=complaint):
        Affine(columns, rows, c)


def test_a_matrix_file_has_row_i_on_line_i_and_column_j_at_character_j(tmp_path):
    (tmp_path / "a.txt").write_text("110\n010\n011\n", encoding="utf-8")
    assert pack(read_matrix(tmp_path / "a.txt")) == (1, 7, 4)
    np.save(tmp_path / "a.npy", np.array([[1, 1, 0], [0, 1, 0], [0, 1, 1]]))
    assert pack(read_matrix(tmp_path / "a.npy")) == (1, 7, 4)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("10\n012\n", "'2' in row 1, column 2: a bit matrix has entries 0 and 1 only"),
        ("10\n0x\n", "'x' in row 1, column 1"),
        (
            "101\n010\n",
            "row 0 has 3 entries in a file of 2 rows: the matrix is n lines of n characters",
        ),
        ("10\n01\n11\n", "row 0 has 2 entries in a file of 3 rows"),
        ("10\n0\n", "row 1 has 1 entries in a file of 2 rows"),
        ("", "no rows"),
        ("\n \n", "no rows"),
    ],
)
def test_matrix_files_of_another_form_are_refused_with_their_name(tmp_path, text, complaint):
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=complaint) as caught:
        read_matrix(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("array", "complaint"),
    [
        (np.ones((2, 3)), r"shape \(2, 3\): the matrix of a permutation is square"),
        (np.ones(4), r"not shape \(4,\)"),
        (np.full((2, 2), 3), "entry 3 in row 0, column 0"),
        (np.array([["1"]]), "entries of type <U1: a bit matrix has entries 0 and 1 only"),
        (np.array([[1j]]), "entries of type complex128"),
        (np.array([[{}]], dtype=object), "pickle"),
        (np.zeros((2, 2), dtype=[("a", int)]), "entries 0 and 1 only"),
    ],
)
def test_arrays_in_files_of_another_form_are_refused_with_their_name(tmp_path, array, complaint):
    path = tmp_path / "a.npy"
    np.save(path, array, allow_pickle=True)
    with pytest.raises(ValueError, match=complaint) as caught:
        read_matrix(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("name", "octets"), [("a.npy", b"10\n01\n"), ("a.npy", b""), ("a.txt", b"\xff\xfe")]
)
def test_files_of_another_kind_are_refused_with_their_name(tmp_path, name, octets):
    (tmp_path / name).write_bytes(octets)
    with pytest.raises(ValueError, match=str(tmp_path / name)):
        read_matrix(tmp_path / name)


def test_a_missing_matrix_file_is_an_error_of_the_file_system(tmp_path):
    for name in ("a.txt", "a.npy"):
        with pytest.raises(FileNotFoundError):
            read_matrix(tmp_path / name)


def test_rows_of_different_lengths_are_no_matrix():
    with pytest.raises(
        ValueError, match="rows of 1 and 2 entries: a bit matrix is a rectangle of zeros and ones"
    ):
        bit_matrix([[1, 0], [1]])


def test_the_elimination_is_that_of_galois_row_reduction() -> None:
    for packed in product(range(8), repeat=3):
        assert by_galois(packed, 3) == column_basis(packed)
    rng = np.random.default_rng(0)
    for n in (4, 9, 17):
        packed = tuple(rng.integers(0, 1 << n - 1, n).tolist())
        assert by_galois(packed, n) == column_basis(packed)
