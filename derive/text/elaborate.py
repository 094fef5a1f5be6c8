"""From a text to a formula: the tree of a text at given values of its symbols."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise

from derive.call_arguments import values_of
from derive.exact.all_entries import decide_in_fields
from derive.exact.claim import Difference
from derive.exact.complexes import Matrix, entry, shown_matrix, spelled
from derive.exact.exact_check import EVERY_ENTRY, claim, decide
from derive.exact.random_vectors import differs_at
from derive.exact.residues import Residues
from derive.exact.rings import Ring
from derive.formula.adjoints import conjugate, inverted, transposed
from derive.formula.combinations import alike, combination, letters, unfit
from derive.formula.grammar import Equation, Formula, I, direct_sum, kron, product
from derive.sizes import same
from derive.text.definitions import unfolded
from derive.text.expressions import (
    FormulaError,
    Name,
    NotWhole,
    Number,
    Operation,
    TooLarge,
    Values,
    need_products,
    value,
)
from derive.text.sorts import need_values
from derive.text.syntax import (
    Added,
    Applied,
    Defined,
    DirectSum,
    Kron,
    Leaf,
    Ordered,
    Power,
    Product,
    Ranged,
    Scaled,
    Sides,
    Text,
    Variable,
)
from derive.text.text_matrices import named, need_places, ranged, stated, variable
from derive.verdict import Checked, Refuted, Verdict

OPERATORS: dict[str, Callable[[Formula], Formula]] = {
    "inv": inverted,
    "transpose": transposed,
    "conj": conjugate,
}
DENSE = 1024
MOST_SHOWN = 16
"""Matrices with more entries are not shown."""
MOST_FACTORS = 4096
"""So many factors a prod may have."""


def formula(text: Text, at: Values) -> Formula:
    """Return a text as a formula, its symbols replaced by values.

    Raises NotWhole where a size is no positive integer or does not divide, FormulaError where the
    sizes of factors differ.

    >>> from derive.text.parse import parse_formula
    >>> print(formula(parse_formula("F(r) (x) I(s) * T(r*s, s)"), {"r": 2, "s": 4}))
    (F_2 ⊗ I_4) T^8_4
    >>> formula(parse_formula("F(r) * F(s)"), {"r": 2, "s": 4})
    Traceback (most recent call last):
    derive.text.expressions.FormulaError: column 8: the 2 columns of F(r) meet the 4 rows of F(s) at r = 2, s = 4; in a product these numbers must be equal
    """  # noqa: E501
    found = at_values(text, at)
    need_places(found)
    return found


def at_values(text: Text, at: Values) -> Formula:
    """Return what `formula` does, of any size: what digits make of an index is not looked at."""
    match text:
        case Product(factors):
            return product(
                _fitting(text, factors, [at_values(factor, at) for factor in factors], at)
            )
        case Kron(operands):
            return kron(*(at_values(operand, at) for operand in operands))
        case DirectSum(terms):
            return direct_sum(at_values(term, at) for term in terms)
        case Ordered():
            return _over_index(text, _ordered(text, at), at)
        case Applied(name, of):
            return _applied(text, OPERATORS[name], at_values(of, at))
        case Added(terms):
            parts = _fitting(text, terms, [at_values(term, at) for term in terms], at)
            return combination((Fraction(1), False, part) for part in parts)
        case Scaled(by, imaginary, of):
            inner, number = at_values(of, at), value(by, at)
            return _applied(text, lambda one: combination([(number, imaginary, one)]), inner)
        case Power(of, _):
            inner = _square(text, of, at_values(of, at), at)
            return _applied(text, lambda one: one ** _exponent(text, at), inner)
    return _with_name(text, at)


def _with_name(text: Text, at: Values) -> Formula:
    match text:
        case Leaf():
            return named(text, at)
        case Defined():
            return at_values(unfolded(text, at), at)
        case Variable():
            return variable(text, at)
        case Ranged():
            return ranged(text, at)
    raise AssertionError(f"{text} stands outside of its definition")


def _over_index(text: Ordered, parts: list[Formula], at: Values) -> Formula:
    """Return a sum or a product over an index; one without factors is an identity."""
    if text.name == "sum":
        return combination((Fraction(1), False, part) for part in parts)
    if parts:
        return product(parts)
    first = _with_first(text, at)
    return I(_square(text, text.body, at_values(text.body, first), first).size)


def _square(text: Power | Ordered, of: Text, found: Formula, at: Values) -> Formula:
    """Return a matrix that is multiplied by itself, or not at all; raise FormulaError unless it is
    square.
    """
    if same(found.size, found.columns):
        return found
    sizes = f"{of} is {found.size} x {found.columns}{stated(of, at)}"
    what = "has powers" if isinstance(text, Power) else "may stand in a product without factors"
    raise FormulaError(f"column {of.column}: {sizes}: only a square matrix {what}")


def _exponent(text: Power, at: Values) -> int:
    found = value(text.exponent, at)
    if found.denominator != 1 or abs(found) > MOST_FACTORS:
        raise NotWhole(
            f"column {text.column}: {text.exponent} = {found}{stated(text, at)}: powers of matrices"
            f" have exponents that are integers up to {MOST_FACTORS}"
        )
    return int(found)


def _applied(text: Text, operator: Callable[[Formula], Formula], of: Formula) -> Formula:
    try:
        return operator(of)
    except ValueError as error:
        raise FormulaError(f"column {text.column}: {error}") from error


def _fitting(
    text: Text, parts: tuple[Text, ...], found: list[Formula], at: Values
) -> list[Formula]:
    summed = isinstance(text, Added)
    for (a, left), (b, right) in pairwise(zip(parts, found, strict=True)):
        if why := _unfit(summed, str(a), left, str(b), right, stated(text, at)):
            raise FormulaError(f"column {b.column}: {why}")
    return found


def _unfit(summed: bool, a: str, left: Formula, b: str, right: Formula, at: str = "") -> str:
    """Return why two neighbours make no sum or product, in words; "" where they do."""
    if not summed:
        fit = same(left.columns, right.size)
        return "" if fit else unfit(a, left.columns, b, right.size, at)
    sizes = (f"{x} is {one.size} x {one.columns}" for x, one in ((a, left), (b, right)))
    both = f"{' and '.join(sizes)}{at}: the terms of a sum must have the same size"
    return "" if alike(left, right) else both


def _with_first(text: Ordered, at: Values) -> Values:
    return {**at, text.index: value(text.first, at)}


def _ordered(text: Ordered, at: Values) -> list[Formula]:
    """Return the factors of a product over an index, or the terms of a sum."""
    many, each = ("sum", "terms") if text.name == "sum" else ("product", "factors")
    a, b = (value(size, at) for size in (text.first, text.last))
    if a.denominator != 1 or b.denominator != 1:
        raise NotWhole(
            f"column {text.column}: the {many} runs from {text.first} = {a} to {text.last} ="
            f" {b}{stated(text, at)}: these are integers"
        )
    if b - a >= MOST_FACTORS:
        raise TooLarge(
            f"column {text.column}: the {many} has {b - a + 1} {each}: at most {MOST_FACTORS} are"
            " worked out"
        )
    if text.name == "sum" and a > b:
        raise NotWhole(
            f"column {text.column}: {text} has {b + 1} terms{stated(text, at)}: a sum has"
            " at least one"
        )
    values = [{**at, text.index: a + i} for i in range(int(b - a) + 1)]
    parts = [at_values(text.body, one) for one in values]
    names = [f"{text.body} at {text.index} = {a + i}" for i in range(len(parts))]
    summed = text.name == "sum"
    for (one, left), (other, right) in pairwise(zip(names, parts, strict=True)):
        if why := _unfit(summed, one, left, other, right):
            raise FormulaError(f"column {text.body.column}: {why}")
    return parts


def equation(sides: Sides, at: Values) -> Equation:
    """Return an equation at these values of its symbols.

    Raises as `formula` does, and where the sides have different sizes.

    >>> from derive.text.parse import parse
    >>> print(equation(parse("L(N, N) = I(N)"), {"N": 4}))
    L^4_4 = I_4
    """
    left, right = (formula(side, at) for side in (sides.left, sides.right))
    if not alike(left, right):
        given = ", ".join(f"{name} = {at[name]}" for name in sorted(sides.symbols) if name in at)
        sizes = (
            f"{sides.left} is {left.size} x {left.columns} and {sides.right} is {right.size} x"
            f" {right.columns}"
        )
        raise FormulaError(
            f"column {sides.right.column}: {sizes}{f' at {given}' if given else ''}: both sides of"
            " an equation must have the same size"
        )
    return Equation("formula", "", left, right)


def check(sides: Sides, at: Values, seed: int = 0) -> Verdict:
    """Return whether an equation holds at these values of its symbols: every entry, or random
    vectors where it is large.

    >>> from derive.text.parse import parse
    >>> print(check(parse("H(n) * H(n) = F(n) * conj(F(n))"), {"n": 4}))
    checked: H_4 H_4 = F_4 conj(F_4) (all 16 entries, exactly, in 3 fields GF(q))
    """
    missing = sides.symbols - set(at)
    if missing:
        need_products(missing, at)
        raise FormulaError(
            f"{', '.join(sorted(missing))} {'have' if len(missing) > 1 else 'has'} no value; add"
            f" {values_of(missing)}"
        )
    need_values(sides, at)
    return decided(equation(sides, at), seed)


def decided(stated: Equation, seed: int = 0, entries: int | None = None) -> Verdict:
    """Return whether an equation holds; up to 1024 elements what was seen of random vectors is seen
    of every entry, if that is feasible.

    Beyond `entries` elements, where that is given, random vectors do, which takes less time.
    What was compared in a finite field is shown as complex numbers.
    """
    claimed = replace(claim(stated), shown=partial(shown, stated))
    verdict = decide(claimed, seed, entries=EVERY_ENTRY if entries is None else entries)
    if (
        isinstance(verdict, Checked)
        and verdict.error
        and not claimed.letters
        and claimed.size <= (DENSE if entries is None else entries)
    ):
        exact = decide_in_fields(claimed, seed)
        return verdict if exact is None else exact
    return verdict


def refuted(stated: Equation, seed: int = 0) -> Refuted | None:
    """Return a refutation of an equation if a single random vector over a single GF(q) shows one;
    None says little. Raises ValueError for roots of unity of a high order.

    >>> from derive.text.parse import parse
    >>> print(refuted(equation(parse("perm(j < r, j+5040) = I(r)"), {"r": 11})).counterexample)
    entry (0, 0) is 0 on the left and 1 on the right
    """
    claimed = claim(stated)
    found = differs_at(claimed, seed)
    return found and Refuted(claimed.statement, shown(stated, *found))


def shown(stated: Equation, found: Difference, ring: Ring) -> str:
    """Return a difference in words; one of residues as that of two complex numbers, in as many
    digits as tell them apart.

    >>> import numpy as np
    >>> from derive.fields import RootField
    >>> from derive.formula.transforms import F, H
    >>> ring = Residues(RootField.draw(4, np.random.default_rng(0), np.array([5])))
    >>> shown(Equation("", "", H(4), F(4)), Difference(1, 1, "1 in GF(5)", "2 in GF(5)"), ring)
    'entry (1, 1) is 1 on the left and -1i on the right'
    """
    if not isinstance(ring, Residues):
        return str(found)
    try:
        both = [entry(side, found.row, found.column) for side in (stated.left, stated.right)]
    except OverflowError:  # no floating-point number is as large
        return str(found)
    given = with_matrices(stated)
    for digits in (6, 9, 12):
        left, right = (spelled(z, digits) for z in both)
        if left != right:
            return str(replace(found, left=left, right=right)) + given
    return str(found)


def with_matrices(stated: Equation) -> str:
    """Return the matrices that are put for matrix variables where an entry is shown.

    >>> from derive.text.parse import parse
    >>> with_matrices(equation(parse("A : 1 x 2; A = A"), {}))
    ', A = [[1 - 1i, -2]]'
    """
    found = letters(stated.left) | letters(stated.right)
    drawn = ((name, shown_matrix(name, one.rows, one.cols)) for name, one in found.items())
    return "".join(f", {name} = {_spelled(matrix)}" for name, matrix in drawn)


def _spelled(matrix: Matrix) -> str:
    if matrix.size > MOST_SHOWN:
        return "a random matrix"
    rows = (", ".join(map(spelled, row)) for row in matrix)
    return f"[[{'], ['.join(rows)}]]"


def sized(left: Text, N: int) -> dict[str, Fraction]:
    """Return the value of the symbol of F(N) or F(2^n) that makes it of order N; {} where the size
    has no symbol or several.

    >>> from derive.text.parse import parse_formula
    >>> sized(parse_formula("F(2^n)"), 8)
    {'n': Fraction(3, 1)}
    """
    match left:
        case Leaf("F", (Name(name),)):
            return {name: Fraction(N)}
        case Leaf("F", (Operation("^", Number(base), Name(name)),)) if base > 1:
            exponent = next(e for e in range(N.bit_length() + 1) if base**e >= N)
            return {name: Fraction(exponent)}
    return {}
