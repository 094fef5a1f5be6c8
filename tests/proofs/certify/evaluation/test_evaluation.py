"""Programs are evaluated for their certificates: right ones by hand hold, wrong ones are refuted by
a rule, and what the language does not have is undecided by its line.
"""

from __future__ import annotations

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.verdict import Refuted, Undecided
from proofs.certify.checks.suite import tried
from proofs.certify.evaluation.evaluated_source import Text
from proofs.certify.evaluation.forms import Kept, marks_of, unwrite
from proofs.certify.failures import NotModelled
from proofs.certify.last_section import takes_all
from proofs.certify.rows import all_hold
from proofs.certify.scripts import usage
from proofs.certify.world import base
from tests.support.by_hand import gathered
from tests.support.paths import ROOT
from tests.support.programs import permute

SMALL = (ROOT / "generated/fft_12x10x8_4_slabs_batch.py").read_text("utf-8")
RING = (ROOT / "tests/proofs/certify/by_hand/ring.py").read_text("utf-8")
BEGINS = "    x, out = arrays(x, plan, out)\n"
ENDS = "    return out\n"
FREED = "        if self.own:\n            self.own.Free()\n"


def emitted():
    return permute("gray-code", 64, 4, dtype="i4,f8")


def changed(text, before, after):
    assert before in text
    return text.replace(before, after, 1)


def later(change):
    """Return the end of a transform that changes the result of the first one by its plan."""
    first = "    first, kept = not hasattr(plan, 'kept'), getattr(plan, 'kept', out)\n"
    return f"{first}    plan.kept = kept\n    if not first:\n        {change}\n{ENDS}"


def verdicts(text):
    return tried("program.py", text, 0).verdicts


def refuted(text):
    """Return the verdicts that are refuted, with their counterexamples."""
    found = verdicts(text)
    return {name: v.counterexample for name, v in found.items() if isinstance(v, Refuted)}


def test_what_an_emitted_program_refuses_is_decided_by_its_source():
    found = verdicts(emitted())
    assert all_hold(found, ())


@pytest.mark.parametrize("system", ["fft", "wht"])
def test_a_large_program_takes_arrays_as_a_small_one_and_its_new_results_are_aligned(system):
    text = emit(resolve(make_request(system, 2**20, 2, kernels="numba")))
    first = "arrays(x, plan, out, aligned)"
    assert takes_all(Text.read("program.py", text))
    for other in ("arrays(x, plan, out, blank)", "arrays(x, plan, None, aligned)"):
        assert not takes_all(Text.read("program.py", changed(text, first, other)))
    small = emit(resolve(make_request(system, 1024, 4)))
    own = changed(small, "arrays(x, plan, out)", first) + "\n\naligned = np.zeros\n"
    assert not takes_all(Text.read("program.py", own))


@pytest.mark.long
def test_a_large_program_with_compiled_kernels_is_used_again_by_short_scripts(monkeypatch):
    text = emit(resolve(make_request("fft", 64, 2, kernels="numba")))
    monkeypatch.setattr(usage, "LEAST_FROM_N", 32)
    found = verdicts(text)
    assert all_hold(found)
    assert found["contract"].evidence.startswith("three transforms: one by a plan, into the")
    kept = "    plan.first = getattr(plan, 'first', x)\n    x = plan.first\n"
    assert list(refuted(changed(text, BEGINS, BEGINS + kept))) == ["contract"]


@pytest.mark.long
def test_a_program_that_refuses_in_its_own_way_holds_with_an_open_contract():
    text = changed(emitted(), BEGINS, f"    assert plan is not None\n{BEGINS}")
    found = verdicts(text)
    assert all_hold(found)
    assert isinstance(found["contract"], Undecided)
    assert "transform does not begin with" in found["contract"].reason


@pytest.mark.long
def test_a_program_without_a_stated_cost_has_a_measured_one():
    lines = [line for line in emitted().splitlines() if not line.startswith("Cost ")]
    more = f"{BEGINS}    plan.own.Allgather(np.zeros(1), np.zeros(P))\n"
    text = changed("\n".join(lines) + "\n", BEGINS, more)
    found = verdicts(text)
    assert all_hold(found)
    assert "states no cost" in found["cost"].statement
    assert "cost" in refuted(changed(emitted(), BEGINS, more))


