"""The command line `nodewright`.

Exit status: 0 all good; 1 a check was refuted or a run failed; 2 the input or the usage is wrong, with one line on standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from math import log2
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from codegen.cost.bounds import permuting
from codegen.files import write_text
from codegen.program.meaning import check as check_program
from codegen.program.supersteps import Program
from derive.exact.check import check as check_equation
from derive.formula import layout
from derive.formula.grammar import Bmmc, Equation
from derive.gf2 import bmmc
from derive.gf2.block_forms import forms
from derive.gf2.recognize import Witness, recognize
from derive.lazy import lazily
from derive.papers import bsp_variants, hartley_check, hypercube
from derive.text import elaborate, parse
from derive.verdict import Verdict, holds
from nodewright.cli import console, cost, show
from nodewright.cli import program as commands_program
from nodewright.cli.options import (
    Algorithm,
    AnyRanks,
    AnySize,
    AnySystem,
    Complement,
    Exit,
    Formula,
    Input,
    Json,
    LocalForm,
    Matrix,
    Name,
    Output,
    Phases,
    Scheme,
    TyperException,
    app,
    argument,
    leave,
    number,
    only_a_formula,
    option,
    stated_permutation,
    stated_program,
    stated_system,
    verdict_record,
)
from nodewright.demo.main_job import Message
from nodewright.demo.main_job import demo as run_demo
from proofs.kernel.rules import Thm
from proofs.prove.equations import decide_for_all
from proofs.replay.export import certificates, own, own_certificate
from proofs.show.document import document
from proofs.theorems import Theorem, theorems
from proofs.theorems.by_blocks import BlockTheorem, block_theorems
from proofs.theorems.notation import TEXT
from proofs.theorems.notation import equation as kernel_equation
from proofs.theorems.notation import shown as kernel_shown

if TYPE_CHECKING:
    from nodewright import plot
else:
    plot = lazily("nodewright.plot")

SECONDS, LONGEST = 20, 10**6
"""The time that a search for a proof may take where none is stated, and the longest that may be stated."""
ELSEWHERE = (commands_program, cost, show)
"""The other modules with commands: importing them names their commands to `app`."""


@app.command()
def factor(
    bits: Annotated[int, option("--bits", metavar="n", help="lg of the number of elements.")],
    processor_bits: Annotated[int, option("--processor-bits", metavar="p", help="lg of the number of ranks.")],
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = 0,
    layout_name: Annotated[str | None, option("--layout", metavar="f:K", help="Layout of the data; processor-major by default.")] = None,
    png: Annotated[Path | None, option("--png", metavar="FILE", help="Draw the matrices, and for few elements what moves where.")] = None,
    as_json: Json = False,
) -> None:
    """Factor a BMMC permutation as A = V W (Cormen 1997)."""
    permutation = stated_permutation(bits, matrix, name, complement)
    stored = layout.named(layout_name, bits, processor_bits) if layout_name is not None else None
    if stored is not None:
        permutation = stored.address @ permutation @ stored.address.inverse()
    f = bmmc.factor(permutation, processor_bits)
    verdict = bmmc.check(f)
    if png:
        plot.draw_factorization(png, f, stored)
    if as_json:
        console.emit_json(_factors(f))
    else:
        _show_factors(f, verdict, layout_name)
    leave(verdict)


def _factors(f: bmmc.Factorization) -> dict[str, Any]:
    named = {"A": f.permutation, "T": f.trailer, "R": f.reducer, "Pi": f.swapper, "V": f.V, "W": f.W}
    return {
        "n": f.n,
        "p": f.p,
        "c": f.permutation.c,
        **{name: list(map_.columns) for name, map_ in named.items()},
        "rank_gamma": f.rank_gamma,
        "rounds": f.rounds,
        "elements_per_message": f.elements_per_message,
        "at_least": asdict(permuting(f.permutation, f.p)),
        "forms": [
            {
                "letters": form.letters,
                "factors": [list(factor.columns) for factor in form.factors],
                "complements": [factor.c for factor in form.factors],
                "rounds": list(form.rounds),
            }
            for form in forms(f)
        ],
    }


def _show_factors(f: bmmc.Factorization, verdict: Verdict, layout_name: str | None) -> None:
    if layout_name is not None:
        console.say(f"A and c below are Q A Q^-1 and Q c of the permutation that is stated, Q being the layout {layout_name} (Cormen, section 6).")
    if f.n <= 32:
        console.say("Bit matrices, least significant bit at the top left, a dot for 0; offset bits, then processor bits.")
        console.matrices({"A": f.permutation.matrix, "V": f.V.matrix, "W": f.W.matrix}, f.m)
        console.matrices({"T": f.trailer.matrix, "R": f.reducer.matrix, "Pi": f.swapper.matrix}, f.m)
    else:
        console.say(f"n = {f.n}: matrices are printed up to n = 32; --png draws them up to n = 64, --json gives their columns")
    console.say(f"complement c = {f.permutation.c}")
    sent = f"{_count(f.rounds, ' message')} of {_count(f.elements_per_message, ' element')}"
    console.say(f"rank of gamma {f.rank_gamma}: every rank sends {sent}, perhaps one to itself")
    least = permuting(f.permutation, f.p)
    assert least.words is not None and least.messages is not None, "those of a permutation are counted"
    words, others = _count(least.words, " element"), _count(least.messages, " other")
    console.say(f"whatever the program: the rank that sends most sends at least {words}, to {others} (Lemma 3)")
    if f.p <= 4 and f.rank_gamma <= 4:
        ranks = range(1 << f.p)
        turns = [(b, *(f"{f.target(b, k)}, {f.source(b, k)}" for k in ranks)) for b in range(f.rounds)]
        console.columns("Round b: where rank k sends to, where it receives from", ("b", *(f"k = {k}" for k in ranks)), turns)
    rows = [(" ".join(form.letters), " + ".join(map(_count, form.rounds)), _count(sum(form.rounds))) for form in forms(f)]
    console.table("Messages of a rank in this and other factorizations, factor by factor", ("A =", "messages", "sum"), rows)
    console.show(verdict)


def _count(number: int, what: str = "") -> str:
    """Return a number of messages or elements, past 2^64 as the power of two that is nearest, and of what."""
    shown = str(number) if number <= 1 << 64 else ("" if number.bit_count() == 1 else "about ") + f"2^{round(log2(number))}"
    return shown + what + "s" * (what != "" and number != 1)


@app.command("bmmc")
def recognize_bmmc(
    file: Annotated[Path, argument(metavar="FILE.npy", help="A permutation of 2^n indices: the target of each.")],
    as_json: Json = False,
) -> None:
    """Say whether a permutation is BMMC, with its matrix and complement, or with a witness that it is not."""
    try:
        targets = np.load(file, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        why = "it holds text or objects" if "pickle" in str(error) else str(error)
        raise ValueError(f"{file}: cannot be read as a .npy file: {why}") from error
    if not isinstance(targets, np.ndarray):
        raise ValueError(f"{file}: an archive of arrays: a permutation is one array, in a .npy file")
    found = recognize(targets)
    if isinstance(found, Witness):
        if as_json:
            console.emit_json({"bmmc": False, "witness": asdict(found), "text": str(found)})
        else:
            console.say(f"{file}: {found}")
        raise Exit(1)
    if as_json:
        console.emit_json({"bmmc": True, "n": found.bits, "A": list(found.columns), "c": found.c})
        return
    console.say(f"{file}: BMMC, y = A x + c with n = {found.bits}, c = {found.c}")
    console.matrices({"A": found.matrix}, found.bits)


@app.command()
def check(
    system: AnySystem = None,
    size: AnySize = None,
    ranks: AnyRanks = None,
    input: Input = "block",
    output: Output = "",
    matrix: Matrix = None,
    name: Name = None,
    complement: Complement = 0,
    scheme: Scheme = "",
    algorithm: Algorithm = "",
    phases: Phases = "",
    local: LocalForm = "",
    seed: Annotated[int, option("--seed", help="Seed of the random vectors that decide large sizes.")] = 0,
    formula: Formula = None,
    values: Annotated[str, option("--set", metavar="n=4,r=2", help="What the symbols of --formula stand for.")] = "",
    as_json: Json = False,
) -> None:
    """Check a factorization exactly at one size, every equation that it rests on, and the supersteps made from it; or an equation of your own."""
    start = perf_counter()
    if formula is not None:
        only_a_formula({"SYSTEM": system, "--size": size, "--ranks": ranks, "--matrix": matrix, "--name": name})
        _check_formula(formula, values, seed, as_json, start)
        return
    system, size, ranks = stated_system(system, size, ranks, matrix)
    N, P, stated = number(size), number(ranks), (matrix, name, complement)
    with console.progress(f"checking {system} at N = {N}, P = {P}") as tell:
        program = stated_program(system, N, P, (input, output), "alltoall", stated, scheme, algorithm, phases, local)
        results = list(_checks(program, seed, tell))
    seconds = perf_counter() - start
    bad = [verdict for _, _, verdict in results if not holds(verdict)]
    if as_json:
        head = {"system": system, "size": N, "ranks": P, "input": program.input.name, "output": program.output.name}
        verdicts = [{"name": name, "source": source, **verdict_record(verdict)} for name, source, verdict in results]
        console.emit_json({**head, "verdict": "refuted" if bad else "checked", "equations": verdicts, "seconds": seconds})
    else:
        for name, _, verdict in results:
            console.show(verdict, name)
        console.say(f"{len(results)} statements, {len(bad)} refuted, {seconds:.2f} s", "bold red" if bad else "bold green")
    leave(*[verdict for _, _, verdict in results])


def _check_formula(text: str, values: str, seed: int, as_json: bool, start: float) -> None:
    """Check an equation of one's own at stated sizes."""
    sides, at = parse.parse(text), parse.parse_values(values)
    verdict = elaborate.check(sides, at, seed)
    if as_json:
        record = {"formula": str(sides), "values": {name: str(value) for name, value in at.items()}}
        console.emit_json({**record, **verdict_record(verdict), "seconds": perf_counter() - start})
    else:
        console.show(verdict)
    leave(verdict)


