"""BMMC permutations: factored and recognized."""

import numpy as np
import pytest

import nodewright as nw

MATRIX = [[0, 1, 1], [1, 0, 0], [0, 0, 1]]


def test_a_named_factorization_says_what_the_command_prints(same):
    found = nw.factor("bit-reversal", n=10, p=3, c=5)
    words = ("factor", "--name", "bit-reversal", "--bits", 10, "--processor-bits", 3)
    assert same(found.to_dict(), *words, "--complement", 5)
    assert found.verdict.holds


def test_a_factorization_in_a_layout_says_what_the_command_prints(same):
    found = nw.factor("transpose:3", n=8, p=2, layout="f:2")
    words = ("factor", "--name", "transpose:3", "--bits", 8, "--processor-bits", 2)
    assert same(found.to_dict(), *words, "--layout", "f:2")


def test_a_matrix_is_stated_by_rows_or_by_its_file(same, tmp_path):
    file = tmp_path / "A.npy"
    np.save(file, np.array(MATRIX))
    found = nw.factor(MATRIX, p=1)
    assert (
        found.to_dict()
        == nw.factor(file, p=1).to_dict()
        == nw.factor(np.array(MATRIX), p=1).to_dict()
    )
    assert found.permutation.matrix.tolist() == MATRIX
    assert same(found.to_dict(), "factor", "--matrix", file, "--bits", 3, "--processor-bits", 1)


def test_a_factorization_prints_matrices():
    shown = repr(nw.factor(MATRIX, p=1)).splitlines()
    assert shown[0] == "A = V W, n = 3, p = 1, c = 0, 1 message of 4 elements"
    assert [line[:6] for line in shown[1:]] == ["A:    ", ". 1 1 ", "1 . . ", ". . 1 "]


def test_every_message_reaches_its_rank():
    f = nw.factor("bit-reversal", n=6, p=2)
    assert (f.T, f.R, f.Pi) == (f.trailer, f.reducer, f.swapper)
    for k in range(4):
        assert [f.source(b, to) for b, to in enumerate(f.messages(k))] == [k] * f.rounds
    for wrong in (lambda: f.messages(4), lambda: f.target(0, 4), lambda: f.source(0, 4)):
        with pytest.raises(ValueError, match="rank must be an integer from 0 to 3; got 4"):
            wrong()
    with pytest.raises(ValueError, match="round must be an integer from 0 to 3; got -1"):
        f.target(-1, 0)


@pytest.mark.parametrize("targets", [[0, 4, 2, 6, 1, 5, 3, 7], [0, 1, 2, 3, 4, 5, 7, 6]])
def test_what_is_recognized_is_what_the_command_prints(same, tmp_path, targets):
    file = tmp_path / "p.npy"
    np.save(file, np.array(targets))
    assert same(nw.recognize(targets).to_dict(), "bmmc", file)
    assert nw.recognize(file) == nw.recognize(np.array(targets))


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: nw.factor("nope", n=4, p=2), "unknown permutation 'nope'"),
        (
            lambda: nw.factor("shuffle", p=2),
            "n is missing; give the number of index bits of 'shuffle'",
        ),
        (lambda: nw.factor("shuffle", n=0, p=0), "n = 0: the number of index bits"),
        (lambda: nw.factor(MATRIX, n=4, p=1), "a 3 x 3 matrix for permutations of 3 index bits"),
        (lambda: nw.factor([[1, 1], [1, 1]], p=1), "singular over GF"),
        (lambda: nw.factor("shuffle", n=3, p=4), "p lies between 0 and n"),
        (lambda: nw.factor("shuffle", n=3, p=1, c=8), "complement 8 does not fit 3 bits"),
        (lambda: nw.recognize([0, 1, 2]), "a BMMC permutation is a list of 2\\^n integers"),
    ],
)
def test_what_is_wrong_is_a_value_error_in_the_words_of_the_command(call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call()
