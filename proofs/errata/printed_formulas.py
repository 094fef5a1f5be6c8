"""Errata that are formulas: both sides are evaluated, exactly, at all sizes that are listed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from operator import eq, ge, gt, le, lt

from derive.exact.exact_check import check
from derive.formula.grammar import Equation, Formula
from derive.papers.statements.statement_tables import ErratumStatement
from derive.text.elaborate import formula
from derive.text.expressions import value
from derive.text.parse import parse, parse_relations
from derive.verdict import Refuted
from proofs.errata.entry import Evaluation

RELATIONS = {"=": eq, ">=": ge, ">": gt, "<=": le, "<": lt}


def evaluation_of(says: ErratumStatement) -> Evaluation:
    """Return how the two formulas of an erratum are evaluated."""
    letters = tuple(says.sizes)
    fails, stays = (
        partial(difference, letters, text)
        for text in (says.printed_formula, says.corrected_formula)
    )
    return Evaluation(" ".join(letters), partial(listed_sizes, says), fails, stays)


def listed_sizes(says: ErratumStatement) -> Iterator[tuple[int, ...]]:
    """Yield the sizes of an erratum that fulfil its conditions."""
    conditions = parse_relations(says.where)
    for sizes in product(*says.sizes.values()):
        at = {name: Fraction(size) for name, size in zip(says.sizes, sizes, strict=True)}
        if all(RELATIONS[sign](value(a, at), value(b, at)) for a, sign, b in conditions):
            yield sizes


def difference(letters: tuple[str, ...], text: str, *sizes: int) -> str | None:
    """Return where the sides of a formula differ, or which size is not whole; None if all entries
    are equal.

    >>> difference(("n",), "F(2^n) = I(2^n)", 1)
    'entry (0, 1) is 1 on the left and 0 on the right'
    """
    at = {name: Fraction(size) for name, size in zip(letters, sizes, strict=True)}
    sides = parse(text)
    try:
        return unequal(formula(sides.left, at), formula(sides.right, at))
    except ValueError as error:
        return re.sub(r"^column \d+: ", "", str(error))


def unequal(left: Formula, right: Formula) -> str | None:
    """Return where two formulas differ, None if every entry is equal."""
    if left.size != right.size:
        return f"{left.size} x {left.size} on the left, {right.size} x {right.size} on the right"
    verdict = check(Equation("", "", left, right))
    return verdict.counterexample if isinstance(verdict, Refuted) else None
