"""The kernels of an emitted Hartley transform: what its text in
codegen/templates/fht_kernels.py.jinja is given.

kernel = pairs    F_G of complex numbers side by side: on rank 0, on the way back, and of the elements of `group-cyclic`
       | lists    F_G of two lists, real and imaginary parts, after twiddles: on all other ranks of `hypercube`
       | across   F_P over what came from each rank: in `group-cyclic`
"""  # noqa: E501

from __future__ import annotations

from typing import Any

from codegen.kernels import fourier
from codegen.kernels.fourier import NONE, STREAMED, Kernel
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
    "fourier_of_lists": (6, 2),
    "fourier_across": (4, 1),
    "to_pairs": (2, 2),
    "butterfly": (4, 1),
    "turned_sum": (7, 1),
    "sum_back": (6, 1),
    "turned_back": (7, 1),
    "untangle": (3, 1),
    "turn_back": (4, 1),
    "multiply_pairs": (4, 1),
    "multiply_mirrored": (4, 1),
}
"""The compiled functions: how many addresses and how many numbers they take."""


def view(core: Hartley, convolves: bool) -> dict[str, Any]:
    """Return what a program prints of its kernels.

    >>> view(Hartley(1024, 2), False)["passes"]["pairs"]
    'TwoPasses(8, (), (8, 4), "", False)'
    """
    kernels = _kernels(core)
    found = fourier.of_kernels(list(kernels.values()), "COMPLEX")
    across = max(1, core.N // (4 * core.P**2))
    return found | {
        "sign": -1,
        "lanes": min(found["lanes"], across) if "across" in kernels else found["lanes"],
        "array": "aligned",
        "prepare": "prepare",
        "passes": {name: kernel.passes for name, kernel in kernels.items()},
        "by_name": "; ".join(f"{name}: {SAID[name]}" for name in kernels),
        "calls": [
            f"{name}({', '.join(['there'] * CALLS[name][0] + ['0'] * CALLS[name][1])})"
            for name in _called(core, convolves)
        ],
    }


def _kernels(core: Hartley) -> dict[str, Kernel]:
    """Return the Fourier transforms of a program, of G elements each, by their names."""
    P, G = core.P, core.N // core.P // 2
    kernels = {"pairs": Kernel(G, 1, NONE, False)}
    if core.algorithm == "group-cyclic":
        kernels["across"] = Kernel(P, G // P, NONE, False)
    elif not core.back:
        kernels[LISTS] = Kernel(G, 1, LISTS, G >= STREAMED)
    return kernels


def _called(core: Hartley, convolves: bool) -> list[str]:
    """Return the names of the compiled functions that a program calls."""
    P, used = core.P, ["fourier_of_pairs", "untangle"]
    if core.algorithm == "group-cyclic":
        used += ["fourier_across", "to_pairs"]
    elif not core.back:
        used += (
            ["fourier_of_lists"] * (P > 1)
            + ["butterfly"] * (P > 1 and not core.ahead)
            + ["turned_sum"] * (P > 2)
        )
    if core.back or convolves:
        used += ["turn_back"] * (P > 1) + ["sum_back", "turned_back"] * (P > 2)
        used += ["butterfly"] * (P > 1 and "butterfly" not in used)
    if convolves:
        used += ["multiply_mirrored"] + ["multiply_pairs"] * (P > 1)
    return used
