"""Heads of programs whose ranks have unequal parts: where elements are, and shapes."""

from __future__ import annotations

from typing import Any

from codegen.program.supersteps import Program
from proofs.certify.ends.digit_ends import SIDES


def lines(d: Any, program: Program) -> dict[str, list[str]]:
    """Return the lines that begin with a name of their own, by that, each in all its forms."""
    ends = zip(SIDES, (program.input, program.output), "xy", strict=True)
    found = {
        side.title(): [f"{side.title():8}{getattr(d, side)}: {layout.words(x)}"]  # type: ignore[attr-defined]
        for side, layout, x in ends
    }
    wholes = dict.fromkeys(str(d.whole_of(side)) for side in SIDES)
    before, after = (d.part(side, 0) for side in SIDES)
    others = "local_shape and local_output_shape say what the others have"
    shapes = f"{' to '.join(wholes)}; rank 0 has {before} before and {after} after, {others}"
    return found | {"Arrays": [f"Arrays  of shape {shapes}"]}
