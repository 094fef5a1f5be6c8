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
from proofs.certify.checks.plan_check import chosen, without_memory, wrong_plans
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
AT_MOST = 4
"""Of a plan so many arrays are tried, and as many before and after its calls of communicators."""


def each_fails(request, nodes=ONE_NODE):
    program, P = evaluated(emit(resolve(request))), request.P
    found = without_memory(*program, None, inf, nodes)
    assert all(found.made) and found.refused == [False] * P
    for rank in (P - 1, 0):
        for i in chosen(found.made[rank], AT_MOST):
            assert without_memory(*program, rank, i, nodes).words == ""


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
    last = CHIRP.P - 1
    made = without_memory(*program, None, inf).made[last]
    assert without_memory(*program, last, len(made) - 3).words == ""
    for i in (len(made) - 2, len(made) - 1):
        assert "call ordering" in without_memory(*program, last, i).words


BEGUN, TABLE = "class Plan:", "            self.twiddle = tabulate("
RETURNED = "            except MemoryError:\n                self.twiddle = None\n"
ALONE = "            except MemoryError:\n                assert rank == 1\n"
NOTED = "            except MemoryError:\n                FAILED.append(1)\n                raise\n"
EXTRA = "        self.last = {}\n\n    def free(self):"
FALLIBLE = {
    "a plan without its table": ("tried", RETURNED, "all ranks return a plan"),
    "a module that counts failures": ("tried", NOTED, "it changes the state of the program"),
    "a rank that goes on alone": (
        "tried",
        ALONE,
        "if rank 1 has no memory for an array of its plan",
    ),
    "a rank that handles every exception, alone": (
        "tried",
        ALONE.replace("MemoryError", "Exception"),
        "if rank 1 has no memory for an array of its plan",
    ),
    "a rank that handles what is raised, alone": (
        "tried",
        ALONE.replace(" MemoryError", ""),
        "if rank 1 has no memory for an array of its plan",
    ),
    "arrays in a tuple": ("extra", "np.nonzero(self.twiddle)", "others return a plan"),
    "an array of the first rank": (
        "extra",
        "np.empty(M) if rank == 0 else None",
        "if rank 0 has no memory for an array of its plan",
    ),
    "an array of another rank": (
        "extra",
        "np.empty(M) if rank == 1 else None",
        "if rank 1 has no memory for an array of its plan",
    ),
}


@pytest.mark.parametrize("name", FALLIBLE)
def test_a_plan_that_fails_in_another_way_is_found(name):
    kind, text, words = FALLIBLE[name]
    right = emit(resolve(make_request("fft", 16, 4)))
    if kind == "extra":
        wrong = right.replace("\n    def free(self):", EXTRA.format(text))
    else:
        table = next(line for line in right.splitlines() if line.startswith(TABLE))
        tried = f"            try:\n    {table}\n{text}"
        wrong = right.replace(f"{table}\n", tried).replace(BEGUN, f"FAILED = []\n\n\n{BEGUN}", 1)
    assert wrong != right
    assert any(words in each for each in wrong_plans(*evaluated(wrong)))
