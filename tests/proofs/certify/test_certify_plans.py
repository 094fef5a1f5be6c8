"""Programs whose plans, or arrays at an unusual address, are wrong where few runs come: each is
refused, and the emitted one accepted.
"""

from functools import cache

import pytest

from codegen.emit.text import emit
from codegen.spec import Spec
from derive.verdict import Refuted
from proofs.certify.checks.suite import tried
from tests.support.changes import changed

OPTIONS = {"alltoall": {}, "shared": {"exchange": "shared"}, "pyfftw": {"kernels": "pyfftw"}}
WRONG = {
    "the size of a communicator that is freed": (
        "shared",
        ("size = node.size\nnode.Free()", "node.Free()\nsize = node.size"),
        "messages",
        "the communicator has been freed",
    ),
    "shared memory of two nodes": (
        "shared",
        ("if size != P:", "if False:"),
        "messages",
        "ranks of several nodes",
    ),
    "two nodes that only one rank refuses": (
        "shared",
        ("if size != P:", "if size == 1:"),
        "messages",
        "enter its collective calls in one order",
    ),
    "a communicator that is left where another number of ranks is refused": (
        "alltoall",
        ("if comm.size != P:", "if comm.size != P and comm.Dup():"),
        "contract",
        "plan on 1 ranks, where P = 4, is refused, and resource leak",
    ),
    "an x that is no vector of the processor's": (
        "pyfftw",
        ("np.copyto(given, source)", "np.copyto(source, given)"),
        "contract",
        "aligned",
    ),
    "an out that is no vector of the processor's": (
        "pyfftw",
        ("np.copyto(target, fourier(given, made))", "fourier(given, made)"),
        "contract",
        "aligned",
    ),
}


@cache
def text(which):
    return emit(Spec("fft", 16, 4, **OPTIONS[which]))


def refuted(program):
    return {
        name: verdict.counterexample
        for name, verdict in tried("prog.py", program, 0).verdicts.items()
        if isinstance(verdict, Refuted)
    }


@pytest.mark.long
@pytest.mark.parametrize("which", OPTIONS)
def test_an_emitted_program_is_accepted(which):
    assert refuted(text(which)) == {}


@pytest.mark.long
@pytest.mark.parametrize("wrong", WRONG)
def test_a_plan_that_is_wrong_where_few_runs_come_is_refused(wrong):
    which, change, verdict, words = WRONG[wrong]
    found = refuted(changed(text(which), change))
    assert words in found[verdict]
