"""Moves as lines of a node program: rearrangements of a rank's elements and exchanges of equal
messages, which are unpacked where they lie if ranks share memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen.emit.arrangements import (
    Arrangement,
    Axes,
    Gray,
    Lines,
    Records,
    Take,
    Tiles,
    arranged,
    transpose_of,
)
from codegen.emit.steps import compiled_kernels, fourier_lines, window_lines
from codegen.emit.steps.array_names import Operation
from codegen.emit.steps.fourier_lines import Peers
from codegen.emit.tables import Tables
from codegen.program.moves import plan
from codegen.program.protocol import Exchange
from derive.digits.radices import DigitPermutation
from derive.gf2.bits import Affine

STRIP = 64
"""Rows of a large array that are transposed at a time: so much of 2^20 numbers fits a cache."""


def moving(step: Any, tables: Tables) -> Iterator[Operation]:
    """Yield the operations of a move; in place, digits travel in rounds as well."""
    if tables.way.in_place and step.exchanges and step.by_matrix() is None:
        step = plan(step.address.affine(), tables.p, tables.way.name)
    yield from turning(step.pack, tables)
    if step.exchange is not None:
        yield sending(step.exchange, step.size, tables)
    shares = tables.way.shares
    if step.exchange is not None and shares and (unpack := _of_bits(step.unpack, tables)):
        yield from reading(unpack, step.exchange.messages, tables)
    else:
        yield from turning(step.unpack, tables)


def turning(order: Affine | DigitPermutation, tables: Tables) -> Iterator[Operation]:
    """Yield what puts a rank's elements in another order, if they move."""
    if offset := _of_bits(order, tables):
        yield from rearranging(offset, tables)
    elif isinstance(order, DigitPermutation) and len(order.radices) > 1:
        shape, axes = order.radices, order.order
        yield {"macro": "transpose", "shape": shape, "axes": axes, "turned": order.turned}


def _of_bits(order: Affine | DigitPermutation, tables: Tables) -> Affine | None:
    """Return an order of a rank's part of a vector of 2^n elements as a map of offsets and ranks,
    None of other digits.
    """
    if isinstance(order, Affine):
        return order
    whole = tables.m > 0 and order.size == 1 << tables.m
    return Affine(order.affine().columns + (0,) * tables.p, tables.m) if whole else None


def rearranging(offset: Affine, tables: Tables) -> Iterator[Operation]:
    """Yield what moves a rank's elements to such offsets."""
    how = _arranged(offset, tables)
    match how:
        case Axes(shape) if _by_kernel(how, tables):
            yield fourier_lines.transposing(shape)
        case Axes(shape, axes):
            turned = tuple(shape[axis] for axis in axes)
            yield {"macro": "transpose", "shape": shape, "axes": axes, "turned": turned}
        case Take(back):
            yield {"macro": "take", "table": tables.name("offsets", back)}
        case Tiles() if tables.itemsize >= 8 and (sides := transpose_of(offset, tables.m)):
            rows, columns = sides
            yield {"macro": "transpose_in_strips", "rows": rows, "columns": columns, "strip": STRIP}
        case Tiles():
            yield {"macro": "tiles", "table": tables.name("tiles", how)}
        case Lines() | Records() | Gray():
            yield compiled_kernels.rearranging(how, tables)


def reading(unpack: Affine, messages: int, tables: Tables) -> Iterator[Operation]:
    """Yield what unpacks so many messages where they lie; tiles want them together."""
    how = _arranged(unpack, tables)
    match how:
        case Axes(shape) if _by_kernel(how, tables) and fourier_lines.joins(messages, shape):
            yield fourier_lines.joining(shape)
        case Axes(shape, axes):
            yield window_lines.placed(unpack, messages, tables.m, ("axes", shape, axes))
        case Take():
            table = tables.name("places", unpack)
            yield {"macro": "put", "table": table, "reads": True, "count": messages}
        case _:
            yield from rearranging(unpack, tables)


def _arranged(offset: Affine, tables: Tables) -> Arrangement:
    """Return how a rearrangement is carried out; among compiled transforms a transpose is a kernel
    of theirs, whatever its size.
    """
    if tables.vectors and (sides := transpose_of(offset, tables.m)):
        return Axes(sides, (1, 0))
    return arranged(offset, tables.m, tables.itemsize, tables.arranges)


def _by_kernel(how: Axes, tables: Tables) -> bool:
    """Return whether a compiled kernel transposes an array so."""
    return tables.vectors and how.axes == (1, 0)


def sending(exchange: Exchange, size: int, tables: Tables) -> Operation:
    """Return the operation of an exchange of this many numbers of a rank; its table is named."""
    if tables.way.shares:
        tables.name("window", None)
        sent = {"messages": exchange.messages, "of_all": exchange.is_whole}
        return {"macro": window_lines.EXCHANGE, "table": tables.name("messages", exchange), **sent}
    if exchange.by_groups(tables.way):
        if tables.mails:
            return {"macro": window_lines.MAIL, "table": tables.name("mail", exchange)}
        comm = "own" if exchange.is_whole else tables.name("group", exchange.colour)
        return {"macro": "alltoall", "comm": comm}
    together = tables.way.by_counts and exchange.by_counts(size)
    table = tables.name("peers", Peers(exchange, together))
    if together:
        return {"macro": "counted", "table": table}
    function = tables.one_by_one(exchange)
    return {"macro": function, "needs": (function,), "table": table}


def sharing(tables: Tables) -> Operation:
    """Return the exchange after which each of two ranks reads all that both have."""
    if tables.mails:
        return {"macro": window_lines.MAIL, "table": tables.name("mail", None)}
    tables.name("window", None)
    return {"macro": window_lines.EXCHANGE, "table": tables.name("both", None), "messages": 2}