def _checks(program: Program, seed: int, tell: Callable[[float], None]) -> Iterator[tuple[str, str, Verdict]]:
    """Yield (name, source, verdict) for the equations that a program rests on, and for its supersteps."""
    if program.system == "fht":
        yield from hartley_check.checks(program.N, program.P, seed, lambda done: tell(done / 2))
        yield "supersteps", "codegen.program.lower", check_program(program)
        return
    if isinstance(program.equation.left, Bmmc):
        yield "cormen-section-4", "Cormen 1997, section 4", bmmc.check(bmmc.factor(program.equation.left.address, program.input.p))
        equations: tuple[Equation, ...] = (program.equation,)
    elif program.scheme:
        equations = hypercube.equations(program.N, program.P, program.scheme)
    else:
        equations = bsp_variants.equations(program.N, program.P, program.phases, program.local)
    known: dict[str, Verdict] = {}
    for i, equation in enumerate(equations):
        if str(equation) not in known:  # (2.7) is (2.8) where P <= sqrt(N)
            known[str(equation)] = check_equation(equation, seed, partial(_tell_part, tell, i, len(equations) + 1))
        yield equation.name, equation.source, known[str(equation)]
    yield "supersteps", "codegen.program.lower", check_program(program)


def _tell_part(tell: Callable[[float], None], i: int, parts: int, done: float) -> None:
    tell((i + done) / parts)


