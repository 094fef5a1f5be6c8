"""An equation at random values of its symbols, and what a single random vector refutes there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations

from derive.formula.grammar import Equation
from derive.text.elaborate import equation, refuted
from derive.text.expressions import FormulaError, Size, value
from derive.text.syntax import Sides
from derive.verdict import Refuted
from proofs.prove.budget import look
from proofs.prove.conditions import Condition, fulfilled
from proofs.prove.sizes.random_values import At, Drawing, work

MOST_RANDOM = 10
"""So many random values of the symbols are tried, and those with all naturals at bounds."""
MOST_RANDOM_ROWS, MOST_FAR_ROWS = 2**11, 2**17
"""Matrices at random values have so many rows at most, and where there are none of EVERY_ENTRY rows
in between."""
MOST_FAR = 2
"""So many random values are tried where all matrices are that large."""
MOST_PARTS, MOST_ELEMENTS = 2**10, (2**19, 2**21)
"""Most matrices of an equation at random values, and most rows together; the last if far."""
MOST_SMALLER_ROWS, LEAST_ROWS, MOST_AS_LARGE = 2**14, 2**7, 6
"""So many rows have the matrices at smaller values together, each of them counted as so many more;
and so many matrices are as large as that of the first values."""


def refutations(
    sides: Sides, conditions: list[Condition], whole: list[Size], far: bool
) -> Iterator[tuple[At, Refuted | None]]:
    """Yield random values at which the sides were compared, with the refutation that was found."""
    for at, one in random_instances(sides, conditions, whole, far):
        look()
        with suppress(ValueError):  # roots of unity of a high order: nothing is compared
            yield at, refuted(one)


def random_instances(
    sides: Sides, conditions: list[Condition], whole: list[Size], far: bool
) -> list[tuple[At, Equation]]:
    """Return an equation at random values of its symbols that fulfil the conditions, the smallest
    matrices first; all sizes are whole, those in `whole` among them.
    """
    most_rows, most = (MOST_FAR_ROWS, MOST_FAR) if far else (MOST_RANDOM_ROWS, MOST_RANDOM)
    found: list[tuple[At, Equation]] = []
    drawing = Drawing.of(sides, conditions)
    most += len(drawing.at_bounds())
    for attempts in drawing.rounds():
        for at in attempts:
            look()
            if any(at == other for other, _ in found):
                continue
            one = _at(sides, conditions, whole, at, MOST_ELEMENTS[far])
            if one is not None and one.left.size <= most_rows:
                found.append((at, one))
                break
        if len(found) == most:
            break
    return sorted(found, key=lambda one: (one[1].left.size, sum(one[0].values())))


def _at(
    sides: Sides, conditions: list[Condition], whole: list[Size], at: At, most: int
) -> Equation | None:
    """Return an equation at random values, None where these do not fit or lead to more rows."""
    parts = max(work(side, at) for side in (sides.left, sides.right))
    with suppress(FormulaError):  # sizes that are not whole, and what is too large for a check
        fits = parts <= MOST_PARTS and fulfilled(conditions, at)
        if fits and all(value(size, at).denominator == 1 for size in whole):
            one = equation(sides, at)
            return one if one.left.size * parts <= most else None
    return None


def smaller(
    sides: Sides, conditions: list[Condition], whole: list[Size], at: At, wrong: Refuted
) -> tuple[At, Refuted]:
    """Return smaller values at which an equation is refuted, too, and how: symbol by symbol the
    least value at which it is, two exponents by the same number first.
    """
    drawing, rows = Drawing.of(sides, conditions), 0
    most = MOST_SMALLER_ROWS + MOST_AS_LARGE * equation(sides, at).left.size
    naturals = sorted(sides.symbols & drawing.naturals)
    others = sorted(sides.symbols - drawing.naturals)
    together = [*combinations(naturals, 2), *((name,) for name in (*naturals, *others))]
    for names in together * 2:
        for less in drawing.below(names, at):
            look()
            one = _at(sides, conditions, whole, {**at, **less}, MOST_ELEMENTS[True])
            if one is None:
                continue
            rows += one.left.size + LEAST_ROWS
            if rows > most:
                return at, wrong
            with suppress(ValueError):  # roots of unity of a high order
                if (found := refuted(one)) is not None:
                    at, wrong = {**at, **less}, found
                    break
    return at, wrong
