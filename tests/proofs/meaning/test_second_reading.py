"""The second reading of a text, compared with what the kernel proves: it agrees with the first one
where this is right, and finds what is wrong in the translation.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from derive.formula.named_matrices import MATRICES
from derive.text.elaborate import check, formula
from derive.text.expressions import FormulaError, is_negative, negative, number
from derive.text.parse import parse, parse_formula, parse_relations
from derive.text.sorts import indices_of_products, naturals_and_reals, size_names
from derive.text.syntax import DirectSum, Leaf, Power, Sides, Text
from proofs.kernel.kernel_rules import assume
from proofs.kernel.numbers import nat
from proofs.meaning.comparison import Compared, compare
from proofs.meaning.named_values import Matrix, Named
from proofs.meaning.random_field import NoValue, RandomField
from proofs.meaning.text_values import TextReading
from proofs.prove import equation_proofs
from proofs.prove.claimed import claim_of
from proofs.prove.equation_proofs import decide_for_all
from proofs.prove.small_sizes import Tried
from proofs.prove.translation import translate
from proofs.prove.translation.symbols import Symbols
from proofs.prove.translation.translator import Translator
from tests.support.translation_mutants import MUTANTS, mutated


def of_terms(equation: str, where: str = "") -> Compared:
    """Compare an equation with its translation, as a theorem that assumes it."""
    terms, claim = claim_of(parse(equation), parse_relations(where))
    return compare(claim, assume(terms.left, terms.right))


@pytest.mark.sampled(3)
@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("mutant", range(len(MUTANTS)))
def test_a_mutant_of_the_translation_is_caught(mutant: int) -> None:
    module, old, new, equation, *where = MUTANTS[mutant]
    with mutated(module, old, new):
        found = of_terms(equation, *where)
    right = of_terms(equation, *where)
    assert right.sizes and not right.difference, right
    assert found.difference, f"{module}: {new}"


def test_there_are_mutants_of_every_module() -> None:
    assert len(MUTANTS) >= 60
    assert {module for module, *_ in MUTANTS} == {
        "divisibility",
        "matrix_terms",
        "readings",
        "square_roots",
        "rows",
        "splits",
        "sum_terms",
        "symbols",
        "translate",
        "translator",
        "derive.text.definitions",
    }


def without_sign(self: Translator, text: Power) -> Power:
    """Read every power as one of a positive exponent."""
    below = is_negative(text.exponent)
    return replace(text, exponent=negative(text.exponent)) if below else text


def added_bounds(*args: object) -> Symbols:
    """Return the symbols of n >= 1, n >= m with both bounds added: n + m + 1 in place of n."""
    texts: list[Text] = args[0]  # type: ignore[assignment]
    every = Sides(texts[0], DirectSum(tuple(texts)))
    naturals, reals = naturals_and_reals(every)
    found = Symbols.of(size_names(every), naturals | indices_of_products(every), reals)
    return found.bounded("n", nat("n") + 1).bounded("n", nat("n") + nat("m"))


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the second reading as the only one that could see a difference."""
    monkeypatch.setattr(equation_proofs, "compared", lambda *_: Tried(1))


@pytest.mark.usefixtures("alone")
def test_a_power_of_a_direct_sum_that_loses_its_sign_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Translator, "not_negative", without_sign)
    d = "(diag(j < m, 5040*j/m) (+) diag(j < n, 5040*j/n))"
    found = decide_for_all(parse(f"{d}^(-1) = {d}"), []).verdict
    assert found.kind == "undecided" and "bug in nodewright" in found.evidence
    assert "the left sides are different matrices" in found.evidence


@pytest.mark.usefixtures("alone")
def test_two_lower_bounds_that_are_added_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translate, "symbols_of", added_bounds)
    d = "diag(j < r, 5040*j/r)"
    text = f"prod(k,0,n-m-2, {d}) * {d} = prod(k,0,n-m-1, {d})"
    found = decide_for_all(parse(text), parse_relations("n >= 1, n >= m")).verdict
    assert found.kind == "undecided" and "does not speak of these values" in found.evidence


