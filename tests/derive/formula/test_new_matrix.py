"""A new matrix is one row: its letter, its sizes and the text that defines it. Texts, checks,
proofs, LaTeX, sympy and numpy have it from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

import nodewright as nw
from derive.formula.adjoints import conjugate, inverted, transposed
from derive.formula.leaves import ALIASES, MATRICES, Leaf, parameters
from derive.formula.permutation_matrices import inverse
from derive.formula.permutations import is_permutation
from derive.formula.transforms import F, T
from derive.sizes import Size
from derive.symbolic import positive_integers
from docs.support.matrices import HEAD, line, with_table


@pytest.fixture(scope="module")
def first() -> Iterator[type[Leaf]]:
    """F_r along the first digit, behind its twiddles: the first phase of a transform."""
    before = {**MATRICES}, {**ALIASES}

    @dataclass(frozen=True)
    class First(
        Leaf, form="Φ_r,N", order="N", whole="N/r", tex=r"\Phi", means="F(r) (x) I(N/r) * T(N, N/r)"
    ):
        """F_r along the first digit."""

        r: Size
        N: Size

    @dataclass(frozen=True)
    class Turn(Leaf, form="Θ_N", order="N", tex=r"\Theta", means="L(N, 2) * J(N)"):
        N: Size

    yield First
    for now, was in zip((MATRICES, ALIASES), before, strict=True):
        now.clear()
        now.update(was)


KINDS = [x for x in Leaf.__subclasses__() if x._row.order and x.__module__.startswith("derive.")]


@pytest.mark.parametrize("kind", KINDS)
def test_each_matrix_has_symbolic_sizes_in_sympy(kind: type[Leaf]) -> None:
    names = [one.shown.removesuffix("?") for one in parameters(kind.__name__)]
    made = kind(*(positive_integers(f"{name}_1") for name in names))
    found = made.to_sympy()
    assert found.shape == made.shape and found.free_symbols


@pytest.mark.usefixtures("first")
def test_its_line_in_the_notation_is_what_its_row_says() -> None:
    assert line("First") == (
        "| Φ_{r,N} | `First(r, N)` | F_r along the first digit | `F(r) (x) I(N/r) * T(N, N/r)` |"
    )
    assert "\n| Φ_{r,N} | " in with_table(HEAD + "\n\n")


EQUATION = "First(r,r*s) * I(r) (x) F(s) * L(r*s,r) = F(r*s)"


@pytest.mark.usefixtures("first")
def test_a_text_names_it_and_prints_it() -> None:
    equation = nw.equation(EQUATION)
    assert str(equation) == "First(r, r*s) * I(r) (x) F(s) * L(r*s, r) = F(r*s)"
    assert r"\Phi_{r,r s} \, (I_{r} \otimes F_{s})" in equation.to_latex()
    assert str(nw.equation("Φ_{2,8} = Θ_8")) == "First(2, 8) = Turn(8)"


@pytest.mark.long
@pytest.mark.usefixtures("first")
def test_check_and_prove_know_it() -> None:
    wrong = EQUATION.replace("First(r,r*s)", "First(r,r*s) * T(r*s,s)")
    assert nw.check(EQUATION, r=2, s=3).kind == "checked"
    assert nw.check(wrong, r=2, s=3).kind == "refuted"
    found = nw.prove(EQUATION)
    assert found.kind == "proved" and r"\Phi_{r,r s}" in found.to_latex()
    assert nw.prove("inv(First(r,r*s)) * First(r,r*s) = I(r*s)").kind == "proved"
    assert nw.prove("Turn(2*n) * J(2*n) = L(2*n,2)").kind == "proved"
    assert nw.prove(wrong).kind == "refuted"


def test_its_matrix_and_its_adjoints_follow(first: type[Leaf]) -> None:
    made = first(2, 8)
    wanted = np.kron(F(2).to_matrix(), np.eye(4)) @ T(8, 4).to_matrix()
    assert str(made) == "Φ_{2,8}" and made.to_latex() == r"\Phi_{2,8}"
    assert np.allclose(made.to_matrix(), wanted)
    assert np.allclose(np.array(made.to_sympy().evalf().tolist(), complex), wanted)
    for of, matrix in (
        (conjugate, wanted.conj()),
        (transposed, wanted.T),
        (inverted, np.linalg.inv(wanted)),
    ):
        assert np.allclose(of(made).to_matrix(), matrix)
        exact = np.array(of(made).to_sympy().evalf().tolist(), complex)
        assert np.allclose(exact, matrix)


def test_its_sizes_may_be_symbols(first: type[Leaf]) -> None:
    r, N = positive_integers("r N")
    entry = first(r, N).to_sympy()
    assert entry.shape == (N, N)
    at = entry.subs({r: 2, N: 8}).as_explicit()
    assert np.allclose(np.array(at.evalf().tolist(), complex), first(2, 8).to_matrix())


def test_sizes_that_do_not_divide_are_refused(first: type[Leaf]) -> None:
    with pytest.raises(ValueError, match="8 is not divisible by 3"):
        first(3, 8)
    with pytest.raises(ValueError, match="First takes 2 arguments, First"):
        nw.equation("First(8) = F(8)")


@pytest.mark.usefixtures("first")
def test_a_program_computes_it() -> None:
    program = nw.program("F(8) = First(2,8) * I(2) (x) F(4) * L(8,2)", 8, 2)
    assert program.check().kind == "checked"


@pytest.mark.usefixtures("first")
def test_a_product_of_permutations_is_one() -> None:
    turn = MATRICES["Turn"](8)
    assert is_permutation(turn) and not is_permutation(MATRICES["First"](2, 8))
    assert str(inverse(turn)) == "Θ_8^-1"
    assert np.allclose(inverse(turn).to_matrix() @ turn.to_matrix(), np.eye(8))
