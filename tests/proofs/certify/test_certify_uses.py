"""Programs that are right once, and wrong in some use: each is refused, and its right neighbour
accepted.
"""

from functools import cache

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.mpi.faults import NotModelled
from codegen.spec import Spec
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.verdict import Refuted
from proofs.certify.checks.rounding import random_vector, reference, relative_error
from proofs.certify.checks.suite import tried
from proofs.certify.failures import Wrong
from proofs.certify.reading import declared
from proofs.certify.sandbox.loading import Text
from proofs.certify.sandbox.source import Source
from proofs.certify.workers import on_ranks
from proofs.certify.evaluation.jobs import OfNumbers
from proofs.certify.workers.misuse import Misused
from proofs.certify.evaluation.usage import IN_TURNS, together, vectors
from tests.support.changes import changed, changed_once
from tests.support.in_process import workers_of
from tests.support.lines import DEFINITION, END, START

pytestmark = pytest.mark.sampled(6)

WRAPPED = """
def transform(x, plan, out=None):
    y = _transform(x, plan, out)
    if {condition}:
        y[...] = {wrong}
    return y


def _transform("""
USES = {
    "x with gaps": "not x.flags.c_contiguous",
    "x that nobody may write to": "not x.flags.writeable",
    "out": "out is not None",
}
WRONG = {"times 1 + 2^-14": "y * (1 + 2**-14)", "complex64 in between": "y.astype(np.complex64)"}
CASES = [(use, wrong) for use in USES for wrong in WRONG]


@cache
def text():
    return emit(Spec("fft", 16, 2, "cyclic", "cyclic"))


def wrapped(condition, wrong):
    head, middle, rest = text().partition("def transform(")
    assert middle
    return head + WRAPPED.format(condition=condition, wrong=wrong).lstrip() + rest


def refuted(program):
    return [
        name
        for name, verdict in tried("prog.py", program, 0).verdicts.items()
        if isinstance(verdict, Refuted)
    ]


def test_a_program_that_is_right_in_every_use_is_accepted():
    assert refuted(wrapped("plan is not None", "y * 1.0")) == []


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("use", "wrong"), CASES)
def test_a_program_that_is_wrong_in_one_use_is_refused(use, wrong):
    assert refuted(wrapped(USES[use], WRONG[wrong])) in (["contract"], ["rounding"], ["function"])


@pytest.mark.long
def test_a_program_that_talks_on_the_callers_communicator_is_refused_where_messages_meet():
    right = emit(Spec("fft", 16, 4, "block", "cyclic", "pairwise"))
    own = "self.comm, self.own, rank = comm, comm.Dup(), comm.rank"
    assert own in right
    assert refuted(right) == []
    program = changed(right, (own, own.replace("comm.Dup()", "comm")), ("self.own.Free()", "pass"))
    assert refuted(program) == ["messages"]


def test_a_transform_that_takes_a_plan_of_another_program_is_refused():
    look = ("if not isinstance(plan, Plan) or not plan.own:", "if not plan.own:")
    assert refuted(changed_once(text(), look)) == ["contract"]


SAVING = """
def plan(comm):
    made = _plan(comm)
    made.given, made.made = [], []
    return made


def transform(x, plan, *third, out=None):
    outs = [*third, out]
    {before}
    y = _transform(x, plan, outs[0])
    {after}
    plan.given.append(x)
    plan.made.append(y)
    return y


def _transform("""
NEVER_SEEN = {
    "an out that has the last result": (
        "if plan.made and outs[0] is plan.made[-1]: return outs[0]",
        "pass",
    ),
    "an x that was the last result": ("pass", "y *= 1 + bool(plan.made and x is plan.made[-1])"),
    "an out that is not named": ("pass", "y *= 1 + bool(third and third[0] is not None)"),
}
DESTROYED = {
    "the first x by the third transform": (
        "len(plan.given) == 2 and (memory := plan.given[0]).flags.writeable and memory.fill(0)"
    ),
    "an x with gaps by the sixth": "len(plan.given) == 5 and plan.given[4].fill(0)",
    "the first result by the seventh": "len(plan.given) == 6 and plan.made[0].fill(0)",
    "the last result by the ninth": "len(plan.given) == 8 and plan.made[-1].fill(0)",
}


