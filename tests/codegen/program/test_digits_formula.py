"""Factorizations of one's own of arrays, and of sizes that are no powers of two, as programs."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nodewright as nw
from codegen.cost.counted import count
from codegen.program.digits.digit_supersteps import Trade, Transform, Turn
from codegen.program.meaning import check
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program
from codegen.requests import make_request
from nodewright.api.judged import Wrong

COOLEY_TUKEY = "F(N) = F(r) (x) I(s) * T(N,s) * I(r) (x) F(s) * L(N,r)"
AXES = "F(m) (x) F(n) = F(m) (x) I(n) * I(m) (x) F(n)"
OWN: list[tuple[str, Any, Any, dict[str, Any], int]] = [
    (COOLEY_TUKEY, 1000, 2, {"r": 2, "s": 500, "input": "cyclic", "output": "cyclic"}, 1),
    (COOLEY_TUKEY, 1000, 2, {"r": 2, "s": 500}, 3),
    (COOLEY_TUKEY, 36, 6, {"r": 6, "s": 6, "input": "cyclic", "output": "cyclic"}, 1),
    (AXES, (12, 10), (2, 1), {}, 2),
    (AXES, (12, 10), (2, 1), {"input": "block,whole", "output": "whole,block"}, 1),
    (AXES, (8, 6), 2, {"direction": "backward", "norm": "ortho"}, 2),
    (
        "F(16) (x) F(8) = ((F(4) (x) I(4)) * T(16,4) * (I(4) (x) F(4)) * L(16,4)) (x) F(8)",
        (16, 8),
        (4, 1),
        {"input": "cyclic", "output": "cyclic"},
        1,
    ),
    ("F(6) = perm(a<2,b<3,b*2+a) * perm(a<3,b<2,b*3+a) * F(6)", 6, 1, {}, 0),
    ("I(6) (x) F(4) (x) F(9) = I(6) (x) F(4) (x) F(9)", (4, 9), (1, 3), {"batch": 6}, 2),
    ("F(24) = prod(k,0,0, F(24))", 24, 1, {}, 0),
]


@pytest.mark.parametrize(("text", "size", "ranks", "options", "exchanges"), OWN)
def test_a_factorization_is_a_program_with_these_exchanges(
    text: str, size: Any, ranks: Any, options: dict[str, Any], exchanges: int
) -> None:
    program = nw.program(text, size, ranks, **options)
    assert check(program.lowered).holds
    assert program.cost().exchanges == exchanges


@pytest.mark.long
@pytest.mark.parametrize(
    ("kernels", "direction", "norm"),
    [("numpy", "forward", "ortho"), ("numba", "backward", "backward")],
)
def test_a_program_of_an_own_formula_of_two_axes_is_certified(
    kernels: str, direction: str, norm: str, tmp_path: Path
) -> None:
    text = "F(m) (x) F(n) = L(m*n,m) * I(n) (x) F(m) * L(m*n,n) * I(m) (x) F(n)"
    options: dict[str, Any] = {"direction": direction, "norm": norm, "kernels": kernels}
    program = nw.program(text, (12, 10), 2, **options)
    program.save(tmp_path / "program.py")
    assert "FACTORIZATION = " in program.text and nw.certify(tmp_path / "program.py").holds


def damaged(program: Program) -> list[Program]:
    """Return a program with each of its steps changed or left out."""
    found = []
    for i, step in enumerate(program.steps):
        match step:
            case Transform(diagonal=None):
                others = [replace(step, d=1, c=step.c * step.d)]
            case Transform(diagonal=diagonal):
                assert diagonal is not None
                half = replace(diagonal, order=2 * diagonal.order)
                others = [replace(step, diagonal=each) for each in (None, half)]
            case Trade() | Turn():
                others = []
        for put in ([], *([other] for other in others)):
            found += [[*program.steps[:i], *put, *program.steps[i + 1 :]]]
    return [replace(program, steps=tuple(steps)) for steps in found]


@pytest.mark.parametrize("case", [OWN[1], OWN[3], OWN[6]])
def test_a_program_with_a_damaged_step_is_refuted(case: Any) -> None:
    text, size, ranks, options, _ = case
    mutants = damaged(nw.program(text, size, ranks, **options).lowered)
    assert len(mutants) >= 4 and not any(check(each).holds for each in mutants)


def test_what_waits_at_the_end_is_multiplied_there() -> None:
    """A diagonal after the last transform is a step of its own; it is undone by another."""
    text = "F(6) = T(6,3) * diag(i < 2, j < 3, -i*j/6) * F(6)"
    assert nw.program(text, 6, 1).check().holds
    wrong = resolve(make_request("fft", 6, 1, formula=(nw.T(6, 3) @ nw.F(6))))
    assert [step.d for step in wrong.steps if isinstance(step, Transform)] == [6, 1]
    assert not check(wrong).holds


def test_a_permutation_of_no_digits_ends_in_the_last_layout() -> None:
    """Where it is the last factor, one exchange does it and the change of layout; a permutation
    that undoes it leaves nothing to do.
    """
    for text, exchanges in (("J(16)", 1), ("J(16) * L(16,4)", 1), ("J(16) * J(16)", 0)):
        program = nw.program(text, 16, 4, input="cyclic", output="cyclic")
        assert program.check().holds
        assert program.cost().exchanges == exchanges
    twisted = nw.program("J(16) * L(16,2) * T(16,4)", 16, 4)
    assert twisted.check().holds
    assert [str(f) for step in twisted.lowered.steps for f in step.factors] == [
        "T^16_4",
        "J_16",
        "L^16_2",
    ]


def test_lowering_by_digits_sends_no_more_than_the_search_does() -> None:
    """A formula of the search's own phases takes as many exchanges, between all pairs of
    layouts.
    """
    for N, P, phases in ((36, 3, (12, 3)), (64, 4, (16, 4)), (48, 2, (6, 8))):
        s, r = phases
        for ends in (("cyclic", "cyclic"), ("block", "cyclic"), ("cyclic", "block")):
            grid = {"shape": (N,), "grid": (P,)} if N & N - 1 else {}
            asked = make_request("fft", N, P, *ends, phases=f"{s},{r}", **grid)  # type: ignore[arg-type]
            own = nw.program(COOLEY_TUKEY, N, P, r=r, s=s, input=ends[0], output=ends[1])
            assert own.cost().exchanges <= count(resolve(asked)).exchanges + (N == 64)


def test_the_text_computes_what_numpy_does() -> None:
    x = np.random.default_rng(1).standard_normal((2, 120)).view(complex).reshape(12, 10)
    y = nw.program(AXES, (12, 10), (2, 1)).run(x)
    assert np.allclose(y, np.fft.fftn(x), rtol=0, atol=1e-13 * prod(x.shape))


@pytest.mark.parametrize(
    ("text", "size", "ranks", "said"),
    [
        (
            "F(n) = F(n)",
            10,
            2,
            "F_10 combines 10 elements, but a rank holds 5; .* of 10 must divide 5",
        ),
        (COOLEY_TUKEY.replace("r)", "3)").replace("s)", "4)"), 12, 4, "combines 4 elements"),
        ("F(6) = J(6) * J(6) * F(6)", 6, 1, "J_6 is not a permutation of whole digits"),
        (AXES, 120, 2, "m, n have no value"),
        ("F(6) = H(6) * H(6)^0", 6, 1, "refuted"),
        (
            "F(m) (x) F(n) = F(m) (x) F(n)",
            (12, 10),
            (3, 5),
            "combines 1[02] elements, but a rank holds 8; every prime",
        ),
    ],
)
def test_what_cannot_be_a_program_is_refused_with_the_reason(
    text: str, size: Any, ranks: Any, said: str
) -> None:
    with pytest.raises((ValueError, Wrong), match=said):
        _ = nw.program(text, size, ranks).text
