"""Whether a program is too large to be decided, from the constants in its source."""

from __future__ import annotations

import ast

import numpy as np

from nodewright.runtime.launch import assigned
from proofs.certify.declaration import FUNCTIONS, SHAPES, BeyondReach
from proofs.certify.declared_constants import CONSTANTS, check_reach, declared


def beyond_reach(source: str) -> str:
    """Return why `certify` leaves an emitted program undecided: the size and its limit; "" where it
    is within all limits.

    >>> beyond_reach('TRANSFORM, N, P, M = "hypercube-fft", 2**3, 2, 4')
    ''
    """
    constants = {k: v for k, v in assigned(ast.parse(source)) if k in CONSTANTS}
    if "DTYPE" in constants:
        constants["DTYPE"] = np.dtype(constants["DTYPE"])
    try:
        check_reach(
            declared(constants | dict.fromkeys((*FUNCTIONS, *SHAPES.values()))), ones_own=False
        )
    except BeyondReach as error:
        return str(error)
    except ValueError:  # which certify says of a program that is incomplete
        return ""
    return ""
