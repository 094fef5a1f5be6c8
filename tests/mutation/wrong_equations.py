"""Wrong factorizations made from a right one: every factor dropped, repeated, exchanged, inverted,
or with other numbers in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from derive.formula.grammar import Applied, DirectSum, Equation, Formula, Kron, factors_of, product
from derive.formula.permutation_matrices import Bmmc, inverse
from derive.formula.permutations import is_permutation
from derive.gf2.bits import Affine


def wrong_equations(equation: Equation) -> list[tuple[str, Equation]]:
    """Return equations that differ in one factor, with what was done to it; some of them may be
    true all the same.

    >>> from tests.support.papers import cooley_tukey
    >>> [how for how, _ in wrong_equations(cooley_tukey(2, 4))][:5]
    ['dropped', 'twice', 'exchanged', 'number', 'dropped']
    """
    factors = factors_of(equation.right)
    found: dict[Formula, tuple[str, Equation]] = {}
    for i, factor in enumerate(factors):
        for how, others in _changes(factors, i, factor):
            right = product(
                [
                    *factors[:i],
                    *others,
                    *factors[i + len(others) if how == "exchanged" else i + 1 :],
                ]
            )
            if right.size == equation.left.size and right != equation.right:
                found.setdefault(right, (how, replace(equation, right=right)))
    return list(found.values())


def _changes(
    factors: tuple[Formula, ...], i: int, factor: Formula
) -> Iterator[tuple[str, tuple[Formula, ...]]]:
    yield "dropped", ()
    yield "twice", (factor, factor)
    if i + 1 < len(factors):
        yield "exchanged", (factors[i + 1], factor)
    if is_permutation(factor):
        yield "inverted", (inverse(factor),)
    for other in _numbers(factor):
        yield "number", (other,)


def _numbers(formula: Formula) -> Iterator[Formula]:
    """Yield formulas of the same size with one number in them doubled, halved, one more or one
    less, or one bit of a matrix flipped.
    """
    for other in _tried(formula):
        if other.size == formula.size:
            yield other


def _tried(formula: Any) -> Iterator[Formula]:  # of any class of formulas
    match formula:
        case Bmmc(address):
            for j, column in enumerate(address.columns):
                for row in range(address.rows):
                    flipped = (*address.columns[:j], column ^ 1 << row, *address.columns[j + 1 :])
                    yield from _made(
                        lambda flipped=flipped: replace(
                            formula, address=Affine(flipped, address.rows, address.c)
                        )
                    )
            for row in range(address.rows):
                yield replace(
                    formula, address=Affine(address.columns, address.rows, address.c ^ 1 << row)
                )
        case Kron((left, right)):
            yield from (replace(formula, left=other) for other in _numbers(left))
            yield from (replace(formula, right=other) for other in _numbers(right))
            yield Kron((right, left))
        case Applied("inv", of):
            yield of
            yield from (inverse(other) for other in _numbers(of))
        case DirectSum():
            return
        case _:
            for field in fields(formula):
                value = getattr(formula, field.name)
                if isinstance(value, int):
                    for other in dict.fromkeys((2 * value, value // 2, value + 1, value - 1)):
                        yield from _made(
                            lambda name=field.name, other=other: replace(formula, **{name: other})
                        )


def _made(make: Any) -> Iterator[Formula]:
    """Yield what is made, if there is such a formula."""
    try:
        made = make()
        if made.size:
            yield made
    except (ValueError, ZeroDivisionError):
        return
