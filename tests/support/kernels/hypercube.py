"""Transforms on a hypercube with kernels, and what damages them."""

from functools import cache

from codegen.emit.text import emit
from codegen.spec import Spec


@cache
def text(N, P, scheme, before="block", after="", **options):
    return emit(
        Spec("hypercube-fft", N, P, before, after, scheme=scheme, kernels="numba", **options)
    )


PRODUCT = "        product = times(other, w)\n"

WRONG = {
    "a sum for a difference": ("3", ("(v[0] - product[0],)", "(v[0] + product[0],)")),
    "no twiddles": ("3", (PRODUCT, "        product = other\n")),
    "twiddles of another block": ("3", ("load(table, c, W, 1)", "load(table, 0, W, 1)")),
    "the last vectors left out": (
        "3",
        ("for c in range(0, count, W)", "for c in range(0, count - W, W)"),
    ),
    "a store beyond the end": ("3", ("store_pairs(sums, c, 1", "store_pairs(sums, c + W, 1")),
    "a table that is not split": ("3", ("order).astype(DTYPE), W)", "order).astype(DTYPE), 1)")),
    "twiddles of another rank": (
        "3",
        ("shift, table = affine(ranks, rank)", "shift, table = affine(ranks, rank ^ 1)"),
    ),
    "halves for each other": (
        "3",
        ("(data.p, data.q, *data.halves)", "(data.q, data.p, *data.halves)"),
    ),
    "the other half exchanged": (
        "3",
        (
            "if self.sends_p:\n            data.p = self.room",
            "if not self.sends_p:\n            data.p = self.room",
        ),
    ),
    "the half that stays sent": (
        "3",
        (
            "data.p if self.sends_p else data.q, self.partner",
            "data.q if self.sends_p else data.p, self.partner",
        ),
    ),
    "copies left out": (
        "5",
        ("address(self.room), self.copies", "address(self.room), self.copies - 1"),
    ),
    "data times data": ("3", (PRODUCT, "        product = times(other, v)\n")),
    "the other half sent": (
        "5",
        (
            "address(self.table), int(not self.sends_p), H)",
            "address(self.table), int(self.sends_p), H)",
        ),
    ),
    "one half twice": (
        "4",
        (
            "address(self.table), int(self.sends_p), H)",
            "address(self.table), int(not self.sends_p), H)",
        ),
    ),
    "the half in the wrong place": (
        "5r",
        (
            "new_q if self.sends_p else new_p), address",
            "new_p if self.sends_p else new_q), address",
        ),
    ),
    "half of a half": ("4", ("int(not self.sends_p), H)", "int(not self.sends_p), H // 2)")),
    "a neighbour's elements with the wrong sign": ("2", ("(w[0] - v[0],)", "(v[0] - w[0],)")),
    "sums for differences": ("2", ("int(self.holds_q), M)", "int(not self.holds_q), M)")),
    "no turn for the second half": ("2", ("address(self.turns[1:])", "address(self.turns[:1])")),
    "a multiplication left out": (
        "2",
        ("        multiply(address(q[H:]),", "        self or multiply(address(q[H:]),"),
    ),
}
