"""The command that writes programs."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from codegen.cost import counted as costs
from codegen.emit.text import emit as emit_text
from codegen.files import check_writable, is_stream, write_text
from codegen.options import DIRECTIONS, DTYPES, KERNELS, NORMS, Options, default_dtype
from codegen.program import lower
from codegen.program.hartley import RESULTS
from codegen.program.meaning import check as check_program
from codegen.program.supersteps import Program
from derive.formula.transforms import F as DFT
from derive.lazy import lazily
from derive.papers.bsp_variants import LIBRARY, chosen_phases
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
    number,
    only_a_formula,
    stated_program,
    stated_system,
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
            f"How messages travel: {', '.join(lower.EXCHANGES)}, the first by default;"
            f" {MORE_EXCHANGES}."
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
    complement: Complement = 0,
    scheme: Scheme = "",
    algorithm: Algorithm = "",
    phases: Phases = "",
    local: LocalForm = "",
    dtype: Annotated[
        str,
        option(
            "--dtype",
            help=(
                f"{', '.join(DTYPES)}; for fht float64, float32; for permute any that numpy names,"
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
    stated = {
        "kernels": kernels,
        "exchange": exchange,
        "phases": phases or None,
        "local": local or None,
    }
    kernels, exchange = (
        (KERNELS[0] if kernels is None else kernels),
        (lower.EXCHANGES[0] if exchange is None else exchange),
    )
    options = Options(
        direction, norm, kernels, exchange, dtype or default_dtype(str(system)), result, convolve
    )
    if formula is not None:
        only_a_formula({"SYSTEM": system, "--matrix": matrix, "--name": name})
    system, size, ranks = stated_system(system if formula is None else "fft", size, ranks, matrix)
    if formula is None:
        program = stated_program(
            system,
            number(size),
            number(ranks),
            (input, output),
            exchange,
            (matrix, name, complement),
            scheme,
            algorithm,
            phases,
            local,
        )
    else:
        program = _own_program(
            formula, values, number(size), number(ranks), (input, output or "block"), exchange
        )
    table: dict[str, Any] = {}
    if tune:
        program, options, table = _tuned(
            program,
            options,
            formula,
            file,
            frozenset(name for name, value in stated.items() if value is not None),
        )
    text = emit_text(program, options)
    if file:
        write_text(file, text)
    if as_json:
        head = {"system": system, "size": program.N, "ranks": program.P, "lines": text.count("\n")}
        tuned = {
            name: table[name]
            for name in ("chosen", "seconds", "default", "default_seconds")
            if table
        }
        console.emit_json(
            {
                **head,
                **({"file": str(file)} if file else {"text": text}),
                **asdict(costs.count(program)),
                **tuned,
            }
        )
    elif file is None:
        sys.stdout.write(text)
    else:
        if table:
            console.say(tuning.said(table))
        console.say(f"{file}: {text.count(chr(10))} lines, for {program.P} ranks")


def _tuned(
    program: Program,
    options: Options,
    formula: str | None,
    file: Path | None,
    stated: frozenset[str],
) -> tuple[Program, Options, dict[str, Any]]:
    """Return the fastest form of a program on this machine that has what is stated, and the table
    of what was tried, written beside it.
    """
    if program.system != tuning.SYSTEM or formula is not None or file is None:
        raise ValueError(f"--tune is for {tuning.SYSTEM}, and writes FILE.tune.json beside -o FILE")
    if is_stream(file):
        raise ValueError(
            f"--tune -o {file}: this is no file that {tuning.table_path(file).name} can lie beside"
        )
    for path in (file, tuning.table_path(file)):
        check_writable(path)
    phases = (
        ",".join(map(str, chosen_phases(program.N, program.P, program.phases, program.local)))
        if "phases" in stated
        else ""
    )
    start = tuning.Candidate(options.kernels, program.local or LIBRARY, phases, options.exchange)
    task = tuning.Task(
        program.N, program.P, program.input.name, program.output.name, options, start, stated
    )
    with console.progress("timing programs") as tell:
        best, tried = tuning.tune(task, tell)
    table = tuning.record(
        task, best, tried, f"{platform.node()}, {platform.machine()}, {os.cpu_count()} cores"
    )
    write_text(tuning.table_path(file), json.dumps(table, indent=2, ensure_ascii=False) + "\n")
    return task.program(best), task.chosen(best), table


def _own_program(
    text: str, values: str, N: int, P: int, layouts: tuple[str, str], exchange: str
) -> Program:
    """Return the program of a factorization of one's own, after a check of it and of its
    supersteps; a refutation ends the command.
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
    at = parse.parse_values(values, by_size)
    need_values(sides, at)
    equation = elaborate.equation(sides, at)
    if equation.left != DFT(N):
        raise ValueError(
            f"{sides.left} is {equation.left}: a program is made from a factorization of F(N), with"
            f" N = {N} as --size says"
        )
    _hold(elaborate.check(sides, at))
    program = lower.build_formula(equation.right, P, *layouts, exchange)
    _hold(check_program(program))
    return program


def _hold(verdict: Verdict) -> None:
    """End the command with a verdict that is a refutation."""
    if not holds(verdict):
        console.complain(str(verdict))
        raise Exit(1)
