"""Local computations as lines of a node program: transforms, generalized butterflies, and those
whose results are sent part by part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codegen.emit.steps.array_names import Operation
from codegen.emit.tables import Tables
from codegen.program.stages.generalized_butterflies import Butterflies
from codegen.program.stages.overlaps import Overlap
from codegen.program.supersteps import Program
from codegen.systems.record import Request

SINGLE = ("complex64", "float32")
"""Types of single precision."""
PIECE = 2**14
"""Elements that fit a cache: butterflies, tables and files are done by so many at a time."""


def divided(request: Request) -> int:
    """Return how often a transform of length n divides by the root of n."""
    return 1 if request.norm == "ortho" else 2 * (request.norm == request.direction)


def norm_of(forward: bool, divided: int, dtype: str) -> str:
    """Return the argument of numpy.fft for a transform that is divided so often by the root of its
    length; in single precision one that is not divided has the norm that divides by the length, as
    numpy would compute it in double precision otherwise.

    >>> norm_of(True, 0, "complex128"), norm_of(True, 0, "complex64")
    ('', ', norm="forward"')
    """
    if divided == 1:
        return ', norm="ortho"'
    return ', norm="forward"' * (forward == (divided == 2 or dtype in SINGLE))


def fourier(
    request: Request,
    copies: int,
    d: int,
    c: int,
    in_place: bool = False,
    divided: int = 0,
    conjugate: bool = False,
) -> Operation:
    """Return I_copies ⊗ F_d ⊗ I_c, or its conjugate, divided so often by the root of d."""
    found = {"macro": "fourier", "hops": int(not in_place), "copies": copies, "d": d, "c": c}
    if d > 2 or in_place:
        return found | {"lines": [*_by_library(request, copies, d, c, divided, conjugate)]}
    if copies > 1 or c > PIECE:
        shape = f".reshape({copies}, 2, {c})"
        lines = [f"butterflies({{source}}{shape}, {{target}}{shape})"]
        return found | {"lines": lines, "needs": ("butterflies",)}
    return found | {
        "lines": [
            f"np.{function}({{source}}[:{c}], {{source}}[{c}:], out={{target}}[{half}])"
            for function, half in (("add", f":{c}"), ("subtract", f"{c}:"))
        ]
    }


def _by_library(
    request: Request, copies: int, d: int, c: int, divided: int, conjugate: bool
) -> Iterator[str]:
    """Yield the lines of a transform by numpy.fft; in single precision the result is multiplied
    by d after the norm that divides by it.
    """
    sizes = [str(size) for size in (copies, d, c) if size > 1]
    shape = f".reshape({', '.join(sizes)})" * (len(sizes) > 1)
    axis = f", axis={int(copies > 1)}" * (c > 1)
    forward = (request.is_forward or request.record.is_hartley) != conjugate
    undone = not divided and request.dtype in SINGLE
    norm = norm_of(forward, divided, request.dtype)
    function = "fft" if forward else "ifft"
    yield f"np.fft.{function}({{source}}{shape}{axis}{norm}, out={{target}}{shape})"
    if undone:
        yield (
            f"np.multiply({{target}}, {d}, out={{target}})  # undoes the division by {d}; with"
            ' norm="forward" numpy would compute in double precision'
        )


def copying(operations: Sequence[Operation]) -> None:
    """Say of operations that begin with a later element and go to another array that they copy the
    first ones.
    """
    for each in operations:
        if each["macro"] == "multiply" and each["first"] and each["source"] != each["target"]:
            each["parts"] = ("copy_first", "multiply")


def generalized(step: Butterflies, M: int, tables: Tables) -> Operation:
    """Return stages of generalized butterflies, block by block where these have their own
    weights or fill a cache.
    """
    table = tables.name("weights", (step.first, step.last, step.u, step.w))
    size = step.b if step.w > 1 else max(step.b, min(M, PIECE))
    repeats = M // size // step.w
    blocks = "weighted_blocks" if step.w > 1 else "generalized_blocks"
    return {
        "macro": blocks if M > size else "generalized",
        "needs": ("generalized", "combine"),
        "table": table,
        "shape": f".reshape({M // size}, {size})",
        "repeated": f" * {repeats}" * (repeats > 1),
    }


def points_of(program: Program) -> set[int]:
    """Return of how many points the generalized butterflies of a program are: 4 in pairs of stages,
    2 in a last stage that is left.
    """
    counts = [len(step.stages) for step in program.steps if step.stages]
    return {4 for count in counts if count > 1} | {2 for count in counts if count % 2}


def forms(points: set[int], after: bool) -> dict[str, tuple[str, ...]]:
    """Return the macros that the functions of butterflies consist of: of these numbers of points,
    and whether those of halves multiply `after` them.
    """
    weights = ("weights_of_both" if 2 in points else "weights", "powers", "powers_of_pairs")
    two = ["combine_last_two"] * (2 in points)
    found = {"weights": weights, "combine": ("combine", *two, "combine_four")}
    if points == {2}:
        found["weights"] = ("weights_of_stage", "powers", "powers_of_stage")
        found["combine"] = ("combine", "combine_two")
    own = "butterflies_before_twiddles" if after else "butterflies_of_halves"
    return found | {"butterflies_of_halves": (own,)}


def overlapped(step: Overlap, request: Request, tables: Tables) -> Operation:
    """Return a computation whose results go to `made`, and from there to other ranks as soon as
    they are there: blocks of copies, or the sums and the differences of two halves.
    """
    made, exchange, parts = step.transform, step.trade.exchange, step.parts
    diagonal, blocks, each = made.diagonal, made.copies > 1, exchange.messages // parts
    assert diagonal or not blocks, "only a first transform has none, and has one copy"
    assert blocks or not diagonal or diagonal.first(made.M) >= made.c, "1 on the first half"
    mine = exchange.position.over(exchange.messages).divided(each)
    part = fourier(request, made.copies // parts if blocks else 1, made.d, made.c)
    halves = ("halves", *["high_multiplied"] * (diagonal is not None), "halves_sent")
    tables.name("made", None)
    return {
        "macro": "blocks" if blocks else "halves",
        "parts": ("blocks",) if blocks else halves,
        "needs": ("receive", "send", *part.get("needs", ())),
        "lines": part["lines"],
        "mine": mine.written([("rank", 1 << tables.p)]),
        "count": parts,
        "each": each,
        "table": tables.name("twiddle", (diagonal, 0 if blocks else made.c, 0)) if diagonal else "",
        "partners": tables.name("partners", exchange),
    }


def planned(copies: int, d: int, c: int, tables: Tables) -> Operation:
    """Return the transform I_copies ⊗ F_d ⊗ I_c by a plan of FFTW; a rank's whole part is an array
    of one axis.
    """
    shape = (copies, d, c) if copies * c > 1 else (d,)
    return {"macro": "fftw", "table": tables.name("fourier", shape), "shape": shape}
