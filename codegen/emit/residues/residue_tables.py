"""Tables of powers of a root of unity modulo a prime, and scratch buffers."""

from __future__ import annotations

from typing import Any

from codegen.emit import digit_forms

POWERS, ROOTS, SCALE, ROOM = KINDS = (
    *("powers_modulo", "roots_modulo"),
    *("scale_modulo", "room_modulo"),
)
"""The kinds of tables: of a diagonal, of a transform, of a factor, and scratch buffers."""
NEEDS = {"words": "twiddles", "needs": ("root_power",)}


def table(kind: str, how: Any, tables: Any) -> dict[str, Any]:
    """Return a table as the template prints it: of a diagonal, or of F_d for a number d, in
    Montgomery's form for compiled kernels.
    """
    if kind == ROOM:
        return {"size": how, "words": "room"}
    if kind == SCALE:
        return {"words": "twiddles"}
    of, compiled = how
    if kind == ROOTS:
        count = of if of & of - 1 else of // 2  # by halves those of the other half are negative
        return {"order": of, "count": count, "compiled": compiled, **NEEDS}
    found, expressions = digit_forms.twiddle(of, *tables.parts)
    tables.expressions += expressions
    return found | NEEDS | {"compiled": compiled}
