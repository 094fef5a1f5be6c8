"""From a program to its text: Python decides here, the template prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from codegen.elements import fixed_size
from codegen.emit import hartley_head, real, straight
from codegen.emit.program_constants import common, division, fourier_title
from codegen.emit.unequal import part_text
from codegen.emit.words import escaped, factor_of
from codegen.kernels.fusion import fused
from codegen.program.protocol import COMPLEX, PAIR
from codegen.program.supersteps import Program
from derive.call_arguments import counted
from derive.digits.digit_layouts import ArrayLayout
from derive.formula.permutation_matrices import Bmmc
from derive.formula.placement import Placement
from derive.printing import printed

KNOWN_TO_MPI = "?bBhHiIlLqQfdgFDG"
"""numpy's letters of the types that are sent as what they are; others are sent as bytes."""


def emit(program: Program) -> str:
    """Return the source of a program.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> emit(resolve(make_request("fft", 16, 2))).splitlines()[0]
    '\"\"\"Discrete Fourier transform of N = 16 elements on P = 2 ranks: forward, complex128, numpy kernels.'
    """  # noqa: E501
    if program.request.unequal:
        return part_text.text_of(program)
    program = fused(_stating_its_calls(program))
    views: dict[str, Callable[[Program], dict[str, Any]]] = {
        "fourier": _fourier,
        "permutation": _permutation,
        "hartley": real.view_of_arrays if program.in_pairs else hartley_head.view,
        "real": real.view,
        "formula": _formula,
        "modular": _modular,
    }
    view = _common(program) | views[program.request.record.view](program)
    return printed("codegen", "straight.py.jinja", view | straight.view(program))


MOST_COUNTED = 2**31 - 1
"""The most units in a message of MPI before 4.0, which counts in 32 bits."""


def _stating_its_calls(program: Program) -> Program:
    """Return a program with the exchange that it states: a permutation whose ranks send one message
    each is the same with all-to-all as with pairwise calls, which it has; one that stays shares no
    memory.
    """
    request, sent = program.request, program.exchanges
    if not request.record.permutes or any(each.messages > 1 for each in sent):
        return program
    stated = (request.way.single if sent else request.way.unsent) or request.exchange
    return replace(program, request=replace(request, exchange=stated))


def _common(program: Program) -> dict[str, Any]:
    """Return what the template of every system prints."""
    request = program.request
    return common(program) | {
        "input_place": _where(program.input, "x", "input_place"),
        "output_place": _where(program.output, "y", "output_place"),
        "divisions": {"input": division(program.input), "output": division(program.output)},
        "M": request.M,
        "as_bytes": ".view(DTYPE)" if program.in_pairs else "",
        "large": 0,
        "scale": request.scale,
        "array": "np.empty",
        "way": request.way,
        "pairs": program.in_pairs,
        "room": program.unit == COMPLEX,
        "in_halves": program.halves is not None,
        "moved": _moved(program),
        "shaped": _arrays(program),
    }


def _moved(program: Program) -> str:
    """Return how many numbers a trade moves, as an expression."""
    if program.halves:
        return "len(source)"  # pairs, or real elements
    return "G" if program.unit in (PAIR, COMPLEX) else "M"


def _arrays(program: Program) -> dict[str, tuple[int, ...]]:
    """Return the shapes of files and of a rank's parts where these have several axes."""
    ends = program.input, program.output
    if not program.is_shaped or not all(isinstance(end, ArrayLayout) for end in ends):
        return {}
    before, after = (end for end in ends if isinstance(end, ArrayLayout))
    return {"whole": before.shape, "input": before.local_shape, "output": after.local_shape}


