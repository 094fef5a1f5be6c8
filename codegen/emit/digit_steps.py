"""Supersteps by digits as lines of a node program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codegen.emit import real
from codegen.emit.steps import passes, windows
from codegen.emit.steps.arrays import Operation, Stage, stage
from codegen.emit.steps.computations import fourier, planned
from codegen.emit.tables import Tables
from codegen.kernels.fourier import has_kernel
from codegen.program.digits.real import Untangle
from codegen.program.digits.reflect import Reflect
from codegen.program.digits.steps import Trade, Transform, Turn
from codegen.program.digits.tiles import Tiled
from codegen.program.supersteps import Program
from codegen.spec import EXCHANGES
from derive.digits.radices import DigitPermutation, identity


def stages_of(program: Program, tables: Tables) -> Iterator[Stage]:
    """Yield the supersteps of a program by digits."""
    stages = _stages(program, tables)
    batch_of_reals = program.spec.in_pairs and program.spec.batch
    yield from real.joined(program, stages) if batch_of_reals else stages


def _stages(program: Program, tables: Tables) -> Iterator[Stage]:
    axes = len(program.spec.shape) if program.spec.formula is None else 1
    for step in program.steps:
        if isinstance(step, Untangle):
            yield real.untangling(step, tables)
        if isinstance(step, Reflect):
            yield real.reflecting()
        if isinstance(step, Tiled):
            yield stage(_comment_of_tiles(step, axes), _in_tiles(step, program, tables))
        if isinstance(step, Transform | Trade | Turn):
            yield stage(_comment(step, axes), *_operations(step, program, tables))


def _operations(
    step: Transform | Trade | Turn, program: Program, tables: Tables
) -> Iterator[Operation]:
    """Yield the operations of a superstep; its tables are named."""
    match step:
        case Transform(d=d) if tables.vectors and has_kernel(d):
            yield passes.computing(step, program, tables)
        case Transform():
            if step.diagonal is not None:
                table = tables.name("twiddle", step.diagonal)
                yield {"macro": "multiply", "hops": 0, "table": table, "first": 0}
            if step.d > 1:
                yield _transform(step, program, tables)
        case Turn():
            yield from _turning(step.order)
        case Trade():
            yield from _turning(step.pack)
            yield _sending(step, tables)
            yield from _turning(step.unpack)


def _in_tiles(step: Tiled, program: Program, tables: Tables) -> Operation:
    """Return the operation of transforms in tiles: each is copied to a room of a tile, in which
    kernels work in place. A copy has the next lines loaded in time, the loads of a kernel have not.
    """
    tile = "plan." + tables.name("tile", passes.space(step.size, program, "tile"))
    kernels = [passes.computing(each, program, tables) for each in step.of_tile]
    for kernel in kernels:
        kernel.update(source=tile, target=tile)
    found = {"given": step.source, "made": step.target, "tile": tile, "kernels": kernels}
    return {"macro": "tiles_of", "needs": ("passes",), **found}


def _transform(step: Transform, program: Program, tables: Tables) -> Operation:
    """Return the transform of a digit; the norm of the name of its direction divides by its
    length.
    """
    spec = program.spec
    if spec.kernels == "pyfftw":
        return planned(step.copies, step.d, step.c, tables)
    divided = 1 if spec.norm == "ortho" else 2 * (spec.norm == spec.direction)
    scaled = tables.vectors or spec.formula is not None
    divided = 0 if scaled else divided  # the result is scaled
    made = fourier(step.copies, step.d, step.c, in_place=divided > 0)
    return {**made, "hops": 1, "divided": divided}


def _turning(order: DigitPermutation) -> Iterator[Operation]:
    """Yield the transpose that puts digits in another order, if they move."""
    if len(order.radices) > 1:
        yield {
            "macro": "transpose",
            "shape": order.radices,
            "axes": order.order,
            "turned": order.turned,
        }


def _sending(step: Trade, tables: Tables) -> Operation:
    """Return the exchange of a trade: all-to-all in groups, else by a table of ranks; so are all
    that are no all-to-all.
    """
    if tables.shares:
        tables.name("window", None)
        still = identity(step.pack.size)
        table = tables.name("messages", replace(step, pack=still, unpack=still))
        return {"macro": windows.EXCHANGE, "table": table, "messages": step.messages}
    together = tables.exchange == EXCHANGES[0]
    if tables.mails and together:
        return {"macro": windows.MAIL, "table": tables.name("mail", step)}
    if step.in_groups and together:
        group = step.messages < step.P
        return {"macro": "alltoall", "comm": tables.name("group", step.color) if group else "own"}
    table = tables.name("peers", step)
    if step.P <= step.pack.size and together:
        return {"macro": "counted", "table": table}
    return {"macro": "traded", "needs": ("traded",), "table": table}


def _comment_of_tiles(step: Tiled, axes: int) -> str:
    parts = ", then ".join(_comment(each, axes) for each in step.transforms)
    return f"{parts}, in tiles that fit a cache"


def _comment(step: Transform | Trade | Turn, axes: int) -> str:
    """Return in words what a superstep does, of an array of so many axes."""
    if isinstance(step, Trade):
        leave = ", ".join(str(radix) for _, radix in step.leave)
        enter = ", ".join(str(radix) for _, radix in step.enter)
        return f"digits that change places: {leave} of the rank, {enter} of the offset"
    if isinstance(step, Turn):
        return "digits of the offset in another order"
    if step.d == 1:
        return "twiddles"
    twiddles = "twiddles, then " * (step.diagonal is not None)
    return f"axis {step.axis}: " * (axes > 1) + twiddles + str(step.factor)