def saving(before, after):
    head, _, rest = changed_once(text(), ("plan = Plan", "_plan = Plan")).partition(
        "def transform("
    )
    return head + SAVING.format(before=before, after=after).lstrip() + rest


def is_right(program, script=None):
    """Return whether all transforms of a script are right; raise Wrong where one is used
    wrongly.
    """
    d = declared(Text.of(Source.read("prog.py", program)).load())
    x = [random_vector(d, np.random.default_rng(i)) for i in range(2)]
    script = script or together(d)
    job = OfNumbers(d, tuple(vector[d.indices("input")] for vector in x), script, "contract")
    _, results = job.done(Text.of(Source.read("prog.py", program)))
    given = [reference(d, x[i]) for i in vectors(script)]
    return all(
        relative_error(d, wanted, parts) < 2**-40
        for wanted, parts in zip(given, results, strict=True)
    )


@pytest.fixture
def keeping(monkeypatch):
    """Take programs whose transforms keep what they are given."""
    for name in ("planned", "transforms", "transformed", "freed"):
        monkeypatch.setattr(on_ranks.Record, name, lambda *_: None)


KEPT = {
    "an x": "plan.x = x",
    "one in a dictionary of the module": "KEPT['x'] = x",
    "one in an object": "plan.one = One()\n    plan.one.x = x",
    "one in a list": "plan.xs = [x]",
}


@pytest.mark.parametrize("name", KEPT)
def test_a_transform_that_keeps_something_is_not_modelled(name):
    own = "KEPT = {}\n\n\nclass One:\n    pass\n\n\n"
    program = changed_once(
        text(), (DEFINITION, own + DEFINITION), (START, START + f"    {KEPT[name]}\n")
    )
    with pytest.raises(NotModelled, match="transform keeps what was not there before"):
        refuted(program)


def test_a_program_that_keeps_what_it_is_given_and_gives_is_right(keeping):
    assert is_right(saving("pass", "pass"))
    assert is_right(saving("pass", "pass"), IN_TURNS)


@pytest.mark.parametrize("use", NEVER_SEEN)
def test_a_program_that_is_wrong_in_a_documented_use_is_seen(use, keeping):
    program = saving(*NEVER_SEEN[use])
    assert not is_right(program)
    assert not is_right(program, IN_TURNS)


@pytest.mark.parametrize("use", DESTROYED)
def test_an_array_of_the_callers_that_is_destroyed_later_is_seen(use, keeping):
    with pytest.raises(
        Wrong, match=r"its input, which is to be left|an earlier result is written to"
    ):
        is_right(saving("pass", DESTROYED[use]))


def misused(program):
    """Return how misuse is refuted, None where it is not."""
    _, d = workers_of(program)
    data = np.zeros((d.P, d.M), d.dtype)
    try:
        Misused(d, data).done(Text.of(Source.read("prog.py", program)))
    except Wrong as wrong:
        return wrong.counterexample
    return None


WRONG_RANKS = "if comm.size != P:"
TAKEN = {
    "plan on 3 ranks": (WRONG_RANKS, "if comm.size in (1, 4, 6):"),
    "plan on 6 ranks": (WRONG_RANKS, "if comm.size in (1, 3, 4):"),
    "input_place(17)": ("(j < 0) | (j >= N)", "(j < 0) | (j == N)"),
    "input_place(-16)": ("(j < 0) | (j >= N)", "(j == -1) | (j >= N)"),
    "input_place(-2)": ("(j < 0) | (j >= N)", "(j == -1) | (j == -N) | (j >= N)"),
    "input_place(4294967296)": (
        "    j = np.asarray(j)\n",
        "    j = np.asarray(j)\n    j = j.astype(np.int32) if j.dtype == int else j\n",
    ),
    "a plan that is freed": ("if self.own:", "self.comm.Barrier()\nif self.own:"),
}
OF_TYPE = {
    "fft": [("x", "<f8"), ("x", "<f2"), ("x", ">u4"), ("out", "<c32"), ("x", "|b1")],
    "fht": [("x", "<f4"), ("x", "<i8")],
    "permute": [("x", "<i8"), ("out", "<M8[s]")],
}


