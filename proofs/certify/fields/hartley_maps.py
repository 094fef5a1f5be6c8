"""Hartley transforms, half spectra of real vectors, and products that are made of them: what their
programs declare, and what these are to give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from codegen.program.protocol import REAL as REAL_UNIT
from codegen.program.supersteps import Program
from codegen.systems.fht import HARTLEY
from codegen.systems.options import REAL
from derive.formula.grammar import I, kron
from derive.formula.placement import Placement
from derive.formula.transforms import H
from derive.papers.hartley_layouts import HalfSpectrum, placement
from proofs.certify.declaration import COMPILED, CONVOLVE, BeyondReach, Columns, Transform, Vector
from proofs.certify.exact.constants import Recognizer
from proofs.certify.fields import hartley_sums
from proofs.certify.fields.fourier_maps import RealMaps
from proofs.certify.fields.geometric_sums import Numbers

LARGEST_SQUARED = 2**20
"""The most elements of a power spectrum: its rounding is compared with a reference."""


PAIRED, MADE = "z = x_2m + i x_(2m + 1)", "y_2m + i y_(2m + 1) = Z"
PAIRS_TO_HALVES = (
    "y[m], y[m + N/2] = Re (1 + i) (Z[m] + C)/2 ± Im (1 + i) w^m (Z[m] - C)/2, C = conj Z[-m]"
)
HALVES_TO_PAIRS = (
    "z[m] = (u + u')/2 + i (u - u')/2 + w^m (i (v - v')/2 - (v + v')/2),"
    " u, v = x[m] ± x[m + N/2], u', v' those of -m, v'[0] = -v[0]"
)
STAGE = (
    "L_s = I ⊗ [[I, C], [I, -C]] of order K = 2^s, C_uu = cos(2 pi u/K), sin(2 pi u/K) added at"
    " (u, -u)"
)
BY_GROUPS = (
    "H[t + M l] = sum_s cos(2 pi s l/P) a_s[t] + sin(2 pi s l/P) b_s[t],   s, l < P,   t < M",
    "a_s[t] = cos(2 pi s t/N) h_s[t] + sin(2 pi s t/N) h_s[-t],   b_s[t] = a_s[-t],   h_s ="
    " H_M (x[s], x[s + P], ...)",
)
HALVES = "(y[2m] + i y[2m + 1]) = X[m], 0 < m < N/2, y[0] = X[0], y[1] = X[N/2], X = "
HALF_GIVEN = HALVES.removesuffix(", X = ").replace("y", "x")
UNTANGLED = {
    -1: "X[m] = (Z[m] + C)/2 - i w^m (Z[m] - C)/2, C = conj Z[-m]",
    1: "Z[m] = X[m] + C + i w^m (X[m] - C), C = conj X[N/2 - m]",
}


def _fourier(sign: int) -> Callable[..., Vector]:
    """Return numpy's Fourier transform with this sign of the exponent."""
    return np.fft.fft if sign < 0 else np.fft.ifft


