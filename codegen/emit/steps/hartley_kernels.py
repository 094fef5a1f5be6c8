"""The Hartley transform by compiled kernels as lines of a node program: its operations, the tables
of a rank, and what else it prints.

operation = rest_of_lists | rest_of_lists_back         all other stages as one local transform
          | half_of_pairs                              before the one all-to-all

Stages work in place; the local transform goes to the other array, on rank 0 by way of the one that
it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen.emit.steps import fourier_passes
from codegen.emit.steps.array_names import Operation
from codegen.kernels import fourier_kernels, hartley_functions
from codegen.kernels.loops import View
from codegen.program.hartley_program import Hartley
from codegen.program.hartley_steps import Rest
from codegen.program.supersteps import Program
from codegen.systems.fht import transform_of
from derive.formula.permutations import lg

NEEDS = ("by_rank", "untangling")
"""The functions that these programs may need, in the order in which they stand in them."""
KERNELS = "passes"
"""The section of a program with its kernels."""
NEEDS_OF_PAIRS = (KERNELS, "untangling", "twiddles")
"""What a transform needs that goes by way of complex numbers side by side."""


def are_in(program: Program) -> bool:
    """Return whether a program is a Hartley transform of lists with compiled kernels."""
    return program.in_lists and program.request.backend.is_whole


def rest(step: Rest) -> Operation:
    """Return the local transform."""
    back = step.back and step.P > 1
    macro = f"rest_of_lists{'_back' * back}" if step.P > 1 else "lists_at_once"
    return {"macro": macro, "spare": True, "needs": NEEDS_OF_PAIRS}


def half_spectra(P: int, M: int) -> Operation:
    """Return half of a Fourier transform, in the order of the ranks that need its entries."""
    together = M // 2 > P
    return {
        "macro": f"half_of_pairs{'_by_rank' * together}",
        "hops": 2,
        "spare": True,
        "needs": (*NEEDS_OF_PAIRS, "frequency", *("by_rank",) * together),
    }


def by_way_of_work(operations: list[Operation]) -> None:
    """Have the product of two transforms written to the work array, as it cannot be done in place,
    and the transform after it go by way of one of its factors.
    """
    product, after, *_ = operations
    product["target"], after["source"], after["other"] = "work", "work", "b"


def loops(core: Hartley) -> list[View]:
    """Return the kernels of a transform as the template prints them."""
    found = hartley_functions.kernels(core).items()
    return [
        fourier_passes.printed(kernel, name, fourier_kernels.ONE_TABLE) for name, kernel in found
    ]


def tables(program: Program) -> list[View]:
    """Return the tables of a transform as the template prints them."""
    core, p = transform_of(program.request), lg(program.P)
    both = program.request.convolve and p > 0
    if hartley_functions.by_ranks(core):
        return [
            _table("twiddle_of_pairs", "twiddle"),
            _table("untangling", "untangling"),
            _table("ends", "ends", P=program.P),
            *_of_loops(core),
        ]
    weights = [_table("weights_of_lists", "weights", stop=p + 2, back=core.back)]
    weights += [_table("weights_of_lists", "weights_back", stop=p + 2, back=True)] * both
    return [
        *weights * (p > 1),
        _table("twiddle_of_ranks", "twiddle", one=p == 0, back=core.back),
        *[_table("twiddle_of_half", "twiddle_back")] * both,
        *_of_loops(core),
    ]


def _of_loops(core: Hartley) -> Iterator[View]:
    """Yield the tables that the kernels are given by their addresses: roots of unity of F_G and of
    F_P, and the room of both.
    """
    kernels, sides = loops(core), _sides(core)
    for side, kernel in sides.items():
        if "roots" in kernel["given"]:
            calls = tuple(kernel["roots"].calls)
            yield _table("roots_of_loops", f"roots{side}", given=calls, words="roots")
    for name in ("room", "line"):
        if size := 2 * max(kernel[name] for kernel in kernels):  # real numbers
            yield _table("space", name, given=(size, name == "line"), words="room")
    for side, kernel in sides.items():
        given = [f"roots{side}" if name == "roots" else name for name in kernel["given"]]
        if given:
            yield _table("given", f"addresses{side}", given=(*given, 1), words="addresses")


def _sides(core: Hartley) -> dict[str, View]:
    """Return the kernels that differ in their tables, by the end of the names of these."""
    first, *others = loops(core)
    return {"": first, "_across": others[0]} if hartley_functions.by_ranks(core) else {"": first}


def _table(macro: str, name: str, **how: Any) -> View:
    found = {"macro": macro, "name": name, "by_rank": True, "words": "twiddle"}
    return found | {"needs": ("root_of_unity",)} | how


def compiled(program: Program, beside: View) -> View:
    """Return what a program prints of its kernels."""
    core, convolves = transform_of(program.request), program.request.convolve
    kernels = loops(core)
    found = fourier_passes.compiled(beside)
    assert found is not None, "a Hartley transform has kernels"
    return found | {
        "streams": any(kernel["kernel"].streams for kernel in kernels),
        "given": {
            side: f"*plan.addresses{side}" if kernel["given"] else "1"
            for side, kernel in _sides(core).items()
        },
        "mirrored": core.N // core.P // 4 + 1 if core.N > 2 * core.P else 0,
        "in_order": not hartley_functions.by_ranks(core),
        "turns_back": core.back or convolves,
        "back": "_back" if convolves and core.P > 1 else "",
        "rows": max(1, hartley_functions.PIECE // (2 * core.P)),
    }


def beside(program: Program) -> View:
    """Return what it prints beside them, if there are any."""
    if not are_in(program):
        return {}
    core = transform_of(program.request)
    names = hartley_functions.functions(core, program.request.convolve)
    found = fourier_passes.beside(loops(core))
    return found | {
        "lanes": hartley_functions.lanes(core),
        "complex": "COMPLEX",
        "sign": -1,
        "run": 0,
        "splits": True,
        "lists": found["lists"] or bool(hartley_functions.OF_LISTS & {*names}),
        "functions": [(name, hartley_functions.CALLS[name]) for name in names],
    }
