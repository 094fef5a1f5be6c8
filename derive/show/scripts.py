"""Captions in Unicode: L^64_4 is L⁶⁴₄."""

from __future__ import annotations

import re

ABOVE = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
BELOW = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
_MATRIX = re.compile(
    r"(?<![^\W\d_])(?P<base>[^\W_]|\))(?P<scripts>(?:[_^](?:\{[-+\d,]+\}|-?\d+)(?![\w/]*[a-z]))+)"
)
_SCRIPT = re.compile(r"([_^])\{?([-+\d,]+)\}?")


def in_unicode(text: str) -> str:
    """Return a text in which scripts of numbers are raised and lowered characters; others stay.

    >>> print(in_unicode("Γ_{4,4,64}^-1 (I_4 ⊗ F_16) T^64_16: N = 2^10, 2^n, A^{1/2}, name_2.txt"))
    Γ₄,₄,₆₄⁻¹ (I₄ ⊗ F₁₆) T⁶⁴₁₆: N = 2¹⁰, 2^n, A^{1/2}, name_2.txt
    """
    return _MATRIX.sub(lambda found: found["base"] + _SCRIPT.sub(_set, found["scripts"]), text)


def _set(script: re.Match[str]) -> str:
    return script[2].translate(ABOVE if script[1] == "^" else BELOW)
