"""The supersteps of cosine and sine transforms as lines, and what programs say of them."""

from __future__ import annotations

from math import prod
from typing import Any

from codegen.emit.steps.computations import divided
from codegen.emit.unequal.part_operations import MAIL, PUT, TAKE
from codegen.emit.unequal.part_tables import Row, indexed
from codegen.program.ragged.cosine_steps import AsComplex, AsPairs, Joined, Quarters, Sorted, Split
from codegen.program.ragged.cosine_trades import CosineTrade
from codegen.program.supersteps import Program
from codegen.systems.record import Request
from derive.call_arguments import counted
from derive.formula.transforms import C2, C3, S2, S3

TAKE_ALONG, TAKE_SIGNED, PUT_SIGNED = "take along", "take signed", "put signed"
SPLIT, SPLIT_REVERSED, QUARTER = "split", "split reversed", "quarter"
JOIN, JOIN_REVERSED = "join", "join reversed"
NEEDS = {
    TAKE_ALONG: (),
    TAKE_SIGNED: ("take_signed",),
    PUT_SIGNED: ("spread_signed",),
    **dict.fromkeys((SPLIT, SPLIT_REVERSED), ("split",)),
    **dict.fromkeys((JOIN, JOIN_REVERSED), ("join",)),
    QUARTER: ("root_of_unity", "indices"),
}
"""The functions that operations need."""
EVERY = ("take_signed", "spread_signed", "split", "join")
LINES = {
    TAKE_ALONG: 'np.take({source}, plan.{table}, axis={step.axis}, out={target}, mode="clip")',
    TAKE_SIGNED: "take_signed({source}, plan.{table}, {step.axis}, {target}, {step.negative})",
    SPLIT: "split({source}, {step.axis}, {target})",
    SPLIT_REVERSED: "split({source}, {step.axis}, np.flip({target}, {step.axis}))",
    JOIN: "join({source}, {step.axis}, {target})",
    JOIN_REVERSED: "join(np.flip({source}, {step.axis}), {step.axis}, {target})",
    PUT_SIGNED: "spread_signed({source}, plan.{table}, {target})",
    QUARTER: "np.multiply({source}, plan.{table}, out={target})",
}
WEIGHTS = {
    (True, 0): " * 2",
    (True, 1): " * np.where({k} > 0, 2**0.5, 1)",
    (False, 1): " * np.where({k} > 0, 0.5**0.5, 1)",
    (False, 2): " / 2",
}
"""The factor on the diagonal where a transform divides by √n^times, by whether its type is II."""
ENTRIES: dict[type, tuple[str, str]] = {
    C2: ("2 cos(pi k (2 j + 1) / 2 n)", ""),
    C3: ("2 cos(pi (2 k + 1) j / 2 n)", "C3_n[k, 0] = 1"),
    S2: ("2 sin(pi (k + 1) (2 j + 1) / 2 n)", ""),
    S3: ("2 sin(pi (2 k + 1) (j + 1) / 2 n)", "S3_n[k, n-1] = (-1)^k"),
}
"""The entries of the matrices, and those that are others."""
ORTHONORMAL = {
    C2: "row 0 of each C2_n divided by sqrt(2)",
    C3: "column 0 of each C3_n multiplied by sqrt(2)",
    S2: "row n-1 of each S2_n divided by sqrt(2)",
    S3: "column n-1 of each S3_n multiplied by sqrt(2)",
}
"""What makes them orthonormal, beside a factor."""


def _quarters(step: Quarters, layout: str, _: str, request: Request) -> str:
    """Return the expression that makes the diagonal of a step."""
    k = step.index_text
    weight = WEIGHTS.get((not step.back, divided(request)), "").format(k=k)
    made = f"(lambda k: root_of_unity({3 * step.n} + {k}, {4 * step.n}){weight})"
    if step.axis is None:
        return f"{made}(indices({layout}, rank)).astype(COMPLEX).reshape(shape_of({layout}, rank))"
    shape = step.before.shape[step.axis :]
    return f"{made}(np.arange({shape[0]})).astype(COMPLEX).reshape(-1{', 1' * len(shape[1:])})"


ROWS: dict[type, Row] = {
    CosineTrade: Row(
        lambda step: [TAKE, MAIL, PUT_SIGNED if step.signed else PUT], "indexed", indexed
    ),
    Sorted: Row(
        lambda step: [TAKE_SIGNED if step.sine else TAKE_ALONG],
        "order",
        lambda step, *_: f"(lambda k: {step.order_text})(np.arange({step.n}))",
    ),
    AsPairs: Row(lambda _: []),
    AsComplex: Row(lambda _: []),
    Split: Row(lambda step: [SPLIT_REVERSED if step.sine else SPLIT]),
    Joined: Row(lambda step: [JOIN_REVERSED if step.sine else JOIN]),
    Quarters: Row(lambda _: [QUARTER], "quarters", _quarters),
}
"""The operations and tables of these steps."""


def words_of(program: Program) -> dict[str, Any]:
    """Return what a program computes, in words."""
    request, left = program.request, program.equation.left
    size = " x ".join(map(str, request.shape))
    many = f"{request.batch} arrays of " * (request.batch > 0)
    matrix = request.record.matrix_of(request)
    points = prod(2 * request.shape[axis] for axis in request.transformed)
    factor = ("", f"{points}^(-1/2) ", f"1/{points} ")[divided(request)]
    entries, others = ENTRIES[matrix]
    computed = f"y = {factor}{left} x"
    name = f"{matrix.__name__}_n"
    defined = [f"{name}[k, j] = {entries}", *[others] * bool(others)]
    defined += [ORTHONORMAL[matrix]] * (request.norm == "ortho")
    return {
        "title": (
            f"{request.record.title} of type {'II' if request.type == '2' else 'III'} of {many}N ="
            f" {size} real elements on P = {counted(request.P, 'rank')}: {request.direction},"
            f" {request.dtype}, {request.kernels} kernels."
        ),
        "statements": [f"{computed},   {',   '.join(defined)}"],
        "postcondition": computed,
    }
