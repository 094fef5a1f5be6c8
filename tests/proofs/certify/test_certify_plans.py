"""Programs whose plans, or arrays at an unusual address, are wrong where few runs come: each is
refused, and the emitted one accepted.
"""

from functools import cache

import pytest

from codegen.emit.text import emit
from codegen.spec import Spec
from derive.verdict import holds
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts

OPTIONS = {"alltoall": {}, "shared": {"exchange": "shared"}, "pyfftw": {"kernels": "pyfftw"}}
WRONG = {
    "the size of a communicator that is freed": (
        "shared",
        ("size = node.size\nnode.Free()", "node.Free()\nsize = node.size"),
        "messages",
        "the communicator is freed",
    ),
    "shared memory of two nodes": (
        "shared",
        ("if size != P:", "if False:"),
        "contract",
        "ranks of several nodes",
    ),
    "two nodes that only one rank refuses": (
        "shared",
        ("if size != P:", "if size == 1:"),
        "contract",
        "ranks enter collective calls in one order",
    ),
    "a communicator that is left where another number of ranks is refused": (
        "alltoall",
        ("if comm.size != P:", "if comm.size != P and comm.Dup():"),
        "contract",
        "resource leak",
    ),
    "an x that is no vector of the processor's": (
        "pyfftw",
        ("np.copyto(given, source)", "np.copyto(source, given)"),
        "contract",
        "elements that are uninitialised",
    ),
    "an out that is no vector of the processor's": (
        "pyfftw",
        ("np.copyto(target, fourier(given, made))", "fourier(given, made)"),
        "contract",
        "elements that are uninitialised",
    ),
}


@cache
def text(which):
    return emit(Spec("fft", 16, 4, **OPTIONS[which]))


@pytest.mark.long
@pytest.mark.parametrize("which", OPTIONS)
def test_an_emitted_program_is_accepted(which):
    assert refuted(text(which)) == {}


@pytest.mark.long
@pytest.mark.parametrize("wrong", WRONG)
def test_a_plan_that_is_wrong_where_few_runs_come_is_not_accepted(wrong):
    """Misuse is no reason to refute a program: what it does then leaves the contract undecided."""
    which, change, verdict, words = WRONG[wrong]
    found = verdicts(changed(text(which), change))[verdict]
    assert not holds(found) and words in found.evidence
