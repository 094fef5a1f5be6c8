"""Transforms with kernels on vectors, and what damages them."""

from functools import cache

from codegen.emit.text import emit
from codegen.spec import Spec


@cache
def text(n=9, p=1, layout="cyclic", exchange="alltoall", **options):
    return emit(Spec("fft", 1 << n, 1 << p, layout, layout, exchange, kernels="numba", **options))


APART = {
    "another message": ("x[place >> bits]", "x[(place >> bits) ^ 1]"),
    "always the first message": ("x[place >> bits]", "x[0]"),
    "a message of another size": (
        "size.bit_length() - 1, size - 1",
        "size.bit_length(), 2 * size - 1",
    ),
    "a place of another message": ("x[place >> bits], place & low", "x[place >> bits], place"),
    "messages in another order": (
        "return half(x, place) + half(x, place + gap)",
        "return half(x, place + gap) + half(x, place)",
    ),
    "messages without a synchronisation": (
        "messages = plan.window.exchange(plan.messages)",
        "messages = plan.messages[0]",
    ),
    "the other's half": ("rank * 64 + o, 128)", "(rank ^ 1) * 64 + o, 128)"),
    "a sum for both halves": ("rank * 64 + o, 128)", "o, 128)"),
    "twiddles of one table": (
        "times(times((w,), load(before, j, W, 1)), (t,))",
        "times((w,), load(before, j, W, 1))",
    ),
    "twiddles of the other table": (
        "times(times((w,), load(before, j, W, 1)), (t,))",
        "times((w,), (t,))",
    ),
    "ranks in another order": (
        "for segment in self.window.segments]",
        "for segment in self.window.segments[::-1]]",
    ),
    "one's own elements twice": (
        "for segment in self.window.segments]",
        "for segment in [self.window.segments[rank]] * 2]",
    ),
    "half of the elements": ("for i in range(0, c, count)", "for i in range(0, c // 2, count)"),
    "elements not dealt": (
        "at + k * c) % parts * far + (at + k * c) // parts",
        "at + k * c) // 2 + (at + k * c) // 2",
    ),
    "parts dealt too far": (
        "far, write, put = prod(radices) * c // parts",
        "far, write, put = prod(radices) * c",
    ),
}

BUTTERFLY = "s, t, u, w = a + e, muladd(half, f, b), c + g, muladd(half, h, d)"

STAGE = "rotate(v, broadcast(roots, 112 + 3 * i, 1, 3))"
TRANSPOSED = "transpose(rotate(v, load(roots, 7 * j, W, 7)))"
DEALT = "deal(y, at + 64 * (k % 2) + k // 2 + 4 * a, 16, 64, 2, "
RESULT = "store_pairs(y, at + j, 64, "
BOUND = "W = min(8, widest(DTYPE))"
"""What a program says after its section of vectors."""

