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
from pathlib import PurePath

import numpy as np

from codegen.elements import dtype_name
from codegen.kernels.fusion import fused
from codegen.program.protocol import REAL
from codegen.program.resolve import resolve
from codegen.program.supersteps import Program
from codegen.requests import command
from codegen.systems.fht import HARTLEY
from codegen.systems.record import RECORDS, Request
from derive.digits.layouts import ArrayLayout
from derive.formula.grammar import I, kron
from derive.formula.permutation_matrices import Bmmc
from derive.formula.transforms import H
from derive.gf2 import bmmc
from proofs.certify.checks.costs import lines_of_cost
from proofs.certify.declaration import Declaration, Permutation, Transform
from proofs.certify.ends import head_of_parts
from proofs.certify.ends.digit_ends import is_divided, is_routed
from proofs.certify.fields.hartley_maps import Hartley, HartleyArrays, RealFourier
from proofs.certify.fields.linear_maps import LinearMap
from proofs.certify.fields.real_arrays import RealArrays
from proofs.certify.plain_text import counted

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
PAIRED, MADE = "z = x_2m + i x_(2m + 1)", "y_2m + i y_(2m + 1) = Z"
PAIRS_TO_HALVES = (
    "y[m], y[m + N/2] = Re (1 + i) (Z[m] + C)/2 ± Im (1 + i) w^m (Z[m] - C)/2, C = conj Z[-m]"
)
HALVES_TO_PAIRS = (
    "z[m] = (u + u')/2 + i (u - u')/2 + w^m (i (v - v')/2 - (v + v')/2),"
    " u, v = x[m] ± x[m + N/2], u', v' those of -m, v'[0] = -v[0]"
)
STAGE = (
    "L_s = I ⊗ [[I, C], [I, -C]] of order K = 2^s, C_uu = cos(2 pi u/K), sin(2 pi u/K) added at"
    " (u, -u)"
)
BY_GROUPS = (
    "H[t + M l] = sum_s cos(2 pi s l/P) a_s[t] + sin(2 pi s l/P) b_s[t],   s, l < P,   t < M",
    "a_s[t] = cos(2 pi s t/N) h_s[t] + sin(2 pi s t/N) h_s[-t],   b_s[t] = a_s[-t],   h_s ="
    " H_M (x[s], x[s + P], ...)",
)
HALVES = "(y[2m] + i y[2m + 1]) = X[m], 0 < m < N/2, y[0] = X[0], y[1] = X[N/2], X = "
HALF_GIVEN = HALVES.removesuffix(", X = ").replace("y", "x")
UNTANGLED = {
    -1: "X[m] = (Z[m] + C)/2 - i w^m (Z[m] - C)/2, C = conj Z[-m]",
    1: "Z[m] = X[m] + C + i w^m (X[m] - C), C = conj X[N/2 - m]",
}


def refuse_head(d: Declaration, name: str, text: str, costs_more: bool = False) -> None:
    """Raise ValueError with the first line of a head that contradicts the text's declarations;
    `costs_more` says that its cost is not that of the factorization, and is compared elsewhere.
    """
    lines = _lines(text) if is_routed(d) else []
    if any(words.startswith((*OURS, *PADDED)) or _is_title(words) for _, words in lines):
        for number, found, wanted in _differences(d, lines):
            if costs_more and found.startswith("Cost "):
                continue
            raise ValueError(
                f"{name}, line {number}: the docstring has {found!r}; for the"
                f" declared program it must have {wanted!r}"
            )


