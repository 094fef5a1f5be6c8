"""Equations under conditions on their symbols, with the verdict that each of them has.

What kind of number a symbol is, it stays when conditions put something in: a rational number of
phases, a size from 1 on, an exponent from 0 on.
"""

from __future__ import annotations

import pytest

from derive.text.parse import parse, parse_relations
from proofs.prove.equation_proofs import decide_for_all

DIAGONAL = "diag(j < n, t*j) (x) I(r) = I(n*r)"
DECLARED = "k : size; diag(j < n, t*j) * diag(j < n, k*j) = I(n)"
TRUE = "diag(j < 1, t*j) (x) I(r) = I(r)"
PLAIN = "t occurs in phases only and need not be an integer, while where gives r by it"

RATIONAL = [
    ("diag(j < n, t*j) = I(n)", "n = t + t", "refuted", "at n = 3, t = 3/2"),
    ("diag(j < n, t*j) = I(n)", "n = 2*t", "refuted", "at n = 3, t = 3/2"),
    ("diag(j < n, t*j) = I(n)", "n/2 = t", "refuted", "at n = 3, t = 3/2"),
    ("diag(j < n, t*j) = I(n)", "n = t", "proved", ""),
    (DIAGONAL, "r = n*t, n >= 1", "refuted", "t = 1/2"),
    (DIAGONAL, "r = 2*t, t >= 40", "refuted", "t = 81/2"),
    (DIAGONAL, "r = 7*t", "refuted", "t = 1/7"),
    (DIAGONAL, "r = 6*t + t", "refuted", "t = 1/7"),
    (DIAGONAL, "r = 2*s, s = 3*t + 4*t", "refuted", "t = 1/7"),
    ("B(2*h, 2*h*t) (x) I(r) = B(2*h) (x) I(r)", "r = 4*t + 3*t", "refuted", "t = 1/7"),
    ("diag(j < m+r, t*j) = I(m+r)", "m = (t-5) + (t+2), m <= 4, r <= 3", "refuted", "t = 5/2"),
    (
        "diag(j < m, (t*m + r)*j/m) = diag(j < m, r*j/m)",
        "m = 6/t + r, r <= t/t, m <= 6, r <= 3",
        "refuted",
        "",
    ),
    ("diag(j < 2, t*(t-1)*(t-2)*(t-3)*j/31) (x) I(r) = I(2*r)", "r = 2*t, t <= 3", "refuted", ""),
    (DECLARED, "k = t + t", "refuted", "at k = 1, n = 2, t = 1/2"),
    (DECLARED, "k = 2*t, t >= 40", "refuted", "t = 81/2"),
    (DECLARED, "k = n*t", "refuted", "t = 1/2"),
    (TRUE, "r = 2*t", "undecided", f"{PLAIN}; declare t : size)"),
    (TRUE, "r = 2*t, t <= 3", "undecided", PLAIN),
    (f"t : size; {TRUE}", "r = 2*t", "proved", ""),
    (TRUE, "t = r/2", "proved", ""),
    ("diag(j < n, t*j) = I(n)", "t = s, n = s + s", "refuted", "at n = 3, s = 3/2, t = 3/2"),
    ("diag(j < n, t*j) = I(n)", "t = u, u = s/2, n = s + s", "refuted", "n = 2, s = 1, t = 1/2"),
    (TRUE, "t = s, r = 2*s", "undecided", "s occurs in phases only"),
    (TRUE, "t = 2/(3*s), r = 2*s", "proved", ""),
    ("diag(j < 1, t*u*j) (x) I(r) = I(r)", "u = 1/t", "undecided", "gives u by it; declare t"),
    ("diag(j < n, t*j) = I(n)", "t = u, u = m", "refuted", "at m = 1/3, n = 2, t = 1/3, u = 1/3"),
    ("diag(j < n, t*j) = I(n)", "t/2 = u, u = n/4", "refuted", "at n = 3, t = 3/2, u = 3/4"),
    ("diag(j < n, t*n*j) = I(n)", "t = m/n, m = 2*h/2", "refuted", "at h = 1/3, m = 1/3, n = 2"),
    ("diag(j < n, t*j) = I(n)", "t = u, u = 1/2", "refuted", "at n = 2, t = 1/2, u = 1/2"),
    ("diag(j < n, 2*t*j) = I(n)", "t = u, u = 1/2", "proved", ""),
    ("diag(j < n, t*j) = I(n)", "t >= n", "refuted", "at n = 2, t = 7/3"),
    ("diag(j < n, t*j/r) (x) I(m) = I(n*m)", "r >= 2, t >= r*m", "refuted", "r = 2, t = 7/3"),
    ("diag(j < n, t*j) = I(n)", "t = 2*u, u = n/2", "proved", ""),
    ("diag(j < n, t*j) * diag(j < n, u*j) = I(n)", "u = k - t, k = m", "refuted", "k = 1/3"),
]
"""A symbol of phases that a size is made of may be a fraction."""

