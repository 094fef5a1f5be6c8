"""Derivations as proofs to be read: each formula with the rule that made it, the rules as
equations, and the proofs of lemmas.
"""

from __future__ import annotations

import re
from dataclasses import replace

from derive.formula.latex import LETTERS
from derive.formula.latex import size as size_in
from derive.text.text_latex import formula_in_letters, in_letters
from proofs.derivations.derivation import Derivation, Use
from proofs.derivations.paths import spelled
from proofs.derivations.rules import Lemma, Rule
from proofs.prove.equation_proofs import Answer
from proofs.prove.translation.written import written
from proofs.replay.export import own
from proofs.show.chain import Argument, Chain, Step
from proofs.show.kernel_chains import read
from proofs.show.own import Derived, typed_as


def derived(derivation: Derivation, answer: Answer, name: str = "formula") -> Derived:
    """Return what a derivation proves as a theorem with its steps; of a name stay letters, digits,
    points and hyphens.

    Raises ValueError where it is not proved.

    >>> from derive.text.parse import parse_formula
    >>> found = Derivation(parse_formula("F(r*s)"))
    >>> _ = found.apply("cooley-tukey", letters={"r": "r"})
    >>> derived(found, found.end()).arguments[0].chains[0].steps[0].reason
    'by cooley-tukey, r = r, s = s'
    """
    theorem = own(derivation.sides, derivation.where, answer)
    rules = {rule.name: rule for rule in _rules_of(derivation)}
    stated = "; ".join(f"{x}, {in_letters(rule.sides)}" for x, rule in rules.items())
    gloss = theorem.gloss.partition("\n\n")[0] + f"\n\nThe rules are {stated}." * bool(rules)
    named = re.sub(r"[^0-9A-Za-z.]+", "-", name)
    main, *lemmas = arguments(derivation)
    shown = replace(main, statement=theorem.statement, typed=typed_as(theorem))
    return Derived(
        named,
        theorem.source,
        theorem.proof,
        gloss,
        arguments=(shown, *lemmas),
        sides=theorem.sides,
        statement=theorem.statement,
        conditions=theorem.conditions,
        symbols=theorem.symbols,
        typed_lines=theorem.typed_lines,
    )


def arguments(derivation: Derivation) -> tuple[Argument, ...]:
    """Return the steps of a derivation, and the proofs of the lemmas that they use."""
    steps = tuple(Step(formula_in_letters(use.made), reason(use)) for use in derivation.steps)
    chain = Chain("", formula_in_letters(derivation.start), steps)
    main = Argument("", str(derivation.sides), (chain,))
    used = {rule.name for rule in _rules_of(derivation)}
    lemmas = (
        x
        for name, x in derivation.lemmas.items()
        if name in used and isinstance(x, Lemma) and not x.checked
    )
    return (main, *(part for lemma in lemmas for part in _of_lemma(lemma)))


def reason(use: Use) -> str:
    """Return the rule of a step, the place, and what its letters stand for."""
    name = use.rule.name.removeprefix("<-")
    back = " from right to left" if name != use.rule.name else ""
    at = f" at {spelled(use.place)}" if use.place else ""
    sizes = ((x, written(value)) for x, value in sorted(use.letters.items()))
    stands = (f"{x} = {size_in(size, LETTERS)}" for x, size in sizes)
    return ", ".join([f"by {name}{back}{at}", *stands])


def _rules_of(derivation: Derivation) -> list[Rule]:
    """Return the rules of the steps as they are read from left to right."""
    return [derivation.rule(step.rule.name.removeprefix("<-")) for step in derivation.steps]


def _of_lemma(lemma: Lemma) -> list[Argument]:
    """Return the statement of a lemma with its proof, and what that uses."""
    theorem = own(lemma.stated, lemma.where, lemma.answer)
    title = f"Lemma {lemma.name}"
    return [
        replace(part, title=f"{title}, {part.title}" if part.title else title)
        for part in read(theorem).arguments
    ]
