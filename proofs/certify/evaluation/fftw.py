"""pyfftw: its plans by their specification, on exact arrays and on numbers; on numbers FFTW's own,
where it is installed.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from proofs.certify.evaluation.forms import LINE, memory
from proofs.certify.exact.data import Data, unwrite
from proofs.certify.exact.fourier_by_definition import TRANSFORMS
from proofs.certify.exact.items import gap, past_line
from proofs.certify.language.table_entries import Member, Members, Module, Operation, Undecided
from proofs.certify.language.tables.kinds import Numeric
from proofs.certify.language.tables.numpy_names import spoil
from proofs.certify.language.tables.result_sizes import of_shape
from proofs.certify.rounds.kernels import blank

DIRECTIONS: dict[str, Literal["fft", "ifft"]] = {"FFTW_FORWARD": "fft", "FFTW_BACKWARD": "ifft"}
FLAGS = ("FFTW_ESTIMATE", "FFTW_MEASURE", "FFTW_PATIENT", "FFTW_EXHAUSTIVE", "FFTW_UNALIGNED")


def is_installed() -> bool:
    """Return whether there is a pyfftw to run."""
    return find_spec("pyfftw") is not None


@cache
def _own() -> Any:
    """Return pyfftw itself."""
    return importlib.import_module("pyfftw")


class Plan:
    """A plan of a transform between arrays of one shape and type; planning overwrites both, unless
    it is estimated.

    Arrays that it is called with become its own; what is done by these later is undecided.
    """

    def __init__(
        self,
        input_array: Any,
        output_array: Any,
        axes: Sequence[int] = (-1,),
        direction: str = "FFTW_FORWARD",
        flags: Sequence[str] = ("FFTW_MEASURE",),
        threads: int = 1,
    ) -> None:
        known = len(axes) == 1 and direction in DIRECTIONS and set(flags) <= set(FLAGS)
        if not known or int(threads) != 1:
            words = f"axes {axes}, direction {direction!r}, flags {flags}, threads {threads}"
            raise Undecided(f"pyfftw.FFTW with {words}; it has one axis of complex numbers")
        self.arrays, self.replaced = (input_array, output_array), [False, False]
        self.axis, self.name = int(axes[0]), DIRECTIONS[direction]
        self.kinds = _kinds(*self.arrays)
        self.own: Any = None
        if not isinstance(input_array, Data) and is_installed():
            named = {"axes": tuple(axes), "direction": direction, "flags": tuple(flags)}
            self.own = _own().FFTW(input_array, output_array, **named)
        keeps = set(flags) - {"FFTW_UNALIGNED"} == {"FFTW_ESTIMATE"}
        for array in () if keeps else self.arrays:
            unwrite(array) if isinstance(array, Data) else spoil(array)

    def __call__(
        self, input_array: Any = None, output_array: Any = None, normalise_idft: bool = True
    ) -> Any:
        """Return `output_array`, which receives the transform."""
        given = [
            self.own_array(i) if each is None else each
            for i, each in enumerate((input_array, output_array))
        ]
        self.replaced = [
            was or each is not own
            for was, each, own in zip(self.replaced, given, self.arrays, strict=True)
        ]
        if _kinds(*given) != self.kinds:
            raise ValueError("an FFTW plan is given arrays of another shape or type")
        source, target = given
        if self.own is not None:
            return self.own(source, target, normalise_idft=bool(normalise_idft))
        norm = "backward" if normalise_idft else "forward"  # then the forward one is divided
        if isinstance(source, Data):
            TRANSFORMS[f"fft.{self.name}"](source, axis=self.axis, norm=norm, out=target)
        else:
            getattr(np.fft, self.name)(source, axis=self.axis, norm=norm, out=target)
        return target

    def own_array(self, i: int) -> Any:
        """Return its array of the input (0) or the output (1)."""
        if self.replaced[i]:
            raise Undecided("an array of an FFTW plan that has been called with another one")
        return self.arrays[i]


def _kinds(source: Any, target: Any) -> list[tuple[Any, ...]]:
    """Return shape and type of both arrays; Undecided for those that are not modelled."""
    if type(source) is not type(target) or not isinstance(source, Data | np.ndarray):
        raise Undecided("an FFTW plan of other things than two arrays of one kind")
    one, other = memory(source), memory(target)
    if any(each.dtype.kind != "c" for each in (source, target)):
        raise Undecided("an FFTW plan of other numbers than complex ones")
    if not (one.flags.c_contiguous and other.flags.c_contiguous):
        raise Undecided("an FFTW plan of arrays with gaps")
    if np.may_share_memory(one, other):
        raise Undecided("an FFTW plan from an array to itself")
    return [(each.shape, each.dtype) for each in (source, target)]


def empty_aligned(shape: Any, dtype: Any = "float64", order: Any = "C", n: Any = None) -> Any:
    """Return an array that is not yet written and begins on a line of the cache."""
    if order != "C" or not (n is None or LINE % int(n) == 0):
        raise Undecided(f"pyfftw.empty_aligned with order={order!r}, n={n!r}")
    return blank(np.prod(shape), dtype).reshape(shape)


def is_byte_aligned(array: Any, n: Any = None) -> bool:
    """Return whether an array begins at a multiple of so many bytes; the memory of exact ones
    begins on a line of the cache where nothing else is known.
    """
    if not isinstance(array, Data):
        return bool(array.ctypes.data % (n or LINE) == 0)
    known = past_line(array.items, array.itemsize, array.space)
    first = gap(array.items) * array.itemsize // array.items.itemsize if known is None else known
    return first % (n or LINE) == 0


NAMED = ("input_array", "output_array", "axes", "direction", "flags", "threads")
MODULE: Module = {
    "FFTW": Operation("pyfftw.FFTW", Plan, frozenset(NAMED)),
    "empty_aligned": Numeric(
        "pyfftw.empty_aligned",
        empty_aligned,
        frozenset(("dtype", "order", "n")),
        dtype_at=1,
        guard=of_shape,
    ),
    "is_byte_aligned": Operation("pyfftw.is_byte_aligned", is_byte_aligned, frozenset("n")),
}
"""The names of pyfftw."""
EXECUTE = Operation("FFTW.execute", Plan.__call__)
MEMBERS: Members = {
    Plan: {
        "execute": Member("execute", lambda _: EXECUTE),
        "input_array": Member("input_array", lambda plan: plan.own_array(0)),
        "output_array": Member("output_array", lambda plan: plan.own_array(1)),
    }
}
"""The attributes of its plans."""