EXPONENTS = [
    ("k : size; diag(j < 1, 2^n/2) * diag(j < 1, k) = I(1)", "n = k", "undecided", "true at all"),
    ("k : size; diag(j < 1, 2^n/2) * diag(j < 1, k) = I(1)", "n = k, k = m", "undecided", "true"),
    ("diag(j < 1, 2^n/2) + m*I(1) = (m+1)*I(1)", "m = n", "undecided", "true at all"),
    ("diag(j < 1, 2^n/4) + m*I(1) = (m+1)*I(1)", "m = n", "refuted", "at m = 1, n = 1"),
]
"""A size that is an exponent is at least 1."""

OTHERS = [
    ("m*I(2^n) = m*I(2^n) * diag(j < 2^n, 2^n*j/2)", "7 >= 6, 7/m > n+n, n > m", "proved", ""),
    ("F(n) * J(n) = J(n) * F(n)", "2 = 2, n = n, n >= 1", "refuted", ""),
]
"""A condition without symbols."""

TRUE_ONES = [
    ("L(N,M)^n = I(N)", "N = r^n, M = r^j, n >= j", "proved", ""),
    ("F(N) = F(N)", "N = m - m + 1", "proved", ""),
    ("M : m+1 x m+1; M * I(m+1) = M", "", "proved", ""),
    ("N : 2*n+2 x 2*n+2; F(2*n+2) * transpose(N) = F(2*n+2) * transpose(N)", "", "proved", ""),
]
"""Letters of the kernel are found where many have the same values, and have names of their own."""


def blocks(first: int) -> str:
    """Return an equation in m and n that is false but for two values of n, or m = n = 1."""
    phase = f"(n-{first})*(n-{first + 1})*j/7"
    return f"I(n) (x) diag(j < 2, {phase}) (x) I(m) = I(2*m*n)"


BOUNDS = [
    (blocks(5), "n >= 5 - m, n <= 6, m <= 5", "refuted", "at m = 1, n = 4"),
    (blocks(3), "n > m/2, m >= 3, n <= 4, m <= 6", "refuted", "at m = 3, n = 2"),
    (blocks(10), "n >= 10/m, m >= 1, n <= 11, m <= 10", "refuted", "at m = 2, n = 5"),
    (blocks(3), "n > 2/m, n <= 4, m <= 4, m >= 1", "refuted", "at m = 3, n = 1"),
    (blocks(2), "n >= 2 - m, n <= 3, m <= 2", "refuted", "at m = 1, n = 1"),
    (blocks(2), "n > 2 - m, n <= 2, m <= 3", "refuted", "at m = 2, n = 1"),
    (blocks(5), "n >= 9 - m, n <= 6, m <= 4", "checked", "all 3 sizes"),
    (blocks(5), "n > m/2, n <= 6, m >= 9, m <= 11", "checked", "all 4 sizes"),
]
"""A bound that falls where another symbol grows, or is no integer."""


@pytest.mark.sampled(2)
@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize(
    ("text", "where", "verdict", "words"), [*RATIONAL, *EXPONENTS, *BOUNDS, *OTHERS, *TRUE_ONES]
)
def test_a_symbol_keeps_its_sort_where_conditions_put_something_in(
    text: str, where: str, verdict: str, words: str
) -> None:
    found = decide_for_all(parse(text), parse_relations(where)).verdict
    assert found.kind == verdict, found
    assert words in str(found)
    assert "bug" not in str(found)
