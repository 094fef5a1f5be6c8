"""Proofs of what the table of statements says as text: found by the search, or led by a derivation.

    derivation = { line }
    line       = FORMULA | "by" theorem | "since" EQUATION | "given" EQUATION
    theorem    = NAME [ ", part" NUMBER ] [ "with" SYMBOL "=" SIZE { "," .. } ] [ ", backward" ]

The search proves that a formula is the one before. A theorem that is cited rewrites one side of its
equation, at the given sizes, into the other; so does an equation after "since", which the search
proves. What is given is assumed, and stands in the theorem.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from derive.papers.statements.statement_tables import theorem_statements
from derive.text.parse import parse, parse_formula, parse_relations
from proofs.kernel.kernel_rules import Thm, assume, instantiate, refl, sym, trans
from proofs.kernel.numbers import Dim, Nat
from proofs.kernel.terms import Term, free
from proofs.prove.claimed import claim_of
from proofs.prove.proof_search import prove
from proofs.prove.tactics import rewrite
from proofs.prove.translation.translate import symbols_of, translator_of
from proofs.prove.translation.translator import Translator

CITED = re.compile(
    r"by (?P<name>\S+?)(, part (?P<part>\d+))?( with (?P<values>.*?))?(?P<back>, backward)?"
)


@cache
def stated(name: str) -> tuple[Thm, ...]:
    """Return the parts of a theorem, each by its derivation where the table has one.

    >>> [part.rule for part in stated("bsp-fft-two-phases")]
    ['trans']
    """
    found = theorem_statements()[name]
    return tuple(
        derived(text, found.derivation[i]) if i in found.derivation else searched(text)
        for i, text in enumerate(found.equations, 1)
    )


@dataclass(frozen=True)
class Stated:
    """The proof of a theorem by what the table says of it."""

    name: str

    def __call__(self) -> tuple[Thm, ...]:
        return stated(self.name)


def cooley_tukey(r: Dim, s: Dim) -> Thm:
    """Return F_rs = (F_r ⊗ I_s) T^rs_s (I_r ⊗ F_s) L^rs_r."""
    (found,) = stated("cooley-tukey")
    return instantiate(found, r=r, s=s)


@cache
def searched(text: str) -> Thm:
    """Return the theorem that the search finds; raise ValueError where it finds none."""
    terms, _ = claim_of(parse(text), [])
    return _found(terms.left, terms.right)


def _found(left: Term, right: Term) -> Thm:
    found = prove(left, right)
    if found is None:
        raise ValueError(f"the search finds no proof: {left} = {right}")
    return found


def derived(text: str, lines: tuple[str, ...]) -> Thm:
    """Return an equation as a theorem, proved line by line."""
    sides = parse(text)
    declared = text[: text.rfind(";") + 1]
    formulas = {
        line: parse_formula(line, declared)
        for line in lines
        if not line.startswith(("by ", "since ", "given "))
    }
    texts = (sides.left, *formulas.values(), sides.right)
    translator, _ = translator_of(texts, symbols_of(texts))

    def step(line: str) -> Term | Thm:
        if line in formulas:
            return translator.term(formulas[line])
        kind, _, what = line.partition(" ")
        if kind == "by":
            return _cited(line, translator)
        stated_ = parse(what, [sides.left])
        both = translator.term(stated_.left), translator.term(stated_.right)
        return assume(*both) if kind == "given" else _found(*both)

    found = refl(translator.term(sides.left))
    for one in (*map(step, lines), translator.term(sides.right)):
        way = rewrite(found.right, one) if isinstance(one, Thm) else _found(found.right, one)
        found = trans(found, way)
    return found


def _cited(line: str, translator: Translator) -> Thm:
    """Return the theorem that a line cites, at its sizes."""
    cited = CITED.fullmatch(line)
    if cited is None:
        raise ValueError(f"{line!r} must cite a theorem: by NAME with n = 2*m")
    theorem = stated(cited["name"])[int(cited["part"] or 1) - 1]
    sorts = free(theorem.left, theorem.right)
    values: dict[str, Nat | Dim] = {
        str(symbol): translator.nat(size)
        if sorts[str(symbol)] == "natural"
        else translator.dim(size)
        for symbol, _, size in parse_relations(cited["values"] or "")
    }
    found = instantiate(theorem, **values)
    return sym(found) if cited["back"] else found
