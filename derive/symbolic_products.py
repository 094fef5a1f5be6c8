"""Equations of formulas with symbolic sizes, compared entry by entry by sympy: a reading of its
own, beside the kernel of proofs.

An index is written in digits, j = j_1 w_1 + j_2 w_2 + .., each below its size. sympy gives the
entry of a factor, a KroneckerProduct, a diagonal, a permutation or F, in a row and a column. Its
deltas make the row of the column, and F leaves a digit of the row free. So an entry of a product is
one power of a root of unity, and the sums over inner indices are gone. Both sides are equal where
the exponents differ by whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from derive.formula.grammar import Equation, Formula, Kron, factors_of
from derive.symbolic import algebra, matrix, positive_integers
from derive.text.elaborate import check, equation
from derive.text.syntax import Sides
from derive.verdict import Checked, Refuted, Undecided, Verdict

CUTS = 30
"""A digit is cut into two at most so often, in one comparison."""
Entry = tuple[Any, Any, list[Any]]
"""The row that a column goes to, the exponent in turns, and the free digits of the row."""


class CannotRead(Exception):
    """sympy's entry is none that this module reads."""


@dataclass(frozen=True)
class Cut(Exception):
    """A digit has to be written as two: digit = high·at + low."""

    digit: Any
    at: Any


@dataclass
class Digits:
    """The digits that are used, with their sizes; cut ones with their two parts."""

    sizes: dict[Any, Any] = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)

    def written(self, name: str, size: Any) -> Any:
        """Return a digit with this name below `size`, in the parts that it is cut into."""
        if size == 1:
            return algebra.Integer(0)
        if name in self.parts:
            at = self.parts[name]
            return self.written(f"{name}h", size / at) * at + self.written(f"{name}l", at)
        digit = algebra.Symbol(name, integer=True, nonnegative=True)
        self.sizes[digit] = size
        return digit

    def divided(self, number: Any, by: Any) -> tuple[Any, Any]:
        """Return quotient and remainder of a sum of digits times sizes.

        Raises Cut where a digit lies in both, CannotRead where they are not found.
        """
        terms = algebra.Add.make_args(algebra.expand(number))
        over = [term for term in terms if _whole(term / by)]
        rest = algebra.Add(*(term for term in terms if not _whole(term / by)))
        most = rest.subs({digit: size - 1 for digit, size in self.sizes.items()})
        if _never_negative(rest) and _never_negative(by - 1 - most):
            return algebra.Add(*over) / by, rest
        for digit in sorted(rest.free_symbols & self.sizes.keys(), key=str):
            at = algebra.cancel(by / rest.coeff(digit)) if rest.coeff(digit) != 0 else by
            if (
                at != 1
                and at != self.sizes[digit]
                and _whole(at)
                and _whole(self.sizes[digit] / at)
            ):
                raise Cut(digit, at)
        raise CannotRead(f"({number}) divided by {by}")

    def read(self, entry: Any) -> Any:
        """Return an expression with its quotients and remainders found."""
        entry = entry.replace(
            algebra.Mod, lambda number, by: self.divided(self.read(number), self.read(by))[1]
        )
        return entry.replace(
            algebra.floor,
            lambda number: self.divided(*algebra.fraction(algebra.together(number)))[0],
        )


def _whole(number: Any) -> bool:
    """Return whether every term is a product of symbols and an integer."""
    return all(
        algebra.fraction(term)[1] == 1
        for term in algebra.Add.make_args(algebra.expand(algebra.powsimp(number)))
    )


def _never_negative(number: Any) -> bool:
    """Return whether a polynomial in sizes >= 1 and digits >= 0 has no negative coefficient, where
    each size is written as 1 + x.
    """
    sizes = [symbol for symbol in number.free_symbols if symbol.is_positive]
    shifted = algebra.expand(number.subs({size: 1 + size for size in sizes}))
    return all(term.as_coeff_Mul()[0] >= 0 for term in algebra.Add.make_args(shifted))


def _orders(factor: Formula) -> Iterator[Any]:
    match factor:
        case Kron((left, right)):
            yield from _orders(left)
            yield from _orders(right)
        case _:
            yield algebra.sympify(factor.size)


def _row(digits: Digits, factor: Formula, name: str) -> tuple[Any, list[Any]]:
    """Return a row of a factor in a digit for each part of its Kronecker product."""
    row: Any = algebra.Integer(0)
    found: list[Any] = []
    for i, order in enumerate(_orders(factor)):
        digit = digits.written(f"{name}{i}", order)
        row, found = (
            row * order + digit,
            [*found, *sorted(digit.free_symbols & digits.sizes.keys(), key=str)],
        )
    return algebra.expand(row), found


