"""From a program to its text: Python decides here, the template prints."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from codegen import hartley_view
from codegen.arranging import entry, kernel, of_messages, transpose_of
from codegen.cost import count
from codegen.hartley import ALGORITHMS, Hartley
from codegen.kernels import fourier
from codegen.lower import FORMULA, SHARED, between_two, default_output, unsplit
from codegen.overlap import part_bits
from codegen.printing import printed
from codegen.room import room as room_of
from codegen.room import twiddles_of_a_stage
from codegen.supersteps import Across, AllToAll, Butterflies, Exchange, Local, Move, Overlap, Program, Step, Twiddle
from derive.bits import Affine
from derive.bmmc import NAMED, named
from derive.formula import Bmmc
from derive.hartley_ranks import HalfSpectrum, HartleyLayout
from derive.layout import Layout, Placement
from derive.permute import affine

Row = tuple[Move | None, int, list[Local | Butterflies | Across]]
"""A move, the bits of its parts if it is overlapped, and what is computed after it."""
DIRECTIONS = ("forward", "backward")
NORMS = ("backward", "ortho", "forward")
KERNELS = ("numpy", "numba", "pyfftw", "gray")
KERNELS_OF = {
    "permute": ("numpy", "numba", "gray"),
    "fft": ("numpy", "numba", "pyfftw"),
    "fht": ("numpy", "numba"),
    "hypercube-fft": ("numpy", "numba"),
}
"""The kernels of the systems that have others than numpy's."""
BUTTERFLY_KERNELS = ("numpy", "numba")
"""The kernels that generalized butterflies are written for."""
WITHOUT_ONES = 2**14
"""From so many elements of a rank on, tables of twiddles begin with the first that is not 1: that is half of a table for F_2 between two ranks."""
DTYPES = ("complex128", "complex64")
"""Of a Fourier transform; a permutation takes every dtype of fixed size."""

KNOWN_TO_MPI = "?bBhHiIlLqQfdgFDG"
"""numpy's letters of the types that are sent as what they are; others are sent as bytes."""

STAGES = ("transform", "exchange", "butterflies", "overlapped", "across")
"""The kinds of supersteps of a hypercube FFT, by the names of their classes."""


@dataclass(frozen=True)
class Options:
    """What is chosen apart from the supersteps; raises ValueError for an unknown value."""

    direction: str = "forward"
    norm: str = "backward"
    kernels: str = "numpy"
    exchange: str = "alltoall"
    dtype: str = "complex128"
    result: str = "hartley"
    convolve: bool = False

    def __post_init__(self) -> None:
        for name, value, known in (("direction", self.direction, DIRECTIONS), ("norm", self.norm, NORMS), ("kernels", self.kernels, KERNELS)):
            if value not in known:
                raise ValueError(f"unknown {name} {value!r}: choose from {', '.join(known)}")


def emit(program: Program, options: Options = Options()) -> str:
    """Return the text of the node program.

    Raises ValueError for a dtype, kernels or a direction that the system does not have.

    >>> from codegen.lower import build
    >>> emit(build("fft", 16, 2)).splitlines()[0]
    '\"\"\"Discrete Fourier transform of N = 16 elements on P = 2 ranks: forward, complex128, numpy kernels.'
    """
    known = kernels_of(program.system)
    if _generalized(program) and options.kernels not in BUTTERFLY_KERNELS:
        raise ValueError(f"local {program.local} with {options.kernels} kernels: butterflies are written for {' and '.join(BUTTERFLY_KERNELS)}")
    if options.kernels not in known:
        raise ValueError(f"{program.system} has no {options.kernels} kernels: its kernels are {', '.join(known)}")
    if program.system == "permute" and (options.direction, options.norm) != (DIRECTIONS[0], NORMS[0]):
        raise ValueError(
            f"permute: direction {options.direction}, norm {options.norm}: a permutation has neither; its inverse is a permutation of its own"
        )
    if program.system != "fht" and (options.result, options.convolve) != ("hartley", False):
        raise ValueError(f"{program.system}: result {options.result}, convolve {options.convolve}: only fht has these")
    if options.result == "dft" and isinstance(program.output, HartleyLayout):
        program = replace(program, output=HalfSpectrum(program.output.n, program.output.p))
    if options.kernels != KERNELS[0]:
        program = unsplit(program, options.exchange)
    if program.system == "fft" and options.kernels == "numba":
        program = between_two(program, options.exchange)
        m, shared = program.input.m, options.exchange == SHARED
        steps = fourier.reversing(program.steps, m) if _generalized(program) else fourier.fused(program.steps, m, shared)
        program = replace(program, steps=steps)
    if program.system == "hypercube-fft" and options.kernels == "numba":
        program = replace(program, steps=fourier.reversing(program.steps, program.input.m))
    views = {"fft": _fourier, "permute": _permutation, "hypercube-fft": _hypercube, "fht": _hartley}
    view = _common(program, options) | views[program.system](program, options)
    return printed(f"{_template(program, options)}.py.jinja", view)


