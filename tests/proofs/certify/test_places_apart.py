"""Functions of locations return the same after plans have been made, and transforms the same after
locations have been asked for.
"""

import pytest

from derive.verdict import Checked, Undecided
from tests.support.judged import refuted, verdicts
from tests.support.programs import fft

PLACE, OWN = "def input_place(j):\n", "        self.comm, self.own, rank ="
RESULT, INDEX = "    return out\n", "    return rank * 4 + o\n"


def keeping(asked="", planned="", done="", index=INDEX):
    """Return a program with a list KEPT, and more statements where locations are asked for, where a
    plan is made and where a transform ends; with this end of input_index.
    """
    text = fft().replace(PLACE, f"KEPT = []\n\n\n{PLACE}{asked}", 1)
    text = text.replace(OWN, f"{planned}{OWN}", 1).replace(RESULT, f"{done}{RESULT}", 1)
    return text.replace(INDEX, index, 1)


NEGATED = "    np.multiply(out, 1 - 2 * len(KEPT), out=out)\n"
ASKED = "    KEPT[:] = [4]\n"
PLANNED = "        KEPT[:] = [4]\n"
WRONG = {
    "a place by a plan": (
        keeping("    j = (j + len(KEPT)) % N\n", PLANNED),
        "layout",
        "after plan(comm), input_place is another one on rank 0",
    ),
    "an index by a plan": (
        keeping("", PLANNED, "", "    return rank * 4 + (o + len(KEPT)) % M\n"),
        "layout",
        "after plan(comm), input_index is another one on rank 0",
    ),
    "a transform by a place": (
        keeping(ASKED, "", NEGATED),
        "contract",
        "transform has other results once locations were computed",
    ),
    "a transform by a place after its plan": (
        keeping(
            ASKED, "        KEPT[:] = []\n", "    np.multiply(out, 1 - 2 * len(KEPT), out=out)\n"
        ),
        "contract",
        "transform has other results once locations were computed",
    ),
}
RIGHT = {
    "a place that keeps something": keeping(ASKED),
    "a plan that keeps something": keeping(
        "", PLANNED, "", "    return rank * (KEPT or [4])[0] + o\n"
    ),
    "a transform by what a place keeps": keeping(
        ASKED, "", "    np.multiply(out, (KEPT or [4])[0] // 4, out=out)\n"
    ),
}


@pytest.mark.sampled(1, rest="long")
@pytest.mark.parametrize("name", WRONG)
def test_what_is_asked_for_in_another_order_and_goes_wrong_is_refuted(name):
    program, row, words = WRONG[name]
    assert refuted(program) == {row: words}


@pytest.mark.sampled(1, rest="long")
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_kept_and_changes_nothing_is_not_refuted(name):
    assert not refuted(RIGHT[name])


@pytest.mark.long
def test_a_shape_of_no_rank_leaves_the_contract_open():
    text = fft(10, 3)
    assert isinstance(verdicts(text)["contract"], Checked)
    found = verdicts(text.replace("if not 0 <= rank < P:", "if rank < 0:"))["contract"]
    assert isinstance(found, Undecided)
    assert "local_shape(3) returns a shape" in found.reason
