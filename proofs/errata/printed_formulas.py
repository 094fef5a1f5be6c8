"""Errata that are two texts, evaluated exactly at all sizes that are listed. A text is an equation
of formulas, or relations between sizes; after `where` it has the conditions under which it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import product
from operator import eq, ge, gt, le, lt

from derive.formula.combinations import alike
from derive.formula.grammar import Equation, Formula
from derive.papers.statements.statement_tables import ErratumStatement
from derive.text.elaborate import decided, formula
from derive.text.expressions import FormulaError, Size, value
from derive.text.parse import parse, parse_relations
from derive.verdict import Refuted
from proofs.errata.entry import Evaluation

RELATIONS = {"=": eq, ">=": ge, ">": gt, "<=": le, "<": lt}
_parsed = cache(parse)


def evaluation_of(says: ErratumStatement) -> Evaluation:
    """Return how the two texts of an erratum are evaluated."""
    letters = " ".join(says.sizes)
    fails, stays = (
        partial(difference, letters, text)
        for text in (says.printed_formula, says.corrected_formula)
    )
    covers = partial(fulfils, letters, says.corrected_formula)
    return Evaluation(letters, partial(listed_sizes, says), fails, stays, covers)


def listed_sizes(says: ErratumStatement) -> Iterator[tuple[int, ...]]:
    """Yield the sizes of an erratum that fulfil its conditions."""
    for sizes in product(*says.sizes.values()):
        if unfulfilled(says.where, values(" ".join(says.sizes), sizes)) is None:
            yield sizes


def values(letters: str, sizes: tuple[int, ...]) -> Mapping[str, Fraction]:
    """Return sizes by their letters."""
    return dict(zip(letters.split(), map(Fraction, sizes), strict=True))


def difference(letters: str, text: str, *sizes: int) -> str | None:
    """Return where the sides of a text differ, or which size is not an integer; None if it holds,
    or its conditions do not.

    >>> difference("n", "F(2^n) = I(2^n)", 1)
    'entry (0, 1) is 1 on the left and 0 on the right of F(2^n) = I(2^n)'
    >>> difference("n", "2*n = 2^n", 3)
    '2*n = 2^n is false: 6 and 8'
    >>> difference("n", "2*n = 2^n where n < 3", 3)
    """
    if not fulfils(letters, text, *sizes):
        return None
    at, said = values(letters, sizes), text.partition(" where ")[0]
    if relations(said) is not None:
        return unfulfilled(said, at)
    sides = _parsed(said)
    try:
        found = unequal(formula(sides.left, at), formula(sides.right, at))
        return found and f"{found} of {said}"
    except ValueError as error:
        return re.sub(r"^column \d+: ", "", str(error))


def fulfils(letters: str, text: str, *sizes: int) -> bool:
    """Return whether sizes fulfil the conditions of a text."""
    return unfulfilled(text.partition(" where ")[2], values(letters, sizes)) is None


@cache
def relations(text: str) -> list[tuple[Size, str, Size]] | None:
    """Return a text as relations between sizes, None if it is an equation of formulas."""
    try:
        return parse_relations(text)
    except FormulaError:
        return None


def unfulfilled(text: str, at: Mapping[str, Fraction]) -> str | None:
    """Return the first relation that does not hold, with what its sizes are; None without one."""
    for left, sign, right in relations(text) or ():
        a, b = value(left, at), value(right, at)
        if not RELATIONS[sign](a, b):
            return f"{left} {sign} {right} is false: {a} and {b}"
    return None


def unequal(left: Formula, right: Formula) -> str | None:
    """Return where two formulas differ, None if every entry is equal."""
    if not alike(left, right):
        return " and ".join(
            f"{side.size} x {side.columns} on the {name}"
            for name, side in (("left", left), ("right", right))
        )
    verdict = decided(Equation("", "", left, right))
    return verdict.counterexample if isinstance(verdict, Refuted) else None
