"""Scripts with each form of x and each kind of `out`, by one plan or by one for each, on all ranks
or on some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from proofs.certify.scripts.usage import (
    AS_IT_IS,
    FORMS,
    INTO,
    OUT,
    OWN_READ_ONLY,
    READ_ONLY,
    Do,
    Free,
    Make,
    Script,
    Step,
    given_into,
    in_turn,
)

TIMES = 3
"""So often a use is repeated, where plans change."""


def in_every_state(uses: Sequence[tuple[str, str]]) -> Script:
    """Return each use of a plan three times in a row, by a plan of its own."""
    return repeated(
        [[given_into(Do(0, t, form), into) for t in range(TIMES)] for form, into in uses]
    )


def repeated(uses: Sequence[Sequence[Do]]) -> Script:
    """Return uses of a plan, each by a plan of its own: what a plan keeps may be of one kind when
    it is made, of another after a transform, and alternate from then on.
    """
    script = list[Step]()
    for i, steps in enumerate(uses):
        script += [Make(i), *(replace(step, plan=i) for step in steps), Free(i)]
    return tuple(script)


def in_every_form(orders: int = 0) -> Script:
    """Return each use of a plan once, all by one plan; and each kind of `out` with an x, read-only
    or not, whose axes have one of the other orders.
    """
    plain = product((AS_IT_IS, READ_ONLY, OWN_READ_ONLY), range(1, orders + 1))
    steps = [*(Do(0, 0, form) for form in FORMS), *(Do(0, 0, form, turn=t) for form, t in plain)]
    uses = (given_into(step, into) for step in steps for into in INTO)
    return in_turn((Make(0), *uses, Free(0)))


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
