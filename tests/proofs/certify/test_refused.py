"""What was refused when programs were executed is not certified: programs as data, with the verdict
that has refused each.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.support.certified import fate_of
from tests.support.refused import (
    CONTRACT,
    FOLDER,
    GATE,
    HOLDS,
    REFUTED,
    UNDECIDED,
    store,
    without_numbers,
)

TODAY = [each for each in store() if each.words]
EARLIER = [each for each in store() if not each.words]
GATED = [each for each in EARLIER if each.fate == REFUTED and each.verdict in GATE]
BY_CONTRACT = [each for each in EARLIER if each.fate == REFUTED and each.verdict == CONTRACT]
LEFT = [each for each in EARLIER if each.fate == UNDECIDED]
RIGHT = [each for each in EARLIER if each.fate == HOLDS]
REVIEWED = json.loads(Path(__file__).with_name("reviewed.json").read_text("utf-8"))
"""Programs that were refused, or undecided, and that hold now: the names of their tests, with the
reason why they are right, or right but for what a certificate does not say.
"""
HOLDING = {name for group in REVIEWED for name in group["programs"]}
MOST_BYTES = 1 << 20


def test_there_are_many_programs_in_little_space():
    refused = Counter(each.verdict for each in store() if each.fate == REFUTED)
    assert {"layout", "messages", "function", "contract", "cost", "rounding"} <= refused.keys()
    assert len(GATED) + len(BY_CONTRACT) + len(LEFT) + len(RIGHT) == len(EARLIER)
    assert sum(path.stat().st_size for path in FOLDER.glob("*.json")) < MOST_BYTES


@pytest.mark.long
def test_every_program_can_be_made():
    assert [each.test for each in store() if not each.program()] == []


@pytest.mark.sampled(16)
@pytest.mark.sampled(10, rest="long")
@pytest.mark.parametrize("each", TODAY, ids=str)
def test_a_wrong_program_is_refused_for_the_right_reason(each, tmp_path):
    found = fate_of(each.program(), tmp_path)
    assert found.fate == each.fate, found
    reason = found.reasons[each.verdict] if each.verdict else found.error
    assert each.words in without_numbers(reason)


def test_each_reviewed_program_is_stored_once():
    """That it holds is a case of the next tests."""
    names = Counter(name for group in REVIEWED for name in group["programs"])
    stored = Counter(each.test for each in (*GATED, *BY_CONTRACT, *LEFT))
    assert {name: (count, stored[name]) for name, count in names.items()} == dict.fromkeys(
        names, (1, 1)
    )
    assert all(group["reason"] for group in REVIEWED)


@pytest.mark.sampled(24)
@pytest.mark.sampled(15, rest="long")
@pytest.mark.parametrize("each", GATED, ids=str)
def test_what_was_refused_holds_only_where_it_is_reviewed(each, tmp_path):
    found = fate_of(each.program(), tmp_path)
    assert (found.fate == HOLDS) == (each.test in HOLDING), found


@pytest.mark.sampled(12)
@pytest.mark.sampled(10, rest="long")
@pytest.mark.parametrize("each", BY_CONTRACT, ids=str)
def test_what_contract_alone_refused_holds_only_where_it_is_reviewed(each, tmp_path):
    found = fate_of(each.program(), tmp_path)
    assert (found.fate == HOLDS) == (each.test in HOLDING), found


@pytest.mark.sampled(24)
@pytest.mark.sampled(15, rest="long")
@pytest.mark.parametrize("each", LEFT, ids=str)
def test_what_was_undecided_holds_only_where_it_is_reviewed(each, tmp_path):
    found = fate_of(each.program(), tmp_path)
    assert (found.fate == HOLDS) == (each.test in HOLDING), found


@pytest.mark.sampled(36)
@pytest.mark.long
@pytest.mark.parametrize("each", RIGHT, ids=str)
def test_a_right_program_is_not_refuted(each, tmp_path):
    found = fate_of(each.program(), tmp_path)
    assert found.fate != REFUTED, found
