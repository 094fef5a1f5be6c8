"""The commands that prove equations for all sizes, line by line where that is asked for, and that
refute printed ones.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

from codegen.files import write_text
from derive.text import parse
from nodewright.cli import console
from nodewright.cli.commands import Exit, argument, commands, option
from nodewright.cli.options import Formula, Json, leave, only_a_formula, verdict_record
from proofs.errata import errata
from proofs.errata.entry import Finding
from proofs.kernel.rules import Thm
from proofs.prove.equations import decide_for_all
from proofs.replay.export import certificates, own, own_certificate
from proofs.show.document import document
from proofs.show.kernel_chains import read
from proofs.theorems import Theorem, derivations, theorems
from proofs.theorems.by_blocks import BlockTheorem, block_theorems
from proofs.theorems.notation import TEXT
from proofs.theorems.notation import equation as kernel_equation
from proofs.theorems.notation import shown as kernel_shown

app = commands()


SECONDS, LONGEST = 20, 10**6
"""The time that a search for a proof may take where none is stated, and the longest that may be
stated.
"""


@app.command()
def prove(
    names: Annotated[
        list[str] | None, argument(metavar="[NAME ...]", help="Which; all by default.")
    ] = None,
    formula: Formula = None,
    where: Annotated[
        str,
        option(
            "--where", metavar="'n >= 1, r >= 2'", help="Conditions on the symbols of --formula."
        ),
    ] = "",
    seconds: Annotated[
        float | None,
        option(
            "--seconds",
            metavar="S",
            help=f"The time that --formula may take; {SECONDS} by default.",
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        option(
            "--certificate",
            metavar="FILE",
            help="Where the steps of the proofs go, to be replayed.",
        ),
    ] = None,
    latex_file: Annotated[
        Path | None,
        option("--latex", metavar="FILE", help="Where the proofs go, line by line, as LaTeX."),
    ] = None,
    html_file: Annotated[
        Path | None, option("--html", metavar="FILE", help="The same as HTML.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove equations of the papers, or one of your own, for all sizes, each step checked by a
    small kernel.
    """
    if formula is not None:
        only_a_formula({"NAME": names or None})
        _prove_formula(
            formula,
            where,
            SECONDS if seconds is None else seconds,
            {"certificate": certificate, "latex": latex_file, "html": html_file},
            as_json,
        )
        return
    if seconds is not None:
        raise ValueError(
            f"--seconds {seconds:g} without --formula: a theorem with a name is proved in the time"
            " that it takes"
        )
    if where:
        raise ValueError(
            f"--where {where!r} without --formula: a theorem with a name has no conditions to be"
            " stated"
        )
    known: dict[str, Theorem | BlockTheorem] = {**theorems(), **block_theorems()}
    for name in names or ():
        if name not in known:
            raise ValueError(f"unknown theorem {name!r}: the names are {', '.join(known)}")
    chosen = [known[name] for name in dict.fromkeys(names or known)]
    for file, written_as in (
        (latex_file, partial(document, latex=True)),
        (html_file, partial(document, latex=False)),
        (certificate, certificates),
    ):
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
                "kernel": [
                    kernel_equation(part, TEXT) if isinstance(part, Thm) else str(part)
                    for part in theorem.prove()
                ],
            }
        )
        if not as_json:
            console.show(verdict, name)
            console.say(f"    in the paper's letters: {theorem.gloss.splitlines()[0]}", "dim")
    if as_json:
        console.emit_json(records)
    else:
        console.say(
            f"{len(records)} theorems, {sum(record['seconds'] for record in records):.1f} s",
            "bold green",
        )


def _assumed(theorem: Theorem | BlockTheorem) -> dict[str, list[str]]:
    """Return what a theorem assumes: relations of blocks by their reasons, or hypotheses of the
    kernel's equations.
    """
    if isinstance(theorem, BlockTheorem):
        return {
            reason: [str(r) for r in relations] for reason, relations in theorem.assumed().items()
        }
    given = {
        f"{kernel_shown(h.left, TEXT)} = {kernel_shown(h.right, TEXT)}"
        for part in theorem.prove()
        for h in part.hypotheses
    }
    return {"hypotheses": sorted(given)} if given else {}