@pytest.mark.parametrize("use", TAKEN)
def test_a_program_that_takes_what_its_contract_excludes_is_refuted(use):
    old, new = TAKEN[use]
    assert misused(changed(text(), (old, new))).startswith(use)


def test_a_plan_whose_second_free_is_an_error_is_not_refuted():
    program = changed(text(), ("if self.own:", "if True:"))
    assert misused(program) is None


@cache
def text_of(transform):
    reversal = (
        Bmmc(bmmc.named("bit-reversal", 4), "bit-reversal") if transform == "permute" else None
    )
    return emit(
        Spec(
            transform,
            16,
            2,
            permutation=reversal,
            dtype="complex128" if transform == "fft" else "float64",
        )
    )


@pytest.mark.parametrize(
    ("transform", "name", "dtype"),
    [(transform, *case) for transform, cases in OF_TYPE.items() for case in cases],
)
def test_a_program_that_returns_zeros_for_another_type_is_refuted(transform, name, dtype):
    assert START in text_of(transform)
    zeros = (
        f"    if np.asarray({name}).dtype.str == '{dtype}':\n        return np.zeros(M, DTYPE)\n"
    )
    assert f" {name} of {dtype} is taken" in misused(
        changed_once(text_of(transform), (START, zeros + START))
    )


@pytest.mark.parametrize("transform", OF_TYPE)
def test_an_emitted_program_refuses_all_other_types(transform):
    assert misused(text_of(transform)) is None


ODD = {
    "an out that is not aligned": (
        "out.flags.carray",
        "(out.flags.c_contiguous and out.flags.writeable)",
    ),
    "an out with a mask": ("held is not out", "False"),
}


@pytest.mark.parametrize("out", ODD)
def test_a_program_that_takes_an_out_that_is_no_plain_array_is_refuted(out):
    old, new = ODD[out]
    assert misused(changed(text(), (old, new))).startswith(f"{out} is taken")


def test_bytes_are_aligned_wherever_they_lie():
    reversal = Bmmc(bmmc.named("bit-reversal", 4), "bit-reversal")
    assert misused(emit(Spec("permute", 16, 2, permutation=reversal, dtype="S5"))) is None


def test_an_x_that_is_not_aligned_is_taken_or_refused_at_once():
    at_once = "    if not x.flags.aligned:\n        raise ValueError('x is not aligned')\n"
    late = at_once.replace("x.flags", "given.flags")
    assert misused(changed(text(), (START, at_once + START))) is None
    program = changed(text(), (START, "    given = x\n" + START), (END, late + END))
    assert misused(program).startswith("an x that is not aligned is refused after an exchange")


def test_places_of_unsigned_indices_are_looked_at():
    wrong = changed(
        text(),
        (
            "    return divmod(checked(j), 2)[::-1]\n",
            "    unsigned, (o, s) = np.asarray(j).dtype == 'u1', divmod(checked(j), 2)\n"
            "    return s, o ^ 1 if unsigned else o\n",
        ),
    )
    assert refuted(wrong) == ["layout"]


@pytest.mark.parametrize("transform", ["fft", "permute"])
def test_an_x_that_is_no_array_is_refused_at_once_or_taken_as_what_it_holds(transform):
    first = "    x, out = arrays(x, plan, out)\n"
    asked = "    if not isinstance(x, np.ndarray):\n        {}\n" + first
    wrong = asked.format("x = np.asarray(x) + 1")
    assert "an x that is no array, and holds one, has another transform" in misused(
        changed_once(text_of(transform), (first, wrong))
    )
    refusing = asked.format("raise TypeError('x is no array')")
    assert misused(changed_once(text_of(transform), (first, refusing))) is None
