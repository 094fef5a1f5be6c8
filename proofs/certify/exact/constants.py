"""What the floating-point constants of a program stand for: recognised by value, or refused.

    constant = known | known / d        d divides the divisor of the recognizer
    known    = √2^h · w^k
             | √2^h · cos(2πk/L)        the same on the imaginary axis
             | dyadic                   the same on the imaginary axis; exact, of a quarter of the bits of its type
             | 1/n | 1/√n               of n points that are transformed together

w = exp(2πi/L), sines are cosines; L is max(8, N), or a multiple of it that the program needs
(extension.py). A constant stands for the ideal value that it meets within 4 units in the last place
of its own type, measured against its magnitude; a cosine against √2^h, as that of an angle that is
not reduced is off by as much near 0. A root of unity is within 16 of the circle, and on it may be
off by 4 of an angle of L turns, as angles need not be reduced; that is far less than to the next
root. So a short π or a wrong function is no constant. A number stands for 0 only if it can be a
cosine: none of a floating-point number but 0 is below 2^-61.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.certify.exact.extension import ULPS, wanted_by
from proofs.certify.exact.root_images import Roots, inverse_root
from proofs.certify.language.table_entries import Undecided

ULPS_OF_ROOTS = 16
"""A root of unity is at most this number of units in the last place from the circle, if that is far
less than its distance from the next root.
"""
APART = 16
"""So many times the distance of a root is less than that to the next one."""
LEAST_COSINE = 2.0**-61
"""No cosine or sine of a floating-point number near a multiple of π/2, other than 0, is below this:
of numbers of 64 bits the least is 4.7e-19 (Kahan and McDonald, 1984; Muller, Elementary Functions).
"""
LEAST_MAGNITUDE = -1000.0
"""The magnitude of 0."""
MOST_KNOWN = 2**23
"""So many constants are kept when they have been read."""


class NoConstant(Undecided):
    """A number that stands for no element of the field.

    It would in a field whose order is `multiple` times as large and that divides by `divisor`. Both
    are 1 where no such field is known.
    """

    def __init__(self, words: str, multiple: int = 1, divisor: int = 1) -> None:
        super().__init__(words)
        self.multiple, self.divisor = multiple, divisor


@dataclass(frozen=True)
class Constants:
    """Recognised constants: `residues` of shape (*shape, 2), real and imaginary part in GF(q).

    Every conjugate of a constant is at most 2^magnitude, and √2^halves times it is an algebraic
    integer; (√2 divisor)^halves times it, where the recognizer has a divisor.
    """

    residues: NDArray[np.int64]
    magnitude: float
    halves: int


class Known(dict[tuple[str, tuple[int, ...], bytes], Constants]):
    """Arrays of constants that have been read: a table serves many transforms and ranks."""

    size = 0


@dataclass(frozen=True)
class Recognizer(Roots):
    """Reads floating-point numbers as elements of Q(w), and gives their images in
    GF(q)[I]/(I²+1).

    Products of data are followed up to this degree; 1 is that of a linear map. Norms are of so many
    points, if there are some. (√2 divisor)^halves times a number is an algebraic integer.
    """

    degree: int = 1
    points: int = 1
    divisor: int = 1

    def recognize(self, values: Any) -> Constants:
        """Return what these numbers stand for.

        Raises NoConstant, with the first number that stands for nothing and its place.
        """
        array, known = np.asarray(values), self._known
        key = array.dtype.str, array.shape, blake2b(array.tobytes()).digest()
        if key not in known:
            if known.size + array.size > MOST_KNOWN:
                known.clear()
                known.size = 0
            found = self._reading(array)
            known.size += array.size
            magnitude = float(found.magnitudes.max(initial=LEAST_MAGNITUDE))
            halves = int(found.halves.max(initial=0))
            known[key] = Constants(found.residues.reshape(*array.shape, 2), magnitude, halves)
        return known[key]

    @cached_property
    def _known(self) -> Known:
        return Known()

    def _reading(self, array: NDArray[Any]) -> _Reading:
        if array.dtype.kind not in "biufc" or not np.isfinite(array).all():
            raise NoConstant(f"a constant of type {array.dtype} that is no finite number")
        found = _Reading(
            self,
            array.reshape(-1).astype(np.complex128),
            np.finfo(array.dtype if array.dtype.kind in "fc" else np.float64),
        )
        with np.errstate(all="ignore"):
            found.read()
            for d in range(3, self.divisor + 1, 2):
                if self.divisor % d == 0 and not found.done.all():
                    found.read_parts(d)
        if not found.done.all():
            first = int(np.argmin(found.done))
            raise self._unknown(array, first, float(found.kind.eps))
        return found

    def _unknown(self, array: NDArray[Any], first: int, eps: float) -> NoConstant:
        """Return that this number of an array stands for nothing, and what would make it known."""
        place = ", ".join(str(int(i)) for i in np.unravel_index(first, array.shape))
        value = array.reshape(-1)[first]
        where = f" at place ({place})" if place else ""
        return NoConstant(
            f"the constant {value}{where} is no dyadic number, power of √2, root of unity of order"
            f" {self.field.order}, cosine or sine, nor a product of these, within {ULPS} ulp of"
            f" {array.dtype}",
            *wanted_by(complex(value), self.field.order, eps),
        )


class _Reading:
    """The constants of one array on the way: those that are `done` have their residues."""

    def __init__(
        self, recognizer: Recognizer, values: NDArray[np.complex128], kind: np.finfo[Any]
    ) -> None:
        self.recognizer, self.values, self.kind = recognizer, values, kind
        self.order, self.tolerance = recognizer.field.order, ULPS * float(kind.eps)
        self.residues = np.zeros((len(values), 2), dtype=np.int64)
        self.done = values == 0
        self.magnitudes, self.halves = (
            np.full(len(values), -np.inf),
            np.zeros(len(values), dtype=np.int64),
        )

    def read(self) -> None:
        """Try every form of a constant in turn, the likeliest first."""
        scales = sorted(
            range(-2 * self.order.bit_length(), 2 * self.order.bit_length() + 1), key=abs
        )
        readers: list[Callable[[], None]] = [
            self._roots,
            lambda: self._cosines(0),
            self._dyadic_numbers,
            *(partial(self._norms, power, h) for h in (0, 1) for power in (2, 1)),
            *(partial(self._cosines, h) for h in scales[1:]),
        ]
        for reader in readers:
            if self.done.all():
                return
            reader()

    def read_parts(self, d: int) -> None:
        """Read what is known / d."""
        left = np.flatnonzero(~self.done)
        whole = _Reading(self.recognizer, _without_rounding(self.values[left] * d, self), self.kind)
        whole.read()
        new, q = left[whole.done], self.recognizer.field.q
        self.residues[new] = whole.residues[whole.done] * pow(d, -1, q) % q
        self.magnitudes[new] = whole.magnitudes[whole.done] - log2(d)
        self.halves[new] = whole.halves[whole.done] + 1
        self.done[new] = True

    def _roots(self) -> None:
        """Read what is √2^h · w^k."""
        radius = np.where(self.done, 1.0, np.abs(self.values))
        k = (
            np.rint(np.angle(self.values) * (self.order / (2 * np.pi))).astype(np.int64)
            % self.order
        )
        h = np.rint(2 * np.log2(radius)).astype(np.int64)
        gap = self.values / 2.0 ** (h / 2) * _root(k, self.order).conj() - 1
        next_to = 2 * np.pi / self.order / APART
        along = max(self.tolerance, min(ULPS_OF_ROOTS / ULPS * self.tolerance, next_to))
        turned = max(self.tolerance, min(self.tolerance * 2 * np.pi * self.order, next_to))
        fits = (np.abs(gap.real) <= along) & (np.abs(gap.imag) <= turned)
        fits &= ~self._may_be_zero(radius) | (self.kind.bits < 64)  # 2^-53 is cos(π/4) - sin(π/4)
        self._accept(fits, h, self.recognizer.circle[k], 0)

    def _cosines(self, scale: int) -> None:
        """Read what is √2^scale · cos(2πk/L) on the real or on the imaginary axis."""
        length, h = self._on_axis(), np.full(len(self.values), scale)
        angle = np.arccos(np.clip(length / 2.0 ** (scale / 2), -1, 1))
        k = np.rint(np.nan_to_num(angle) * (self.order / (2 * np.pi))).astype(np.int64) % self.order
        ideal = _root(k, self.order).real
        fits = self._near(length, h, ideal) & ~self.done
        is_zero = ideal == 0
        rounded = ~self._is_short() & (np.abs(length) >= LEAST_COSINE * 2.0 ** (scale / 2))
        fits &= ~is_zero | (scale <= 0) & rounded
        if fits.any() and (2 * np.pi / self.order) ** 2 / 2 < 2 * self.tolerance:
            raise NoConstant(
                f"cosines of 2πk/{self.order} next to 1 differ by less than"
                f" {2 * self.tolerance:.1e}: this type cannot tell them apart"
            )
        self._accept(fits, h, self._turned(self.recognizer.circle[k, 0]), 2)

    def _dyadic_numbers(self) -> None:
        """Read odd · 2^e, of few enough bits to be no rounded number, real or imaginary.

        One that is as small as a rounded zero may be either, and is not read.
        """
        length, bits = np.nan_to_num(self._on_axis()), self.kind.nmant // 4
        mantissa, exponent = np.frexp(length)
        odd = np.ldexp(mantissa, bits).astype(np.int64) % self.recognizer.field.q
        self._accept(
            self._is_short() & ~self._may_be_zero(length),
            2 * (exponent.astype(np.int64) - bits),
            self._turned(odd),
            0,
            bits,
        )

    def _may_be_zero(self, length: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which numbers are as small as a rounded zero."""
        return (np.abs(length) >= LEAST_COSINE) & (np.abs(length) <= self.tolerance)

    def _is_short(self) -> NDArray[np.bool_]:
        """Return which numbers have few bits, real or imaginary, and are not 0."""
        length = np.nan_to_num(self._on_axis())
        whole = np.ldexp(np.frexp(length)[0], self.kind.nmant // 4)
        return np.asarray((whole == np.rint(whole)) & (length != 0))

    def _norms(self, power: int, h: int) -> None:
        """Read 2^h √n^-power, n no power of two; divisors then are up to √2^halves."""
        n, q = self.recognizer.points, self.recognizer.field.q
        fits = np.abs(self.values * n ** (power / 2) / 2**h - 1) <= self.tolerance
        new = fits & ~self.done & bool(n & n - 1)
        if new.any():
            self.residues[new] = inverse_root(n, power, self.recognizer) * 2**h % q, 0
            self.magnitudes[new] = h - power * log2(n) / 2
            self.halves[new] = ceil(power * log2(n))
            self.done |= new

    def _on_axis(self) -> NDArray[np.float64]:
        """Return the component of each value that is not zero, NaN where both are not."""
        on_axis = (self.values.real == 0) | (self.values.imag == 0)
        return np.where(on_axis, self.values.real + self.values.imag, np.nan)

    def _turned(self, residues: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return real residues as complex ones, on the axis of their values."""
        return np.where(
            (self.values.imag == 0)[:, None], residues[:, None] * (1, 0), residues[:, None] * (0, 1)
        )

    def _near(
        self, length: NDArray[np.float64], h: NDArray[np.int64], ideal: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Return where a length is √2^h · ideal, within the tolerance relative to √2^h."""
        return np.asarray(np.abs(length / 2.0 ** (h / 2) - ideal) <= self.tolerance)

    def _accept(
        self,
        fits: NDArray[np.bool_],
        h: NDArray[np.int64],
        residues: NDArray[np.int64],
        halves: int,
        bits: int = 0,
    ) -> None:
        """Take residues · √2^h, with conjugates below 2^bits over √2^halves."""
        new = fits & ~self.done
        if not new.any():
            return
        self.residues[new] = (
            self.recognizer.powers_of_root_two(h[new])[:, None]
            * residues[new]
            % self.recognizer.field.q
        )
        self.magnitudes[new] = h[new] / 2 + bits
        self.halves[new] = np.maximum(halves - h[new], 0)
        self.done |= new


def _without_rounding(values: NDArray[np.complex128], of: _Reading) -> NDArray[np.complex128]:
    """Return numbers of which those next to a dyadic number are that number."""
    bits = of.kind.nmant // 4
    parts = np.stack([values.real, values.imag])
    mantissa, exponent = np.frexp(parts)
    whole = np.ldexp(mantissa, bits)
    near = np.abs(whole - np.rint(whole)) <= of.tolerance * 2.0**bits
    re, im = np.where(near, np.ldexp(np.rint(whole), exponent - bits), parts)
    return np.asarray(re + 1j * im)


def _root(k: NDArray[np.int64], order: int) -> NDArray[np.complex128]:
    """Return exp(2πik/order) from angles of at most an eighth of a turn."""
    quarter = (4 * k + order // 2) // order
    angle = (4 * k - quarter * order) * (np.pi / 2 / order)
    return np.array([1, 1j, -1, -1j])[quarter % 4] * (np.cos(angle) + 1j * np.sin(angle))
