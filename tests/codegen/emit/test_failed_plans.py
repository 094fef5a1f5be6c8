"""If one rank has no memory for an array of its plan, no rank is left waiting for it."""

from __future__ import annotations

from math import inf

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from proofs.certify.checks.plan_check import chosen, without_memory
from proofs.certify.scripts.usage import LAST_APART, ONE_NODE
from tests.support.evaluations import evaluated

CHIRP = make_request("fft", 13, 3)
REQUESTS = {
    "fft": make_request("fft", 64, 4),
    "pairwise": make_request("fft", 64, 4, exchange="pairwise"),
    "overlapped": make_request("fft", 16, 2, exchange="overlapped"),
    "shared": make_request("fft", 16, 4, exchange="shared"),
    "auto": make_request("fft", 8, 4, exchange="auto"),
    "node-aware": make_request("fft", 16, 4, exchange="node-aware"),
    "groups": make_request("fft", 16, 8),
    "pyfftw": make_request("fft", 64, 4, kernels="pyfftw"),
    "numba": make_request("fft", 64, 2, kernels="numba"),
    "rfft": make_request("rfft", 64, 4),
    "fht": make_request("fht", 64, 4),
    "fht by numba": make_request("fht", 64, 4, kernels="numba"),
    "hypercube-fft": make_request("hypercube-fft", 64, 4, scheme="5"),
    "wht": make_request("wht", 64, 4),
    "ntt": make_request("ntt", 64, 4, modulus="257"),
    "permute": make_request("permute", 64, 4, permutation=Bmmc(bmmc.named("gray-code", 6))),
    "chirp": CHIRP,
    "unequal parts": make_request("fft", **stated("4x6x5", 3)),
    "a grid": make_request("fft", **stated("3x3x2", "2x2x1")),
    "unequal by numba": make_request("fft", **stated("4x6", 3), kernels="numba"),
    "unequal by pyfftw": make_request("fft", **stated("4x6", 3), kernels="pyfftw"),
    "half a spectrum": make_request("rfft", 12, 3, result="spectrum"),
    "from half a spectrum": make_request("rfft", 12, 3, result="spectrum", direction="backward"),
    "dct": make_request("dct", 10, 3),
    "dct of axes": make_request("dct", **stated("5x4", 3)),
}
AT_MOST = 8
"""Of a plan so many arrays are tried, and as many before and after its calls of communicators."""


def each_fails(request, nodes=ONE_NODE):
    program, P = evaluated(emit(resolve(request))), request.P
    found = without_memory(*program, inf, nodes)
    assert found.made and found.refused == [False] * P
    for i in chosen(found.made, AT_MOST):
        assert without_memory(*program, i, nodes).refused == [True] * P


@pytest.mark.parametrize("name", REQUESTS)
def test_if_one_rank_has_no_memory_for_an_array_all_raise(name):
    each_fails(REQUESTS[name])


@pytest.mark.parametrize("name", ["auto", "node-aware"])
def test_all_raise_on_two_nodes(name):
    each_fails(REQUESTS[name], LAST_APART)


def test_an_array_after_the_last_agreement_of_a_plan_would_leave_the_others_waiting():
    program, tell = emit(resolve(CHIRP)), "            self.own.Alltoallv([each.wants"
    assert program.count(tell) == 1
    wrong = program.replace(tell, f"            each.wants = each.wants + 0\n{tell}")
    program = evaluated(wrong)
    made = without_memory(*program, inf).made
    assert without_memory(*program, len(made) - 3).refused == [True] * CHIRP.P
    for i in (len(made) - 2, len(made) - 1):
        assert "call ordering" in without_memory(*program, i).fault
