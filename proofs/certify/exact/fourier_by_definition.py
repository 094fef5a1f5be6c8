"""Fourier transforms of data by their definition: numpy.fft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, lcm, log2
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from proofs.certify.exact.arithmetic import conj, deliver, result
from proofs.certify.exact.constants import NoConstant
from proofs.certify.exact.data import Data, by_numpy, raised, wrong
from proofs.certify.exact.residue_arrays import fourier, widened
from proofs.certify.exact.root_images import inverse_root
from proofs.certify.exact.space import units
from proofs.certify.language.table_entries import DATA, Undecided

NORMS = {None: (0, 2), "backward": (0, 2), "ortho": (1, 1), "forward": (2, 0)}
"""The halves of lg n that divide the forward and the backward transform, by numpy's norm."""
FORWARD, BACKWARD = -1, 1


def transformed(given: Data, n: Any, sign: int, axis: int, norm: Any) -> Data:
    """Return the transform of n points along an axis, in numpy's order of memory."""
    a = _sized(given, axis, n)
    field = a.space.field
    if norm not in NORMS:
        raise raised(ValueError(f"norm {norm!r} of a Fourier transform"))
    n, divided = a.shape[axis], NORMS[norm][sign > 0]
    order = field.field.order
    if not n:
        raise Undecided("a Fourier transform of length 0")
    if order % n:
        words = (
            f"a Fourier transform of length {n}: the certifier has roots of unity of order {order},"
            f" which {n} does not divide"
        )
        raise NoConstant(words, lcm(order, n) // order)
    residues, bounds = a.value()
    rows = widened(residues, 2).swapaxes(0, axis)
    found = fourier(rows, sign, field, inverse_root(n, divided, field))
    lg = log2(n)
    a.space.count(int(5 * lg * a.size))
    grown = units(lg - lg * divided / 2), ceil(lg * divided), 0, 0
    most = bounds.max(axis=axis, keepdims=True) + grown
    made = result(found.swapaxes(0, axis), most, np.result_type(a.dtype, np.complex64), a.space)
    return _lying_like(made, given)


def _lying_like(found: Data, a: Data) -> Data:
    """Return a new array in the order of memory of another one, as numpy makes it."""
    if a.items.flags.c_contiguous:
        return found
    items = np.empty_like(a.items, dtype=found.items.dtype, shape=found.shape)
    items[...] = found.items
    return Data(items, found.dtype, found.space)


def _sized(a: Data, axis: int, n: Any) -> Data:
    """Return an array that is cut or filled with zeros to this length."""
    size = a.shape[axis]
    if n is None or n == size:
        return a
    if not isinstance(n, int | np.integer) or n < 1:
        raise raised(ValueError(f"{n} points of a Fourier transform"))
    lead = (slice(None),) * axis
    if n < size:
        return a[(*lead, slice(0, int(n)))]
    shape = (*a.shape[:axis], int(n), *a.shape[axis + 1 :])
    found = Data(a.space.zeros(shape, a.dtype), a.dtype, a.space)
    found[(*lead, slice(0, size))] = a
    return found


def _axis(a: Any, axis: Any) -> int:
    if not isinstance(a, Data):
        raise Undecided(f"a Fourier transform of constants into {DATA}")
    return int(by_numpy(normalize_axis_index, axis, a.ndim))


def _complex(sign: int) -> Callable[..., Data]:
    def rule(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Data:
        place = _axis(a, axis)
        return deliver(transformed(a, n, sign, place, norm), out)

    return rule


fft, ifft = _complex(FORWARD), _complex(BACKWARD)


def rfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Data:
    """Return np.fft.rfft: entries 0 to n//2 of the transform."""
    place = _axis(a, axis)
    if a.parts == 2:
        raise wrong("np.fft.rfft of complex data: it leaves their imaginary part out")
    whole = transformed(a, n, FORWARD, place, norm)
    lead = (slice(None),) * place
    return deliver(whole[(*lead, slice(whole.shape[place] // 2 + 1))].copy("K"), out)


def irfft(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Data:
    """Return np.fft.irfft: imaginary parts of entries 0 and n/2 are left out."""
    place = _axis(a, axis)
    points = 2 * (a.shape[place] - 1) if n is None else n
    if not isinstance(points, int | np.integer) or points < 1:
        raise raised(ValueError(f"{points} points of a Fourier transform"))
    rows = _sized(a, place, points // 2 + 1).swapaxes(place, 0)
    space, dtype = a.space, np.result_type(a.dtype, np.complex64)
    shape = (int(points), *rows.shape[1:])
    whole = Data(space.zeros(shape, dtype), dtype, space)
    whole[: len(rows)] = rows
    whole[len(rows) :] = conj(rows[1 : points - len(rows) + 1][::-1])
    for end in {0, *([points // 2] if points % 2 == 0 else [])}:
        whole[end : end + 1] = rows[end : end + 1].real if rows.parts == 2 else rows[end : end + 1]
    found = transformed(whole, None, BACKWARD, 0, norm).real.swapaxes(0, place)
    return deliver(_lying_like(found.copy("C"), a), out)


def _axes(a: Any, s: Any, axes: Any) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """Return the axes of a transform, and the number of points of each, None for all."""
    if not isinstance(a, Data):
        raise Undecided(f"a Fourier transform of constants into {DATA}")
    chosen: Sequence[int] = axes if axes is not None else range(-len(s) if s else -a.ndim, 0)
    points = tuple(s) if s is not None else (None,) * len(chosen)
    if len(points) != len(chosen):
        raise raised(ValueError("shape and axes of a Fourier transform have other lengths"))
    return tuple(_axis(a, axis) for axis in chosen), tuple(None if n == -1 else n for n in points)


def _several(sign: int, default: Any = None) -> Callable[..., Data]:
    def rule(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Data:
        found: Data = a
        places, points = _axes(a, s, axes)
        for axis, n in reversed(list(zip(places, points, strict=True))):
            found = transformed(found, n, sign, axis, norm)
        return deliver(found, out)

    return rule


def _real(default: Any = None) -> Callable[..., Data]:
    def rule(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Data:
        places, points = _axes(a, s, axes)
        found = rfft(a, points[-1], places[-1], norm)
        for axis, n in list(zip(places, points, strict=True))[:-1]:
            found = transformed(found, n, FORWARD, axis, norm)
        return deliver(found, out)

    return rule


def _back_to_real(default: Any = None) -> Callable[..., Data]:
    def rule(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Data:
        places, points = _axes(a, s, axes)
        found: Data = a
        for axis, n in list(zip(places, points, strict=True))[:-1]:
            found = transformed(found, n, BACKWARD, axis, norm)
        return irfft(found, points[-1], places[-1], norm, out)

    return rule


TRANSFORMS: dict[str, Callable[..., Data]] = {
    "fft.fft": fft,
    "fft.ifft": ifft,
    "fft.rfft": rfft,
    "fft.irfft": irfft,
    "fft.fftn": _several(FORWARD),
    "fft.ifftn": _several(BACKWARD),
    "fft.fft2": _several(FORWARD, (-2, -1)),
    "fft.ifft2": _several(BACKWARD, (-2, -1)),
    "fft.rfftn": _real(),
    "fft.rfft2": _real((-2, -1)),
    "fft.irfftn": _back_to_real(),
    "fft.irfft2": _back_to_real((-2, -1)),
}
"""The functions of numpy.fft."""
