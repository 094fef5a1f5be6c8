"""Programs of formulas of one's own, which are no factorizations of F(N)."""

import re

import numpy as np
import pytest

import nodewright as nw

CHIRP = "inv(F(n)) * diag(j < n, j^2/(2*n)) * F(n)"
HAAR = """let W(n) = (W(n-1) (+) I(2^(n-1))) * L(2^n,2) * I(2^(n-1)) (x) F(2), W(0) = I(1);
    I(m) (x) W(n)"""
UNEQUAL = "(F(3) (+) (F(2) (x) I(2) * T(4,2)) (+) I(1)) (x) I(4) * F(32)"
FORMULAS = [
    (CHIRP, 64, 4, {"n": 64}),
    ("inv(F(n)) * diag(j < n, j/n) * F(n)", 100, 2, {"n": 100}),
    ("F(m) (x) I(n)", 64, 4, {"m": 8, "n": 8}),
    ("I(2) (x) F(4) (x) I(8) * F(8) (x) I(8) * L(64,4)", 64, 4, {}),
    ("L(64,8) * T(64,8) * R(64) * diag(a < 8, b < 8, a*b/16)", 64, 4, {}),
    ("1/2 F(4) (x) I(16)", 64, 2, {}),
    ("perm(j < 16, 15*j + 15) * F(16)", 16, 4, {}),
    ("sqrt(2) (x) F(8) (x) I(8)", 64, 2, {}),
    ("F(r) (x) I(s) * I(r) (x) F(s) = F(r) (x) F(s)", 64, 4, {"r": 8, "s": 8}),
    ("F(m) (x) F(m) = F(m) (x) I(m) * I(m) (x) F(m)", 16, 4, {"m": 4}),
    ("I(16) = L(16,4) * L(16,4)", 16, 2, {}),
    ("let W(n) = F(2) (x) W(n-1), W(0) = I(1); W(n)", 64, 4, {"n": 6}),
    ("conj(F(16)) * inv(T(16,4)) * conj(diag(j < 16, j^2/16))", 16, 2, {}),
    ("I(64)", 64, 4, {}),
    (HAAR, 64, 4, {"m": 4, "n": 4}),
    (UNEQUAL, 32, 2, {}),
    ("I(2) (x) (conj(F(4)) (+) diag(j < 4, j/8))", 16, 2, {}),
    ("I(4) (x) ((L(6,2) (+) J(3)) (x) I(2) (+) (F(2) (+) I(1)) (x) I(2))", 96, 2, {}),
    ("I(2) (x) (1/2 inv(F(2)) (+) inv(F(4)))", 12, 2, {}),
]
TRIED = pytest.mark.parametrize(
    ("text", "N", "P", "at"), FORMULAS, ids=[row[0] for row in FORMULAS]
)


@pytest.mark.sampled(2)
@pytest.mark.sampled(10, rest="long")
@TRIED
def test_supersteps_are_the_formula(text: str, N: int, P: int, at: dict[str, int]) -> None:
    for layout in ("block", "cyclic"):
        assert nw.program(text, N, P, input=layout, **at).check().holds


@pytest.mark.sampled(4)
@pytest.mark.sampled(3, rest="long")
@TRIED
def test_a_program_is_the_matrix(text: str, N: int, P: int, at: dict[str, int]) -> None:
    program = nw.program(text, N, P, **at)
    x = np.random.default_rng(0).standard_normal((N, 2)) @ (1, 1j)
    assert np.allclose(program.run(x), program.request.formula.to_matrix() @ x)


@pytest.mark.sampled(4)
@pytest.mark.long
@TRIED
def test_its_certificate_holds(text: str, N: int, P: int, at: dict[str, int]) -> None:
    assert nw.program(text, N, P, **at).certify().holds