def _prove_formula(
    text: str, where: str, seconds: float, files: dict[str, Path | None], as_json: bool
) -> None:
    """Prove or refute an equation of one's own for all sizes."""
    start = perf_counter()
    if not 0 < seconds < LONGEST:
        raise ValueError(f"--seconds {seconds:g}: a time above 0 and below {LONGEST}")
    sides = parse.parse(text)
    answer = decide_for_all(sides, parse.parse_relations(where), seconds)
    for kind, file in files.items():
        if file and answer.theorem:
            proof = own(sides, where, answer)
            write_text(
                file,
                (
                    own_certificate(sides, where, answer.theorem)
                    if kind == "certificate"
                    else document([proof], kind == "latex")
                ),
            )
    kernel = kernel_equation(answer.theorem, TEXT) if answer.theorem else None
    if as_json:
        values = (
            None
            if answer.values is None
            else {name: str(value) for name, value in answer.values.items()}
        )
        stands = dict(answer.symbols)
        record = {
            "formula": str(sides),
            "where": where,
            **verdict_record(answer.verdict),
            "values": values,
            "sizes_tried": answer.tried,
        }
        console.emit_json(
            {**record, "kernel": kernel, "symbols": stands, "seconds": perf_counter() - start}
        )
    else:
        console.show(answer.verdict)
        if kernel:
            given = ", ".join(f"{value} for {name}" for name, value in answer.symbols)
            console.say(f"    {kernel}" + (f", with {given}" if given else ""), "dim")
        elif any(files.values()):
            console.say(
                "    nothing is written to"
                f" {', '.join(str(file) for file in files.values() if file)}: there is no proof",
                "dim",
            )
    leave(answer.verdict)


@app.command()
def derive(
    names: Annotated[
        list[str] | None, argument(metavar="[NAME ...]", help="Which; all by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Derive equations of the papers for all sizes, a line from the last by a rule of the kernel or
    by a theorem that is named.
    """
    known = derivations()
    for name in names or ():
        if name not in known:
            raise ValueError(f"unknown derivation {name!r}: the names are {', '.join(known)}")
    chosen = [known[name] for name in names or known]
    if as_json:
        console.emit_json({"derivations": [_derivation_record(theorem) for theorem in chosen]})
        return
    for theorem in chosen:
        _show_derivation(theorem)


def _derivation_record(theorem: Theorem) -> dict[str, Any]:
    """Return a derivation as --json prints it."""
    return {
        "name": theorem.name,
        "source": theorem.source,
        **verdict_record(theorem.verdict()),
        "gloss": theorem.gloss,
        **asdict(read(theorem, citing=True)),
    }


def _show_derivation(theorem: Theorem) -> None:
    """Print a derivation, the lemmas that it uses below it."""
    reading = read(theorem, citing=True)
    console.say(f"{theorem.name}  ({theorem.source})", "bold")
    for part in reading.arguments:
        if part.title:
            console.say(f"  {part.title}: {part.statement}")
        for chain in part.chains:
            if chain.heading:
                console.say(f"  {chain.heading}:", "dim")
            console.say(f"    {chain.start}")
            for step in chain.steps:
                console.say(f"  = {step.formula}    [{step.reason}]")
    for letter in reading.letters:
        console.say(f"  where {letter}", "dim")
    console.show(theorem.verdict())
    console.say(f"    in the paper's letters: {theorem.gloss.splitlines()[0]}", "dim")


@app.command("errata")
def show_errata(
    names: Annotated[
        list[str] | None, argument(metavar="[NAME ...]", help="Which; all by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List what the papers print and does not hold, each with its smallest counterexample,
    evaluated now, and the correction.
    """
    findings = errata(names or ())
    if as_json:
        console.emit_json([finding.record() for finding in findings])
    else:
        for finding in findings:
            _show_erratum(finding)
        console.say(
            f"{len(findings)} printed statements, {sum(finding.holds for finding in findings)}"
            " refuted and corrected",
            "bold green",
        )
    if not all(finding.holds for finding in findings):
        raise Exit(1)


def _show_erratum(finding: Finding) -> None:
    entry = finding.erratum
    console.say(f"{entry.name}  ({entry.paper}, {entry.place}; {entry.cause})", "bold")
    console.say(f"    printed         {entry.printed}")
    console.say(
        "    counterexample "
        f" {finding.counterexample or 'none found: the printed statement is not refuted'}",
        "" if finding.counterexample else "bold red",
    )
    console.say(f"    correction      {entry.correction}")
    console.say(
        f"                    {finding.verdict}", "green" if finding.wrong is None else "bold red"
    )
