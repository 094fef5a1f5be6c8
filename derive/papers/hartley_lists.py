"""The work of a rank on its lists in the Hartley transform, in any numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from derive.exact.rings import Elements, Exponents
from derive.gf2.bmmc import bit_reversal
from derive.papers.hartley import SIZES, comp, partner


@dataclass(frozen=True)
class Exchange:
    """Stage s on a rank: with `partner`, the second list only if `half`; `upper` if bit s - 2 of
    the rank is 1.

    The weights are cos and sin of 2 pi u/2^s; where `half`, they are not needed and `negative` says
    that cos + sin is -1.
    """

    s: int
    partner: int
    half: bool
    upper: bool
    u: int
    negative: bool


def exchange(rank: int, s: int) -> Exchange:
    """Return what a rank does at stage s, 2 <= s <= lg P + 1.

    >>> exchange(5, 4)
    Exchange(s=4, partner=3, half=False, upper=True, u=5, negative=False)
    """
    half = rank % (1 << s - 2) == 0
    return Exchange(
        s, partner(rank, s), half, bool(rank >> s - 2 & 1), rank % (1 << s), bool(rank >> s - 1 & 1)
    )


def stage_exponents(rank: int, s: int, N: int, P: int) -> NDArray[np.int64]:
    """Return u with the weights cos and sin of 2 pi u/2^s for both lists at a stage s > lg P + 1,
    shape (2, places of a half block).

    >>> stage_exponents(1, 4, 16, 2).tolist()
    [[1, 5], [3, 7]]
    """
    _, p = SIZES.exponents(N, P)
    first = np.array([rank, comp(rank, p + 1)])
    return first[:, None] + 2 * P * np.arange((1 << s - 1) // (2 * P))


def fourier_exponents(rank: int, N: int, P: int) -> NDArray[np.int64]:
    """Return R c mod N for c = 0 .. G-1: the twiddles exp(-2 pi i R c/N) before the Fourier
    transform of a rank R > 0.

    >>> fourier_exponents(3, 32, 4).tolist()
    [0, 3, 6, 9]
    """
    SIZES.exponents(N, P)
    return rank * np.arange(N // (2 * P)) % N


class Arithmetic(Protocol):
    """The operations on numbers that a transform needs."""

    def add(self, x: Elements, y: Elements) -> Elements: ...

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        """Return x times a root of unity; here only times -1."""
        ...

    def rotate(self, x: Elements, y: Elements, exponent: Exponents, order: int) -> Elements:
        """Return cos(a) x + sin(a) y, a = 2 pi exponent/order."""
        ...

    def hartley(self, x: Elements) -> Elements:
        """Return H_n x along axis 0."""
        ...


def cos_sin(e: Any, order: int) -> tuple[Any, Any]:
    """Return cos and sin of 2 pi e/order for integers 0 <= e < order, from angles of at most an
    eighth of a turn.

    >>> cos_sin(np.array([0, 4, 6]), 8)[1].tolist()
    [0.0, 0.0, -1.0]
    """
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    turned = np.array([1, 1j, -1, -1j])[quarter % 4] * (np.cos(angle) + 1j * np.sin(angle))
    return turned.real[()], turned.imag[()]


@dataclass(frozen=True)
class Floats:
    """Floating point numbers of any precision that numpy has."""

    def add(self, x: Elements, y: Elements) -> Elements:
        return x + y

    def twist(self, x: Elements, exponent: Exponents, order: int) -> Elements:
        assert 2 * exponent == order, "a real number times -1"
        return -x

    def rotate(self, x: Elements, y: Elements, exponent: Exponents, order: int) -> Elements:
        cosine, sine = cos_sin(np.asarray(exponent) % order, order)
        shape = np.shape(exponent) + (1,) * (x.ndim - np.ndim(exponent))
        return x * cosine.reshape(shape).astype(x.dtype) + y * sine.reshape(shape).astype(x.dtype)

    def hartley(self, x: Elements) -> Elements:
        """Return H_n x from a Fourier transform of real numbers: H[t] and H[-t] are real part minus
        and plus imaginary part.
        """
        half = np.fft.rfft(x, axis=0)
        rest = half[len(x) - len(half) : 0 : -1]
        return np.concatenate([half.real - half.imag, rest.real + rest.imag])


def _negative(x: Elements, numbers: Arithmetic) -> Elements:
    return numbers.twist(x, 1, 2)


def _sum_and_difference(a: Elements, b: Elements, numbers: Arithmetic) -> list[Elements]:
    return [numbers.add(a, b), numbers.add(a, _negative(b, numbers))]


def butterfly(own: Elements, exchanged: bool, numbers: Arithmetic) -> Elements:
    """Return sum and difference of the two lists, or difference and sum."""
    both = _sum_and_difference(own[0], own[1], numbers)
    return np.stack(both[::-1] if exchanged else both)


def combined(plan: Exchange, own: Elements, got: Elements, numbers: Arithmetic) -> Elements:
    """Return the lists after stage s from a rank's own lists and those of its partner."""
    if plan.half:
        low, high = (got[0], own[0]) if plan.upper else (own[0], got[0])
        return butterfly(np.stack([low, high]), plan.negative, numbers)
    low, high = (got[::-1], own) if plan.upper else (own, got[::-1])
    u = np.array([plan.u])
    turned = (
        numbers.rotate(high[0], high[1], u, 1 << plan.s),
        numbers.rotate(high[1], high[0], -u, 1 << plan.s),
    )
    return np.stack([numbers.add(x, y) for x, y in zip(low, turned, strict=True)])


