"""Where arrays begin: transforms are run exactly with inputs and outputs that begin on a line of
the cache, and with others, whatever memory the checker happens to get.
"""

from itertools import product

import numpy as np
import pytest

from codegen.kernels.permute import tiles
from proofs.certify.checks.permutation import moved_again
from proofs.certify.failures import Wrong
from proofs.certify.fields.field_run import run_again
from proofs.certify.kernels.compiled import begins_on_line, on_line
from proofs.certify.evaluation.usage import again
from tests.support.changes import changed
from tests.support.in_process import right, workers_of
from tests.support.judged import refuted
from tests.support.kernels import permutations, vectors

LAST = {
    "permute": "    plan.lines.move(x, out)\n",
    "fft": "    local_1(plan.mail.places, memory_of(out), *plan.addresses_2)\n",
}
"""What each does last."""
MOVED = "    plan.lines_2.move(work, out)\n"
MANY = 10**6
"""More schedules than are tried several times each."""


def contract_of(program, schedules):
    """Return the first thing that is wrong in the exact runs of the contract, or nothing."""
    workers, declaration = workers_of(program)
    try:
        if declaration.transform == "permute":
            moved_again(workers, declaration, schedules)
        else:
            scripts = again(declaration, schedules)
            for outcomes in run_again(workers, declaration, np.random.default_rng(0), scripts):
                for outcome in outcomes:
                    right(outcome)
    except Wrong as wrong:
        return str(wrong)
    return ""


@pytest.fixture(scope="module")
def programs():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiles, "STREAM_FROM", 0)
        one, four = (permutations.text.__wrapped__(n=8, P=P) for P in (1, 4))
    return {"permute": one, "permute on 4": four, "fft": vectors.text(6)}


@pytest.mark.parametrize("places", [*product([False, True], repeat=2)])
@pytest.mark.parametrize("transform", ["permute", "fft"])
def test_a_transform_that_is_wrong_for_arrays_in_some_places_is_refuted(
    programs, transform, places
):
    wrong = f"if (begins_on_line(x), begins_on_line(out)) == {places}:\n        out[:] = out[::-1]"
    program = changed(programs[transform], (LAST[transform], f"{LAST[transform]}    {wrong}\n"))
    for schedules in (1, MANY):
        assert contract_of(program, schedules)


def test_streaming_stores_without_a_fence_are_refuted_in_exact_runs(programs):
    program = changed(programs["permute"], ("fence()", "None"))
    assert "no fence() after them" in contract_of(program, 1)
    assert "no fence() after them" in contract_of(program, MANY)


@pytest.mark.parametrize("place", [False, True])
def test_memory_of_a_plan_begins_on_a_line_by_accident(programs, place):
    program = changed(
        programs["permute on 4"],
        ("self.work = aligned(..., ...)", "self.work = np.empty(..., ...)"),
        (MOVED, f"{MOVED}    if begins_on_line(work) is {place}:\n        out[:] = out[::-1]\n"),
    )
    for schedules in (1, MANY):
        assert contract_of(program, schedules)


@pytest.mark.parametrize("array", ["x", "out"])
@pytest.mark.parametrize("past", [1, 3, 6])
def test_a_transform_that_is_wrong_past_a_line_is_refuted(programs, array, past):
    wrong = f"if begins_on_line({array}[{8 - past}:]):\n        out[:] = out[::-1]"
    change = (LAST["permute"], f"{LAST['permute']}    {wrong}\n")
    assert "contract" in refuted(changed(programs["permute"], change))


def test_arrays_are_copied_to_memory_that_begins_on_a_line():
    x = np.arange(12.0)
    for held in (on_line(x), on_line(x.astype("c8")), on_line(x.reshape(3, 4))):
        assert begins_on_line(held) and np.array_equal(held.ravel(), x)
