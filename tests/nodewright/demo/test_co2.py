"""The measured record and its spectrum."""

from __future__ import annotations

import numpy as np
import pytest

from nodewright.demo.co2 import WEEK, weekly_co2
from nodewright.spectrum import Spectrum, hann


def test_the_record_is_whole_and_finite() -> None:
    record = weekly_co2()
    assert np.isfinite(record.deviations).all()
    assert np.allclose(np.diff(record.years), WEEK, rtol=1e-9)
    assert 300 < record.concentrations.min() < record.concentrations.max() < 400


def test_nothing_of_the_trend_is_left() -> None:
    record = weekly_co2()
    t = np.linspace(-1, 1, len(record.deviations))
    left = [
        abs(np.dot(t**power, record.deviations)) / np.linalg.norm(record.deviations)
        for power in range(3)
    ]
    assert max(left) < 1e-8


def test_the_whole_record_lacks_59_weeks() -> None:
    assert weekly_co2(2284).filled == 59


@pytest.mark.parametrize("count", [0, 2, 2285])
def test_a_count_out_of_range_is_refused_with_the_rule(count: int) -> None:
    with pytest.raises(ValueError, match=f"{count} weeks: the record has 2284"):
        weekly_co2(count)


def test_the_strongest_lines_are_the_year_and_half_of_it() -> None:
    spectrum = Spectrum.of(np.fft.fft(weekly_co2().deviations * hann(2048)), WEEK)
    annual, half = spectrum.lines(above=0.5, count=2)
    assert annual.frequency == pytest.approx(1, abs=0.002)
    assert half.frequency == pytest.approx(2, abs=0.002)
    assert annual.amplitude > 3 * half.amplitude


@pytest.mark.parametrize("place", [20.0, 20.3, 20.5, 20.9])
def test_a_line_between_two_frequencies_is_found(place: float) -> None:
    N = 256
    series = 3 * np.cos(2 * np.pi * place * np.arange(N) / N + 1)
    line = Spectrum.of(np.fft.fft(series * hann(N)), step=1 / N).lines(above=1, count=1)[0]
    assert line.frequency == pytest.approx(place, abs=0.01)
    assert line.amplitude == pytest.approx(3, rel=0.01)
