"""The command that checks a factorization, or an equation of one's own, at one size."""

from __future__ import annotations

from typing import Annotated, Any

from nodewright.api.checks import Report
from nodewright.api.equations import Check, check_at
from nodewright.cli import console
from nodewright.cli.commands import command, commands, of_formula, option
from nodewright.cli.options import (
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
    Scheme,
    leave,
    need_formula,
    only_a_formula,
    stated_program,
)

app = commands()

CHOICES = ("output", "scheme", "algorithm", "phases", "local")
"""The options that choose among the programs of a system, empty where they are not stated."""


@command(app, "nodewright check fft --size 1024 --ranks 4")
def check(
    system: AnySystem = None,
    size: AnySize = None,
    ranks: AnyRanks = None,
    batch: Batch = None,
    input: Input = "block",
    output: Output = "",
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = "0",
    scheme: Scheme = "",
    algorithm: Algorithm = "",
    phases: Phases = "",
    local: LocalForm = "",
    seed: Annotated[
        int, option("--seed", help="Seed of the random vectors that decide large sizes.")
    ] = 0,
    formula: Formula = None,
    values: Annotated[
        str, of_formula("--set", metavar="n=4,r=2", help="Values of the symbols of --formula.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Check a factorization exactly at one size, every equation that it rests on, and the
    supersteps made from it; or an equation of your own.

    Nothing is rounded: both sides are compared as sums of roots of unity or in finite fields.
    A wrong equation is refuted by an entry in which the sides differ.
    """
    found = _found(locals())
    if as_json:
        console.emit_json(found.to_dict())
    elif isinstance(found, Report):
        _show(found)
    else:
        console.show(found.verdict)
    leave(found.verdict)


def _found(words: dict[str, Any]) -> Report | Check:
    """Return what a check finds of what the command's options state."""
    formula, values, seed = (words[word] for word in ("formula", "values", "seed"))
    need_formula(formula, values)
    if formula is not None:
        named = {f"--{word}": words[word] for word in ("size", "ranks", "matrix", "name")}
        chosen = {f"--{word}": words[word] or None for word in CHOICES}
        only_a_formula({"SYSTEM": words["system"], **named, **chosen})
        return check_at(formula, values, seed)
    program = stated_program(words)
    spec = program.spec
    with console.progress(f"checking {spec.system} at N = {spec.N}, P = {spec.P}") as tell:
        return program.check(seed, tell)


def _show(report: Report) -> None:
    """Print the verdicts, and how many there are."""
    for name, _, verdict in report.statements:
        console.show(verdict, name)
    console.say(
        f"{len(report.statements)} statements, {len(report.wrong)} refuted, {report.seconds:.2f} s",
        "bold red" if report.wrong else "bold green",
    )