def split(plan: Exchange, own: Elements, numbers: Arithmetic) -> Elements:
    """Return twice what a rank with half an exchange had before stage s: its own first list, and
    its partner's second one.
    """
    return butterfly(own[::-1] if plan.negative else own, plan.upper, numbers)


def parted(plan: Exchange, own: Elements, got: Elements, numbers: Arithmetic) -> Elements:
    """Return twice both lists before stage s, from the lists after it of a rank and its partner."""
    if not plan.upper:
        return numbers.add(own, got[::-1])
    first, second = numbers.add(own, _negative(got[::-1], numbers))
    u = np.array([plan.u])
    return np.stack(
        [
            numbers.rotate(first, second, -u, 1 << plan.s),
            numbers.rotate(second, first, u, 1 << plan.s),
        ]
    )


def first_in_place(own: Sequence[Elements]) -> list[Elements]:
    """Return the lists with sums before differences, as `butterfly` takes them."""
    return [lists[::-1] if R % 2 else lists for R, lists in enumerate(own)]


def by_stages(rank: int, own: Elements, N: int, P: int, numbers: Arithmetic) -> Elements:
    """Return the result of a rank by the stages beyond lg P + 1, list by list: the mirror image of
    a place of one list lies in the other.
    """
    n, p = SIZES.exponents(N, P)
    own = own[:, bit_reversal(n - p - 1)(np.arange(N // (2 * P)))]
    for s in range(p + 2, n + 1):
        u = stage_exponents(rank, s, N, P)
        g = u.shape[1]
        blocks = own.reshape(2, -1, 2, g, *own.shape[2:])
        low, high = blocks[:, :, 0], blocks[:, :, 1]
        mirrored = (
            high[::-1, :, ::-1]
            if rank
            else np.stack([high[0][:, -np.arange(g) % g], high[1][:, ::-1]])
        )
        turned = numbers.rotate(high, mirrored, u[:, None], 1 << s)
        own = np.stack(_sum_and_difference(low, turned, numbers), axis=2).reshape(own.shape)
    second = own[1, ::-1] if rank else own[1]
    return np.stack([own[0], second], axis=1).reshape(-1, *own.shape[2:])


def by_fourier(rank: int, own: Elements, N: int, P: int, numbers: Arithmetic) -> Elements:
    """Return the result of a rank by one Fourier transform of G complex numbers; on rank 0 by a
    Hartley transform of M real ones.
    """
    if rank == 0:
        return numbers.hartley(own.reshape(-1, *own.shape[2:]))
    e = fourier_exponents(rank, N, P)
    real, imaginary = _transformed(*_turned(own[0], own[1], e, N, numbers), numbers)
    return np.stack([real, imaginary], axis=1).reshape(-1, *own.shape[2:])


def by_fourier_back(rank: int, y: Elements, N: int, P: int, numbers: Arithmetic) -> Elements:
    """Return G times what `fourier` was given; on rank 0, M times."""
    if rank == 0:
        return numbers.hartley(y).reshape(2, -1, *y.shape[1:])
    pairs = y.reshape(-1, 2, *y.shape[1:])
    imaginary, real = _transformed(pairs[:, 1], pairs[:, 0], numbers)
    return np.stack(_turned(real, imaginary, -fourier_exponents(rank, N, P), N, numbers))


def _turned(
    real: Elements, imaginary: Elements, e: NDArray[np.int64], order: int, numbers: Arithmetic
) -> tuple[Elements, Elements]:
    """Return real and imaginary part after multiplication by exp(-2 pi i e/order)."""
    return numbers.rotate(real, imaginary, e, order), numbers.rotate(imaginary, real, -e, order)


def _transformed(
    real: Elements, imaginary: Elements, numbers: Arithmetic
) -> tuple[Elements, Elements]:
    """Return real and imaginary part of the forward Fourier transform; from the definition where
    the numbers are not floating point.
    """
    if isinstance(numbers, Floats):
        z = np.fft.fft(real + 1j * imaginary, axis=0)
        return z.real, z.imag
    G = len(real)
    sums: tuple[Elements, Elements] | None = None
    for c in range(G):
        a, b = (np.broadcast_to(part[c], part.shape) for part in (real, imaginary))
        terms = _turned(a, b, c * np.arange(G) % G, G, numbers)
        sums = (
            terms
            if sums is None
            else (numbers.add(sums[0], terms[0]), numbers.add(sums[1], terms[1]))
        )
    assert sums is not None, "a rank holds a pair at least"
    return sums
