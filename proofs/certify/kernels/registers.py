"""The registers of the values of a tape, and the rows that it uses, compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit

from proofs.certify.kernels.tape import ADD, LOAD, MULTIPLY_ADD, PRODUCT, STORE, SUBTRACT, TRANSPOSE

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Return a function that numba compiles when it is first called, and keeps in memory only."""
    made: F = njit(error_model="numpy")(function)
    return made


def inner(function: F) -> F:
    """Return such a function that only other ones call: numba makes no way to it from Python."""
    made: F = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return made


@inner
def _takes_two(operation: Any) -> Any:
    return operation in (ADD, SUBTRACT, MULTIPLY_ADD, PRODUCT)


@inner
def _taken(step: Any, lists: Any, room: Any) -> Any:
    """Put the values that a step takes into the room, and return how many they are."""
    operation, a, b = step[0], step[2], step[3]
    if operation == LOAD:
        return 0
    if operation == TRANSPOSE:
        for k in range(b):
            room[k] = lists[a + k]
        return b
    room[0] = step[1] if operation == STORE else a
    if _takes_two(operation):
        room[1] = b
        return 2
    return 1


@compiled
def registers(steps: Any, lists: Any, values: int) -> Any:
    """Number a register for each value in steps and lists; return how many it takes."""
    last, register, count = np.full(values, -1, np.int64), np.full(values, -1, np.int32), 0
    room, own = np.empty(len(lists) + 2, np.int32), lists.copy()
    for i in range(len(steps)):
        for k in range(_taken(steps[i], lists, room)):
            last[room[k]] = i
    free, spare = np.empty(values, np.int32), 0
    for i in range(len(steps)):
        step, made = steps[i], steps[i, 1]
        taken = _taken(step, lists, room)
        if step[0] != STORE:  # it has no register of those that it takes
            if spare:
                spare -= 1
                register[made] = free[spare]
            else:
                register[made] = count
                count += 1
            room[taken] = made  # free again at once if nothing takes it
            taken += 1
        _renamed(step, own, lists, register)
        for k in range(taken):
            if last[room[k]] <= i:
                last[room[k]] = values + len(steps)  # once
                free[spare] = register[room[k]]
                spare += 1
    lists[:] = own
    return count


@inner
def _renamed(step: Any, own: Any, lists: Any, register: Any) -> None:
    """Put registers in place of the values of a step."""
    operation, a, b = step[0], step[2], step[3]
    step[1] = register[step[1]]
    if operation == TRANSPOSE:
        for k in range(a, a + b):
            own[k] = register[lists[k]]
    elif operation != LOAD and operation != STORE:
        step[2] = register[a]
        if _takes_two(operation):
            step[3] = register[b]


@compiled
def uses(steps: Any, rows: int) -> Any:
    """Return the rows read before they are written, those written, those read after that."""
    first, written = np.zeros(rows, np.bool_), np.zeros(rows, np.bool_)
    again = np.zeros(rows, np.bool_)
    for i in range(len(steps)):
        operation, row, step = steps[i, 0], steps[i, 2], steps[i, 3]
        delta, lanes = steps[i, 4], steps[i, 6]
        if operation != LOAD and operation != STORE:
            continue
        for h in range(1 if operation == STORE and delta < 0 else 2):
            for lane in range(lanes):
                here = row + lane * step + h * delta
                if operation == STORE:
                    written[here] = True
                elif written[here]:
                    again[here] = True
                else:
                    first[here] = True
    return first, written, again
