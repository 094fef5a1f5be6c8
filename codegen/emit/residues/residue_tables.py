"""Tables of powers of a root of unity modulo a prime."""

from __future__ import annotations

from typing import Any

from codegen.emit import digit_forms

POWERS, ROOTS = KINDS = ("powers_modulo", "roots_modulo")
"""The kinds of tables: of a diagonal, and of a transform."""
NEEDS = {"words": "twiddles", "needs": ("root_power",)}


def table(kind: str, how: Any, tables: Any) -> dict[str, Any]:
    """Return a table as the template prints it: of a diagonal, or of F_d for a number d."""
    if kind == ROOTS:
        return {"order": how, "count": how // 2, **NEEDS}
    found, expressions = digit_forms.twiddle(how, *tables.parts)
    tables.expressions += expressions
    return found | NEEDS
