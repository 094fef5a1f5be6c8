"""Invalid arguments: of `transform` and `convolve`, and of the place functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np


class Arguments(NamedTuple):
    """What is given to `transform`; with y, to `convolve`. A rank may have a freed plan, too."""

    x: Any
    plan: Any
    out: Any
    freed: Any
    y: Any = None

    @property
    def right(self) -> Arguments:
        """The arguments of a call into a new array."""
        return self._replace(out=None)


FREED = "a freed plan"
"""The case for which ranks have a plan that is freed."""
Case = Callable[[Arguments], Arguments]
"""What makes one of right arguments invalid."""


def with_x(change: Callable[[Any], Any]) -> Case:
    """Return arguments of which x is changed."""
    return lambda given: given.right._replace(x=change(given.x))


def with_out(change: Callable[[Any], Any]) -> Case:
    """Return arguments of which `out` is changed."""
    return lambda given: given.right._replace(out=change(given.out))


def with_both(cases: dict[str, Case]) -> dict[str, Case]:
    """Return these cases, and those of them that are about x with y in its place."""
    found = dict(cases)
    for name, case in cases.items():
        if (other := re.sub(r"\bx\b", "y", re.sub(r"\ban x\b", "a y", name))) != name:
            found[other] = partial(_exchanged, case)
    return found


def _exchanged(case: Case, given: Arguments) -> Arguments:
    found = case(given._replace(x=given.y, y=given.x))
    return found._replace(x=found.y, y=found.x)


def _longer(x: Any) -> Any:
    return np.concatenate([x, x[:1]]) if len(x) else np.zeros((1, *x.shape[1:]), x.dtype)


def _of_another_dtype(x: Any) -> Any:
    return np.zeros(x.shape, np.int16 if x.dtype != np.int16 else np.int32)


def _with_nan(x: Any) -> Any:
    found = x.copy()
    found.reshape(-1)[:1] = np.nan if x.dtype.kind in "fc" else x.reshape(-1)[:1]
    return found


def _read_only(out: Any) -> Any:
    found = np.concatenate([out, out])[: len(out)]
    found.flags.writeable = False
    return found


def _own_read_only(out: Any) -> Any:
    found = out.copy()
    found.flags.writeable = False
    return found


def _of(kind: str) -> Callable[[Any], Any]:
    return lambda x: np.zeros(x.shape, kind)


WRONG: dict[str, Case] = {
    "an x with more elements": with_x(_longer),
    "an x with fewer elements": with_x(lambda x: x[:-1] if len(x) else x[None]),
    "an x with another axis": with_x(lambda x: x[..., None]),
    "an x of another dtype": with_x(_of_another_dtype),
    "a list as x": with_x(lambda x: x.tolist()),
    "an out with more elements": with_out(_longer),
    "an out with another axis": with_out(lambda out: out[..., None]),
    "an out of another dtype": with_out(_of_another_dtype),
    "an out that is read-only": with_out(_read_only),
    "x as out": lambda given: given.right._replace(out=given.x),
    "a string as the plan": lambda given: given.right._replace(plan="plan"),
    FREED: lambda given: given.right._replace(plan=given.freed),
}
"""What generated programs refuse."""
OTHERS = ("int32", "int64", "float32", "float64", "complex64", "complex128")
CHARACTERS = "?bBhHiIlLqQefdgFDG"
"""The types of numbers of numpy."""
SWAPPED = (">i4", ">f8", ">c8", ">c16")
"""Some of them in the other byte order."""


def _called(kind: str) -> str:
    """Return what a message calls a type of numbers.

    >>> _called("Q"), _called(">f8")
    ("uint64, 'Q'", "float64, '>f8'")
    """
    return f"{np.dtype(kind).name}, {kind!r}"


ASKED: dict[str, Case] = {
    "an x with a NaN": with_x(_with_nan),
    "an x with no element": with_x(lambda x: x[:0]),
    "an x with seven elements": with_x(lambda x: np.zeros(7, x.dtype)),
    "an x with two axes": with_x(lambda x: x.reshape(1, -1)),
    "an x with three axes": with_x(lambda x: x.reshape(1, 1, -1)),
    **{f"an x of {_called(kind)}": with_x(_of(kind)) for kind in (*CHARACTERS, *SWAPPED)},
    "an out with fewer elements": with_out(lambda out: out[:-1]),
    "an out with two elements more": with_out(
        lambda out: np.resize(out, (len(out) + 2, *out.shape[1:]))
    ),
    "an out that is read-only, in an array of its own": with_out(_own_read_only),
    **{f"an out of {kind}": with_out(_of(kind)) for kind in OTHERS},
    "None as the plan": lambda given: given.right._replace(plan=None),
}
"""What a program may refuse as well."""
PLACES = (
    *(-1, -2, 0.5, 1.0, True, 2**32, 2**63 - 1, -(2**63), np.int8(-1)),
    *(np.array([0.0, 1.0]), np.array([False, True])),
    *map(np.uint64, (2**32, 2**63, 2**64 - 1)),
)
"""What is no index of any program; those near N are tried as well."""


def no_index(N: int) -> tuple[Any, ...]:
    """Return what is no index of N elements, or no integer."""
    near = (N, N + 1, 2 * N, -N, np.array([0, N]), np.array([-1, 0]))
    return (*near, np.array([N], np.min_scalar_type(N)), *PLACES)


def outside(axes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield indices of arrays of several axes of which one is outside."""
    for axis, n in enumerate(axes if len(axes) > 1 else ()):
        for outside in (-1, n):
            yield tuple(outside if i == axis else 0 for i in range(len(axes)))