def _template(program: Program, options: Options) -> str:
    """Return the name of the template."""
    if _generalized(program):
        return "butterflies" if options.kernels == KERNELS[0] else "butterfly_kernels"
    return "fht_kernels" if program.system == "fht" and options.kernels == "numba" else program.system


def kernels_of(system: str) -> tuple[str, ...]:
    """Return the kernels that programs of a system can have.

    >>> kernels_of("permute")
    ('numpy', 'numba', 'gray')
    """
    return KERNELS_OF.get(system, KERNELS[:1])


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
        "array": "np.empty",
        "exchange": _quoted(options.exchange),
        "together": options.exchange == "alltoall" and program.P <= program.M,  # so that a rank's table of counts is not larger than its part
        "shared": options.exchange == SHARED,
        "rooms": False,
        "joins": _joins(program, options),
        "steps": [] if program.scheme else _rows(program, options),
        "computes": any(isinstance(step, Local | Butterflies | Across) for step in program.steps),
        "across": False,
        **_run(program, options),
        **{f"input_{name}": text for name, text in _maps(program.input).items()},
        **{f"output_{name}": text for name, text in _maps(program.output).items()},
    }


def _joins(program: Program, options: Options) -> str:
    """Return the condition under which what is computed after an exchange reads its messages where they lie."""
    if options.kernels == "numba" and program.system == "fft" and not _generalized(program):
        return "(unpack is None and locals_ and reads_apart(locals_[0]))"
    return "unpack is None" if options.kernels == KERNELS[0] and not _generalized(program) else ""


def _generalized(program: Program) -> bool:
    """Return whether the phases of a program are generalized butterflies."""
    return any(isinstance(step, Butterflies) for step in program.steps)


def _maps(layout: Placement) -> dict[str, str]:
    """Return the bit matrices of a layout and of its inverse; None where it is not affine."""
    if not isinstance(layout, Layout):
        return {"address": "None", "index": "None"}
    return {"address": _map(layout.address), "index": _map(layout.inverse)}


