"""Passes of a program over the memory of a rank: how often all its M elements are read and written
beside exchanges.

A local transform that fits the cache is one pass. A longer one is a pass for every two of its
stages, as numpy's radix-4 algorithm has them, or two passes in kernels that keep to the caches. A
diagonal of twiddles is a pass of its own but in compiled kernels, and a rearrangement is one unless
an exchange takes it along.
"""

from __future__ import annotations

from codegen.program.supersteps import Program


def passes(program: Program) -> int:
    """Return how often a rank reads and writes all its elements, beside exchanges.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> several = make_request("fft", 1024, 4, phases="16,16,4")
    >>> passes(resolve(make_request("fft", 1024, 4))), passes(resolve(several))
    (3, 5)
    >>> passes(resolve(make_request("fft", 1000, 10, "cyclic", "cyclic")))
    3
    """
    return sum(step.passes(program.request.kernels) for step in program.steps)
