"""What was refused when programs were executed is not certified: programs as data, with the verdict
that has refused each.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.support.certified import fate_of
from tests.support.refused import CONTRACT, FOLDER, GATE, HOLDS, REFUTED, UNDECIDED, store

GATED = [each for each in store() if each.fate == REFUTED and each.verdict in GATE]
BY_CONTRACT = [each for each in store() if each.fate == REFUTED and each.verdict == CONTRACT]
LEFT = [each for each in store() if each.fate == UNDECIDED]
RIGHT = [each for each in store() if each.fate == HOLDS]
HOLDING = {
    "test_a_text_that_looks_behind_or_changes_the_process_is_not_certified[a text with it]": (
        "the text of an element, which nothing depends on"
    ),
    'fft, N = 16, P = 4, block to block, alltoall[line 124, statement dropped: raise ValueError(f"'
    '{name} must be an array of {DTYPE} with shape {(M,)}; got {what}")  ->  pass  in  raise'
    ' ValueError(f"{name} must be an array of {DTYPE} with shape {(M,)}; got {what}")]': (
        "a last section that is not known: `main` and `contract` are undecided"
    ),
}
"""Programs that were refused, or undecided, and that hold now: by their tests, with the reason why
they are right programs, or right but for what a certificate does not say.
"""
MOST_BYTES = 1 << 20


def test_there_are_many_programs_in_little_space():
    refused = Counter(each.verdict for each in store() if each.fate == REFUTED)
    assert {"layout", "messages", "function", "contract", "cost", "rounding"} <= refused.keys()
    assert len(GATED) + len(BY_CONTRACT) + len(LEFT) + len(RIGHT) == len(store())
    assert sum(path.stat().st_size for path in FOLDER.glob("*.json")) < MOST_BYTES


def test_every_program_can_be_made():
    assert [each.test for each in store() if not each.program()] == []


@pytest.mark.sampled(60, rest="long")
@pytest.mark.parametrize("each", GATED, ids=str)
def test_what_was_refused_does_not_hold_or_is_reviewed(each, tmp_path):
    assert fate_of(each.program(), tmp_path).fate != HOLDS or each.test in HOLDING


@pytest.mark.sampled(60, rest="long")
@pytest.mark.parametrize("each", BY_CONTRACT, ids=str)
def test_what_contract_alone_refused_does_not_hold_or_is_reviewed(each, tmp_path):
    assert fate_of(each.program(), tmp_path).fate != HOLDS or each.test in HOLDING


@pytest.mark.sampled(60, rest="long")
@pytest.mark.parametrize("each", LEFT, ids=str)
def test_what_was_undecided_does_not_hold_or_is_reviewed(each, tmp_path):
    assert fate_of(each.program(), tmp_path).fate != HOLDS or each.test in HOLDING


@pytest.mark.sampled(160, rest="long")
@pytest.mark.parametrize("each", RIGHT, ids=str)
def test_a_right_program_is_not_refuted(each, tmp_path):
    found = fate_of(each.program(), tmp_path)
    assert found.fate != REFUTED, found
