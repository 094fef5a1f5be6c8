"""Sums of square roots: what stands beside each root is compared, and nothing false is proved."""

from __future__ import annotations

import pytest

from derive.text.parse import parse
from derive.verdict import Proved, Refuted, Undecided
from proofs.kernel.numbers import size
from proofs.prove.equation_proofs import decide_for_all
from proofs.prove.proof_search import prove
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.square_roots import without_roots
from proofs.prove.translation.translate import translate

OF = "A, B : k x k; "
TRUE = {
    "(sqrt(m)*A + sqrt(n)*B) * (sqrt(m)*A - sqrt(n)*B) = m*A^2 - n*B^2 + sqrt(m*n)*(B*A - A*B)": (
        ("B*A - A*B", "A*B - B*A"),
        ("m*A^2", "n*A^2"),
        ("sqrt(m*n)", "sqrt(m)"),
    ),
    "(A + sqrt(n)*B)^2 = A*A + n*B*B + sqrt(n)*(A*B + B*A)": (("+ B*A", "+ A*B"),),
    "(A + sqrt(n)*I(k)) * (A - sqrt(n)*I(k)) = A*A - n*I(k)": (("- n*", "+ n*"), ("*A - n", "- n")),
    "transpose(sqrt(m)*A + i*sqrt(n)*B) = sqrt(m)*transpose(A) + i*sqrt(n)*transpose(B)": (
        ("= sqrt(m)", "= sqrt(n)"),
    ),
    "(A + 1/sqrt(n)*B) * (A + sqrt(n)*B) = A*A + B*B + 1/sqrt(n)*(n*A*B + B*A)": (
        ("(n*A", "(A"),
        ("+ 1/sqrt(n)*(", "- 1/sqrt(n)*("),
    ),
    "(sqrt(2)*A + B) (x) (sqrt(2)*A) = 2*A (x) A + sqrt(2)*B (x) A": (("= 2*", "= "),),
}
"""Equations, and how they become false."""
CASES = [
    text.replace(*change)
    for text, changes in TRUE.items()
    for change in changes
    if text.replace(*change) != text
]


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("text", TRUE)
def test_products_and_powers_of_sums_of_roots_are_multiplied_out(text: str) -> None:
    assert isinstance(decide_for_all(parse(OF + text), []).verdict, Proved)


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("text", CASES)
def test_a_false_one_is_refuted_and_the_kernel_does_not_prove_it(text: str) -> None:
    """The search is asked at once, too, as if no small size had refuted it."""
    assert len(CASES) == sum(map(len, TRUE.values()))
    assert isinstance(decide_for_all(parse(OF + text), []).verdict, Refuted)
    try:
        terms = translate(parse(OF + text))
    except Inexpressible as error:
        assert "square roots of both sides" in str(error)  # noqa: PT017
    else:
        assert prove(terms.left, terms.right) is None


def test_what_stands_beside_each_root_is_a_part_of_a_direct_sum() -> None:
    letters = {name: size(name) for name in "kmn"}
    found = without_roots(parse(f"{OF}sqrt(4*m)*A + sqrt(n)*B = sqrt(n)*B + 2*sqrt(m)*A"), letters)
    assert str(found) == "A : k x k, B : k x k; A + 0 * B = A + 0 * B"
    found = without_roots(parse(f"{OF}sqrt(m)*(A + sqrt(n)*B) = sqrt(m)*A + sqrt(m*n)*B"), letters)
    assert str(found) == "A : k x k, B : k x k; A (+) B = A (+) B"


@pytest.mark.long
def test_roots_of_one_side_cancel_and_too_many_stay_undecided() -> None:
    alone = decide_for_all(parse(f"{OF}sqrt(m)*A = 1/sqrt(m)*(m*A) + sqrt(n)*B - n/sqrt(n)*B"), [])
    assert isinstance(alone.verdict, Proved)
    sums = " * ".join(["(sqrt(2)*A + sqrt(3)*A + sqrt(5)*A)"] * 4)
    many = decide_for_all(parse(f"{OF}{sums} = A * {sums.replace('A', 'I(k)')} * A^3"), [])
    assert isinstance(many.verdict, Undecided)