LEAVES = [
    "I(5)",
    "F(6)",
    "H(6)",
    "J(5)",
    "R(8)",
    "L(12,3)",
    "T(12,3)",
    "S(3,12)",
    "Gamma(2,4,24)",
    "Omega(5)",
    "Omega(5,1/3)",
    "B(6)",
    "B(6,2/5)",
    "D(8)",
    "D(12,1/3)",
    "A(4,12)",
    "A(4,12,1/2)",
    "AHat(2,2,4,16)",
    "ButterflySum(4,8,3)",
    "C2(5)",
    "C3(6)",
    "S2(6)",
    "S3(5)",
    "BH(10)",
    "LH(2,12)",
    "E(3,4)",
    "Pad(3,4)",
    "Pad(4,3)",
    "Chirp(6,5)",
    "bits(1,3,6)",
    "xor(8,5)",
    "powers(7,3)",
    "sqrt(12)",
]


def test_every_matrix_of_the_package_has_a_reading_of_its_own() -> None:
    """It does not go by the text that defines the matrix, as the translation does."""
    named, texts = Named(RandomField(Random("named"))), map(parse_formula, LEAVES)
    own = {
        text.name
        for text in texts
        if isinstance(text, Leaf) and named.made(text.name, *(number(x, {}) for x in text.sizes))
    }
    assert own == {x for x, made in MATRICES.items() if made.__module__.startswith("derive.")}


TEXTS = (
    "diag(a < 3, b < 4, a*b^2/7 - b/3)",
    "perm(a < 3, b < 4, 3*b + a + 5)",
    "F(3)^(-2)",
    "inv(B(4,1/3)) * transpose(D(4)) - i/2 * conj(F(4))",
    "prod(k, 1, 3, I(2^k) (x) B(2^(4-k)))",
    "prod(k, 1, 0, F(2^k))",
    "sum(k < 3, diag(j < 4, j*k/5)) (+) E(2,3)",
    "re(F(5)) (x) im(F(3))",
)


@pytest.mark.parametrize("text", [*LEAVES, *TEXTS])
def test_the_second_reading_has_the_zeros_of_check_and_is_the_kernels(text: str) -> None:
    read, gf = parse_formula(text), RandomField(Random(text))
    found = TextReading(gf).read(read, {})
    wanted = formula(read, {})
    assert (found.rows, found.columns) == (wanted.size, wanted.columns)
    gf.settle()
    left = found.times(np.eye(found.columns))
    other = claim_of(parse(f"({text}) (x) I(1) = {text}"), [])[0] if "sqrt" not in text else None
    if other:
        assert not compare(*_as_theorem(f"({text}) (x) I(1) = {text}")).difference
    dense = np.array(wanted.to_matrix())
    zero = np.isclose(dense, 0)
    assert np.array_equal(left == 0, zero)


def _as_theorem(equation: str) -> tuple[object, object]:
    terms, claim = claim_of(parse(equation), [])
    return claim, assume(terms.left, terms.right)


@pytest.mark.parametrize(
    ("equation", "where"),
    [
        ("F(N) = F(r) (x) I(N/r) * T(N,N/r) * I(r) (x) F(N/r) * L(N,r)", ""),
        ("F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)", "N = r*s, r >= 2"),
        ("F(2^n) = prod(k,0,n-1, I(2^k) (x) B(2^(n-k))) * R(2^n)", "n >= 8"),
        ("F(n) = F(n)", "n >= 20"),
        ("I(m) (x) I(n) = I(n) (x) I(m)", "n > 2*m, 40 <= m"),
        ("A : m x m, B : n x n; (A (+) B)^k = A^k (+) B^k", "k <= 3"),
        ("let W(n) = B(2^n) * I(2) (x) W(n-1), W(0) = I(1); W(n) * R(2^n) = F(2^n)", ""),
        ("A, B : k x k; sqrt(m)*A + sqrt(n)*B = sqrt(n)*B + sqrt(m)*A", ""),
    ],
)
def test_a_right_translation_is_the_same_at_every_size(equation: str, where: str) -> None:
    found = of_terms(equation, where)
    assert found.sizes >= 2 and not found.difference, found


