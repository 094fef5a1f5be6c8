"""Functions that supersteps by numpy call."""

from __future__ import annotations

import numpy as np

from codegen.emit.verbatim.given import DTYPE, PIECE, SIGN, G, M, combine, opposites


def root_of_unity(e, order):
    """Return w_order^e for integers 0 <= e < order, from angles of at most an eighth of a turn."""
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    return np.array([1, SIGN * 1j, -1, SIGN * -1j])[quarter % 4] * (np.cos(angle) + SIGN * 1j * np.sin(angle))


def butterflies(x, y):
    """Put the sums and differences of x[:, 0] and x[:, 1] into y, in pieces that fit a cache."""
    high, wide = max(1, PIECE // x.shape[2]), min(x.shape[2], PIECE)
    for i in range(0, len(x), high):
        for j in range(0, x.shape[2], wide):
            p, q = (x[i : i + high, half, j : j + wide] for half in (0, 1))
            np.add(p, q, out=y[i : i + high, 0, j : j + wide])
            np.subtract(p, q, out=y[i : i + high, 1, j : j + wide])


def butterfly(messages, twiddle, y):
    """Put p + w q and p - w q into the halves of y, for two messages p and q and twiddles w, in pieces that fit a cache."""
    for start in range(0, len(twiddle), PIECE):
        piece = slice(start, start + PIECE)
        p, q = (message[piece] for message in messages)
        sums, differences = y[:, piece]
        np.multiply(q, twiddle[piece], out=differences)
        np.add(p, differences, out=sums)
        np.subtract(p, differences, out=differences)


def generalized(x, y, tables):
    """Put stages of generalized butterflies of x into y, two at a time (Inda & Bisseling 2000, Algorithm 3.2), in pieces that fit a cache."""
    for w in tables:
        given, made = (z.reshape(-1, len(w) + 1, w.shape[1]) for z in (x, y))
        high, wide = max(1, PIECE // w.size), min(w.shape[1], PIECE)
        for t in range(0, len(given), high):
            for j in range(0, w.shape[1], wide):
                combine(given[t : t + high, :, j : j + wide], made[t : t + high, :, j : j + wide], w[:, j : j + wide])
        x = y


def hartley_along(x, y, norm):
    """Put the Hartley transforms of x along its middle axis into y, which may be x: Re - Im of half their spectra, and Re + Im backwards; in pieces that fit a cache."""
    copies, n, c = x.shape
    half, opposite, wide = n // 2 + 1, slice((n - 1) // 2, 0, -1), max(1, PIECE // n)
    high = max(1, wide // c)
    for i in range(0, copies, high):
        for j in range(0, c, wide):
            part = slice(i, i + high), slice(None), slice(j, j + wide)
            X, made = np.fft.rfft(x[part], axis=1, norm=norm), y[part]
            np.subtract(X.real, X.imag, out=made[:, :half])
            np.add(X.real[:, opposite], X.imag[:, opposite], out=made[:, half:])


def affine(columns, x, c=0):
    """Return columns x + c over GF(2): c and the columns that the bits of x choose; bit i of a column is row i."""
    y = x * 0 + c
    for bit, column in enumerate(columns):
        y = y ^ (x >> bit & 1) * column
    return y


def span(columns):
    """Return all sums of columns, in the order of the numbers whose bits choose them."""
    return affine(columns, np.arange(1 << len(columns)))


class Tiles:
    """A rank's elements in another order, in rows of so many, cut into tiles that fit a cache.

    Rows  rows i + steps k  are gathered, place v takes the element at  inside (v + f),  and they become the rows  to i + t div row,
    where  t = onto k + c,  f = t mod row.
    """

    def __init__(self, row, rows, inside, steps, c):
        self.row, self.inside, self.rows = row, span(inside), [span(side) for side in rows]
        self.steps = [span(steps[0]), span(steps[1]) ^ c]
        self.tile = np.empty((2, len(self.inside)), DTYPE)

    def move(self, source, target):
        source, target = source.reshape(-1, self.row), target.reshape(-1, self.row)
        gathered, permuted = self.tile
        for s, t in zip(*self.steps):
            turned = self.inside ^ self.inside[t % self.row] if t % self.row else self.inside
            np.take(source, s ^ self.rows[0], axis=0, out=gathered.reshape(-1, self.row), mode="clip")
            np.take(gathered, turned, out=permuted, mode="clip")
            target[t // self.row ^ self.rows[1]] = permuted.reshape(-1, self.row)


def receive(comm, partners, target):
    """Begin to receive a message from each other rank of a group, and return the requests."""
    size = M // len(partners)
    return [comm.Irecv(target[q * size : q * size + size], partner) for q, partner in enumerate(partners) if partner != comm.rank]


def send(comm, partners, numbers, source, target):
    """Begin to send the messages of these numbers, and return the requests; this rank keeps its own."""
    requests, size = [], M // len(partners)
    for q in numbers:
        message = slice(q * size, q * size + size)
        if partners[q] == comm.rank:
            np.copyto(target[message], source[message])
        else:
            requests.append(comm.Isend(source[message], partners[q]))
    return requests


def complement(t, s):
    """Return t with its s low bits complemented: -t mod 2^s, but 0 and 2^(s-1) change places."""
    low, half = t % (1 << s), 1 << (s - 1)
    return t - low + (low ^ half if low % half == 0 else (1 << s) - low)


def power(h, y, rank):
    """Put |X[m]|^2 = (H[m]^2 + H[-m]^2) / 2 into y, at the places of H[m] and H[-m]."""
    if rank == 0:
        y[::G] = h[::G] ** 2
    (a, b), (first, second) = opposites(h, rank), opposites(y, rank)
    for start in range(0, G, PIECE):
        piece = slice(start, start + PIECE)
        first[piece] = second[piece] = 0.5 * (a[piece] ** 2 + b[piece] ** 2)