@pytest.mark.parametrize(
    ("before", "after", "name", "words"),
    [
        (BEGINS, f"{BEGINS}    x[0] = x[1]\n", "function", ""),
        (FREED, "        pass\n", "messages", "resource leak"),
        (ENDS, "    return x\n", "function", ""),
        (ENDS, later("kept[:] = kept[::-1].copy()"), "contract", "belongs to the caller"),
        (ENDS, later("kept[0] = kept[1]"), "contract", "belongs to the caller"),
    ],
)
def test_a_wrong_line_is_refuted_by_its_rule(before, after, name, words):
    found = refuted(changed(emitted(), before, after))
    assert list(found) == [name]
    assert words in found[name]


@pytest.mark.parametrize("dtype", ["c16", "c8", "f4", "u8", "u1", "i4,f8"])
def test_each_uninitialised_entry_of_numbers_is_another_and_none_is_a_number(dtype):
    array, rng = np.zeros((4, 6), dtype)[:, ::2], np.random.default_rng(0)
    unwrite(array, rng)
    kept = Kept(array, None, 0, marks=marks_of(array).tobytes())
    assert not kept.fault
    assert array.dtype.kind not in "fc" or np.isnan(array.real).all()
    assert array.dtype.kind != "c" or np.isnan(array.imag).all()
    before = array.copy()
    array[0, :2] = array[0, 1::-1].copy()
    assert kept.fault
    array[...] = before
    assert not kept.fault
    unwrite(array, rng)
    assert kept.fault


def test_what_counts_its_transforms_is_undecided():
    text = changed(emitted(), BEGINS, f"{BEGINS}    plan.count = getattr(plan, 'count', 0) + 1\n")
    with pytest.raises(NotModelled, match="changes the attribute count of the plan"):
        verdicts(text)


@pytest.mark.long
def test_elements_that_an_earlier_transform_has_left_have_no_value():
    kept = "    old = getattr(plan, 'old', x)\n    plan.old = x.copy()\n    x = old\n"
    begins = "    x, y = arrays(x, plan, out)\n"
    found = refuted(changed(SMALL, begins, begins + kept))
    assert list(found) == ["contract"]


def test_what_the_language_does_not_have_is_undecided_by_its_line():
    text = changed(emitted(), BEGINS, f"{BEGINS}    eval('1')\n")
    with pytest.raises(NotModelled, match=r"line \d+: eval"):
        verdicts(text)


def test_what_counts_in_a_list_that_a_cached_function_keeps_is_undecided():
    box = "\n\n@functools.cache\ndef box():\n    return []\n\n\ndef transform(x, plan"
    text = changed(emitted(), "\n\ndef transform(x, plan", box)
    text = changed(text, "import contextlib\n", "import contextlib\nimport functools\n")
    counts = changed(text, BEGINS, f"{BEGINS}    box().append(1)\n")
    with pytest.raises(NotModelled, match="changes the state of the program"):
        verdicts(counts)


@pytest.mark.parametrize(
    "sends",
    [
        "plan.own.Sendrecv(x, dest=plan.right, recvbuf=np.empty_like(x), source=plan.left)",
        "plan.own.Barrier()",
    ],
)
def test_messages_without_end_are_undecided_with_their_line(sends, monkeypatch):
    monkeypatch.setattr(base, "MOST_CALLS", 256)
    begins = "    travelling = np.fft.fft(x)\n"
    line = RING[: RING.index(begins)].count("\n") + 2
    text = changed(RING, begins, f"    while True:\n        {sends}\n{begins}")
    words = rf"line {line}: transform calls communicators more than 256 times on rank \d"
    with pytest.raises(NotModelled, match=words):
        verdicts(text)


def test_integers_of_numpy_are_constants_as_integers_are():
    text = changed(gathered(), "N, P, M = 16, 2, 8\n", "N, P, M = np.int64(16), np.int64(2), 8\n")
    assert all_hold(verdicts(text))


def test_an_inaccurate_result_says_what_is_known_of_its_error():
    matrix = "np.exp(-2j * np.pi * np.outer(np.arange(N), np.arange(N)) / N) @ plan.whole"
    text = changed(gathered(), "np.fft.fft(plan.whole)", matrix)
    assert "; on exact numbers the result is right, so" in refuted(text)["rounding"]
