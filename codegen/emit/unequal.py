"""Programs whose ranks have unequal parts as text: Python decides here, the template prints.

operation = along(axis)   F_n along an axis of the part
          | pack | send | unpack   an exchange; parts that are next to each other need no copy

Every operation reads what the one before has written: x, or one of two rooms in turn; the last one
writes to out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from codegen.cost.counted import count
from codegen.emit.stated import transform
from codegen.emit.steps.computations import SINGLE
from codegen.emit.words import counted, escaped, literal, quoted
from codegen.program.ragged.part_steps import COMPLEX, FROM_HALF, AlongAxis, PartTrade
from codegen.program.supersteps import Program
from codegen.requests import command
from codegen.source import functions_of
from codegen.systems.record import Request
from derive.digits.part_layouts import BALANCED, BLOCK, PartLayout
from derive.printing import printed

ALONG, PACK, SEND, UNPACK = "along", "pack", "send", "unpack"
PLACES = ("slices", "shape_of", "place", "index", "flat")
"""The functions that say where elements are, and then those of input and output."""
ENDS = (
    *("input_place", "input_index", "output_place", "output_index"),
    *("local_shape", "local_output_shape"),
)
ROOMS = "ab"


@dataclass(frozen=True)
class Operation:
    """What one line does: from the numbers of one layout to those of another, by their numbers."""

    kind: str
    step: Any
    before: int
    after: int
    source: str = ""
    target: str = ""


def text_of(program: Program) -> str:
    """Return the text of a program whose ranks have unequal parts."""
    return printed("codegen", "unequal/program.py.jinja", _view(program))


def _view(program: Program) -> dict[str, Any]:
    """Return what the template prints."""
    layouts = _layouts(program)
    operations = _placed(_operations(program))
    trades = _trades(operations)
    stages = [*_stages(operations, program, layouts)]
    names = dict.fromkeys(axis.name for layout in layouts for axis in layout.axes if axis.p > 1)
    views = _views(operations, program, layouts)
    rooms = [room for room in ROOMS if any(each.target == room for each in operations)]
    verbatim = functions_of("emit/verbatim/by_parts") | functions_of("emit/verbatim/last")
    return {
        **_stated(program),
        "layouts": [_written(layout, next(iter(names), BLOCK)) for layout in layouts],
        "divisions": [name for name in (BLOCK, BALANCED) if name in (names or {BLOCK: 0})],
        "places": (*PLACES, *ENDS),
        "trades": trades,
        "rooms": rooms,
        "in_rooms": _complex_ones(program, layouts) if _real(program) else "",
        "views": views,
        "kept": [*rooms, *(view["name"] for view in views)],
        "keeps": _keeps(trades, rooms),
        "stages": stages,
        "needs": _needs(operations, bool(rooms)),
        "verbatim": verbatim,
    }


def _stated(program: Program) -> dict[str, Any]:
    """Return what a program states of itself."""
    request, before, after = program.request, program.input, program.output
    assert isinstance(before, PartLayout) and isinstance(after, PartLayout), "unequal parts"
    forward, real = request.direction == "forward", _real(program)
    axes = [each.axis - len(before.shape) for each in _transforms(program)]
    return {
        **_words(program),
        "cost": count(program),
        "input_words": f"{before.name}: {before.words('x')}",
        "output_words": f"{after.name}: {after.words('y')}",
        "input_shape": before.shape,
        "output_shape": after.shape,
        "first_part": before.local_shape(0),
        "first_result": after.local_shape(0),
        "command": escaped(command(request)),
        "transform": transform(request),
        "N": request.N,
        "P": request.P,
        "input": before.name,
        "output": after.name,
        "kernels": request.kernels,
        "exchange": request.exchange,
        "dtype": request.dtype,
        "complex": "np.result_type(DTYPE, np.complex64)" if real else "DTYPE",
        "half": {"forth": forward} if real else None,
        "shape": request.shape,
        "grid": request.grid,
        "batch": request.batch,
        "axes": tuple(sorted(axes) if not real else _in_order(request, axes)),
        "quoted": quoted,
        "literal": literal,
        "counted": counted,
    }


def _in_order(request: Request, axes: list[int]) -> list[int]:
    """Return the axes in the order in which they are stated, the real one last."""
    own = [axis - len(request.shape) for axis in request.transformed]
    return [axis for axis in own if axis in axes]


def _words(program: Program) -> dict[str, Any]:
    """Return what a program computes, in words."""
    request, left = program.request, program.equation.left
    forward, real = request.direction == "forward", _real(program)
    size = " x ".join(map(str, request.shape))
    many, kind = f"{request.batch} arrays of " * (request.batch > 0), "real " * real
    points = prod(step.n for step in _transforms(program))
    factor = {"ortho": f"{points}^(-1/2) ", request.direction: f"1/{points} "}
    matrix = f"{factor.get(request.norm, '')}{left}"
    root = f"F_n[j, k] = w_n^(jk),   w_n = exp({'-' * forward}2 pi i / n)"
    computed = f"y = {matrix} x"
    if real:
        half = f"those of 0 <= k <= n/2 along axis {request.transformed[-1] - len(request.shape)}"
        computed = (
            f"the half y of Y = {matrix} x of the real x, {half}"
            if forward
            else f"the real y = {matrix} X, where x is the half of X, {half}"
        )
    return {
        "title": (
            f"Discrete Fourier transform of {many}N = {size} {kind}elements on"
            f" P = {counted(request.P, 'rank')}: "
            f"{request.direction}, {request.dtype}, {request.kernels} kernels."
        ),
        "statements": [f"{computed},   {root}", escaped(str(program.equation))],
        "postcondition": computed,
    }


def _transforms(program: Program) -> list[AlongAxis]:
    """Return the transforms of a program."""
    return [step for step in program.steps if isinstance(step, AlongAxis)]


def _real(program: Program) -> bool:
    """Return whether a program is from or to real numbers."""
    return any(getattr(step, "kind", COMPLEX) != COMPLEX for step in program.steps)


def _layouts(program: Program) -> list[PartLayout]:
    """Return the layouts of the array in turn."""
    steps: tuple[Any, ...] = program.steps
    return [steps[0].before] + [step.after for step in steps if _changes(step)]


def _changes(step: Any) -> bool:
    """Return whether numbers come to another layout, or become others."""
    return getattr(step, "kind", "") != COMPLEX


def _written(layout: PartLayout, usual: str) -> list[tuple[Any, ...]]:
    """Return a layout as a program has it: of each axis the division, n, p, and the stride."""
    both = zip(layout.axes, layout.strides, strict=True)
    return [
        (axis.name if axis.p > 1 else usual, axis.n, axis.p, stride if axis.p > 1 else 1)
        for axis, stride in both
    ]


def _operations(program: Program) -> list[Operation]:
    """Return the operations of all steps."""
    found, now = list[Operation](), 0
    for step in program.steps:
        after = now + _changes(step)
        if isinstance(step, AlongAxis):
            found.append(Operation(ALONG, step, now, after))
        elif isinstance(step, PartTrade):
            shape = step.before.shape
            kinds = [PACK] * (prod(shape[: step.whole]) > 1) + [SEND]
            kinds += [UNPACK] * (prod(shape[: step.divided]) > 1)
            found += [Operation(kind, step, now, after) for kind in kinds]
        now = after
    return found


def _placed(operations: list[Operation]) -> list[Operation]:
    """Return operations with what they read and write."""
    found, source = list[Operation](), "x"
    for i, each in enumerate(operations):
        target = "out" if i == len(operations) - 1 else ROOMS[i % 2]
        found.append(replace(each, source=source, target=target))
        source = target
    return found


def _trades(operations: list[Operation]) -> list[dict[str, Any]]:
    """Return the exchanges by their names in a plan."""
    sends = [each for each in operations if each.kind == SEND]
    return [
        {
            "name": "trade" if i == 0 else f"trade_{i + 1}",
            "before": each.before,
            "after": each.after,
            "divided": each.step.divided,
            "whole": each.step.whole,
            "step": each.step,
        }
        for i, each in enumerate(sends)
    ]


def _viewed(operations: list[Operation]) -> Iterator[tuple[int, str, int]]:
    """Yield the operations that write a part of an array to a room, with its layout."""
    for i, each in enumerate(operations[:-1]):
        following = operations[i + 1].kind
        if each.kind != PACK and not (each.kind == SEND and following == UNPACK):
            yield i, each.target, each.after


def _views(
    operations: list[Operation], program: Program, layouts: list[PartLayout]
) -> list[dict[str, Any]]:
    """Return the rooms as parts of arrays."""
    real = _real_ones(program, layouts)
    found = dict.fromkeys((room, layout) for _, room, layout in _viewed(operations))
    return [
        {"name": f"{room}{layout}", "room": room, "layout": layout, "real": layout in real}
        for room, layout in sorted(found)
    ]


def _real_ones(program: Program, layouts: list[PartLayout]) -> list[int]:
    """Return the numbers of the layouts of real numbers."""
    if not _real(program):
        return []
    several: list[Any] = [step for step in program.steps if _changes(step)]
    at = next(i for i, step in enumerate(several) if isinstance(step, AlongAxis))
    back = several[at].kind == FROM_HALF
    return [*range(at + 1, len(layouts))] if back else [*range(at + 1)]


def _complex_ones(program: Program, layouts: list[PartLayout]) -> str:
    """Return the slice of the layouts that are of complex numbers."""
    real = _real_ones(program, layouts)
    return f"[: {real[0]}]" if real[0] else f"[{len(real)} :]"


def _keeps(trades: list[Any], rooms: list[str]) -> str:
    """Return what a plan keeps, in words."""
    kept = ["a communicator"]
    kept += ["its exchanges"] * bool(trades) + [counted(len(rooms), "work array")] * bool(rooms)
    return " and ".join([", ".join(kept[:-1]), kept[-1]] if kept[1:] else kept)


def _needs(operations: list[Operation], views: bool) -> list[str]:
    """Return the functions that operations and plans need."""
    kinds = {each.kind for each in operations}
    found = {"Trade": SEND in kinds, "pack": PACK in kinds, "unpack": UNPACK in kinds}
    return [name for name, needed in (found | {"shaped": views}).items() if needed]


def _stages(
    operations: list[Operation], program: Program, layouts: list[PartLayout]
) -> Iterator[dict[str, Any]]:
    """Yield each step with its lines."""
    real, request, trades = _real_ones(program, layouts), program.request, _trades(operations)
    viewed = {i for i, *_ in _viewed(operations)}
    lines, after = list[str](), "x"
    for i, each in enumerate(operations):
        flat = f"plan.{each.target}{'.view(DTYPE)' if each.after in real and real else ''}"
        target = f"plan.{each.target}{each.after}" if i in viewed else flat
        target = "out" if each.target == "out" else target
        lines.append(_line(each, after, target, request, trades))
        after = target
        if i + 1 == len(operations) or operations[i + 1].step is not each.step:
            yield {"comment": _comment(each.step), "lines": lines}
            lines = []
    undone = prod(step.n for step in _transforms(program))
    if _divided(request) == 0 and request.dtype in SINGLE:
        comment = "undo the divisions: with other norms numpy would compute in double precision"
        yield {"comment": comment, "lines": [f"np.multiply(out, {undone}, out=out)"]}


def _comment(step: Any) -> str:
    """Return what a step does, in words."""
    if isinstance(step, PartTrade):
        ranks = counted(step.group[0], "rank")
        return f"axis {step.divided} becomes whole, the same {ranks} divide axis {step.whole}"
    axis = f"along axis {step.axis}"
    made = {COMPLEX: "", FROM_HALF: ", from its half to real numbers"}
    return f"{step.factor}: {axis}{made.get(step.kind, ', of real numbers, the half')}"


def _line(
    each: Operation, source: str, target: str, request: Request, trades: list[dict[str, Any]]
) -> str:
    """Return the line of an operation."""
    if each.kind == ALONG:
        return _along(each.step, source, target, request)
    name = next(trade["name"] for trade in trades if trade["step"] is each.step)
    if each.kind == PACK:
        return f"pack({source}, plan.{name}.packs, {target})"
    if each.kind == UNPACK:
        return f"unpack({source}, plan.{name}.unpacks, {target})"
    sent, received = (f"plan.{name}.{side}" for side in ("sent", "received"))
    return f"plan.{name}.comm.Alltoallv([{source}, {sent}], [{target}, {received}])"


def _divided(request: Request) -> int:
    """Return how often a transform of length n divides by the root of n."""
    return 1 if request.norm == "ortho" else 2 * (request.norm == request.direction)


def _along(step: AlongAxis, source: str, target: str, request: Request) -> str:
    """Return the call of numpy.fft; in single precision the norm that divides, as numpy would
    compute others in double precision.
    """
    forward, divided = request.direction == "forward", _divided(request)
    by_n = divided == 2 or (not divided and request.dtype in SINGLE)
    norm = ', norm="forward"' * (forward == by_n)
    norm = ', norm="ortho"' if divided == 1 else norm
    function = "fft" if step.kind == COMPLEX else "rfft" if forward else "irfft"
    function = "ifft" if step.kind == COMPLEX and not forward else function
    length = f", {step.n}" * (step.kind == FROM_HALF)
    return f"np.fft.{function}({source}{length}, axis={step.axis}{norm}, out={target})"
