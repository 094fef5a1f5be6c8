"""A gain of bench.hypercube is a percentage above the noise, and times within it."""

import numpy as np
import pytest

from bench.noise import Gain, Hidden, gain, hidden


def times(phase: float, noise: float) -> dict[str, float]:
    return {"phase": phase, "noise": noise}


@pytest.mark.parametrize(("new", "percent"), [(3, 25), (5, -25), (3.5, None), (4.5, None)])
def test_a_gain_is_a_percentage_only_above_the_noise_of_both(new, percent):
    found = gain(times(new, 0.25), times(4, 0.5))
    assert (found.part, found.whole, found.noise) == (4 - new, 4, 0.75)
    assert found.percent == percent or (percent is None and np.isnan(found.percent))
    assert ("%" in str(found), "noise 750" in str(found)) == (percent is not None, percent is None)


@pytest.mark.parametrize(
    ("part", "whole", "noise", "percent"),
    [(1, 4, 0.5, 25), (4, 4, 0.5, 100), (1, 4, 1, None), (0.4, 0.5, 0.5, None), (-2, 4, 0.5, None)],
)
def test_what_is_hidden_is_a_percentage_of_messages_above_the_noise(part, whole, noise, percent):
    found = Hidden(part, whole, noise).percent
    assert found == percent or (percent is None and np.isnan(found))
    assert np.isnan(Hidden(5, 4, 0.5).percent) and Gain(-2, 4, 0.5).percent == -50


def test_the_noise_of_what_is_hidden_is_that_of_both_differences():
    found = hidden(times(3, 0.5), times(4, 0.25), times(2, 0.125))
    assert (found.part, found.whole, found.noise) == (1, 2, 0.75)
