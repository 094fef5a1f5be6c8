"""What a program does with infinities and NaN, near the largest number and near the least one."""

from __future__ import annotations

import pytest

from tests.support.by_hand import gathered, right
from tests.support.certified import fate_of

GATHER, WHOLE = "    plan.own.Allgather(", "np.fft.fft(plan.whole)"
COPY = "    if out is None:\n        return mine.copy()\n"
HIDDEN = "is hidden"
TOP, BOTTOM = "an intermediate value overflows", "the relative error in the 2-norm"
GUARD = "    if np.{}:\n        x = np.where(np.isfinite(x), x, 0)\n"
WRONG = {
    "few NaN are zeros": (GATHER, GUARD.format("isnan(x).sum() in (1, 2, 3)") + GATHER, HIDDEN),
    "one infinity is zero": (GATHER, GUARD.format("isinf(x).sum() == 1") + GATHER, HIDDEN),
    "two NaN of a rank are zeros": (GATHER, GUARD.format("isnan(x).sum() == 2") + GATHER, HIDDEN),
    "a NaN beside an infinity is zero": (
        GATHER, GUARD.format("isnan(x).any() and np.isinf(x).any()") + GATHER, HIDDEN
    ),
    "five infinities are zeros": (GATHER, GUARD.format("isinf(x).sum() == 5") + GATHER, HIDDEN),
    "all NaN but one are zeros": (
        GATHER, GUARD.format("isnan(x).sum() == M - 1") + GATHER, HIDDEN
    ),
    "two NaN of all ranks are zeros": (
        WHOLE,
        "np.fft.fft(np.where(np.isnan(plan.whole).sum() == 2, 0, plan.whole))",
        HIDDEN,
    ),
    "imaginary parts are zeros": (
        GATHER, "    x = np.where(np.isnan(np.imag(x)), np.real(x), x)\n" + GATHER, HIDDEN
    ),
    "one rank has zeros": (
        GATHER, GUARD.format("isinf(x).any() and plan.own.rank") + GATHER, HIDDEN
    ),
    "one output is zero": (
        COPY, "    if np.isnan(plan.whole).sum() == 1:\n        mine[0] = 0\n" + COPY, HIDDEN
    ),
    "ordinary numbers are doubled": (
        GATHER,
        "    ordinary = np.isinf(x * 2.0**1000 * 2.0**40) & ~np.isinf(x * 2.0**900)\n"
        "    x = np.where(ordinary, 2 * x, x)\n" + GATHER,
        "(on ordinary numbers, in the first",
    ),
    "what is out of range is zero": (
        COPY, "    mine[...] = np.where(np.isfinite(mine), mine, 0 * x[0])\n" + COPY, "out of range"
    ),
    "times 8, before": (WHOLE, "np.fft.fft(plan.whole * 8) / 8", TOP),
    "times 8, after": (WHOLE, "np.fft.fft(plan.whole) * 8 / 8", TOP),
    "times 8, the sum alone": (
        COPY, "    if plan.own.rank == 0:\n        mine[0] = mine[0] * 8 / 8\n" + COPY, TOP
    ),
    "divided by 2^20": (WHOLE, "np.fft.fft(plan.whole / 2**20) * 2**20", BOTTOM),
    "a square": (WHOLE, f"{WHOLE} * plan.whole[1]", "(on ordinary numbers, as line 42: a product"),
}  # fmt: skip
"""By what is wrong with them: words, others in their place, and words of the reason."""


def changed(source: str, old: str, new: str) -> str:
    assert source.count(old) == 1
    return source.replace(old, new)


@pytest.mark.sampled(3, rest="long")
@pytest.mark.parametrize("name", WRONG)
def test_a_program_that_is_wrong_at_an_edge_is_refuted(name, tmp_path):
    old, new, words = WRONG[name]
    found = fate_of(changed(gathered(), old, new), tmp_path)
    assert found.fate == "refuted"
    assert words in found.reason


