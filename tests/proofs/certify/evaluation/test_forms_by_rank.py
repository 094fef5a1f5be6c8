"""Forms of x and kinds of `out` on all ranks and on some, where few transforms are tried."""

from __future__ import annotations

import pytest

from nodewright.api.program_calls import transform
from tests.support.by_hand import Wrong, edited, gathered
from tests.support.certified import fate_of
from tests.support.refused import HOLDS, REFUTED

BEGIN = "    x, out = arrays(x, plan, out)\n"
EMITTED = {
    "fft with compiled kernels": ("fft", {"kernels": "numba"}),
    "ntt with compiled kernels": ("ntt", {"modulus": 97, "kernels": "numba"}),
}


@pytest.mark.sampled(1, rest="long")
@pytest.mark.parametrize(("system", "options"), EMITTED.values(), ids=EMITTED)
def test_a_program_that_writes_to_x_is_refuted_by_one_that_is_read_only(system, options, tmp_path):
    """What is written is what was there, so x stays as it is."""
    source = transform(system, 16, 2, options).text
    found = fate_of(edited(source, Wrong(BEGIN, f"{BEGIN}    x[:1] = x[:1]\n")), tmp_path)
    assert (found.fate, found.verdicts) == (REFUTED, ("contract",))
    assert "assignment destination is read-only" in found.reason


GATHER = "    plan.own.Allgather("
NEW = "    if out is None:\n        return mine.copy()\n"
COPIED = "not np.may_share_memory(np.ascontiguousarray(x), x)"
TRY = """    try:
        x[:1] = x[:1]
        fine = True
    except ValueError:
        fine = False
"""
WRONG = {
    "read-only, with out": (
        NEW,
        f"{TRY}    if not fine and out is not None and not {COPIED}:\n        mine = -mine\n{NEW}",
        "the output y_",
    ),
    "with gaps and out on one rank": (
        GATHER, f"    if {COPIED} and out is not None:\n        plan.own.Barrier()\n{GATHER}",
        "call ordering",
    ),
    "read-only on one rank": (
        GATHER, f"{TRY}    if not fine and out is None:\n        plan.own.Barrier()\n{GATHER}",
        "call ordering",
    ),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", WRONG)
def test_a_large_program_that_is_wrong_in_one_form_is_refuted(name, tmp_path):
    large = Wrong("N, P, M = 16, 2, 8", "N, P, M = 8192, 2, 4096")
    old, new, words = WRONG[name]
    found = fate_of(edited(edited(gathered(), large), Wrong(old, new)), tmp_path)
    assert found.fate == REFUTED and words in found.reason


def test_a_program_that_asks_whether_x_can_be_written_holds_where_it_does_the_same(tmp_path):
    more = f"{TRY}    x = x if fine and not {COPIED} else np.array(x)\n{GATHER}"
    assert fate_of(edited(gathered(), Wrong(GATHER, more)), tmp_path).fate == HOLDS


@pytest.mark.parametrize("kernels", ["numpy", pytest.param("numba", marks=pytest.mark.long)])
def test_integers_of_64_bits_have_two_types(kernels, tmp_path):
    source = transform("ntt", 16, 2, {"modulus": 97, "kernels": kernels}).text
    wrong = f"{BEGIN}    if x.dtype.char == 'q':\n        x = x[::-1].copy()\n"
    found = fate_of(edited(source, Wrong(BEGIN, wrong)), tmp_path)
    assert (found.fate, found.verdicts) == (REFUTED, ("contract",))
    assert "x of C's long long" in found.reason
    assert fate_of(source, tmp_path).fate == HOLDS


@pytest.mark.sampled(1, rest="long")
@pytest.mark.parametrize("kind", ["Q", ">c16", "G", "e", "?"])
def test_what_is_changed_before_a_type_is_refused_is_named(kind, tmp_path):
    refuses = f"    if x.dtype == np.dtype({kind!r}):\n        plan.scale = 2\n"
    refuses += "        raise ValueError('dtype')\n"
    found = fate_of(edited(gathered(), Wrong(GATHER, refuses + GATHER)), tmp_path)
    assert found.fate == HOLDS
    assert "and changes the attribute scale of the plan first" in found.reasons["contract"]