def _half(spectrum: Vector) -> Vector:
    """Return the half spectrum of a real vector from its whole spectrum."""
    half = np.stack([spectrum.real, spectrum.imag], axis=1)[: len(spectrum) // 2]
    half[0, 1] = spectrum.real[len(spectrum) // 2]
    return half.reshape(-1)


def _whole(y: Vector) -> Vector:
    """Return the spectrum of a real vector from its half, y[2m] + i y[2m + 1] = X[m]."""
    half = np.concatenate([y[:1], y[2::2] + 1j * y[3::2], y[1:2]])
    return np.concatenate([half, half[-2:0:-1].conj()])


@dataclass(frozen=True)
class Hartley(Transform):
    """A Hartley transform, or the half spectrum of a real vector that is made from it."""

    algorithm: str
    result: str

    dtypes = REAL
    magnitude, root_twos = 0.5, 2  # cas(a) = √2 cos(a - π/4)
    between_neighbours, is_traced = True, True

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Hartley:
        return (Squares if values["result"] == "power" else cls)(**values)

    kind = "Hartley transform"

    @property
    def how(self) -> str:
        return f", {self.algorithm}{super().how}"

    def computed(self, left: str) -> str:
        spectrum = f"{self.scale}F_{self.N} x"
        return {
            "hartley": f"y = {self.scale}H_{self.N} x",
            "dft": HALVES + spectrum,
            "power": f"y[m] = |X[m]|^2, X = {spectrum}",
        }[self.result]

    def equations(self, program: Program) -> list[str]:
        N = self.N
        entries = f"H_{N}[j, k] = cos(2 pi jk/{N}) + sin(2 pi jk/{N})"
        more = BY_GROUPS
        if self.algorithm == "hypercube":
            more = f"H_{N} = {_stages(self)}", STAGE
        return [f"{self.computed('')},   {entries}", *more]

    def stated_by(self, words: Mapping[str, str]) -> dict[str, Any]:
        return {"result": self.result, "convolve": "--convolve" in words}

    def fit(self) -> None:
        """Raise ValueError where result, direction and layouts contradict each other."""
        super().fit()
        result, output = self.result, self.output
        if (result == "dft") != (output == HalfSpectrum.name) or self.input == HalfSpectrum.name:
            raise ValueError(
                f"RESULT = {result!r}, INPUT = {self.input!r}, OUTPUT = {output!r}: only the output"
                " of dft has the layout half-spectrum"
            )
        if result != "hartley" and self.sign > 0:
            raise ValueError(
                f"RESULT = {result!r}, DIRECTION = {self.direction!r}: the spectrum of a real"
                " vector has the direction forward"
            )

    @property
    def formula(self) -> str:
        if self.result == "dft":
            return (
                f"y_2m + i y_(2m+1) = X_m, 0 < m < {self.N}/2, y_0 = X_0, y_1 = X_(N/2), X_m ="
                f" {self.scale}sum_j exp(-2πi jm/{self.N}) x_j"
            )
        return f"y_k = {self.scale}sum_j cas(2πjk/{self.N}) x_j, cas = cos + sin"

    def layout(self, side: str) -> Placement:
        return placement(getattr(self, side), self.N, self.P)

    @property
    def _made(self) -> hartley_sums.Summed:
        """What is made of sums with cosines and with sines."""
        return hartley_sums.both if self.result == "hartley" else hartley_sums.half_spectrum

    def powers(self, recognizer: Recognizer, rng: np.random.Generator) -> Columns:
        return hartley_sums.geometric(self.N, self._made, recognizer, rng)

    def units(self, recognizer: Recognizer) -> Columns:
        return hartley_sums.unit_vectors(self.N, self._made, recognizer)

    def reference(self, x: Vector) -> Vector:
        spectrum = _fourier(self.sign)(x.astype(np.clongdouble), norm=self.norm)
        if self.result == "dft":
            return _half(spectrum)
        return np.asarray(spectrum.real + self.sign * spectrum.imag)


def _stages(d: Hartley) -> str:
    """Return the product of the stages L_n .. L_1, backwards from the Hartley layout."""
    back = d.input == HARTLEY and d.P > 1
    names = [f"(2 L_{s}^-1)" if back else f"L_{s}" for s in range(1, d.n + 1)]
    names = names if d.n < 4 else [*names[:2], "...", names[-1]]
    return " ".join([f"P_{d.N}", *names] if back else [*reversed(names), f"P_{d.N}"])


@dataclass(frozen=True)
class HartleyArrays(RealMaps):
    """The Hartley transform along each axis of an array, or of those of a batch."""

    dtypes, magnitude, root_twos = Hartley.dtypes, Hartley.magnitude, Hartley.root_twos
    result: ClassVar[str] = "hartley"
    kind = Hartley.kind
    by_digits, between_neighbours, is_traced = True, True, True

    @property
    def formula(self) -> str:
        return f"y = {self.scale}{self.matrix('H')} x, H_n[j, k] = cos(2πjk/n) + sin(2πjk/n),"

    def computed(self, left: str) -> str:
        return f"y = {self.scale}{self.matrix('H')} x"

    def equations(self, program: Program) -> list[str]:
        return [*_of_arrays(self, program), str(program.equation)]

    def axis_matrix(self, n: int, recognizer: Recognizer) -> Numbers:
        return hartley_sums.unit_vectors(n, hartley_sums.both, recognizer)[1][:, 0]

    def axis_powers(self, n: int, r: int, recognizer: Recognizer) -> Numbers:
        _, cosines, sines = hartley_sums.of_powers(r, n, recognizer)
        return hartley_sums.both(cosines, sines, recognizer.field.q)

    def reference(self, x: Vector) -> Vector:
        found = x.astype(np.clongdouble).real.reshape(self.whole)
        for axis in range(-len(self.shape), 0):
            along = _fourier(self.sign)(found, axis=axis, norm=self.norm)
            found = along.real + self.sign * along.imag
        return np.asarray(found).reshape(-1)


def _of_arrays(d: HartleyArrays, program: Program) -> tuple[str, str]:
    """Return what the head says of Hartley transforms of arrays, of n elements along an axis."""
    n = str(d.points) if len(d.shape) == 1 else "n"
    reflected = "(E z)[k] = (z[k] + c)/2 + i (z[k] - c)/2, c = z[-k]"
    is_real = str(program.equation.left) == d.matrix("H")
    by_fourier = f"H_{n} = E F_{n} = F_{n} E,   {reflected},   {_pairs(d, program)}"
    of_reals = f"H_{n} x = Re F_{n} x - Im F_{n} x of the real x"
    return (
        f"{d.computed('')},   H_{n}[j, k] = cos(2 pi jk/{n}) + sin(2 pi jk/{n})",
        _of_halves(d, program.halves.back)
        if program.halves
        else of_reals
        if is_real
        else by_fourier,
    )


def _of_halves(d: HartleyArrays, back: bool) -> str:
    """Return what the head says of vectors of which pairs, or halves as pairs, are transformed."""
    first, last = (MADE, HALVES_TO_PAIRS) if back else (PAIRS_TO_HALVES, PAIRED)
    n = d.points
    return f"{first},   Z = {d.scale}F_{n // 2} z,   {last},   w = exp(-2 pi i / {n})"


def _pairs(d: HartleyArrays, program: Program) -> str:
    """Return of which complex numbers the elements of an array are the parts."""
    of_rows = PAIRED
    rows = kron(I(d.N // d.shape[-1]), H(d.shape[-1]))
    of_real = [step.unit == REAL_UNIT for step in program.steps]
    if any(of_real[:1]):
        return f"{rows} first, then {of_rows}"
    return f"{of_rows}, then {rows}" if any(of_real[-1:]) else "z = x"


@dataclass(frozen=True)
class RealFourier(Transform):
    """The half spectrum X of a vector of real elements x, or the way back."""

    dtypes, magnitude, root_twos = REAL, 1.0, 2
    by_digits, between_neighbours, is_traced, is_halved = True, True, True, True
    elements = "real elements"

    @property
    def chosen(self) -> dict[str, Any]:
        return {"direction": self.direction}

    @property
    def formula(self) -> str:
        N, z, sums = self.N, "xy"[self.sign < 0], f"{self.scale}sum_"
        half = f"{z}_2m + i {z}_(2m+1) = X_m, 0 < m < {N}/2, {z}_0 = X_0, {z}_1 = X_({N}/2)"
        if self.sign < 0:
            return f"{half}, X_m = {sums}j exp(-2πi jm/{N}) x_j"
        return f"y_j = {sums}m exp(+2πi jm/{N}) X_m, {half}, X_({N}-m) = conj X_m"

    def computed(self, left: str) -> str:
        matrix = f"{self.scale}F_{self.N}"
        if self.sign < 0:
            return f"{HALVES}{matrix} x"
        return f"y = {matrix} X, {HALF_GIVEN}, X[N - m] = conj X[m]"

    def equations(self, program: Program) -> list[str]:
        (x, given, made), sign = ("xzZ", "-") if self.sign < 0 else ("yZz", "")
        pairs = f"{made} = {self.scale}F_{self.N // 2} {given},   z[m] = {x}[2m] + i {x}[2m + 1]"
        whole = f"{self.computed('')},   w = exp({sign}2 pi i / {self.N})"
        return [whole, f"{UNTANGLED[self.sign]},   {pairs}", str(program.equation)]

    def powers(self, recognizer: Recognizer, rng: np.random.Generator) -> Columns:
        if self.sign > 0:
            return hartley_sums.geometric_back(self.N, recognizer, rng)
        return hartley_sums.geometric(self.N, hartley_sums.half_spectrum, recognizer, rng)

    def units(self, recognizer: Recognizer) -> Columns:
        made = hartley_sums.waves if self.sign > 0 else hartley_sums.half_spectrum
        return hartley_sums.unit_vectors(self.N, made, recognizer)

    def reference(self, x: Vector) -> Vector:
        given = x.astype(np.clongdouble)
        if self.sign > 0:
            return np.asarray(_fourier(self.sign)(_whole(given), norm=self.norm).real)
        return _half(_fourier(self.sign)(given, norm=self.norm))


@dataclass(frozen=True)
class Squares(Hartley):
    """What is made of products of Hartley transforms: a power spectrum, or a convolution."""

    magnitude, root_twos, degree, followed = 2.0, 6, 2, 4  # (cas² + cas²)/2, in both orders

    def fit(self) -> None:
        """Raise BeyondReach for squares that are not followed here."""
        if self.result == "power" and self.kernels in COMPILED:
            raise BeyondReach(
                f"RESULT = {self.result!r} with KERNELS = {self.kernels!r}: certify follows"
                " products of data only with the kernels numpy; certify the same program with these"
            )
        if self.result == "power" and self.N > LARGEST_SQUARED:
            raise BeyondReach(
                f"N = {self.N} with RESULT = {self.result!r} is above {LARGEST_SQUARED}; certify"
                " the same program for a smaller N"
            )
        super().fit()

    @property
    def divided(self) -> int:
        return 2 * super().divided

    @property
    def exponents(self) -> int:
        return 12 * self.N  # 2 N numbers, 4 of them multiplied; no t with t^N = 1 is drawn

    @property
    def formula(self) -> str:
        if self.result == CONVOLVE:
            return "z_k = sum_j x_j y_(k-j mod N)"
        return f"y_k = |{self.scale}sum_j exp(-2πi jk/{self.N}) x_j|^2"

    def stimulus(self, recognizer: Recognizer, rng: np.random.Generator) -> Columns:
        return hartley_sums.squared(self.N, self.followed, recognizer, rng)

    def reference(self, x: Vector, other: Vector | None = None) -> Vector:
        """Return the power spectrum, or the convolution of x with another real vector."""
        given = x.astype(np.clongdouble)
        if other is not None:
            spectrum = np.fft.fft(given) * np.fft.fft(other.astype(np.clongdouble))
            return np.asarray(np.fft.ifft(spectrum).real)
        spectrum = _fourier(self.sign)(given, norm=self.norm)
        return np.asarray(spectrum.real**2 + spectrum.imag**2)
