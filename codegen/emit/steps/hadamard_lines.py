"""Sums and differences as lines of a node program, and the kernels that make them."""

from __future__ import annotations

from itertools import pairwise
from math import gcd
from typing import Any

from codegen.emit.steps import fourier_passes
from codegen.emit.steps.array_names import Operation, Stage, stage
from codegen.emit.tables import Tables
from codegen.kernels.widths import LANES
from codegen.program.stages.hadamard import Hadamard
from codegen.program.supersteps import Program
from codegen.systems.options import REAL

VECTORS, SINGLE = "hadamard", "hadamard_1"
"""The kernels for vectors and for single numbers."""


def summing(step: Hadamard, program: Program, _: Tables) -> Stage:
    """Return sums and differences, in as many passes as fit a cache."""
    return stage(" ".join(map(str, step.factors)), *_operations(step, program))


def _operations(step: Hadamard, program: Program) -> list[Operation]:
    operation: Operation = {"macro": VECTORS, "by_kernel": "", "needs": (VECTORS,)}
    if not program.request.backend.is_whole:
        return [{**operation, "shape": shape} for shape in step.rounds()]
    operation |= {"macro": "summed", "needs": ("passes",)}
    ends = [step.c, *(LANES,) * (step.c < LANES < step.c * step.d), step.c * step.d]
    return [
        {
            **operation,
            "by_kernel": VECTORS if begin >= LANES else SINGLE,
            "shape": (program.M, begin, end),
        }
        for begin, end in pairwise(ends)
    ]


def kernels_of(program: Program) -> list[str]:
    """Return the names of the kernels of a program that make sums and differences."""
    steps = [step for step in program.steps if isinstance(step, Hadamard)]
    found = {each["by_kernel"] for step in steps for each in _operations(step, program)}
    return [name for name in (VECTORS, SINGLE) if name in found]


def beside(program: Program) -> dict[str, Any]:
    """Return what the template prints beside these kernels."""
    names, is_real = kernels_of(program), program.request.dtype in REAL
    alone = SINGLE in names
    return fourier_passes.beside(()) | {
        "lanes": gcd(LANES, program.M),
        "complex": "np.result_type(DTYPE, np.complex64)" if is_real else "DTYPE",
        "run": 0,
        "summed": "lists" if is_real else "pairs",
        "lists": is_real and VECTORS in names,
        "single": is_real and alone,
        "narrow": () if is_real or not alone else (1,),
        "codelets": ["fft2"],
        "functions": [(name, (2, 3)) for name in names],
    }
