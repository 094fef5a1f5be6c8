"""Equations between affine maps of indices: bit matrices decide as vectors do, name the same wrong
factor, and take 2^62 elements.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from codegen.program import affine_meaning
from codegen.program.meaning import check as check_by_vectors
from codegen.program.supersteps import Program
from derive.exact.bit_matrices import decide_by_matrices
from derive.exact.exact_check import check
from derive.formula import grammar
from derive.formula.grammar import Equation, I, kron
from derive.formula.permutation_matrices import Bmmc, L, R
from derive.formula.permutations import affine
from derive.formula.transforms import F
from derive.gf2 import bmmc
from derive.gf2.bits import Affine
from derive.verdict import Checked, Refuted
from tests.support.programs import build


def stated(n: int) -> tuple[Equation, list[grammar.Formula]]:
    """Return an equation of three permutations of 2^n elements, and its factors."""
    N = 1 << n
    factors = [L(N, 2), Bmmc(bmmc.gray_code(n), "gray"), kron(I(4), L(N // 4, 4))]
    right = grammar.product(factors)
    return Equation("three", "none", Bmmc(affine(right), "A"), right), factors


def damaged(n: int) -> list[Equation]:
    """Return that equation with every factor replaced, left out and written twice, with another
    left side, and not knowing its original.
    """
    equation, factors = stated(n)
    N = 1 << n
    wrong = [
        [*factors[:i], *new, *factors[i + 1 :]]
        for i in range(3)
        for new in ([L(N, 4)], [kron(I(4), L(N // 4, 8))], [], [factors[i]] * 2)
    ]
    single = [Equation("one", "none", L(N, 2), kron(I(4), L(N // 4, 8)))]
    changed = [replace(equation, right=grammar.product(right)) for right in wrong]
    return [
        *changed,
        replace(equation, left=L(N, 4)),
        *(replace(one, original=()) for one in changed),
        *single,
    ]


def test_a_true_equation_is_checked_for_every_n() -> None:
    for n in (6, 25, 62):
        equation, _ = stated(n)
        verdict = decide_by_matrices(equation)
        assert (
            isinstance(verdict, Checked)
            and verdict.evidence == f"all 2^{n} elements, by bit matrices and complements"
        )
        assert n < 25 or check(equation) == verdict


def test_a_damaged_equation_is_refuted_with_an_element_and_the_factor_that_vectors_name() -> None:
    for equation in damaged(8):
        verdict, by_vectors = decide_by_matrices(equation), check(equation)
        assert isinstance(verdict, Refuted) and isinstance(by_vectors, Refuted)
        assert verdict.wrong == by_vectors.wrong, str(equation)


def test_a_counterexample_is_an_element_and_where_either_side_puts_it() -> None:
    for equation in damaged(40):
        verdict = check(equation)
        assert isinstance(verdict, Refuted)
        _, x, _, _, left, _, _, _, _, _, right, *_ = verdict.counterexample.split()
        assert (
            affine(equation.left)(int(x))
            == int(left)
            != int(right)
            == affine(equation.right)(int(x))
        )


def test_a_wrong_complement_is_refuted_by_element_0() -> None:
    right = Bmmc(replace(bmmc.bit_reversal(62), c=1), "R")
    verdict = check(Equation("reversal", "none", R(1 << 62), right))
    assert str(verdict).endswith(
        "element 0 goes to 0 on the left and to 1 on the right; smallest wrong factor: Π_R"
    )


def test_what_is_no_permutation_of_a_power_of_two_is_left_to_vectors() -> None:
    assert decide_by_matrices(Equation("identity", "none", F(8), F(8))) is None
    assert decide_by_matrices(Equation("stride", "none", L(6, 2), L(6, 2))) is None
    with pytest.raises(ValueError, match="check supports N up to 16777216; got"):
        check(Equation("transform", "none", F(1 << 25), F(1 << 25)))


def permuted(n: int, p: int) -> list[Program]:
    """Return programs of permutations with both forms of exchange."""
    layouts, maps = (
        [("block", "block"), ("cyclic", "bit-reversed")],
        [bmmc.bit_reversal(n), bmmc.gray_code(n), Affine(bmmc.shuffle(n).columns, n, 5)],
    )
    return [
        build("permute", 1 << n, 1 << p, *names, exchange, Bmmc(A, "A"))
        for names, exchange, A in product(layouts, ("alltoall", "pairwise"), maps)
    ]


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize(("n", "p"), [(4, 2), (6, 2), (6, 4), (5, 5), (5, 0)])
def test_the_moves_of_a_permutation_are_what_the_interpreted_supersteps_are(n: int, p: int) -> None:
    for program in permuted(n, p):
        assert isinstance(affine_meaning.check(program), Checked)
        for other in permuted(n, p):
            mixed = replace(program, equation=other.equation)
            assert isinstance(affine_meaning.check(mixed), Checked) == isinstance(
                check_by_vectors(mixed), Checked
            )


def test_a_damaged_move_is_refuted() -> None:
    program = build("permute", 2**62, 2**31, permutation=Bmmc(bmmc.bit_reversal(62), "reversal"))
    assert isinstance(affine_meaning.check(program), Checked)
    (move,) = program.steps
    for part in ("pack", "unpack"):
        offset = getattr(move, part)
        wrong = replace(move, **{part: replace(offset, c=offset.c ^ 1)})
        assert isinstance(affine_meaning.check(replace(program, steps=(wrong,))), Refuted)


def test_programs_that_compute_are_left_to_vectors() -> None:
    assert affine_meaning.check(build("fft", 16, 4)) is None
