"""Sums of a symbolic number of terms: what is proved is true of its terms, and what is false is not
proved.
"""

from __future__ import annotations

from random import Random

import pytest

from derive.text.parse import parse, parse_relations
from derive.verdict import Refuted, Undecided
from proofs.prove.equation_proofs import decide_for_all
from proofs.prove.proof_search import prove
from proofs.prove.translation.translate import translate
from tests.mutation.dense import compare

A = "A : m x m; "
TRUE = (
    f"{A}sum(k < n+1, A^k) = I(m) + A * sum(k < n, A^k)",
    f"{A}(A - I(m)) * sum(k < n, A^k) = A^n - I(m)",
    f"{A}sum(k < n+1, A^(k+1)) = A * sum(k < n+1, A^k)",
    f"{A}sum(k < p+n, A^k) = sum(k < p, A^k) + A^p * sum(k < n, A^k)",
    f"{A}transpose(sum(k < n, A^k)) = sum(k < n, transpose(A)^k)",
    f"{A}i * sum(k < n, A^k) (x) F(2) = sum(k < n, i * (A^k (x) F(2)))",
    "A, B : m x m; sum(k < n, A^k + B^k) = sum(k < n, A^k) + sum(k < n, B^k)",
)
FALSE = (
    f"{A}(A - I(m)) * sum(k < n, A^k) = A^(n+1) - I(m)",
    f"{A}sum(k < n+1, A^k) = I(m) + sum(k < n, A^k)",
    f"{A}sum(k < n+1, A^(k+1)) = A * sum(k < n, A^k) + A^n",
    f"{A}sum(k < p+n, A^k) = sum(k < p, A^k) + sum(k < n, A^k)",
    f"{A}transpose(sum(k < n, A^k)) = sum(k < n, A^k)",
    f"{A}i * sum(k < n, A^k) (x) F(2) = sum(k < n, A^k (x) F(2))",
    "A, B : m x m; sum(k < n, A^k + B^k) = sum(k < n, A^k) + sum(k < n, A^k)",
    "A, B : m x m; sum(k < n, A^k) * sum(k < n, B^k) = sum(k < n, A^k * B^k)",
)


@pytest.mark.sampled(6)
@pytest.mark.long
@pytest.mark.parametrize("text", TRUE)
def test_a_true_equation_is_proved_and_true_of_its_terms(text: str) -> None:
    terms = translate(parse(text))
    assert prove(terms.left, terms.right) is not None
    for n in (0, 1, 3):
        assert compare(terms.left, terms.right, {"m": 2, "n": n, "p": 2}, Random(n)) is None


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("text", FALSE)
def test_a_false_equation_is_refused_by_the_kernel_and_refuted_at_small_sizes(text: str) -> None:
    terms = translate(parse(text))
    assert prove(terms.left, terms.right) is None
    assert compare(terms.left, terms.right, {"m": 2, "n": 3, "p": 2}, Random(1)) is not None
    assert isinstance(decide_for_all(parse(text), []).verdict, Refuted)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_term_of_a_sum_is_the_sum_of_its_terms(n: int) -> None:
    terms = translate(parse("A, D : m x m; sum(k < n, A^k * D^(2*k)) = I(m)"))
    written = translate(parse(f"A, D : m x m; sum(k < {n}, A^k * D^(2*k)) = I(m)"))
    assert compare(terms.left, written.left, {"m": 2, "n": n}, Random(n)) is None
    assert compare(terms.left, written.left, {"m": 2, "n": n + 1}, Random(n)) is not None


@pytest.mark.long
def test_a_number_of_terms_that_may_be_negative_asks_for_a_condition() -> None:
    text = f"{A}sum(k < n, A^k) = A^(n-1) + sum(k < n-1, A^k)"
    found = decide_for_all(parse(text), []).verdict
    assert isinstance(found, Undecided) and "state a condition" in found.reason
    assert decide_for_all(parse(text), parse_relations("n >= 1")).verdict.kind == "proved"
