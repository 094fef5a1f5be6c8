"""The values of the options that several systems have."""

from __future__ import annotations

from typing import NamedTuple

DIRECTIONS = ("forward", "backward")
NORMS = ("backward", "ortho", "forward")
NUMPY, NUMBA, PYFFTW, GRAY = KERNELS = ("numpy", "numba", "pyfftw", "gray")
COMPLEX, REAL = ("complex128", "complex64"), ("float64", "float32")
"""The types of the elements of transforms, the default first."""


class Backend(NamedTuple):
    """What kernels are made by, and what they do.

    Attributes:
        library: what a program imports for them.
        made_by: what they are in its messages.
        has_butterflies: whether they have a phase of the FFT as butterflies.
        is_cached: whether their long transforms keep to the caches by themselves.
        is_whole: whether they are of whole transforms, with twiddles and norms.
        is_planned: whether a rank's transforms are plans, for arrays of an alignment.
        lacks: the norm that no plan for digits has.
    """

    library: str = ""
    made_by: str = ""
    has_butterflies: bool = False
    is_cached: bool = True
    is_whole: bool = False
    is_planned: bool = False
    lacks: str = ""


BACKENDS = {
    NUMPY: Backend(has_butterflies=True, is_cached=False),
    NUMBA: Backend(NUMBA, f"compiled by {NUMBA}", has_butterflies=True, is_whole=True),
    PYFFTW: Backend(PYFFTW, "FFTW's", is_planned=True, lacks="ortho"),
    GRAY: Backend(NUMBA, f"compiled by {NUMBA}"),
}
BUTTERFLY_KERNELS = tuple(name for name, each in BACKENDS.items() if each.has_butterflies)
