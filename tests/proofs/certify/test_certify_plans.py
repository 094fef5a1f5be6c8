"""Programs whose plans, or arrays at an unusual address, are wrong where few runs come: each is
refused, and the emitted one accepted.
"""

import re
from functools import cache
from textwrap import indent

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.verdict import Checked, Refuted, Undecided, holds
from proofs.certify.checks.messages import OTHER_MESSAGES
from proofs.certify.program import certify, verify
from proofs.certify.rows import AS_STATED, all_hold
from tests.support.changes import changed
from tests.support.judged import refuted, verdicts
from tests.support.programs import headless

OPTIONS = {"alltoall": {}, "shared": {"exchange": "shared"}, "pyfftw": {"kernels": "pyfftw"}}


@cache
def text(which):
    return emit(resolve(make_request("fft", 16, 4, **OPTIONS[which])))


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("which", OPTIONS)
def test_an_emitted_program_is_accepted(which):
    assert refuted(text(which)) == {}


TREATED = "    x, out = arrays(x, plan, out)\n"
GUARDED = f"""{TREATED}    if plan.own.allreduce(int(not np.isfinite(x).all())):
        raise ValueError("x has infinities or NaN")
"""


def test_a_cost_that_is_not_that_of_a_guard_is_refuted_in_words_that_cure_it():
    program = emit(resolve(make_request("fft", 16, 4))).replace(TREATED, GUARDED)
    found = verdicts(program, short=True)["cost"]
    assert isinstance(found, Refuted)
    assert found.counterexample == (
        "1 synchronisation instead of 0; if this is meant, remove the line Cost of the docstring:"
        " it states 3 exchanges, 9 messages, 9 words; measured are 3 exchanges, 9 messages,"
        " 9 words, 1 synchronisation"
    )
    cured = "".join(line for line in program.splitlines(True) if not line.startswith("Cost "))
    found = verdicts(cured, short=True)["cost"]
    assert isinstance(found, Checked) and "9 words, 1 synchronisation" in found.evidence


STATED = "at most 9 messages and 9 words sent by a rank in 3 exchanges"


@pytest.mark.parametrize(
    "words",
    [
        "at most 12 messages and 9 words sent by a rank in 3 exchanges",
        "at most 9 messages and 6 words sent by a rank in 3 exchanges",
        "at most 9 messages and 9 words sent by a rank in 1 exchange",
    ],
)
def test_a_cost_is_refuted_where_the_docstring_states_another_one(words):
    program = emit(resolve(make_request("fft", 16, 4)))
    assert STATED in program
    found = verdicts(program.replace(STATED, words, 1), short=True)["cost"]
    assert isinstance(found, Refuted) and found.statement == AS_STATED
    assert "the program sends 3 exchanges, 9 messages, 9 words: write" in found.counterexample
    assert repr(f"Cost    {STATED}, 104 flops") in found.counterexample


def test_flops_that_a_docstring_states_are_not_measured_and_a_wrong_number_is_undecided():
    program = emit(resolve(make_request("fft", 16, 4)))
    with pytest.raises(ValueError, match=r"the docstring has 'Cost .* 105 flops'; for the"):
        verdicts(program.replace("104 flops", "105 flops", 1), short=True)


@pytest.mark.parametrize(("stated", "kind"), [("numpy", Checked), ("numba", Refuted)])
def test_a_stated_cost_is_that_of_the_supersteps_which_are_measured(stated, kind):
    """On two ranks programs with compiled kernels may have the supersteps of others."""
    lines = {
        kernels: re.search("^Cost .*$", text, re.MULTILINE)[0]
        for kernels in ("numpy", "numba")
        for text in [emit(resolve(make_request("fft", 16, 2, kernels=kernels)))]
    }
    _, mark, rest = emit(resolve(make_request("fft", 16, 2))).partition("import contextlib")
    rest = rest.replace('KERNELS, EXCHANGE = "numpy"', 'KERNELS, EXCHANGE = "numba"', 1)
    found = verdicts(f'"""Mine.\n\n{lines[stated]}\n"""\n{mark}{rest}', short=True)["cost"]
    assert isinstance(found, kind)
    if kind is Refuted:
        assert f"write {lines['numpy']!r}" in found.counterexample


# Transforms that send other messages than the first

ALL = "plan.own.Alltoall(out, work)"
PAIRS = """for step in range(P):
    to, source = (plan.own.rank + step) % P, (plan.own.rank - step) % P
    plan.own.Sendrecv(out[to : to + 1], to, recvbuf=work[source : source + 1], source=source)"""
