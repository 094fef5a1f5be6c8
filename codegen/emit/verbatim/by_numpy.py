"""Functions that supersteps by numpy call."""

from __future__ import annotations

import numpy as np

from codegen.emit.verbatim.given import DTYPE, MODULUS, PIECE, ROOT, SIGN, G, M, N, combine, opposites


def root_of_unity(e, order):
    """Return w_order^e for integers 0 <= e < order, using angles of at most an eighth of a turn for accuracy."""
    quarter = (4 * e + order // 2) // order
    angle = (4 * e - quarter * order) * (np.pi / 2 / order)
    return np.array([1, SIGN * 1j, -1, SIGN * -1j])[quarter % 4] * (np.cos(angle) + SIGN * 1j * np.sin(angle))


def butterflies(x, y):
    """Store the sums and differences of x[:, 0] and x[:, 1] in y, in pieces that fit a cache."""
    high, wide = max(1, PIECE // x.shape[2]), min(x.shape[2], PIECE)
    for i in range(0, len(x), high):
        for j in range(0, x.shape[2], wide):
            p, q = (x[i : i + high, half, j : j + wide] for half in (0, 1))
            np.add(p, q, out=y[i : i + high, 0, j : j + wide])
            np.subtract(p, q, out=y[i : i + high, 1, j : j + wide])


def hadamard(x, y):
    """Store sums and differences of all pairs of x along its middle axis in y, bit by bit, in pieces that fit a cache: results come on top, so that the lowest bit is the next one."""
    copies, d, c = x.shape
    wide = min(c, max(1, PIECE // d))
    high = max(1, PIECE // (d * wide))
    for i in range(0, copies, high):
        for j in range(0, c, wide):
            part, bits = (slice(i, i + high), slice(None), slice(j, j + wide)), d
            given = x[part]
            while bits > 1:
                bits //= 2
                made = np.empty(given.shape, DTYPE) if bits > 1 else y[part]
                np.add(given[:, ::2], given[:, 1::2], out=made[:, : d // 2])
                np.subtract(given[:, ::2], given[:, 1::2], out=made[:, d // 2 :])
                given = made


def root_power(e, order):
    """Return w_order^e modulo MODULUS for integers 0 <= e < order: the product of the powers w_order^(2^bit) for the bits of e."""
    found, power = e * 0 + 1, pow(ROOT, SIGN * N // order, MODULUS)
    for bit in range((order - 1).bit_length()):
        found = np.where(e >> bit & 1, found * power % MODULUS, found)
        power = power * power % MODULUS
    return found


def number_theoretic(x, y, roots):
    """Store the transforms F_d of x along its middle axis in y, modulo MODULUS, in pieces that fit a cache; products of residues are below 2^62."""
    copies, d, c = x.shape
    wide = min(c, max(1, PIECE // d))
    high = max(1, PIECE // (d * wide))
    for i in range(0, copies, high):
        for j in range(0, c, wide):
            given, half = x[i : i + high, :, j : j + wide], d // 2
            while half:  # Stockham's algorithm: sums and differences come to lie side by side
                a, b = given[:, :half], given[:, half:]
                made = np.empty((len(a), half, 2, *a.shape[2:]), DTYPE)
                np.add(a, b, out=made[:, :, 0])
                np.multiply(a - b, roots[:: len(roots) // half].reshape(-1, *[1] * (a.ndim - 2)), out=made[:, :, 1])
                np.remainder(made, MODULUS, out=made)
                given, half = made.reshape(len(a), half, -1, a.shape[-1]), half // 2
            y[i : i + high, :, j : j + wide] = given.reshape(len(given), d, -1)


def odd_radix(x, y, roots):
    """Store F_r of x along its second axis times twiddles in y, where results lie side by side, modulo MODULUS: by the definition of F_r, in pieces that fit a cache."""
    copies, r, m, c = x.shape
    wide = min(c, max(1, PIECE // r))
    tall = min(m, max(1, PIECE // (r * wide)))
    high = max(1, PIECE // (r * wide * tall))
    for i in range(0, copies, high):
        for t in range(0, m, tall):
            for j in range(0, c, wide):
                given, o = x[i : i + high, :, t : t + tall, j : j + wide], np.arange(t, min(t + tall, m))
                for k in range(r):
                    total = given[:, 0] * roots[o * k, None] % MODULUS
                    for e in range(1, r):
                        total += given[:, e] * roots[(e * m + o) * k % (r * m), None] % MODULUS
                    np.remainder(total, MODULUS, out=y[i : i + high, t : t + tall, k, j : j + wide])


def butterfly(messages, twiddle, y):
    """Store p + w q and p - w q in the halves of y, for two messages p and q and twiddles w, in pieces that fit a cache."""
    for start in range(0, len(twiddle), PIECE):
        piece = slice(start, start + PIECE)
        p, q = (message[piece] for message in messages)
        sums, differences = y[:, piece]
        np.multiply(q, twiddle[piece], out=differences)
        np.add(p, differences, out=sums)
        np.subtract(p, differences, out=differences)


def generalized(x, y, tables):
    """Store stages of generalized butterflies of x in y, two stages at a time (Inda & Bisseling 2000, Algorithm 3.2), in pieces that fit a cache."""
    for w in tables:
        given, made = (z.reshape(-1, len(w) + 1, w.shape[1]) for z in (x, y))
        high, wide = max(1, PIECE // w.size), min(w.shape[1], PIECE)
        for t in range(0, len(given), high):
            for j in range(0, w.shape[1], wide):
                combine(given[t : t + high, :, j : j + wide], made[t : t + high, :, j : j + wide], w[:, j : j + wide])
        x = y


def hartley_along(x, y, norm):
    """Store the Hartley transforms of x along its middle axis in y, which may be x: H[k], H[-k] = Re X[k] ∓ Im X[k]; in pieces that fit a cache."""
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
    """Return A x + c over GF(2), for the matrix A with these columns: c plus the columns that the bits of x select; bit i of a column is row i."""
    y = x * 0 + c
    for bit, column in enumerate(columns):
        y = y ^ (x >> bit & 1) * column
    return y


def span(columns):
    """Return all sums of columns: entry x is the sum of the columns that the bits of x select."""
    return affine(columns, np.arange(1 << len(columns)))


class Tiles:
    """A local permutation of rows of `row` elements, in tiles that fit a cache.

    Tile k gathers the rows  rows[0] i + steps[0] k;  its element v is the gathered element  inside (v + t mod row);
    it is stored in the rows  rows[1] i + t div row,  where  t = steps[1] k + c.
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
    """Start receiving a message from every other rank of a group and return the requests."""
    size = M // len(partners)
    return [comm.Irecv(target[q * size : q * size + size], partner) for q, partner in enumerate(partners) if partner != comm.rank]


def send(comm, partners, numbers, source, target):
    """Start sending the messages with these numbers and return the requests; copy this rank's own message."""
    requests, size = [], M // len(partners)
    for q in numbers:
        message = slice(q * size, q * size + size)
        if partners[q] == comm.rank:
            np.copyto(target[message], source[message])
        else:
            requests.append(comm.Isend(source[message], partners[q]))
    return requests


def complement(t, s):
    """Return t with its s low bits replaced by -t mod 2^s, except that 0 and 2^(s-1) are swapped."""
    low, half = t % (1 << s), 1 << (s - 1)
    return t - low + (low ^ half if low % half == 0 else (1 << s) - low)


def power(h, y, rank):
    """Store |X[m]|^2 = (H[m]^2 + H[-m]^2) / 2 in y, at the offsets of H[m] and H[-m]."""
    if rank == 0:
        y[::G] = h[::G] ** 2
    (a, b), (first, second) = opposites(h, rank), opposites(y, rank)
    for start in range(0, G, PIECE):
        piece = slice(start, start + PIECE)
        first[piece] = second[piece] = 0.5 * (a[piece] ** 2 + b[piece] ** 2)
