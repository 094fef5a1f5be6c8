"""Stores past the caches: which arrays they may go to, and what puts them in order before what
follows.

It is part of the text of programs that have such stores, as codegen/kernels/host.py is.
"""

from __future__ import annotations

from typing import Any

from codegen.kernels.host import address, intrinsic, operation, types

# What follows stands in emitted programs, byte for byte.


def begins_on_line(array: Any) -> bool:
    """Return whether an array can be written with streaming stores."""
    return address(array) % 64 == 0


@intrinsic
def fence(typing: Any) -> Any:
    """Order all streaming stores before later ones, by mfence or a locked instruction on x86."""
    return operation(types.void, lambda b: b.fence("seq_cst"), 0)
