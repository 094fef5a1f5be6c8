"""What a Hartley transform, or the half spectrum of a real vector, is to give over GF(q), and the
vector from its half spectrum: by the definition, entry by entry or as geometric sums.

cos(2πe/N) = (w^e + w^-e)/2 and sin(2πe/N) = (w^e - w^-e)/2i, w of order N. With the sums S(k) =
sum_j (t w^k)^j = (t^N - 1)/(t w^k - 1) the sum of t^j cos(2πjk/N) is (S(k) + S(-k))/2, and that of
sines (S(k) - S(-k))/2i. Of N/2 elements the sums are those of t^2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from derive.fields import powers
from proofs.certify.declaration import Columns
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.residue_arrays import no_root_of_one
from proofs.certify.fields.geometric_sums import Numbers, basis, sums

Summed = Callable[[Numbers, Numbers, int], Numbers]
"""What is made of sums with cosines and with sines, modulo q."""


def unit_vectors(N: int, made: Summed, recognizer: Recognizer) -> Columns:
    """Return all e_j, and the columns of the matrix, both of shape (N, 1, N)."""
    angle = np.outer(np.arange(N), np.arange(N)) % N * (recognizer.field.order // N)
    cosines, sines = np.moveaxis(recognizer.circle[angle], -1, 0)
    return basis(N), made(cosines, sines, recognizer.field.q)[:, None]


def geometric(N: int, made: Summed, recognizer: Recognizer, rng: np.random.Generator) -> Columns:
    """Return a vector of powers and its transform, both of shape (N, 1, 1)."""
    q = recognizer.field.q
    x, cosines, sines = of_powers(no_root_of_one(N, q, rng), N, recognizer)
    return x[:, None, None], made(cosines, sines, q)[:, None, None]


def squared(N: int, followed: int, recognizer: Recognizer, rng: np.random.Generator) -> Columns:
    """Return a vector x_j = sum_s t_s^(j+1) and its power spectrum, both of shape (N, 1, 1).

    With as many t_s as a polynomial in x has degrees it is 0 in all t_s only where it is 0: of the
    highest degree m, t_1^i .. t_m^k comes from x_i .. x_k alone; a constant is of degree 0.
    """
    q = recognizer.field.q
    x = cosines = sines = np.zeros(N, np.int64)
    for _ in range(followed):
        t = no_root_of_one(N, q, rng)
        more = zip((x, cosines, sines), of_powers(t, N, recognizer), strict=True)
        x, cosines, sines = ((before + t * part) % q for before, part in more)
    forward, back = (cosines + sines) % q, (cosines + q - sines) % q
    wanted = (forward * forward % q + back * back % q) * pow(2, -1, q) % q
    return x[:, None, None], wanted[:, None, None]


def convolved(
    N: int, followed: int, recognizer: Recognizer, rng: np.random.Generator, count: int
) -> list[Columns]:
    """Return x with x * y, y with x * y, and x with x * x, `count` of them side by side, of shape
    (N, 1, count).

    x_j is the sum of t_s^(j+1) and y_j that of t_s^(N+j+1), so that they are the first and the
    second half of one vector as in `squared`.
    """
    q = recognizer.field.q
    columns = []
    for _ in range(count):
        x = y = xx = xy = np.zeros(N, np.int64)
        drawn = [no_root_of_one(N, q, rng) for _ in range(followed)]
        for t in drawn:
            part, tN = t * powers(t, N, q) % q, pow(t, N, q)
            x, y = (x + part) % q, (y + tN * part) % q
            for u in drawn:
                both = _of_two(t, u, N, q)
                xx, xy = (xx + both) % q, (xy + tN * both) % q
        columns.append([x, y, xy, xx])
    x, y, xy, xx = (np.stack(side, axis=-1)[:, None] for side in zip(*columns, strict=True))
    return [(x, xy), (y, xy), (x, xx)]


def _of_two(t: int, u: int, N: int, q: int) -> Numbers:
    """Return the cyclic convolution of t^(j+1) and u^(j+1): a geometric sum of the j up to k, and
    one of those above, of which u has the exponents k - j + N.
    """
    k, tN, uN = np.arange(N), pow(t, N, q), pow(u, N, q)
    if t == u:
        return powers(t, N, q) * ((k + 1 + (N - 1 - k) * tN) % q) % q * (t * t % q) % q
    factor = t * u * pow(t - u, -1, q) % q
    found = (1 - uN) * (t * powers(t, N, q) % q) % q - (1 - tN) * (u * powers(u, N, q) % q) % q
    return found % q * factor % q


def of_powers(t: int, N: int, recognizer: Recognizer) -> tuple[Numbers, ...]:
    """Return t^j, and its sums with cosines and with sines."""
    q, ahead = recognizer.field.q, sums(N, t, N, np.arange(N), recognizer.field)
    back = np.roll(ahead[::-1], 1)
    cosines, sines = (
        (ahead + back) * pow(2, -1, q) % q,
        (ahead + q - back) % q * pow(2 * recognizer.iota, -1, q) % q,
    )
    return powers(t, N, q), cosines, sines


def both(cosines: Numbers, sines: Numbers, q: int) -> Numbers:
    """Return the sum of the cosine and sine sums."""
    return (cosines + sines) % q


def half_spectrum(cosines: Numbers, sines: Numbers, q: int) -> Numbers:
    """Return the half spectrum along axis 0."""
    half, y = len(cosines) // 2, np.empty_like(cosines)
    y[::2], y[1::2] = cosines[:half], (q - sines[:half]) % q
    y[1] = cosines[half]
    return y


def waves(cosines: Numbers, sines: Numbers, q: int) -> Numbers:
    """Return the real vectors whose half spectra are the unit vectors: of X[0], of X[N/2], and of
    both parts of the others 2 cos(2πjm/N) and -2 sin(2πjm/N).
    """
    half, y = len(cosines) // 2, np.empty_like(cosines)
    y[:, ::2], y[:, 1::2] = 2 * cosines[:, :half] % q, 2 * (q - sines[:, :half]) % q
    y[:, 0], y[:, 1] = cosines[:, 0], cosines[:, half]
    return y


def geometric_back(N: int, recognizer: Recognizer, rng: np.random.Generator) -> Columns:
    """Return a vector of powers, and the real vector whose half spectrum it is."""
    q, signs = recognizer.field.q, np.where(np.arange(N) % 2, recognizer.field.q - 1, 1)
    t = no_root_of_one(2 * N, q, rng)
    ahead = sums(N // 2, t * t % q, N, np.arange(N), recognizer.field)
    back = np.roll(ahead[::-1], 1)
    sines = (ahead + q - back) * pow(recognizer.iota, -1, q) % q
    wanted = (ahead + back - 1 + t * signs % q + (q - t) * sines % q) % q
    return powers(t, N, q)[:, None, None], wanted[:, None, None]