def _where(layout: Placement, vector: str, place: str) -> str:
    """Return in words where an element of a vector lives."""
    M, P = layout.M, layout.P
    meaning = {
        "block": f"rank j div {M}, offset j mod {M}",
        "cyclic": f"rank j mod {P}, offset j div {P}",
        "hartley": (
            f"rank 0 at offset j div {P} if {P} divides j, else next to {vector}[-j]"
            f" on the rank that is j or -j mod {2 * P}"
            if P > 1
            else "rank 0, offset j"
        ),
        "half-spectrum": "the rank of index j div 2 in the hartley layout, y[2m] next to y[2m + 1]",
    }
    where = meaning.get(layout.name, f"the rank and offset that {place}(j) gives")
    lives = f"{vector}[j] lives on {where}"
    words = layout.words(vector) if isinstance(layout, ArrayLayout) else lives
    return f"{escaped(layout.name)}: {words}"


def _fourier(program: Program) -> dict[str, Any]:
    """Return what the Fourier transform prints beside."""
    request, N, forward = program.request, program.N, program.request.is_forward
    matrix, sign = factor_of(request) + str(program.equation.left), "-" if forward else ""
    size = " x ".join(map(str, request.shape)) if program.is_shaped else str(N)
    root, n = (
        (f"F_{N}[j, k] = w^(jk),   w", N)
        if not program.is_shaped
        else ("F_n[j, k] = w_n^(jk),   w_n", "n")
    )
    return {
        "title": fourier_title(request, f"{size} elements"),
        "statements": [
            f"y = {matrix} x,   {root} = exp({sign}2 pi i / {n})",
            escaped(str(program.equation)),
        ],
        "postcondition": f"y = {matrix} x",
        "sign": -1 if forward else 1,
        "normalised": request.norm == "backward"
        if request.shape and not request.formula
        else forward,
    }


def _formula(program: Program) -> dict[str, Any]:
    """Return what a program prints beside that computes a formula without roots of unity."""
    request = program.request
    computed = f"y = {factor_of(request)}{request.formula or program.equation.left} x"
    how = [request.direction] * request.record.directed + [
        request.dtype,
        f"{request.kernels} kernels",
    ]
    return {
        "title": (
            f"{request.record.title} of N = {request.N} elements on P ="
            f" {counted(request.P, 'rank')}: {', '.join(how)}."
        ),
        "statements": [computed, escaped(str(program.equation))],
        "postcondition": computed,
        "sign": -1,
        "normalised": True,
    }


def _modular(program: Program) -> dict[str, Any]:
    """Return what a transform of residues prints beside."""
    request, N = program.request, program.N
    computed = f"y = {factor_of(request)}F_{N} x modulo {request.modulus}"
    root = request.root if request.is_forward else f"{request.root}^-1"
    found = _formula(program)
    return found | {
        "statements": [
            f"{computed},   F_{N}[j, k] = w^(jk),   w = {root}",
            escaped(str(program.equation)),
        ],
        "postcondition": computed,
    }


def _permutation(program: Program) -> dict[str, Any]:
    request, dtype = program.request, fixed_size(program.request.dtype)
    as_bytes = not (dtype.isnative and dtype.char in KNOWN_TO_MPI)
    return {
        "title": (
            f"BMMC permutation of N = {request.N} elements of {dtype} on"
            f" P = {counted(request.P, 'rank')}: {request.kernels} kernels."
        ),
        "statements": [
            "y[A j + c] = x[j], A a bit matrix, c a complement, arithmetic over GF(2)",
            escaped(_in_letters(program)),
        ],
        "postcondition": "y[A j + c] = x[j]",
        "as_bytes": ".view(np.uint8)" if as_bytes else "",
        "large": _large_message(program, dtype.itemsize if as_bytes else 1),
    }


def _large_message(program: Program, units: int) -> int:
    """Return the number of units in the largest message, so many of an element, where MPI before
    4.0 cannot count them; else 0.
    """
    if program.request.way.shares:
        return 0
    sizes = (program.M // each.messages for each in program.exchanges)
    most = max(sizes, default=0) * units
    return most if most > MOST_COUNTED else 0


def _in_letters(program: Program) -> str:
    """Return the equation of a permutation; one from a file goes by the name of the file."""
    left = program.equation.left
    if isinstance(left, Bmmc):
        left = replace(left, name=PurePath(left.name).stem.lstrip("."))
    return str(replace(program.equation, left=left))
