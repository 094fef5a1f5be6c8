"""The values of symbols at which an equation is compared: those of the smallest matrices."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from derive.text.elaborate import equation
from derive.text.expressions import NotWhole
from derive.text.parse import parse, parse_relations
from proofs.prove import small_sizes
from proofs.prove.conditions import fulfilled
from proofs.prove.equation_proofs import at_small_sizes
from proofs.prove.sizes.small_values import SIZES
from proofs.prove.small_sizes import EVERY_ENTRY, MOST_LARGER, MOST_ROWS, MOST_SMALL

ASKED = [
    ("L(r*s*t,r) = L(r*s*t,r)", ""),
    ("F(r/s) (x) I(t) = F(r/s) (x) I(t)", "r >= 2"),
    ("F(N) = L(N,r) * L(N,N/r) * F(N)", "N > r"),
]


def by_listing_all(text: str, where: str) -> list[dict[str, Fraction]]:
    """Return the values by the rows that all of them lead to."""
    sides, conditions, found = parse(text), parse_relations(where), []
    for values in product(SIZES, repeat=len(sides.symbols)):
        at = dict(zip(sorted(sides.symbols), map(Fraction, values), strict=True))
        try:
            if fulfilled(conditions, at):
                found.append((equation(sides, at).left.size, values, at))
        except NotWhole:
            continue
    found.sort(key=lambda one: one[:2])
    small = [one for one in found if one[0] <= EVERY_ENTRY]
    larger = found[len(small) :][:MOST_LARGER]
    assert sum(rows for rows, _, _ in larger) <= MOST_ROWS
    return [at for _, _, at in [*small[:MOST_SMALL], *larger]]


@pytest.mark.parametrize(("text", "where"), ASKED)
def test_an_equation_is_compared_where_its_matrices_are_the_smallest(text, where):
    found = small_sizes.candidates(parse(text), parse_relations(where))
    assert [*found.instances()] == by_listing_all(text, where)


def test_what_was_left_out_is_no_comparison_of_all_sizes(monkeypatch):
    """Where conditions bound all symbols an equation may be compared at all of its sizes."""
    stated = parse("I(m*n) = I(m) (x) I(n)"), parse_relations("m <= 3, n <= 3")
    assert small_sizes.compared(*stated, {}).alone is not None
    monkeypatch.setattr(small_sizes, "MOST_SMALL", 8)
    left_out = small_sizes.compared(*stated, {})
    assert left_out.count >= 8 and left_out.alone is None


@pytest.mark.parametrize(
    "where",
    ["a = 1/2", "a = 1/3", "a = -1/2", "a = 7/5", "a = b/3", "2*a = 3", "a < 0", "a = b, b < 0"],
)
def test_alphas_that_conditions_make_are_tried(where: str) -> None:
    found = at_small_sizes(parse("Omega(h,a) = Omega(h,0)"), parse_relations(where))
    assert found.verdict is not None
    assert found.verdict.kind == "refuted"


def test_a_size_that_is_put_in_stays_whole() -> None:
    found = at_small_sizes(parse("I(N) = F(N)"), parse_relations("N = r/3"))
    assert found.at == {"r": 6, "N": 2}
