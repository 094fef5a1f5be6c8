"""The command that writes programs."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from codegen.elements import COMPLEX
from codegen.emit.words import counted
from codegen.files import check_writable, is_stream, write_text
from codegen.program.hartley import RESULTS
from codegen.spec import DIRECTIONS, EXCHANGES, KERNELS, NORMS, Spec
from derive.lazy import lazily
from nodewright.api.judged import Wrong
from nodewright.api.programs import Program
from nodewright.cli import console
from nodewright.cli.commands import (
    Exit,
    command,
    commands,
    of_choices,
    of_files,
    of_formula,
    of_running,
)
from nodewright.cli.options import (
    MORE_EXCHANGES,
    Algorithm,
    AnyRanks,
    AnySize,
    AnySystem,
    Batch,
    Complement,
    Formula,
    Input,
    Json,
    LocalForm,
    Matrix,
    Name,
    Output,
    Phases,
    Reproducible,
    Scheme,
    need_formula,
    only_a_formula,
    stated_program,
)

if TYPE_CHECKING:
    from nodewright import tune as tuning
else:
    tuning = lazily("nodewright.tune")

app = commands()
TUNED = ("chosen", "seconds", "default", "default_seconds")
"""What --json prints of how a program was tuned."""


StatedKernels = Annotated[
    str | None,
    of_running("--kernels", metavar="K", help=f"{', '.join(KERNELS)}; the first by default."),
]


StatedExchange = Annotated[
    str | None,
    of_running(
        "--exchange",
        metavar="X",
        help=(
            f"How messages travel: {', '.join(EXCHANGES)}, the first by default; {MORE_EXCHANGES}."
        ),
    ),
]
"""None where they are not stated, so that --tune knows what it may choose."""


@command(app, "nodewright generate fft --size 2^10 --ranks 4 -o fft.py")
def generate(
    system: AnySystem = None,
    size: AnySize = None,
    ranks: AnyRanks = None,
    batch: Batch = None,
    input: Input = "block",
    output: Output = "",
    direction: Annotated[
        str, of_choices("--direction", metavar="D", help=f"{', '.join(DIRECTIONS)}.")
    ] = "forward",
    norm: Annotated[
        str, of_choices("--norm", metavar="NORM", help=f"As in numpy: {', '.join(NORMS)}.")
    ] = "backward",
    kernels: StatedKernels = None,
    exchange: StatedExchange = None,
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = "0",
    scheme: Scheme = "",
    algorithm: Algorithm = "",
    phases: Phases = "",
    reproducible: Reproducible = False,
    local: LocalForm = "",
    dtype: Annotated[
        str,
        of_running(
            "--dtype",
            metavar="T",
            help=(
                f"{', '.join(COMPLEX)}; for fht and rfft float64, float32; for permute any that"
                " numpy names, such as i4,f8."
            ),
        ),
    ] = "",
    result: Annotated[
        str,
        of_choices(
            "--result",
            metavar="R",
            help=f"Result that fht makes of its transform, in place: {', '.join(RESULTS)}.",
        ),
    ] = RESULTS[0],
    convolve: Annotated[
        bool, of_choices("--convolve", help="With fht: a function convolve(x, y, plan), too.")
    ] = False,
    formula: Formula = None,
    values: Annotated[
        str,
        of_formula(
            "--set",
            metavar="r=4,s=N/r",
            help="Values of the symbols of --formula, beside N of F(N).",
        ),
    ] = "",
    tune: Annotated[
        bool,
        of_running(
            "--tune",
            help=(
                "Of fft: time kernels, forms, phases, exchanges that are not stated; write the"
                " fastest, and FILE.tune.json."
            ),
        ),
    ] = False,
    file: Annotated[
        Path | None,
        of_files("-o", metavar="FILE", help="Where the program goes; standard output by default."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the node program of a system, or of a factorization of F(N) of your own, for fixed
    N and P.

    The program is one file that needs numpy and mpi4py. Every rank runs it on its own part of
    the vector, and it says where each index lives.
    """
    words = locals()
    need_formula(formula, values)
    if formula is not None:
        only_a_formula({"SYSTEM": system, "--matrix": matrix, "--name": name})
        words |= {"system": "fft"}
    try:
        program, table = stated_program(words), dict[str, Any]()
        if tune:
            stated = {word for word in tuning.CHOSEN if words[word]}
            spec, table = _tuned(program.spec, file, frozenset(stated))
            program = Program(spec)
        program.text  # noqa: B018  which is made now
    except Wrong as wrong:
        console.refuse(str(wrong), as_json)
        raise Exit(1) from wrong
    if file:
        program.save(file)
    if as_json:
        figures = {name: table[name] for name in TUNED} if table else {}
        console.emit_json(program.to_dict() | figures)
    elif file is None:
        sys.stdout.write(program.text)
    else:
        if table:
            console.say(tuning.said(table))
        lines, ranks = program.text.count("\n"), counted(program.spec.P, "rank")
        console.say(f"{file}: {lines} lines, for {ranks}")


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
