"""The commands that prove equations for all sizes, line by line where that is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Annotated

from derive.call_arguments import counted
from nodewright.api.derivation_calls import SUFFIX, Derivation, DerivedProof, built_in
from nodewright.api.derivation_calls import rules as known_rules
from nodewright.api.proofs import SECONDS, NamedProof, OwnProof, derivations, named, theorems
from nodewright.api.proofs import prove as prove_for_all
from nodewright.cli import console
from nodewright.cli.command_options import Formula, Json, Listed, Names, list_names, names_alone
from nodewright.cli.commands import (
    argument,
    command,
    commands,
    leave,
    of_files,
    of_formula,
    only_a_formula,
    option,
)
from nodewright.proof_files import Files
from proofs.derivations.script import WrongLine

app = commands()

Latex = Annotated[
    Path | None,
    of_files("--latex", metavar="FILE", help="File for the proofs, line by line, in LaTeX."),
]
Html = Annotated[
    Path | None,
    of_files("--html", metavar="FILE", help="File for the proofs, line by line, in HTML."),
]
Coq = Annotated[
    Path | None,
    of_files("--coq", metavar="FILE", help="File for the proofs in Coq, one lemma per step."),
]
Short = Annotated[
    bool, of_files("--short", help="Write only statements and reasons to --latex and --html files.")
]


@command(app, "nodewright prove --formula 'L(r*s,r) * L(r*s,s) = I(r*s)'")
def prove(
    names: Names = None,
    formula: Formula = None,
    where: Annotated[
        str,
        of_formula(
            "--where", metavar="'n >= 1, r >= 2'", help="Conditions on the symbols in --formula."
        ),
    ] = "",
    seconds: Annotated[
        float | None,
        of_formula(
            "--seconds",
            metavar="S",
            help=f"Limit of processor time for --formula; the default is {SECONDS}.",
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        of_files(
            "--certificate",
            metavar="FILE",
            help="File for the steps of the proofs, which can be checked again.",
        ),
    ] = None,
    latex_file: Latex = None,
    html_file: Html = None,
    coq_file: Coq = None,
    short: Short = False,
    listed: Listed = False,
    as_json: Annotated[
        bool,
        option(
            "--json",
            help="Print JSON and nothing else: a list with an object per name, or one object for"
            " --formula.",
        ),
    ] = False,
) -> None:
    """Prove equations of the papers, or one of your own, for all sizes, each step checked by a
    small kernel.

    `check` decides an equation at one size, `prove` for all values of its symbols. A wrong
    equation is refuted at the smallest sizes that were found.
    """
    if listed:
        list_names(theorems(), {"NAME": names, "--formula": formula, "--json": as_json})
        return
    files = Files.asked(certificate, latex_file, html_file, coq_file, short)
    if formula is not None:
        only_a_formula({"NAME": names or None})
        _prove_formula(formula, where, SECONDS if seconds is None else seconds, files, as_json)
        return
    _demand_no_search(seconds, where)
    _prove_theorems(names, files, as_json)


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


def _prove_theorems(names: list[str] | None, files: Files, as_json: bool) -> None:
    names_alone(names or ())
    chosen = named(theorems(), names or (), "theorem")
    what = f"proving {counted(len(chosen), 'theorem')}"
    with console.doing(what):
        files.write([*dict.fromkeys(chosen)])
    if as_json:
        console.emit_json([proof.to_dict() for proof in _in_turn(what, chosen)])
        return
    for proof in _in_turn(what, chosen):
        _show_theorem(proof, proof.name)
    seconds = sum(proof.seconds for proof in chosen)
    console.say(f"{counted(len(chosen), 'theorem')}, {seconds:.1f} s", "bold green")


def _in_turn(what: str, several: list[NamedProof]) -> Iterator[NamedProof]:
    """Yield proofs, and report which is worked on where it is not seen from what is printed."""
    printed = nullcontext(lambda words: None)
    with printed if console.err.is_terminal else console.doing(what) as tell:
        for number, one in enumerate(several, 1):
            tell(f"{one.name}, {number} of {len(several)}")
            yield one


def _show_theorem(proof: NamedProof, name: str = "") -> None:
    """Print the verdict on a theorem, and the first line of what it says in the paper's letters."""
    console.show(proof.verdict, name)
    console.say(f"    in the paper's letters: {proof.gloss.splitlines()[0]}", "dim")


def _prove_formula(text: str, where: str, seconds: float, files: Files, as_json: bool) -> None:
    """Prove or refute an equation of one's own for all sizes."""
    with console.doing(f"proving {text}"):
        found = prove_for_all(text, where, seconds)
    if found.kernel:
        files.write([found])
    if as_json:
        console.emit_json(found.to_dict())
    else:
        _show_answer(found, [*map(str, files.asked_for.values())])
    leave(found.verdict)


