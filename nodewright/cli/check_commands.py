"""The commands that check a factorization, or an equation of one's own, at one size, and that
refute printed formulas.
"""

from __future__ import annotations

from typing import Annotated, Any

from codegen.system_table import ALL, DTYPE, NORM, OPTIONS, listed_names
from codegen.systems.options import DIRECTIONS
from derive.call_arguments import counted
from nodewright.api.checks import LIMITS, Report, Symbolic, symbolic_fft
from nodewright.api.equations import Check, check_at
from nodewright.cli import console
from nodewright.cli.command_options import (
    UNSTATED,
    Formula,
    Json,
    JsonList,
    Listed,
    Names,
    Values,
    list_names,
    need_formula,
    of_request,
    stated_program,
    with_values,
)
from nodewright.cli.commands import Exit, command, commands, leave, only_a_formula, option
from proofs.errata import ERRATA, errata
from proofs.errata.entry import Finding

app = commands()

INEXACT = (NORM.name, DTYPE.name)
"""The options on which supersteps do not depend."""
REFUSED = "No option of an exact check."
TWO_WAYS = listed_names([record.name for record in ALL if record.two_ways])
"""The systems whose supersteps backward are others."""
IN_SYMBOLS = tuple(record.name for record in ALL if record.in_symbols)
"""The systems that are checked for sizes that are symbols."""
OfReals = Annotated[
    str | None, option("--direction", metavar="D", help=f"For {TWO_WAYS}: forward or backward.")
]
Norm = Annotated[str | None, option("--norm", hidden=True, help=REFUSED)]
Dtype = Annotated[str, option("--dtype", hidden=True, help=REFUSED)]
SymbolicSizes = Annotated[
    bool,
    option(
        "--symbolic",
        help=f"Check {', '.join(IN_SYMBOLS)} for symbols N, P and u with sympy; give no size.",
    ),
]


@command(app, "nodewright check fft --size 1024 --ranks 4")
@of_request("direction", *INEXACT)
def check(
    words: dict[str, Any],
    direction: OfReals = None,
    norm: Norm = None,
    dtype: Dtype = "",
    seed: Annotated[
        int, option("--seed", help="Seed of the random vectors that check large sizes.")
    ] = 0,
    formula: Formula = None,
    values: Values = None,
    symbolic: SymbolicSizes = False,
    as_json: Json = False,
) -> None:
    """Check a factorization, its program's supersteps, or your own equation, exactly at one size.

    Nothing is rounded: both sides are compared as sums of roots of unity or in finite fields.
    A wrong equation is refuted by an entry in which the sides differ.
    """
    found = _symbolic(words) if symbolic else _found(with_values(words))
    if as_json:
        console.emit_json(found.to_dict())
    elif isinstance(found, Report | Symbolic):
        _show(found)
    else:
        console.show(found.verdict)
    leave(found.verdict)


def _found(words: dict[str, Any]) -> Report | Check:
    """Return what a check finds of what the command's options state."""
    formula, values, seed = (words[word] for word in ("formula", "values", "seed"))
    need_formula(formula, values)
    if formula is not None:
        named = ("size", "ranks", "batch", "matrix", "name", "reproducible", *OPTIONS)
        given = {f"--{word}": words[word] for word in named if words[word] != UNSTATED[word]}
        only_a_formula({"SYSTEM": words["system"], **given})
        with console.doing(f"checking {formula}"):
            return check_at(formula, values, seed)
    for word in INEXACT:
        if words[word] != UNSTATED[word]:
            raise ValueError(
                f"--{word} {words[word]}: the check is exact and does not depend on it; leave"
                f" --{word} out, or certify the program that generate writes"
            )
    program = stated_program(words)
    request = program.request
    if words["direction"] == DIRECTIONS[1] and not request.record.two_ways:
        raise ValueError(
            f"{request.system} with --direction {words['direction']}: only {TWO_WAYS} have"
            " other supersteps backward; leave --direction out"
        )
    with console.doing(f"checking {request.system} at N = {request.N}, P = {request.P}") as tell:
        return program.check(seed, tell)


def _symbolic(words: dict[str, Any]) -> Symbolic:
    """Return what sympy finds of the FFT for symbolic sizes.

    Raises ValueError where another system or anything more is stated.
    """
    usual = UNSTATED | {"symbolic": True, "seed": 0}
    given = [
        f"--{word.replace('_', '-')}"
        for word, value in words.items()
        if word not in {"system", "as_json"} and value not in (None, "", usual.get(word))
    ]
    if words["system"] not in IN_SYMBOLS or given:
        rest, known = " ".join([words["system"] or "no system", *given]), " or ".join(IN_SYMBOLS)
        raise ValueError(f"--symbolic and {rest}: write nodewright check {known} --symbolic alone")
    with console.doing(f"checking {words['system']} for symbolic sizes"):
        return symbolic_fft()


def _show(report: Report | Symbolic) -> None:
    """Print the verdicts, and how many there are."""
    for name, _, verdict in report.statements:
        console.show(verdict, name)
    wrong = sum(not each.verdict.holds for each in report.statements)
    refuted = f"{wrong} refuted" if isinstance(report, Report) else f"{wrong} refuted or undecided"
    console.say(
        f"{counted(len(report.statements), 'statement')}, {refuted}, {report.seconds:.2f} s",
        "bold red" if wrong else "bold green",
    )
    if isinstance(report, Symbolic):
        console.say(LIMITS)


@command(app, "nodewright errata cormen-appendix-a", "errata")
def show_errata(names: Names = None, listed: Listed = False, as_json: JsonList = False) -> None:
    """List printed formulas of the papers that do not hold, each with its smallest counterexample,
    evaluated now, and the correction.

    Each has a kind: equation, table, wording or interpretation. For an interpretation, the paper
    leaves the meaning open, and one reading is refuted. Read this list first if you program from
    one of the papers.
    """
    if listed:
        list_names(ERRATA, {"NAME": names, "--json": as_json})
        return
    findings = errata(names or ())
    if as_json:
        console.emit_json([finding.to_dict() for finding in findings])
    else:
        for finding in findings:
            _show_erratum(finding)
        open_ones = sum(finding.erratum.says.kind == "interpretation" for finding in findings)
        console.say(
            f"{sum(finding.holds for finding in findings)} of {len(findings)} printed statements"
            " refuted and corrected" + f", {open_ones} of them in one reading" * (open_ones > 0),
            "bold green",
        )
    if not all(finding.holds for finding in findings):
        raise Exit(1)


def _show_erratum(finding: Finding) -> None:
    erratum, entry = finding.erratum, finding.erratum.says
    console.say(
        f"{erratum.name}  ({entry.kind}; {erratum.paper}, {entry.place}; {entry.cause})", "bold"
    )
    console.say(f"    printed         {entry.printed}")
    console.say(f"    read as         {entry.reading}")
    console.say(
        "    counterexample "
        f" {finding.counterexample or 'none found: the printed statement is not refuted'}",
        "" if finding.counterexample else "bold red",
    )
    console.say(f"    correction      {entry.correction}")
    console.say(
        f"                    {finding.verdict}", "green" if finding.wrong is None else "bold red"
    )
