"""False equations that hold at all small sizes: none of them has terms that the kernel proves.

5040 j/n is a whole number for n up to 10, 12, 14, 15 and 16, so a diagonal of these phases is the
identity at the sizes that are compared.
"""

from __future__ import annotations

import pytest

from derive.text.elaborate import check
from derive.text.expressions import FormulaError, NotWhole
from derive.text.parse import parse, parse_relations
from derive.verdict import Proved, Refuted, holds
from proofs.prove.claimed import claim_of
from proofs.prove.equation_proofs import decide_for_all
from proofs.prove.proof_search import prove
from proofs.prove.translation.divisibility import Inexpressible


def D(n: str) -> str:
    """Return a diagonal that is the identity at small sizes, and not at 11."""
    return f"diag(j < {n}, 5040*j/{n})"


BLOCKS = f"({D('m')} (+) {D('n')})"
FALSE = [
    (f"{BLOCKS}^(-1) = {BLOCKS}", "", {"m": 11, "n": 1}),
    (f"{BLOCKS}^(-3) = {BLOCKS}^3", "", {"m": 11, "n": 1}),
    (f"{BLOCKS}^(-k) = {BLOCKS}^k", "", {"m": 11, "n": 1, "k": 1}),
    (f"({BLOCKS}^2)^(-1) = {BLOCKS}^2", "", {"m": 11, "n": 1}),
    (f"{BLOCKS}^(1-2) = {BLOCKS}", "", {"m": 11, "n": 1}),
    (f"{D('n')}^(2-5) = I(n)", "", {"n": 11}),
    (f"{D('n')}^(-2+1) = I(n)", "", {"n": 11}),
    (f"{D('n')}^(-(2-5)) = I(n)", "", {"n": 11}),
    (f"sum(k < 2, {D('n')}^(k-2)) = sum(k < 2, I(n))", "", {"n": 11}),
    (
        f"prod(k,0,n-m-2, {D('r')}) * {D('r')} = prod(k,0,n-m-1, {D('r')})",
        "n >= 1, n >= m",
        {"m": 1, "n": 1, "r": 11},
    ),
    (
        f"prod(k,0,n-m-2, {D('r')}) * {D('r')} = prod(k,0,n-m-1, {D('r')})",
        "n > 0, m <= n",
        {"m": 1, "n": 1, "r": 11},
    ),
]


@pytest.mark.sampled(3)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(("text", "where", "at"), FALSE)
def test_what_is_false_at_large_sizes_alone_is_not_proved(
    text: str, where: str, at: dict[str, int]
) -> None:
    sides = parse(text)
    assert isinstance(check(sides, at), Refuted)
    try:
        terms = claim_of(sides, parse_relations(where))[0]
    except Inexpressible:
        return
    assert prove(terms.left, terms.right) is None


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("(F(m) (+) F(n))^(-1) = inv(F(m)) (+) inv(F(n))", ""),
        ("inv((F(m) (+) F(n))^2) = F(m)^(-2) (+) F(n)^(-2)", ""),
        ("(F(m) (+) F(n))^(1-2) * (F(m) (+) F(n)) = I(m+n)", ""),
        ("F(n)^(1-3) * F(n)^(3-1) = I(n)", ""),
        ("prod(k,1,m, L(2^n,2)) = L(2^n,2^m)", "n >= 1, n >= m"),
        ("prod(k,1,m, L(2^n,2)) = L(2^n,2^m)", "n >= m, n >= 2, m >= 2"),
        ("prod(k,1,m, I(1)) (x) prod(k,1,n, L(2^n,2^(n-1))) = I(2^n)", "n >= 1, n >= m"),
    ],
)
def test_powers_below_0_and_two_lower_bounds_are_proved(text: str, where: str) -> None:
    found = decide_for_all(parse(text), parse_relations(where), 60)
    assert isinstance(found.verdict, Proved), found.verdict