def _show_answer(found: OwnProof, files: list[str]) -> None:
    """Print what was found, and the kernel's equation where that is written in another way."""
    console.show(found.verdict)
    if typed := found.typed:
        if typed.kernel:
            said = "; ".join(typed.notes).replace("$", "")
            console.say(f"    the kernel proves: {typed.kernel}", "dim")
            if said:
                console.say(f"    where {said}", "dim")
    elif files:
        console.say(f"    there is no proof; {', '.join(files)} was not written", "dim")


@command(app, "nodewright derive cooley-tukey")
def derive(
    names: Annotated[
        list[str] | None,
        argument(
            metavar="[NAME ...]",
            help=f"Names, as --list shows them, or files NAME{SUFFIX} of your own; the default is"
            " all theorems.",
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        of_files(
            "--certificate",
            metavar="FILE",
            help="File for the proof of one derivation, which can be checked again.",
        ),
    ] = None,
    latex_file: Latex = None,
    html_file: Html = None,
    coq_file: Coq = None,
    short: Short = False,
    rules: Annotated[
        bool, option("--rules", help="List the rules that a file may apply, and stop.")
    ] = False,
    listed: Listed = False,
    as_json: Json = False,
) -> None:
    """Show line by line why an equation holds for all sizes: an equation of the papers, or one that
    you derive by rules in a file.

    Each line equals the line above it by the rule or theorem that it names. A file begins with
    `start FORMULA`, applies rules with lines such as `apply cooley-tukey at 1.2 with r=2`, and
    ends with `end`; docs/how-to/derivation.md has the rules and the grammar.
    """
    if listed:
        given = {"NAME": names, "--rules": rules, "--json": as_json}
        list_names([*derivations(), *built_in()], given)
        return
    if rules:
        _list_rules(names, as_json)
        return
    files = [name for name in names or () if name.endswith(SUFFIX) or name in built_in()]
    others = [name for name in names or () if name not in files]
    for name in others:
        if Path(name).is_file():
            raise ValueError(f"{name}: the name of a file with a derivation ends in {SUFFIX}")
    documents = Files.asked(certificate, latex_file, html_file, coq_file, short)
    if certificate and (len(files) != 1 or others):
        raise ValueError(f"--certificate {certificate}: it is for one file NAME{SUFFIX}")
    own = _read(files, as_json)
    chosen = named(derivations(), others, "derivation", built_in()) if others or not own else []
    proofs = [_ended(file, one) for file, one in zip(files, own, strict=True)]
    if not as_json:
        _show(own, proofs)
    for file, proof in zip(files, proofs, strict=True):
        _need_proof(file, proof, documents)
    documents.write([*proofs, *chosen])
    if as_json:
        found = [proof.derivation() for proof in proofs] + [one.derivation() for one in chosen]
        console.emit_json({"derivations": found})
    else:
        for known in chosen:
            _show_derivation(known)
    leave(*(proof.verdict for proof in proofs))


def _read(files: list[str], as_json: bool) -> list[Derivation]:
    """Return the derivations of files; where a line of one is wrong, print what is proved before
    it, unless JSON is asked for, and raise its error.
    """
    found: list[Derivation] = []
    for file in files:
        try:
            found.append(Derivation.read(file))
        except WrongLine as error:
            if not as_json:
                _show(found, [_ended(*one) for one in zip(files, found, strict=False)])
                _show_so_far(error.so_far)
            raise
    return found


def _show(own: list[Derivation], proofs: list[DerivedProof]) -> None:
    """Print derivations line by line, each with its verdict."""
    for one, proof in zip(own, proofs, strict=True):
        console.say(str(one))
        console.show(proof.verdict)


def _show_so_far(derivation: Derivation | None) -> None:
    """Print the steps before a wrong line, with the verdict on them if there are some."""
    if derivation is not None:
        console.say(str(derivation))
        with suppress(ValueError):  # the error of the line is the one to be read
            if derivation.steps:
                console.show(derivation.end().verdict, "so far")


def _need_proof(file: str, proof: DerivedProof, documents: Files) -> None:
    """Raise ValueError where a file is asked for and there is no proof to be written to it."""
    if documents.asked_for and proof.answer.theorem is None:
        raise ValueError(
            f"{file} is {proof.kind}, not proved: nothing is written to"
            f" {', '.join(map(str, documents.asked_for.values()))}"
        )


def _list_rules(names: list[str] | None, as_json: bool) -> None:
    """Print every rule of derivations, a line each."""
    if names or as_json:
        raise ValueError(f"--rules with {' '.join(names or ['--json'])}: it lists the rules alone")
    for name, equation in known_rules().items():
        console.say(f"{name}: {equation}")


def _ended(file: str, derivation: Derivation) -> DerivedProof:
    """Return what a derivation proves; raise ValueError with the name of its file."""
    try:
        return derivation.end()
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error


def _show_derivation(proof: NamedProof) -> None:
    """Print a derivation, the lemmas that it uses below it."""
    reading = proof.reading
    console.say(f"{proof.name}  ({proof.source})", "bold")
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
    _show_theorem(proof)