@app.command()
def prove(
    names: Annotated[list[str] | None, argument(metavar="[NAME ...]", help="Which; all by default.")] = None,
    formula: Formula = None,
    where: Annotated[str, option("--where", metavar="'n >= 1, r >= 2'", help="Conditions on the symbols of --formula.")] = "",
    seconds: Annotated[float | None, option("--seconds", metavar="S", help=f"The time that --formula may take; {SECONDS} by default.")] = None,
    certificate: Annotated[Path | None, option("--certificate", metavar="FILE", help="Where the steps of the proofs go, to be replayed.")] = None,
    latex_file: Annotated[Path | None, option("--latex", metavar="FILE", help="Where the proofs go, line by line, as LaTeX.")] = None,
    html_file: Annotated[Path | None, option("--html", metavar="FILE", help="The same as HTML.")] = None,
    as_json: Json = False,
) -> None:
    """Prove equations of the papers, or one of your own, for all sizes, each step checked by a small kernel."""
    if formula is not None:
        only_a_formula({"NAME": names or None})
        _prove_formula(
            formula, where, SECONDS if seconds is None else seconds, {"certificate": certificate, "latex": latex_file, "html": html_file}, as_json
        )
        return
    if seconds is not None:
        raise ValueError(f"--seconds {seconds:g} without --formula: a theorem with a name is proved in the time that it takes")
    if where:
        raise ValueError(f"--where {where!r} without --formula: a theorem with a name has no conditions to be stated")
    known: dict[str, Theorem | BlockTheorem] = {**theorems(), **block_theorems()}
    for name in names or ():
        if name not in known:
            raise ValueError(f"unknown theorem {name!r}: the names are {', '.join(known)}")
    chosen = [known[name] for name in dict.fromkeys(names or known)]
    for file, written_as in ((latex_file, partial(document, latex=True)), (html_file, partial(document, latex=False)), (certificate, certificates)):
        if file:
            write_text(file, written_as(chosen))
    records: list[dict[str, Any]] = []
    for name in names or known:
        start, theorem = perf_counter(), known[name]
        verdict = theorem.verdict()
        records.append(
            {
                "name": name,
                "source": theorem.source,
                "statement": verdict.statement,
                "gloss": theorem.gloss,
                "verdict": console.strength(verdict),
                "seconds": perf_counter() - start,
                "rests_on": list(verdict.rests_on),
                "assumed": _assumed(theorem),
                "kernel": [kernel_equation(part, TEXT) if isinstance(part, Thm) else str(part) for part in theorem.prove()],
            }
        )
        if not as_json:
            console.show(verdict, name)
            console.say(f"    in the paper's letters: {theorem.gloss.splitlines()[0]}", "dim")
    if as_json:
        console.emit_json(records)
    else:
        console.say(f"{len(records)} theorems, {sum(record['seconds'] for record in records):.1f} s", "bold green")


