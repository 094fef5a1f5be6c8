"""The supersteps of a program as they stand in its text: rows of a table, a move with the
computations after it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from codegen.elements import fixed_size
from codegen.emit.arrangements import Entry, entry, of_messages, transpose_of
from codegen.kernels import fourier
from codegen.program.supersteps import Across, AllToAll, Exchange, Local, Move, Program, Twiddle
from codegen.spec import KERNELS, SHARED, Spec
from derive.formula.layout import Placement
from derive.gf2.bits import Affine

Row = tuple[Move | None, list[Local | Across]]
"""A move, and what is computed after it."""


def quoted(text: str) -> str:
    """Return a text as a literal of Python."""
    return json.dumps(text, ensure_ascii=False)


def literal(value: Any) -> str:
    """Return numbers, texts, tuples of such and None as they stand in a program.

    >>> literal(("take", (2, 1), (2,), 0, None))
    '("take", (2, 1), (2,), 0, None)'
    """
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    return quoted(value) if isinstance(value, str) else repr(value)


def escaped(text: str) -> str:
    """Return a text as it stands in a docstring or a comment, on one line: names of files may hold
    anything.
    """
    return quoted(text)[1:-1]


def factor_of(spec: Spec) -> str:
    """Return the factor on the matrix of a transform, in words."""
    return {"1": "", "1 / N": f"1/{spec.N} ", "N**-0.5": f"{spec.N}^(-1/2) "}[spec.scale]


def rows_of(program: Program) -> list[dict[str, str]]:
    """Return the supersteps as the rows of the table: a move with the local computations after
    it.
    """
    rows: list[Row] = []
    for step in program.steps:
        match step:
            case Move():
                rows.append((step, []))
            case Across():
                rows.append((None, [step]))
            case Local():
                _last_row(rows)[1].append(step)
    changes = [""] * len(rows)
    if rows:
        changes[0], changes[-1] = (
            change_of("from", program.input),
            change_of("to", program.output) or changes[-1],
        )
    return [
        {
            "comment": comment_of(move, locals_, change),
            "move": literal(_moved(move, locals_, program)),
            "locals": literal(_locals(locals_, program)),
        }
        for (move, locals_), change in zip(rows, changes, strict=True)
    ]


def _last_row(rows: list[Row]) -> Row:
    """Return the last row, the first of a program that starts with a computation."""
    if not rows:
        rows.append((None, []))
    return rows[-1]


def change_of(word: str, layout: Placement) -> str:
    """Return in words that a move begins or ends in another layout than block."""
    return "" if layout.name == "block" else f"{word} {layout.name}"


def comment_of(move: Move | None, locals_: Sequence[Local | Across], change: str) -> str:
    """Return the factors of the formula that a row carries out."""
    words = []
    if move:
        words.append("move " + " ".join([*([change] if change else []), *map(str, move.factors)]))
    if locals_:
        words.append(
            "compute "
            + " ".join(str(factor) for local in reversed(locals_) for factor in local.factors)
        )
    return escaped(", then ".join(words))


def _moved(move: Move | None, locals_: Sequence[Local | Across], program: Program) -> Entry:
    """Return the move of a row; before F_2 between ranks both have all that the other has."""
    if not any(isinstance(step, Across) for step in locals_):
        return move_of(move, program)
    shared = program.spec.exchange == SHARED
    return None, ("all", (1,)) if shared else ("rounds", (), (1,), (1,), 1), None


def move_of(move: Move | None, program: Program) -> Entry:
    """Return (pack, exchange, unpack) of a move."""
    if move is None:
        return None
    spec, m = program.spec, program.input.m
    kernels = spec.kernels if spec.system == "permute" else KERNELS[0]
    size, transposes = fixed_size(spec.dtype).itemsize, _transposes(program)
    pack, unpack = (
        (
            ("axes", shape, (1, 0))
            if transposes and (shape := transpose_of(offset, m))
            else entry(offset, m, kernels, size)
        )
        for offset in (move.pack, move.unpack)
    )
    if spec.exchange == SHARED and move.exchange is not None:
        unpack = of_messages(move.unpack, m, move.exchange.rank_gamma, unpack)
    return pack, _exchange(move.exchange), unpack


def _transposes(program: Program) -> bool:
    """Return whether arrays are transposed by a compiled kernel."""
    return program.spec.system in ("fft", "hypercube-fft") and program.spec.kernels == "numba"


def run_of(program: Program) -> dict[str, Any]:
    """Return what a program prints of the kernel that transposes arrays: lanes, 0 where there are
    none, and the rows that lie apart as messages.
    """
    m, moves = (
        program.input.m,
        (
            [step for step in program.steps if isinstance(step, Move)]
            if _transposes(program)
            else []
        ),
    )
    shapes = [
        shape
        for move in moves
        for offset in (move.pack, move.unpack)
        if (shape := transpose_of(offset, m))
    ]
    apart = [
        (shape[0], 1 << move.exchange.rank_gamma)
        for move in moves
        if move.exchange and (shape := transpose_of(move.unpack, m))
    ]
    rows = (
        {rows for rows, messages in apart if rows == messages <= fourier.MESSAGES}
        if program.spec.exchange == SHARED
        else set()
    )
    return {
        "run": min(min(min(shape) for shape in shapes), fourier.RUN) if shapes else 0,
        "transposes": bool(shapes),
        "run_messages": sorted(rows),
    }


def _exchange(exchange: Exchange | None) -> Entry:
    if exchange is None:
        return None
    if isinstance(exchange, AllToAll):
        return "alltoall", tuple(exchange.basis)
    gamma, delta = exchange.gamma, exchange.delta
    return "rounds", gamma.columns, delta.columns, delta.linear.inverse().columns, delta.c


def _locals(locals_: list[Local | Across], program: Program) -> tuple[Entry, ...]:
    """Return local computations as a tuple of tuples."""
    m, found = program.input.m, list[Entry]()
    kernels = fourier.used(
        (step for step in program.steps if isinstance(step, Local | Across)), program.M
    )
    for local in locals_:
        match local:
            case Across(Twiddle(order, _, j)):
                ranks = tuple(column | order // 2 for column in j.columns[m:])
                kernel = kernels.index(fourier.kernel_of(local, program.M))
                found.append((order, j.columns[:m], ranks, kernel))
            case Local(twiddle, copies, d, c):
                kernel = kernels.index(fourier.kernel_of(local))
                found.append((_twiddle(twiddle, m), copies, d, c, kernel))
    return tuple(found)


def _twiddle(twiddle: Twiddle | None, m: int) -> Entry:
    if twiddle is None:
        return None
    i, j = ((part.columns[:m], part.columns[m:]) for part in (twiddle.i, twiddle.j))
    return twiddle.order, i, j


def map_of(address: Affine) -> str:
    """Return (columns, complement) of an affine map."""
    return literal((address.columns, address.c))
