"""pyfftw in the text of a program: its plans by their specification, on exact elements and ordinary
numbers alike, or as they are.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, NoReturn

import numpy as np

from codegen.mpi.memory.buffers import poison
from proofs.certify.arrays.storage import Storage
from proofs.certify.forbidden import Forbidden, Unmodelled

NAMES = ("FFTW", "empty_aligned", "is_byte_aligned")
"""What a program may use of pyfftw."""
DIRECTIONS = {"FFTW_FORWARD": np.fft.fft, "FFTW_BACKWARD": np.fft.ifft}
FLAGS = ("FFTW_ESTIMATE", "FFTW_MEASURE", "FFTW_PATIENT", "FFTW_EXHAUSTIVE", "FFTW_UNALIGNED")


def is_installed() -> bool:
    """Return whether there is a pyfftw to run."""
    return find_spec("pyfftw") is not None


def real() -> Mapping[str, Any]:
    """Return pyfftw's own functions."""
    pyfftw = importlib.import_module("pyfftw")

    def empty_aligned(*arguments: Any, **named: Any) -> Any:
        array = pyfftw.empty_aligned(*arguments, **named)
        poison(array)
        return array

    return {name: getattr(pyfftw, name) for name in NAMES} | {"empty_aligned": empty_aligned}


def specified(empty: Callable[..., Any]) -> Mapping[str, Any]:
    """Return what stands for them, where np.empty is this."""

    def empty_aligned(
        shape: Any, dtype: Any = "float64", order: str = "C", n: int | None = None
    ) -> Any:
        return empty(shape, dtype, order)

    def is_byte_aligned(array: Any, n: int | None = None) -> bool:
        return isinstance(array, Storage) or array.ctypes.data % (n or 64) == 0

    return {"FFTW": Planned, "empty_aligned": empty_aligned, "is_byte_aligned": is_byte_aligned}


class Planned:
    """A plan of a transform between arrays of one shape and type; planning overwrites both."""

    def __init__(
        self,
        input_array: Any,
        output_array: Any,
        axes: Sequence[int] = (-1,),
        direction: str = "FFTW_FORWARD",
        flags: Sequence[str] = ("FFTW_MEASURE",),
        threads: int = 1,
        **others: Any,
    ) -> None:
        if others:
            raise Unmodelled(f"pyfftw.FFTW with {', '.join(others)} is not modelled")
        if len(axes) != 1 or direction not in DIRECTIONS or not set(flags) <= set(FLAGS):
            raise Unmodelled(
                f"pyfftw.FFTW with axes {axes}, direction {direction!r}, flags {flags}: one axis of"
                " complex numbers is modelled"
            )
        self._axis, self._transform = axes[0], DIRECTIONS[direction]
        self._kinds = [_kind(array) for array in (input_array, output_array)]
        if np.may_share_memory(_memory(input_array), _memory(output_array)):
            raise Unmodelled(
                "pyfftw.FFTW from an array to itself: a plan from one array to another is modelled"
            )
        for array in (input_array, output_array):
            poison(array)

    def __getattr__(self, name: str) -> NoReturn:
        raise Unmodelled(f"the attribute {name} of a plan of FFTW is not modelled")

    def __call__(self, input_array: Any, output_array: Any, normalise_idft: bool = True) -> Any:
        if [_kind(array) for array in (input_array, output_array)] != self._kinds:
            raise ValueError(
                "an FFTW plan is given arrays of another shape, type or order than it was made for"
            )
        if np.may_share_memory(_memory(input_array), _memory(output_array)):
            raise Forbidden(
                "an FFTW plan from one array to another is given arrays that share memory"
            )
        # then the forward transform is divided instead
        norm: Literal["backward", "forward"] = "backward" if normalise_idft else "forward"
        output_array[...] = self._transform(input_array, axis=self._axis, norm=norm)
        return output_array


def _kind(array: Any) -> tuple[Any, ...]:
    if array.dtype.kind != "c" or not array.flags.c_contiguous:
        raise Forbidden(
            f"an FFTW plan for an array of {array.dtype} with gaps or not: complex numbers side by"
            " side are modelled"
        )
    return array.shape, array.dtype


def _memory(array: Any) -> Any:
    return getattr(array, "parts", array)