def test_a_program_that_computes_an_energy_is_undecided(tmp_path):
    energy = f"    plan.energy = np.sum(x * x.conj()).real\n{GATHER}"
    found = fate_of(changed(gathered(), GATHER, energy), tmp_path)
    assert found.fate == "undecided" and found.reason.startswith(
        "line 41: a product of two arrays that depend on x"
    )


HANDLED = """    try:
        whole = plan.whole.reshape(3, 5)
    except ValueError:
        whole = plan.whole[::-1]
"""


@pytest.mark.long
@pytest.mark.parametrize(("turn", "fate"), [("[::-1]", "holds"), ("", "refuted")])
def test_an_error_of_numpy_on_data_may_be_handled(turn, fate, tmp_path):
    old = f"    spectrum = {WHOLE}\n"
    source = changed(gathered(), old, HANDLED + old.replace("plan.whole", f"whole{turn}"))
    assert fate_of(source, tmp_path).fate == fate


@pytest.mark.parametrize(
    "new",
    [
        "np.fft.fft(plan.whole * 2) / 2",
        pytest.param("np.fft.fft(plan.whole / 16) * 16", marks=pytest.mark.long),
        pytest.param("np.fft.fft(plan.whole / N) * N", marks=pytest.mark.long),
    ],
)
def test_a_program_may_use_the_room_that_is_stated(new, tmp_path):
    assert fate_of(changed(gathered(), WHOLE, new), tmp_path).fate == "holds"


@pytest.mark.sampled(1, rest="long")
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_program_that_raises_for_so_many_nan_holds(count, tmp_path):
    guard = f"    if np.isnan(x).sum() == {count}:\n        raise ValueError('NaN')\n"
    assert fate_of(changed(gathered(), GATHER, guard + GATHER), tmp_path).fate == "holds"


@pytest.mark.long
def test_a_program_with_compiled_kernels_that_hides_one_nan_is_refuted(tmp_path):
    old = "    a = np.array(x)\n"
    new = f"{old}    a = a if np.isnan(a).sum() != 1 else np.zeros(M, DTYPE)\n"
    found = fate_of(changed(right("numba_kernel"), old, new), tmp_path)
    assert (found.fate, found.verdicts) == ("refuted", ("rounding",))
    assert HIDDEN in found.reason


@pytest.mark.parametrize("kind", ["nan", "inf"])
def test_a_permutation_that_changes_a_single_nan_or_infinity_is_refuted(kind, tmp_path):
    old = "    np.take(x, "
    new = f"    x = x if np.is{kind}(x).sum() != 1 else np.where(np.is{kind}(x), 0.0, x)\n{old}"
    found = fate_of(changed(right("permute_indices"), old, new), tmp_path)
    assert (found.fate, found.verdicts) == ("refuted", ("bytes",))


@pytest.mark.sampled(1, rest="long")
@pytest.mark.parametrize(
    "asks", ["isnan(x).sum() == 2", "isinf(x).sum() == 3", "isnan(x).any() and np.isinf(x).any()"]
)
def test_a_permutation_that_changes_several_nan_or_infinities_is_refuted(asks, tmp_path):
    old = "    np.take(x, "
    new = f"    if np.{asks}:\n        x = np.where(np.isfinite(x), x, 0.0)\n{old}"
    found = fate_of(changed(right("permute_indices"), old, new), tmp_path)
    assert (found.fate, found.verdicts) == ("refuted", ("bytes",))
    assert "elements that are NaN or infinite" in found.reason


@pytest.mark.long
def test_a_permutation_that_counts_its_nan_holds(tmp_path):
    old = "    np.take(x, "
    new = f"    plan.count = np.isnan(x).sum()\n{old}"
    source = changed(right("permute_indices"), old, new)
    source = source.replace(
        "        self.send = ", "        self.count = np.int64(0)\n        self.send = "
    )
    assert fate_of(source, tmp_path).fate == "holds"
