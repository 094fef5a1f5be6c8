"""Drafts of derivations: what a user has typed and clicked.

draft = Draft(start, where, moves, name)        move = Applied(words) | Lemma(name, equation, where)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from derive.text.parse import parse, parse_relations
from nodewright.api.derivation_calls import Derivation
from nodewright.workbench.page_texts import read
from proofs.derivations.script import read_use

NAME = "derivation"
"""The name of documents where none is given."""


@dataclass(frozen=True)
class Applied:
    """A rule at a place, as a script has it: `commute at 1 with m=r`."""

    words: str

    def done(self, derivation: Derivation) -> None:
        """Do it; ValueError where the rule does not apply."""
        rule, at, letters = read_use(self.words)
        derivation.apply(rule, at, **letters)


@dataclass(frozen=True)
class Lemma:
    """An equation that becomes a rule once it is proved; one that is `assumed` is not proved."""

    name: str
    equation: str
    where: str = ""
    assumed: bool = False

    def done(self, derivation: Derivation) -> None:
        """Prove it, or assume it; ValueError where it is not proved, with the counterexample of a
        false one.
        """
        read(self.equation, partial(parse, known=[parse(derivation.equation).left]))
        read(self.where, parse_relations)
        made = derivation.assume if self.assumed else derivation.lemma
        made(self.name, self.equation, self.where)

    def __str__(self) -> str:
        return f"{'hypothesis' if self.assumed else 'lemma'} {self.name}: {self.equation}"


@dataclass(frozen=True)
class Draft:
    """A derivation as far as it is: what it starts from, under which conditions, and its moves;
    `wrong` is the error of the line behind them in the file that was opened. Documents have its
    `name`.
    """

    start: str
    where: str = ""
    moves: tuple[Applied | Lemma, ...] = ()
    wrong: str = ""
    name: str = NAME
