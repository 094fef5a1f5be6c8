"""The weekly CO2 record of Mauna Loa (Keeling & Whorf 2004), the measured series that the demo
transforms.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import date
from importlib.resources import files

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

DAYS_PER_YEAR = 365.2425
"""The mean year of the calendar."""
WEEK = 7 / DAYS_PER_YEAR
"""The distance of two samples in years."""
TREND_DEGREE = 2
"""The long rise of the record is close to a parabola; what a straight line leaves of it would hide
the slowest lines of the spectrum.
"""


@dataclass(frozen=True)
class WeeklyRecord:
    """Consecutive weeks: times in years of the calendar, concentrations in ppm, and their
    deviations from the trend in ppm.
    """

    years: NDArray[np.float64]
    concentrations: NDArray[np.float64]
    deviations: NDArray[np.float64]
    filled: int
    first: date
    last: date


def weekly_co2(count: int = 2048) -> WeeklyRecord:
    """Return the last `count` weeks of the record, empty weeks filled by linear interpolation, with
    the deviations from a parabola.

    Raises ValueError if the record has fewer weeks, or `count` is too small for a trend.

    >>> record = weekly_co2()
    >>> print(len(record.deviations), record.filled, record.first, record.last)
    2048 37 1962-10-06 2001-12-29
    """
    with (files("nodewright") / "data" / "co2-mauna-loa.csv").open(encoding="ascii") as text:
        rows = list(csv.DictReader(text))
    if not TREND_DEGREE < count <= len(rows):
        raise ValueError(
            f"{count} weeks: the record has {len(rows)}, and a trend of degree {TREND_DEGREE} needs"
            f" more than {TREND_DEGREE}"
        )
    rows = rows[-count:]
    dates = [date.fromisoformat(row["date"]) for row in rows]
    days = np.array([day.toordinal() for day in dates])
    measured = np.array([row["co2"] != "" for row in rows])
    values = np.array([float(row["co2"]) for row in rows if row["co2"]])
    concentrations = np.interp(days, days[measured], values)
    trend = Polynomial.fit(days, concentrations, TREND_DEGREE)
    return WeeklyRecord(
        years=1 + (days - 1) / DAYS_PER_YEAR,
        concentrations=concentrations,
        deviations=concentrations - trend(days),
        filled=int(np.count_nonzero(~measured)),
        first=dates[0],
        last=dates[-1],
    )
