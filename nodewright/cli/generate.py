"""The command that writes programs."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from codegen.cost import counted as costs
from codegen.elements import COMPLEX
from codegen.emit.text import text_of
from codegen.files import check_writable, is_stream, write_text
from codegen.program.hartley import RESULTS
from codegen.program.lower import lower
from codegen.program.meaning import check as check_program
from codegen.spec import DIRECTIONS, EXCHANGES, KERNELS, NORMS, Spec
from derive.formula.grammar import Formula as Term
from derive.formula.transforms import F as DFT
from derive.lazy import lazily
from derive.text import elaborate, parse
from derive.text.sorts import need_values
from derive.text.syntax import Leaf
from derive.verdict import Verdict, holds
from nodewright.cli import console
from nodewright.cli.commands import Exit, commands, option
from nodewright.cli.options import (
    MORE_EXCHANGES,
    Algorithm,
    AnyRanks,
    AnySize,
    AnySystem,
    Complement,
    Formula,
    Input,
    Json,
    LocalForm,
    Matrix,
    Name,
    Output,
    Phases,
    Scheme,
    need_formula,
    only_a_formula,
    stated_spec,
)

if TYPE_CHECKING:
    from nodewright import tune as tuning
else:
    tuning = lazily("nodewright.tune")

app = commands()


StatedKernels = Annotated[
    str | None, option("--kernels", help=f"{', '.join(KERNELS)}; the first by default.")
]


StatedExchange = Annotated[
    str | None,
    option(
        "--exchange",
        metavar="X",
        help=(
            f"How messages travel: {', '.join(EXCHANGES)}, the first by default; {MORE_EXCHANGES}."
        ),
    ),
]
"""None where they are not stated, so that --tune knows what it may choose."""


@app.command()
def generate(
    system: AnySystem = None,
    size: AnySize = None,
    ranks: AnyRanks = None,
    input: Input = "block",
    output: Output = "",
    direction: Annotated[str, option("--direction", help=", ".join(DIRECTIONS))] = "forward",
    norm: Annotated[str, option("--norm", help=f"numpy's: {', '.join(NORMS)}")] = "backward",
    kernels: StatedKernels = None,
    exchange: StatedExchange = None,
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = "0",
    scheme: Scheme = "",
    algorithm: Algorithm = "",
    phases: Phases = "",
    local: LocalForm = "",
    dtype: Annotated[
        str,
        option(
            "--dtype",
            help=(
                f"{', '.join(COMPLEX)}; for fht float64, float32; for permute any that numpy names,"
                " such as i4,f8."
            ),
        ),
    ] = "",
    result: Annotated[
        str,
        option(
            "--result", help=f"What fht makes of its transform, in place: {', '.join(RESULTS)}."
        ),
    ] = RESULTS[0],
    convolve: Annotated[
        bool, option("--convolve", help="With fht: a function convolve(x, y, plan), too.")
    ] = False,
    formula: Formula = None,
    values: Annotated[
        str,
        option(
            "--set",
            metavar="r=4,s=N/r",
            help="What the symbols of --formula stand for, beside N of F(N).",
        ),
    ] = "",
    tune: Annotated[
        bool,
        option(
            "--tune",
            help=(
                "Of fft: time kernels, forms, phases, exchanges that are not stated; write the"
                " fastest, and FILE.tune.json."
            ),
        ),
    ] = False,
    file: Annotated[
        Path | None,
        option("-o", metavar="FILE", help="Where the program goes; standard output by default."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the node program of a system, or of a factorization of F(N) of your own, for fixed N
    and P.
    """
    words, own = locals(), None
    need_formula(formula, values)
    if formula is not None:
        only_a_formula({"SYSTEM": system, "--matrix": matrix, "--name": name})
        words, own = words | {"system": "fft"}, partial(_own_formula, formula, values)
    spec, table = stated_spec(words, own), dict[str, Any]()
    if tune:
        stated = {word for word in tuning.CHOSEN if words[word]}
        spec, table = _tuned(spec, file, frozenset(stated))
    program = lower(spec)
    if formula is not None:
        _hold(check_program(program))
    text = text_of(program)
    if file:
        write_text(file, text)
    if as_json:
        console.emit_json(_record(spec, text, file, table))
    elif file is None:
        sys.stdout.write(text)
    else:
        if table:
            console.say(tuning.said(table))
        console.say(f"{file}: {text.count(chr(10))} lines, for {spec.P} ranks")


def _record(spec: Spec, text: str, file: Path | None, table: dict[str, Any]) -> dict[str, Any]:
    """Return what --json prints of a program; its cost is that with numpy's kernels."""
    tuned = ("chosen", "seconds", "default", "default_seconds") if table else ()
    return {
        "system": spec.system,
        "size": spec.N,
        "ranks": spec.P,
        "lines": text.count("\n"),
        **({"file": str(file)} if file else {"text": text}),
        **asdict(costs.count(lower(replace(spec, kernels=KERNELS[0])))),
        **{name: table[name] for name in tuned},
    }


def _tuned(spec: Spec, file: Path | None, stated: frozenset[str]) -> tuple[Spec, dict[str, Any]]:
    """Return the fastest form of a program on this machine that has what is stated, and the table
    of what was tried, written beside it.
    """
    if spec.system != tuning.SYSTEM or spec.formula is not None or file is None:
        raise ValueError(f"--tune is for {tuning.SYSTEM}, and writes FILE.tune.json beside -o FILE")
    if is_stream(file):
        raise ValueError(
            f"--tune -o {file}: this is no file that {tuning.table_path(file).name} can lie beside"
        )
    for path in (file, tuning.table_path(file)):
        check_writable(path)
    task = tuning.Task(spec, stated)
    with console.progress("timing programs") as tell:
        best, tried = tuning.tune(task, tell)
    machine = f"{platform.node()}, {platform.machine()}, {os.cpu_count()} cores"
    table = tuning.record(task, best, tried, machine)
    write_text(tuning.table_path(file), json.dumps(table, indent=2, ensure_ascii=False) + "\n")
    return best, table


def _own_formula(text: str, values: str, N: int) -> Term:
    """Return the right side of a factorization of one's own of F_N, after a check of it; a
    refutation ends the command.
    """
    sides = parse.parse(text)
    if not isinstance(sides.left, Leaf) or sides.left.name != "F":
        raise ValueError(
            f"{sides.left} on the left: a program is made from a factorization of F(N), with N ="
            f" {N} as --size says"
        )
    by_size = elaborate.sized(sides.left, N)
    again = [
        f"{name} = {by_size[name]}"
        for name in by_size
        if any(str(one) == name for one, _, _ in parse.parse_relations(values))
    ]
    if again:
        raise ValueError(
            f"--set {values}: --size {N} gives {', '.join(again)}, which is not stated again"
        )
    at = parse.parse_values(values, by_size, sides)
    need_values(sides, at)
    equation = elaborate.equation(sides, at)
    if equation.left != DFT(N):
        raise ValueError(
            f"{sides.left} is {equation.left}: a program is made from a factorization of F(N), with"
            f" N = {N} as --size says"
        )
    _hold(elaborate.check(sides, at))
    return equation.right


def _hold(verdict: Verdict) -> None:
    """End the command with a verdict that is a refutation."""
    if not holds(verdict):
        console.complain(str(verdict))
        raise Exit(1)
