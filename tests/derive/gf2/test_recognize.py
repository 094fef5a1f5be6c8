"""Is a list of indices a BMMC permutation?"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.gf2 import recognize as recognition
from derive.gf2.bits import Affine
from derive.gf2.block_forms import forms
from derive.gf2.bmmc import factor, gray_code, vector_reversal
from derive.gf2.recognize import Witness, recognize
from tests.support.strategies import permutations_over_ranks


def affine_on(targets: np.ndarray, x: int) -> int:
    """Return where an affine map that agrees with `targets` on 0 and the powers of two puts x."""
    value = int(targets[0])
    for j in range(x.bit_length()):
        if x >> j & 1:
            value ^= int(targets[1 << j]) ^ int(targets[0])
    return value


@given(permutations_over_ranks(8).map(lambda pair: pair[0]))
def test_every_bmmc_permutation_is_recognized_with_its_matrix_and_complement(
    address: Affine,
) -> None:
    assert recognize(address(np.arange(1 << address.bits))) == address


def test_every_permutation_of_four_indices_is_bmmc() -> None:
    assert all(
        isinstance(recognize(np.array(targets)), Affine) for targets in permutations(range(4))
    )


@given(permutations_over_ranks(8).map(lambda pair: pair[0]), st.data())
def test_a_witness_is_a_place_where_the_affine_map_through_the_others_is_missed(
    address: Affine, data: st.DataObject
) -> None:
    targets = address(np.arange(1 << address.bits))
    i, j = data.draw(
        st.lists(st.integers(0, len(targets) - 1), min_size=2, max_size=2, unique=True)
    )
    targets[[i, j]] = targets[[j, i]]
    found = recognize(targets)
    if isinstance(found, Affine):
        assert np.array_equal(found(np.arange(len(targets))), targets)
    else:
        assert found.y == targets[found.x] != found.wanted == affine_on(targets, found.x)


def test_a_list_that_repeats_a_target_is_refused_with_the_two_indices() -> None:
    found = recognize(np.array([0, 1, 0, 1]))
    assert isinstance(found, Witness)
    assert str(found) == "no permutation: indices 0 and 2 both go to 0"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (5, "no permutation: indices 0 and 6 both go to 5"),
        (3, "the targets of 0 + 2 + 4 make it 5"),
    ],
)
def test_where_the_targets_of_powers_of_two_are_dependent_nothing_more_is_read(
    monkeypatch: pytest.MonkeyPatch, target: int, said: str
) -> None:
    monkeypatch.setattr(recognition, "_mismatch", lambda *_: pytest.fail("the whole list is read"))
    found = recognize(np.array([5, 4, 7, 1, 7, 2, target, 0]))
    assert isinstance(found, Witness) and str(found).endswith(said)


@pytest.mark.parametrize(
    "targets", [np.arange(6), np.arange(8.0), np.arange(8).reshape(2, 4), np.array([], dtype=int)]
)
def test_what_is_no_list_of_a_power_of_two_of_integers_is_refused(targets: np.ndarray) -> None:
    with pytest.raises(ValueError, match="is a list of 2\\^n integers"):
        recognize(targets)


def test_a_target_out_of_range_is_refused_with_the_range() -> None:
    with pytest.raises(
        ValueError, match=r"index 4 goes to 9: a permutation of 8 indices has targets 0\.\.7"
    ):
        recognize(np.array([0, 1, 2, 3, 9, 5, 6, 7]))


def test_a_memory_map_is_read_as_it_is(tmp_path: Path) -> None:
    np.save(tmp_path / "gray.npy", gray_code(18)(np.arange(1 << 18)))
    assert recognize(np.load(tmp_path / "gray.npy", mmap_mode="r")) == gray_code(18)


@pytest.mark.long
@given(permutations_over_ranks(8))
def test_every_form_multiplies_to_the_permutation_and_has_its_shape(
    over_ranks: tuple[Affine, int],
) -> None:
    address, p = over_ranks
    m = address.bits - p
    for form in forms(factor(address, p)):
        whole = form.factors[0]
        for part in form.factors[1:]:
            whole = whole @ part
        assert whole == address
        matrices = dict(
            zip(form.letters, (np.asarray(part.matrix) for part in form.factors), strict=True)
        )
        if form.letters == "LCR":
            assert not matrices["L"][m:, :m].any()
            assert not matrices["R"][m:, :m].any()
            assert np.array_equal(matrices["C"][:m], np.eye(address.bits)[:m])
        if form.letters == "ULP":
            assert np.array_equal(np.triu(matrices["U"]), matrices["U"])
            assert np.array_equal(np.tril(matrices["L"]), matrices["L"])
            assert (matrices["P"].sum(axis=0) == 1).all()


def test_only_factors_that_change_ranks_cost_messages() -> None:
    assert [form.rounds for form in forms(factor(vector_reversal(4), 2))] == [
        (1, 0),
        (0, 1, 0),
        (1, 0, 0),
    ]
