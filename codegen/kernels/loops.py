"""The loops of compiled Fourier transforms: radices, places in memory and roots of unity.

kernel = columns       F_d ⊗ I_c, W columns at a time: one stage, or several on a line of vectors
       | two_passes    F_d = L (I_n1 ⊗ F_n2) T (F_n1 ⊗ I_n2), by way of a room of split vectors
       | half          one half of F_2 ⊗ I_c between two ranks, of which each has both

A line has the vectors of one transform, W of them side by side as its lanes; a room has the rows
between the two passes. Lines and rows are one vector longer than what they hold, so that places a
power of two apart do not meet in a cache. What is returned is what
codegen/templates/kernels/passes.jinja prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from codegen.kernels import fourier_kernels
from codegen.kernels.fourier_kernels import HalfKernel, Kernel
from codegen.kernels.widths import LANES
from codegen.program.digits.transform_tiles import parts_of_rows
from derive.formula.permutations import lg

DIGITS = "abcdefghmnopqrs"
"""The names of the digits of an index, the least significant first."""
PADDING = 1
"""Vectors beyond the end of a line or row."""
Terms = Sequence[tuple[int, str]]
"""A sum of variables, each times a factor; one without a name is a number."""
View = dict[str, Any]


def total(terms: Terms) -> str:
    """Return the text of a sum.

    >>> total([(1, "at"), (8, "a"), (64, "b")]), total([(0, "a"), (5, "")]), total([])
    ('at + 8 * a + 64 * b', '5', '0')
    """
    found = [
        str(factor) if not name else name if factor == 1 else f"{factor} * {name}"
        for factor, name in terms
        if factor
    ]
    return " + ".join(found) or "0"


def vectors(terms: Terms) -> str:
    """Return the text of a place that is counted in vectors.

    >>> vectors([(1, "i")]), vectors([(33, "a"), (1, "i")]), vectors([(5, "a")]), vectors([(1, "")])
    ('i * W', '(33 * a + i) * W', '5 * a * W', 'W')
    """
    text = total(terms)
    if text in ("0", "1"):
        return "W" * int(text) or "0"
    return f"({text}) * W" if " + " in text else f"{text} * W"


@dataclass(frozen=True)
class Call:
    """The call of a function that makes a table."""

    function: str
    arguments: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.function}{self.arguments}"


@dataclass
class Roots:
    """The tables of a kernel, one after the other: the calls that make them."""

    calls: list[Call] = field(default_factory=list)
    size: int = 0

    def put(self, size: int, function: str, *arguments: int) -> int:
        """Return the place of one more table of so many elements."""
        place, self.size = self.size, self.size + size
        self.calls.append(Call(function, arguments))
        return place

    def of_stage(self, n: int, r: int) -> int:
        """Return the place of the roots after the butterflies of F_n = .. (F_r ⊗ I_(n/r))."""
        return self.put(n // r * (r - 1), "after_butterflies", n, r)

    def of_stages(self, radices: Sequence[int]) -> list[int]:
        """Return the places of the roots after the butterflies of each radix but the last."""
        sizes = [prod(radices[i:]) for i in range(len(radices) - 1)]
        return [self.of_stage(n, r) for n, r in zip(sizes, radices, strict=False)]


def pad(depth: int) -> str:
    """Return the blanks before a line."""
    return "    " * depth


def on_line(
    radices: Sequence[int],
    places: Sequence[int],
    base: Terms,
    depth: int,
    digits: Terms = (),
    weight: int = 1,
) -> tuple[list[View], View]:
    """Return the stages of a transform in place on a line, from a vector on, and the last
    butterflies: entry i of their results is entry `digits` + weight i.
    """
    found, base, digits, m = list[View](), [*base], [*digits], prod(radices)
    for r, place in zip(radices[:-1], places, strict=True):
        m //= r
        at, digit = [*base, (1, "i")], DIGITS[len(digits)]
        found.append(_stage(r, m, at, m, place, depth) | {"digit": digit})
        base.append((m, digit))
        digits.append((weight, digit))
        weight, depth = weight * r, depth + 1
    last = {"pad": pad(depth), "r": radices[-1], "at": vectors(base)}
    return found, last | {"digits": digits, "weight": weight}


def _stage(r: int, count: int, at: Terms, step: int, place: int, depth: int) -> View:
    """Return a stage of so many butterflies, of which the vectors are so far apart."""
    return {
        "pad": pad(depth),
        "r": r,
        "count": count,
        "at": vectors(at),
        "step": vectors([(step, "")]),
        "root": total([(place, ""), (r - 1, "i")]),
    }


def all_stages(radices: Sequence[int], roots: Roots, depth: int) -> View:
    """Return the stages of a transform that is loaded by its first butterflies and stored by its
    last.
    """
    places, r, m = roots.of_stages(radices), radices[0], prod(radices[1:])
    if m == 1:
        last = {"pad": pad(depth), "r": r, "at": "", "digits": [], "weight": 1}
        return {"first": [], "stages": [], "last": last}
    first = _stage(r, m, [(1, "i")], m + PADDING, places[0], depth) | {"digit": DIGITS[0]}
    base, digits = [(m + PADDING, DIGITS[0])], [(1, DIGITS[0])]
    stages, last = on_line(radices[1:], places[1:], base, depth + 1, digits, r)
    return {"first": [first], "stages": stages, "last": last}


def line_of(radices: Sequence[int]) -> int:
    """Return the vectors of the line that all stages of these radices take."""
    return prod(radices) + radices[0] * PADDING if len(radices) > 1 else 0


def columns(kernel: Kernel) -> View:
    """Return the loops of F_d ⊗ I_c."""
    radices, c, roots = fourier_kernels.radices(kernel.d), kernel.c, Roots()
    low = low_of(kernel) if kernel.twiddled == fourier_kernels.PRODUCTS else 0
    own, column = ([(1, "i"), (1, "j")], "i + j") if low else ([(1, "j")], "j")
    m, across = prod(radices[1:]), own if kernel.c > 1 else []
    over = [f"for j in range(0, {low or c}, W):"] * (c > 1)
    if low:  # twiddles of the second table are loaded once for as many columns as the first has
        place = f"{low * (kernel.d - 1) + 1} + i // {low} * {kernel.d}"
        turns = f"    turns = broadcast(twiddle, {place}, 1, {kernel.d - 1})"
        over = [f"for i in range(0, {c}, {low}):", turns, f"    {over[0]}"]
    found = all_stages(radices, roots, 2 + len(across) - kernel.strided)
    loaded = [(1, "at"), *across, (c, "i") if m > 1 else (0, "")]
    load = _loaded(kernel, loaded, m * c, radices[0])
    put = _stored(kernel, column if across else "", c, found["last"])
    if kernel.strided:
        load, put = _strided(load, put, found["last"], m)
    put = _apart(kernel, put) if kernel.put else put
    return found | {
        "kind": "columns",
        "roots": roots,
        "line": line_of(radices),
        "room": 0,
        "load": load,
        "apart": [load] * bool(load["messages"]),
        "put": put,
        "loops": over,
        "low": low,
    }


def _strided(load: View, put: View, last: View, m: int) -> tuple[View, View]:
    """Return where vectors are loaded and stored, with rows `step` and `far` apart; the first
    butterflies load rows m apart.
    """
    row = [(1, "step * i")] if m > 1 else []
    digits = [(weight, f"far * {digit}") for weight, digit in last["digits"]]
    at, to = total([(1, "at"), (1, "j"), *row]), total([(1, "to"), (1, "j"), *digits])
    step, far = total([(m, "step")]), total([(last["weight"], "far")])
    return load | {"at": at, "step": step}, put | {"at": to, "step": far}


def _apart(kernel: Kernel, put: View) -> View:
    """Return where vectors are stored whose rows lie apart, from the place `to` on."""
    *digits, ((_, step),) = parts_of_rows(fourier_kernels.radices(kernel.d), kernel.put)
    named = zip(DIGITS, digits, strict=False)
    terms = [(far, part.format(name)) for name, found in named for part, far in found]
    return put | {"at": total([(1, "to"), (1, "j"), *terms]), "step": step}


def storing(kernel: Kernel, found: View, in_place: bool) -> list[str]:
    """Return the lines that store what the last butterflies have GIVEN: in place as messages, where
    these are the rows of a transform.
    """
    put, last = found["put"], found["last"]
    place = f"y, {put['at']}, {put['step']}"
    dealt = f"{place}, {put['far']}, {kernel.parts}"
    if in_place:
        rows = (total([*last["digits"], (last["weight"] * i, "")]) for i in range(last["r"]))
        at = "at + i + j" if found["low"] else "at + j"
        stores = (f"store_pairs(x[{q}], {at}, 0, v[{i}:{i + 1}])" for i, q in enumerate(rows))
        return ["v = GIVEN", *stores]
    if kernel.parts == 1:
        how = (f"put_pairs({place}, GIVEN, streamed)", f"store_pairs({place}, GIVEN)")
        return [how[not kernel.streams]]
    past = ["v = GIVEN", "if streamed:", f"    stream_dealt({dealt}, v)", "else:"]
    return [*past, f"    deal({dealt}, v)"] if kernel.streams else [f"deal({dealt}, GIVEN)"]


def _loaded(kernel: Kernel, at: Terms, step: int, r: int) -> View:
    """Return where r vectors lie, so far apart: in one array, or in which messages and where."""
    found = {"at": total(at), "inside": total(at[1:]), "step": step, "r": r, "messages": []}
    if kernel.size:
        each = max(1, min(r, kernel.size // step))
        from_first = kernel.d * kernel.c == kernel.size * kernel.messages and step <= kernel.size
        message, place = ("", "place") if from_first else ("q", "o")
        further = range(0, r * step, each * step)
        first = [(1, message)] if message else []
        numbers = [total([*first, (far // kernel.size, "")]) for far in further]
        divided = [f"q, o = place // {kernel.size}, place % {kernel.size}"] * (place == "o")
        found |= {"messages": numbers, "place": place, "each": each, "divided": divided}
    return found


def _reversed(kernel: Kernel, r: int, m: int, n2: int) -> View:
    """Return where r vectors lie of which vector i has the elements (i m + a) n2 + j, j + 1, ..,
    each at the place that has its bits in reverse order: W of them in each of W lines that lie far
    apart, for vectors of each number of lanes.
    """
    back = [(r, f"in_reverse(i, {lg(m)})")] if m > 1 else []
    lanes = [w for w in (2, 4, 8) if w <= kernel.lanes]
    starts = {w: [total([(1, "place"), (g, "")]) for g in range(0, r, w)] for w in lanes}
    at = total([(1, "at"), *back, (r * m, f"in_reverse(j, {lg(n2)})")])
    forms = [(w, kernel.d // w, starts[w]) for w in lanes[::-1]]
    return {"at": at, "step": 0, "r": r, "messages": [], "forms": forms}


def _stored(kernel: Kernel, first: str, unit: int, last: View) -> View:
    """Return where the results of the last butterflies go: entry k of vector `first` to place
    first + unit k, or that to its part.
    """
    parts, step = kernel.parts, unit * last["weight"] // kernel.parts
    far = kernel.d * kernel.c // parts
    digits = [(unit // parts * weight, digit) for weight, digit in last["digits"]]
    column = f"({first})" if " " in first else first
    dealt = [(far, f"({column} % {parts})"), (1, f"{column} // {parts}")]
    place = [(1, "at"), *(dealt if parts > 1 else [(1, first)] if first else []), *digits]
    return {"at": total(place), "step": step, "far": far}


def two_passes(kernel: Kernel, one_table: int) -> View:
    """Return the loops of F_d = L (I_r ⊗ F_n2) T (F_r ⊗ I_n2); with more radices than r in the
    first pass, of F_d = L (I_n1 ⊗ F_n2) T (F_n1 ⊗ I_n2).
    """
    d, (r, rest, rows) = kernel.d, fourier_kernels.two_passes(kernel.d)
    m, n2, roots = prod(rest), prod(rows), Roots()
    n1, row = r * m, n2 + PADDING
    edge = one = None
    if m > 1 and d <= one_table:
        one = roots.put(d, "between_vectors", n1, n2, r, rest[-1])
    else:
        edge = roots.put((r - 1) * n2, "after_columns", d, r, n2)
    if kernel.reverses:
        load = _reversed(kernel, r, m, n2)
    else:
        load = _loaded(kernel, [(1, "at"), (1, "j"), (n2 if m > 1 else 0, "i")], m * n2, r)
    first = {
        "load": load,
        "edge": "" if edge is None else total([(edge, ""), (r - 1, "j")]),
        "inner": None,
    }
    if m > 1:
        first |= _rest(kernel, one, roots)
    found = all_stages(rows, roots, 3)
    several = [(1, "i * W")] if found["first"] else []
    at, step = total([(row, "k"), *several]), vectors([(prod(rows[1:]), "")])
    return found | {
        "kind": "two_passes",
        "low": 0,
        "roots": roots,
        "line": max(line_of(rows), r * (m + PADDING) if m > 1 else 0),
        "room": n1 * row,
        "n1": n1,
        "n2": n2,
        "row": row,
        "one": first,
        "apart": [load] * bool(load["messages"]),
        "load": {"at": at, "step": step, "r": rows[0]},
        "put": _stored(kernel, "k", n1, found["last"]),
    }


def _rest(kernel: Kernel, one: int | None, roots: Roots) -> View:
    """Return the loops of the first pass after butterflies of radix r and a transpose: a line for
    each column, with W results as its lanes, for the rest of F_n1 and T; `one` is the place of T
    where it is one table.
    """
    r, rest, rows = fourier_kernels.two_passes(kernel.d)
    m, n2 = prod(rest), prod(rows)
    row = n2 + PADDING
    inner = _stage(r, m, [(1, "i")], m + PADDING, roots.of_stage(r * m, r), 3)
    places = roots.of_stages(rest)
    stages, last = on_line(rest, places, [(m + PADDING, "(k + lane)")], 5)
    digits, weight = last["digits"], last["weight"]
    used = total([(m, "(j + lane)"), *((last["r"] * w, digit) for w, digit in digits)])
    if one is None:
        two = roots.put(n2 * m, "between_columns", n2, m, last["r"])
        turn = f"broadcast(roots, {total([(two, '')])} + {used}, 1, {last['r']})"
    else:
        turn = f"load(roots, {total([(one, ''), (n2 * m, 'k')])} + ({used}) * W, W, {last['r']})"
    room = [(row, "k"), *((row * r * w, digit) for w, digit in digits), (1, "(j + lane) * W")]
    return {
        "inner": inner,
        "stages": stages,
        "last": last,
        "turn": turn,
        "at": total(room),
        "step": weight * r * row,
        "put": "stream" if kernel.d >= fourier_kernels.WORK_STREAMED else "store",
    }


def half(kernel: HalfKernel) -> View:
    """Return the loops of one half of F_2 ⊗ I_c; its twiddles are products of two tables."""
    return {
        "kind": "half",
        "roots": Roots(),
        "line": 0,
        "room": 0,
        "apart": [],
        "low": low_of(kernel),
    }


def low_of(kernel: Kernel | HalfKernel) -> int:
    """Return how many entries the first of two tables of twiddles has: whole vectors."""
    return min(kernel.c, max(LANES, 1 << kernel.c.bit_length() // 2))
