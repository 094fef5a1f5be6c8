"""From a program to its text: the one door to jinja2. Python decides here, the template prints."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from codegen.cost import count
from codegen.move import inverse_offsets, is_transpose, runs
from codegen.supersteps import AllToAll, Exchange, Local, Move, Program, Twiddle
from derive.bits import Affine
from derive.bmmc import NAMED, named
from derive.formula import Bmmc
from derive.layout import Layout
from derive.permute import affine

DIRECTIONS = ("forward", "backward")
NORMS = ("backward", "ortho", "forward")
KERNELS = ("numpy",)
DTYPES = ("complex128", "complex64")
"""Of a Fourier transform; a permutation takes every dtype of fixed size."""

_ENVIRONMENT = Environment(
    loader=PackageLoader("codegen"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False
)


@dataclass(frozen=True)
class Options:
    """What is chosen apart from the supersteps; raises ValueError for an unknown value."""

    direction: str = "forward"
    norm: str = "backward"
    kernels: str = "numpy"
    exchange: str = "alltoall"
    dtype: str = "complex128"

    def __post_init__(self) -> None:
        for name, value, known in (("direction", self.direction, DIRECTIONS), ("norm", self.norm, NORMS), ("kernels", self.kernels, KERNELS)):
            if value not in known:
                raise ValueError(f"unknown {name} {value!r}: choose from {', '.join(known)}")


def emit(program: Program, options: Options = Options()) -> str:
    """Return the text of the node program.

    Raises ValueError for a dtype that the system does not take.

    >>> from codegen.lower import build
    >>> emit(build("fft", 16, 2)).splitlines()[0]
    '\"\"\"Discrete Fourier transform of N = 16 elements on P = 2 ranks: forward, complex128, numpy kernels.'
    """
    view = _common(program, options) | (_fourier if program.system == "fft" else _permutation)(program, options)
    return _ENVIRONMENT.get_template(f"{program.system}.py.jinja").render(view)


def _common(program: Program, options: Options) -> dict[str, Any]:
    """Return what the template of every system prints."""
    return {
        "command": _escaped(command(program, options)),
        "input_place": _where(program.input, "x[j]"),
        "output_place": _where(program.output, "y[j]"),
        "cost": count(program),
        "transform": _quoted(program.system),
        "N": program.N,
        "P": program.P,
        "M": program.M,
        "input": _quoted(program.input.name),
        "output": _quoted(program.output.name),
        "kernels": _quoted(options.kernels),
        "exchange": _quoted(options.exchange),
        "steps": _rows(program),
        "computes": any(isinstance(step, Local) for step in program.steps),
        "input_address": _map(program.input.address),
        "input_index": _map(program.input.address.inverse()),
        "output_address": _map(program.output.address),
        "output_index": _map(program.output.address.inverse()),
    }


def _fourier(program: Program, options: Options) -> dict[str, Any]:
    """Return what the Fourier transform prints beside."""
    if options.dtype not in DTYPES:
        raise ValueError(f"unknown dtype {options.dtype!r}: choose from {', '.join(DTYPES)}")
    N, forward, scale = program.N, options.direction == "forward", _scale(program.N, options)
    matrix = {"1": "", "1 / N": f"1/{N} ", "N**-0.5": f"{N}^(-1/2) "}[scale] + f"F_{N}"
    sign = "-" if forward else ""
    return {
        "title": f"Discrete Fourier transform of N = {N} elements on P = {program.P} ranks: "
        f"{options.direction}, {options.dtype}, {options.kernels} kernels.",
        "statements": [f"y = {matrix} x,   F_{N}[j, k] = w^(jk),   w = exp({sign}2 pi i / {N})", _escaped(str(program.equation))],
        "postcondition": f"y = {matrix} x",
        "direction": _quoted(options.direction),
        "norm": _quoted(options.norm),
        "dtype": _quoted(options.dtype),
        "as_bytes": "",
        "sign": -1 if forward else 1,
        "scale": scale,
        "scaled": scale != "1",
        "reference": "fft" if forward else "ifft",
    }


def _permutation(program: Program, options: Options) -> dict[str, Any]:
    """Return what a permutation prints beside."""
    dtype = fixed_size(options.dtype)
    return {
        "title": f"BMMC permutation of N = {program.N} elements of {dtype} on P = {program.P} ranks: {options.kernels} kernels.",
        "statements": ["y[A j + c] = x[j], A a bit matrix, c a complement, arithmetic over GF(2)", _escaped(str(program.equation))],
        "postcondition": "y[A j + c] = x[j]",
        "permutation": _map(affine(program.equation.left)),
        "dtype": _quoted(options.dtype),
        "as_bytes": "" if dtype.kind in "biufc" else ".view(np.uint8)",
    }


def fixed_size(name: str) -> np.dtype[Any]:
    """Return the dtype that numpy gives a name: float64, complex64, S5, "i4,f8" for a record.

    Raises ValueError for no dtype, one of Python objects, and one without bytes.

    >>> fixed_size("i4,f8").itemsize
    12
    """
    try:
        dtype = np.dtype(name)
    except (TypeError, ValueError, SyntaxError) as error:
        raise ValueError(f"unknown dtype {name!r}: one that numpy knows by name, such as float64 or i4,f8") from error
    if dtype.hasobject or dtype.itemsize == 0:
        raise ValueError(f"dtype {name!r} of {dtype.itemsize} bytes holds objects or nothing: an element has a fixed number of bytes")
    return dtype


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _escaped(text: str) -> str:
    """Return a text as it stands in a docstring or a comment, on one line: names of files may hold anything."""
    return _quoted(text)[1:-1]


def _scale(N: int, options: Options) -> str:
    """Return the factor on the result as an expression in N (numpy's norms)."""
    whole = "backward" if options.direction == "backward" else "forward"
    return {whole: "1 / N", "ortho": "N**-0.5"}.get(options.norm, "1")


def command(program: Program, options: Options) -> str:
    """Return the command that makes this program.

    >>> from codegen.lower import build
    >>> command(build("fft", 16, 2, "cyclic"), Options())
    'nodewright generate fft --size 16 --ranks 2 --input cyclic'
    """
    words = [f"nodewright generate {program.system} --size {program.N} --ranks {program.P}"]
    if isinstance(program.equation.left, Bmmc):
        words.append(_stated(program.equation.left))
    words += [
        f"--{name} {shlex.quote(layout)}" for name, layout in (("input", program.input.name), ("output", program.output.name)) if layout != "block"
    ]
    default = Options()
    words += [f"--{name} {shlex.quote(value)}" for name, value in vars(options).items() if value != getattr(default, name)]
    return " ".join(words)


def _stated(permutation: Bmmc) -> str:
    """Return the options that state a permutation."""
    named_permutation = permutation.name.partition(":")[0] in (*NAMED, "transpose")
    c = permutation.address.c ^ (named(permutation.name, permutation.address.bits).c if named_permutation else 0)
    by = f"--name {permutation.name}" if named_permutation else f"--matrix {shlex.quote(permutation.name)}"
    return by + (f" --complement {c}" if c else "")


def _where(layout: Layout, element: str) -> str:
    """Return in words where an element lives."""
    M, P = 1 << layout.m, 1 << layout.p
    meaning = {
        "block": f"rank j div {M}, offset j mod {M}",
        "cyclic": f"rank j mod {P}, offset j div {P}",
    }
    return f"{_escaped(layout.name)}: {element} lives on {meaning.get(layout.name, 'the rank and offset that the bit matrix below gives')}"


def _rows(program: Program) -> list[dict[str, str]]:
    """Return the supersteps as the rows of the table: a move with the local computations after it."""
    rows: list[tuple[Move | None, list[Local]]] = []
    for step in program.steps:
        if isinstance(step, Move):
            rows.append((step, []))
        else:
            rows = rows or [(None, [])]
            rows[-1][1].append(step)
    changes = [""] * len(rows)
    if rows:
        changes[0], changes[-1] = _change("from", program.input), _change("to", program.output) or changes[-1]
    return [
        {"comment": _comment(move, locals_, change), "move": _move(move, program), "locals": _locals(locals_, program)}
        for (move, locals_), change in zip(rows, changes, strict=True)
    ]


def _change(word: str, layout: Layout) -> str:
    return "" if layout.name == "block" else f"{word} {layout.name}"


def _comment(move: Move | None, locals_: list[Local], change: str) -> str:
    """Return the factors of the formula that a row carries out."""
    words = []
    if move:
        words.append("move " + " ".join([*([change] if change else []), *map(str, move.factors)]))
    if locals_:
        words.append("compute " + " ".join(str(factor) for local in reversed(locals_) for factor in local.factors))
    return _escaped(", then ".join(words))


def _move(move: Move | None, program: Program) -> str:
    if move is None:
        return "None"
    m = program.input.m
    return f"({_rearrangement(move.pack, m)}, {_exchange(move.exchange)}, {_rearrangement(move.unpack, m)})"


def _rearrangement(offset: Affine, m: int) -> str:
    if not is_transpose(offset, m):
        back = inverse_offsets(offset, m)
        return f'("take", {_columns(back.columns[:m])}, {_columns(back.columns[m:])}, {back.c})'
    found = runs(offset, m)
    if len(found) <= 1:
        return "None"
    by_source = sorted(found, reverse=True)
    axes = [by_source.index(run) for run in reversed(found)]
    return f'("axes", {_columns(1 << bits for _, _, bits in by_source)}, {_columns(axes)})'


def _exchange(exchange: Exchange | None) -> str:
    if exchange is None:
        return "None"
    if isinstance(exchange, AllToAll):
        return f'("alltoall", {_columns(exchange.basis)})'
    back = exchange.delta.linear.inverse()
    return f'("rounds", {_columns(exchange.gamma.columns)}, {_columns(exchange.delta.columns)}, {_columns(back.columns)}, {exchange.delta.c})'


def _locals(locals_: list[Local], program: Program) -> str:
    """Return local computations as a tuple of tuples."""
    m = program.input.m
    texts = [f"({_twiddle(local.twiddle, m)}, {local.copies}, {local.d}, {local.c})" for local in locals_]
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def _twiddle(twiddle: Twiddle | None, m: int) -> str:
    if twiddle is None:
        return "None"
    i, j = (f"({_columns(part.columns[:m])}, {_columns(part.columns[m:])})" for part in (twiddle.i, twiddle.j))
    return f"({twiddle.order}, {i}, {j})"


def _map(address: Affine) -> str:
    return f"({_columns(address.columns)}, {address.c})"


def _columns(columns: Any) -> str:
    return str(tuple(columns))
