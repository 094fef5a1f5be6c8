"""The values of the options that several systems have."""

from __future__ import annotations

DIRECTIONS = ("forward", "backward")
NORMS = ("backward", "ortho", "forward")
NUMPY, NUMBA, PYFFTW, GRAY = KERNELS = ("numpy", "numba", "pyfftw", "gray")
BUTTERFLY_KERNELS = (NUMPY, NUMBA)
COMPLEX, REAL = ("complex128", "complex64"), ("float64", "float32")
"""The types of the elements of transforms, the default first."""
