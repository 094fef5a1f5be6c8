"""The operations of each kind of step with unequal parts, and the tables that they read."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

from codegen.emit.steps.computations import SINGLE
from codegen.emit.unequal.part_norms import is_forward
from codegen.emit.unequal.part_operations import (
    ALONG,
    CHIRP,
    FILTER,
    MAIL,
    PACK,
    PUT,
    SEND,
    TAKE,
    TWIDDLE,
    UNPACK,
)
from codegen.program.ragged.chirp_steps import Chirp, Filter
from codegen.program.ragged.part_steps import AlongAxis, PartTrade
from codegen.program.ragged.vector_plans import padded
from codegen.program.ragged.vector_steps import IndexTrade, Twiddles
from codegen.systems.record import Request


class Row(NamedTuple):
    """What a kind of step is in a program.

    Attributes:
        kinds: a function for the kinds of its operations, by numpy.
        table: the name of its table, "" for none.
        made: a function for the expression that makes a table, from the step, the layouts before
            and after it as expressions, and the request.
    """

    kinds: Callable[[Any], list[str]]
    table: str = ""
    made: Callable[[Any, str, str, Request], str] = lambda *_: ""


def indexed(step: IndexTrade, before: str, after: str, _: Request) -> str:
    """Return the expression that makes the table of an exchange by indices."""
    turned = f", {step.turned_text}" if step.turned_text else ""
    return f"Indexed(rank, {before}, {after}, lambda k: {step.source_text}{turned})"


def _packed(step: PartTrade) -> list[str]:
    shape = step.before.shape
    packs, unpacks = prod(shape[: step.whole]) > 1, prod(shape[: step.divided]) > 1
    return [PACK] * packs + [SEND] + [UNPACK] * unpacks


def _plan(step: AlongAxis, before: str, _: str, request: Request) -> str:
    way = "FFTW_FORWARD" if is_forward(step, request) else "FFTW_BACKWARD"
    return f'fftw(shape_of({before}, rank), {step.axis}, "{way}")'


def _diagonal(entry: Callable[[Any, Request], str]) -> Callable[[Any, str, str, Request], str]:
    """Return what makes a diagonal whose entry at index k is such an expression."""

    def made(step: Any, before: str, _: str, request: Request) -> str:
        kind = "COMPLEX" if request.record.is_of_reals else "DTYPE"
        at = f"(indices({before}, rank)).astype({kind}).reshape(shape_of({before}, rank))"
        return f"(lambda k: {entry(step, request)}){at}"

    return made


def _chirp(step: Chirp, request: Request) -> str:
    times = f" * {padded(request.N)}" * (step.last and _divides_both(request))
    return f"root_of_unity(k * k % (2 * N), 2 * N){times}"


def _filter(step: Filter, request: Request) -> str:
    n1, n2 = step.before.shape
    length = "" if _divides_both(request) else f" / {n1 * n2}"
    norm = {"ortho": " * N**-0.5", request.direction: " / N"}.get(request.norm, "")
    return f"spectrum_of_chirp({n1 * n2})[k % {n2} * {n1} + k // {n2}]{length}{norm}"


def _divides_both(request: Request) -> bool:
    """Return whether both transforms of a convolution divide by its length, of which one is made
    good at the end; else the filter does, so that nothing between overflows.
    """
    return request.dtype in SINGLE and not request.backend.is_planned


ROWS: dict[type, Row] = {
    AlongAxis: Row(lambda _: [ALONG], made=_plan),
    PartTrade: Row(
        _packed,
        "trade",
        lambda step, *ends: f"Trade(rank, {ends[0]}, {ends[1]}, {step.divided}, {step.whole})",
    ),
    IndexTrade: Row(lambda _: [TAKE, MAIL, PUT], "indexed", indexed),
    Twiddles: Row(
        lambda _: [TWIDDLE],
        "twiddle",
        _diagonal(lambda step, _: f"root_of_unity({step.power_text}, {step.order})"),
    ),
    Chirp: Row(lambda _: [CHIRP], "chirp", _diagonal(_chirp)),
    Filter: Row(lambda _: [FILTER], "filter", _diagonal(_filter)),
}