def _fourier(program: Program, options: Options) -> dict[str, Any]:
    """Return what the Fourier transform prints beside."""
    if options.dtype not in DTYPES:
        raise ValueError(f"unknown dtype {options.dtype!r}: choose from {', '.join(DTYPES)}")
    N, forward, scale = program.N, options.direction == "forward", _scale(program.N, options)
    matrix = {"1": "", "1 / N": f"1/{N} ", "N**-0.5": f"{N}^(-1/2) "}[scale] + f"F_{N}"
    sign, numba = "-" if forward else "", options.kernels == "numba"
    overlaps = any(isinstance(step, Overlap) for step in program.steps)
    computed = [step for step in program.steps if isinstance(step, Local) or (isinstance(step, Across) and program.system == "fft")]
    if program.system == "fft" and options.kernels != KERNELS[0] and overlaps:
        raise ValueError(f"exchange overlapped with {options.kernels} kernels: what is computed in parts is written for {KERNELS[0]}")
    return {
        "title": f"Discrete Fourier transform of N = {N} elements on P = {program.P} ranks: "
        f"{options.direction}, {options.dtype}, {options.kernels} kernels.",
        "statements": [f"y = {matrix} x,   F_{N}[j, k] = w^(jk),   w = exp({sign}2 pi i / {N})", _escaped(str(program.equation))],
        "postcondition": f"y = {matrix} x",
        "direction": _quoted(options.direction),
        "norm": _quoted(options.norm),
        "factorization": _quoted(program.equation.source) if program.equation.name == FORMULA else "",
        "choices": {"PHASES": _quoted(program.phases) if program.phases else "", "LOCAL": _quoted(program.local) if program.local else ""},
        "dtype": _quoted(options.dtype),
        "as_bytes": "",
        "sign": -1 if forward else 1,
        "scale": scale,
        "overlaps": overlaps,
        "from_first": program.M >= WITHOUT_ONES and not overlaps,
        "scaled": scale != "1",
        "reference": "fft" if forward else "ifft",
        **({"array": "aligned", "rooms": bool(computed)} | fourier.view(computed, program.M) if numba else {}),
        "reverses": any(isinstance(step, fourier.ReversedStages) for step in program.steps),
    }


def _hartley(program: Program, options: Options) -> dict[str, Any]:
    """Return what the Hartley transform prints beside."""

    def row(move: Move | None, meaning: str) -> dict[str, str]:
        return {"comment": _escaped(meaning), "move": _move(move, program, options)}

    chosen = options.direction, options.norm, options.kernels, options.dtype, options.result, options.convolve
    return hartley_view.view(program, *chosen, _scale(program.N, options), options.exchange, row)


