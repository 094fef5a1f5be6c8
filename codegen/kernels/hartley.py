"""The kernels of an emitted Hartley transform: what its text in
codegen/templates/hartley_kernels.jinja is given.

kernel = pairs    F_G of complex numbers side by side: on rank 0, on the way back, and of the elements of `group-cyclic`
       | lists    F_G of two lists, real and imaginary parts, after twiddles: on all other ranks of `hypercube`
       | across   F_P over what came from each rank: in `group-cyclic`
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen.kernels import fourier
from codegen.kernels.fourier import NONE, ONE_TABLE, STREAMED, Kernel
from codegen.program.hartley import Hartley

LISTS = "lists"
"""Elements are two lists of real numbers, and all have twiddles."""
SAID = {
    "pairs": "F_G of numbers side by side",
    LISTS: "F_G of lists of their parts, after twiddles",
    "across": "F_P over all ranks",
}
CALLS = {
    "fourier_of_pairs": (4, 1),
    "untangle": (3, 1),
    "turn_back": (4, 1),
    "fourier_of_lists": (6, 1),
    "fourier_across": (4, 1),
    "to_pairs": (2, 1),
    "butterfly": (4, 1),
    "turned_sum": (7, 2),
    "sum_back": (6, 1),
    "turned_back": (7, 2),
    "multiply_mirrored": (4, 1),
    "multiply_pairs": (4, 1),
}
"""The compiled functions, in the order in which they stand in a program: how many addresses and how
many numbers they take.
"""
PIECE = 2**14
"""Entries that fit a cache, which are put in the order of the ranks at a time."""


def by_ranks(core: Hartley) -> bool:
    """Return whether a transform has one all-to-all."""
    return core.algorithm == "group-cyclic" and core.P > 1


def view(core: Hartley, convolves: bool) -> dict[str, Any]:
    """Return what a program prints of its kernels.

    >>> view(Hartley(1024, 2), False)["passes"]["pairs"]["text"]
    'TwoPasses(8, (), (8, 4), "", False)'
    """
    kernels, P = _kernels(core), core.P
    streams = LISTS in kernels and kernels[LISTS].streams
    return {
        "kind": "vectors",
        "array": "aligned",
        "names": (),
        "words": "",
        "passes": {
            name: {"text": kernel.passes, "words": SAID[name]} for name, kernel in kernels.items()
        },
        "functions": (functions := _functions(core, convolves)),
        "calls": [_call(name, streams) for name in functions],
        "streams": streams,
        "in_order": not by_ranks(core),
        "turns_back": core.back or convolves,
        "back": "_back" if convolves and P > 1 else "",
        "rows": max(1, PIECE // (2 * P)),
    }


def vectors(core: Hartley) -> dict[str, Any]:
    """Return what a program prints of the vectors that its kernels are made of."""
    kernels = _kernels(core)
    found = fourier.of_kernels(list(kernels.values()), "COMPLEX")
    most = max(1, core.N // (4 * core.P**2)) if "across" in kernels else found["lanes"]
    uses = fourier.uses(list(kernels.values()), ONE_TABLE)
    return found | {"lanes": min(found["lanes"], most), "uses": uses, "sign": -1}


def _kernels(core: Hartley) -> dict[str, Kernel]:
    """Return the Fourier transforms of a program, of G elements each, by their names."""
    P, G = core.P, core.N // core.P // 2
    kernels = {"pairs": Kernel(G, 1, NONE, False)}
    if by_ranks(core):
        kernels["across"] = Kernel(P, G // P, NONE, False)
    elif P > 1 and not core.back:
        kernels[LISTS] = Kernel(G, 1, LISTS, G >= STREAMED)
    return kernels


def _functions(core: Hartley, convolves: bool) -> list[str]:
    """Return the names of the functions that a program compiles, in their order."""
    used = set(_of_transform(core))
    if convolves:
        used |= {"multiply_mirrored", *_of_transform(Hartley(core.N, core.P, back=True))}
        used |= {"multiply_pairs"} if core.P > 1 else set()
    return [name for name in CALLS if name in used]


def _of_transform(core: Hartley) -> Iterator[str]:
    """Yield the names of the compiled functions of a transform."""
    P = core.P
    yield from ("fourier_of_pairs", "untangle")
    if P == 1:
        return
    if by_ranks(core):
        yield from ("fourier_across", "to_pairs")
    elif core.back:
        yield from ("turn_back", "butterfly") + ("sum_back", "turned_back") * (P > 2)
    else:
        yield from ("fourier_of_lists",) + ("butterfly",) * (not core.ahead)
        yield from ("turned_sum",) * (P > 2)


def _call(name: str, streams: bool) -> str:
    """Return a call that does nothing."""
    addresses, numbers = CALLS[name]
    numbers += streams and name == "fourier_of_lists"
    return f"{name}({', '.join(['there'] * addresses + ['0'] * numbers)})"
