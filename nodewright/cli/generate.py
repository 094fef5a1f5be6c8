"""The commands that write programs: `generate`, and `tune`, which times their forms."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from codegen.whole_files import check_writable, is_stream, write_text
from derive.call_arguments import counted
from derive.lazy import lazily
from nodewright.api.judged import Wrong
from nodewright.cli import console
from nodewright.cli.command_options import (
    NO_PERMUTATION,
    PERMUTATION,
    Formula,
    Json,
    Mpiexec,
    ProgramFile,
    Values,
    need_formula,
    of_request,
    stated_program,
    with_values,
)
from nodewright.cli.commands import Exit, command, commands, of_files, of_running, only_a_formula
from nodewright.node_program import Program

if TYPE_CHECKING:
    from nodewright import reach
    from nodewright import tune as tuning
else:
    tuning, reach = lazily("nodewright.tune"), lazily("nodewright.reach")

app = commands()
RANKS_A_CORE = 16
"""So many ranks of a core are timed at most."""
TUNED = ("chosen", "seconds", "default", "default_seconds")
"""What --json prints of how a program was tuned."""
COUNTED = ("exchanges", "words")
"""What is counted of each program, beside its time."""


FastestFile = Annotated[
    Path | None,
    of_files(
        "-o", metavar="FILE", help="File for the fastest program; timings go to FILE.tune.json."
    ),
]


@command(app, "nodewright generate fft --size 2^10 --ranks 4 -o fft.py")
@of_request()
def generate(
    words: dict[str, Any],
    formula: Formula = None,
    values: Values = None,
    tune: Annotated[
        bool,
        of_running(
            "--tune",
            help=(
                "Write the fastest form, as `nodewright tune` finds it, to -o FILE, and the timings"
                " to FILE.tune.json."
            ),
        ),
    ] = False,
    mpiexec: Mpiexec = None,
    file: ProgramFile = None,
    as_json: Json = False,
) -> None:
    """Write the MPI program of a system, or of a formula of your own, for fixed N and P.

    The program is one file that needs numpy and mpi4py. Every rank runs it on its own part of
    the vector, and the functions input_place and output_place say where each index is.
    """
    words = with_values(words)
    need_formula(formula, words["values"])
    if mpiexec and not tune:
        raise ValueError(
            f"--mpiexec {mpiexec} without --tune: generate starts ranks for --tune only"
        )
    if formula is not None:
        only_a_formula(
            {"SYSTEM": words["system"], **{f"--{one}": words[one] for one in ("matrix", "name")}}
        )
        words |= {"system": "fft"}
    try:
        program, table = stated_program(words), dict[str, Any]()
        if tune:
            if file is None:
                raise ValueError("--tune needs -o FILE")
            stated = {word for word in tuning.CHOSEN if words[word]}
            program, table = _fastest(program, frozenset(stated), file)
        program.text  # noqa: B018  which is made now
    except Wrong as wrong:
        console.refuse(str(wrong), as_json)
        raise Exit(1) from wrong
    if file:
        program.save(file)
    if reason := reach.beyond_reach(program.text):
        console.complain(f"certify will leave this program undecided: {reason}")
    if as_json:
        figures = {name: table[name] for name in TUNED} if table else {}
        console.emit_json(program.to_dict() | figures)
    elif file is None:
        sys.stdout.write(program.text)
    else:
        if table:
            console.say(tuning.said(table))
        lines, ranks = program.text.count("\n"), counted(program.request.P, "rank")
        console.say(f"{file}: {lines} lines, for {ranks}")


@command(app, "nodewright tune fft --size 1000 --ranks 2")
@of_request(*PERMUTATION, "reproducible", "result", "convolve", needs=("system", "size", "ranks"))
def tune(
    words: dict[str, Any], mpiexec: Mpiexec = None, file: FastestFile = None, as_json: Json = False
) -> None:
    """Time the variants of a transform on the ranks of this machine and report the fastest.

    Options that you give are fixed; `tune` tries the kernels, local forms, phases and exchanges
    that you leave out. The last line is the command that writes the fastest program.
    """
    words = words | NO_PERMUTATION
    tuning.need_tuned(words["system"])
    stated = frozenset(word for word in tuning.CHOSEN if words[word])
    program, table = _fastest(stated_program(words), stated, file)
    if file:
        program.save(file)
    if as_json:
        console.emit_json(table)
    else:
        _show_tried(table)


def _fastest(
    program: Program, stated: frozenset[str], file: Path | None
) -> tuple[Program, dict[str, Any]]:
    """Return the fastest form of a program on this machine that has what is stated, and the table
    of what was tried, which is written beside the file where the program goes, if there is one.
    """
    if file and is_stream(file):
        raise ValueError(
            f"-o {file} must be a regular file, since --tune also writes"
            f" {tuning.table_path(file).name}"
        )
    for path in (file, tuning.table_path(file)) if file else ():
        check_writable(path)
    cores, P = os.cpu_count() or 1, program.request.P
    if P > RANKS_A_CORE * cores:
        raise ValueError(
            f"P = {P} ranks are not timed on the {cores} cores of this machine:"
            f" {RANKS_A_CORE * cores} at most"
        )
    task = tuning.Task(program.request, stated)
    with console.doing("timing programs") as tell:
        best, tried = tuning.tune(task, tell)
    machine = f"{platform.node()}, {platform.machine()}, {cores} cores"
    table = tuning.record(task, best, tried, machine)
    if file:
        text = json.dumps(table, indent=2, ensure_ascii=False) + "\n"
        write_text(tuning.table_path(file), text)
    return Program(best), table


def _show_tried(table: dict[str, Any]) -> None:
    """Print what was tried, the fastest first, what did not run, and the command of the fastest."""
    ran = [trial for trial in table["tried"] if trial["seconds"] is not None]
    chosen = [name for name in tuning.CHOSEN if any(trial[name] for trial in table["tried"])]
    rows = [
        (f"{1e3 * trial['seconds']:.3g}", *(trial[name] for name in (*chosen, *COUNTED)))
        for trial in ran
    ]
    title = "{system}, N = {N}, P = {P}, {input} to {output}".format(**table)
    console.columns(title, ("ms", *chosen, *COUNTED), rows)
    for trial in table["tried"]:
        if trial["refused"]:
            words = ", ".join(trial[name] for name in chosen if trial[name])
            console.say(f"not run: {words}: {trial['refused']}")
    console.say(tuning.said(table))
