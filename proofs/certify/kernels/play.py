"""What the steps of a tape (tape.py) do to numbers, compiled: residues of GF(q) for several stimuli
at once, or ordinary numbers.

Each value has a register from the step that makes it to the last one that takes it. A register
holds W real parts, then W imaginary ones, each for all stimuli; and of residues the bounds of a
`Past` (proofs/certify/arrays/residue_arrays.py): magnitude, halves, exchanges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from proofs.certify.kernels.registers import compiled, inner, registers, uses
from proofs.certify.kernels.tape import (
    ADD,
    BEND,
    EVERY,
    LOAD,
    MIRROR,
    MOST_LANES,
    MULTIPLY_ADD,
    PRODUCT,
    STORE,
    SUBTRACT,
    TIMES,
    TRANSPOSE,
    TURN,
)

MAGNITUDE, HALVES, BOUNDS = 0, 1, 3


@inner
def _load(step: Any, r: Any, past: Any, memory: Any, bounds: Any, exact: Any, q: Any) -> None:
    out, row, gap, delta, listed, lanes = step[1], step[2], step[3], step[4], step[5], step[6]
    K = memory.shape[1]
    for h in range(2):
        for lane in range(lanes):
            here = row + lane * gap + h * delta
            for k in range(K):
                found = memory[here, k]
                r[out, h, lane * K + k] = found + q if exact and found < 0 else found
            if exact:
                for n in range(BOUNDS):
                    past[out, n] = (
                        bounds[here, n] if h + lane == 0 else max(past[out, n], bounds[here, n])
                    )
    if exact and listed:
        past[out, MAGNITUDE] += 1


@inner
def _store(step: Any, r: Any, past: Any, memory: Any, bounds: Any, exact: Any) -> None:
    value, row, gap, delta, listed, lanes = step[1], step[2], step[3], step[4], step[5], step[6]
    K = memory.shape[1]
    for h in range(2):
        if delta < 0 and h != -1 - delta:
            continue
        for lane in range(lanes):
            here = row + lane * gap + h * max(delta, 0)
            for k in range(K):
                memory[here, k] = r[value, h, lane * K + k]
            if exact:
                for n in range(BOUNDS):
                    bounds[here, n] = past[value, n]
                bounds[here, HALVES] += listed


@inner
def _transpose(step: Any, lists: Any, r: Any, past: Any, K: Any) -> None:
    out, start, count, block, place, lanes = step[1], step[2], step[3], step[4], step[5], step[6]
    for lane in range(lanes):
        source = lists[start + block + lane]
        for h in range(2):
            for k in range(K):
                r[out, h, lane * K + k] = r[source, h, place * K + k]
    for n in range(BOUNDS):
        past[out, n] = past[lists[start], n]
        for k in range(start + 1, start + count):
            past[out, n] = max(past[out, n], past[lists[k], n])


@inner
def _sum(
    step: Any,
    r: Any,
    past: Any,
    factors: Any,
    factor_bounds: Any,
    K: Any,
    q: Any,
    plus: Any,
    minus: Any,
    times: Any,
) -> None:
    operation, out, a, b, c, size = step[0], step[1], step[2], step[3], step[4], step[6] * K
    for h in range(2):
        if operation == ADD:
            for j in range(size):
                r[out, h, j] = plus(r[a, h, j], r[b, h, j], q)
        elif operation == SUBTRACT:
            for j in range(size):
                r[out, h, j] = minus(r[a, h, j], r[b, h, j], q)
        else:
            for j in range(size):
                r[out, h, j] = plus(times(r[a, h, j], factors[c], q), r[b, h, j], q)
    for n in range(BOUNDS):
        past[out, n] = past[a, n]
    if operation == MULTIPLY_ADD:
        past[out, MAGNITUDE] += factor_bounds[c, MAGNITUDE]
        past[out, HALVES] += factor_bounds[c, HALVES]
    for n in range(BOUNDS):
        past[out, n] = max(past[out, n], past[b, n])
    past[out, MAGNITUDE] += 1


@inner
def _source(operation: Any, b: Any, c: Any, lanes: Any) -> Any:
    """Return from which lane the first real part comes, how far the next is, and the same for
    imaginary parts.
    """
    if operation == MIRROR:
        return lanes - 1, -1, lanes - 1, -1
    if operation == BEND:
        return 0, 1, lanes - 1, -1
    if operation == EVERY:
        return c, b, c, b
    return 0, 0, 0, 0


@inner
def _moved(step: Any, r: Any, past: Any, K: Any, q: Any, turned: Any) -> None:
    operation, out, a, lanes = step[0], step[1], step[2], step[6]
    re, re_gap, im, im_gap = _source(operation, step[3], step[4], lanes)
    sign = -1 if operation == MIRROR else 1
    for lane in range(lanes):
        for k in range(K):
            r[out, 0, lane * K + k] = r[a, 0, (re + lane * re_gap) * K + k]
            r[out, 1, lane * K + k] = turned(r[a, 1, (im + lane * im_gap) * K + k], sign, q)
    for n in range(BOUNDS):
        past[out, n] = past[a, n]
    if operation == BEND:
        past[out, MAGNITUDE] += 1
        past[out, HALVES] += 1


@inner
def _turn(step: Any, r: Any, past: Any, K: Any, q: Any, turned: Any) -> None:
    out, a, sign = step[1], step[2], step[3]
    for j in range(step[6] * K):
        r[out, 0, j] = turned(r[a, 1, j], -sign, q)
        r[out, 1, j] = turned(r[a, 0, j], sign, q)
    for n in range(BOUNDS):
        past[out, n] = past[a, n]


@inner
def _times(
    step: Any,
    r: Any,
    past: Any,
    entries: Any,
    entry_bounds: Any,
    K: Any,
    q: Any,
    turned: Any,
    both: Any,
) -> None:
    out, a, entry, gap, group = step[1], step[2], step[3], step[4], step[5]
    for lane in range(step[6]):
        x, y = entries[entry + lane * gap, 0], entries[entry + lane * gap, 1]
        for j in range(lane * K, lane * K + K):
            r[out, 0, j] = both(r[a, 0, j], x, r[a, 1, j], turned(y, -1, q), q)
            r[out, 1, j] = both(r[a, 0, j], y, r[a, 1, j], x, q)
    for n in range(BOUNDS):
        past[out, n] = past[a, n]
    past[out, MAGNITUDE] += entry_bounds[group, MAGNITUDE]
    past[out, HALVES] += entry_bounds[group, HALVES]


@inner
def _product(step: Any, r: Any, K: Any, q: Any, turned: Any, both: Any) -> None:
    out, a, b = step[1], step[2], step[3]
    for j in range(step[6] * K):
        re, im, x, y = r[a, 0, j], r[a, 1, j], r[b, 0, j], r[b, 1, j]
        r[out, 0, j] = both(re, x, im, turned(y, -1, q), q)
        r[out, 1, j] = both(re, y, im, x, q)


@compiled
def _done(
    steps: Any,
    lists: Any,
    count: Any,
    memory: Any,
    bounds: Any,
    constants: Any,
    q: Any,
    plus: Any,
    minus: Any,
    times: Any,
    turned: Any,
    both: Any,
) -> None:
    """Do all steps; with q = 0 in ordinary numbers, without bounds."""
    entries, entry_bounds, factors, factor_bounds = constants
    K, exact = memory.shape[1], q != 0
    r, past = np.zeros((count, 2, MOST_LANES * K), memory.dtype), np.zeros((count, BOUNDS))
    for i in range(len(steps)):
        step, operation = steps[i], steps[i, 0]
        if operation == LOAD:
            _load(step, r, past, memory, bounds, exact, q)
        elif operation == STORE:
            _store(step, r, past, memory, bounds, exact)
        elif operation == TRANSPOSE:
            _transpose(step, lists, r, past, K)
        elif operation in (ADD, SUBTRACT, MULTIPLY_ADD):
            _sum(step, r, past, factors, factor_bounds, K, q, plus, minus, times)
        elif operation == TIMES:
            _times(step, r, past, entries, entry_bounds, K, q, turned, both)
        elif operation == PRODUCT:
            _product(step, r, K, q, turned, both)
        elif operation == TURN:
            _turn(step, r, past, K, q, turned)
        else:
            _moved(step, r, past, K, q, turned)


@inner
def _plus_modulo(a: Any, b: Any, q: Any) -> Any:
    return a + b - q if a + b >= q else a + b


@inner
def _minus_modulo(a: Any, b: Any, q: Any) -> Any:
    return a - b + q if a < b else a - b


@inner
def _times_modulo(a: Any, b: Any, q: Any) -> Any:
    return np.int64(np.uint64(a) * np.uint64(b) % np.uint64(q))


@inner
def _turned_modulo(a: Any, sign: Any, q: Any) -> Any:
    return q - a if sign < 0 and a > 0 else a


@inner
def _both_modulo(a: Any, c: Any, b: Any, d: Any, q: Any) -> Any:
    return np.int64((np.uint64(a) * np.uint64(c) + np.uint64(b) * np.uint64(d)) % np.uint64(q))


@inner
def _plus(a: Any, b: Any, q: Any) -> Any:
    return a + b


@inner
def _minus(a: Any, b: Any, q: Any) -> Any:
    return a - b


@inner
def _times_of_two(a: Any, b: Any, q: Any) -> Any:
    return a * b


@inner
def _turned(a: Any, sign: Any, q: Any) -> Any:
    return -a if sign < 0 else a


@inner
def _both(a: Any, c: Any, b: Any, d: Any, q: Any) -> Any:
    return a * c + b * d


def exactly(
    steps: Any, lists: Any, count: int, memory: Any, bounds: Any, constants: Any, q: int
) -> None:
    """Do steps to residues modulo q in rows of memory, which have bounds.

    Constants are the residues and bounds of entries, and of factors.
    """
    _done(
        steps,
        lists,
        count,
        memory,
        bounds,
        constants,
        q,
        _plus_modulo,
        _minus_modulo,
        _times_modulo,
        _turned_modulo,
        _both_modulo,
    )


def roughly(steps: Any, lists: Any, count: int, memory: Any, factors: Any) -> None:
    """Do steps to ordinary numbers in rows of memory."""
    none = np.zeros((1, BOUNDS))
    _done(
        steps,
        lists,
        count,
        memory,
        none,
        (memory[:1], none, factors, none),
        0,
        _plus,
        _minus,
        _times_of_two,
        _turned,
        _both,
    )


def prepare() -> None:
    """Have compiled what is done in every run, which takes some seconds, by steps that do nothing;
    steps on ordinary numbers are those of one run.
    """
    steps, lists = np.zeros((0, 7), np.int32), np.zeros(0, np.int32)
    bounds, one = np.zeros((1, BOUNDS)), np.zeros(1, np.int64)
    registers(steps, lists, 0)
    uses(steps, 0)
    constants = np.zeros((1, 2), np.int64), bounds, one, bounds
    exactly(steps, lists, 0, np.zeros((1, 1), np.int64), bounds, constants, 7)
