"""Whether a certificate proves what its name claims: a theorem by its name, or an equation as text with its conditions."""

from __future__ import annotations

from functools import cache
from typing import Any

from derive.parse import parse, parse_relations
from derive.syntax import FormulaError
from proofs.columns import Derivation
from proofs.equations import terms_of
from proofs.kernel import Hypothesis, Thm
from proofs.tactics import flat
from proofs.terms import Refused, Term
from proofs.theorems import theorems
from proofs.theorems.smaller import Found, assumed, block_theorems


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


def check_block_claim(text: dict[str, Any], found: Found) -> None:
    """Raise Refused unless the theorem of smaller procedures that a certificate names is stated, part by part, and nothing else is assumed.

    Texts are not compared: the name of a part is any text, and so is the reason of an assumption.
    """
    name = text["name"]
    if name not in block_theorems():
        raise Refused(f"{name} is the name of no theorem")
    wanted = block_theorems()[name].proof()
    if _stated(found) != _stated(wanted):
        raise Refused(f"another theorem than {name} is proved")
    known = {r for relations in assumed(wanted).values() for r in relations}
    more = [r for relations in assumed(found).values() for r in relations if r not in known]
    if more:
        raise Refused(f"{more[0]} is assumed ({more[0].reason}), and {name} does not assume it")


def _stated(proof: Found) -> tuple[object, ...]:
    """Return the parts that are stated, and what names in them stand for."""
    return (proof.stated, proof.letters) if isinstance(proof, Derivation) else proof