def states_equation(d: Declaration, text: str) -> bool:
    """Return whether a head has the equation that the supersteps of its request come from."""
    if not is_routed(d) or is_divided(d):
        return False
    lines = [words for _, words in _lines(text)]
    stated = next((words for words in lines if words.startswith(COMMAND)), "")
    equations = _equations(d, fused(resolve(_spec(d, stated))))
    return any(words in lines for words in equations[1:])


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the lines of a head with their numbers."""
    said = ast.get_docstring(ast.parse(text), clean=False) or ""
    return [(i, line.strip().removeprefix(MADE_BY)) for i, line in enumerate(said.splitlines(), 1)]


def _is_title(words: str) -> bool:
    """Return whether a line is a title as nodewright writes it: others say what they like."""
    return words.startswith(KINDS) and " N = " in words


def _differences(d: Declaration, lines: list[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
    """Yield the lines that say something else, each with its number and what it would be."""
    stated = next((words for _, words in lines if words.startswith(COMMAND)), "")
    program = fused(resolve(_spec(d, stated)))
    known, equations = _known(d, program), _equations(d, program)
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
        if words not in wanted:
            yield number, words, wanted[0]


def _known(d: Declaration, program: Program) -> dict[str, list[str]]:
    """Return the lines that begin with a name of their own, by that, each in all its forms."""
    unequal = head_of_parts.lines(d, program) if program.request.unequal else {}
    before, after = (d.part(side, 0) for side in ("input", "output"))
    shapes = f"{d.whole}, a rank's part of shape {before} before and {after} after"
    held = "rank s holds {0}[{1}] at offset o for every index {1} with {2}_place({1}) = (s, o)"
    result = f", and {_result(d, program)}; x is unchanged"
    return {
        "Input": _homes(d, "input", "x"),
        "Output": _homes(d, "output", "y"),
        "Cost": lines_of_cost(program),
        "Arrays": [f"Arrays  of shape {shapes}; an index counts the last axis fastest"],
        "Before": ["Before  " + held.format("x", "j", "input")],
        "After": [f"After   {held.format('y', 'k', 'output')}{result}"],
    } | unequal


def _homes(d: Declaration, side: str, x: str) -> list[str]:
    """Return where an element lives, in words or as the function of places gives it; the index of
    an output may also be called k.
    """
    known = _homes_of(d, side, x)
    return known + [re.sub(r"\bj\b", "k", line) for line in known if x == "y"]


def _homes_of(d: Declaration, side: str, x: str) -> list[str]:
    """Return the same with index j."""
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
    by_function = f"{line}the rank and offset that {side}_place(j) gives"
    if isinstance(layout, ArrayLayout):
        return [f"{side.title():8}{getattr(d, side)}: {layout.words(x)}", by_function]
    return [*(line + words[name] for name in words if name == layout.name), by_function]


def _spec(d: Declaration, stated: str) -> Request:
    """Return the request for the program that is declared; how its matrix and its type are named is
    taken from a command, where that names these.
    """
    words = _options(stated)
    more = {name: getattr(d, name) for name in ("direction", "norm") if hasattr(d, name)}
    if isinstance(d, Hartley):
        more |= {"result": d.result, "convolve": "--convolve" in words}
    moved = {} if d.permutation is None else {"permutation": _named(d, words)}
    known = {"kernels": d.kernels, "dtype": _type_of(d, words)} | moved | more
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
    shape = " x ".join(map(str, request.shape)) if request.is_shaped else f"{d.N}"
    sizes, ranks = f"{many}N = {shape} elements", f"P = {counted(d.P, 'rank')}"
    if isinstance(d, Permutation):
        return f"{KINDS[2]}{sizes} of {d.dtype} on {ranks}: {d.kernels} kernels."
    assert isinstance(d, Transform)
    sizes = (
        sizes.replace("elements", "real elements")
        if isinstance(d, RealFourier | RealArrays)
        else sizes
    )
    kind = KINDS[isinstance(d, Hartley | HartleyArrays)]
    kind = f"{request.record.title} of " if isinstance(d, LinearMap) else kind
    by = f", {d.algorithm}" if isinstance(d, Hartley) else ""
    how = f"{d.direction}, " * request.record.directed + f"{d.dtype}, {d.kernels} kernels."
    return f"{kind}{sizes} on {ranks}{by}: {how}"


def _stages(d: Hartley, n: int) -> str:
    """Return the product of the stages L_n .. L_1, backwards from the Hartley layout."""
    back = d.input == HARTLEY and d.P > 1
    names = [f"(2 L_{s}^-1)" if back else f"L_{s}" for s in range(1, n + 1)]
    names = names if n < 4 else [*names[:2], "...", names[-1]]
    return " ".join([f"P_{d.N}", *names] if back else [*reversed(names), f"P_{d.N}"])


def _result(d: Declaration, program: Program) -> str:
    """Return what is computed, as an equation."""
    if isinstance(d, Permutation):
        return "y[A j + c] = x[j]"
    assert isinstance(d, Transform)
    if isinstance(d, LinearMap):
        return f"y = {d.scale}{d.matrix} x"
    if isinstance(d, RealFourier):
        matrix = f"{d.scale}F_{d.N}"
        back = f"y = {matrix} X, {HALF_GIVEN}, X[N - m] = conj X[m]"
        return f"{HALVES}{matrix} x" if d.sign < 0 else back
    if isinstance(d, HartleyArrays):
        return f"y = {d.scale}{d.matrix('H')} x"
    if isinstance(d, Hartley):
        spectrum = f"{d.scale}F_{d.N} x"
        return {
            "hartley": f"y = {d.scale}H_{d.N} x",
            "dft": HALVES + spectrum,
            "power": f"y[m] = |X[m]|^2, X = {spectrum}",
        }[d.result]
    return f"y = {d.scale}{program.equation.left} x"


def _of_arrays(d: HartleyArrays, program: Program) -> tuple[str, str]:
    """Return what the head says of Hartley transforms of arrays, of n elements along an axis."""
    n = str(d.points) if len(d.shape) == 1 else "n"
    reflected = "(E z)[k] = (z[k] + c)/2 + i (z[k] - c)/2, c = z[-k]"
    is_real = str(program.equation.left) == d.matrix("H")
    by_fourier = f"H_{n} = E F_{n} = F_{n} E,   {reflected},   {_pairs(d, program)}"
    of_reals = f"H_{n} x = Re F_{n} x - Im F_{n} x of the real x"
    return (
        f"{_result(d, program)},   H_{n}[j, k] = cos(2 pi jk/{n}) + sin(2 pi jk/{n})",
        _of_halves(d, program.halves.back)
        if program.halves
        else of_reals
        if is_real
        else by_fourier,
    )


def _of_halves(d: HartleyArrays, back: bool) -> str:
    """Return what the head says of vectors of which pairs, or halves as pairs, are transformed."""
    first, last = (MADE, HALVES_TO_PAIRS) if back else (PAIRS_TO_HALVES, PAIRED)
    n = d.points
    return f"{first},   Z = {d.scale}F_{n // 2} z,   {last},   w = exp(-2 pi i / {n})"


def _pairs(d: HartleyArrays, program: Program) -> str:
    """Return of which complex numbers the elements of an array are the parts."""
    of_rows = PAIRED
    rows = kron(I(d.N // d.shape[-1]), H(d.shape[-1]))
    of_real = [step.unit == REAL for step in program.steps]
    if any(of_real[:1]):
        return f"{rows} first, then {of_rows}"
    return f"{of_rows}, then {rows}" if any(of_real[-1:]) else "z = x"


def _equations(d: Declaration, program: Program) -> list[str]:
    """Return the equations that a head may have."""
    N, n = d.N, d.n
    if isinstance(d, Permutation):
        left = program.equation.left
        if isinstance(left, Bmmc):
            left = replace(left, name=PurePath(left.name).stem.lstrip("."))
        equation = str(replace(program.equation, left=left))
        return [
            "y[A j + c] = x[j], A a bit matrix, c a complement, arithmetic over GF(2)",
            equation,
        ]
    if isinstance(d, Hartley):
        entries = f"H_{N}[j, k] = cos(2 pi jk/{N}) + sin(2 pi jk/{N})"
        by_stages = (f"H_{N} = {_stages(d, n)}", STAGE)
        more = by_stages if d.algorithm == "hypercube" else BY_GROUPS
        return [f"{_result(d, program)},   {entries}", *more]
    if isinstance(d, HartleyArrays):
        return [*_of_arrays(d, program), str(program.equation)]
    sign = "-" if isinstance(d, Transform) and d.sign < 0 else ""
    if isinstance(d, RealFourier):
        x, given, made = "xzZ" if d.sign < 0 else "yZz"
        pairs = f"{made} = {d.scale}F_{N // 2} {given},   z[m] = {x}[2m] + i {x}[2m + 1]"
        whole = f"{_result(d, program)},   w = exp({sign}2 pi i / {N})"
        return [whole, f"{UNTANGLED[d.sign]},   {pairs}", str(program.equation)]
    if isinstance(d, LinearMap):
        return [_result(d, program), str(program.equation)]
    roots = f"F_{N}[j, k] = w^(jk),   w = exp({sign}2 pi i / {N})"
    if program.request.is_shaped:
        roots = f"F_n[j, k] = w_n^(jk),   w_n = exp({sign}2 pi i / n)"
    found = head_of_parts.of_half(d, program) if isinstance(d, RealArrays) else _result(d, program)
    return [f"{found},   {roots}", str(program.equation)]