INDENTED = indent(PAIRS, "    ")
MADE = "self.work = np.empty(M, DTYPE)"
LATER = {
    "two schedules in turns": (
        f"plan.warm = not plan.warm\nif plan.warm:\n    {ALL}\nelse:\n{INDENTED}"
    ),
    "another schedule later": f"if plan.warm:\n{INDENTED}\nelse:\n    {ALL}\nplan.warm = True",
    "a first exchange more": f"if not plan.warm:\n    {ALL}\nplan.warm = True\n{ALL}",
    "a barrier later": f"if plan.warm:\n    plan.own.Barrier()\nplan.warm = True\n{ALL}",
    "two exchanges later": f"if plan.warm:\n    {ALL}\nplan.warm = True\n{ALL}",
    "an exchange more in every transform": f"{ALL}\n{ALL}",
}
DEARER = {
    "a first exchange more": "6 messages instead of 3",
    "a barrier later": "9 synchronisations in 16 transforms, and 0 in one",
    "two exchanges later": "rank 0 sends 75 messages with 75 words in 16 transforms, and 3 with 3",
    "an exchange more in every transform": "6 messages instead of 3",
}
"""Those that cost more than the program states."""


def with_later(name):
    program = emit(resolve(make_request("fft", 16, 4, "cyclic", "cyclic")))
    return changed(program, (MADE, f"{MADE}\nself.warm = False"), (ALL, LATER[name]))


@pytest.mark.sampled(3)
@pytest.mark.long
@pytest.mark.parametrize("name", LATER)
def test_other_messages_leave_the_contract_undecided_and_a_stated_cost_refuted(name):
    program = with_later(name)
    found = verdicts(program)
    wrong = {row: v.evidence for row, v in found.items() if isinstance(v, Refuted)}
    assert list(wrong) == ["cost"] * (name in DEARER)
    assert DEARER.get(name, "") in wrong.get("cost", "")
    stated_nowhere = verdicts(headless(program))
    assert all_hold(stated_nowhere)
    for contract in (found["contract"], stated_nowhere["contract"]):
        assert isinstance(contract, Undecided) == (name != "an exchange more in every transform")
        assert holds(contract) or contract.reason == f"repeated use holds; {OTHER_MESSAGES}"


WARM = f"if plan.warm:\n{{}}\nplan.warm = True\n{ALL}"
IN_TURNS = f"if plan.warm:\n{{}}\nelse:\n    {ALL}\nplan.warm = not plan.warm"
OTHER = "plan.own.rank ^ 1"
PAIR = f"    plan.own.Sendrecv(out, {OTHER}, {{}}, work, {OTHER}, {{}})"
WRONG_LATER = {
    "tags that do not match": (WARM.format(PAIR.format(1, 2)), "messages", "deadlock"),
    "a barrier of one rank": (
        WARM.format("    if plan.own.rank == 2:\n        plan.own.Barrier()"),
        "messages",
        "one order",
    ),
    "a send without a wait": (
        WARM.format(f"    plan.own.Isend(out, {OTHER})\n    plan.own.Recv(work, {OTHER})"),
        "messages",
        "the buffer",
    ),
    "a message missing": (
        IN_TURNS.format(INDENTED.replace("range(P)", "range(1, P)")),
        "contract",
        "left over from an earlier transform",
    ),
    "messages of others": (
        IN_TURNS.format(INDENTED.replace("P, (plan", "P, (2 * plan")),
        "messages",
        "deadlock",
    ),
    "another result": (
        f"{ALL}\nif plan.warm:\n    work[1] *= -1\nplan.warm = True",
        "contract",
        "in transform 3 of 16",
    ),
    "the rounding of a constant times a large number": (
        f"{ALL}\nif plan.warm:\n    work[1] += work[2] * np.sin(np.pi) * 2.0**50\n"
        "plan.warm = not plan.warm",
        "rounding",
        "(on ordinary numbers, in the second",
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", WRONG_LATER)
def test_what_is_wrong_in_a_later_transform_is_refuted(name):
    exchange, row, words = WRONG_LATER[name]
    program = emit(resolve(make_request("fft", 16, 4, "cyclic", "cyclic")))
    found = refuted(changed(program, (MADE, f"{MADE}\nself.warm = False"), (ALL, exchange)))
    assert list(found) == [row] and words in found[row], found


def test_what_a_later_transform_does_not_send_is_refuted():
    """An exchange that only the first transform has; later ones use what it has left."""
    wrong = with_later("two exchanges later").replace("if plan.warm", "if not plan.warm")
    wrong = changed(wrong, (f"plan.warm = True\n{ALL}", "plan.warm = True"))
    assert "left over from an earlier transform" in refuted(wrong)["contract"]


@pytest.mark.long
def test_a_certificate_whose_contract_is_open_for_its_messages_is_verified(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(with_later("two schedules in turns"), encoding="utf-8")
    assert certify(path, ran=0).holds
    _, again = verify(path)
    assert all_hold(again)