@pytest.mark.parametrize(
    ("equation", "other"),
    [
        ("sqrt(m)*F(n) + 0*F(n) = sqrt(m)*F(n)", "I(n) + 0*I(n) = I(n)"),
        ("sqrt(m)*F(n) = sqrt(m)*F(n) + 0*F(n)", "J(n) = 0*F(n) + J(n)"),
        ("sqrt(m)*F(n) + sqrt(n)*I(n) = sqrt(n)*I(n) + sqrt(m)*F(n)", "I(n) + 0*I(n) = I(n)"),
    ],
)
def test_a_typed_0_beside_a_root_leads_to_no_weaker_comparison(equation: str, other: str) -> None:
    """A true equation is no reason to prove it by another one, whatever stands in that."""
    terms, claim = claim_of(parse(other), [])
    stated = replace(claim, sides=parse(equation), without_roots=claim.sides)
    found = compare(stated, assume(terms.left, terms.right))
    assert found.difference.endswith("without its square roots it is another equation")


def test_what_the_second_reading_alone_has_no_value_for_is_a_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(self: TextReading, of: Matrix, exponent: int) -> Matrix:
        raise NoValue("powers are not read")

    assert not of_terms("F(n)^2 = perm(j < n, -j) * (n * I(n))").difference
    monkeypatch.setattr(TextReading, "power", none)
    found = of_terms("F(n)^2 = perm(j < n, -j) * (n * I(n))")
    assert found.difference.endswith("powers are not read, but the text has a value")


@pytest.mark.parametrize(
    "text", ["E(m,n)^0", "A : m x n; A^0", "prod(k,1,0,E(m,n))", "A : m x n; A^1", "(2*E(m,n))^k"]
)
def test_only_square_matrices_have_powers(text: str) -> None:
    at = {"m": 2, "n": 3, "k": 0}
    with pytest.raises(FormulaError, match="is 2 x 3 at m = 2, n = 3: only a square matrix"):
        check(parse(f"{text} = I(m)"), at)
    with pytest.raises(FormulaError, match="is 1 x 2 at m = 1, n = 2: only a square matrix"):
        decide_for_all(parse(f"{text} = I(m)"), [])
    with pytest.raises(NoValue, match="square"):
        TextReading(RandomField(Random(0))).read(parse(f"{text} = I(m)").left, at)


def test_a_product_of_matrices_that_are_not_square_is_read() -> None:
    found = of_terms("prod(k,1,2,E(2^k,2^(k+1))) = 4 * E(2,8)")
    assert found.sizes
    assert not found.difference


@pytest.mark.parametrize(
    ("equation", "where", "limit"),
    [
        ("F(2^n) = F(2^n)", "n >= 11", r"\d+ x \d+: at most 1048576 entries are read"),
        ("R(2^n) = R(2^n)", "n >= 13", "8192 rows, and at most 4096 are read"),
        ("J(n)^k = J(n)^k", "k >= 4097", "factors, and at most 4096 are read"),
        ("transpose(J(n)) = J(n)", "n >= 182", r"\d+ entries, and at most 32768 are transposed"),
    ],
)
def test_the_limit_that_keeps_it_from_comparing_is_given(
    equation: str, where: str, limit: str
) -> None:
    found = of_terms(equation, where)
    assert not found.sizes
    assert not found.difference
    assert re.search(limit, found.limit)


def test_what_is_drawn_depends_on_the_equation_alone() -> None:
    equation = "L(r*s,r) * L(r*s,s) = I(r*s)"
    assert of_terms(equation) == of_terms(equation)
