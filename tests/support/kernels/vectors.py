"""Transforms with kernels on vectors, and what damages them."""

from functools import cache

from codegen.emit.text import emit
from codegen.spec import Spec


@cache
def text(n=9, p=1, layout="cyclic", exchange="alltoall", **options):
    return emit(Spec("fft", 1 << n, 1 << p, layout, layout, exchange, kernels="numba", **options))


TURNED = "times(times(w, load(half, j, W, 1)), turn)"
DEALT_APART = "deal(y, at + 32 * (j % 2) + j // 2, 32, 32, 2, ...)"
BOTH = "load_pairs(x[0], place, 8, 4) + load_pairs(x[1], place, 8, 4)"
SEGMENTS = "[segment[half] for segment in self.window.segments]"

APART = {
    "another message": (BOTH, BOTH.replace("x[1]", "x[0]").replace("x[0]", "x[1]", 1)),
    "always the first message": (BOTH, BOTH.replace("x[1]", "x[0]")),
    "a message of another size": (BOTH, BOTH.replace("8, 4", "4, 4")),
    "a place of another message": (BOTH, BOTH.replace("place", "place + 32")),
    "messages in another order": (BOTH, " + ".join(BOTH.split(" + ")[::-1])),
    "messages without a synchronisation": (
        "messages = plan.window.exchange(plan.messages)",
        "messages = plan.messages[0]",
    ),
    "the other's half": ("rank * 64 + o * 8", "(rank ^ 1) * 64 + o * 8"),
    "a sum for both halves": ("rank * 64 + o * 8", "o * 8"),
    "twiddles of one table": (TURNED, "times(w, load(half, j, W, 1))"),
    "twiddles of the other table": (TURNED, "times(w, turn)"),
    "ranks in another order": (SEGMENTS, SEGMENTS[:-1] + "[::-1]]"),
    "one's own elements twice": (
        SEGMENTS,
        "[segment[half] for segment in [self.window.segments[rank]] * 2]",
    ),
    "half of the elements": ("for i in range(0, 64, 8):", "for i in range(0, 32, 8):"),
    "elements not dealt": (DEALT_APART, DEALT_APART.replace("32 * (j % 2)", "j // 2")),
    "parts dealt too far": (DEALT_APART, DEALT_APART.replace("32, 32, 2", "32, 64, 2")),
}

BY_PLACE = {
    "always the first messages": ("q, o = place // 2, place % 2", "q, o = 0, place % 2"),
    "messages of another size": ("q, o = place // 2, place % 2", "q, o = place // 4, place % 2"),
    "a place beyond the message": ("place % 2\n", "place\n"),
    "a message left out": ("load_pairs(x[q + 4], o, 0, 1)", "load_pairs(x[q + 2], o, 0, 1)"),
}
"""The same where the number of a message depends on the place."""

BUTTERFLY = "s, t, u, w = a + e, muladd(half, f, b), c + g, muladd(half, h, d)"

STAGE = "rotate(v, broadcast(roots, 112 + 3 * i, 1, 3))"
TRANSPOSED = "transpose(rotate(v, load(roots, 7 * j, W, 7)))"
DEALT = "deal(y, at + 64 * (k % 2) + k // 2 + 4 * a, 16, 64, 2, ...)"
RESULT = "store_pairs(y, at + j, 64, ...)"