def _entry(digits: Digits, formula: Formula, column: Any, side: str) -> Entry:
    """Return where a product has its entries of a column, and what they are."""
    turn, free = algebra.Integer(0), []
    for k, factor in enumerate(reversed(factors_of(formula))):
        row, fresh = _row(digits, factor, f"{side}{k}_")
        entry = digits.read(matrix(factor)[row, column])
        solved: dict[Any, Any] = {}
        for delta in entry.atoms(algebra.KroneckerDelta):
            left, right = delta.args[:2]
            solved |= _solved(digits, left, right, fresh)
        powers = [part for part in algebra.Mul.make_args(entry) if isinstance(part, algebra.exp)]
        others = [part for part in algebra.Mul.make_args(entry) if part not in powers]
        if any(not isinstance(part, algebra.KroneckerDelta) and part != 1 for part in others):
            raise CannotRead(f"the entry {entry} of {factor}")
        for power in powers:
            turn += power.args[0].subs(solved) / (2 * algebra.pi * algebra.I)
        column = algebra.expand(row.subs(solved))
        free += [digit for digit in fresh if digit not in solved]
    return column, algebra.expand(turn), free


def _solved(digits: Digits, left: Any, right: Any, fresh: list[Any]) -> dict[Any, Any]:
    """Return the digits of a row for which left = right."""
    row, column = (left, right) if set(fresh) & left.free_symbols else (right, left)
    found: dict[Any, Any] = {}
    for term in sorted(algebra.Add.make_args(algebra.expand(row)), key=str):
        digit = next(iter(term.free_symbols & set(fresh)), None)
        if digit is None:
            raise CannotRead(f"{left} = {right}")
        weight = algebra.cancel(term / digit)
        quotient = digits.divided(column, weight)[0]
        found[digit] = digits.divided(quotient, digits.sizes[digit])[1]
    return found


def _differ(digits: Digits, equation: Equation) -> Any:
    """Return by how much the exponents of both sides differ, 0 for a whole number."""
    j = digits.written("j", algebra.sympify(equation.left.size))
    left, right = (
        _entry(digits, side, j, name)
        for side, name in ((equation.left, "a"), (equation.right, "b"))
    )
    same = _renamed(digits, left, right)
    if algebra.expand(left[0].subs(same) - right[0]) != 0:
        raise CannotRead(f"the rows {left[0]} and {right[0]}")
    turn = algebra.expand(left[1].subs(same) - right[1])
    return algebra.Add(*(term for term in algebra.Add.make_args(turn) if not _whole(term)))


def _renamed(digits: Digits, left: Entry, right: Entry) -> dict[Any, Any]:
    """Return what the free digits of the left are on the right.

    They fill the row of the right in a mixed radix, so that every row is met once.
    """
    if left[0] in left[2]:
        if not right[0].free_symbols & digits.sizes.keys() <= set(right[2]):
            raise CannotRead(f"the row {right[0]}")
        weights = {digit: right[0].coeff(digit) for digit in right[2]}
        filled, size = algebra.Integer(1), digits.sizes[left[0]]
        while filled != size:
            digit = next((d for d, w in weights.items() if algebra.expand(w - filled) == 0), None)
            if digit is None:
                raise CannotRead(f"the row {right[0]}")
            filled = algebra.expand(filled * digits.sizes[digit])
            del weights[digit]
        if weights:
            raise CannotRead(f"a sum over {', '.join(map(str, weights))}")
        return {left[0]: right[0]}
    if [digits.sizes[d] for d in left[2]] != [digits.sizes[d] for d in right[2]]:
        raise CannotRead(f"the digits {left[2]} and {right[2]}")
    return dict(zip(left[2], right[2], strict=True))


def compare(sides: Sides) -> Verdict:
    """Return whether both sides of an equation have the same entries for all sizes.

    Undecided where sympy's entries are not read: sums that stay, sizes that are not products.

    >>> from derive.text.parse import parse
    >>> print(compare(parse("F(r*s) = F(r) (x) I(s) * T(r*s,s) * I(r) (x) F(s) * L(r*s,r)")))
    checked: F_{r*s} = (F_r ⊗ I_s) T^{r*s}_s (I_r ⊗ F_s) L^{r*s}_r (entries at symbolic indices, by sympy)
    """  # noqa: E501
    digits = Digits()
    stated = equation(sides, {name: positive_integers(name) for name in sides.symbols})
    for _ in range(CUTS):
        try:
            digits.sizes = {}
            difference = _differ(digits, stated)
        except Cut as cut:
            digits.parts[str(cut.digit)] = cut.at
        except CannotRead as why:
            return _at_two(sides, stated, f"not read: {why}")
        else:
            if difference == 0:
                return Checked(str(stated), "entries at symbolic indices, by sympy")
            return _at_two(sides, stated, f"the exponents of an entry differ by {difference}")
    return Undecided(str(stated), f"more than {CUTS} digits are cut")


def _at_two(sides: Sides, stated: Equation, why: str) -> Verdict:
    """Return that an equation is refuted where every size is 2, else that it is undecided."""
    found = check(sides, dict.fromkeys(sides.symbols, 2))
    if isinstance(found, Refuted):
        at = ", ".join(f"{size} = 2" for size in sorted(sides.symbols))
        return Refuted(str(stated), f"{at}: {found.counterexample}")
    return Undecided(str(stated), why)