@pytest.mark.parametrize(
    ("conditions", "value"),
    [
        ("n >= 3, n >= m", "n+m"),
        ("n >= 3, n >= m+3", "n+m+3"),
        ("n >= 3, n >= m+1, m >= 2", "n+m+3"),
        ("n >= 3, n >= m-1", "n+3"),
        ("n >= m, n >= m+1", "n+m"),
        ("n >= 1, n > 2, 4 <= n", "n+4"),
    ],
)
def test_the_larger_of_two_lower_bounds_is_taken_or_one_of_them(
    conditions: str, value: str
) -> None:
    terms = claim_of(parse("I(2^(m+n)) = I(2^(m+n))"), parse_relations(conditions))[0]
    assert str(terms.symbols.values["n"]) == value


@pytest.mark.long
def test_no_symbol_is_replaced_by_what_an_index_makes_whole() -> None:
    text = "prod(k,0,m-1, E(1,2^(n-k-1)) * E(2^(n-k-1),1)) = prod(k,0,m-1, 2^(n-k-1) * I(1))"
    with pytest.raises(Inexpressible, match="whole for some indices of its product only"):
        claim_of(parse(text), [])[0]
    found = decide_for_all(parse(text), parse_relations("n >= m"))
    assert str(found.verdict).endswith("where n >= m")


@pytest.mark.parametrize("a", ["-1", "1/2", "-n", "0*n"])
def test_each_square_root_is_that_of_a_size(a: str) -> None:
    text = f"sqrt({a})*sqrt({a}) * I(n) = ({a})^2/({a}+1) * I(n)"
    with pytest.raises(NotWhole):
        check(parse(text), {"n": 1})
    with pytest.raises(FormulaError, match="the argument of sqrt must be an integer >= 1"):
        decide_for_all(parse(text), [])


@pytest.mark.long
def test_products_and_quotients_of_square_roots_are_read_root_by_root() -> None:
    text = "sqrt(m)*sqrt(n) * I(2) = 1/sqrt(m)/sqrt(n) * (m*n) * I(2)"
    sides = parse(text)
    assert str(sides.left) == "sqrt(m) (x) sqrt(n) (x) I(2)"
    assert parse(str(sides)) == sides
    assert holds(check(sides, {"m": 6, "n": 10}))
    assert isinstance(decide_for_all(sides, []).verdict, Proved)


def test_a_product_of_no_factors_has_no_square_root() -> None:
    true, false = (
        parse("prod(k,3,1, sqrt(n)*F(n)) = I(n)"),
        parse("prod(k,3,1, sqrt(n)*I(n)) = I(n)"),
    )
    assert isinstance(decide_for_all(true, []).verdict, Proved)
    assert isinstance(decide_for_all(false, []).verdict, Proved)
    wrong = parse("prod(k,3,1, sqrt(n)*I(n)) = 1/sqrt(n) * I(n)")
    with pytest.raises(Inexpressible):
        claim_of(wrong, [])[0]


def test_a_symbol_with_the_name_of_an_index_keeps_its_own_sort() -> None:
    text = "diag(j < 2, k*j) * prod(k,1,2,I(2)) = I(2)"
    found = decide_for_all(parse(text), parse_relations("k <= 3"))
    assert isinstance(found.verdict, Refuted)
    assert found.values is not None
    assert found.values["k"].denominator > 1
    assert isinstance(
        decide_for_all(parse("I(k) (x) prod(k,1,n,I(2)) = I(2*k)"), []).verdict, Proved
    )


def test_a_digit_may_have_the_name_of_a_matrix_variable_and_an_index_may_not() -> None:
    found = decide_for_all(parse("a, b : n x 1; perm(a < n, a) * b = perm(b < n, b) * b"), [])
    assert isinstance(found.verdict, Proved)
    assert isinstance(
        decide_for_all(parse("a : n x 1; perm(a < n, a+1) * a = a"), []).verdict, Refuted
    )
    for text in ("a : n x n; sum(a < 2, a) = 2 * a", "a : n x n; prod(a,1,2, a) = a^2"):
        with pytest.raises(ValueError, match="a is a matrix variable and an index"):
            parse(text)