def _hypercube(program: Program, options: Options) -> dict[str, Any]:
    """Return what a hypercube FFT prints beside: its supersteps one by one, and the elements of its tables and work arrays."""
    room, stages = room_of(program), [_stage(i, step, program, options) for i, step in enumerate(program.steps)]
    used = [kind for kind in STAGES if any(text.startswith(f'("{kind}"') for _, text in stages)]
    of_kernels = _hypercube_kernels(program) if options.kernels != KERNELS[0] else {}
    return _fourier(program, options) | {
        "overlaps": False,
        "scheme": _quoted(program.scheme),
        "stages": [{"comment": comment, "text": text} for comment, text in stages],
        "kinds": "{" + ", ".join(f'"{kind}": {kind.capitalize()}' for kind in used) + "}",
        "after": any(step.after for step in program.computations),
        "table": "M" if twiddles_of_a_stage(program) == program.M else "H",
        "work": {program.M: "M", program.M // 2: "H"}.get(room.work, "0"),
        "extra": "H" if room.extra else "0",
        "takes_home": False,
        "reverses": False,
        **of_kernels,
    }


BUTTERFLIES_OF = {Across: {"multiply": 3, "combine": 2}, Local: {"butterflies": 5}, Overlap: {"one_half": 4}}
"""The compiled functions for a step of a hypercube FFT, and how many addresses they take."""


def _hypercube_kernels(program: Program) -> dict[str, Any]:
    """Return what a hypercube FFT with compiled kernels prints of them."""
    kernels = fourier.used(_transforms(program))
    kinds = dict.fromkeys(type(step) for step in program.steps if not isinstance(step, Move) and step not in _transforms(program))
    functions = {name: count for kind in kinds for name, count in BUTTERFLIES_OF[kind].items()}
    past = program.scheme == "3" and not any(step.after for step in program.computations) and program.M // 2 >= fourier.STREAMED
    choosing = ("combine", "one_half", *["butterflies"] * past)
    return fourier.of_kernels(kernels, "DTYPE") | {
        "lanes": min([kernel.lanes for kernel in kernels] + [max(1, program.M // 2)]),
        "local_kernels": kernels,
        "array": "aligned",
        "functions": functions,
        "past": past,
        "takes_home": program.steps[:1] in [(step,) for step in _transforms(program)],
        "calls": [f"{name}({', '.join(['there'] * count)}, {'0, ' * (name in choosing)}0)" for name, count in functions.items()],
    }


def _transforms(program: Program) -> list[Local]:
    """Return the local transforms of a hypercube FFT, which are no butterflies between halves."""
    return [step for step in program.steps if isinstance(step, Local) and not step.is_butterfly]


def _stage(i: int, step: Step, program: Program, options: Options) -> tuple[str, str]:
    """Return (factors, text) of a superstep of a hypercube FFT."""
    m, last = program.input.m, len(program.steps) - 1
    match step:
        case Move(exchange=AllToAll((e,))) if 0 < i < last:
            return _comment(step, [], ""), f'("exchange", {e.bit_length() - 1})'
        case Move():
            change = _change("from", program.input) if i == 0 else _change("to", program.output)
            return _comment(step, [], change), f'("move", {_move(step, program, options)[1:-1]})'
        case Overlap(local, Move(exchange=AllToAll((e,))) as move):
            text = f'("overlapped", {_weights(local.twiddle, m - 1, m)}, {e.bit_length() - 1})'
            return f"{_comment(None, [local], '')}, {_comment(move, [], '')}", text
        case Across(twiddle, channel):
            return _comment(None, [step], ""), f'("across", {_weights(twiddle, m, m)}, {channel})'
        case Local(twiddle) if step.is_butterfly:
            return _comment(None, [step], ""), f'("butterflies", {_weights(twiddle, m - 1, m)})'
        case Local(None, copies, d, 1) if options.kernels == "numba":
            return _comment(None, [step], ""), f'("transform", {copies}, {d}, {fourier.used(_transforms(program)).index(fourier.kernel_of(step))})'
        case Local(None, copies, d, 1):
            return _comment(None, [step], ""), f'("transform", {copies}, {d})'
    raise ValueError(f"{step} has no text in a hypercube FFT")


def _weights(twiddle: Twiddle | None, offsets: int, m: int) -> str:
    """Return the twiddles of butterflies by the bits of an offset and of the rank; there are always some."""
    assert twiddle is not None, "butterflies have twiddles"
    return f"({twiddle.order}, {_columns(twiddle.j.columns[:offsets])}, {_columns(twiddle.j.columns[m:])})"


def _permutation(program: Program, options: Options) -> dict[str, Any]:
    """Return what a permutation prints beside."""
    dtype = fixed_size(options.dtype)
    return {
        "title": f"BMMC permutation of N = {program.N} elements of {dtype} on P = {program.P} ranks: {options.kernels} kernels.",
        "statements": ["y[A j + c] = x[j], A a bit matrix, c a complement, arithmetic over GF(2)", _escaped(_in_letters(program))],
        "postcondition": "y[A j + c] = x[j]",
        "permutation": _map(affine(program.equation.left)),
        "dtype": _quoted(options.dtype),
        "as_bytes": "" if dtype.isnative and dtype.char in KNOWN_TO_MPI else ".view(np.uint8)",
        "rearranges": any(not (row["move"].startswith("(None, ") and row["move"].endswith(", None)")) for row in _rows(program, options)),
        **(kernel(program.input.m, options.kernels, dtype.itemsize) if options.kernels != "numpy" else {}),
    }


def _in_letters(program: Program) -> str:
    """Return the equation of a permutation; one from a file goes by the name of the file."""
    name = program.equation.left.name if isinstance(program.equation.left, Bmmc) else ""
    return str(program.equation).replace(name, PurePath(name).stem.lstrip(".") if name else "")


def fixed_size(name: DTypeLike) -> np.dtype[Any]:
    """Return the dtype that numpy gives a name, or what else it takes for one: float64, complex64, S5, "i4,f8" for a record.

    Raises ValueError for no dtype, one of Python objects, and one without bytes.

    >>> fixed_size("i4,f8").itemsize
    12
    """
    try:
        dtype = np.dtype(name)
    except (TypeError, ValueError, SyntaxError) as error:
        raise ValueError(f"unknown dtype {str(name)!r}: one that numpy knows by name, such as float64 or i4,f8") from error
    if dtype.hasobject or dtype.itemsize == 0 or dtype.shape:
        raise ValueError(
            f"dtype {str(name)!r} of {dtype.itemsize} bytes holds objects, nothing or an array: an element has a fixed number of bytes and no shape"
        )
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
    own = program.equation.name == FORMULA
    what = f"--formula {shlex.quote(f'F_{program.N} = {program.equation.source}')}" if own else program.system
    words = [f"nodewright generate {what} --size {program.N} --ranks {program.P}"]
    words += [f"--{name} {value}" for name in ("scheme", "phases", "local") if (value := getattr(program, name))]
    if isinstance(program.equation.left, Bmmc):
        words.append(_stated(program.equation.left))
    words += [f"--algorithm {step.algorithm}" for step in program.steps if isinstance(step, Hartley) and step.algorithm != ALGORITHMS[0]]
    names = {"input": (program.input.name, "block"), "output": (program.output.name, default_output(program.system, program.input.name))}
    words += [f"--{name} {shlex.quote(layout)}" for name, (layout, default) in names.items() if layout not in (default, HalfSpectrum.name)]
    default = Options(dtype=default_dtype(program.system))
    words += [f"--{name} {shlex.quote(value)}" for name, value in vars(options).items() if name != "convolve" and value != getattr(default, name)]
    return " ".join(words + ["--convolve"] * options.convolve)


def default_dtype(system: str) -> str:
    """Return the type that a system takes where none is named."""
    return hartley_view.DTYPES[0] if system == "fht" else DTYPES[0]


def _stated(permutation: Bmmc) -> str:
    """Return the options that state a permutation."""
    named_permutation = permutation.name.partition(":")[0] in (*NAMED, "transpose")
    c = permutation.address.c ^ (named(permutation.name, permutation.address.bits).c if named_permutation else 0)
    by = f"--name {permutation.name}" if named_permutation else f"--matrix {shlex.quote(permutation.name)}"
    return by + (f" --complement {c}" if c else "")


def _where(layout: Placement, element: str) -> str:
    """Return in words where an element lives."""
    M, P = 1 << layout.m, 1 << layout.p
    meaning = {
        "block": f"rank j div {M}, offset j mod {M}",
        "cyclic": f"rank j mod {P}, offset j div {P}",
        "hartley": f"rank 0 at offset j div {P} if {P} divides j, else beside {element.replace('j', '-j')} on the rank that is j or -j mod {2 * P}",
        "half-spectrum": "the rank of index j div 2 in the hartley layout, y[2m] beside y[2m + 1]",
    }
    return f"{_escaped(layout.name)}: {element} lives on {meaning.get(layout.name, 'the rank and offset that the bit matrix below gives')}"


def _rows(program: Program, options: Options) -> list[dict[str, str]]:
    """Return the supersteps as the rows of the table: a move with the local computations after it."""
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
        changes[0], changes[-1] = _change("from", program.input), _change("to", program.output) or changes[-1]
    return [
        {
            "comment": _comment(move, locals_, change),
            "move": _moved(move, locals_, program, options, bits),
            "locals": _locals(locals_, program, options),
        }
        for (move, bits, locals_), change in zip(rows, changes, strict=True)
    ]


def _last_row(rows: list[Row]) -> Row:
    """Return the last row, the first of a program that starts with a computation."""
    if not rows:
        rows.append((None, 0, []))
    return rows[-1]


def _change(word: str, layout: Placement) -> str:
    return "" if layout.name == "block" else f"{word} {layout.name}"


def _comment(move: Move | None, locals_: Sequence[Local | Butterflies | Across], change: str) -> str:
    """Return the factors of the formula that a row carries out."""
    words = []
    if move:
        words.append("move " + " ".join([*([change] if change else []), *map(str, move.factors)]))
    if locals_:
        words.append("compute " + " ".join(str(factor) for local in reversed(locals_) for factor in local.factors))
    return _escaped(", then ".join(words))


def _moved(move: Move | None, locals_: Sequence[Local | Butterflies | Across], program: Program, options: Options, bits: int) -> str:
    """Return the move of a row; before F_2 between ranks both have all that the other has."""
    if not any(isinstance(step, Across) for step in locals_):
        return _move(move, program, options, bits)
    return '(None, ("all", (1,)), None)' if options.exchange == SHARED else '(None, ("rounds", (), (1,), (1,), 1), None)'


def _move(move: Move | None, program: Program, options: Options, part_bits: int = 0) -> str:
    if move is None:
        return "None"
    m, size, offsets = program.input.m, fixed_size(options.dtype).itemsize, (move.pack, move.unpack)
    kernels = options.kernels if program.system == "permute" else KERNELS[0]
    if _transposes(program, options):
        pack, unpack = (f'("axes", {shape}, (1, 0))' if (shape := transpose_of(offset, m)) else entry(offset, m, kernels, size) for offset in offsets)
    else:
        pack, unpack = (entry(offset, m, kernels, size) for offset in offsets)
    if options.exchange == SHARED and move.exchange is not None:
        unpack = of_messages(move.unpack, m, move.exchange.rank_gamma, unpack)
    return f"({pack}, {_exchange(move.exchange, part_bits)}, {unpack})"


def _transposes(program: Program, options: Options) -> bool:
    """Return whether arrays are transposed by a compiled kernel."""
    return program.system == "fft" and options.kernels == "numba"


def _run(program: Program, options: Options) -> dict[str, Any]:
    """Return what a program prints of the kernel that transposes arrays: lanes, 0 where there are none, and the rows that lie apart as messages."""
    m, moves = program.input.m, [step for step in program.steps if isinstance(step, Move)] if _transposes(program, options) else []
    shapes = [shape for move in moves for offset in (move.pack, move.unpack) if (shape := transpose_of(offset, m))]
    apart = [(shape[0], 1 << move.exchange.rank_gamma) for move in moves if move.exchange and (shape := transpose_of(move.unpack, m))]
    rows = {rows for rows, messages in apart if rows == messages <= fourier.MESSAGES} if options.exchange == SHARED else set()
    return {"run": min(min(min(shape) for shape in shapes), fourier.RUN) if shapes else 0, "run_messages": sorted(rows)}


def _exchange(exchange: Exchange | None, part_bits: int) -> str:
    if exchange is None:
        return "None"
    if isinstance(exchange, AllToAll) and part_bits:
        return f'("overlapped", {_columns(exchange.basis)}, {part_bits})'
    if isinstance(exchange, AllToAll):
        return f'("alltoall", {_columns(exchange.basis)})'
    back = exchange.delta.linear.inverse()
    return f'("rounds", {_columns(exchange.gamma.columns)}, {_columns(exchange.delta.columns)}, {_columns(back.columns)}, {exchange.delta.c})'


def _locals(locals_: list[Local | Butterflies | Across], program: Program, options: Options) -> str:
    """Return local computations as a tuple of tuples."""
    m, texts = program.input.m, []
    kernels = fourier.used((step for step in program.steps if isinstance(step, Local | Across)), program.M)
    for local in locals_:
        match local:
            case Across(Twiddle(order, _, j)):
                ranks = tuple(column | order // 2 for column in j.columns[m:])
                texts.append(f"({order}, {_columns(j.columns[:m])}, {ranks}, {kernels.index(fourier.kernel_of(local, program.M))})")
            case Local(twiddle, copies, d, c) if options.kernels == "numba":
                texts.append(f"({_twiddle(twiddle, m)}, {copies}, {d}, {c}, {kernels.index(fourier.kernel_of(local))})")
            case Local(twiddle, copies, d, c):
                texts.append(f"({_twiddle(twiddle, m)}, {copies}, {d}, {c})")
            case Butterflies(first, last, b, u, w):
                reverses = ', "reversed"' if isinstance(local, fourier.ReversedStages) else ""
                texts.append(f"({first}, {last}, {b}, {u}, {w}{reverses})")
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