WRONG = {
    "a constant of a butterfly": ("0.7071067811865476", "0.7071067811865"),
    "another constant of a butterfly": ("0.7071067811865476", "0.5"),
    "a sum for a difference": ("s + u, t + w, s - u, t - w", "s + u, t + w, s - u, t + w"),
    "two results exchanged": ("return s, t, u, w, a - e", "return t, s, u, w, a - e"),
    "a turn the other way": ("b + d, times_minus_i(b - d)", "b + d, times_minus_i(d - b)"),
    "all turns the other way": (BOUND, f"times_minus_i = times_i\n{BOUND}"),
    "an eighth that is not turned": (
        "f + times_minus_i(f), times_minus_i(g)",
        "f - times_minus_i(f), times_minus_i(g)",
    ),
    "a lane for another in a butterfly": (
        BUTTERFLY,
        BUTTERFLY.replace("muladd(half, h, d)", "muladd(half, h, c)"),
    ),
    "a twiddle left out": (f"store(line, i * W, 5 * W, {STAGE})", "store(line, i * W, 5 * W, v)"),
    "a twiddle of another row": (STAGE, STAGE.replace("3 * i", "0 * i")),
    "twiddles conjugated": (
        "np.cos(angle) + SIGN * 1j * np.sin(angle)",
        "np.cos(angle) - SIGN * 1j * np.sin(angle)",
    ),
    "twiddles of another order": ("* (o // (r - 1)), n), DTYPE", "* (o // (r - 1)), 2 * n), DTYPE"),
    "rank twiddles of another rank": ("(o % 64 * 2 + rank)", "(o % 64 * 2 + (rank ^ 1))"),
    "rank twiddles shifted": ("+ rank), 256), 64)", "+ rank), 256), 0)"),
    "a vector not stored": (
        "                store(line, i * W, 5 * W,",
        "                i or store(line, i * W, 5 * W,",
    ),
    "the last column not stored": ("for j in range(0, 64, W)", "for j in range(0, 64 - W, W)"),
    "rows left out": ("for k in range(0, 8, W)", "for k in range(W, 8, W)"),
    "a wrong stride of the room": ("store(line, i * W, 5 * W,", "store(line, i * W, 2 * W,"),
    "a wrong stride of the result": (DEALT, DEALT.replace("16, 64", "8, 64")),
    "no transpose": (TRANSPOSED, TRANSPOSED.removeprefix("transpose")),
    "lanes exchanged": (TRANSPOSED, f"{TRANSPOSED.removesuffix(')')}[::-1])[::-1]"),
    "pairs where a room is split": (
        "store_blocks(room, j * W, 17 * W, transpose(",
        "store_pairs(room, j * W, W, transpose(",
    ),
    "a table split that is not": (
        "split(entries(o).astype(DTYPE), W)",
        "split(entries(o).astype(DTYPE), 1)",
    ),
    "a result written into the input": (RESULT, RESULT.replace("(y", "(x")),
    "a result beyond the end": (RESULT, RESULT.replace("+ j", "+ j + 8")),
    "an input before the beginning": (
        "load_pairs(x, at + j, 64, 2)",
        "load_pairs(x, at + j - 8, 64, 2)",
    ),
    "a room that is too small": ("aligned(136, DTYPE)", "aligned(136 - 8, DTYPE)"),
    "a table read beyond its end": ("load(roots, 7 * j, W, 7)", "load(roots, 4096 + 7 * j, W, 7)"),
    "the address of what is gone": ("local_0(memory_of(x),", "local_0(memory_of(x.copy()),"),
    "a table that is gone": (
        "self.addresses = address(self.roots),",
        "self.addresses = address(self.roots.copy()),",
    ),
    "results dealt to no parts": (DEALT, DEALT.replace("k // 2", "k")),
    "parts too near": (DEALT, DEALT.replace("16, 64", "16, 32")),
    "parts not dealt": (DEALT, "store_pairs(y, at + k + 8 * a, 32, "),
    "a kernel for another": (
        "local_0(memory_of(x), memory_of(out), *plan.addresses)",
        "local_1(memory_of(x), memory_of(out), *plan.addresses_2)",
    ),
    "copies left out": (
        "for at in range(0, copies * 128, 128)",
        "for at in range(128, copies * 128, 128)",
    ),
    "data times data": ("return v[:1] + times(v[1:], w)", "return v[:1] + times(v[1:], v[1:])"),
    "a value of a vector": ("    a, b = v\n", "    a, b = v\n    assert a\n"),
    "constants for a result": (
        f"{RESULT}fft2(rotate(load_pairs(x, at + j, 64, 2), load(twiddle, at + j, 64, 1))))",
        f"{RESULT}load(twiddle, 0, W, 1))",
    ),
    "an address that is counted with": ("local_0(memory_of(x),", "local_0(memory_of(x) + 16,"),
    "a table written by a kernel": (RESULT, RESULT.replace("(y", "(twiddle")),
    "another word for an operation": (BOUND, f"transpose = lambda v: v\n{BOUND}"),
}
