"""The contract of `convolve`, and of what it shares with `transform`: wrong programs are refuted or
open by name, and their right neighbours hold.
"""

from functools import cache

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.verdict import Checked, Refuted, Undecided
from proofs.certify.checks.convolution_check import UP_TO
from proofs.certify.checks.invalid_arguments import SECOND_BEGINNING
from proofs.certify.checks.plan_check import refuses_all_sizes
from proofs.certify.checks.suite import tried
from proofs.certify.evaluation.evaluated_source import Text
from proofs.certify.failures import NotModelled
from proofs.certify.rows import all_hold
from tests.support.judged import refuted, verdicts

MADE = "self.work = np.empty(M, DTYPE)"
TREATED = "    x, out = arrays(x, plan, out)\n"
BEGINS = "    y, out = arrays(y, plan, out)\n"
ENDS = "    plan.own.Alltoall(work, out)\n    return out\n"


@cache
def convolving(**options):
    return emit(resolve(make_request("fht", 16, 2, convolve=True, **options)))


def with_changes(keeps="", transform="", begins=BEGINS, ends=ENDS):
    """Return a program whose plan, `transform` and `convolve` do more."""
    program = convolving()
    more = f"{MADE}\n            {keeps}" if keeps else MADE
    begin, _, rest = program.partition("def convolve(")
    for old, new in ((MADE, more), (TREATED, TREATED + transform)):
        assert old in begin
        begin = begin.replace(old, new)
    for old, new in ((BEGINS, begins), (ENDS, ends)):
        assert old in rest
        rest = rest.replace(old, new, 1)
    begin = begin.replace("\n\n\nclass Plan:", "\nRANK = None\n\n\nclass Plan:")
    return f"{begin}def convolve({rest}"


def soon_refuted(program):
    """Return what a short check refutes."""
    found = verdicts(program, short=True)
    return {
        name: verdict.evidence for name, verdict in found.items() if isinstance(verdict, Refuted)
    }


def ending(more):
    return ENDS.replace("    return out\n", f"{more}    return out\n")


KEPT = f"    global RANK\n    RANK = plan.own.rank if RANK is None else RANK\n{BEGINS}"
STATE = {
    "the rank in another communicator": (
        "self.kept = None",
        "",
        KEPT,
        ending("    out *= 1 + (RANK != plan.own.rank)\n"),
        "convolution",
        "on ranks in reverse order",
    ),
    "transform after convolve": (
        "self.flag = False",
        "    if plan.flag:\n        out[:] = 0\n        return out\n",
        f"    plan.flag = False\n{BEGINS}",
        ending("    plan.flag = True\n"),
        "contract",
        "in call 3 of transform and convolve, transform (the third by the first plan)",
    ),
    "convolve after transform": (
        "self.flag = False",
        "    plan.flag = True\n",
        f"    flag = plan.flag\n{BEGINS}",
        ending("    if flag:\n        out *= 2\n    plan.flag = False\n"),
        "convolution",
        "in call 2 of transform and convolve, convolve (the second by the first plan)",
    ),
    "what convolve leaves in a buffer": (
        "self.spare = np.zeros(M, DTYPE)",
        "    x = x + plan.spare\n",
        f"    plan.spare[:] = 0\n{BEGINS}",
        ending("    plan.spare[:] = out\n"),
        "convolution",
        "left over from an earlier transform",
    ),
}


@pytest.mark.sampled(1)
@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", STATE)
def test_what_one_operation_leaves_for_the_other_is_refuted(name):
    *changes, row, words = STATE[name]
    assert words in soon_refuted(with_changes(*changes))[row]


def test_what_depends_on_how_many_transforms_went_before_is_undecided():
    transform = "    plan.calls += 1\n"
    ends = ending("    if plan.calls % 2:\n        out *= 2\n    plan.calls = 0\n")
    with pytest.raises(NotModelled, match="a count of transforms"):
        tried("prog.py", with_changes("self.calls = 0", transform, BEGINS, ends), 0, short=True)


@pytest.mark.long
def test_a_buffer_that_the_first_convolution_makes_is_no_fault():
    begins = f"    if plan.spare is None:\n        plan.spare = np.empty(M, DTYPE)\n{BEGINS}"
    found = verdicts(with_changes("self.spare = None", begins=begins))
    assert all_hold(found) and SECOND_BEGINNING in found["contract"].reason


