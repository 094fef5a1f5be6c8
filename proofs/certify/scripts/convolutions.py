"""How the function `convolve` of a program is used in a run, by itself and among transforms.

Vectors 0, 1 and 2 are those of convolutions (hartley_sums.py); the others are transformed.
"""

from __future__ import annotations

from collections.abc import Collection

from proofs.certify.scripts.every_use import TIMES, repeated
from proofs.certify.scripts.usage import (
    AS_IT_IS,
    FORMS,
    GAPS,
    INTO,
    NO_OUT,
    OUT,
    PART,
    REVERSED,
    SHARED,
    Do,
    Free,
    Make,
    Script,
    given_into,
)

TRANSFORMED = (3, 4)
"""The vectors that are transformed in the script of both operations."""
ONE, SELF = Do(0, 0, other=1), Do(0, 2, other=2)
"""A vector convolved with another one, and with itself."""
CONVOLVED: Script = (
    *(Make(0), ONE, Make(1), Do(1, 2, other=2), SELF),
    *(Free(1), Do(0, 0, into=OUT, other=1), Free(0)),
)
"""Vectors convolved, one with itself, by two plans, one of them used three times."""
SQUARED: Script = (*CONVOLVED[:-1], Do(0, 1, other=1), CONVOLVED[-1])
"""The same, and the second vector with itself."""
T, U = (Do(0, vector) for vector in TRANSFORMED)
BOTH: Script = (
    *(Make(0), T, ONE, Make(1), U, T, SELF, ONE),
    *(Do(1, 0, into=OUT, other=1), Do(0, 3, into=OUT), Do(0, 0, into=OUT, other=1), U),
    *(Do(1, 4), SELF, Do(1, 3), T, Do(1, 2, other=2), Free(1), ONE, U, Free(0)),
)
"""Transforms and convolutions by one plan, each after each; and by another one meanwhile, which
begins with a convolution.
"""
ELSEWHERE: Script = (
    *(Make(0, PART), Make(1, REVERSED), ONE, Do(1, 2, other=2), Do(1, 3), Free(1), T),
    *(Do(0, 0, other=1), Free(0)),
)
"""The same by plans on some of the ranks, in two orders."""


def convolved(kinds: Collection[str] = INTO) -> Script:
    """Return vectors convolved by one plan into each kind of `out`: with another one, with itself,
    and with itself in another array of the same memory; in every form of one of both into these
    kinds of `out`; and where some ranks alone are given an array of the caller's, or one in another
    form.
    """
    steps = [ONE, SELF, Do(0, 2, other=2, other_form=SHARED)]
    some = [
        Do(0, 0, other=1, into=OUT, mixed=True),
        Do(0, 0, GAPS, OUT, other=1, mixed=True),
        Do(0, 0, into=OUT, other=1, other_form=GAPS, mixed=True),
    ]
    uses = [given_into(step, into) for step in steps for into in INTO]
    for form in FORMS if kinds else ():
        uses += [given_into(step, into) for step in _in_form(form) for into in kinds]
    return (Make(0), *uses, *some[: 1 + 2 * bool(kinds)], Free(0))


def convolved_in_every_state() -> Script:
    """Return each form of both vectors, and each kind of `out`, three times in a row by a plan of
    its own.
    """
    forms = [Do(0, 0, form, other=1, other_form=form) for form in FORMS]
    uses = [*forms, *(given_into(ONE, into) for into in INTO if into != NO_OUT)]
    return repeated([[use] * TIMES for use in uses])


def _in_form(form: str) -> list[Do]:
    """Return convolutions of which one vector, or that with itself, is in this form."""
    second = [] if form == AS_IT_IS else [Do(0, 0, other=1, other_form=form)]
    return [Do(0, 0, form, other=1), *second, Do(0, 2, form, other=2)]
