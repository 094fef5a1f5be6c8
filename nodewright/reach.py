"""Whether a program is too large to be decided, from the constants in its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np

from proofs.certify.declaration import FUNCTIONS
from proofs.certify.reading import CONSTANTS, BeyondReach, check_reach, declared


def beyond_reach(source: str) -> str:
    """Return why `certify` leaves an emitted program undecided: the size and its limit; "" where it
    is within all limits.

    >>> beyond_reach('TRANSFORM, N, P, M = "hypercube-fft", 2**3, 2, 4')
    ''
    """
    constants = dict(_constants(ast.parse(source)))
    try:
        check_reach(declared(constants | dict.fromkeys(FUNCTIONS)), ones_own=False)
    except BeyondReach as error:
        return str(error)
    except ValueError:  # which certify says of a program that is incomplete
        return ""
    return ""


def _constants(module: ast.Module) -> Iterator[tuple[str, Any]]:
    """Yield the constants of a contract with their values."""
    for node in module.body:
        if isinstance(node, ast.Assign):
            for names in node.targets:
                yield from _values(names, node.value)


def _values(names: ast.expr, value: ast.expr) -> Iterator[tuple[str, Any]]:
    match names, value:
        case ast.Tuple(several), ast.Tuple(given) if len(several) == len(given):
            for each in zip(several, given, strict=True):
                yield from _values(*each)
        case ast.Name("DTYPE"), ast.Call(ast.Attribute(ast.Name("np"), "dtype"), [given]):
            yield "DTYPE", np.dtype(ast.literal_eval(given))
        case ast.Name(name), _ if name in CONSTANTS:
            try:
                yield name, ast.literal_eval(value)
            except ValueError:  # it is computed
                return
