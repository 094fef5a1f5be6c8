"""The kernels of an emitted Hartley transform: its Fourier transforms, and the functions that it
has compiled, of codegen/emit/verbatim/by_numba.py and codegen/templates/hartley/compiled.jinja.

kernel = fourier_of_pairs   F_G of complex numbers side by side: on rank 0, on the way back, and of the elements of `group-cyclic`
       | fourier_of_lists   F_G of two lists, real and imaginary parts, after twiddles: on all other ranks of `hypercube`
       | fourier_across     F_P over what came from each rank: in `group-cyclic`
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator

from codegen.kernels.fourier_kernels import LISTS, NONE, STREAMED, Kernel
from codegen.program.hartley_program import Hartley

CALLS = {
    "untangle": (3, 1),
    "turn_back": (3, 1),
    "to_pairs": (2, 1),
    "butterfly": (4, 1),
    "turned_sum": (4, 3),
    "turned_back": (3, 2),
    "multiply_mirrored": (4, 1),
    "multiply_pairs": (4, 1),
}
"""The compiled functions, in the order in which they stand in a program: how many addresses and how
many numbers they take.
"""
OF_LISTS = {"butterfly", "turned_sum", "turned_back", "multiply_mirrored"}
"""The functions that load from lists."""
PIECE = 2**14
"""Entries that fit a cache, which are put in the order of the ranks at a time."""


def by_ranks(core: Hartley) -> bool:
    """Return whether a transform has one all-to-all."""
    return core.algorithm == "group-cyclic" and core.P > 1


def kernels(core: Hartley) -> dict[str, Kernel]:
    """Return the Fourier transforms of a program, of G elements each, by their names.

    >>> list(kernels(Hartley(1024, 2)))
    ['fourier_of_pairs', 'fourier_of_lists']
    """
    P, G = core.P, core.N // core.P // 2
    found = {"fourier_of_pairs": Kernel(G, 1, NONE, False)}
    if by_ranks(core):
        found["fourier_across"] = Kernel(P, G // P, NONE, False)
    elif P > 1 and not core.back:
        found["fourier_of_lists"] = Kernel(G, 1, LISTS, G >= STREAMED)
    return found


def lanes(core: Hartley) -> int:
    """Return the most lanes that the vectors of a program can have."""
    most = max(1, core.N // (4 * core.P**2)) if by_ranks(core) else core.N
    return min(most, *(kernel.lanes for kernel in kernels(core).values()))


def functions(core: Hartley, convolves: bool) -> list[str]:
    """Return the names of the functions that a program compiles, in their order."""
    used = set(_of_transform(core))
    if convolves:
        used |= {"multiply_mirrored", *_of_transform(Hartley(core.N, core.P, back=True))}
        used |= {"multiply_pairs"} if core.P > 1 else set()
    return [name for name in CALLS if name in used]


def _of_transform(core: Hartley) -> Iterator[str]:
    """Yield the names of the compiled functions of a transform."""
    P = core.P
    yield "untangle"
    if P == 1:
        return
    if by_ranks(core):
        yield "to_pairs"
    elif core.back:
        yield from ("turn_back", "butterfly", *["turned_back"] * (P > 2))
    else:
        yield from ("butterfly",) * (not core.ahead) + ("turned_sum",) * (P > 2)
