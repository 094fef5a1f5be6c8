"""A derivation: formulas, each with the rule and the place that made it from the one before. Its
theorem says that the first is the last; the kernel proves every step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from derive.text.expressions import FormulaError, size_symbols
from derive.text.parse import parse, parse_relations
from derive.text.sizes import Reader
from derive.text.sorts import need_symbols
from derive.text.syntax import Sides, Text
from derive.verdict import Proved, Refuted, Undecided
from proofs.derivations.places import WHOLE, Place, part_at, places_in, put_at, read_place, spelled
from proofs.derivations.rules import Rule, rules
from proofs.derivations.sizes import letters_of, monomial, natural, written
from proofs.derivations.steps import proof_of
from proofs.kernel.rules import Thm, refl, trans
from proofs.kernel.sealed import Refused
from proofs.kernel.sizes import Dim, Nat
from proofs.prove.conditions import Condition, above, in_words, lower, put_in
from proofs.prove.equations import Answer, at_small_sizes, decide_for_all
from proofs.prove.tactics import flattened
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.translate import translator_of
from proofs.prove.translation.translator import Translator
from proofs.theorems import rules_of

SECONDS = 20.0
"""The time that a lemma may take."""
MOST_SHOWN = 4
_NAME = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class Use:
    """A rule at a place: what its letters stand for, and the formula that it makes."""

    rule: Rule
    place: Place
    letters: Mapping[str, Any]
    made: Text

    def __str__(self) -> str:
        at = f" at {spelled(self.place)}" if self.place else ""
        return f"{self.rule.name}{at}{self.with_letters}"

    @property
    def with_letters(self) -> str:
        """What the letters stand for, as a script states it."""
        stated = ", ".join(
            f"{name}={written(value)}" for name, value in sorted(self.letters.items())
        )
        return f" with {stated}" if stated else ""


@dataclass
class Derivation:
    """A formula and what became of it; `where` has conditions on its symbols.

    >>> from derive.text.parse import parse_formula
    >>> d = Derivation(parse_formula("F(r*s)"))
    >>> print(d.apply("cooley-tukey", letters={"r": "r"}))
    F(r) (x) I(s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)
    >>> print(d.apply("commute", "1", letters={"m": "r"}))
    L(r*s, r) * I(s) (x) F(r) * L(r*s, s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)
    >>> len(d.steps), d.theorem().rule
    (2, 'trans')
    """

    start: Text
    where: str = ""
    steps: list[Use] = field(default_factory=list)
    lemmas: dict[str, Rule] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for conditions that are none, or speak of other symbols."""
        sides, conditions, _ = put_in(Sides(self.start, self.start), self.conditions)
        spoken_of = {x for a, _, b in conditions for x in size_symbols(a) | size_symbols(b)}
        need_symbols(spoken_of, sides.symbols, "where")

    @property
    def formula(self) -> Text:
        """The formula as it is now."""
        return self.steps[-1].made if self.steps else self.start

    @property
    def sides(self) -> Sides:
        """The equation that is derived: the first formula is the last."""
        return Sides(self.start, self.formula)

    @property
    def conditions(self) -> list[Condition]:
        """The conditions on the symbols."""
        return parse_relations(self.where)

    def rule(self, name: str) -> Rule:
        """Return a rule or a lemma by its name; <-NAME is read from right to left.

        Raises ValueError for an unknown name.
        """
        known = rules() | self.lemmas
        plain = name.removeprefix("<-")
        if plain not in known:
            raise ValueError(f"unknown rule {plain!r}: the rules are {', '.join(known)}")
        return known[plain].back if name.startswith("<-") else known[plain]

    def uses(self, rule: Rule, place: Place, letters: Mapping[str, str] | None = None) -> list[Use]:
        """Return the ways in which a rule applies at a place, that differ in what letters for sizes
        stand for; a letter for a matrix takes as few neighbours as it can, from the left.
        """
        part, values = part_at(self.formula, place), letters_of(self.formula)
        given = {name: _given(text, name, rule, values) for name, text in (letters or {}).items()}
        found: dict[str, Use] = {}
        for stands, right in rule.uses(part, values, given):
            use = Use(rule, place, stands, put_at(self.formula, place, right))
            found.setdefault(use.with_letters, use)
        return list(found.values())

    def applicable(self, at: str | None = None) -> Iterator[Use]:
        """Yield every rule that applies, at every place or at one."""
        everywhere = (place for place, _ in places_in(self.formula))
        for place in everywhere if at is None else [read_place(at)]:
            for rule in (*rules().values(), *self.lemmas.values()):
                yield from self.uses(rule, place)

    def apply(
        self, name: str, at: str | Place = WHOLE, letters: Mapping[str, str] | None = None
    ) -> Text:
        """Apply a rule at a place and return the formula that it makes.

        `letters` states what letters of the rule stand for, where the formula leaves that open.
        Raises ValueError where the rule does not apply there, or in several ways.
        """
        place = read_place(at) if isinstance(at, str) else at
        rule, part = self.rule(name), part_at(self.formula, place)
        found = self.uses(rule, place, letters)
        where = f"at {spelled(place)}" if place else "there"
        if not found:
            raise ValueError(
                f"{name} does not apply {where}: {rule.text.partition(' = ')[0]} is not {part}"
                + (f" with {', '.join(f'{x}={v}' for x, v in letters.items())}" if letters else "")
            )
        if len(found) > 1:
            ways = " or".join(use.with_letters for use in found[:MOST_SHOWN])
            raise ValueError(f"{name} applies {where} in {len(found)} ways: state{ways}")
        self._prove(found[0])
        self.steps.append(found[0])
        return self.formula

    def undo(self) -> Text:
        """Take the last step back and return the formula before it; ValueError without one."""
        if not self.steps:
            raise ValueError(f"no step to undo: the derivation begins with {self.start}")
        self.steps.pop()
        return self.formula

    def lemma(self, name: str, equation: str, where: str = "", seconds: float = SECONDS) -> Answer:
        """Prove an equation for all sizes and make it a rule of this derivation.

        Raises ValueError where it is not proved, with its counterexample where it is refuted.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"lemma {name!r}: a name has letters, digits, - and _")
        if name in rules() | self.lemmas:
            raise ValueError(f"lemma {name}: a rule has this name")
        sides = parse(equation)
        answer = decide_for_all(sides, parse_relations(where), seconds)
        if answer.theorem is None:
            raise ValueError(f"lemma {name} is not proved: {answer.verdict}")
        theorem = answer.theorem if not answer.symbols else None
        self.lemmas[name] = Rule(name, sides, "a lemma", {}, theorem, where)
        return answer

    def theorem(self) -> Thm:
        """Return the theorem that the first formula is the last one, by all steps.

        Raises ValueError where the kernel has no terms for them.
        """
        texts = [self.start, *(use.made for use in self.steps)]
        translator, _ = self._translator(texts)
        found = refl(translator.term(self.start))
        for before, use in zip(texts, self.steps, strict=False):
            found = trans(found, _proof(before, use, translator))
        return flattened(found)

    def end(self) -> Answer:
        """Return the equation that is derived, proved for all sizes; undecided where no size
        fulfils the conditions, refuted where a comparison at small sizes contradicts the kernel,
        which no true reading of the formulas does.
        """
        found = at_small_sizes(self.sides, self.conditions)
        statement = f"{self.sides}{in_words(self.conditions)}"
        if found.verdict is not None:
            refuted = Refuted(statement, found.verdict.counterexample)
            return Answer(refuted, found.count, found.at)
        if found.count == 0:
            return Answer(Undecided(statement, found.why), 0)
        theorem = self.theorem()
        _, symbols = self._translator([self.start, *(use.made for use in self.steps)])
        proved = Proved(statement, rules_of((theorem,)))
        return Answer(proved, found.count, None, theorem, symbols)

    def _translator(self, texts: list[Text]) -> tuple[Translator, tuple[tuple[str, str], ...]]:
        try:
            return translator_of(texts, lower(self.conditions), above(self.conditions))
        except Inexpressible as error:
            raise ValueError(str(error)) from error

    def _prove(self, use: Use) -> None:
        """Raise ValueError where the kernel does not prove a step."""
        translator, _ = self._translator(
            [self.start, *(step.made for step in self.steps), use.made]
        )
        try:
            _proof(self.formula, use, translator)
        except Refused as error:
            raise ValueError(f"{use}: not proved: {error}") from error


def _given(text: str, name: str, rule: Rule, values: Mapping[str, Any]) -> Dim | Nat:
    """Return what a letter of a rule is stated to stand for; ValueError where it is no size."""
    if name not in rule.letters:
        raise ValueError(
            f"{rule.name} has no letter {name}: its letters are {', '.join(rule.letters)}"
        )
    reader = Reader(text)
    stated = reader.size()
    reader.end()
    try:
        return (natural if type(rule.letters[name]) is Nat else monomial)(stated, values)
    except KeyError as error:
        raise FormulaError(f"{name}={text}: {error} is no symbol of the formula") from error
    except Inexpressible as error:
        raise FormulaError(f"{name}={text}: {error}") from error


def _proof(before: Text, use: Use, translator: Translator) -> Thm:
    return proof_of(before, use.made, use.place, (use.rule.theorem, use.letters), translator)
