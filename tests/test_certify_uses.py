"""Programs that are right once, and wrong in some use: each is refused, and its right neighbour accepted."""

from functools import cache

import pytest

from codegen.emit import emit
from codegen.lower import build
from codegen.options import Options
from derive.verdict import Refuted
from proofs.trial import tried

WRAPPED = """
PLANS = []


def plan(comm, abort=False):
    made = _plan(comm, abort)
    PLANS.append(made)
    made.number, made.uses = len(PLANS), 0
    return made


def transform(x, plan, out=None):
    y = _transform(x, plan, out)
    plan.uses += 1
    if {condition}:
        y[...] = {wrong}
    return y


def _transform("""
USES = {
    "x with gaps": "not x.flags.c_contiguous",
    "x that nobody may write to": "not x.flags.writeable",
    **{f"transform number {k}": f"plan.uses == {k}" for k in (2, 3, 5, 9)},
    **{f"plan number {k}": f"plan.number == {k}" for k in (2, 3, 4, 5)},
    "out": "out is not None",
}
WRONG = {"times 1 + 2^-14": "y * (1 + 2**-14)", "complex64 in between": "y.astype(np.complex64)"}
CASES = [(use, wrong) for use in USES for wrong in WRONG]


@cache
def text():
    return emit(build("fft", 16, 2, "cyclic", "cyclic"), Options())


def wrapped(condition, wrong):
    found = text().replace("def plan(", "def _plan(", 1)
    head, middle, rest = found.partition("def transform(")
    assert middle
    return head + WRAPPED.format(condition=condition, wrong=wrong).lstrip() + rest


def refuted(program):
    return [name for name, verdict in tried("prog.py", program, 0).verdicts.items() if isinstance(verdict, Refuted)]


def test_a_program_that_is_right_in_every_use_is_accepted():
    assert refuted(wrapped("plan.uses > 0", "y * 1.0")) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("use", "wrong"), CASES)
def test_a_program_that_is_wrong_in_one_use_is_refused(use, wrong):
    assert refuted(wrapped(USES[use], WRONG[wrong])) in (["contract"], ["rounding"], ["function"])


def test_a_program_that_talks_on_the_callers_communicator_is_refused_where_messages_meet():
    right = emit(build("fft", 16, 4, "block", "cyclic", "pairwise"), Options(exchange="pairwise"))
    own = "self.program, self.comm, self.own = THIS, comm, comm.Dup()"
    assert own in right
    assert refuted(right) == []
    program = right.replace(own, own.replace("comm.Dup()", "comm")).replace("self.own.Free()", "pass")
    assert refuted(program) == ["messages"]


def test_a_plan_that_sets_an_exception_hook_unasked_is_refused():
    assert refuted(text().replace("if abort and not", "if not", 1)) == ["function"]


def test_a_transform_that_takes_a_plan_of_another_program_is_refused():
    look = "return plan.program is THIS"
    assert look in text()
    assert refuted(text().replace(look, "return plan.program is not None")) == ["contract"]
