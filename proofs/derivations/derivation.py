"""A derivation: formulas, each with the rule and the place that made it from the one before. Its
theorem says that the first is the last; the kernel proves every step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from derive.call_arguments import unknown
from derive.text import elaborate
from derive.text.expressions import FormulaError, size_symbols
from derive.text.parse import parse, parse_relations
from derive.text.sorts import need_symbols
from derive.text.statements import need_one_meaning
from derive.text.syntax import Sides, Text
from derive.text.text_sizes import Reader
from derive.verdict import Checked, Refuted, Undecided
from proofs.derivations.derivation_steps import Instance, joined, proof_of
from proofs.derivations.hypotheses import Assumed, NotTrue, assumed
from proofs.derivations.paths import WHOLE, Place, part_at, places_in, put_at, read_place, spelled
from proofs.derivations.rules import Lemma, Rule, rules
from proofs.derivations.size_products import letters_of, monomial, natural
from proofs.kernel.kernel_rules import Thm, instantiate, refl
from proofs.kernel.numbers import Dim, Nat
from proofs.kernel.terms import free
from proofs.prove.claimed import claim_of_texts
from proofs.prove.conditions import Condition, above, in_words, lower, put_in
from proofs.prove.equation_proofs import Answer, at_small_sizes, decide_for_all, on_checking, proved
from proofs.prove.tactics import flattened
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.splits import Splitting
from proofs.prove.translation.symbols import Symbols
from proofs.prove.translation.translate import symbols_of, translator_of
from proofs.prove.translation.written import written

SECONDS = 20.0
"""The time that a lemma may take."""
MOST_SHOWN = 4
NAME = r"[\w-]+"
"""What the name of a lemma is."""


@dataclass(frozen=True)
class Use:
    """A rule at a place: what its letters stand for, and the formula that it makes."""

    rule: Rule
    place: Place
    letters: Mapping[str, Any]
    right: Text
    made: Text

    def __str__(self) -> str:
        at = f" at {spelled(self.place)}" if self.place else ""
        return f"{self.rule.name}{at}{self.with_letters}"

    @property
    def with_letters(self) -> str:
        """The values of the letters, as a script states them."""
        stated = ", ".join(
            f"{name}={written(value)}" for name, value in sorted(self.letters.items())
        )
        return f" with {stated}" if stated else ""


@dataclass(frozen=True)
class Step(Use):
    """A use that is proved: the symbols in letters of the kernel, the theorem that the formula
    that it makes is the one with which the derivation begins, and an equation that it assumes.
    """

    symbols: Symbols
    theorem: Thm
    given: Sides | None = None


@dataclass
class Derivation:
    """A formula and what became of it; `where` has conditions on its symbols. The kernel proves
    each step when it is made.

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
    steps: list[Step] = field(default_factory=list)
    lemmas: dict[str, Lemma | Assumed] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for conditions that are none, or speak of other symbols, for sizes that
        are not whole where they are numbers, and where the kernel has no terms for the formula.
        """
        sides, conditions, _ = put_in(Sides(self.start, self.start), self.conditions)
        spoken_of = {x for a, _, b in conditions for x in size_symbols(a) | size_symbols(b)}
        need_symbols(spoken_of, sides.symbols)
        if not Sides(self.start, self.start).symbols:
            elaborate.formula(self.start, {})
        self._known()

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

    def copy(self) -> Derivation:
        """Return the derivation as it is now, which later steps leave as it is."""
        return replace(self, steps=[*self.steps], lemmas={**self.lemmas})

    def rule(self, name: str) -> Rule:
        """Return a rule or a lemma by its name; <-NAME is read from right to left.

        Raises ValueError for an unknown name, with those that are near to it.
        """
        known = rules() | self.lemmas
        plain = name.removeprefix("<-")
        if plain not in known:
            raise unknown("rule", plain, known, "nodewright derive --rules")
        return known[plain].back if name.startswith("<-") else known[plain]

    def uses(self, rule: Rule, place: Place, letters: Mapping[str, str] | None = None) -> list[Use]:
        """Return the ways in which a rule applies at a place, that differ in what letters for sizes
        stand for; a letter for a matrix takes as few neighbours as it can, from the left.
        """
        part, values = part_at(self.formula, place), letters_of(self.formula)
        given = {name: _given(text, name, rule, values) for name, text in (letters or {}).items()}
        found: dict[str, Use] = {}
        for stands, right in rule.uses(part, values, given):
            made = put_at(self.formula, place, right)
            need_one_meaning(made)
            use = Use(rule, place, stands, right, made)
            found.setdefault(use.with_letters, use)
        return list(found.values())

    def applicable(self, at: str | None = None) -> Iterator[Use]:
        """Yield every use of a rule that the kernel proves, at every place or at one.

        Raises ValueError for no place.
        """
        everywhere = (place for place, _ in places_in(self.formula))
        for place in everywhere if at is None else [read_place(at)]:
            for rule in (*rules().values(), *self.lemmas.values()):
                found = list[Use]()
                with suppress(FormulaError):  # it may make two matrices of one name
                    found = self.uses(rule, place) or self._suggested(rule, place)
                for use in found:
                    with suppress(ValueError):
                        yield self._proved(use)

    def _suggested(self, rule: Rule, place: Place) -> list[Use]:
        """Return uses with a letter that stands for 2, where the formula leaves letters open."""
        fits = rule.fits(part_at(self.formula, place), letters_of(self.formula))
        sizes = (name for name, letter in rule.letters.items() if type(letter) is Dim)
        return [use for name in sizes if fits for use in self.uses(rule, place, {name: "2"})]

    def apply(
        self, name: str, at: str | Place = WHOLE, letters: Mapping[str, str] | None = None
    ) -> Text:
        """Apply a rule at a place and return the formula that it makes.

        `letters` states what letters of the rule stand for, where the formula leaves that open.
        Raises ValueError where the rule does not apply there, or in several ways.
        """
        place = read_place(at) if isinstance(at, str) else at
        rule = self.rule(name)
        found = self.uses(rule, place, letters)
        where = f"at {spelled(place)}" if place else "there"
        if not found:
            raise ValueError(f"{name} does not apply {where}: {self._misfit(rule, place, letters)}")
        if len(found) > 1:
            ways = " or".join(use.with_letters for use in found[:MOST_SHOWN])
            raise ValueError(f"{name} applies {where} in {len(found)} ways: add{ways}")
        self.steps.append(self._proved(found[0]))
        return self.formula

    def _misfit(self, rule: Rule, place: Place, letters: Mapping[str, str] | None) -> str:
        """Return why a rule does not apply at a place: which size fails, or which letters to
        state.
        """
        part, values = part_at(self.formula, place), letters_of(self.formula)
        given = {name: _given(text, name, rule, values) for name, text in (letters or {}).items()}
        stated = f" with {', '.join(f'{x}={v}' for x, v in letters.items())}" if letters else ""
        why = f"{part} does not match {rule.pattern}{stated}"
        if not letters and (others := self._suggested(rule, place)):
            return f"{why}; give the values of its letters, such as{others[0].with_letters}"
        misfit = rule.misfit(part, values, given)
        return f"{why}: {misfit}" if misfit else why

    def undo(self) -> Text:
        """Take the last step back and return the formula before it; ValueError without one."""
        if not self.steps:
            raise ValueError(f"no step to undo: the derivation begins with {self.start}")
        self.steps.pop()
        return self.formula

    def lemma(self, name: str, equation: str, where: str = "", seconds: float = SECONDS) -> Answer:
        """Prove an equation for all sizes and make it a rule of this derivation; one of numbers
        alone may be checked instead, and is assumed then. A condition N = r*s puts r*s in for N, so
        that r and s are its letters.

        Raises NotTrue, a ValueError, where it is not proved, with its counterexample where it is
        refuted.
        """
        self._need_free("lemma", name)
        sides, conditions = parse(equation, [self.start]), parse_relations(where)
        answer = decide_for_all(sides, conditions, seconds, always_search=True)
        checked = isinstance(answer.verdict, Checked) and not sides.symbols
        if answer.theorem is None and not checked:
            raise NotTrue(f"lemma {name} is not proved: {answer.verdict}", answer.verdict)
        theorem = answer.theorem if not answer.symbols else None
        read, _, _ = put_in(sides, conditions)
        self.lemmas[name] = Lemma(
            name, read, "a lemma", {}, theorem, checked, stated=sides, where=where, answer=answer
        )
        return answer

    def assume(self, name: str, equation: str, where: str = "") -> None:
        """Make an equation that nobody has proved a rule of this derivation: what is derived with
        it is proved under it as a hypothesis. A condition N = r*s is put in.

        Raises NotTrue, a ValueError, where small sizes refute it, with its counterexample, and
        ValueError where the kernel has no terms for it.
        """
        self._need_free("hypothesis", name)
        self.lemmas[name] = assumed(name, equation, where, [self.start])

    def _need_free(self, kind: str, name: str) -> None:
        """Raise ValueError where a name is none, or is that of a rule."""
        if not re.fullmatch(NAME, name):
            raise ValueError(f"{kind} {name!r}: a name has letters, digits, - and _")
        if name in rules() | self.lemmas:
            raise ValueError(f"{kind} {name}: a rule has this name")

    def hypotheses(self, theorem: Thm) -> tuple[tuple[str, str], ...]:
        """Return the hypotheses of one's own that a theorem has, each with its equation."""
        return tuple(
            (name, rule.equation)
            for name, rule in self.lemmas.items()
            if isinstance(rule, Assumed) and rule.hypotheses <= theorem.hypotheses
        )

    def theorem(self) -> Thm:
        """Return the theorem that the first formula is the last one, by all steps.

        Raises ValueError where the kernel has no terms for them.
        """
        return flattened(self._known()[1])

    def end(self) -> Answer:
        """Return the equation that is derived: proved for all sizes, under the hypotheses that its
        steps use; checked where its steps assume it; undecided where no size fulfils the
        conditions; refuted where a comparison at small sizes contradicts the kernel, which no true
        reading of the formulas does.
        """
        found = at_small_sizes(self.sides, self.conditions)
        statement = f"{self.sides}{in_words(self.conditions)}"
        if found.verdict is not None:
            refuted = Refuted(statement, found.verdict.counterexample)
            return Answer(refuted, found.count, found.at)
        if found.count == 0:
            return Answer(Undecided(statement, found.why), 0)
        symbols, theorem = self._known()
        given = tuple(dict.fromkeys(step.given for step in self.steps if step.given))
        if self.sides in given and found.alone is not None:  # what is assumed proves nothing
            return Answer(Checked(statement, found.alone.evidence, found.alone.error), found.count)
        whole = flattened(theorem)
        claim = claim_of_texts(self.sides, self.conditions, symbols)
        shown = self.sides, self.conditions, found.count, whole, symbols
        return proved(*shown, claim, given, self.hypotheses(whole))

    def _known(self) -> tuple[Symbols, Thm]:
        """Return the symbols in letters of the kernel, and the theorem of all steps."""
        if self.steps:
            return self.steps[-1].symbols, self.steps[-1].theorem
        given = symbols_of([self.start], lower(self.conditions), above(self.conditions))
        with _as_value_error():
            translator, symbols = translator_of([self.start], given)
            return symbols, refl(Splitting(translator).made(self.start)[0])

    def _proved(self, use: Use) -> Step:
        """Return a use with its proof; raise ValueError where the kernel does not prove it."""
        before, theorem = self._known()
        instance, given = self._instance(use)
        with _as_value_error(f"{use}: not proved: "):
            translator, symbols = translator_of([self.formula, use.made], before)
            mentioned = free(theorem.left, theorem.right)
            now = {x: by for x, by in symbols.since(before).items() if x in mentioned}
            theorem = instantiate(theorem, **now) if now else theorem
            step = proof_of(self.formula, use.made, use.place, instance, translator)
            return Step(**vars(use), symbols=symbols, theorem=joined(theorem, step), given=given)

    def _instance(self, use: Use) -> tuple[Instance, Sides | None]:
        """Return the theorem of a use with what its letters stand for, and what it assumes."""
        if not use.rule.checked:
            return (use.rule.theorem, use.letters), None
        given = Sides(part_at(self.formula, use.place), use.right)
        with _as_value_error(f"{use}: "):
            return (on_checking(given), {}), given


@contextmanager
def _as_value_error(head: str = "") -> Iterator[None]:
    """Raise what the kernel refuses, or has no term for, as ValueError: at a step, which the head
    names, without a column, as its formula is made of parts of several texts.
    """
    try:
        yield
    except ValueError as error:
        found = re.sub(r"^column \d+: ", "", str(error)) if head else error
        raise ValueError(f"{head}{found}") from error


def _given(text: str, name: str, rule: Rule, values: Mapping[str, Any]) -> Dim | Nat:
    """Return what a letter of a rule is stated to stand for; ValueError where it is no size."""
    if name not in rule.letters:
        raise ValueError(
            f"{rule.name} has no letter {name}: its letters are {', '.join(rule.letters)}"
        )
    try:
        reader = Reader(text)
        stated = reader.size()
        reader.end()
        return (natural if type(rule.letters[name]) is Nat else monomial)(stated, values)
    except KeyError as error:
        raise FormulaError(f"{name}={text}: {error} is not a symbol of the formula") from error
    except (Inexpressible, FormulaError) as error:
        raise FormulaError(f"{name}={text}: {error}") from error
