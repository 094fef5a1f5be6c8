"""Functions of programs of unequal parts with plans of FFTW."""

from __future__ import annotations

import math

import numpy as np

from codegen.emit.verbatim.given import ALIGNMENT, DTYPE, pyfftw


def fftw(shape, axis, direction):
    """Return an FFTW plan for transforms along an axis of arrays aligned as numpy aligns them; None if they have no elements."""
    if 0 in shape:
        return None
    first = ALIGNMENT // DTYPE.itemsize  # aligned to ALIGNMENT bytes and no more, as numpy arrays may be
    source, target = (pyfftw.empty_aligned(math.prod(shape) + first, DTYPE)[first:].reshape(shape) for _ in range(2))
    return pyfftw.FFTW(source, target, axes=(axis,), direction=direction, flags=("FFTW_MEASURE",))


def transformed(fourier, source, target, forward):
    """Run an FFTW plan from source to target without a factor, through aligned copies if one of them is not aligned."""
    if fourier is None:
        return
    if pyfftw.is_byte_aligned(source, ALIGNMENT) and pyfftw.is_byte_aligned(target, ALIGNMENT):
        fourier(source, target, normalise_idft=forward)
    else:
        given, made = (pyfftw.empty_aligned(source.shape, DTYPE) for _ in range(2))
        np.copyto(given, source)
        np.copyto(target, fourier(given, made, normalise_idft=forward))