REFUSED = "    if not y.flags.writeable:\n        raise ValueError('read-only')\n"
OPEN = {
    "y as out": ("    y = y.copy()\n" + BEGINS, ENDS, SECOND_BEGINNING),
    "a y of another dtype": (f"    y = np.asarray(y, DTYPE)\n{BEGINS}", ENDS, SECOND_BEGINNING),
    "a freed plan": (
        f"    if not plan.own:\n        return x.copy()\n{BEGINS}",
        ENDS,
        SECOND_BEGINNING,
    ),
    "a y that is read-only": (REFUSED + BEGINS, ENDS, "convolve refuses a y that is read-only"),
    "the caller's communicator": (
        BEGINS,
        ending("    plan.comm.Barrier()\n"),
        "Barrier() is a call of the communicator given to plan",
    ),
    "what a refused call leaves": (
        f"    plan.bad = 1\n{BEGINS}",
        ending("    plan.bad = 0\n"),
        "convolve refuses an x with more elements and changes the attribute bad of the plan first",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", OPEN)
def test_a_convolve_with_another_contract_leaves_it_open(name):
    begins, ends, words = OPEN[name]
    found = verdicts(with_changes("self.bad = 0", "", begins, ends))
    assert all_hold(found) and isinstance(found["contract"], Undecided)
    assert words in found["contract"].reason


def test_a_refused_convolution_after_which_another_one_is_wrong_is_refuted():
    begins = f"    bad, plan.bad = plan.bad, 1\n{BEGINS}"
    ends = ending("    plan.bad = 0\n    if bad:\n        out *= 2\n")
    found = refuted(with_changes("self.bad = 0", "", begins, ends))["contract"]
    assert found == (
        "after convolve has refused an x with more elements, the result of a transform is another"
        " one"
    )


WRONG = {
    "another result than out": (ending("    out = out.copy()\n"), "does not return z"),
    "y is changed": (ending("    if y.flags.writeable:\n        y[0] += 1\n"), "changes its input"),
    "an x with gaps": (
        ending("    if not x.flags.c_contiguous:\n        out *= 2\n"),
        "x with gaps",
    ),
    "a y with gaps": (ending("    if gaps:\n        out *= 2\n"), "y with gaps"),
    "an out of one rank alone": (
        ending("    if given is None:\n        plan.own.Barrier()\n"),
        "call ordering",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", WRONG)
def test_a_convolve_that_is_wrong_in_one_use_is_refuted(name):
    ends, words = WRONG[name]
    begins = f"    given, gaps = out, not y.flags.c_contiguous\n{BEGINS}"
    assert words in " ".join(soon_refuted(with_changes("", "", begins, ends)).values())


@pytest.mark.long
def test_the_emitted_program_keeps_its_contract():
    found = verdicts(convolving())
    assert isinstance(found["contract"], Checked)


@pytest.mark.long
def test_a_convolve_that_is_not_followed_leaves_the_contract_open():
    found = verdicts(convolving(kernels="numba"))["contract"]
    assert isinstance(found, Undecided) and "convolve has compiled kernels" in found.reason
    assert UP_TO < 2**20


@pytest.mark.long
def test_a_compiled_convolve_of_another_function_is_refuted():
    wrong = convolving(kernels="numba").replace(BEGINS, f"{BEGINS}    y = x\n")
    assert "for x_j = cos(j²) and z_j" in soon_refuted(wrong)["contract"]


# What a plan refuses

INTER = "not comm or comm.Is_inter()"
TOGETHER = '        with together(self.own, f"rank {comm.rank} cannot make its plan", self.free):\n'


@cache
def text():
    return emit(resolve(make_request("fft", 16, 4)))


PLANS = {
    "between groups": ((INTER, "not comm"), "a plan on an intercommunicator is made"),
    "alone": (
        (TOGETHER, "        if True:\n"),
        "if rank P - 1 has no memory for an array of its plan (line 140), it raises an exception"
        " and others return a plan",
    ),
    "a call after an array": (
        (MADE, f"self.own.Barrier()\n            {MADE}"),
        "(line 141), the ranks do not all raise an exception: line 59: call ordering: rank 0 in"
        " Barrier() at line 59, but rank 3 in allgather()",
    ),
    "an array before the last call": (
        (MADE, f"{MADE}\n        self.last = np.zeros(M)\n        self.own.Barrier()"),
        "(line 60), the ranks do not all raise an exception: call ordering: deadlock",
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_with_another_contract_leaves_it_open(name):
    change, words = PLANS[name]
    assert change[0] in text()
    found = verdicts(text().replace(*change))["contract"]
    assert isinstance(found, Undecided) and words in found.reason


SIZE = "        if comm.size != P:\n"
REFUSING = {
    SIZE: True,
    SIZE.replace("comm.size", "comm.Get_size()"): True,
    SIZE.replace("!= P", "not in (P, 3 * P)"): False,
    "        M = 4\n" + SIZE: False,
    SIZE + "            if comm.size == 12:\n                return\n": False,
    SIZE.replace("if", "while"): False,
}
"""Lines with which a plan begins, and whether they show that it refuses all other sizes."""


@pytest.mark.parametrize("lines", REFUSING)
def test_what_a_plan_begins_with_shows_which_sizes_it_refuses(lines):
    assert SIZE in text()
    plan = Text.read("prog.py", text().replace(SIZE, lines)).load()["plan"]
    assert refuses_all_sizes(plan) == REFUSING[lines]


@pytest.mark.long
def test_a_plan_on_three_times_as_many_ranks_leaves_its_contract_open():
    program = text().replace(SIZE, SIZE.replace("!= P", "not in (P, 3 * P)"))
    found = verdicts(program)["contract"]
    words = "plan refuses 2, 3, 5, 8 ranks, but other numbers are not tried"
    assert isinstance(found, Undecided) and words in found.reason


def test_the_emitted_plan_keeps_its_contract():
    found = verdicts(text())
    assert isinstance(found["contract"], Checked)
    assert not any(isinstance(verdict, Refuted) for verdict in found.values())
