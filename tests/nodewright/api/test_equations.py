"""Equations of one's own and of the papers, exactly checked at one size."""

import re

import pytest

import nodewright as nw
from derive.symbolic import positive_integers

RIGHT = "F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)"
WRONG = "F(r*s) = F(r) (x) I(s) * T(r*s,r) * I(r) (x) F(s) * L(r*s,r)"


@pytest.mark.parametrize(("text", "kind"), [(RIGHT, "checked"), (WRONG, "refuted")])
def test_a_check_says_what_the_command_prints(same, text, kind):
    found = nw.check(nw.equation(text), r=2, s=4)
    assert (found.kind, found.holds, bool(found)) == (kind, kind == "checked", kind == "checked")
    assert (found.counterexample is None) == found.holds
    assert same(found.to_dict(), "check", "--formula", text, "--set", "r=2,s=4")


def test_an_equation_shows_its_formula():
    shown = "F(r*s) = F(r) (x) I(s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)"
    assert repr(nw.equation(RIGHT)) == f"Equation({shown!r})"
    assert type(nw.equation(RIGHT)).__name__ == type(nw.F(2) == nw.F(2)).__name__ == "Equation"
    assert "lambda" not in repr(nw.equations("fft", 64, 4))


def test_an_equation_of_symbolic_formulas_is_read_as_its_text():
    r, s = positive_integers("r s")
    stated = nw.equation(nw.L(r * s, r) @ nw.L(r * s, s) == nw.I(r * s))
    assert stated == nw.equation("L(r*s,r) * L(r*s,s) = I(r*s)")
    assert nw.check(stated, r=2, s=3)
    assert nw.prove(stated).kind == "proved"


def test_what_is_undecided_is_neither_true_nor_false():
    found = nw.prove("F(r*s) = F(r*s) * R(r*s) * R(r*s)", seconds=20)
    assert (found.kind, found.holds) == ("undecided", False)
    with pytest.raises(ValueError, match="neither true nor false"):
        bool(found)


@pytest.mark.parametrize(
    ("stated", "values", "complaint"),
    [
        ("F(8) = I(", {}, "column 10: "),
        ("F(n) = I(n)", {}, "n has no value"),
        (
            "F(n) = I(n)",
            {"n": 2, "k": 1},
            "the values: unknown symbol k; the symbols of the equation are n",
        ),
        ("F(n) = I(n)", {"n": 0}, "n is a size, which is an integer, at least 1"),
        (False, {}, "an equation must be a string"),
        (nw.F(4) == nw.I(4), {"n": 4}, "the values: unknown symbol n"),
    ],
)
def test_what_is_wrong_is_a_value_error_in_the_words_of_the_command(stated, values, complaint):
    with pytest.raises(ValueError, match=complaint):
        nw.check(stated, **values)


def test_sides_of_two_sizes_are_refused():
    with pytest.raises(ValueError, match="both sides of an equation must have the same size"):
        nw.equation(nw.F(8), nw.F(4))


@pytest.mark.parametrize(
    ("system", "options"), [("fft", {}), ("hypercube-fft", {"scheme": "5"}), ("fht", {})]
)
def test_the_equations_of_a_system_are_those_that_the_command_prints(same, system, options):
    found = nw.equations(system, 16, "2^2", **options)
    words = [f"--{name}={value}" for name, value in options.items()]
    equations = {"equations": [equation.to_dict() for equation in found]}
    assert same(equations, "formula", system, "--size", 16, "--ranks", 4, *words)
    assert all(nw.check(equation).holds for equation in found)


def test_the_equations_of_another_system_are_refused():
    with pytest.raises(ValueError, match="equations with sizes are printed for fft"):
        nw.equations("permute", 16, 4)


@pytest.mark.parametrize(
    ("system", "size", "ranks", "batch"),
    [
        ("fft", "1000", "2", {}),
        ("fft", "12x10x8", "2x2x1", {}),
        ("fft", "60", "2", {"batch": "4"}),
        ("rfft", "32", "2", {}),
    ],
)
def test_the_equation_of_any_size_is_the_one_that_check_prints(
    nodewright, same, system, size, ranks, batch
):
    words = ["--size", size, "--ranks", ranks, *(f"--{name}={n}" for name, n in batch.items())]
    (found,) = nw.equations(system, size, ranks, **batch)
    assert str(found) in nodewright("check", system, *words)[1].splitlines()[0]
    assert same({"equations": [found.to_dict()]}, "formula", system, *words)


@pytest.mark.parametrize(
    ("size", "ranks", "batch"),
    [
        ("12", "2", {"batch": "6"}),
        ("9", "3", {"batch": "5"}),
        ("12x10", "2", {}),
        ("12x8", "2", {}),
        ("4x2x3", "2", {"batch": "1"}),
        ("1x5", "1", {}),
    ],
)
def test_hartley_transforms_of_arrays_have_two_equations_that_are_typed_back(
    nodewright, same, size, ranks, batch
):
    words = ["--size", size, "--ranks", ranks, *(f"--{name}={n}" for name, n in batch.items())]
    fourier, hartley = nw.equations("fht", size, ranks, **batch)
    by_digits, supersteps = nodewright("check", "fht", *words)[1].splitlines()[:2]
    assert str(fourier) in by_digits and f" = {hartley.left} (all " in supersteps
    assert same({"equations": [fourier.to_dict(), hartley.to_dict()]}, "formula", "fht", *words)
    for equation in (fourier, hartley):
        verdict = nw.check(str(equation)).verdict
        assert verdict.holds and "all" in verdict.evidence and verdict.error == 0


@pytest.mark.parametrize(
    ("right", "wrong"), [("+ 1/2*i", "- 1/2*i"), ("J_4", "I_4"), ("J_2", "I_2")]
)
def test_a_wrong_equation_of_a_hartley_transform_is_refuted(right, wrong):
    text = str(nw.equations("fht", "5x3", 1)[1])
    assert right in text
    assert nw.check(text.replace(right, wrong, 1)).kind == "refuted"


def test_sizes_of_equations_may_be_tuples():
    assert nw.equations("fft", (12, 10), (2, 1)) == nw.equations("fft", "12x10", "2x1")


def test_formulas_of_permutations_have_no_batch(nodewright):
    words = ("permute", "--name", "shuffle", "--size", 8, "--ranks", 2, "--batch", 3)
    code, _, err = nodewright("formula", *words)
    assert code == 2 and "fft, fht, rfft, dct and dst have batches" in err


@pytest.mark.parametrize("system", ["fft", "fht", "hypercube-fft"])
def test_a_printed_equation_is_typed_back_unless_a_matrix_has_a_name_of_its_own(system):
    for equation in nw.equations(system, 16, 4):
        if re.search("Π|W_", str(equation)):
            with pytest.raises(ValueError, match="column"):
                nw.equation(str(equation))
            with pytest.raises(ValueError, match=r"^Equation\(.* cannot be written as text: at "):
                nw.prove(equation)
        else:
            assert nw.check(str(equation)).holds
