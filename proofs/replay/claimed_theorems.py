"""Whether a certificate proves what it claims: a theorem by its name, or an equation as text with
its conditions, which may have a name of its own, and hypotheses.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from derive.text.expressions import FormulaError, size_symbols
from derive.text.parse import parse, parse_relations
from proofs.blocks.column_induction import Obtained
from proofs.blocks.columns import Derivation, Part
from proofs.derivations.hypotheses import assumed
from proofs.kernel.kernel_certificates import Found
from proofs.kernel.kernel_rules import Hypothesis, Thm
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Term, free
from proofs.meaning.claims import BadField, Claim
from proofs.prove.claimed import Differs, claim_of, compare_claim
from proofs.prove.equation_proofs import at_small_sizes, on_checking
from proofs.prove.tactics import flat
from proofs.theorems import theorems
from proofs.theorems.by_blocks import assumed as assumed_of_blocks
from proofs.theorems.by_blocks import block_theorems

OTHER = "the text of the certificate and its statement are two equations"


def check_claim(text: dict[str, Any], theorem: Thm) -> tuple[str, Sequence[str]]:
    """Return which part of what its certificate names a theorem is, "" for the whole, and the
    conditions that whole sizes imply; raise Refused unless it is one.

    The way from the text of an equation of one's own to terms is not of the kernel. So a second
    reading compares the text, its conditions and the substitution with the theorem at random sizes.
    The sides of the text are compared with each other at small sizes. What it assumes is checked
    again.
    """
    name, own = text["name"], "equation" in text
    if not own and name in theorems():
        return _part_of(name, theorem), ()
    _is_of_an_equation(text)
    equation, under = text["equation"] if own else name, _under(text)
    try:
        given = {h for one in text.get("given", []) for h in on_checking(parse(one)).hypotheses}
        sides, conditions = parse(equation), parse_relations(text["where"])
        terms, own_claim = claim_of(sides, conditions)
        _compare(text, own_claim, theorem)
        tried = at_small_sizes(sides, conditions)
    except Differs as error:
        raise Refused(f"another equation than {equation} is proved: {error}") from error
    except Refused:
        raise
    except (FormulaError, ValueError) as error:
        none = f"{name} is neither the name of a theorem nor an equation"
        raise Refused(f"{f'{equation} is not an equation' if own else none}: {error}") from error
    if theorem.hypotheses != given | under or (theorem.left, theorem.right) != (
        flat(terms.left).right,
        flat(terms.right).right,
    ):
        raise Refused(f"another equation than {equation} is proved")
    if tried.verdict is not None:
        raise Refused(f"{equation} is refuted: {tried.verdict.counterexample}")
    if not tried.count:
        raise Refused(f"{equation} has no sizes at which to compare it")
    return "", terms.symbols.implied


def _is_of_an_equation(text: dict[str, Any]) -> None:
    name = text["name"]
    if "equation" in text and name in theorems() | block_theorems():
        raise Refused(f"{name} is the name of a theorem: name your own equation differently")
    if "where" not in text:
        raise Refused(f"{name} is not the name of a theorem")
    if "substitution" not in text:
        raise Refused("no certificate: it has no substitution, as that of an equation has")


def _compare(text: dict[str, Any], own: Claim, theorem: Thm) -> None:
    """Raise Differs where a theorem is another equation than its text, Refused for a substitution
    that is none, or not that of the translation, `own`.
    """
    stated = text.get("substitution")
    if not isinstance(stated, dict) or not all(
        isinstance(x, str) and x.isprintable() for one in stated.items() for x in one
    ):
        raise Refused("no certificate: substitution has sizes for symbols")
    try:
        claim = Claim.read(text.get("equation", text["name"]), text["where"], text)
    except BadField as error:
        raise Refused(f"no certificate: {error}") from error
    _need_letters(claim, theorem)
    compare_claim(claim, theorem, "replay", OTHER)
    if claim.to_dict() != own.to_dict():
        raise Refused("the substitution is not that of the equation and its conditions")


def _need_letters(claim: Claim, theorem: Thm) -> None:
    """Raise Refused where a claim speaks of letters that neither its text nor the theorem has."""
    stated = claim.sides.symbols.union(
        *(size_symbols(x) for a, _, b in claim.conditions for x in (a, b))
    )
    known = stated.union(
        free(theorem.left, theorem.right), *map(size_symbols, claim.substitution.values())
    )
    parts = (part for part in (claim.rows, claim.columns) if part)
    sizes = [size for part in parts for size in (part.copies, *part.sizes, part.multiple)]
    spoken = set[str]().union(*map(size_symbols, sizes))
    if claim.without_roots:
        spoken |= claim.without_roots.symbols
    if strange := sorted(spoken - known):
        raise Refused(
            f"no certificate: {', '.join(strange)} in rows, columns or without_roots: its equation"
            f" and its theorem have {', '.join(sorted(known))}"
        )


def _under(text: dict[str, Any]) -> set[Hypothesis]:
    """Return the hypotheses of one's own of a certificate; Refused where small sizes refute one."""
    try:
        several = [assumed(name, *stated) for name, stated in text.get("under", {}).items()]
    except ValueError as error:
        raise Refused(str(error)) from error
    return {h for one in several for h in one.hypotheses}


def _part_of(name: str, theorem: Thm) -> str:
    """Return which part of a named theorem one is, "" for the whole; Refused: it is none."""
    parts, stated = _parts(name), (theorem.left, theorem.right, theorem.hypotheses)
    if stated not in parts:
        raise Refused(f"another theorem than {name} is proved")
    return f", part {parts.index(stated) + 1} of {len(parts)}" if len(parts) > 1 else ""


@cache
def _parts(name: str) -> tuple[tuple[Term, Term, frozenset[Hypothesis]], ...]:
    return tuple((part.left, part.right, part.hypotheses) for part in theorems()[name].prove())


def check_block_claim(text: dict[str, Any], found: Found) -> None:
    """Raise Refused unless the theorem that a certificate names is stated, part by part, by the
    same inductions, and the same is assumed.

    Texts are not compared: the name of a part is any text, and so is the reason of an assumption.
    """
    name = text["name"]
    if name not in block_theorems():
        raise Refused(f"{name} is not the name of a theorem")
    wanted = block_theorems()[name].proof()
    if _stated(found) != _stated(wanted):
        raise Refused(f"another theorem than {name} is proved")
    if _obtained(found) != _obtained(wanted):
        raise Refused(
            f"{name} is proved by another induction on columns, which may make other matrices than"
            " it speaks of"
        )
    given, known = (
        {r for relations in assumed_of_blocks(proof).values() for r in relations}
        for proof in (found, wanted)
    )
    for r in sorted(given - known, key=str):
        raise Refused(f"{r} is assumed ({r.reason}), and {name} does not assume it")
    for r in sorted(known - given, key=str):
        raise Refused(f"{r} is not assumed, and {name} assumes it")


def _obtained(proof: Found) -> set[Part]:
    """Return what is obtained: of a matrix that there is something may be assumed that is not true
    of all of that name.
    """
    return (
        {part for part in proof.parts if isinstance(part, Obtained)}
        if isinstance(proof, Derivation)
        else set()
    )


def _stated(proof: Found) -> tuple[object, ...]:
    """Return the parts that are stated, and what names in them stand for."""
    return (proof.stated, proof.letters) if isinstance(proof, Derivation) else proof
