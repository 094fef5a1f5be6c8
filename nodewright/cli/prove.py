"""The commands that prove equations for all sizes, line by line where that is asked for, and that
refute printed ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

from codegen.files import write_text
from derive.text import parse
from derive.verdict import Proved
from nodewright.cli import console
from nodewright.cli.commands import Exit, argument, commands, option
from nodewright.cli.options import Formula, Json, leave, only_a_formula, verdict_record
from proofs.errata import errata
from proofs.errata.entry import Finding
from proofs.kernel.rules import Thm
from proofs.prove.equations import Answer, decide_for_all
from proofs.replay.export import certificates, own, own_certificate
from proofs.show.document import document
from proofs.show.kernel_chains import read
from proofs.theorems import Theorem, derivations, theorems
from proofs.theorems.by_blocks import BlockTheorem, block_theorems
from proofs.theorems.notation import TEXT
from proofs.theorems.notation import equation as kernel_equation
from proofs.theorems.notation import shown as kernel_shown

app = commands()

Proof = Theorem | BlockTheorem
Files = dict[str, Path | None]
"""Where proofs are written to as certificate, LaTeX and HTML."""
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
    _demand_no_search(seconds, where)
    _prove_theorems(
        names, {"latex": latex_file, "html": html_file, "certificate": certificate}, as_json
    )


def _demand_no_search(seconds: float | None, where: str) -> None:
    """Raise ValueError where something is stated that a theorem with a name does not take."""
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


def _named(known: Mapping[str, object], names: list[str] | None, kind: str) -> list[str]:
    """Return the names that are asked for, all by default; raise ValueError if one is unknown."""
    for name in names or ():
        if name not in known:
            raise ValueError(f"unknown {kind} {name!r}: the names are {', '.join(known)}")
    return names or list(known)


def _write(files: Files, proofs: Sequence[Proof], certificate: Callable[[], str]) -> None:
    """Write proofs to the files that are asked for."""
    for kind, file in files.items():
        if file:
            write_text(
                file, certificate() if kind == "certificate" else document(proofs, kind == "latex")
            )


def _prove_theorems(names: list[str] | None, files: Files, as_json: bool) -> None:
    """Prove theorems by their names, all by default."""
    known: dict[str, Proof] = {**theorems(), **block_theorems()}
    names = _named(known, names, "theorem")
    chosen = [known[name] for name in dict.fromkeys(names)]
    _write(files, chosen, partial(certificates, chosen))
    records: list[dict[str, Any]] = []
    for name in names:
        start, theorem = perf_counter(), known[name]
        verdict = theorem.verdict()
        records.append(_theorem_record(name, theorem, verdict, perf_counter() - start))
        if not as_json:
            _show_theorem(verdict, theorem.gloss, name)
    if as_json:
        console.emit_json(records)
    else:
        console.say(
            f"{len(records)} theorem{'s' * (len(records) != 1)},"
            f" {sum(record['seconds'] for record in records):.1f} s",
            "bold green",
        )


def _theorem_record(name: str, theorem: Proof, verdict: Proved, seconds: float) -> dict[str, Any]:
    """Return a proved theorem as --json prints it."""
    return {
        "name": name,
        "source": theorem.source,
        "statement": verdict.statement,
        "gloss": theorem.gloss,
        "verdict": console.strength(verdict),
        "seconds": seconds,
        "rests_on": list(verdict.rests_on),
        "assumed": _assumed(theorem),
        "kernel": [
            kernel_equation(part, TEXT) if isinstance(part, Thm) else str(part)
            for part in theorem.prove()
        ],
    }


def _show_theorem(verdict: Proved, gloss: str, name: str = "") -> None:
    """Print the verdict on a theorem, and the first line of what it says in the paper's letters."""
    console.show(verdict, name)
    console.say(f"    in the paper's letters: {gloss.splitlines()[0]}", "dim")


def _assumed(theorem: Proof) -> dict[str, list[str]]:
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


def _prove_formula(text: str, where: str, seconds: float, files: Files, as_json: bool) -> None:
    """Prove or refute an equation of one's own for all sizes."""
    start = perf_counter()
    if not 0 < seconds < LONGEST:
        raise ValueError(f"--seconds {seconds:g}: a time above 0 and below {LONGEST}")
    sides = parse.parse(text)
    answer = decide_for_all(sides, parse.parse_relations(where), seconds)
    if answer.theorem and any(files.values()):
        own_steps = partial(own_certificate, sides, where, answer.theorem)
        _write(files, [own(sides, where, answer)], own_steps)
    kernel = kernel_equation(answer.theorem, TEXT) if answer.theorem else None
    if as_json:
        found = {"formula": str(sides), "where": where, **_answer_record(answer)}
        console.emit_json(
            {
                **found,
                "kernel": kernel,
                "symbols": dict(answer.symbols),
                "seconds": perf_counter() - start,
            }
        )
    else:
        _show_answer(answer, kernel, [str(file) for file in files.values() if file])
    leave(answer.verdict)


def _answer_record(answer: Answer) -> dict[str, Any]:
    """Return what was found of an equation of one's own as --json prints it."""
    values = answer.values
    return {
        **verdict_record(answer.verdict),
        "values": None if values is None else {name: str(value) for name, value in values.items()},
        "sizes_tried": answer.tried,
    }


def _show_answer(answer: Answer, kernel: str | None, files: list[str]) -> None:
    """Print what was found of an equation of one's own, and as what the kernel proves it."""
    console.show(answer.verdict)
    if kernel:
        given = ", ".join(f"{value} for {name}" for name, value in answer.symbols)
        console.say(f"    {kernel}" + (f", with {given}" if given else ""), "dim")
    elif files:
        console.say(f"    nothing is written to {', '.join(files)}: there is no proof", "dim")


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
    chosen = [known[name] for name in _named(known, names, "derivation")]
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
    _show_theorem(theorem.verdict(), theorem.gloss)


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
