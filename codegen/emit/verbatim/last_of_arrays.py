"""Functions of the last section of programs of arrays, in place of those in last.py."""

from __future__ import annotations

import numpy as np

from codegen.emit.verbatim.given import ARRAY, N


def checked(*indices):
    """Return flat indices as int64, from flat indices or one index per axis; raise ValueError if one is out of range."""
    if len(indices) not in (1, len(ARRAY)):
        raise ValueError(f"{len(indices)} indices: give one flat index, or one for each of the axes {ARRAY}")
    flat = 0
    for index, size in zip(indices, ARRAY if indices[1:] else (N,)):
        j = np.asarray(index)
        for wrong in j[(j < 0) | (j >= size)] if j.dtype.kind in "iu" else j.flat:
            raise ValueError(f"index {wrong}: indices are integers from 0 to {size - 1}")
        flat = flat * size + j.astype(np.int64)
    return flat[()]
