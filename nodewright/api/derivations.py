"""Derivations: a formula, rewritten by rules of which each use is proved."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

from codegen.files import write_text
from derive.text.latex import latex
from derive.text.parse import parse_formula
from nodewright.api.proofs import SECONDS, OwnProof
from proofs.derivations import derivation as engine
from proofs.derivations.rules import rules as known_rules
from proofs.derivations.script import read_script, written_script

SUFFIX = ".derivation"
"""How the name of a file with a derivation ends."""
MOST = 24
"""So many steps a notebook shows."""


class Derivation:
    """A formula, and what rules make of it, step by step; each step is proved by the kernel when it
    is applied. `where` has conditions on the symbols.

    A place in a formula is a path of numbers from 1: the place 2.1 is the first part of the second
    factor, 1-2 are the first two factors, and "" is the whole formula.

    Raises ValueError where the text is no formula.

    >>> d = Derivation("F(r*s)")
    >>> d.apply("cooley-tukey", r="r")
    'F(r) (x) I(s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)'
    >>> d.apply("commute", at="1", m="r")
    'L(r*s, r) * I(s) (x) F(r) * L(r*s, s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)'
    >>> proof = d.end()
    >>> proof.kind, proof.holds
    ('proved', True)
    """

    def __init__(self, start: str, where: str = "") -> None:
        self._engine = engine.Derivation(parse_formula(start), where)
        self._name = "derivation"

    @classmethod
    def read(cls, path: str | Path) -> Derivation:
        """Return the derivation that a file states, a step a line.

        Raises ValueError with the number of the line that is wrong and the formula there, OSError
        where the file cannot be read.
        """
        found = cls.__new__(cls)
        try:
            found._engine = read_script(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        found._name = Path(path).stem
        return found

    @property
    def formula(self) -> str:
        """The formula as it is now."""
        return str(self._engine.formula)

    @property
    def steps(self) -> tuple[str, ...]:
        """The rules that were applied, with their places and letters."""
        return tuple(map(str, self._engine.steps))

    def rules(self, at: str | None = None) -> list[tuple[str, str]]:
        """Return the rules that apply, each with the formula that it makes: at every place, or at
        one.

        >>> Derivation("F(2) (x) I(4)").rules(at="")[0]
        ('commute with m=2, n=4', 'L(8, 2) * I(4) (x) F(2) * L(8, 4)')
        """
        return [(str(use), str(use.made)) for use in self._engine.applicable(at)]

    def apply(self, rule: str, at: str = "", **letters: Any) -> str:
        """Apply a rule at a place and return the formula that it makes; <-RULE reads the rule from
        right to left. `letters` state what its letters stand for, where the formula leaves it open.

        Raises ValueError where the rule does not apply there, or in several ways.
        """
        stated = {name: str(value) for name, value in letters.items()}
        return str(self._engine.apply(rule, at, stated))

    def undo(self) -> str:
        """Take the last step back and return the formula before it; ValueError without one."""
        return str(self._engine.undo())

    def lemma(self, name: str, equation: str, where: str = "") -> None:
        """Prove an equation for all sizes and make it a rule of this derivation.

        Raises ValueError where it is not proved, with its counterexample where it is refuted.
        """
        self._engine.lemma(name, equation, where, SECONDS)

    @property
    def equation(self) -> str:
        """What is derived: the first formula is the last one."""
        return str(self._engine.sides)

    def end(self, name: str = "") -> OwnProof:
        """Return the proof that the first formula is the last one, for all sizes. Its certificate
        has this name, by default that of the file that was read, or `derivation`.
        """
        start, answer = perf_counter(), self._engine.end()
        seconds, named = perf_counter() - start, name or self._name
        return OwnProof(self._engine.sides, self._engine.where, answer, seconds, named)

    def script(self) -> str:
        """Return the derivation as text, a step a line, as `read` takes it."""
        return written_script(self._engine)

    def save(self, path: str | Path) -> None:
        """Write the script to a file; OSError where it cannot be written."""
        write_text(Path(path), self.script())

    def to_dict(self) -> dict[str, Any]:
        """Return the derivation as `derive` prints it with --json."""
        proof = self.end()
        steps = [{"formula": str(use.made), "reason": str(use)} for use in self._engine.steps]
        chain = {"heading": "", "start": str(self._engine.start), "steps": steps}
        return {
            "name": self._name,
            "source": "a derivation of one's own",
            **proof.verdict.to_dict(),
            "gloss": str(self._engine.sides),
            "arguments": [{"title": "", "statement": proof.statement, "chains": [chain]}],
            "letters": [f"{name} = {value}" for name, value in proof.answer.symbols],
        }

    def _repr_latex_(self) -> str:
        """Return the formulas below each other as LaTeX, the rule beside each; of many the last."""
        steps = self._engine.steps[-MOST:]
        lines = [rf"& {latex(self._engine.start)}"]
        if len(steps) < len(self._engine.steps):
            lines.append(rf"& \cdots && \text{{last {MOST} of {len(self._engine.steps)} steps}}")
        lines += [rf"=\; & {latex(use.made)} && \text{{{_escaped(str(use))}}}" for use in steps]
        body = " \\\\\n".join(lines)
        return f"$$\\begin{{aligned}}\n{body}\n\\end{{aligned}}$$"

    def __str__(self) -> str:
        lines = [f"  {self._engine.start}"]
        lines += [f"= {use.made}    [{use}]" for use in self._engine.steps]
        return "\n".join(lines)

    __repr__ = __str__


def _escaped(words: str) -> str:
    """Return what a step says as words of LaTeX."""
    return words.replace("_", r"\_").replace("^", r"\wedge ")


def rules() -> dict[str, str]:
    """Return the rules of derivations by name, each as an equation."""
    return {name: rule.text for name, rule in known_rules().items()}
