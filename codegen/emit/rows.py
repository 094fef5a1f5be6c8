"""The supersteps of a program as they stand in its text: rows of a table, a move with the
computations after it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from codegen.emit.arrangements import Entry, entry, of_messages, transpose_of
from codegen.kernels import fourier
from codegen.options import KERNELS, Options, fixed_size
from codegen.program.lower import SHARED
from codegen.program.overlap import part_bits
from codegen.program.supersteps import (
    Across,
    AllToAll,
    Butterflies,
    Exchange,
    Local,
    Move,
    Overlap,
    Program,
    Twiddle,
)
from derive.formula.layout import Placement
from derive.gf2.bits import Affine

Row = tuple[Move | None, int, list[Local | Butterflies | Across]]
"""A move, the bits of its parts if it is overlapped, and what is computed after it."""


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


def rows_of(program: Program, options: Options) -> list[dict[str, str]]:
    """Return the supersteps as the rows of the table: a move with the local computations after
    it.
    """
    rows: list[Row] = []
    for step in program.steps:
        match step:
            case Move():
                rows.append((step, 0, []))
            case Overlap(local, move):
                _last_row(rows)[2].append(local)
                rows.append((move, part_bits(step), []))
            case Across():
                rows.append((None, 0, [step]))
            case Local() | Butterflies():
                _last_row(rows)[2].append(step)
    changes = [""] * len(rows)
    if rows:
        changes[0], changes[-1] = (
            change_of("from", program.input),
            change_of("to", program.output) or changes[-1],
        )
    return [
        {
            "comment": comment_of(move, locals_, change),
            "move": literal(_moved(move, locals_, program, options, bits)),
            "locals": literal(_locals(locals_, program, options)),
        }
        for (move, bits, locals_), change in zip(rows, changes, strict=True)
    ]


def _last_row(rows: list[Row]) -> Row:
    """Return the last row, the first of a program that starts with a computation."""
    if not rows:
        rows.append((None, 0, []))
    return rows[-1]


def change_of(word: str, layout: Placement) -> str:
    """Return in words that a move begins or ends in another layout than block."""
    return "" if layout.name == "block" else f"{word} {layout.name}"


def comment_of(
    move: Move | None, locals_: Sequence[Local | Butterflies | Across], change: str
) -> str:
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


def _moved(
    move: Move | None,
    locals_: Sequence[Local | Butterflies | Across],
    program: Program,
    options: Options,
    bits: int,
) -> Entry:
    """Return the move of a row; before F_2 between ranks both have all that the other has."""
    if not any(isinstance(step, Across) for step in locals_):
        return move_of(move, program, options, bits)
    of_all = ("all", (1,)) if options.exchange == SHARED else ("rounds", (), (1,), (1,), 1)
    return None, of_all, None


def move_of(move: Move | None, program: Program, options: Options, part_bits: int = 0) -> Entry:
    """Return (pack, exchange, unpack) of a move."""
    if move is None:
        return None
    m, size, offsets = program.input.m, fixed_size(options.dtype).itemsize, (move.pack, move.unpack)
    kernels = options.kernels if program.system == "permute" else KERNELS[0]
    shapes = [
        transpose_of(offset, m) if _transposes(program, options) else None for offset in offsets
    ]
    pack, unpack = (
        ("axes", shape, (1, 0)) if shape else entry(offset, m, kernels, size)
        for offset, shape in zip(offsets, shapes, strict=True)
    )
    if options.exchange == SHARED and move.exchange is not None:
        unpack = of_messages(move.unpack, m, move.exchange.rank_gamma, unpack)
    return pack, _exchange(move.exchange, part_bits), unpack


def _transposes(program: Program, options: Options) -> bool:
    """Return whether arrays are transposed by a compiled kernel."""
    return program.system == "fft" and options.kernels == "numba"


def run_of(program: Program, options: Options) -> dict[str, Any]:
    """Return what a program prints of the kernel that transposes arrays: lanes, 0 where there are
    none, and the rows that lie apart as messages.
    """
    m, moves = (
        program.input.m,
        (
            [step for step in program.steps if isinstance(step, Move)]
            if _transposes(program, options)
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
        if options.exchange == SHARED
        else set()
    )
    return {
        "run": min(min(min(shape) for shape in shapes), fourier.RUN) if shapes else 0,
        "run_messages": sorted(rows),
    }


def _exchange(exchange: Exchange | None, part_bits: int) -> Entry:
    if exchange is None:
        return None
    if isinstance(exchange, AllToAll):
        basis = tuple(exchange.basis)
        return ("overlapped", basis, part_bits) if part_bits else ("alltoall", basis)
    gamma, delta = exchange.gamma, exchange.delta
    return "rounds", gamma.columns, delta.columns, delta.linear.inverse().columns, delta.c


def _locals(
    locals_: list[Local | Butterflies | Across], program: Program, options: Options
) -> tuple[Entry, ...]:
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
            case Local(twiddle, copies, d, c) if options.kernels == "numba":
                kernel = kernels.index(fourier.kernel_of(local))
                found.append((_twiddle(twiddle, m), copies, d, c, kernel))
            case Local(twiddle, copies, d, c):
                found.append((_twiddle(twiddle, m), copies, d, c))
            case Butterflies(first, last, b, u, w):
                reverses = ("reversed",) * isinstance(local, fourier.ReversedStages)
                found.append((first, last, b, u, w, *reverses))
    return tuple(found)


def _twiddle(twiddle: Twiddle | None, m: int) -> Entry:
    if twiddle is None:
        return None
    i, j = ((part.columns[:m], part.columns[m:]) for part in (twiddle.i, twiddle.j))
    return twiddle.order, i, j


def map_of(address: Affine) -> str:
    """Return (columns, complement) of an affine map."""
    return literal((address.columns, address.c))
