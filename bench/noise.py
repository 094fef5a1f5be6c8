"""What a difference of measured times tells: a percentage above the noise, and none within it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

Times = Mapping[str, float]
"""The least seconds of the exchange phase, `phase`, and how far its times differ, `noise`."""


@dataclass(frozen=True)
class Gain:
    """By how much a time is shorter than another, the whole, in seconds."""

    part: float
    whole: float
    noise: float

    @property
    def percent(self) -> float:
        """The percentage; no number where a difference is within the noise.

        >>> Gain(0.5, 2, 0.4).percent, Gain(0.5, 2, 0.5).percent
        (25.0, nan)
        """
        lost = min(abs(self.part), self.whole) <= self.noise
        return np.nan if lost else 100 * self.part / self.whole

    def __str__(self) -> str:
        """Return the percentage, or the milliseconds and the noise in its place."""
        if not np.isnan(self.percent):
            return f"{self.percent:.3g} %"
        return f"{1e3 * self.part:.3g} of {1e3 * self.whole:.3g} ms, noise {1e3 * self.noise:.3g}"


class Hidden(Gain):
    """How much of the messages of Prog. 3 a program hides, as section 4 has it: a ratio of two
    differences, which is no percentage where other buffers save or cost more, either.
    """

    @property
    def percent(self) -> float:
        """The percentage, from 0 to 100.

        >>> Hidden(0.5, 2, 0.1).percent, Hidden(2.5, 2, 0.1).percent
        (25.0, nan)
        """
        return super().percent if 0 <= self.part <= self.whole else np.nan


def gain(new: Times, old: Times) -> Gain:
    """Return how much shorter the new exchange phase is than the old.

    >>> str(gain({"phase": 0.75, "noise": 0.1}, {"phase": 1, "noise": 0.1}))
    '25 %'
    >>> str(gain({"phase": 0.75, "noise": 0.1}, {"phase": 1, "noise": 0.2}))
    '250 of 1e+03 ms, noise 300'
    """
    return Gain(old["phase"] - new["phase"], old["phase"], old["noise"] + new["noise"])


def hidden(new: Times, plain: Times, silent: Times) -> Hidden:
    """Return what a program hides of the messages that `plain` has and `silent` leaves out."""
    noise = plain["noise"] + max(silent["noise"], new["noise"])
    return Hidden(plain["phase"] - new["phase"], plain["phase"] - silent["phase"], noise)
