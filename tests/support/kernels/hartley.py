"""Hartley transforms with kernels, and what damages them."""

from functools import cache

from codegen.emit.text import emit
from codegen.spec import Spec


@cache
def text(N=128, P=4, before="hartley-input", after="", algorithm="", **options):
    return emit(Spec("fht", N, P, before, after, algorithm=algorithm, kernels="numba", **options))


TANGLED = "load_pairs(z, G - k - W + 1, 0, 1)"
OF_LISTS = "load_lists(re, at + j, im, at + j, ..., ...)"
LISTS = "fourier_of_lists(memory_of(work[:G]), memory_of(work[G:]), ..., ..., *...)"
UNTANGLED = "untangle(memory_of(z), memory_of(out), ..., ...)"

WRONG = {
    "sums for differences": (
        "(second, first) if rank >> (s - 1) & 1 else (first, second)",
        "(first, second) if rank >> (s - 1) & 1 else (second, first)",
    ),
    "a neighbour's list for one's own": (
        (
            "butterfly(second, first, *(second, first) if rank >> (s - 1) & 1"
            " else (first, second), G)"
        ),
        (
            "butterfly(first, second, *(second, first) if rank >> (s - 1) & 1"
            " else (first, second), G)"
        ),
    ),
    "sums and differences turned the other way": ("(v + times_minus_i(v),)", "(v + times_i(v),)"),
    "sums for differences on even ranks": (
        "(sent, kept) if plan.own.rank > partner else (kept, sent)",
        "(kept, sent) if plan.own.rank > partner else (sent, kept)",
    ),
    "another list sent": (
        "plan.own.Sendrecv(other[:G], partner, recvbuf=y[G:], source=partner)",
        "plan.own.Sendrecv(y[:G], partner, recvbuf=y[G:], source=partner)",
    ),
    "a stage without its weight": (
        "root_of_unity(rank % (1 << s), 1 << s)",
        "root_of_unity(0 * s, 1 << s)",
    ),
    "a weight of another stage": (
        "root_of_unity(rank % (1 << s), 1 << s)",
        "root_of_unity(rank % (1 << s), 2 << s)",
    ),
    "the weight of the next stage": (
        "turned_sum(got, own, own, weights, G, s - 3, G)",
        "turned_sum(got, own, own, weights, G, s - 1 & 1, G)",
    ),
    "the weight of the next stage for lower ranks": (
        "turned_sum(own, got, own, weights, 0, s - 3, G)",
        "turned_sum(own, got, own, weights, 0, s - 1 & 1, G)",
    ),
    "lists in another order": (
        "load_lists(other, G - at + c, other, at + c, 0, 1)",
        "load_lists(other, at + c, other, G - at + c, 0, 1)",
    ),
    "two lists for each other": ("if rank >> (s - 2) & 1:", "if rank >> (s - 2) & 1 == 0:"),
    "vectors of lists left out": (
        (
            "for c in range(0, count, W):\n"
            "        (v,) = load_lists(b, c, a, c, 0, 1)\n"
            "        store_lists(sums, c, differences, c, 0, (v + times_minus_i(v),))"
        ),
        (
            "for c in range(W, count, W):\n"
            "        (v,) = load_lists(b, c, a, c, 0, 1)\n"
            "        store_lists(sums, c, differences, c, 0, (v + times_minus_i(v),))"
        ),
    ),
    "the last stage left out": ("1 - 1j if 2 * rank == P else 1", "1"),
    "the last stage of another rank": (
        "1 - 1j if 2 * rank == P else 1",
        "1 - 1j if rank == 1 else 1",
    ),
    "twiddles of another rank": ("root_of_unity(rank * c, N)", "root_of_unity((rank ^ 1) * c, N)"),
    "twiddles of another order": ("root_of_unity(rank * c, N)", "root_of_unity(rank * c, 2 * N)"),
    "real parts for imaginary ones": (OF_LISTS, "load_lists(im, at + j, re, at + j, ..., ...)"),
    "a list from another place": (OF_LISTS, "load_lists(re, at + j, im, at + j + W, ..., ...)"),
    "entries without the opposite ones": ("v + mirrored(w)", "v + w"),
    "another opposite entry": (TANGLED, "load_pairs(z, G - k - W, 0, 1)"),
    "opposite entries in the wrong order": ("(bent(muladd(0.5, s, d)),)", "(muladd(0.5, s, d),)"),
    "a third of a sum": ("muladd(0.5, s, d)", "muladd(0.3, s, d)"),
    "a quarter of a sum": ("muladd(0.5, s, d)", "muladd(0.25, s, d)"),
    "an odd part twice": ("times_i(times_i(d))", "d"),
    "untangled with another order": (
        "root_of_unity(np.maximum(i // W * W, 1) + i % W, M)",
        "root_of_unity(np.maximum(i // W * W, 1) + i % W, 2 * M)",
    ),
    "a middle that is left out": (
        (
            "for i in range(0, count, W):\n"
            "        k = max(i, 1)\n"
            "        (v,), (w,) = load_pairs(z, k, 0, 1), load_pairs(z, G - k - W + 1, "
            "0, 1)\n"
            "        s, (d,) = v + mirrored(w), times((v - mirrored(w),), load(table, "
            "i, W, 1))\n"
            "        s = s + times_i(s)\n"
            "        store_lists(y, k, y, M - k - W + 1, 0, (bent(muladd(0.5, s, d)),))\n"
            "        store_lists(y, G + k, y, G - k - W + 1, 0, (bent(muladd(0.5, s, "
            "times_i(times_i(d)))),))"
        ),
        (
            "for i in range(0, count - W, W):\n"
            "        k = max(i, 1)\n"
            "        (v,), (w,) = load_pairs(z, k, 0, 1), load_pairs(z, G - k - W + 1, "
            "0, 1)\n"
            "        s, (d,) = v + mirrored(w), times((v - mirrored(w),), load(table, "
            "i, W, 1))\n"
            "        s = s + times_i(s)\n"
            "        store_lists(y, k, y, M - k - W + 1, 0, (bent(muladd(0.5, s, d)),))\n"
            "        store_lists(y, G + k, y, G - k - W + 1, 0, (bent(muladd(0.5, s, "
            "times_i(times_i(d)))),))"
        ),
    ),
    "an entry G that is entry 0": (
        "np.subtract(z.real[:1], z.imag[:1], out=out[G : G + 1])",
        "np.add(z.real[:1], z.imag[:1], out=out[G : G + 1])",
    ),
    "a list beyond the end": (
        (
            "store_lists(y, G + k, y, G - k - W + 1, 0, (bent(muladd(0.5, s, "
            "times_i(times_i(d)))),))"
        ),
        (
            "store_lists(y, M - W + k, y, G - k - W + 1, 0, (bent(muladd(0.5, s, "
            "times_i(times_i(d)))),))"
        ),
    ),
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
        "store_lists(y, G + c, y, c, 0, (times_i(turned),))",
        "store_lists(y, c, y, G + c, 0, (turned,))",
    ),
    "twiddles of the next block": ("i if i else G", "i"),
    "a real part for an imaginary one": (
        "np.copyto(work[G : G + 1], z.imag[:1])",
        "np.copyto(work[G : G + 1], z.real[:1])",
    ),
    "blocks left out": (
        "turn_back(memory_of(z), memory_of(work), memory_of(plan.twiddle), 16)",
        "turn_back(memory_of(z), memory_of(work), memory_of(plan.twiddle), 12)",
    ),
    "a sum back for a difference": (
        "times((v - w,), broadcast(weights, i, 1, 1))",
        "times((v + w,), broadcast(weights, i, 1, 1))",
    ),
    "a weight that is not conjugated": (
        "root_of_unity(-rank % (1 << s), 1 << s)",
        "root_of_unity(rank % (1 << s), 1 << s)",
    ),
    "the list that is kept sent": (
        "(sent, kept) if plan.own.rank > partner else (kept, sent)",
        "(kept, sent) if plan.own.rank > partner else (kept, sent)",
    ),
    "odd ranks as even ones": (
        "lists[::-1] if plan.own.rank % 2 else lists",
        "lists if plan.own.rank % 2 else lists",
    ),
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
    "second pairs as the first": (
        "mirrored(load_pairs(x, here + 2 + c, 0, 1)[0])",
        "(load_pairs(x, here + 2 + c, 0, 1)[0])",
    ),
    "pairs turned the other way": (
        (
            "for l in range(rows):\n"
            "        here, there = l * 4, (rows - l) * 4\n"
            "        for c in range(0, 2, W):\n"
            "            (v,) = load_pairs(x, here + c, 0, 1)\n"
            "            store_pairs(y, here + c, 0, (v + times_i(v),))\n"
            "        for c in range(0, 2, W):\n"
            "            v = mirrored(load_pairs(x, here + 2 + c, 0, 1)[0])\n"
            "            store_pairs(y, there - c - W, 0, (v + times_i(v),))"
        ),
        (
            "for l in range(rows):\n"
            "        here, there = l * 4, (rows - l) * 4\n"
            "        for c in range(0, 2, W):\n"
            "            (v,) = load_pairs(x, here + c, 0, 1)\n"
            "            store_pairs(y, here + c, 0, (v + times_minus_i(v),))\n"
            "        for c in range(0, 2, W):\n"
            "            v = mirrored(load_pairs(x, here + 2 + c, 0, 1)[0])\n"
            "            store_pairs(y, there - c - W, 0, (v + times_i(v),))"
        ),
    ),
    "twiddles of another rank": (
        "root_of_unity(rank * frequency(o), N)",
        "root_of_unity((rank + 1) * frequency(o), N)",
    ),
}
