"""Whether a certificate proves what its name claims: a theorem by its name, or an equation as text with its conditions."""

from __future__ import annotations

from functools import cache
from typing import Any

from derive.parse import parse, parse_relations
from derive.syntax import FormulaError
from proofs.equations import terms_of
from proofs.kernel import Hypothesis, Thm
from proofs.tactics import flat
from proofs.terms import Refused, Term
from proofs.theorems import theorems
from proofs.theorems.smaller import block_theorems, statement


def check_claim(text: dict[str, Any], theorem: Thm) -> None:
    """Raise Refused unless a theorem is part of what its certificate names."""
    name = text["name"]
    if name in theorems():
        if (theorem.left, theorem.right, theorem.hypotheses) not in _parts(name):
            raise Refused(f"another theorem than {name} is proved")
        return
    if "where" not in text:
        raise Refused(f"{name} is the name of no theorem")
    try:
        terms = terms_of(parse(name), parse_relations(text["where"]))
    except (FormulaError, ValueError) as error:
        raise Refused(f"{name} is the name of no theorem, and no equation: {error}") from error
    if theorem.hypotheses or (theorem.left, theorem.right) != (flat(terms.left).right, flat(terms.right).right):
        raise Refused(f"another equation than {name} is proved")


@cache
def _parts(name: str) -> tuple[tuple[Term, Term, frozenset[Hypothesis]], ...]:
    """Return what a theorem states."""
    return tuple((part.left, part.right, part.hypotheses) for part in theorems()[name].prove())


def check_block_claim(text: dict[str, Any]) -> None:
    """Raise Refused unless the statement is that of the theorem of smaller procedures that a certificate names."""
    name = text["name"]
    if name not in block_theorems() or statement(block_theorems()[name].proof()) != text["statement"]:
        raise Refused(f"another theorem than {name} is proved")
