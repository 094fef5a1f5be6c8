"""Products of Hartley matrices act on sums of roots of unity as they do on numbers."""

from __future__ import annotations

import numpy as np
import pytest

from derive.exact.action import act
from derive.exact.exact_check import check
from derive.exact.rings import Collision, Sums
from derive.formula.grammar import Equation, Formula, I, direct_sum, kron
from derive.formula.permutation_matrices import L
from derive.formula.transforms import F, H


def complex_of(x: np.ndarray, order: int) -> np.ndarray:
    """Return sums as complex numbers."""
    axes = tuple(range(2, x.ndim))
    roots = np.where(x < 0, 0, np.exp(-2j * np.pi * x / order))
    return roots.sum(axis=axes) / 2 ** (len(axes) / 2)


def cas(n: int) -> np.ndarray:
    """Return H_n by its definition."""
    angles = 2 * np.pi * np.outer(np.arange(n), np.arange(n)) / n
    return np.cos(angles) + np.sin(angles)


def test_entries_are_those_of_the_definition() -> None:
    ring = Sums(120)
    entries = act(kron(H(3), I(2), H(5), H(1), F(4)), ring.units(120, range(120)), ring)
    fourier = np.exp(-2j * np.pi * np.outer(np.arange(4), np.arange(4)) / 4)
    wanted = np.kron(np.kron(np.kron(cas(3), np.eye(2)), cas(5)), fourier)
    assert np.allclose(complex_of(entries, 120), wanted)


EQUATIONS = [
    (kron(H(6), H(4)), kron(H(6), I(4)) @ kron(I(6), H(4)), True),
    (kron(H(6), H(4)), L(24, 6) @ kron(H(4), H(6)) @ L(24, 4), True),
    (kron(H(6), H(4)), L(24, 4) @ kron(H(4), H(6)) @ L(24, 6), False),
    (kron(H(6), H(4)), kron(H(6), F(4)), False),
    (kron(H(2), F(3)), kron(F(2), F(3)), True),
    (kron(direct_sum(H(4), I(4)), H(3)), kron(direct_sum(H(4), I(4)), H(3)), True),
    (kron(direct_sum(I(4), H(4)), H(3)), kron(direct_sum(H(4), I(4)), H(3)), False),
]


@pytest.mark.parametrize(("left", "right", "holds"), EQUATIONS)
def test_equations_are_decided(left: Formula, right: Formula, holds: bool) -> None:
    assert check(Equation("", "", left, right)).holds == holds


def test_sums_are_added_to_sums_of_as_many_terms_alone() -> None:
    ring = Sums(8)
    one = ring.units(4, range(4))
    with pytest.raises(Collision):
        ring.add(one, ring.hartley(one))


def test_long_sums_and_sums_of_sums_are_left_to_other_rings() -> None:
    ring = Sums(8)
    for formula in (kron(*[H(4)] * 5), H(4) @ H(4), direct_sum(kron(H(4), H(4)), I(4))):
        with pytest.raises(Collision):
            act(formula, ring.units(formula.size, range(2)), ring)
