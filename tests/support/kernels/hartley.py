"""Hartley transforms with kernels, and what damages them."""

from functools import cache

from codegen.emit.text import emit
from codegen.spec import Spec


@cache
def text(N=128, P=4, before="hartley-input", after="", algorithm="", **options):
    return emit(Spec("fht", N, P, before, after, algorithm=algorithm, kernels="numba", **options))


TANGLED = "load_pairs(z, G - k - W + 1, 1, 1)"

WRONG = {
    "sums for differences": (
        "*(differences, sums) if self.negative",
        "*(sums, differences) if self.negative",
    ),
    "a neighbour's list for one's own": (
        "        if self.upper:\n            low, high",
        "        if not self.upper:\n            low, high",
    ),
    "sums and differences turned the other way": ("(v + times_minus_i(v),)", "(v + times_i(v),)"),
    "sums for differences on even ranks": (
        "if self.odd else (kept, sent)",
        "if not self.odd else (kept, sent)",
    ),
    "another list sent": ("self.comm.Sendrecv(self.outgoing,", "self.comm.Sendrecv(target[:G],"),
    "a stage without its weight": (
        "= root_of_unity(comm.rank, 1 << s)",
        "= root_of_unity(0, 1 << s)",
    ),
    "a weight of another stage": (
        "= root_of_unity(comm.rank, 1 << s)",
        "= root_of_unity(comm.rank, 2 << s)",
    ),
    "lists in another order": ("lists_of(target)[::-1]\n", "lists_of(target)\n"),
    "two lists for each other": (
        "got + own if self.upper else own + got",
        "own + got if self.upper else got + own",
    ),
    "vectors of lists left out": (
        "for c in range(0, count, W):\n        v = load_lists(b",
        "for c in range(W, count, W):\n        v = load_lists(b",
    ),
    "the last stage left out": ("1 - 1j if 2 * comm.rank == P else 1", "1"),
    "the last stage of another rank": (
        "1 - 1j if 2 * comm.rank == P else 1",
        "1 - 1j if comm.rank == 1 else 1",
    ),
    "twiddles of another rank": ("twiddles(comm.rank, 1", "twiddles(comm.rank ^ 1, 1"),
    "twiddles of another order": ("c - G + 1), N)", "c - G + 1), 2 * N)"),
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
        "untangle(address(z), address(target),",
        "untangle(address(z), address(target.view(COMPLEX)),",
    ),
    "lists where pairs are": (
        "untangle(address(z), address(target),",
        "untangle(address(source), address(target),",
    ),
    "lists where constants are": (
        "untangle(address(z), address(target), *",
        "untangle(address(z), address(self.table), *",
    ),
    "data times data": (
        "times((v - v_back,), load(table, b * W, W, 1))",
        "times((v - v_back,), (v_back,))",
    ),
    "the address of what is gone": (
        "return address(array[:G]), ",
        "return address(array[:G].copy()), ",
    ),
    "lists and pairs that overlap": (
        "fourier_of_lists(*lists_of(source),",
        "fourier_of_lists(*lists_of(target),",
    ),
}

WRONG_BACK = {
    "not conjugated": (
        "store_lists(im, c, re, c, 0, (times_i(product),))",
        "store_lists(re, c, im, c, 0, (product,))",
    ),
    "twiddles of the next block": ("b * W if b else G", "b * W"),
    "a real part for an imaginary one": (
        "target[G : G + 1] = z.imag[:1]",
        "target[G : G + 1] = z.real[:1]",
    ),
    "blocks left out": ("address(self.table), G // W if", "address(self.table), G // W - 1 if"),
    "a sum back for a difference": ("[0] - load_lists(other_re", "[0] + load_lists(other_re"),
    "a weight that is not conjugated": (
        "root_of_unity(-comm.rank, 1 << s)",
        "root_of_unity(comm.rank, 1 << s)",
    ),
    "the list that is kept sent": (
        "*(self.place, kept) if self.upper",
        "*(kept, self.place) if self.upper",
    ),
    "odd ranks as even ones": ("[:: -1 if self.odd else 1]", ""),
    "entries in their own order": (
        "mirrored(load_pairs(z, G - c - W + 1, 1, 1)[0])",
        "load_pairs(z, c, 1, 1)[0]",
    ),
}

WRONG_GROUPS = {
    "ends of other entries": ("self.ends = x[:: G // P]", "self.ends = x[:P]"),
    "the middle for the beginning": (
        "np.subtract(z.real[:1], z.imag[:1], out=target[1:2])",
        "np.add(z.real[:1], z.imag[:1], out=target[1:2])",
    ),
    "not conjugated": (
        "(mirrored(muladd(0.5, s, times_i(times_i(d)))),)",
        "(muladd(0.5, s, times_i(times_i(d))),)",
    ),
    "packed for another rank": ("(2 * P - rank, stride,", "(2 * P - rank - 1, stride,"),
    "second pairs as the first": (
        "mirrored(load_pairs(x, here + count",
        "(load_pairs(x, here + count",
    ),
    "pairs turned the other way": (
        "(v + times_i(v),))\n        for",
        "(v + times_minus_i(v),))\n        for",
    ),
    "twiddles of another rank": (
        "root_of_unity(comm.rank * frequency",
        "root_of_unity((comm.rank + 1) * frequency",
    ),
}
