"""How entries that refute an equation are written, and the rings that entries are compared in."""

import pytest

from derive.exact.exact_check import check
from derive.text.elaborate import equation
from derive.text.parse import parse


def checked(text):
    return check(equation(parse(text), {}))


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("F(6) = F(2) (x) I(3) * T(6,2) * I(2) (x) F(3) * L(6,2)", "w_6 = 0.5 - 0.866025i"),
        ("F(12) = F(3) (x) I(4) * T(12,3) * I(3) (x) F(4) * L(12,3)", "w_12 = 0.866025 - 0.5i"),
        ("L(4,2) = T(4,2) * L(4,2)", "w_4 = -1i"),
        ("I(4) = T(4,2) * T(4,2)", "-1"),
    ],
)
def test_a_root_has_its_least_order_and_its_complex_value(text, entry):
    assert checked(text).counterexample.endswith(f" and {entry} on the right")


@pytest.mark.parametrize(
    ("text", "ring"),
    [
        ("F(9) = F(3) (x) I(3) * T(9,3) * I(3) (x) F(3) * L(9,3)", "Z[zeta_9]"),
        ("F(6) = F(2) (x) I(3) * T(6,3) * I(2) (x) F(3) * L(6,2)", "Z[zeta_6]"),
        ("F(8) = F(2) (x) I(4) * T(8,4) * I(2) (x) F(4) * L(8,2)", "Z[zeta_8]"),
        ("L(9,3) * L(9,3) = I(9)", "Z"),
    ],
)
def test_the_ring_is_the_least_one(text, ring):
    assert checked(text).evidence.endswith(f", exactly in {ring}")
