"""Wrong programs that held once do not hold, each by its rule; their right neighbours do."""

from __future__ import annotations

import pytest

from tests.support import attacks, attacks_on_caches, attacks_on_kernels, attacks_on_uses
from tests.support.certified import fate_of

MODULES = attacks, attacks_on_caches, attacks_on_kernels, attacks_on_uses
WRONG, RIGHT = (
    {name: each for module in MODULES for name, each in getattr(module, which).items()}
    for which in ("WRONG", "RIGHT")
)


@pytest.mark.sampled(10)
@pytest.mark.sampled(13, rest="long")
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_does_not_hold(name, tmp_path):
    attack = WRONG[name]
    found = fate_of(attack.source, tmp_path)
    assert found.fate == attack.fate
    assert attack.words in found.reason


@pytest.mark.sampled(4)
@pytest.mark.sampled(10, rest="long")
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_neighbour_holds(name, tmp_path):
    assert fate_of(RIGHT[name].source, tmp_path).fate == "holds"
