"""Functions that compiled kernels call, and that make their tables."""

from __future__ import annotations

import numpy as np

from codegen.emit.verbatim.by_numpy import root_of_unity
from codegen.emit.verbatim.given import DTYPE, INVERSE, MODULUS, G, M, W, broadcast, combined, load, load_lists, load_lists_1, load_pairs, load_pairs_4, split
from codegen.emit.verbatim.last import tabulate
from codegen.kernels.montgomery import addmod, mulmod, submod
from codegen.kernels.vectors import bent, blank, mirrored, store_lists, store_pairs, stream_pairs, times, times_i, times_minus_i, transpose


def in_order(place, m, last):
    """Return the number of the result, of m, at a place, if the results of a last butterfly are adjacent."""
    return place % last * (m // last) + place // last


def fft2(v):
    """Return F_2 of two vectors."""
    a, b = v
    return a + b, a - b


def rotate(v, w):
    """Return the vectors v, with all but the first multiplied by w."""
    return v[:1] + times(v[1:], w)


def reversed4(v):
    """Return 4 vectors in bit-reversed order."""
    return v[0], v[2], v[1], v[3]


def reversed8(v):
    """Return 8 vectors in bit-reversed order."""
    return v[0], v[4], v[2], v[6], v[1], v[5], v[3], v[7]


def in_reverse(number, bits):
    """Return a number with its lowest bits in reverse order."""
    found = 0
    for _ in range(bits):
        found, number = 2 * found + number % 2, number // 2
    return found


def put_pairs(y, place, stride, v, streamed):
    """Store vectors in y, bypassing the caches if `streamed`."""
    if streamed:
        stream_pairs(y, place, stride, v)
    else:
        store_pairs(y, place, stride, v)


def butterfly4(x, w):
    """Return 4-butterflies with weights w, the powers 1, 2, 3 of a root (eq. 1.12)."""
    return combined(x[:1] + times((x[2], x[1], x[3]), w))


def butterfly2(x, w):
    """Return 2-butterflies with these weights."""
    y0, x1 = x
    (yw1,) = times((x1,), w)
    return y0 + yw1, y0 - yw1


def reversed_stages(x, y, size):
    """Compute A_4 A_2 P of `size` elements: 4-butterflies of adjacent elements, loaded in bit-reversed order, with weights 1."""
    far, t = size // 4, 0
    for r in range(0, far, 4):
        a, b, c, d = transpose(combined(load_pairs_4(x, r, far, 4)))
        store_pairs(y, t, far, (a, c, b, d))
        bit = far // 2  # t is r with its bits reversed: the next one
        while t & bit:
            t, bit = t - bit, bit // 2
        t += bit


def weights(first, last, ts, u):
    """Return the powers 1, 2, 3 of w_k^(j + t/u), j < k/4, for every pair of stages (k/2, k), and w_k^(j + t/u), j < k/2, for a last stage, for each t; split as in vectors."""
    stages, k = [], 2 * first
    while k <= last:
        stages, k = stages + [(k, 3, k // 4)], 4 * k
    stages += [(last, 1, last // 2)] if k == 2 * last else []
    table, start = blank(len(ts) * sum(powers * h for _, powers, h in stages), DTYPE), 0
    for t in ts:
        for k, powers, h in stages:
            made = tabulate(lambda o: root_of_unity((o // h + 1) * (o % h * u + t) % (k * u), k * u), DTYPE, stop=powers * h)
            table[start : start + powers * h] = split(made, h if h <= 4 else W)
            start += powers * h
    return table


def hadamard(x, y, copies, d, c):
    """Store I ⊗ F_2 ⊗ .. ⊗ F_2 ⊗ I_c x of real numbers in y, two stages at a time, W columns at once or one where these are fewer; x and y are addresses."""
    count, stop = copies * d * c, d * c
    while c < stop:
        two = 4 * c <= stop
        for t in range(0, count, (4 if two else 2) * c):
            if two and c >= W:
                for k in range(t, t + c, W):
                    p, q = load_lists(x, k + c, x, k, 2 * c, 2)
                    store_lists(y, k, y, k + c, 2 * c, fft2((p + times_minus_i(p), q + times_minus_i(q))))
            elif two:
                for k in range(t, t + c):
                    p, q = load_lists_1(x, k + c, x, k, 2 * c, 2)
                    store_lists(y, k, y, k + c, 2 * c, fft2((p + times_minus_i(p), q + times_minus_i(q))))
            elif c >= W:
                for k in range(t, t + c, W):
                    (p,) = load_lists(x, k + c, x, k, 0, 1)
                    store_lists(y, k, y, k + c, 0, (p + times_minus_i(p),))
            else:
                for k in range(t, t + c):
                    (p,) = load_lists_1(x, k + c, x, k, 0, 1)
                    store_lists(y, k, y, k + c, 0, (p + times_minus_i(p),))
        x, c = y, (4 if two else 2) * c


def butterfly(a, b, sums, differences, count):
    """Store a + b in sums and a - b in differences, for lists of `count` real numbers."""
    for c in range(0, count, W):
        (v,) = load_lists(b, c, a, c, 0, 1)
        store_lists(sums, c, differences, c, 0, (v + times_minus_i(v),))


def turned_sum(z, other, y, weights, at, i, count):
    """Store z + w z', w = weights[i], in the two lists of y; the real parts of z begin at `at`, where z' has its imaginary parts."""
    for c in range(0, count, W):
        (v,), w = load_lists(z, at + c, z, G - at + c, 0, 1), load_lists(other, G - at + c, other, at + c, 0, 1)
        (w,) = times(w, broadcast(weights, i, 1, 1))
        store_lists(y, c, y, G + c, 0, (v + w,))


def turned_back(y, other, weights, i, count):
    """Store w (z - z'), w = weights[i], in y; z are the two lists of y, z' those of `other` in reverse order."""
    for c in range(0, count, W):
        (v,), (w,) = load_lists(y, c, y, G + c, 0, 1), load_lists(other, G + c, other, c, 0, 1)
        store_lists(y, c, y, G + c, 0, times((v - w,), broadcast(weights, i, 1, 1)))


def turn_back(z, y, table, count):
    """Store the entries -c of complex numbers, times exp(2 pi i rank c / N), in two lists, except for c = 0."""
    for i in range(0, count, W):
        c = max(i, 1)
        v = (mirrored(load_pairs(z, G - c - W + 1, 0, 1)[0]),)
        (turned,) = times(v, load(table, i if i else G, W, 1))  # the conjugate
        store_lists(y, G + c, y, c, 0, (times_i(turned),))


def multiply_mirrored(a, b, y, weight, count):
    """Store the product of weight, a and b in y, except for k = 0; the real and imaginary parts of number k are entries k and -k of M real ones. y is neither a nor b."""
    for i in range(0, count, W):
        k = max(i, 1)
        (v,), (w,) = load_lists(a, k, a, M - k - W + 1, 0, 1), load_lists(b, k, b, M - k - W + 1, 0, 1)
        (v,) = times(times((bent(v),), broadcast(weight, 0, 1, 1)), (bent(w),))
        store_lists(y, k, y, M - k - W + 1, 0, (bent(v),))


def multiply_pairs(a, b, y, weight, count):
    """Store the product of weight, a and b, complex numbers with interleaved parts, in y."""
    for c in range(0, count, W):
        v = times(load_pairs(a, c, 0, 1), broadcast(weight, 0, 1, 1))
        store_pairs(y, c, 0, times(v, load_pairs(b, c, 0, 1)))


def in_montgomery(e):
    """Return residues times 2^32 modulo MODULUS: mulmod by them multiplies by e."""
    return (e << 32) % MODULUS


def stages_modulo(x, y, roots, room, copies, d, c, high, wide):
    """Store I_copies ⊗ F_d ⊗ I_c x in y modulo MODULUS, `high` copies and `wide` columns at a time, stage by stage (Stockham) in the halves of `room`."""
    lanes = high * wide
    for start in range(0, copies * d * c, high * d * c):
        for first in range(start, start + c, wide):
            for i in range(high):
                for r in range(d):
                    at, to = first + (i * d + r) * c, r * lanes + i * wide
                    given, made = x[at : at + wide], room[to : to + wide]
                    for j in range(wide):
                        made[j] = given[j]
            begin, end, half, block = 0, d * lanes, d // 2, lanes
            while half:
                for k in range(half):
                    p, q, s, w = begin + k * block, begin + (half + k) * block, end + 2 * k * block, roots[k * (d // 2 // half)]
                    a, b, sums, differences = room[p : p + block], room[q : q + block], room[s : s + block], room[s + block : s + 2 * block]
                    for j in range(block):
                        sums[j] = addmod(a[j], b[j], MODULUS)
                        differences[j] = mulmod(submod(a[j], b[j], MODULUS), w, MODULUS, INVERSE)
                begin, end, half, block = end, begin, half // 2, 2 * block
            for i in range(high):
                for r in range(d):
                    at, to = begin + r * lanes + i * wide, first + (i * d + r) * c
                    given, made = room[at : at + wide], y[to : to + wide]
                    for j in range(wide):
                        made[j] = given[j]


def odd_radix_modulo(x, y, roots, copies, r, m, c):
    """Store I_copies ⊗ (L (I_m ⊗ F_r) L) ⊗ I_c x times twiddles in y modulo MODULUS, the results of an F_r side by side: by its definition."""
    for start in range(0, copies * r * m * c, r * m * c):
        for t in range(m):
            for k in range(r):
                at, to, w = start + t * c, start + (t * r + k) * c, roots[t * k]
                given, made = x[at : at + c], y[to : to + c]
                for j in range(c):
                    made[j] = mulmod(given[j], w, MODULUS, INVERSE)
                for e in range(1, r):
                    at, w = start + (e * m + t) * c, roots[(e * m + t) * k % (r * m)]
                    given = x[at : at + c]
                    for j in range(c):
                        made[j] = addmod(made[j], mulmod(given[j], w, MODULUS, INVERSE), MODULUS)


def products_modulo(x, y, table):
    """Store x times a table in Montgomery's form, which repeats itself, in y modulo MODULUS."""
    for start in range(0, len(x), len(table)):
        given, made = x[start : start + len(table)], y[start : start + len(table)]
        for j in range(len(table)):
            made[j] = mulmod(given[j], table[j], MODULUS, INVERSE)


def prepare_modulo():
    """Compile the kernels with calls that do nothing."""
    none, table = np.empty(0, DTYPE), np.ones(1, int)
    stages_modulo(none, none, table, none, 0, 2, 1, 1, 1)
    products_modulo(none, none, table)


def prepare_odd():
    """Compile the kernel of odd radices with a call that does nothing."""
    odd_radix_modulo(np.empty(0, DTYPE), np.empty(0, DTYPE), np.ones(1, int), 0, 3, 1, 1)