@pytest.mark.parametrize(
    ("left", "a", "b"),
    [("F(4) (x) F(4)", 4, 4), ("I(2) (x) F(8)", 1, 8), ("F(8) (x) I(2)", 8, 1), ("I(16)", 1, 1)],
)
def test_an_equation_is_of_a_fourier_transform_if_its_size_is_of_these_axes(left, a, b) -> None:
    program = nw.program(f"{left} = {left}", 16, 2)
    part = [np.fft.fft(np.eye(n)) for n in (a, b)]
    rest = np.eye(16 // (a * b))
    matrix = np.kron(np.kron(part[0], rest), part[1])
    assert program.request.system == "formula"
    assert np.allclose(program.request.formula.to_matrix(), matrix)
    assert program.check().holds


@pytest.mark.sampled(2)
@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize(("N", "P"), [(16, 2), (16, 4), (16, 8), (100, 2), (36, 6)])
def test_a_transform_that_no_rank_can_hold_is_in_parts(N: int, P: int) -> None:
    equation, alone = nw.program("F(N) = F(N)", N, P), nw.program(f"F({N})", N, P)
    assert equation.check().holds
    assert equation.certify().holds
    assert equation.cost().words == alone.cost().words
    assert equation.cost().exchanges == alone.cost().exchanges


@pytest.mark.parametrize(("size", "batch"), [((4, 4), None), (8, 2)])
@pytest.mark.parametrize("text", ["L(16,4) = L(16,4)", "I(2) (x) F(8)"])
def test_a_formula_computes_vectors_alone(text: str, size: object, batch: int | None) -> None:
    with pytest.raises(ValueError, match="computes vectors: give --size 16 alone"):
        nw.program(text, size, 2, batch=batch)


def test_a_product_of_the_axes_and_the_batch_is_a_fourier_transform() -> None:
    own = "F(4) (x) F(4) = F(4) (x) F(4)", "I(2) (x) F(8) = I(2) (x) F(8)"
    assert nw.program(own[0], (4, 4), 2).request.system == "fft"
    assert nw.program(own[1], 8, 2, batch=2).request.system == "fft"


@pytest.mark.long
def test_a_program_of_another_formula_is_refuted(tmp_path) -> None:
    file = tmp_path / "wrong.py"
    text = nw.program(CHIRP, 64, 4, n=64).text
    for old, new in (
        ("j^2/(2*64)", "j^2/64"),
        ("SIGN, SCALE = -1, 1 / 64", "SIGN, SCALE = -1, 1 / 32"),
    ):
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
        with_other = nw.certify(file)
        assert not with_other.holds


@pytest.mark.parametrize(
    ("text", "N", "P", "words"),
    [
        ("H(16)", 16, 2, "H_16 cannot be a step of a program; a factor must be"),
        ("F(2) (+) I(6)", 8, 2, r"^\(F_2 ⊕ I_6\): the 2 ranks cannot .*; try 1 rank with input = "),
        ("1/2 F(2) (+) I(2)", 4, 1, "terms must have the same number, here they have 1/2 and 1"),
        ("H(4) (+) I(2)", 6, 1, "H_4 cannot be a step of a program; a factor must be"),
        ("perm(j < 5, 2*j) (+) I(2)", 7, 1, "not a permutation of whole digits.* direct sum .* J"),
        ("F(64)", 32, 4, "64 x 64 matrix, and --size is 32"),
        ("F(13)", 13, 13, "F_13 combines 13 elements, but a rank holds 1"),
        ("diag(j < 16, j^3/16)", 16, 2, "polynomial of degree at most 2"),
        ("perm(j < 16, 3*j)", 16, 2, "not affine .* permutations of whole digits, such as L"),
        ("perm(j < 15, 2*j)", 15, 1, "not a permutation of whole digits, such as L"),
        ("H(2) = I(2)", 2, 1, "refuted"),
    ],
)
def test_what_cannot_be_lowered_is_named(text: str, N: int, P: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        nw.program(text, N, P)


@pytest.mark.parametrize(
    ("text", "N", "P"),
    [
        ("F(3) (x) F(4)", 12, 3),
        ("F(3) (x) F(4)", 12, 2),
        ("F(4) (x) F(9)", 36, 4),
        ("F(12)", 12, 3),
    ],
)
def test_ranks_and_layouts_that_are_offered_make_a_program(text: str, N: int, P: int) -> None:
    with pytest.raises(ValueError, match="; try ") as error:
        nw.program(text, N, P)
    offered = re.findall(r"(\d+) ranks? with input = ([\w-]+), output = ([\w-]+)", str(error.value))
    assert len(offered) == 2
    for ranks, before, after in offered:
        assert nw.program(text, N, int(ranks), input=before, output=after).check().holds


def test_a_formula_that_is_no_program_on_any_ranks_is_offered_none() -> None:
    with pytest.raises(ValueError, match=r"may be inv\(\.\.\) or have a number$"):
        nw.program("H(2) (+) I(6)", 8, 2)


@pytest.mark.sampled(6)
@pytest.mark.long
@pytest.mark.parametrize(
    "text", ["F(4) (x) I(4)", "1/2 F(16)", "I(4) (x) F(4) * T(16,4)", CHIRP, HAAR]
)
@pytest.mark.parametrize("kernels", ["pyfftw", pytest.param("numba", marks=pytest.mark.long)])
def test_a_program_with_other_kernels_is_the_matrix(text: str, kernels: str) -> None:
    at = {HAAR: {"m": 2, "n": 3}, CHIRP: {"n": 16}}.get(text, {})
    program = nw.program(text, 16, 2, kernels=kernels, **at)
    assert program.certify().holds
    x = np.random.default_rng(0).standard_normal((16, 2)) @ (1, 1j)
    assert np.allclose(program.run(x), program.request.formula.to_matrix() @ x)


@pytest.mark.long
@pytest.mark.parametrize("kernels", [pytest.param("numba", marks=pytest.mark.long), "pyfftw"])
def test_a_program_without_supersteps_is_the_identity(kernels: str) -> None:
    program = nw.program("I(16)", 16, 2, kernels=kernels)
    assert program.certify().holds
    assert np.array_equal(program.run(np.arange(16)), np.arange(16))
