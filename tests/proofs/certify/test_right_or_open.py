"""Programs by hand that do what their contract leaves open: right ones hold, with words that say
what is open, and wrong neighbours do not.
"""

from __future__ import annotations

import pytest

from proofs.certify.program import decided
from tests.support.by_hand import right
from tests.support.certified import fate_of
from tests.support.refused import REFUTED

NAME = "allgather_whole"
PLACE = "def output_place(k):\n    return np.divmod(k, M)\n"


def with_change(old, new):
    """Return the program with a change of lines that it has once."""
    source = right(NAME)
    assert source.count(old) == 1
    return source.replace(old, new)


def certificate_of(source, folder):
    """Return the certificate of a program, which is not run on ranks."""
    path = folder / "prog.py"
    path.write_text(source, encoding="utf-8")
    return decided(path, ran=0)


def places(*lines):
    """Return the program with these lines in output_place."""
    body = "".join(f"    {line}\n" for line in lines)
    return with_change(PLACE, f"def output_place(k):\n{body}")


RANK = "rank = (np.asarray(k) // M).astype(int)"
PARTS = {
    (RANK, "return rank, k % M"): "",
    (RANK, "return rank, k - rank * M"): "output_place of uint64 indices gives floating-point",
    (RANK, "return rank, np.arange(M)[k - rank * M]"): "of uint64 indices raises line 18: IndexErr",
}
"""Places whose parts have two types of integers, and what is open of them."""


@pytest.mark.parametrize(("lines", "words"), PARTS.items())
def test_a_rank_and_an_offset_may_have_different_types(lines, words, tmp_path, nodewright):
    certificate = certificate_of(places(*lines), tmp_path)
    assert certificate.holds
    assert words in certificate.verdicts["contract"].reason
    certificate.save()
    assert nodewright("certify", "--verify", str(tmp_path / "prog.py"))[0] == 0


@pytest.mark.parametrize(
    "lines",
    [
        (RANK, "return rank, k % M ^ 1"),
        (RANK, "return rank, (k - rank * M) * (1 - 2 * (np.asarray(k).dtype == np.uint64))"),
        ("return np.floor(k / M), k % M",),
        ("return k >= M, k % M == 1",),
    ],
)
def test_a_place_that_is_another_or_no_integer_is_refuted(lines, tmp_path):
    found = fate_of(places(*lines), tmp_path)
    assert (found.fate, found.verdicts) == (REFUTED, ("layout",))


BODY = """    if out is None:
        return mine.copy()
    out[...] = mine
    return out
"""
HEAD = "def transform(x, plan, out=None):"
NO_OUT = (
    (HEAD, "def transform(x, plan):", "an array as out: TypeError: transform() got an unexpected"),
    (HEAD, "def transform(x, plan, *, out=None):", "out as the third argument: TypeError"),
    (
        BODY,
        "    if out is not None:\n        raise ValueError('no out')\n    return mine.copy()\n",
        "an array as out: ValueError: no out (line 46); write transform(x, plan, out=None), and",
    ),
)
"""Transforms that refuse `out`, and how."""


def without_out(old, new, mine="mine"):
    """Return the program with this change; without the argument it returns a new array."""
    source = with_change(old, new)
    source = source.replace("mine.copy()", f"{mine}.copy()")
    return source if "out" in new else source.replace(BODY, f"    return {mine}.copy()\n")


@pytest.mark.parametrize(("old", "new", "words"), NO_OUT)
def test_a_program_that_refuses_out_holds_but_for_its_contract(
    old, new, words, tmp_path, nodewright
):
    certificate = certificate_of(without_out(old, new), tmp_path)
    assert certificate.holds
    assert f"transform refuses {words}" in certificate.verdicts["contract"].reason
    certificate.save()
    assert nodewright("certify", "--verify", str(tmp_path / "prog.py"))[0] == 0


@pytest.mark.parametrize(("old", "new", "words"), NO_OUT)
def test_a_program_that_refuses_out_and_is_wrong_is_refuted(old, new, words, tmp_path):
    assert fate_of(without_out(old, new, "mine[::-1]"), tmp_path).verdicts == ("function",)


def test_an_out_that_is_ignored_is_refuted(tmp_path):
    found = fate_of(with_change(BODY, "    return mine.copy()\n"), tmp_path)
    assert found.verdicts == ("contract",)
