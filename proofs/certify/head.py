"""The head of a program: what its docstring says of title, formula, command, layouts and cost,
against what is counted and named for the request that the text declares.

A line of these kinds that says something else is refused, and so is one on where elements live, or
on what holds before and after a transform. A head may leave lines out, and what else a docstring
says is read by nobody.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from codegen.elements import dtype_name
from codegen.kernels.fusion import fused
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program
from codegen.requests import command
from codegen.systems.record import RECORDS, Request
from derive.digits.digit_layouts import ArrayLayout
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from proofs.certify.checks.cost_check import forms, in_words, lines_of_cost, numbers_of
from proofs.certify.declaration import Declaration
from proofs.certify.ends.digit_ends import SIDES, is_divided, is_routed
from proofs.certify.plain_text import counted
from proofs.certify.scripts.traffic import Traffic

COMMAND = "nodewright generate "
MADE_BY = "Made by "
"""What may stand before the command."""
KINDS = (
    *("Discrete Fourier transform of ", "Hartley transform of ", "BMMC permutation of "),
    *(f"{record.title} of " for record in RECORDS.values()),
)
OURS = (COMMAND, "Cost ")
"""How lines begin that only heads of nodewright's have, whose equations are read, too."""
PADDED = tuple(f"{name:8}" for name in ("Input", "Output", "Arrays", "Before", "After"))


def refuse_head(d: Declaration, name: str, text: str, costs_more: bool = False) -> None:
    """Raise ValueError with the first line of a head that contradicts the text's declarations;
    `costs_more` says that its cost is not that of the factorization, and is compared elsewhere.
    """
    lines = _lines(text) if is_routed(d) else []
    if any(words.startswith((*OURS, *PADDED)) or _is_title(words) for _, words in lines):
        for number, found, wanted in _differences(d, _program(d, text), lines):
            if costs_more and found.startswith("Cost "):
                continue
            raise ValueError(
                f"{name}, line {number}: the docstring has {found!r}; for the"
                f" declared program it must have {wanted!r}"
            )


def wrong_cost(d: Declaration, text: str, run: Traffic) -> str:
    """Return what the line of cost of a head states instead of what a run sends that has the cost
    of the factorization; "" where it states these numbers, or no numbers in this form.
    """
    lines = [line for line in _lines(text) if line[1].startswith("Cost ")]
    if not lines:
        return ""
    own, known = (run.exchanges, run.messages, run.words), _lines_of_cost(d, _program(d, text))
    right = next((line for line in known if numbers_of(line) == own), known[0])
    for number, words in lines:
        stated = numbers_of(words)
        if stated and stated != numbers_of(right):
            sent = in_words(numbers_of(right))
            return (
                f"line {number}: the docstring states {in_words(stated)}; the program sends {sent}:"
                f" write {right!r}, or remove the line"
            )
    return ""


def _lines_of_cost(d: Declaration, program: Program) -> list[str]:
    """Return the lines of cost that a program may have; first those of its own kernels."""
    others = [fused(form) for form in forms(d)[1:]]
    return [line for each in (program, *others) for line in lines_of_cost(each)]


def _program(d: Declaration, text: str) -> Program:
    """Return the supersteps of a program with this head."""
    stated = next((words for _, words in _lines(text) if words.startswith(COMMAND)), "")
    return fused(resolve(_spec(d, stated)))


