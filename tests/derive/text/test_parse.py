"""Formulas as text: what is read, what is printed and read again, and what is refused, with its
column.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.exact.exact_check import claim, decide
from derive.formula.adjoints import conjugate, inverted, transposed
from derive.formula.grammar import Equation, Formula, I, direct_sum, kron, product
from derive.formula.permutation_matrices import J, L, R
from derive.formula.transforms import A, B, D, F, H, Omega, T
from derive.papers import bsp
from derive.text.elaborate import check, equation, formula
from derive.text.expressions import FormulaError, Name, NotWhole, Number, Operation, Size, negative
from derive.text.parse import parse, parse_formula, parse_relations, parse_values
from derive.text.syntax import (
    Added,
    Applied,
    DirectSum,
    Kron,
    Leaf,
    Ordered,
    Power,
    Product,
    Scaled,
    Sides,
    Text,
    leaf,
)
from derive.verdict import Checked, Refuted

names = st.sampled_from(["n", "r", "s", "N", "k1", "alpha", "r_1", "N_max"]).map(Name)
numbers = st.integers(0, 99).map(Number)
sizes = st.recursive(
    names | numbers,
    lambda inner: st.builds(Operation, st.sampled_from("+-*/^"), inner, inner),
    max_leaves=6,
)


def leaves(inner: st.SearchStrategy[object]) -> st.SearchStrategy[Leaf]:
    return st.one_of(
        st.builds(leaf, st.sampled_from(["I", "F", "H", "J", "R", "B"]), inner),
        st.builds(leaf, st.sampled_from(["L", "T", "S", "B", "A", "LH"]), inner, inner),
        st.builds(leaf, st.just("Gamma"), inner, inner, inner),
    )


def several(inner: st.SearchStrategy[Text]) -> st.SearchStrategy[tuple[Text, ...]]:
    return st.lists(inner, min_size=2, max_size=3).map(tuple)


def operators(inner: st.SearchStrategy[Text]) -> st.SearchStrategy[Text]:
    return st.one_of(
        st.builds(Product, several(inner)),
        st.builds(Kron, several(inner)),
        st.builds(DirectSum, several(inner)),
        st.builds(Applied, st.sampled_from(["inv", "transpose", "conj"]), inner),
        st.builds(Added, several(inner)),
        st.builds(Scaled, scalars, st.booleans(), inner),
        st.builds(Power, inner, numbers | names),
        st.builds(Ordered, st.sampled_from(["k", "j"]), sizes, sizes, inner),
    )


def fractions(inner: st.SearchStrategy[Size]) -> st.SearchStrategy[Size]:
    """Return quotients and products; a factor 1 before a matrix is not kept when it is read."""
    by = st.builds(Operation, st.sampled_from("*/"), inner, numbers | names)
    return by.filter(lambda each: (each.sign, each.left) != ("*", Number(1)))


scalars = st.one_of(
    numbers, names, fractions(numbers | names), fractions(numbers | names).map(negative)
)
texts = st.recursive(leaves(sizes), operators, max_leaves=8)


@pytest.mark.long
@given(texts, texts)
def test_what_a_tree_prints_is_read_as_this_tree(left: Text, right: Text) -> None:
    assert parse(str(Sides(left, right))) == Sides(left, right)


powers = st.sampled_from([2, 4, 8])


def matrices(n: int) -> tuple[Formula, ...]:
    return (
        F(n),
        H(n),
        J(n),
        R(n),
        I(n),
        L(n, 2),
        T(n, 2),
        B(n),
        A(2, n),
        Omega(n, Fraction(1, 3)),
        B(n, Fraction(1, 2)),
    )


whole = powers.flatmap(lambda n: st.sampled_from(matrices(n)))
built = st.recursive(
    whole,
    lambda inner: st.one_of(
        st.builds(kron, inner, inner),
        st.lists(inner, min_size=2, max_size=3).map(direct_sum),
        inner.map(lambda f: product([f, f])),
        inner.map(conjugate),
        inner.map(inverted),
        inner.map(transposed),
    ),
    max_leaves=4,
)


summed = built.map(
    lambda f: kron(I(2), transposed((2 - 1j) * f) + conjugate(f @ f / 3)) @ kron(-f, F(2))
)


@given(built | summed)
def test_what_the_program_prints_as_a_formula_can_be_typed_back_in(found: Formula) -> None:
    """Printing removes no parentheses that matter; nested sums and products may have been
    flattened.
    """
    again = formula(parse_formula(str(found)), {})
    assert str(again) == str(found)
    assert again.size == found.size


@pytest.mark.parametrize(("N", "P"), [(8, 2), (16, 4), (64, 4), (32, 8)])
def test_every_printed_equation_of_the_fft_can_be_typed_back_in(N: int, P: int) -> None:
    for printed in bsp.equations(N, P):
        found = equation(parse(str(printed)), {})
        assert (found.left, found.right) == (printed.left, printed.right)


NUMBERS = [
    ("F(2)^2 = 2 * I(2)", True),
    ("F(2)^-1 = 1/2 * F(2)", True),
    ("(F(3) (x) I(2))^4 = 9 I(6)", True),
    ("J(5)^0 = I(5)", True),
    ("L(8,2)^-2 = L(8,2)", True),
    ("H(5) = 1/2 * (F(5) + conj(F(5))) + i/2 * (F(5) - conj(F(5)))", True),
    ("H(5) = 1/2 * (F(5) + conj(F(5))) - i/2 * (F(5) - conj(F(5)))", False),
    ("conj(i * F(3)) = -i * conj(F(3))", True),
    ("conj(i * F(3)) = i * conj(F(3))", False),
    ("inv(2*i * F(3)) = -i/2 * inv(F(3))", True),
    ("F(3) - F(3) = 0 * I(3)", True),
    ("transpose(T(6,2) * F(6) + 3 * L(6,2)) = F(6) * T(6,2) + 3 * L(6,3)", True),
    ("transpose(T(6,2) * F(6) + 3 * L(6,2)) = F(6) * T(6,2) + 3 * L(6,2)", False),
    ("(F(2) + I(2)) (x) J(3) = F(2) (x) J(3) + I(2) (x) J(3)", True),
    ("1/3 * F(2) (+) F(3) = (1/3 * F(2)) (+) F(3)", True),
    ("1/3 * F(2) (+) F(3) = (1/3 * F(2)) (+) (1/3 * F(3))", False),
    ("(1 - i) * (1 + i) * F(3) = 2 * F(3)", True),
    ("(1 - i) * (1 - i) * F(3) = 2 * F(3)", False),
    ("(i*i) * I(1) = -I(1)", True),
    ("(i*i) * I(1) = I(1)", False),
    ("(-i) * F(3) = -i * F(3)", True),
    ("((1+i)/2 - i)^2 * F(2) = -i/2 * F(2)", True),
    ("((1+i)/2 - i)^2 * F(2) = i/2 * F(2)", False),
    ("conj((2 + 3*i) * sqrt(2) * F(3)) = sqrt(2) * (2 - 3*i) * conj(F(3))", True),
    ("conj((2 + 3*i) * sqrt(2) * F(3)) = sqrt(2) * (2 + 3*i) * conj(F(3))", False),
    ("prod(k,1,2, (1 + i) * F(2)) = 4*i * I(2)", True),
    ("prod(k,1,2, (1 + i) * F(2)) = 4 * I(2)", False),
]


@pytest.mark.parametrize(("text", "true"), NUMBERS)
def test_powers_numbers_and_sums_are_decided_exactly(text: str, true: bool) -> None:
    assert isinstance(check(parse(text), {}), Checked if true else Refuted)


def test_sums_bind_looser_than_direct_sums_and_numbers_as_tightly_as_products() -> None:
    assert parse_formula("F(2) (+) I(2) + I(4)") == parse_formula("(F(2) (+) I(2)) + I(4)")
    assert parse_formula("2 * F(2) * I(2) (+) J(2)") == parse_formula(
        "(2 * (F(2) * I(2))) (+) J(2)"
    )
    assert parse_formula("F(2)^2 (x) I(2)") == parse_formula("(F(2)^2) (x) I(2)")
    assert str(parse_formula("-i*r/2 F(2) - (n+1) (F_2)^2")) == ("-r/2*i * F(2) - (n+1) * F(2)^2")


LETTERS = [
    ("A : m x m, B : n x n; A (x) B = L(m*n,m) * B (x) A * L(m*n,n)", True),
    ("A : m x m, B : n x n; A (x) B = L(m*n,n) * B (x) A * L(m*n,m)", False),
    ("A : m x n, B : n x m; transpose(A * B) = transpose(B) * transpose(A)", True),
    ("A : n x n, B : n x n; transpose(A * B) = transpose(A) * transpose(B)", False),
    ("A, B : n x n; (A + B)^2 = A^2 + A*B + B*A + B^2", True),
    ("A, B : n x n; (A + B)^2 = A^2 + 2 * A*B + B^2", False),
    ("A, B : n x n; conj(A * B) = conj(A) * conj(B)", True),
    ("A, B : n x n; conj(A * B) = A * conj(B)", False),
    ("A : n x n; transpose(conj(A)) = conj(transpose(A))", True),
    ("A : n x n; transpose(conj(A)) = conj(A)", False),
    ("A : m x n, B : n x m; A * B (+) B * A = (A (+) B) * (B (+) A)", True),
    ("A : m x n; F(n) (x) A = F(n) (x) I(m) * I(n) (x) A", True),
]


@pytest.mark.parametrize(("text", "true"), LETTERS)
def test_equations_of_matrix_variables_are_decided_by_drawn_ones(text: str, true: bool) -> None:
    """A true one is no more than probable; a false one has matrices for which it fails."""
    found = check(parse(text), {"m": 2, "n": 3} if "m" in parse(text).symbols else {"n": 3})
    if true:
        assert isinstance(found, Checked) and 0 < found.error < 1e-9
        assert "random matrices for A" in found.evidence
    else:
        assert isinstance(found, Refuted) and ", A = [[" in found.counterexample


def test_matrix_variables_print_with_their_sizes_and_hide_other_matrices() -> None:
    text = "A : m x n, F : n x m; A * F = 2 * A * F - A * F"
    assert str(parse(text)) == text
    assert parse(str(parse("A, B : n x n; A = B"))) == parse("A : n x n, B : n x n; A = B")
    assert parse(text).to_latex() == (
        r"A \, F = 2 \, A \, F - A \, F, \quad A \in \mathbb{C}^{m \times n},"
        r" \quad F \in \mathbb{C}^{n \times m}"
    )
    assert str(equation(parse("A : m x n; A = A"), {"m": 2, "n": 3})) == "A : 2 x 3; A = A"


def test_two_sizes_do_not_fit_with_both_sizes_named() -> None:
    with pytest.raises(
        FormulaError, match="column 16: the 3 columns of A meet the 2 rows of A at m"
    ):
        equation(parse("A : m x n; A * A = A"), {"m": 2, "n": 3})
    with pytest.raises(FormulaError, match=r"A is 2 x 3 and transpose\(A\) is 3 x 2"):
        equation(parse("A : m x n; A = transpose(A)"), {"m": 2, "n": 3})
    with pytest.raises(NotWhole, match="n/2 = 3/2 at n = 3: the sizes in A : n/2 x n"):
        equation(parse("A : n/2 x n; A = A"), {"n": 3})


def test_products_bind_looser_than_kronecker_products_and_sums_looser_still() -> None:
    assert parse_formula("F(2) (x) I(4) * L(8,2)") == parse_formula("(F(2) (x) I(4)) * L(8,2)")
    assert parse_formula("F(2) (+) I(2) * J(2)") == parse_formula("F(2) (+) (I(2) * J(2))")
    assert parse_formula("F_2 ⊗ I_4") == parse_formula("F(2) (x) I(4)")
    assert parse_formula("F_2 L^2_1 J_2") == parse_formula("F(2) * L(2,1) * J(2)")
    assert str(parse_formula("I(2^n^m - (a - b) - c)")) == "I(2^n^m-(a-b)-c)"


REFUSED = [
    ("F(8)", 5, "'='"),
    ("F(8) = ", 7, "the end of the formula"),
    ("F(8 = F(8)", 5, "')'"),
    ("F = F(8)", 1, "without its size"),
    ("F(x) = F(8)", 1, "x cannot be a size symbol"),
    ("I(x) = I(8)", 1, "x cannot be a size symbol"),
    ("I(2^x) = I(8)", 5, "x cannot be a size symbol"),
    ("G(8) = F(8)", 1, "unknown matrix G"),
    ("F(8) = F(8) )", 13, "')'"),
    ("L(8) = F(8)", 1, "L takes 2 arguments, L(N, r); got 1"),
    ("F(8) $ F(8)", 6, "'$'"),
    ("F(4) = A x B", 8, "'A : m x n;' where it is a matrix variable; the Kronecker product is (x)"),
    ("F(4) = F(2) x I(2)", 13, "x is not a matrix; the Kronecker product is (x)"),
    ("F(4) = F(2) × I(2)", 13, "the Kronecker product is (x)"),
    ("A : n x n; A @ A = A", 14, "the product of matrices is * or a blank"),
    ("F(4) = F(2) \\otimes I(2)", 13, "the Kronecker product is (x)"),
    ("F(４) = F(4)", 3, "'４' has no meaning"),
    ("F(4) = F(٤)", 10, "'٤' has no meaning"),
    ("F(²) = F(2)", 3, "'²' has no meaning"),
    ("F(n²) = F(2)", 4, "'²' has no meaning"),
    ("F(n４) = F(4)", 4, "'４' has no meaning"),
    ("I(2) = Ⅷ(2)", 8, "'Ⅷ' has no meaning"),
    ("F(8) = F(2) (x) * I(4)", 17, "'*'"),
    ("F(8) = prod(3, 1, 2, F(8))", 13, "index"),
    ("F(8) = prod(k, 1, F(8))", 20, "','"),
    ("F(8) = L^8_2_2", 13, "two scripts"),
    ("F(8) = F(8) = F(8)", 13, "'='"),
    ("(" * 99 + "F(8)" + ")" * 99 + " = F(8)", 62, "parentheses"),
    ("I(" + "9" * 30 + ") = I(1)", 3, "30 digits"),
    ("F(8) = diag(F(4), F(4))", 19, "'...'"),
    ("F(8) = 2", 9, "a matrix"),
    ("A : m x n, A : n x n; A = A", 12, "A : n x n and A : m x n: a matrix variable has one size"),
    ("A : n x n; A(n) = A", 12, "stands without sizes"),
    ("n : n x n; n = n", 1, "n is a matrix variable and a size"),
    ("A : n; A = A", 6, "'x'"),
    ("A : n x n A = A", 11, "';'"),
    ("A, : n x n; A = A", 4, "the name"),
    ("prod : n x n; A = A", 1, "the name"),
    ("A : n x n; A = C", 17, "a matrix"),
    ("F(8) = 2 (x) F(4)", 10, "'(x)'"),
    ("F(8) = F(4) * 2", 15, "a matrix"),
    ("F(8) = 1/i * F(8)", 10, "without i"),
    ("F(8) = prod(i, 1, 3, i * F(8))", 22, "imaginary"),
    ("F(8) = 1/(1+i) * F(8)", 10, "without i"),
    ("F(8) = sum(i < 8, (1 - i) * F(8))", 24, "name the size i otherwise"),
    ("F(8) = 2^i * F(8)", 8, "name the size i otherwise"),
    ("F(8) = sqrt(i) * F(8)", 13, "name the size i otherwise"),
    ("F(8) = F(8)^", 13, "a size"),
    ("F(8) = F(8) +", 14, "a matrix"),
    ("F(8) = (1/2) (+) F(8)", 14, "'(+)'"),
]


@pytest.mark.parametrize(("text", "column", "why"), REFUSED)
def test_what_is_no_formula_is_refused_at_its_column(text: str, column: int, why: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert str(caught.value).startswith(f"column {column}: ")
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text(alphabet="FILT()x+*=_^{}0123nN,/ -⊗", max_size=30))
def test_every_text_that_is_no_formula_is_refused_with_a_column(text: str) -> None:
    with pytest.raises(FormulaError, match=r"column [0-9]+: "):
        parse(text + " = $")


def test_sizes_that_do_not_fit_name_both_factors_and_their_sizes() -> None:
    with pytest.raises(
        FormulaError,
        match=r"column 31: the 8 columns of F\(r\) \(x\) I\(s\) meet the 2 rows of T\(",
    ) as caught:
        equation(
            parse("F(r*s) = I(8)*F(r) (x) I(s) * T(r,r)"), {"r": Fraction(2), "s": Fraction(4)}
        )
    assert "NotWhole" not in type(caught.value).__name__


def test_sides_of_different_sizes_are_refused() -> None:
    with pytest.raises(
        FormulaError, match=r"F\(n\) is 4 x 4 and F\(2\*n\) is 8 x 8 at n = 4: both sides"
    ):
        equation(parse("F(n) = F(2*n)"), {"n": 4})


@pytest.mark.parametrize(
    ("text", "at", "why"),
    [
        ("F(n/3) = F(n/3)", {"n": 7}, "n/3 = 7/3 at n = 7"),
        ("F(n-4) = F(1)", {"n": 4}, "n-4 = 0 at n = 4"),
        ("L(n,4) = I(n)", {"n": 6}, "6 is not divisible by 4"),
        ("R(n) = I(n)", {"n": 6}, "power of two"),
        ("B(n) = I(n)", {"n": 3}, "3 is not divisible by 2"),
    ],
)
def test_a_size_that_is_not_whole_is_refused_with_the_values(
    text: str, at: dict[str, int], why: str
) -> None:
    with pytest.raises(NotWhole) as caught:
        equation(parse(text), at)
    assert why in str(caught.value)


def test_a_symbol_without_a_value_is_named() -> None:
    with pytest.raises(FormulaError, match="r, s have no value"):
        check(parse("F(r*s) = F(r) (x) F(s)"), {})


def test_values_and_conditions_are_read() -> None:
    assert parse_values("n=4, r=2^n") == {"n": 4, "r": 16}
    assert parse_values("s = N/r", {"N": Fraction(8), "r": Fraction(2)})["s"] == 4
    assert [relation for _, relation, _ in parse_relations("n >= 1, r < 2, N = r*s")] == [
        ">=",
        "<",
        "=",
    ]
    for wrong in ("n", "n=", "n=1,n=2", "2=n", "n=1,"):
        with pytest.raises(FormulaError):
            parse_values(wrong)


def test_values_are_for_symbols_of_an_equation_or_of_other_values() -> None:
    assert parse_values("m = 3, n = 2*m", sides=parse("I(n) = I(n)"))["n"] == 6
    with pytest.raises(
        FormulaError, match="the values: unknown symbol zz; the symbols of the equation are n"
    ):
        parse_values("n = 2, zz = 3", sides=parse("I(n) = I(n)"))
    with pytest.raises(FormulaError, match="n = two: two has no value before it"):
        parse_values("n = two")


TRUE = [
    ("F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)", {"r": 3, "s": 5}),
    ("F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)", {"r": 32, "s": 32}),
    ("F(2^n) = prod(k, 0, n-1, I(2^k) (x) B(2^(n-k))) * R(2^n)", {"n": 5}),
    ("H(2^n) = prod(k, 0, n-1, I(2^k) (x) BH(2^(n-k))) * R(2^n)", {"n": 5}),
    ("inv(F(n)) * F(n) = I(n)", {"n": 12}),
    ("conj(F(n)) * F(n) = F(n) * conj(F(n))", {"n": 6}),
    ("H(n) * inv(H(n)) = I(n)", {"n": 8}),
    ("H(n) * H(n) = F(n) * conj(F(n))", {"n": 8}),
    ("J(n) * J(n) = I(n)", {"n": 7}),
    ("inv(A(4, 8, 1/3)) * A(4, 8, 1/3) = I(8)", {}),
    ("transpose(D(8, 1/2)) = transpose(I(2) (x) B(4, 1/2)) * transpose(B(8, 1/2))", {}),
    ("J(2*n) * (L(n, 2) (+) I(n)) * J(2*n) = I(n) (+) L(n, 2)", {"n": 4}),
    ("prod(k, 3, 2, F(8)) = I(8)", {}),
]


@pytest.mark.parametrize(("text", "at"), TRUE)
def test_true_equations_are_checked(text: str, at: dict[str, int]) -> None:
    verdict = check(parse(text), at)
    assert isinstance(verdict, Checked), verdict
    assert verdict.error < 1e-3


MUTANTS = [
    "F(r*s) = F(r) (x) I(s) * T(r*s,r) * I(r) (x) F(s) * L(r*s,r)",
    "F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,s)",
    "F(r*s) = I(r) (x) F(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)",
    "F(r*s) = F(r) (x) I(s) * I(r) (x) F(s) * L(r*s,r)",
    "F(r*s) = F(r) (x) I(s) * conj(T(r*s,s)) * I(r) (x) F(s) * L(r*s,r)",
    "F(r*s) = conj(F(r)) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)",
    "F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * inv(L(r*s,r))",
    "F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) H(s) * L(r*s,r)",
    "F(r*s) = inv(F(r)) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)",
    "H(r*s) = F(r*s)",
    "J(r*s) = F(r*s) * F(r*s)",
]


@pytest.mark.parametrize("text", MUTANTS)
@pytest.mark.parametrize(("r", "s"), [(3, 5), (4, 8), (64, 32)])
def test_false_equations_are_refuted_at_small_and_large_sizes(text: str, r: int, s: int) -> None:
    assert isinstance(check(parse(text), {"r": r, "s": s}), Refuted)


def test_a_large_false_equation_is_refuted_by_random_vectors() -> None:
    assert isinstance(
        check(parse("F(2^16) = F(2^8) (x) I(2^8) * I(2^8) (x) F(2^8) * L(2^16, 2^8)"), {}), Refuted
    )
    assert isinstance(
        check(
            parse("F(2^16) = F(2^8) (x) I(2^8) * T(2^16, 2^8) * I(2^8) (x) F(2^8) * L(2^16, 2^8)"),
            {},
        ),
        Checked,
    )


def test_the_multiples_that_make_entries_whole_are_the_same_on_both_sides() -> None:
    """2 H on one side and H on the other would be equal if the multiples were lost."""
    assert isinstance(check(parse("H(2) (x) H(2) = H(2) (x) F(2)"), {}), Checked)
    assert isinstance(check(parse("inv(F(2)) = F(2)"), {}), Refuted)
    assert isinstance(check(parse("inv(F(2)) (+) F(2) = F(2) (+) F(2)"), {}), Refuted)
    assert isinstance(check(parse("H(4) (+) I(4) = H(4) (+) I(2) (x) I(2)"), {}), Checked)


@pytest.mark.parametrize(
    "leaf",
    [
        F(4),
        H(4),
        T(8, 2),
        B(4, Fraction(1, 3)),
        D(4),
        A(2, 8),
        R(8),
        L(8, 2),
        Omega(4, Fraction(1, 2)),
        J(4),
    ],
)
def test_the_inverse_of_every_matrix_undoes_it(leaf: Formula) -> None:
    for left, right in (
        (inverted(leaf) @ leaf, I(leaf.size)),
        (transposed(transposed(leaf)), leaf),
        (conjugate(conjugate(leaf)), leaf),
    ):
        assert isinstance(decide(claim(Equation("", "", left, right))), Checked)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("F(r_1*s_2) = L(r_1*s_2, r_1)", "F(r_1*s_2) = L(r_1*s_2, r_1)"),
        ("F_{N_1} = L^{N_1}_{r_1}", "F(N_1) = L(N_1, r_1)"),
        (
            "prod(k_1, 1, n_a_2, I(2^k_1)) = I(2^n_a_2)",
            "prod(k_1, 1, n_a_2, I(2^k_1)) = I(2^n_a_2)",
        ),
        ("L_r^N = L^N_r", "L(N, r) = L(N, r)"),
    ],
)
def test_a_symbol_may_have_subscripts(text: str, read: str) -> None:
    assert str(parse(text)) == read
    assert parse_values("r_1 = 4, s = r_1*2") == {"r_1": 4, "s": 8}


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("F(r_) = I(r)", 4),
        ("F(r _1) = I(r)", 5),
        ("F(r__1) = I(r)", 4),
        ("F(r_1a) = I(r)", 6),
        ("F(_1) = I(r)", 3),
    ],
)
def test_a_subscript_that_is_none_is_refused_with_its_column(text: str, column: int) -> None:
    with pytest.raises(FormulaError, match=f"^column {column}: "):
        parse(text)
