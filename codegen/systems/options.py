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
        constants: names, values and comments of what its plans are made for.
        checked: the lines after the import that raise where it cannot be used.
        remedy: what to do where the import fails, in a formatted string.
    """

    library: str = ""
    made_by: str = ""
    has_butterflies: bool = False
    is_cached: bool = True
    is_whole: bool = False
    is_planned: bool = False
    lacks: str = ""
    constants: tuple[tuple[str, str, str], ...] = ()
    checked: tuple[str, ...] = ()
    remedy: str = ""


_COMPILED = Backend(
    NUMBA,
    f"compiled by {NUMBA}",
    checked=("if numba.config.DISABLE_JIT:", '    raise RuntimeError("NUMBA_DISABLE_JIT is set")'),
    remedy="{'unset it' if str(error) == 'NUMBA_DISABLE_JIT is set' else 'pip install numba'}",
)
BACKENDS = {
    NUMPY: Backend(has_butterflies=True, is_cached=False),
    NUMBA: _COMPILED._replace(has_butterflies=True, is_whole=True),
    PYFFTW: Backend(
        PYFFTW,
        "FFTW's",
        is_planned=True,
        lacks="ortho",
        constants=(("ALIGNMENT", "16", "bytes; FFTW plans assume the alignment of numpy"),),
        remedy=f"pip install {PYFFTW}",
    ),
    GRAY: _COMPILED,
}
PLANNED = tuple(name for name, each in BACKENDS.items() if each.is_planned)
BUTTERFLY_KERNELS = tuple(name for name, each in BACKENDS.items() if each.has_butterflies)
