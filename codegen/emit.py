"""From a program to its text: the one door to jinja2. Python decides here, the template prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from codegen.cost import count
from codegen.move import inverse_offsets, is_transpose, runs
from codegen.supersteps import AllToAll, Exchange, Local, Move, Program, Twiddle
from derive.bits import Affine
from derive.layout import Layout

DIRECTIONS = ("forward", "backward")
NORMS = ("backward", "ortho", "forward")
KERNELS = ("numpy",)
DTYPES = ("complex128", "complex64")

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
        for name, value, known in (
            ("direction", self.direction, DIRECTIONS),
            ("norm", self.norm, NORMS),
            ("kernels", self.kernels, KERNELS),
            ("dtype", self.dtype, DTYPES),
        ):
            if value not in known:
                raise ValueError(f"unknown {name} {value!r}: choose from {', '.join(known)}")


def emit(program: Program, options: Options = Options()) -> str:
    """Return the text of the node program.

    >>> from codegen.lower import build
    >>> emit(build("fft", 16, 2)).splitlines()[0]
    '\"\"\"Discrete Fourier transform of N = 16 elements on P = 2 ranks: forward, complex128, numpy kernels.'
    """
    return _ENVIRONMENT.get_template("program.py.jinja").render(_view(program, options))


def _view(program: Program, options: Options) -> dict[str, Any]:
    """Return everything that the template prints."""
    forward = options.direction == "forward"
    scale = _scale(program.N, options)
    return {
        "title": f"Discrete Fourier transform of N = {program.N} elements on P = {program.P} ranks: "
        f"{options.direction}, {options.dtype}, {options.kernels} kernels.",
        "statement": _statement(program, options),
        "factorization": str(program.equation),
        "matrix": _matrix(program, options),
        "command": command(program, options),
        "input_place": _where(program.input, "x[j]"),
        "output_place": _where(program.output, "y[j]"),
        "cost": count(program),
        "transform": _quoted("fft"),
        "N": program.N,
        "P": program.P,
        "M": program.M,
        "input": _quoted(program.input.name),
        "output": _quoted(program.output.name),
        "direction": _quoted(options.direction),
        "norm": _quoted(options.norm),
        "kernels": _quoted(options.kernels),
        "exchange": _quoted(options.exchange),
        "dtype": _quoted(options.dtype),
        "sign": -1 if forward else 1,
        "scale": scale,
        "scaled": scale != "1",
        "steps": _rows(program),
        "input_address": _map(program.input.address),
        "input_index": _map(program.input.address.inverse()),
        "output_address": _map(program.output.address),
        "output_index": _map(program.output.address.inverse()),
        "reference": "fft" if forward else "ifft",
    }


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _scale(N: int, options: Options) -> str:
    """Return the factor on the result as an expression in N (numpy's norms)."""
    whole = "backward" if options.direction == "backward" else "forward"
    return {whole: "1 / N", "ortho": "N**-0.5"}.get(options.norm, "1")


def _matrix(program: Program, options: Options) -> str:
    factor = {"1": "", "1 / N": f"1/{program.N} ", "N**-0.5": f"{program.N}^(-1/2) "}[_scale(program.N, options)]
    return f"{factor}F_{program.N}"


def _statement(program: Program, options: Options) -> str:
    sign = "-" if options.direction == "forward" else ""
    return f"y = {_matrix(program, options)} x,   F_{program.N}[j, k] = w^(jk),   w = exp({sign}2 pi i / {program.N})"


def command(program: Program, options: Options) -> str:
    """Return the command that makes this program.

    >>> from codegen.lower import build
    >>> command(build("fft", 16, 2, "cyclic"), Options())
    'nodewright generate fft --size 16 --ranks 2 --input cyclic'
    """
    words = [f"nodewright generate fft --size {program.N} --ranks {program.P}"]
    words += [f"--{name} {layout}" for name, layout in (("input", program.input.name), ("output", program.output.name)) if layout != "block"]
    default = Options()
    words += [f"--{name} {value}" for name, value in vars(options).items() if value != getattr(default, name)]
    return " ".join(words)


def _where(layout: Layout, element: str) -> str:
    """Return in words where an element lives."""
    M, P = 1 << layout.m, 1 << layout.p
    meaning = {
        "block": f"rank j div {M}, offset j mod {M}",
        "cyclic": f"rank j mod {P}, offset j div {P}",
    }
    return f"{layout.name}: {element} lives on {meaning.get(layout.name, 'the rank and offset that the bit matrix below gives')}"


def _rows(program: Program) -> list[dict[str, str]]:
    """Return the supersteps as the rows of the table: a move with the local computation after it."""
    pairs: list[tuple[Move | None, Local | None]] = []
    for step in program.steps:
        if isinstance(step, Local) and pairs and pairs[-1][1] is None:
            pairs[-1] = (pairs[-1][0], step)
        else:
            pairs.append((step, None) if isinstance(step, Move) else (None, step))
    changes = [""] * len(pairs)
    changes[0], changes[-1] = _change("from", program.input), _change("to", program.output) or changes[-1]
    return [
        {"comment": _comment(pair, change), "move": _move(pair[0], program), "local": _local(pair[1], program)}
        for pair, change in zip(pairs, changes, strict=True)
    ]


def _change(word: str, layout: Layout) -> str:
    return "" if layout.name == "block" else f"{word} {layout.name}"


def _comment(pair: tuple[Move | None, Local | None], change: str) -> str:
    """Return the factors of the formula that a row carries out."""
    move, local = pair
    words = []
    if move:
        words.append("move " + " ".join([*([change] if change else []), *map(str, move.factors)]))
    if local:
        words.append("compute " + " ".join(map(str, local.factors)))
    return ", then ".join(words)


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


def _local(local: Local | None, program: Program) -> str:
    if local is None:
        return "None"
    return f"({_twiddle(local.twiddle, program.input.m)}, {local.copies}, {local.d}, {local.c})"


def _twiddle(twiddle: Twiddle | None, m: int) -> str:
    if twiddle is None:
        return "None"
    i, j = (f"({_columns(part.columns[:m])}, {_columns(part.columns[m:])})" for part in (twiddle.i, twiddle.j))
    return f"({twiddle.order}, {i}, {j})"


def _map(address: Affine) -> str:
    return f"({_columns(address.columns)}, {address.c})"


def _columns(columns: Any) -> str:
    return str(tuple(columns))
