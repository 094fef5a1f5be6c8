"""Permutations with kernels on lines, and what damages them."""

from functools import cache

from codegen.emit.text import emit
from codegen.spec import Spec
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from tests.support.changes import changed
from tests.support.matrices import nonsingular

MATRICES = ("bit-reversal", "gray-code", "random")

ELEMENTS = {
    "uint8": 13,
    "int16": 13,
    "float32": 11,
    "float64": 10,
    "complex128": 10,
    "V32": 9,
    "V64": 9,
    "i4,f8": 8,
    "V128": 8,
}
"""Types of every size, and of how many elements: lg N, so that eight ranks have tiles."""


@cache
def text(dtype="float64", n=10, P=2, name="random", kernels="numba", layouts=("block", "block")):
    address = nonsingular(n, n) if name == "random" else bmmc.named(name, n)
    return emit(
        Spec(
            "permute",
            1 << n,
            P,
            *layouts,
            permutation=Bmmc(address, name),
            dtype=dtype,
            kernels=kernels,
        )
    )


@cache
def nested_loops():
    """Return a program with an inner and an outer loop."""
    return changed(text(P=4), ("LOW_BITS = 8 ", "LOW_BITS = 1 "))


CALL = (
    "move(address(source), address(target), self.c, self.stages, self.lines, address(self.turns),"
    " self.low, self.high)"
)
STORE = "store(target, t >> 3, lines[1], v)"
WRONG = {
    "another source line": ("load(source, s, lines[0], 8)", "load(source, s ^ 1, lines[0], 8)"),
    "a source line twice": (
        "load(source, s, lines[0], 8)",
        "load(source, s, lines[0][:7] + lines[0][:1], 8)",
    ),
    "a target line twice": (STORE, STORE.replace("lines[1]", "lines[1][:7] + lines[1][:1]")),
    "an exchange the other way": ("exchange(v, 2)", "exchange(v[::-1], 2)[::-1]"),
    "an exchange of another bit": ("exchange(v, 4)", "exchange(v, 2)"),
    "a stage for another": ("if stages & 1:", "if stages & 2:"),
    "lanes that stay": ("load(turn, 8, order, 8)", "load(turn, 0, order, 8)"),
    "lanes in another order": (
        "order = (0, 1, 2, 3, 4, 5, 6, 7)",
        "order = (1, 0, 2, 3, 4, 5, 6, 7)",
    ),
    "a complement without its lane": ("t & 7", "0"),
    "no complement": ("t = high[1, h] ^ low[1, l] ^ c", "t = high[1, h] ^ low[1, l]"),
    "the first tiles only": ("for l in range(low.shape[1]):", "for l in range(1):"),
    "a line of the source written": (STORE, STORE.replace("target,", "source,")),
    "a line beyond the end": (
        "load(source, s, lines[0], 8)",
        "load(source, s ^ 4096, lines[0], 8)",
    ),
    "a line before the beginning": (STORE, STORE.replace("t >> 3", "(t >> 3) - 4096")),
    "halves of elements": ("load(source, s, lines[0], 8)", "load(source, s, lines[0], 4)"),
    "an index vector that chooses none": ("turns.reshape(-1)", "turns.reshape(-1) + 1"),
    "the inner tables for both loops": (
        CALL,
        CALL.replace("self.low, self.high", "self.low, self.low"),
    ),
    "tiles twice and others not": ("side[LOW_BITS:]", "side[:LOW_BITS]"),
    "lanes for shifts": (
        ("[span(shift)[:, None] ^ span(lane) for shift, lane in zip(shifts, lanes, strict=True)]"),
        ("[span(shift)[:, None] ^ span(lane) for lane, shift in zip(shifts, lanes, strict=True)]"),
    ),
    "another rank's complement": ("affine((192, 0), rank, 192)", "affine((192, 0), rank ^ 1, 192)"),
    "the matrix of the target for both": (
        "tuple(tuple(span(side).tolist()) for side in lines)",
        "tuple(tuple(span(lines[1]).tolist()) for side in lines)",
    ),
    "a table that is never written": ("self.turns[:] = turns.reshape(-1)", "pass"),
    "the address of what is gone": (CALL, CALL.replace("(source)", "(source.copy())")),
    "the address of a table that is gone": (
        CALL,
        CALL.replace("(self.turns)", "(self.turns.copy())"),
    ),
    "a value of a line": ("if stages & 1:", "if v[0]:"),
    "a sum of lines": (STORE, STORE.replace(", v)", ", (v[0] + v[1],) + v[1:])")),
    "an address that is counted with": (CALL, CALL.replace("(source)", "(source) + 64")),
    "another word for an operation": (
        "order = (0, 1, 2, 3, 4, 5, 6, 7)",
        "order = (0, 1, 2, 3, 4, 5, 6, 7)\nexchange = lambda lines, bit: lines[::-1]",
    ),
}
