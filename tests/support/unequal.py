"""Programs whose ranks have unequal parts on ranks in CPython."""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.systems.record import Request
from proofs.certify.rounds.sections import prepared
from tests.support.programs import module_of
from tests.support.worlds import run


def on_ranks(request: Request, x: Any) -> Any:
    """Return what the program of a request makes of an array on ranks in CPython; a compiled one
    with plain operations (tests/support/rounds.py, doors).
    """
    program = module_of(prepared(emit(resolve(request))))
    found = np.empty(request.files[1], request.types[1])

    def body(comm: Any) -> None:
        plan, rank = program.plan(comm), comm.rank
        part = x[program.slices(program.INPUT_LAYOUT, rank)]
        before = part.copy()
        y = program.transform(part, plan)
        assert (part == before).all() and y.shape == program.local_output_shape(rank)
        assert (program.transform(part, plan) == y).all()
        found[program.slices(program.OUTPUT_LAYOUT, rank)] = y
        o = np.arange(y.size)
        assert all((program.output_place(program.output_index(rank, o))[0] == rank).tolist())
        assert (program.output_place(program.output_index(rank, o))[1] == o).all()
        plan.free()

    run(request.P, body)
    return found
