"""The command that checks a factorization, or an equation of one's own, at one size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Annotated

from codegen.program.lower import lower
from codegen.program.meaning import check as check_program
from codegen.program.supersteps import Program
from derive.exact.check import check as check_equation
from derive.formula.grammar import Equation
from derive.gf2 import bmmc, properties
from derive.papers import bsp_variants, hartley_check, hypercube
from derive.text import elaborate, parse
from derive.verdict import Verdict, holds
from nodewright.cli import console
from nodewright.cli.commands import commands, option
from nodewright.cli.options import (
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
    leave,
    need_formula,
    only_a_formula,
    stated_spec,
    verdict_record,
)

app = commands()

CHOICES = ("output", "scheme", "algorithm", "phases", "local")
"""The options that choose among the programs of a system, empty where they are not stated."""


@app.command()
def check(
    system: AnySystem = None,
    size: AnySize = None,
    ranks: AnyRanks = None,
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
        str, option("--set", metavar="n=4,r=2", help="What the symbols of --formula stand for.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Check a factorization exactly at one size, every equation that it rests on, and the
    supersteps made from it; or an equation of your own.
    """
    words, start = locals(), perf_counter()
    need_formula(formula, values)
    if formula is not None:
        named = {f"--{word}": words[word] for word in ("size", "ranks", "matrix", "name")}
        chosen = {f"--{word}": words[word] or None for word in CHOICES}
        only_a_formula({"SYSTEM": system, **named, **chosen})
        _check_formula(formula, values, seed, as_json, start)
        return
    spec = stated_spec(words)
    with console.progress(f"checking {system} at N = {spec.N}, P = {spec.P}") as tell:
        program = lower(spec)
        results = list(_checks(program, seed, tell))
    _show(program, results, as_json, start)
    leave(*[verdict for _, _, verdict in results])


def _show(
    program: Program, results: list[tuple[str, str, Verdict]], as_json: bool, start: float
) -> None:
    """Print the verdicts by (name, source, verdict)."""
    seconds = perf_counter() - start
    bad = [verdict for _, _, verdict in results if not holds(verdict)]
    if as_json:
        head = {
            "system": program.spec.system,
            "size": program.N,
            "ranks": program.P,
            "input": program.input.name,
            "output": program.output.name,
            "verdict": "refuted" if bad else "checked",
        }
        verdicts = [
            {"name": name, "source": source, **verdict_record(verdict)}
            for name, source, verdict in results
        ]
        console.emit_json({**head, "equations": verdicts, "seconds": seconds})
        return
    for name, _, verdict in results:
        console.show(verdict, name)
    console.say(
        f"{len(results)} statements, {len(bad)} refuted, {seconds:.2f} s",
        "bold red" if bad else "bold green",
    )


def _check_formula(text: str, values: str, seed: int, as_json: bool, start: float) -> None:
    """Check an equation of one's own at stated sizes."""
    sides = parse.parse(text)
    at = parse.parse_values(values, sides=sides)
    verdict = elaborate.check(sides, at, seed)
    if as_json:
        record = {"formula": str(sides), "values": {name: str(value) for name, value in at.items()}}
        console.emit_json({**record, **verdict_record(verdict), "seconds": perf_counter() - start})
    else:
        console.show(verdict)
    leave(verdict)


def _checks(
    program: Program, seed: int, tell: Callable[[float], None]
) -> Iterator[tuple[str, str, Verdict]]:
    """Yield (name, source, verdict) for the equations that a program rests on, and for its
    supersteps.
    """
    spec = program.spec
    if spec.system == "fht":
        yield from hartley_check.checks(program.N, program.P, seed, lambda done: tell(done / 2))
        yield "supersteps", "codegen.program.lower", check_program(program)
        return
    if spec.permutation is not None:
        factored = bmmc.factor(spec.permutation.address, spec.p)
        yield "cormen-section-4", "Cormen 1997, section 4", properties.check(factored)
        equations: tuple[Equation, ...] = (program.equation,)
    elif spec.scheme:
        equations = hypercube.equations(spec.N, spec.P, spec.scheme)
    else:
        equations = bsp_variants.equations(spec.N, spec.P, spec.phases, spec.local)
    known: dict[str, Verdict] = {}
    for i, equation in enumerate(equations):
        if str(equation) not in known:  # (2.7) is (2.8) where P <= sqrt(N)
            known[str(equation)] = check_equation(
                equation, seed, partial(_tell_part, tell, i, len(equations) + 1)
            )
        yield equation.name, equation.source, known[str(equation)]
    yield "supersteps", "codegen.program.lower", check_program(program)


def _tell_part(tell: Callable[[float], None], i: int, parts: int, done: float) -> None:
    tell((i + done) / parts)
