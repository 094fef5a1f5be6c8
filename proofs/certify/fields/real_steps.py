"""The supersteps of programs whose complex numbers are made of two real elements, over a field.

A pair of elements E + iO is followed twice: with a root of unity, where i is iota, and with the
inverse root, where i is -iota, which gives the conjugate. Its real and its imaginary part follow
from both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from codegen.program.protocol import PAIR, Step
from codegen.program.reals.untangle import Untangle
from codegen.program.supersteps import Program
from derive.exact.residues import Residues

Values = NDArray[np.int64]
"""Elements in a field, of shape (elements, 2), two vectors at once; or tokens, (elements, 1)."""
Stage = tuple[Step, Values, Values]
"""A step with the elements before it and after it, by storage address."""
Pair = tuple[Values, Values]
"""Elements with a root of unity, and with its inverse."""


def stages(program: Program, x: Values, ring: Residues, iota: int) -> Iterator[Stage]:
    """Yield the steps of a program, with what each makes of the elements before it."""
    if all(step.unit != PAIR for step in program.steps):
        for step in program.steps:
            y = step.interpret(x, ring)
            yield step, x, y
            x = y
        return
    q = ring.field.q
    other = replace(ring, field=replace(ring.field, w=pow(ring.field.w, -1, q)))
    rings = ring, other
    both: Pair = x, x
    for step in program.steps:
        before = _elements(both, iota, q)
        if isinstance(step, Untangle):
            both = _untangled(step, both, rings, iota)
        else:
            form = (-1, 2, x.shape[-1]) if step.unit == PAIR else x.shape
            one, two = (each.reshape(form) for each in both)
            both = step.interpret(one, ring), step.interpret(two, other)
        yield step, before, _elements(both, iota, q)


def _pairs(values: Values) -> Values:
    return values.reshape(-1, 2, values.shape[-1])


def _numbers(both: Pair, iota: int, q: int) -> Pair:
    """Return E + iO, and its conjugate."""
    one, other = map(_pairs, both)
    return (one[:, 0] + iota * one[:, 1]) % q, (other[:, 0] + (q - iota) * other[:, 1]) % q


def _elements(both: Pair, iota: int, q: int) -> Values:
    """Return the real and the imaginary parts, one after the other."""
    one, other = _numbers(both, iota, q)
    parts = (one + other) * pow(2, -1, q) % q, (one + q - other) % q * pow(2 * iota, -1, q) % q
    return np.stack(parts, axis=1).reshape(-1, one.shape[-1])


def _untangled(step: Untangle, both: Pair, rings: tuple[Residues, Residues], iota: int) -> Pair:
    """Return X_m = E_m + w^m O_m, and X_0 and X_(N/2) as the first pair; where `back`, E and O."""
    q, first = rings[0].field.q, step.pairs == 0
    N, half = step.M * step.P // step.arrays, pow(2, -1, q)
    numbers, ends = _numbers(both, iota, q), _pairs(_elements(both, iota, q))

    def forward(i: int) -> Values:
        E, O = np.moveaxis(_pairs(both[i]), 1, 0)
        pair = np.stack([(E + rings[i].twist(O, step.pairs, N)) % q, 0 * E], axis=1)
        pair[first] = np.stack([(E + O) % q, (E + q - O) % q], axis=1)[first]
        return pair

    def backward(i: int) -> Values:
        X, C = numbers[i].copy(), numbers[1 - i][step.opposite]
        X[first], C[first] = ends[first, 0], ends[first, 1]
        O = rings[i].twist((X + q - C) % q * half % q, step.pairs, N)
        return np.stack([(X + C) * half % q, O], axis=1)

    act = backward if step.back else forward
    return act(0), act(1)
