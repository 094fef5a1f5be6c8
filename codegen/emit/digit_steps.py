"""Supersteps as lines of a node program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import Any

from codegen.emit import direct_sum_lines, real
from codegen.emit.residues import residue_lines
from codegen.emit.steps import (
    channels,
    computations,
    fourier_passes,
    generalized,
    hartley_kernels,
    hartley_lines,
    move_lines,
    own_functions,
)
from codegen.emit.steps.array_names import Operation, Stage, stage
from codegen.emit.tables import Tables
from codegen.emit.words import escaped
from codegen.kernels.fourier_kernels import has_kernel
from codegen.kernels.loops import total
from codegen.program.bits.bit_moves import Move
from codegen.program.digits.digit_supersteps import Trade, Transform, Turn
from codegen.program.digits.transform_tiles import Tiled
from codegen.program.hartley_steps import AcrossRanks, HalfSpectra, ListStage, Rest, Unpaired
from codegen.program.protocol import PAIR, REAL, Moving, Step
from codegen.program.reals.halves import Halves
from codegen.program.reals.hartley_rows import Rows
from codegen.program.reals.reflect import Reflect
from codegen.program.reals.untangle import Untangle
from codegen.program.stages.butterflies import Across
from codegen.program.stages.direct_sums import Part
from codegen.program.stages.generalized_butterflies import Butterflies
from codegen.program.stages.modular import Modular
from codegen.program.stages.overlaps import Overlap
from codegen.program.supersteps import Factors, Program
from codegen.systems.options import NORMS
from codegen.systems.record import Request
from derive.formula.grammar import Formula

Lines = Callable[[Any, Program, Tables], Iterable[Stage]]
"""What makes the lines of a superstep."""
CYCLIC = "pairs are cyclic"
WITHOUT_ONES = 2**14
"""From so many elements of a vector on a rank on, tables of twiddles begin with the first that is
not 1: that is half of a table for F_2 between two ranks.
"""


def stages_of(program: Program, tables: Tables) -> list[Stage]:
    """Return the supersteps of a program."""
    stages = _with_still(program, _stages(program, tables), program.still)
    stages = stages or [stage(str(program.equation.right))]
    return [*real.joined(program, stages)] if program.in_pairs and program.is_shaped else stages


def _stages(program: Program, tables: Tables) -> list[Stage]:
    """Return the supersteps; one that only puts elements in order for messages is done with the
    next. Twiddles that a trade carries are multiplied at its end, or with what follows where one
    operation does both.
    """
    known = [(step, lines_of(step, program, tables)) for step in channels.grouped(program)]
    known = [(step, lines) for step, lines in known if lines]
    for i in reversed(range(len(known))):
        if [each["comment"] for each in known[i][1]] == [""]:
            known[i + 1][1][0]["operations"][:0] = known[i][1][0]["operations"]
            del known[i]
    for (before, (*_, last)), (_, (made, *_)) in pairwise(known):
        if before.twiddles:
            if made["operations"][0]["macro"] == "multiply" and not tables.way.shares:
                last["operations"].append(made["operations"].pop(0))
            else:
                last["comment"] += f": {_product(before.twiddles)} below"
    return [*chain.from_iterable(lines for _, lines in known)]


def lines_of(step: Step, program: Program, tables: Tables) -> list[Stage]:
    """Return a superstep, or those across channels as a loop; of several that are one loop all but
    the first have no lines.
    """
    return [*STAGES.get(type(step), _own)(step, program, tables)]


def _own(step: Any, program: Program, tables: Tables) -> list[Stage]:
    return [own_functions.calling(step, program, tables)]


def _channels(step: channels.Channels, program: Program, tables: Tables) -> Iterator[Stage]:
    fourier_passes.receiving(program, tables)
    yield from channels.stages_of(step, tables.name)


def _with_still(
    program: Program, stages: list[Stage], still: tuple[Factors, Factors]
) -> list[Stage]:
    """Return stages that say for which factors nothing moves where numbers begin to be transformed,
    and where that ends; at the end of all by one of their own.
    """
    begin, end, step, (first, last) = 0, len(stages), program.halves, still
    x, y = f"x is {escaped(program.input.name)}", f"y is {escaped(program.output.name)}"
    if step:
        at = program.steps.index(step)
        begin, end, x, y = (at + 1, end, CYCLIC, y) if step.back else (0, at, x, CYCLIC)
    *several, own = *stages, stage("")
    for at, factors, why in ((end, last, y), (begin, first, x)):
        if factors:
            found = [*several, own][at]
            said = f"{escaped(_product(factors))}: nothing moves, as {why}"
            found["comment"] = f"{said}\n{found['comment']}".rstrip()
    return [*several, *[own] * bool(own["comment"])]


def _product(factors: Iterable[Formula]) -> str:
    return " ".join(map(str, factors))


def _rows(step: Rows, program: Program, tables: Tables) -> Iterator[Stage]:
    yield real.rows(step, NORMS[_divided(program.request, tables)], program.unit == PAIR)


def _halving(step: Halves, program: Program, tables: Tables) -> Iterator[Stage]:
    yield real.halving(step, tables, _divided(program.request, tables))


def _tiles(step: Tiled, program: Program, tables: Tables) -> Iterator[Stage]:
    words = f"{_product(step.factors)}: in tiles that fit a cache"
    yield stage(words, _in_tiles(step, program, tables))


def _transforming(step: Transform, program: Program, tables: Tables) -> Iterator[Stage]:
    yield stage(_product(step.factors), *_operations(step, program, tables))


def _operations(step: Transform, program: Program, tables: Tables) -> list[Operation]:
    """Return the product by the diagonal and the transform; its tables are named."""
    operations = list[Operation]()
    if tables.vectors and has_kernel(step.d):
        return [fourier_passes.computing(step, program, tables)]
    if step.diagonal is not None:
        butterfly = tables.way.shares and (step.copies, step.d) == (1, 2)
        apart = tables.m > 0 and (butterfly or program.M >= WITHOUT_ONES)
        first = step.diagonal.first(program.M) if apart else 0
        table = tables.name("twiddle", (step.diagonal, first, 0))
        rest = {"first": first, "part": f"[{first}:]" * (first > 0)}
        operations.append({"macro": "multiply", "hops": 0, "table": table, **rest})
    if step.d > 1:
        operations.append(_transform(step, program, tables))
    return operations


def _moving(step: Moving, program: Program, tables: Tables) -> Iterator[Stage]:
    """Return a move, of real elements or of other numbers."""
    operations = list(move_lines.moving(step, tables))
    for operation in operations if step.unit == REAL else ():
        operation["real"] = True
    comment = hartley_lines.comment_of_move if program.in_lists else _moved
    yield stage(comment(step, program), *operations)


def _moved(step: Moving, program: Program) -> str:
    """Return the factors of a move and the layouts that it is from or to, or what it does."""
    if not step.factors and step.unnamed:
        return step.unnamed
    words = escaped(_product(step.factors)), _layouts(step, program)
    return ": ".join(filter(None, words))


def _layouts(step: Step, program: Program) -> str:
    """Return in words which layouts a first or a last step is from or to, if they are not block."""
    ends = ("from", program.input, 0), ("to", program.output, -1)
    at_ends = ((way, to.name) for way, to, at in ends if program.steps[at] is step)
    return ", ".join(f"{way} {escaped(name)}" for way, name in at_ends if name != "block")


def _across(step: Across, program: Program, tables: Tables) -> Iterator[Stage]:
    """Return F_2 between two ranks, each of which reads all that both have."""
    shared = [move_lines.sharing(tables)] if tables.way.shares or tables.mails else []
    yield stage(_product(step.factors), *shared, fourier_passes.computing(step, program, tables))


def _overlapped(step: Overlap, program: Program, tables: Tables) -> Iterator[Stage]:
    operation = computations.overlapped(step, program.request, tables)
    yield stage(_product(step.factors), operation, *move_lines.turning(step.trade.unpack, tables))


def _butterflies(step: Butterflies, program: Program, tables: Tables) -> Iterator[Stage]:
    if tables.vectors:
        operations = list(generalized.computing(step, program, tables))
    else:
        operations = [computations.generalized(step, program.M, tables)]
    yield stage(_product(step.factors), *operations)


def _of_lists(make: Callable[[Any, bool], Stage | None]) -> Lines:
    """Return what makes a stage of a Hartley transform by lists, compiled or not."""
    return lambda step, program, _: filter(None, [make(step, hartley_kernels.are_in(program))])


STAGES: Mapping[type[Step], Lines] = {
    channels.Channels: _channels,
    Across: _across,
    Butterflies: _butterflies,
    Overlap: _overlapped,
    Untangle: lambda step, _, tables: [real.untangling(step, tables)],
    Modular: lambda *how: [residue_lines.transforming(*how)],
    Part: lambda *how: [direct_sum_lines.summing(*how)],
    Halves: _halving,
    Reflect: lambda step, program, _: [real.reflecting(step, program)],
    Rows: _rows,
    Tiled: _tiles,
    Transform: _transforming,
    ListStage: _of_lists(hartley_lines.of_lists),
    Rest: _of_lists(hartley_lines.rest),
    HalfSpectra: _of_lists(hartley_lines.half_spectra),
    AcrossRanks: lambda step, *_: [hartley_lines.across_ranks(step)],
    Unpaired: lambda step, *_: filter(None, [hartley_lines.unpaired(step)]),
    **dict.fromkeys((Move, Trade, Turn), _moving),
}
"""The lines of each kind of superstep, but those with functions of their own."""


def _in_tiles(step: Tiled, program: Program, tables: Tables) -> Operation:
    """Return the operation of transforms in tiles: each is copied to a room of a tile, in which
    kernels work in place; the last may put its results where they go. A copy has the next lines
    loaded in time, the loads of a kernel have not.
    """
    tile = "plan." + tables.name("tile", fourier_passes.space(step.size, program, "tile"))
    kernels = [fourier_passes.computing(each, program, tables) for each in step.of_tile]
    for kernel in kernels:
        kernel.update(source=tile, target=tile)
    if step.puts:
        steps = enumerate(step.target.steps[: len(step.target.count)])
        del kernels[-1]["target"]
        kernels[-1]["to"] = total([(far, f"i[{axis}]") for axis, far in steps])
    found = {"given": step.source, "made": step.target, "tile": tile, "kernels": kernels}
    return {"macro": "tiles_of", "needs": ("passes",), **found}


def _transform(step: Transform, program: Program, tables: Tables) -> Operation:
    """Return the transform of a digit, of a hypercube FFT in place; the norm of the name of its
    direction divides by its length.
    """
    request = program.request
    if request.backend.is_planned:
        return computations.planned(step.copies, step.d, step.c, tables)
    if request.scheme:
        return computations.fourier(request, step.copies, step.d, step.c, in_place=True)
    divided = _divided(request, tables)
    made = computations.fourier(
        request, step.copies, step.d, step.c, divided > 0, divided, step.is_conjugate
    )
    return {**made, "hops": 1}


def _divided(request: Request, tables: Tables) -> int:
    """Return how often a transform of length n divides by the root of n: never where the result is
    scaled, as that of a vector of 2^n elements is.
    """
    if tables.vectors or request.formula is not None or not request.shape:
        return 0
    return 1 if request.norm == "ortho" else 2 * (request.norm == request.direction)
