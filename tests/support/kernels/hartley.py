"""Hartley transforms with kernels, and what damages them."""

from functools import cache

from codegen.emit.text import emit
from codegen.spec import Spec


@cache
def text(N=128, P=4, before="hartley-input", after="", algorithm="", **options):
    return emit(Spec("fht", N, P, before, after, algorithm=algorithm, kernels="numba", **options))


TANGLED = "load_pairs(z, G - k - W + 1, 0, 1)"
OF_LISTS = "load_lists(re, at + j, im, at + j,"
LISTS = "fourier_of_lists(memory_of(work[:G]), memory_of(work[G:]),"
UNTANGLED = "untangle(memory_of(z), memory_of(out),"

WRONG = {
    "sums for differences": (
        "*(second, first) if rank >> s - 1 & 1 else (first, second)",
        "*(first, second) if rank >> s - 1 & 1 else (second, first)",
    ),
    "a neighbour's list for one's own": (
        "butterfly(second, first, *",
        "butterfly(first, second, *",
    ),
    "sums and differences turned the other way": ("(v + times_minus_i(v),)", "(v + times_i(v),)"),
    "sums for differences on even ranks": (
        "*(sent, kept) if plan.own.rank > partner else (kept, sent)",
        "*(kept, sent) if plan.own.rank > partner else (sent, kept)",
    ),
    "another list sent": ("plan.own.Sendrecv(other[:G],", "plan.own.Sendrecv(y[:G],"),
    "a stage without its weight": (
        "root_of_unity(rank % (1 << s), 1 << s)",
        "root_of_unity(0 * s, 1 << s)",
    ),
    "a weight of another stage": (
        "root_of_unity(rank % (1 << s), 1 << s)",
        "root_of_unity(rank % (1 << s), 2 << s)",
    ),
    "the weight of the next stage": ("G, s - 2, G)", "G, s - 1 & 1, G)"),
    "the weight of the next stage for lower ranks": ("0, s - 2, G)", "0, s - 1 & 1, G)"),
    "lists in another order": (
        "load_lists(other, G - at + c, other, at + c, 0, 1)",
        "load_lists(other, at + c, other, G - at + c, 0, 1)",
    ),
    "two lists for each other": (
        "if plan.own.rank >> s - 2 & 1:",
        "if plan.own.rank >> s - 2 & 1 == 0:",
    ),
    "vectors of lists left out": (
        "for c in range(0, count, W):\n        (v,) = load_lists(b",
        "for c in range(W, count, W):\n        (v,) = load_lists(b",
    ),
    "the last stage left out": ("1 - 1j if 2 * rank == P else 1", "1"),
    "the last stage of another rank": (
        "1 - 1j if 2 * rank == P else 1",
        "1 - 1j if rank == 1 else 1",
    ),
    "twiddles of another rank": ("root_of_unity(rank * c", "root_of_unity((rank ^ 1) * c"),
    "twiddles of another order": ("root_of_unity(rank * c, N)", "root_of_unity(rank * c, 2 * N)"),
    "real parts for imaginary ones": (OF_LISTS, "load_lists(im, at + j, re, at + j,"),
    "a list from another place": (OF_LISTS, "load_lists(re, at + j, im, at + j + W,"),
    "entries without the opposite ones": ("v + mirrored(w)", "v + w"),
    "another opposite entry": (TANGLED, "load_pairs(z, G - k - W, 0, 1)"),
    "opposite entries in the wrong order": ("(bent(muladd(0.5, s, d)),)", "(muladd(0.5, s, d),)"),
    "a third of a sum": ("muladd(0.5, s, d)", "muladd(0.3, s, d)"),
    "a quarter of a sum": ("muladd(0.5, s, d)", "muladd(0.25, s, d)"),
    "an odd part twice": ("times_i(times_i(d))", "d"),
    "untangled with another order": ("i % W, M)", "i % W, 2 * M)"),
    "a middle that is left out": ("count, W):\n        k =", "count - W, W):\n        k ="),
    "an entry G that is entry 0": ("np.subtract(z.real[:1]", "np.add(z.real[:1]"),
    "a list beyond the end": ("store_lists(y, G + k, y,", "store_lists(y, M - W + k, y,"),
    "pairs where lists are": (UNTANGLED, UNTANGLED.replace("(out)", "(out.view(COMPLEX))")),
    "lists where pairs are": (UNTANGLED, UNTANGLED.replace("(z)", "(out)")),
    "lists where constants are": (UNTANGLED, UNTANGLED.replace("(out)", "(plan.twiddle)")),
    "data times data": (
        "times((v - mirrored(w),), load(table, i, W, 1))",
        "times((v - mirrored(w),), (w,))",
    ),
    "the address of what is gone": (LISTS, LISTS.replace("work[:G]", "work[:G].copy()")),
    "lists and pairs that overlap": (LISTS, LISTS.replace("work", "out")),
}

WRONG_BACK = {
    "not conjugated": (
        "store_lists(y, G + c, y, c, 0, (times_i(product),))",
        "store_lists(y, c, y, G + c, 0, (product,))",
    ),
    "twiddles of the next block": ("i if i else G", "i"),
    "a real part for an imaginary one": (
        "np.copyto(work[G : G + 1], z.imag[:1])",
        "np.copyto(work[G : G + 1], z.real[:1])",
    ),
    "blocks left out": ("memory_of(plan.twiddle), 16)", "memory_of(plan.twiddle), 12)"),
    "a sum back for a difference": ("times((v - w,)", "times((v + w,)"),
    "a weight that is not conjugated": (
        "root_of_unity(-rank % (1 << s)",
        "root_of_unity(rank % (1 << s)",
    ),
    "the list that is kept sent": (
        "*(sent, first) if rank > partner",
        "*(first, sent) if rank > partner",
    ),
    "odd ranks as even ones": ("lists[::-1] if plan.own.rank % 2", "lists if plan.own.rank % 2"),
    "entries in their own order": (
        "mirrored(load_pairs(z, G - c - W + 1, 0, 1)[0])",
        "load_pairs(z, c, 0, 1)[0]",
    ),
}

WRONG_GROUPS = {
    "ends of other entries": ("ends = z[:, 0].copy()", "ends = z.reshape(G)[:4].copy()"),
    "the middle for the beginning": (
        "np.subtract(z.real[:1], z.imag[:1], out=work[1:2])",
        "np.add(z.real[:1], z.imag[:1], out=work[1:2])",
    ),
    "not conjugated": (
        "(mirrored(muladd(0.5, s, times_i(times_i(d)))),)",
        "(muladd(0.5, s, times_i(times_i(d))),)",
    ),
    "packed for another rank": ("some[:, :4:-1]", "some[:, 6:3:-1]"),
    "second pairs as the first": ("mirrored(load_pairs(x, here + 2", "(load_pairs(x, here + 2"),
    "pairs turned the other way": (
        "(v + times_i(v),))\n        for",
        "(v + times_minus_i(v),))\n        for",
    ),
    "twiddles of another rank": (
        "root_of_unity(rank * frequency",
        "root_of_unity((rank + 1) * frequency",
    ),
}
