"""Diagonals by digits as expressions of Python."""

from __future__ import annotations

from typing import Any

from codegen.program.digits.digit_supersteps import Diagonal
from derive.maps.map_expressions import ONE, Expression

View = tuple[dict[str, Any], list[Expression]]
"""What the template prints of a table, and the expressions in it."""


def twiddle(how: Diagonal, P: int, M: int) -> View:
    """Return the power of a root of unity at an offset."""
    texts, expressions, largest = list[str](), list[Expression](), 0
    for i, j, scale in how.terms:
        parts = [part.written([("rank", P), ("o", M)]) for part in (i, j) if part != ONE]
        factors = [each.factor for each in parts] + [f"{scale}"] * (scale > 1)
        texts.append(" * ".join(factors if factors[1:] else map(str, parts)))
        expressions += parts
        largest += i.largest * j.largest * scale
    text = " + ".join(texts)
    whole = f"({text})" if len(texts) > 1 else text
    power = text if largest < how.order else f"{whole} % {how.order}"
    return {
        "needs": ("root_of_unity",),
        "power": power if any(each.uses("o") for each in expressions) else f"o * 0 + {power}",
        "order": how.order,
        "first": 0,
    }, expressions
