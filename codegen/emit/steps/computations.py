"""Local computations as lines of a node program: transforms, generalized butterflies, and those
whose results are sent part by part.
"""

from __future__ import annotations

from codegen.emit.steps.arrays import Operation
from codegen.emit.tables import Tables
from codegen.program.bits.bit_transforms import Butterflies
from codegen.program.stages.overlaps import Overlap
from codegen.program.supersteps import Program

PIECE = 2**14
"""Elements that fit a cache: butterflies, tables and files are done by so many at a time."""


def fourier(copies: int, d: int, c: int, in_place: bool = False) -> Operation:
    """Return I_copies ⊗ F_d ⊗ I_c."""
    sums = d == 2 and not in_place
    return {
        "macro": "fourier",
        "hops": 0 if in_place else 1,
        "sums": sums,
        "needs": ("butterflies",) if sums and (copies > 1 or c > PIECE) else (),
        "copies": copies,
        "d": d,
        "c": c,
        "divided": 0,
    }


def generalized(step: Butterflies, M: int, tables: Tables) -> Operation:
    """Return stages of generalized butterflies, block by block where these have their own
    weights or fill a cache.
    """
    table = tables.name("weights", (step.first, step.last, step.u, step.w))
    size = step.b if step.w > 1 else max(step.b, min(M, PIECE))
    repeats = M // size // step.w
    return {
        "macro": "generalized",
        "needs": ("generalized", "combine"),
        "table": table,
        "size": size,
        "blocks": M // size,
        "w": step.w,
        "repeats": repeats,
    }


def points_of(program: Program) -> set[int]:
    """Return of how many points the generalized butterflies of a program are: 4 in pairs of stages,
    2 in a last stage that is left.
    """
    counts = [len(step.stages) for step in program.steps if step.stages]
    return {4 for count in counts if count > 1} | {2 for count in counts if count % 2}


def overlapped(step: Overlap, tables: Tables) -> Operation:
    """Return a computation whose results go to `made`, and from there to other ranks as soon as
    they are there: blocks of copies, or the sums and the differences of two halves.
    """
    made, exchange, parts = step.transform, step.trade.exchange, step.parts
    diagonal, blocks, each = made.diagonal, made.copies > 1, exchange.messages // parts
    assert diagonal or not blocks, "only a first transform has none, and has one copy"
    assert blocks or not diagonal or diagonal.first(made.M) >= made.c, "1 on the first half"
    mine = exchange.position.over(exchange.messages).divided(each)
    part = fourier(made.copies // parts if blocks else 1, made.d, made.c)
    tables.name("made", None)
    return {
        "macro": "blocks" if blocks else "halves",
        "needs": ("receive", "send") + part["needs"],
        "mine": mine.written([("rank", 1 << tables.p)]),
        "parts": parts,
        "each": each,
        "table": tables.name("twiddle", (diagonal, 0 if blocks else made.c)) if diagonal else "",
        "partners": tables.name("partners", exchange),
        "part": part,
    }


def planned(copies: int, d: int, c: int, tables: Tables) -> Operation:
    """Return the transform I_copies ⊗ F_d ⊗ I_c by a plan of FFTW; a rank's whole part is an array
    of one axis.
    """
    shape = (copies, d, c) if copies * c > 1 else (d,)
    return {"macro": "fftw", "table": tables.name("fourier", shape), "shape": shape}
