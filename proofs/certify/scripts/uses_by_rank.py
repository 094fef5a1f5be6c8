"""Scripts whose transforms are used in another way on some of the ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proofs.certify.scripts.usage import OUT, Do, Free, Make, Script


def on_some_ranks(forms: Sequence[str]) -> Script:
    """Return each of these forms with and without `out`, by one plan: on all ranks, on rank 0
    alone, and the form on other ranks than the `out`.
    """
    some = [
        step
        for form in forms
        for step in (Do(0, 0, form), Do(0, 0, form, OUT), Do(0, 0, form, OUT, mixed=True))
    ]
    every = [each for step in some for each in (step, replace(step, alone=not step.mixed))]
    steps = (replace(step, vector=i % 2) for i, step in enumerate(dict.fromkeys(every)))
    return (Make(0), *steps, Free(0))
