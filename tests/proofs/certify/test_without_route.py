"""Programs by hand between layouts that no exchange of whole digits connects: nothing is generated for
them, and every row is decided.
"""  # noqa: E501

from __future__ import annotations

import pytest

from derive.verdict import Undecided
from proofs.certify.rows import AS_MEASURED, AS_STATED
from tests.support.certified import HOLDS, fate_of
from tests.support.judged import refuted, verdicts
from tests.support.paths import ROOT

WHOLE = (ROOT / "tests/proofs/certify/by_hand/allgather_whole.py").read_text("utf-8")
WHOLE = WHOLE.replace("np.zeros(N, dtype=DTYPE)", "np.empty(N, dtype=DTYPE)")
"""A program whose plans stay as they are, which takes less time."""
SIZES = {
    "P² does not divide N": (12, 4),
    "neither is a power of one prime": (12, 6),
    "one element each": (8, 8),
    "a prime number of ranks": (10, 5),
}
COST = "Cost    at most {} messages and {} words sent by a rank in {} exchange"


def gathering(N, P, *changes):
    """Return the program that gathers the vector on every rank, of N points on P ranks."""
    program = WHOLE.replace("N, P, M = 64, 4, 16", f"N, P, M = {N}, {P}, {N // P}")
    for old, new in changes:
        assert old in program
        program = program.replace(old, new)
    return program


def stating(*cost):
    """Return a change of the docstring, which then states a cost."""
    return "transforms all of it.", f"transforms all of it.\n\n{COST.format(*cost)}\n"


@pytest.mark.sampled(2)
@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize(("N", "P"), SIZES.values(), ids=SIZES)
def test_a_program_without_a_route_holds_with_its_measured_cost(N, P):
    found = verdicts(gathering(N, P))
    assert {name for name, each in found.items() if isinstance(each, Undecided)} <= {
        "contract",
        "main",
    }
    assert found["cost"].statement == AS_MEASURED
    assert f"1 exchange, {P - 1} messages, {(P - 1) * N // P} words" in found["cost"].evidence


def test_its_certificate_holds(tmp_path):
    assert fate_of(gathering(12, 4), tmp_path).fate == HOLDS


def test_a_wrong_place_or_result_is_refuted_there():
    cyclic = ("return np.divmod(k, M)", "return k % P, k // P")
    assert [*refuted(gathering(12, 4, cyclic))] == ["layout"]
    inverse = ("np.fft.fft(plan.whole)", "np.fft.ifft(plan.whole)")
    assert [*refuted(gathering(12, 4, inverse))] == ["function"]


@pytest.mark.long
def test_a_cost_that_it_states_is_compared_with_the_measured_one():
    assert verdicts(gathering(12, 4, stating(3, 9, 1)))["cost"].statement == AS_STATED
    words = refuted(gathering(12, 4, stating(3, 6, 1)))["cost"]
    assert words == (
        "measured are 1 exchange, 3 messages, 9 words; the docstring states 1 exchange, 3 messages,"
        " 6 words: correct or remove its line Cost"
    )


@pytest.mark.long
def test_a_wrong_cost_of_a_program_with_a_route_is_compared_with_the_measured_one_as_well():
    words = refuted(gathering(64, 4, stating(3, 6, 1)))["cost"]
    assert words.startswith("measured are 1 exchange, 3 messages, 48 words; the docstring states 1")
