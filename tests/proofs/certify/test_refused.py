"""What was refused when programs were executed is not certified: programs as data, with the verdict
that has refused each.
"""

from __future__ import annotations

from collections import Counter

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
HOLDING = {
    "test_a_text_that_looks_behind_or_changes_the_process_is_not_certified[a text with it]": (
        "the text of an element, which nothing depends on"
    ),
    "test_an_error_of_a_name_that_is_caught_is_not_taken": "the error is the one of CPython",
    **dict.fromkeys(
        (
            "test_a_text_that_is_right_only_where_it_is_watched_is_not_accepted[an error that is"
            " left behind]",
            "test_a_text_that_is_right_only_where_it_is_watched_is_not_accepted[an error that is"
            " suppressed]",
            "test_a_text_that_is_right_only_where_it_is_watched_is_not_accepted[words in the way"
            " out before]",
        ),
        "numpy raises the same error with the same text for every x of this shape",
    ),
    **dict.fromkeys(
        (
            "test_a_plan_raises_nothing_where_numpy_raises_exceptions",
            "test_a_transform_raises_nothing_where_numpy_raises_exceptions[divides by zero]",
            "test_a_transform_raises_nothing_where_numpy_raises_exceptions[multiplies what is no"
            " number]",
        ),
        "no contract says what happens where a caller has numpy raise exceptions",
    ),
    "test_a_program_that_takes_what_its_contract_excludes_is_refuted[plan on 6 ranks]": (
        "plans are made on one rank less and more, and on half and twice as many"
    ),
    'fft, N = 16, P = 4, block to block, alltoall[line 124, statement dropped: raise ValueError(f"{'
    'name} must be an array of {DTYPE} with shape {(M,)}; got {what}")': (
        "an x of another size is not refused, but sent: invalid use, of which `contract` speaks"
    ),
    "test_wrong_places_of_an_index_for_each_axis_are_refused[negative indices]": (
        "an index out of range is not refused: invalid use, which leaves `contract` open"
    ),
    "test_what_a_kernel_of_ones_own_does_wrong_when_compiled_is_refused[what numba does not"
    " compile]": "`rounding` of compiled kernels needs real ranks, as the headline says",
}
"""Programs that were refused, or undecided, and that hold now: by their tests, with the reason why
they are right programs, or right but for what a certificate does not say.
"""
REVIEWED = {
    "test_what_a_text_keeps_by_which_a_later_call_goes_wrong_is_not_modelled[places]": (
        "nothing depends on what a place function counts, and imports that are not used are named"
    ),
    "test_what_changes_libraries_for_others_is_refused[import copy": (
        "an import that is not used is named in what is assumed"
    ),
    "test_a_function_that_elements_do_not_have": "einsum is in the language",
    "test_what_is_not_modelled_is_not_refuted": "it is in the language",
    "test_what_is_not_modelled_says_so_by_name": "it is in the language",
    "test_what_an_option_of_python_changes_is_refused[    assert": "assertions are in the language",
    "test_a_text_that_asks_where_it_runs_or_changes_it_is_refused[": "a type is what it is",
    "test_a_text_that_looks_behind_or_changes_the_process_is_not_certified[print]": (
        "what is printed is not looked at"
    ),
    "test_a_place_does_not_depend_on_what_nobody_has_written": "singles out what np.empty gives",
    "test_ordinary_numbers_that_nobody_has_written": "singles out what np.empty gives",
    "test_what_a_kernel_finds_where_nobody_has_written": "singles out what np.empty gives",
    "test_rounds_in_parallel_are_not_modelled": "only rounds of prange are parallel",
    "test_an_integer_that_is_compiled_with_another_size": "numba's integers have 64 bits",
    "test_opaque_elements_that_go_from_transform_to_transform": "nothing depends on them",
}
"""Beginnings of tests whose programs were undecided, and hold now, with the reason."""
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


@pytest.mark.sampled(24)
@pytest.mark.sampled(15, rest="long")
@pytest.mark.parametrize("each", GATED, ids=str)
def test_what_was_refused_does_not_hold_or_is_reviewed(each, tmp_path):
    """A wrong last section, which all programs have, leaves `main` and `contract` undecided."""
    found = fate_of(each.program(), tmp_path)
    assert found.fate != HOLDS or "main" in found.verdicts or each.test in HOLDING


@pytest.mark.sampled(12)
@pytest.mark.sampled(10, rest="long")
@pytest.mark.parametrize("each", BY_CONTRACT, ids=str)
def test_what_contract_alone_refused_holds_with_an_open_contract_or_is_reviewed(each, tmp_path):
    found = fate_of(each.program(), tmp_path)
    assert found.fate != HOLDS or CONTRACT in found.verdicts or each.test in HOLDING


@pytest.mark.sampled(24)
@pytest.mark.sampled(15, rest="long")
@pytest.mark.parametrize("each", LEFT, ids=str)
def test_what_was_undecided_holds_with_something_left_open_or_is_reviewed(each, tmp_path):
    found = fate_of(each.program(), tmp_path)
    left = {CONTRACT, "main"} & set(found.verdicts)
    reviewed = each.test in HOLDING or each.test.startswith(tuple(REVIEWED))
    assert found.fate != HOLDS or left or reviewed


@pytest.mark.sampled(36)
@pytest.mark.long
@pytest.mark.parametrize("each", RIGHT, ids=str)
def test_a_right_program_is_not_refuted(each, tmp_path):
    found = fate_of(each.program(), tmp_path)
    assert found.fate != REFUTED, found
