"""Passes of a program over the memory of a rank: how often all its M elements are read and written
beside exchanges.

A local transform that fits the cache is one pass. A longer one is a pass for every two of its
stages, as numpy's radix-4 algorithm has them, or two passes in kernels that keep to the caches. A
diagonal of twiddles is a pass of its own but in compiled kernels, and a rearrangement is one unless
an exchange takes it along.
"""

from __future__ import annotations

from codegen.program.digits.steps import Trade, Transform
from codegen.program.supersteps import Butterflies, Local, Move, Overlap, Program, Step
from derive.papers.bsp_phases import CACHE_POINTS

BLOCKED = 2
"""The passes of a long transform in kernels that keep to the caches."""


def of_transform(d: int, kernels: str) -> int:
    """Return the passes of local transforms of d points.

    >>> of_transform(2**13, "numpy"), of_transform(2**20, "numpy"), of_transform(2**20, "numba")
    (1, 10, 2)
    """
    if d <= CACHE_POINTS:
        return 1
    return -(-(d - 1).bit_length() // 2) if kernels == "numpy" else BLOCKED


def of_twiddles(kernels: str) -> int:
    """Return the passes of a diagonal of twiddles.

    >>> of_twiddles("numpy"), of_twiddles("numba")
    (1, 0)
    """
    return int(kernels != "numba")


def passes(program: Program) -> int:
    """Return how often a rank reads and writes all its elements, beside exchanges.

    >>> from codegen.program.lower import lower
    >>> from codegen.spec import Spec
    >>> passes(lower(Spec("fft", 1024, 4))), passes(lower(Spec("fft", 1024, 4, phases="16,16,4")))
    (3, 6)
    >>> passes(lower(Spec("fft", 1000, 10, "cyclic", "cyclic")))
    3
    """
    return sum(_passes(step, program.spec.kernels) for step in program.steps)


def _passes(step: Step, kernels: str) -> int:
    match step:
        case Overlap(local):
            return _passes(local, kernels)
        case Move():
            return int(step.exchange is None)
        case Trade():
            return 0
        case Local():
            twiddles = of_twiddles(kernels) if step.twiddle else 0
            return of_transform(step.d, kernels) + twiddles
        case Transform():
            twiddles = of_twiddles(kernels) if step.diagonal else 0
            return of_transform(step.d, kernels) + twiddles
        case Butterflies():
            return -(-len(step.stages) // 2)
    return 1
