"""Derivations: a formula, rewritten by rules of which each use is proved."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import Any

from codegen.whole_files import write_text
from derive import call_arguments
from derive.call_arguments import needs_arguments
from derive.files import decoded
from derive.formula.grammar import Formula
from derive.show import html
from nodewright.api.equations import Statement as Equation
from nodewright.api.equations import typed
from nodewright.api.proofs import SECONDS, OwnProof
from proofs.derivations import derivation as engine
from proofs.derivations import derivation_proofs
from proofs.derivations.rules import rules as known_rules
from proofs.derivations.script import WrongLine, read_script, read_start, written_script
from proofs.replay.export import own_certificate
from proofs.show.aligned import aligned
from proofs.show.fragments import rows
from proofs.show.own import Derived

SUFFIX = ".derivation"
"""How the name of a file with a derivation ends."""


def built_in() -> dict[str, Path]:
    """Return the files of the derivations that come with the package, by their names.

    >>> built_in()["six-step"].name
    'six-step.derivation'
    """
    folder = Path(str(files("nodewright"))) / "derivations"
    return {file.stem: file for file in sorted(folder.glob(f"*{SUFFIX}"))}


@dataclass(frozen=True, repr=False)
class DerivedProof(OwnProof):
    """The equation that a derivation ends with; its steps are those of the derivation."""

    derivation_of: engine.Derivation = field(kw_only=True)

    @property
    def theorem(self) -> Derived:
        """The equation as a theorem with its steps; ValueError where it is not proved."""
        return derivation_proofs.derived(self.derivation_of, self.answer, self.name)

    def replayable(self) -> str:
        (theorem,), given = self.theorem.proof(), self.answer.given
        known = self.derivation_of.lemmas
        under = {
            name: (str(known[name].stated), known[name].where)
            for name, _ in self.derivation_of.hypotheses(theorem)
        }
        claim = self.answer.claim
        return own_certificate(self.sides, self.where, theorem, self.name, given, under, claim)

    def derivation(self) -> dict[str, Any]:
        """Return the derivation as `derive` prints it with --json."""
        begun = self.derivation_of
        steps = [{"formula": str(use.made), "reason": str(use)} for use in begun.steps]
        chain = {"heading": "", "start": str(begun.start), "steps": steps}
        return {
            "name": self.name,
            "source": "your own derivation",
            **self.verdict.to_dict(),
            "gloss": str(self.sides),
            "arguments": [{"title": "", "statement": self.statement, "chains": [chain]}],
            "letters": [f"{name} = {value}" for name, value in self.answer.symbols],
        }


@needs_arguments
class Derivation:
    """A formula that rules rewrite step by step; the kernel proves each step when it is applied.

    A place in a formula is a path of numbers from 1: 2.1 is the first part of the second factor,
    1-2 are the first two factors, and "" is the whole formula.

    Args:
        start: the first formula, as text (docs/notation.md), which may begin with declarations such
            as "A : m x m; ..", or as a formula such as nw.F(8).
        where: conditions on the symbols, such as "r >= 2".

    Raises:
        ValueError: the formula or a condition cannot be read.

    Examples:
        >>> d = Derivation("F(r*s)")
        >>> d.apply("cooley-tukey", r="r")
        'F(r) (x) I(s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)'
        >>> d.apply("commute", at=1, m="r")
        'L(r*s, r) * I(s) (x) F(r) * L(r*s, s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)'
        >>> proof = d.end()
        >>> proof.kind, proof.steps[1].reason
        ('proved', 'by commute at 1, m = r, n = s')
    """

    def __init__(self, start: str | Formula, where: str = "") -> None:
        written = str(start) if isinstance(start, Formula) else call_arguments.text(start, "start")
        self._engine = engine.Derivation(read_start(written), call_arguments.text(where, "where"))
        self._name = "derivation"

    @classmethod
    def read(cls, path: str | Path) -> Derivation:
        """Return a derivation from a file with a step per line, or by its name in the package.

        Args:
            path: the file, or a name such as "six-step".

        Raises:
            ValueError: the name is unknown, or a line is wrong: the error names the line and the
                formula there, and its attribute `so_far` is the derivation before it, or None.
            OSError: the file cannot be read.
        """
        known = built_in()
        file = known.get(str(path)) or call_arguments.path(path)
        if file.stem == str(path) and not file.exists():
            raise call_arguments.unknown("derivation", str(path), known)
        try:
            with call_arguments.command_line(False):
                return cls._of(read_script(decoded(file.read_bytes())), file.stem)
        except WrongLine as error:
            so_far = error.so_far and cls._of(error.so_far, file.stem)
            raise WrongLine(f"{file}: {error}", so_far, error) from error
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from error

    @classmethod
    def _of(cls, derivation: engine.Derivation, name: str) -> Derivation:
        """Return a derivation that was read, with its name."""
        found = cls.__new__(cls)
        found._engine, found._name = derivation, name
        return found

    @property
    def formula(self) -> str:
        """The formula as it is now."""
        return str(self._engine.formula)

    @property
    def steps(self) -> tuple[str, ...]:
        """The rules that were applied, with their places and letters."""
        return tuple(map(str, self._engine.steps))

    def rules(self, at: str | int | None = None) -> list[tuple[str, str]]:
        """Return the rules that apply, everywhere or at a place, each with the formula it gives.

        Where the formula does not determine the size for a letter of a rule, it is shown as 2.
        Raises ValueError for a wrong place.

        >>> Derivation("F(2) (x) F(4)").rules(at="")[0]
        ('commute with m=2, n=4', 'L(8, 2) * F(4) (x) F(2) * L(8, 4)')
        """
        place = None if at is None else _place(at)
        return [(str(use), str(use.made)) for use in self._engine.applicable(place)]

    def apply(self, rule: str, at: str | int = "", **letters: Any) -> str:
        """Apply a rule at a place and return the new formula.

        Args:
            rule: the name of the rule; <-RULE applies it from right to left.
            at: the place; the default is the whole formula.
            letters: values of the rule's letters that the formula does not determine.

        Raises:
            ValueError: the rule does not apply there, or applies in several ways.
        """
        name, place = call_arguments.text(rule, "rule"), _place(at)
        stated = {letter: str(value) for letter, value in letters.items()}
        return str(self._engine.apply(name, place, stated))

    def undo(self) -> str:
        """Undo the last step and return the formula before it; ValueError if there is none."""
        return str(self._engine.undo())

    def lemma(self, name: str, equation: Equation, where: str = "") -> None:
        """Prove an equation for all sizes and make it a rule of this derivation.

        A condition N = r*s is substituted: the letters of the rule are then r and s. Raises
        ValueError if the equation is not proved; its attribute `counterexample` is None if the
        equation is not refuted.

        >>> try:
        ...     Derivation("F(2*n)").lemma("wrong", "F(n) = R(n)")
        ... except ValueError as error:
        ...     print(error.counterexample)
        at n = 2: entry (0, 1) is 1 on the left and 0 on the right
        """
        self._engine.lemma(*_named(name, equation, where), SECONDS)

    def assume(self, name: str, equation: Equation, where: str = "") -> None:
        """Make an unproved equation a rule of this derivation.

        If a step uses it, the derivation ends as *proved under the hypothesis* of this name. Raises
        ValueError if small sizes refute the equation; the error has the attribute `counterexample`.
        """
        self._engine.assume(*_named(name, equation, where))

    @property
    def equation(self) -> str:
        """The derived equation: the first formula is the last one."""
        return str(self._engine.sides)

    def end(self, name: str = "") -> DerivedProof:
        """Return the proof that the first formula equals the last one, for all sizes.

        It is undecided if no sizes fulfil the conditions. `name` is the name in its certificate,
        by default that of the file that was read, or `derivation`; `replayable` raises ValueError
        for the name of a theorem.
        """
        return proof_of(self._engine.copy(), name or self._name)

    def script(self) -> str:
        """Return the derivation as text, one step on each line; `read` takes it."""
        return written_script(self._engine)

    def save(self, path: str | Path) -> None:
        """Write the script to a file; raises OSError where it cannot be written."""
        write_text(call_arguments.path(path), self.script())

    def to_dict(self) -> dict[str, Any]:
        """Return the derivation as `derive` prints it with --json."""
        return self.end().derivation()

    def to_latex(self) -> str:
        """Return the formulas below each other as LaTeX, each with its rule, without dollars."""
        return aligned(derivation_proofs.arguments(self._engine)[:1], None).strip("$")

    def _repr_latex_(self) -> str:
        """Return the derivation as a notebook shows it."""
        return f"$${self.to_latex()}$$"

    def _repr_html_(self) -> str:
        """Return the formulas as a table with their rules."""
        return html.fragment(html.table((), [*rows(derivation_proofs.arguments(self._engine)[:1])]))

    def __str__(self) -> str:
        lines = [f"  {self._engine.start}"]
        lines += [f"= {use.made}    [{use}]" for use in self._engine.steps]
        return "\n".join(lines)

    __repr__ = __str__


def proof_of(begun: engine.Derivation, name: str) -> DerivedProof:
    """Return the proof of the equation that a derivation has come to."""
    start = perf_counter()
    answer = begun.end()
    seconds = perf_counter() - start
    return DerivedProof(begun.sides, begun.where, answer, seconds, name, derivation_of=begun)


def _place(at: str | int) -> str:
    """Return a place as text."""
    return at if isinstance(at, str) else str(call_arguments.integer(at, "at"))


def _named(name: str, equation: Equation, where: str) -> tuple[str, str, str]:
    """Return a name, an equation as it is written, and its conditions, as text."""
    stated = equation if isinstance(equation, str) else str(typed(equation))
    return call_arguments.text(name, "name"), stated, call_arguments.text(where, "where")


def rules() -> dict[str, str]:
    """Return the rules of derivations by name, each as an equation."""
    return {name: rule.text for name, rule in known_rules().items()}
