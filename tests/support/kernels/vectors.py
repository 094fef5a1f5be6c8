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

BUTTERFLY = "s, t, u, w = a + e, muladd(HALF, f, b), c + g, muladd(HALF, h, d)"

STAGE = "rotate(v, broadcast(tables, place + j * others, 1, others))"

WRONG = {
    "a constant of a butterfly": ("0.7071067811865476", "0.7071067811865"),
    "another constant of a butterfly": ("0.7071067811865476", "0.5"),
    "a sum for a difference": ("s + u, t + w, s - u, t - w", "s + u, t + w, s - u, t + w"),
    "two results exchanged": ("return s, t, u, w, a - e", "return t, s, u, w, a - e"),
    "a turn the other way": ("b + d, turn(b - d)", "b + d, turn(d - b)"),
    "all turns the other way": ("turn = times_minus_i", "turn = times_i"),
    "an eighth that is not turned": ("f + turn(f), turn(g)", "f - turn(f), turn(g)"),
    "a lane for another in a butterfly": (
        BUTTERFLY,
        BUTTERFLY.replace("muladd(HALF, h, d)", "muladd(HALF, h, c)"),
    ),
    "a twiddle left out": (
        f"store(room, line + j * W, gap, {STAGE})",
        "store(room, line + j * W, gap, v)",
    ),
    "a twiddle of another row": (STAGE, STAGE.replace("j * others", "0 * others")),
    "twiddles conjugated": (
        "np.cos(angle) + SIGN * 1j * np.sin(angle)",
        "np.cos(angle) - SIGN * 1j * np.sin(angle)",
    ),
    "twiddles of another order": (
        "make()\n            made",
        "make()\n            order *= 2\n            made",
    ),
    "rank twiddles of another rank": ("(o % 64 * 2 + rank)", "(o % 64 * 2 + (rank ^ 1))"),
    "rank twiddles shifted": ("+ rank), 256), 64)", "+ rank), 256), 0)"),
    "a vector not stored": (
        "            store(room, line + j * W, gap,",
        "            j or store(room, line + j * W, gap,",
    ),
    "the last column not stored": ("for j in range(0, c, W)", "for j in range(0, c - W, W)"),
    "rows left out": ("for k in range(0, n1, W)", "for k in range(W, n1, W)"),
    "a wrong stride of the room": (
        "gap, follow = places[0], (m + PADDING) * W",
        "gap, follow = places[0], m * W // 2",
    ),
    "a wrong stride of the result": ("weight * n1 // parts, far, v", "weight * 4 // parts, far, v"),
    "no transpose": ("transpose(finish(v, tables, j))", "finish(v, tables, j)"),
    "lanes exchanged": (
        "transpose(finish(v, tables, j))",
        "transpose(finish(v, tables, j)[::-1])[::-1]",
    ),
    "pairs where a room is split": (
        "store(room, work + j * W, W, transpose(",
        "store_pairs(room, work + j * W, W, transpose(",
    ),
    "a table split that is not": (
        "split(entries(o).astype(DTYPE), W)",
        "split(entries(o).astype(DTYPE), 1)",
    ),
    "a result written into the input": ("write(y, at + k * c", "write(x, at + k * c"),
    "a result beyond the end": (
        "write(y, at + k * c, weight * c",
        "write(y, at + k * c + 8, weight * c",
    ),
    "an input before the beginning": (
        "read(x, before, at + j * c)",
        "read(x, before, at + j * c - 8)",
    ),
    "a room that is too small": ("ROOM = max(passes.room for", "ROOM = max(passes.room - 8 for"),
    "a table read beyond its end": (
        "edge + j * others, W, others",
        "edge + 4096 + j * others, W, others",
    ),
    "the address of what is gone": ("local_0(memory_of(x),", "local_0(memory_of(x.copy()),"),
    "a table that is gone": (
        "self.addresses = address(self.roots),",
        "self.addresses = address(self.roots.copy()),",
    ),
    "results dealt to no parts": ("(k + k2 * n1) // parts", "(k + k2 * n1)"),
    "parts too near": (
        "deal(y, place, stride, far, count, v)",
        "deal(y, place, stride, far // 2, count, v)",
    ),
    "parts not dealt": (
        "deal(y, place, stride, far, count, v)",
        "store_pairs(y, place, stride, v)",
    ),
    "a kernel for another": (
        "local_0(memory_of(x), memory_of(out), *plan.addresses)",
        "local_1(memory_of(x), memory_of(out), *plan.addresses_2)",
    ),
    "copies left out": ("for copy in range(copies)", "for copy in range(1, copies)"),
    "data times data": ("return v[:1] + times(v[1:], w)", "return v[:1] + times(v[1:], v[1:])"),
    "a value of a vector": ("    a, b = v\n", "    a, b = v\n    assert a\n"),
    "constants for a result": (
        "write(y, at + k * c, weight * c, v, ",
        "write(y, at + k * c, weight * c, load(before, 0, W, 1), ",
    ),
    "an address that is counted with": ("local_0(memory_of(x),", "local_0(memory_of(x) + 16,"),
    "a table written by a kernel": ("write(y, at + k * c", "write(before, at + k * c"),
    "another word for an operation": (
        "\nclass Desk:",
        "\ntranspose = lambda v: v\n\n\nclass Desk:",
    ),
}