def _assumed(theorem: Theorem | BlockTheorem) -> dict[str, list[str]]:
    """Return what a theorem assumes: relations of blocks by their reasons, or hypotheses of the kernel's equations."""
    if isinstance(theorem, BlockTheorem):
        return {reason: [str(r) for r in relations] for reason, relations in theorem.assumed().items()}
    given = {f"{kernel_shown(h.left, TEXT)} = {kernel_shown(h.right, TEXT)}" for part in theorem.prove() for h in part.hypotheses}
    return {"hypotheses": sorted(given)} if given else {}


def _prove_formula(text: str, where: str, seconds: float, files: dict[str, Path | None], as_json: bool) -> None:
    """Prove or refute an equation of one's own for all sizes."""
    start = perf_counter()
    if not 0 < seconds < LONGEST:
        raise ValueError(f"--seconds {seconds:g}: a time above 0 and below {LONGEST}")
    sides = parse.parse(text)
    answer = decide_for_all(sides, parse.parse_relations(where), seconds)
    for kind, file in files.items():
        if file and answer.theorem:
            proof = own(sides, where, answer)
            write_text(file, own_certificate(sides, where, answer.theorem) if kind == "certificate" else document([proof], kind == "latex"))
    kernel = kernel_equation(answer.theorem, TEXT) if answer.theorem else None
    if as_json:
        values = None if answer.values is None else {name: str(value) for name, value in answer.values.items()}
        stands = dict(answer.symbols)
        record = {"formula": str(sides), "where": where, **verdict_record(answer.verdict), "values": values, "sizes_tried": answer.tried}
        console.emit_json({**record, "kernel": kernel, "symbols": stands, "seconds": perf_counter() - start})
    else:
        console.show(answer.verdict)
        if kernel:
            given = ", ".join(f"{value} for {name}" for name, value in answer.symbols)
            console.say(f"    {kernel}" + (f", with {given}" if given else ""), "dim")
        elif any(files.values()):
            console.say(f"    nothing is written to {', '.join(str(file) for file in files.values() if file)}: there is no proof", "dim")
    leave(answer.verdict)


@app.command()
def demo(as_json: Json = False) -> None:
    """Take real data through the whole pipeline; everything that it makes lies in ./nodewright-demo/."""
    findings = run_demo(_say_nothing if as_json else _say)
    if as_json:
        console.emit_json({"seconds": findings.seconds, "files": [str(file) for file in findings.files], "error": findings.accuracy.measured})
    else:
        console.say("Everything is in nodewright-demo/: " + ", ".join(file.name for file in findings.files), "bold")


def _say(message: Message) -> None:
    indent, style = {"step": ("", "bold"), "note": ("    ", "dim"), "result": ("  → ", "green")}[message.kind]
    console.say(indent + message.text, style)


def _say_nothing(message: Message) -> None:
    pass


def main() -> None:
    """Run the command line; wrong input ends in one line on standard error and exit status 2."""
    try:
        status = app(standalone_mode=False)
    except TyperException as error:
        status = _refuse(getattr(error, "format_message", error.__str__)())
    except RecursionError:
        status = _refuse("what is given is nested too deeply, or too long, to be read")
    except ModuleNotFoundError as error:
        status = _refuse(f"{error.name} is not installed: pip install nodewright[all] brings all that nodewright uses")
    except NotImplementedError as error:
        status = _refuse(str(error))
    except RuntimeError as error:
        console.complain(str(error))
        status = 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except OSError as error:
        status = _refuse(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))
    except (ValueError, MemoryError) as error:
        status = _refuse(str(error) or type(error).__name__)
    except KeyboardInterrupt:
        status = 130
    sys.exit(status if isinstance(status, int) else 0)


def _refuse(message: str) -> int:
    console.complain(message)
    return 2


if __name__ == "__main__":
    main()