def states_equation(d: Declaration, text: str) -> bool:
    """Return whether a head has the equation that the supersteps of its request come from."""
    if not is_routed(d) or is_divided(d):
        return False
    lines = [words for _, words in _lines(text)]
    equations = d.equations(_program(d, text))
    return any(words in lines for words in equations[1:])


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the lines of a head with their numbers."""
    said = ast.get_docstring(ast.parse(text), clean=False) or ""
    return [(i, line.strip().removeprefix(MADE_BY)) for i, line in enumerate(said.splitlines(), 1)]


def _is_title(words: str) -> bool:
    """Return whether a line is a title as nodewright writes it: others say what they like."""
    return words.startswith(KINDS) and " N = " in words


def _differences(
    d: Declaration, program: Program, lines: list[tuple[int, str]]
) -> Iterator[tuple[int, str, str]]:
    """Yield the lines that say something else, each with its number and what it would be."""
    known, equations = _known(d, program), d.equations(program)
    above = any(words.startswith(OURS) or _is_title(words) for _, words in lines)
    start = f"mpiexec -n {d.P} python "
    for number, words in lines:
        name, _, rest = words.partition(" ")
        if words.startswith(COMMAND):
            wanted, above = [command(program.request)], False
        elif _is_title(words):
            wanted = [_title(d)]
        elif name in known and (name == "Cost" or rest.startswith(" ") or ":" in rest):
            wanted = known[name]
        elif above and " = " in words:
            wanted = equations
        elif words.startswith("mpiexec -n "):
            wanted, words = [start], words[: len(start)]
        else:
            continue
        if words not in wanted and not (name == "Cost" and _says_no_more(words, wanted)):
            yield number, words, wanted[0]


def _says_no_more(words: str, wanted: list[str]) -> bool:
    """Return whether a line is the beginning of one of these up to a comma, with any spaces."""
    said = " ".join(words.split())
    return any(f"{' '.join(each.split())},".startswith(f"{said},") for each in wanted)


def _known(d: Declaration, program: Program) -> dict[str, list[str]]:
    """Return the lines that begin with a name of their own, by that, each in all its forms."""
    unequal = _known_of_parts(d, program) if program.request.unequal else {}
    before, after = (d.part(side, 0) for side in ("input", "output"))
    shapes = f"{d.whole}, a rank's part of shape {before} before and {after} after"
    held = "rank s holds {0}[{1}] at offset o for every index {1} with {2}_place({1}) = (s, o)"
    result = f", and {d.computed(str(program.equation.left))}; x is unchanged"
    return {
        "Input": _homes(d, "input", "x"),
        "Output": _homes(d, "output", "y"),
        "Cost": _lines_of_cost(d, program),
        "Arrays": [f"Arrays  of shape {shapes}; an index counts the last axis fastest"],
        "Before": ["Before  " + held.format("x", "j", "input")],
        "After": [f"After   {held.format('y', 'k', 'output')}{result}"],
    } | unequal


def _known_of_parts(d: Declaration, program: Program) -> dict[str, list[str]]:
    """Return the lines of which a program with unequal parts has its own, in the same way."""
    ends = zip(SIDES, (program.input, program.output), "xy", strict=True)
    found = {
        side.title(): [f"{side.title():8}{getattr(d, side)}: {layout.words(x)}"]  # type: ignore[attr-defined]
        for side, layout, x in ends
    }
    wholes = dict.fromkeys(str(d.whole_of(side)) for side in SIDES)
    before, after = (d.part(side, 0) for side in SIDES)
    others = "local_shape and local_output_shape say what the others have"
    shapes = f"{' to '.join(wholes)}; rank 0 has {before} before and {after} after, {others}"
    return found | {"Arrays": [f"Arrays  of shape {shapes}"]}


def _homes(d: Declaration, side: str, x: str) -> list[str]:
    """Return where an element lives, in words or as the function of places gives it; the index of
    an output may also be called k.
    """
    layout, M, P = d.layout(side), d.M, d.P
    line = f"{side.title():8}{getattr(d, side)}: {x}[j] lives on "
    words = {
        "block": f"rank j div {M}, offset j mod {M}",
        "cyclic": f"rank j mod {P}, offset j div {P}",
        "hartley": (
            f"rank 0 at offset j div {P} if {P} divides j, else next to {x}[-j] on the rank that is"
            f" j or -j mod {2 * P}"
            if P > 1
            else "rank 0, offset j"
        ),
        "half-spectrum": "the rank of index j div 2 in the hartley layout, y[2m] next to y[2m + 1]",
    }
    known = [f"{line}the rank and offset that {side}_place(j) gives"]
    if isinstance(layout, ArrayLayout):
        known.insert(0, f"{side.title():8}{getattr(d, side)}: {layout.words(x)}")
    elif layout.name in words:
        known.insert(0, line + words[layout.name])
    return known + [re.sub(r"\bj\b", "k", line) for line in known if x == "y"]


def _spec(d: Declaration, stated: str) -> Request:
    """Return the request for the program that is declared; how its matrix and its type are named is
    taken from a command, where that names these.
    """
    words = _options(stated)
    more = {name: getattr(d, name) for name in ("direction", "norm") if hasattr(d, name)}
    moved = {} if d.permutation is None else {"permutation": _named(d, words)}
    known = {"kernels": d.kernels, "dtype": _type_of(d, words)} | moved | more | d.stated_by(words)
    return replace(d.request, **known)


def _options(stated: str) -> dict[str, str]:
    """Return the options of a command with their values, the next word each."""
    try:
        words = shlex.split(stated)
    except ValueError:
        return {}
    return dict(pairwise([*words, ""]))


def _type_of(d: Declaration, words: dict[str, str]) -> str:
    """Return the name that a command has for the type, where it is this one."""
    named = words.get("--dtype", "")
    try:
        return named if named and np.dtype(named) == d.dtype else dtype_name(d.dtype)
    except (TypeError, SyntaxError):
        return dtype_name(d.dtype)


def _named(d: Declaration, words: dict[str, str]) -> Bmmc:
    """Return the permutation by the name that a command has for it, where its matrix has that
    name; the file of another one is not here to be read.
    """
    matrix = Bmmc(d.permutation.address, words.get("--matrix", "A"))  # type: ignore[union-attr]
    try:
        known = bmmc.named(words.get("--name", ""), d.n)
    except ValueError:
        return matrix
    same = known.columns == matrix.address.columns
    return replace(matrix, name=words["--name"]) if same else matrix


def _title(d: Declaration) -> str:
    request, many = d.request, f"{d.request.batch} arrays of " * (d.request.batch > 0)
    shape = " x ".join(map(str, request.shape)) or str(d.N)
    ranks = f"P = {counted(d.P, 'rank')}"
    return f"{d.kind} of {many}N = {shape} {d.elements} on {ranks}{d.how}"
