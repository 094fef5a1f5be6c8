"""Arrays through programs by digits on ranks in CPython, and through numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.systems.record import Request
from tests.support.programs import module_of
from tests.support.worlds import run


def hartley(x: Any, axes: Any, **more: Any) -> Any:
    """Return the Hartley transforms along axes, one after the other."""
    for axis in axes:
        X = np.fft.fft(x, axis=axis, **more)
        x = X.real - X.imag
    return x


def transformed(asked: Request, x: Any) -> Any:
    """Return what the program of a request makes of an array on ranks in CPython."""
    program, found = module_of(emit(resolve(asked))), np.empty_like(x)

    def body(comm: Any) -> None:
        plan, every = program.plan(comm), np.arange(asked.M)
        part = x.reshape(-1)[program.input_index(comm.rank, every)]
        y = program.transform(part.reshape(program.LOCAL_INPUT), plan)
        found.reshape(-1)[program.output_index(comm.rank, every)] = y.reshape(-1)
        plan.free()

    run(asked.P, body)
    return found
