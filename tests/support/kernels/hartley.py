"""Hartley transforms with kernels, and what damages them."""

from functools import cache

from codegen.emit.text import emit
from codegen.spec import Spec


@cache
def text(N=128, P=4, before="hartley-input", after="", algorithm="", **options):
    return emit(Spec("fht", N, P, before, after, algorithm=algorithm, kernels="numba", **options))


TANGLED = "load_pairs(z, G - k - W + 1, 1, 1)"
LISTS = "fourier_of_lists(*lists_of(work),"

WRONG = {
    "sums for differences": (
        "*(low, high) if negative else (high, low)",
        "*(high, low) if negative else (low, high)",
    ),
    "a neighbour's list for one's own": ("high, low = lists_of(y)", "low, high = lists_of(y)"),
    "sums and differences turned the other way": ("(v + times_minus_i(v),)", "(v + times_i(v),)"),
    "sums for differences on even ranks": (
        "*(sent, kept) if negative else (kept, sent)",
        "*(kept, sent) if negative else (sent, kept)",
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
    "the weight of the next stage": ("s - 2, G)", "s - 1 & 1, G)"),
    "lists in another order": ("lists_of(other)[::-1]\n", "lists_of(other)\n"),
    "two lists for each other": (
        "got + own if plan.own.rank >> s - 2 & 1 else own + got",
        "own + got if plan.own.rank >> s - 2 & 1 else got + own",
    ),
    "vectors of lists left out": (
        "for c in range(0, count, W):\n        v = load_lists(b",
        "for c in range(W, count, W):\n        v = load_lists(b",
    ),
    "the last stage left out": ("1 - 1j if 2 * rank == P else 1", "1"),
    "the last stage of another rank": (
        "1 - 1j if 2 * rank == P else 1",
        "1 - 1j if rank == 1 else 1",
    ),
    "twiddles of another rank": ("twiddles(rank, 1", "twiddles(rank ^ 1, 1"),
    "twiddles of another order": ("root_of_unity(rank * c, N)", "root_of_unity(rank * c, 2 * N)"),
    "real parts for imaginary ones": (
        "load_lists(re, place, im, place, stride",
        "load_lists(im, place, re, place, stride",
    ),
    "a list from another place": (
        "load_lists(re, place, im, place, stride",
        "load_lists(re, place, im, 0, stride",
    ),
    "entries without the opposite ones": (f"mirrored({TANGLED}[0])", f"{TANGLED}[0]"),
    "another opposite entry": (TANGLED, "load_pairs(z, G - k - W, 1, 1)"),
    "opposite entries in the wrong order": ("(bent(muladd(0.5, s, d)),)", "(muladd(0.5, s, d),)"),
    "a third of a sum": ("muladd(0.5, s, d)", "muladd(0.3, s, d)"),
    "a quarter of a sum": ("muladd(0.5, s, d)", "muladd(0.25, s, d)"),
    "an odd part twice": ("times_i(times_i(d))", "d"),
    "untangled with another order": ("i % W, M)", "i % W, 2 * M)"),
    "a middle that is left out": ("G // 2 // W + 1 if G > 1", "G // 2 // W if G > 1"),
    "an entry G that is entry 0": ("np.subtract(z.real[:1]", "np.add(z.real[:1]"),
    "a list beyond the end": ("store_lists(y, G + k, y,", "store_lists(y, M - W + k, y,"),
    "pairs where lists are": (
        "untangle(memory_of(z), memory_of(y),",
        "untangle(memory_of(z), memory_of(y.view(COMPLEX)),",
    ),
    "lists where pairs are": (
        "untangle(memory_of(z), memory_of(y),",
        "untangle(memory_of(y), memory_of(y),",
    ),
    "lists where constants are": (
        "untangle(memory_of(z), memory_of(y),",
        "untangle(memory_of(z), memory_of(plan.twiddle),",
    ),
    "data times data": (
        "times((v - v_back,), load(table, b * W, W, 1))",
        "times((v - v_back,), (v_back,))",
    ),
    "the address of what is gone": (
        "return memory_of(array[:G]), ",
        "return memory_of(array[:G].copy()), ",
    ),
    "lists and pairs that overlap": (LISTS, LISTS.replace("work", "out")),
}

WRONG_BACK = {
    "not conjugated": (
        "store_lists(im, c, re, c, 0, (times_i(product),))",
        "store_lists(re, c, im, c, 0, (product,))",
    ),
    "twiddles of the next block": ("b * W if b else G", "b * W"),
    "a real part for an imaginary one": (
        "np.copyto(y[G : G + 1], z.imag[:1])",
        "np.copyto(y[G : G + 1], z.real[:1])",
    ),
    "blocks left out": (
        "memory_of(plan.twiddle), G // W if",
        "memory_of(plan.twiddle), G // W - 1 if",
    ),
    "a sum back for a difference": ("[0] - load_lists(other_re", "[0] + load_lists(other_re"),
    "a weight that is not conjugated": (
        "root_of_unity(-rank % (1 << s)",
        "root_of_unity(rank % (1 << s)",
    ),
    "the list that is kept sent": (
        "*(sent, kept) if rank >> s - 2 & 1",
        "*(kept, sent) if rank >> s - 2 & 1",
    ),
    "odd ranks as even ones": ("[:: -1 if plan.own.rank % 2 else 1]", ""),
    "entries in their own order": (
        "mirrored(load_pairs(z, G - c - W + 1, 1, 1)[0])",
        "load_pairs(z, c, 1, 1)[0]",
    ),
}

WRONG_GROUPS = {
    "ends of other entries": ("ends = z[:, 0].copy()", "ends = z.reshape(G)[:4].copy()"),
    "the middle for the beginning": (
        "np.subtract(z.real[:1], z.imag[:1], out=y[1:2])",
        "np.add(z.real[:1], z.imag[:1], out=y[1:2])",
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
