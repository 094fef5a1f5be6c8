"""From the transform of a windowed real series to its spectral lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


def hann(N: int) -> NDArray[np.float64]:
    """Return Hann's window, (1 - cos 2πj/N)/2 at j: a line then leaks into its two neighbours only.

    >>> hann(4).round(3).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(N) / N)


@dataclass(frozen=True)
class Line:
    """A spectral line: a sinusoid of this frequency and this amplitude."""

    frequency: float
    amplitude: float

    @property
    def period(self) -> float:
        """1 / frequency."""
        return 1 / self.frequency


@dataclass(frozen=True)
class Spectrum:
    """Amplitudes of the sinusoids at frequencies 0, 1/D, 2/D, ..., D the length of the series."""

    frequencies: NDArray[np.float64]
    amplitudes: NDArray[np.float64]

    @classmethod
    def of(cls, transformed: NDArray[np.complex128], step: float) -> Spectrum:
        """Return the spectrum from the N transformed values of a real series with samples `step`
        apart, under Hann's window.

        >>> j = np.arange(16)
        >>> spectrum = Spectrum.of(np.fft.fft(3 * np.cos(2 * np.pi * 4 * j / 16) * hann(16)), step=1.0)
        >>> print(f"{spectrum.amplitudes[4]:.3f} at {spectrum.frequencies[4]}")
        3.000 at 0.25
        """  # noqa: E501
        N = len(transformed)
        k = np.arange(N // 2)
        return cls(k / (N * step), np.abs(transformed[: N // 2]) * (4 / N))

    def lines(self, above: float, count: int) -> tuple[Line, ...]:
        """Return the strongest local maxima at frequencies higher than `above`, strongest first.

        Under Hann's window a line between k and k + 1 is at k + (2 - q)/(1 + q), where the
        amplitude at k is q times that at k + 1, and its amplitude is (1 - d²)/sinc(d) times that at
        distance d; so both are found far closer than the nearest k gives them.

        >>> j = np.arange(64)
        >>> spectrum = Spectrum.of(np.fft.fft(np.cos(2 * np.pi * 10.25 * j / 64) * hann(64)), step=1.0)
        >>> line, *_ = spectrum.lines(above=0.1, count=1)
        >>> print(f"{64 * line.frequency:.2f} {line.amplitude:.2f}")
        10.25 1.00
        """  # noqa: E501
        a = self.amplitudes
        inner = np.arange(1, len(a) - 1)
        peaks = inner[
            (a[inner] > a[inner - 1])
            & (a[inner] >= a[inner + 1])
            & (self.frequencies[inner] > above)
        ]
        strongest = peaks[np.argsort(-a[peaks])][:count]
        return tuple(self._line(int(k)) for k in strongest)

    def _line(self, k: int) -> Line:
        lower = k if self.amplitudes[k + 1] > self.amplitudes[k - 1] else k - 1
        q = self.amplitudes[lower] / self.amplitudes[lower + 1]
        place = lower + (2 - q) / (1 + q)
        d = place - k
        return Line(
            float(place * self.frequencies[1]), float(self.amplitudes[k] * (1 - d * d) / np.sinc(d))
        )