WRONG = {
    "a constant of a butterfly": ("0.7071067811865476", "0.7071067811865"),
    "another constant of a butterfly": ("0.7071067811865476", "0.5"),
    "a sum for a difference": ("s + u, t + w, s - u, t - w", "s + u, t + w, s - u, t + w"),
    "two results exchanged": (
        "s, t, u, w, a - e, ..., ..., ...",
        "t, s, u, w, a - e, ..., ..., ...",
    ),
    "a turn the other way": ("times_minus_i(b - d)", "times_minus_i(d - b)"),
    "all turns the other way": ("times_minus_i(...)", "times_i(...)"),
    "an eighth that is not turned": ("f + times_minus_i(f)", "f - times_minus_i(f)"),
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
    "twiddles of another order": (
        "root_of_unity((o % (r - 1) + 1) * (o // (r - 1)), n)",
        "root_of_unity((o % (r - 1) + 1) * (o // (r - 1)), 2 * n)",
    ),
    "rank twiddles of another rank": ("(o % 64 * 2 + rank)", "(o % 64 * 2 + (rank ^ 1))"),
    "rank twiddles shifted": ("twiddles(..., 64)", "twiddles(..., 0)"),
    "a vector not stored": (
        "store(line, i * W, 5 * W, ...)",
        "i or store(line, i * W, 5 * W, ...)",
    ),
    "the last column not stored": ("for j in range(0, 64, W):", "for j in range(0, 64 - W, W):"),
    "rows left out": ("for k in range(0, 8, W):", "for k in range(W, 8, W):"),
    "a wrong stride of the room": (
        "store(line, i * W, 5 * W, ...)",
        "store(line, i * W, 2 * W, ...)",
    ),
    "a wrong stride of the result": (DEALT, DEALT.replace("16, 64", "8, 64")),
    "no transpose": (TRANSPOSED, TRANSPOSED.removeprefix("transpose")),
    "lanes exchanged": (TRANSPOSED, f"{TRANSPOSED.removesuffix(')')}[::-1])[::-1]"),
    "pairs where a room is split": (
        "store_blocks(room, j * W, 17 * W, ...)",
        "store_pairs(room, j * W, W, ...)",
    ),
    "a table split that is not": (
        "split(entries(o).astype(DTYPE), W)",
        "split(entries(o).astype(DTYPE), 1)",
    ),
    "a result written into the input": (RESULT, RESULT.replace("(y", "(x")),
    "a result beyond the end": (RESULT, RESULT.replace("+ j", "+ j + 8")),
    "an input before the beginning": (
        "load_pairs(x, at + j, 16, 8)",
        "load_pairs(x, at + j - 8, 16, 8)",
    ),
    "a room that is too small": ("aligned(136, DTYPE)", "aligned(136 - 8, DTYPE)"),
    "a table read beyond its end": ("load(roots, 7 * j, W, 7)", "load(roots, 4096 + 7 * j, W, 7)"),
    "the address of what is gone": (
        "local_0(memory_of(x), ..., *...)",
        "local_0(memory_of(x.copy()), ..., *...)",
    ),
    "a table that is gone": (
        "self.addresses = address(self.roots), ..., ..., 1",
        "self.addresses = address(self.roots.copy()), ..., ..., 1",
    ),
    "results dealt to no parts": (DEALT, DEALT.replace("k // 2", "k")),
    "parts too near": (DEALT, DEALT.replace("16, 64", "16, 32")),
    "parts not dealt": (DEALT, "store_pairs(y, at + k + 8 * a, 32, ...)"),
    "a kernel for another": (
        "local_1(plan.mail.places, memory_of(out), *plan.addresses_2)",
        "local_0(memory_of(work), memory_of(out), *plan.addresses)",
    ),
    "copies left out": (
        "for at in range(0, copies * 128, 128):",
        "for at in range(128, copies * 128, 128):",
    ),
    "data times data": ("return v[:1] + times(v[1:], w)", "return v[:1] + times(v[1:], v[1:])"),
    "a value of a vector": ("    a, b = v\n", "    a, b = v\n    if a:\n        b = a\n"),
    "constants for a result": (RESULT, RESULT.replace("...", "load(twiddle, 0, W, 1)")),
    "an address that is counted with": (
        "local_0(memory_of(x), ..., *...)",
        "local_0(memory_of(x) + 16, ..., *...)",
    ),
    "a table written by a kernel": (RESULT, RESULT.replace("(y", "(twiddle")),
}
