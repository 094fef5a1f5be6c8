"""If one rank has no memory for an array of its plan, no rank is left waiting for it: arrays all
over a plan fail in turn, on the first rank and on the last one.
"""

from __future__ import annotations

from math import inf

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from proofs.certify.checks.plan_check import Failing
from proofs.certify.evaluation.evaluated_source import called, method
from proofs.certify.language.table_entries import Refuted
from proofs.certify.language.values.function_values import Raised
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
"""Of so many arrays of a plan each is tried, of more these."""


def refusing(program, nodes=ONE_NODE, left=inf, failing=0):
    """Return which ranks refuse to make a plan if one rank has memory for so many arrays, and how
    many arrays that rank asks for.
    """
    evaluation, d = evaluated(program)
    own = Failing(left)

    def on_rank(state, comm):
        limits = state.limits
        try:
            state.limits = own if comm.rank == failing else limits
            plan = called(state, "plan", comm)
        except Raised:
            return True
        finally:
            state.limits = limits
        method(state, plan, "free")
        return False

    return evaluation.ranks(d.P, None, nodes).evaluate(on_rank), own.made


def each_fails(request, nodes=ONE_NODE):
    program, P = emit(resolve(request)), request.P
    for failing in (0, P - 1):
        refused, count = refusing(program, nodes, failing=failing)
        assert count > 0 and refused == [False] * P
        for left in spread(count):
            assert refusing(program, nodes, left, failing)[0] == [True] * P


def spread(count):
    """Return numbers below count, so many at most, with the first and the last one."""
    return sorted({i * (count - 1) // (AT_MOST - 1) for i in range(AT_MOST)})


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
    _, count = refusing(wrong)
    assert refusing(wrong, left=count - 3)[0] == [True] * CHIRP.P
    for left in (count - 2, count - 1):
        with pytest.raises(Refuted, match="call ordering"):
            refusing(wrong, left=left)
