"""Values and texts as they stand in a program."""

import json
from math import prod
from typing import Any

from codegen.systems.record import Request


def quoted(text: str) -> str:
    """Return a text as a literal of Python."""
    return json.dumps(text, ensure_ascii=False)


def literal(value: Any) -> str:
    """Return numbers, texts, tuples of such and None as they stand in a program.

    >>> literal(("take", (2, 1), (2,), 0, None))
    '("take", (2, 1), (2,), 0, None)'
    """
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    return quoted(value) if isinstance(value, str) else repr(value)


def escaped(text: str) -> str:
    """Return a text as it stands in a docstring or a comment, on one line: names of files may hold
    anything.
    """
    return quoted(text)[1:-1]


def factor_of(request: Request) -> str:
    """Return the factor on the matrix of a transform, in words."""
    shape = request.shape or (request.N,)
    points = prod(shape[axis] for axis in request.transformed)
    factors = {"ortho": f"{points}^(-1/2) ", request.direction: f"1/{points} "}
    return factors.get(request.norm, "")


def half_spectrum(request: Request) -> str:
    """Return in words that a result is half of the spectrum of real elements."""
    return f"the half spectrum y of X = {factor_of(request)}F_{request.N} x"
