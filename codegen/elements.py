"""The types of the elements of a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from derive.call_arguments import perhaps, unknown

NAMED = [np.dtype(code).name for code in f"?{np.typecodes['AllInteger']}{np.typecodes['AllFloat']}"]
"""The names of numpy that an unknown one is compared with."""


def fixed_size(name: DTypeLike) -> np.dtype[Any]:
    """Return the dtype that numpy gives a name, or what else it takes for one: float64, complex64,
    S5, "i4,f8" for a record.

    Raises ValueError for no dtype, one of Python objects, and one without bytes.

    >>> fixed_size("i4,f8").itemsize
    12
    """
    if name is None:
        raise ValueError("dtype is missing; give one such as 'float64'")
    try:
        dtype = np.dtype(name)
    except (TypeError, ValueError, SyntaxError) as error:
        raise ValueError(
            f"unknown dtype {str(name)!r}{perhaps(name, NAMED)}: use a name that numpy knows, such"
            " as float64 or i4,f8"
        ) from error
    if dtype.hasobject or dtype.itemsize == 0 or dtype.shape:
        raise ValueError(f"dtype must have a fixed size and no shape; got {str(name)!r}")
    return dtype


def dtype_name(dtype: DTypeLike) -> str:
    """Return the name of a dtype, for what numpy takes for one; a text is a name already.

    Raises ValueError as `fixed_size` does.

    >>> dtype_name(np.complex64), dtype_name("i4,f8"), dtype_name(np.dtype("S5"))
    ('complex64', 'i4,f8', '|S5')
    """
    if isinstance(dtype, str):
        return dtype
    found = fixed_size(dtype)
    if found.names:
        return ",".join(found[name].str for name in found.names)
    return found.name if found.kind in "biufc" and found.isnative else found.str


def check_dtype(known: Sequence[str], name: str) -> None:
    """Raise ValueError for a type that is none of these; where there are none, every dtype of fixed
    size is right.
    """
    if not known:
        fixed_size(name)
    elif name not in known:
        raise unknown("dtype", name, known, rule="choose from")
