"""Direct sums of blocks whose sizes have no common measure: what is proved is true, and what is
changed is refused before sizes are compared.
"""

from __future__ import annotations

from random import Random

import pytest

import nodewright as nw
from derive.text.parse import parse, parse_relations
from proofs.kernel.kernel_rules import diag
from proofs.kernel.numbers import ONE, Dim, Poly, size
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import E, I, Mul, Sum, Term
from proofs.prove.equation_proofs import decide_for_all
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.splits import Split
from proofs.prove.translation.translate import translate
from tests.mutation.dense import compare

m, n, k = map(size, "mnk")
SPLITS = [
    Split(ONE, (m, n), ONE),
    Split(ONE, (m, n, m), k),
    Split(Dim.of(2), (n, ONE), ONE),
    Split(Dim.of(3), (m, n, k), Dim.of(2)),
]
BLOCKS = "A, C : m x m, B, D : n x n; "
TRUE = (
    "I(m) (+) I(n) = I(m+n)",
    "I(n+m) = I(m) (+) I(n)",
    "F(2^m) (+) F(2^n) = (prod(k,0,m-1, I(2^k) (x) B(2^(m-k))) * R(2^m)) (+)"
    " (prod(k,0,n-1, I(2^k) (x) B(2^(n-k))) * R(2^n))",
    f"{BLOCKS}(A (+) B) * (C (+) D) = A*C (+) B*D",
    f"{BLOCKS}(A + C) (+) (B + D) = (A (+) B) + (C (+) D)",
    f"{BLOCKS}I(2) (x) (A (+) B) = A (+) B (+) A (+) B",
    f"{BLOCKS}(A (+) I(n)) * (I(m) (+) B) = A (+) B",
    f"{BLOCKS}(A (+) B) * I(m+n) = A (+) B",
    f"{BLOCKS}(A (+) B)^j = A^j (+) B^j",
    "A : m x m, B : n x n, C : k x k; (A (+) B) (x) C = A (x) C (+) B (x) C",
    "A : m x n, B : p x q; transpose(A (+) B) = transpose(A) (+) transpose(B)",
    "A : m x m, B : n x n; (A (+) B) (+) I(k) = (A (+) I(n+k)) * (I(m) (+) B (+) I(k))",
    "A : p x m, B : q x n; (A (+) B) * (E(m,1) (+) E(n,1)) = A * E(m,1) (+) B * E(n,1)",
    "inv(F(m) (+) F(n)) * (F(m) (+) F(n)) = I(m+n)",
    "(F(m) (+) F(n)) * (conj(F(m)) (+) conj(F(n))) = m * I(m) (+) n * I(n)",
    "1/2 * (F(m) (+) F(n)) = 1/2 * F(m) (+) 1/2 * F(n)",
    "i * (F(m) (+) F(n)) = i * F(m) (+) i * F(n)",
)
FALSE = (
    f"{BLOCKS}(A (+) B) * (C (+) D) = C*A (+) D*B",
    f"{BLOCKS}(A (+) B) * (C (+) D) = A*C (+) D*B",
    f"{BLOCKS}(A + C) (+) (B + D) = (A (+) B) + (C (+) B)",
    f"{BLOCKS}A (+) B = C (+) B",
    f"{BLOCKS}A (+) B = I(m+n)",
    f"{BLOCKS}A (+) B = I(n+m)",
    f"{BLOCKS}(A (+) B)^j = A^(j+1) (+) B^j",
    "A : m x m, B : n x n, C : k x k; (A (+) B) (x) C = A (x) C (+) B (x) transpose(C)",
    "inv(F(m) (+) F(n)) = F(m) (+) F(n)",
    "(F(m) (+) F(n)) * (conj(F(m)) (+) conj(F(n))) = n * I(m) (+) m * I(n)",
    "1/2 * (F(m) (+) F(n)) = 1/2 * F(m) (+) F(n)",
    "transpose(L(r*s,r) (+) L(r*t,r)) = L(r*s,r) (+) L(r*t,r)",
)
ELSEWHERE = (
    f"{BLOCKS}(A (+) B) * (D (+) C) = A*C (+) B*D",
    f"{BLOCKS}A (+) B = B (+) A",
    f"{BLOCKS}(A (+) B) + (B (+) A) = (A (+) B) + (A (+) B)",
    f"{BLOCKS}A (+) B (+) A (+) B = A (+) A (+) B (+) B",
    f"{BLOCKS}(A (+) B) (x) (C (+) D) = (A (+) B) (x) (C (+) D)",
    f"{BLOCKS}(A (+) B) * F(2*m*n) = A (+) B",
)
"""Parts that are not at the same places, and products of two sums of sizes."""


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("split", SPLITS, ids=str)
def test_what_puts_parts_at_their_places_and_takes_them_from_there_is_orthogonal(
    split: Split,
) -> None:
    for i, rows in enumerate(split.sizes):
        for j, columns in enumerate(split.sizes):
            inner = Mul(split.inclusion(i, True), split.inclusion(j, False))
            wanted: Term = I(rows) if i == j else E(rows, columns)
            wanted = Sum(((Poly.of(int(i == j)), Poly.of(0), wanted),))
            assert diag(inner, wanted).right == wanted
            for at in ({"m": 1, "n": 2, "k": 3}, {"m": 2, "n": 2, "k": 1}):
                assert compare(inner, wanted, at, Random(i)) is None


@pytest.mark.sampled(5)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("text", TRUE)
def test_a_true_equation_is_proved_and_true_of_its_terms(text: str) -> None:
    sides = parse(text)
    assert decide_for_all(sides, parse_relations(""), 60).verdict.kind == "proved"
    terms = translate(sides)
    for value in (1, 2):
        at = dict.fromkeys("mnkpqj", value) | {"m": 2}
        assert compare(terms.left, terms.right, at, Random(value)) is None


@pytest.mark.parametrize("text", FALSE)
def test_a_false_equation_is_refused_by_the_kernel_alone(text: str) -> None:
    """Without a comparison at small sizes; and it is false of its terms, too."""
    sides = parse(text)
    terms = translate(sides)
    with pytest.raises(Refused):
        diag(terms.left, terms.right)
    at = dict(zip("mnkjrst", (2, 3, 2, 2, 2, 2, 3), strict=True))
    assert compare(terms.left, terms.right, at, Random(1)) is not None


@pytest.mark.parametrize("text", ELSEWHERE)
def test_parts_at_other_places_have_no_term(text: str) -> None:
    with pytest.raises(Inexpressible, match="parts of its direct sums"):
        translate(parse(text))


@pytest.mark.long
def test_a_lemma_of_direct_sums_is_a_rule() -> None:
    d = nw.Derivation(f"{BLOCKS}I(2) (x) ((A (+) B) * (C (+) D))")
    d.lemma("blocks", f"{BLOCKS}(A (+) B) * (C (+) D) = A*C (+) B*D")
    assert d.apply("blocks", at="2") == "I(2) (x) (A * C (+) B * D)"
    assert d.end().kind == "proved"
