"""Numbers at which the sizes of a text are to be read: each at its least value and next to it.

They come from the text alone, whatever the translation puts for its symbols: an exponent n - 2 at 0
and 1, a quotient N/r at 1 and 2, also where it is that of two sizes of one matrix, L(N, r).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from derive.formula.named_matrices import parameters
from derive.text import syntax
from derive.text.expressions import Name, Number, Operation, Size, size_replaced, size_symbols
from proofs.meaning.random_field import NoValue, need
from proofs.meaning.text_values import fraction

AS_SIZE, AS_QUOTIENT, AS_NATURAL, AS_EXPONENT = (1, 2, 3, 4), (1, 2), (0, 1), (-1, 0, 1)
INVERSE = {"+": "-", "-": "+", "*": "/", "/": "*"}
Target = tuple[Size, int]
"""A size of a text, and a number that it shall be."""


def targets(text: syntax.Text) -> Iterator[Target]:
    """Yield the sizes of a text, their quotients and their exponents, each with the numbers at and
    next to its least value.
    """
    for size, numbers in _sized(text):
        yield from ((size, number) for number in numbers)
        for inner, least in _inner(size):
            yield from ((inner, number) for number in least)
    for part in text.parts:
        for size, number in targets(part):
            if isinstance(text, syntax.Ordered) and text.index in size_symbols(size):
                ends = ({text.index: end} for end in (text.first, text.last))
                yield from ((size_replaced(size, end), number) for end in ends)
            else:
                yield size, number


def _sized(text: syntax.Text) -> Iterator[tuple[Size, tuple[int, ...]]]:
    match text:
        case syntax.Leaf(name, sizes):
            kinds = parameters(name, len(sizes))
            own = [one for one, kind in zip(sizes, kinds, strict=False) if kind.sort != "real"]
            yield from ((one, AS_SIZE) for one in own)
            pairs = ((a, b) for a in own for b in own if a != b)
            yield from ((Operation("/", a, b), AS_QUOTIENT) for a, b in pairs)
        case syntax.Power(_, exponent):
            yield exponent, AS_EXPONENT
        case syntax.Ordered(_, first, last):
            yield Operation("+", Operation("-", last, first), Number(1)), AS_EXPONENT
        case syntax.Variable(_, rows, columns):
            yield from ((one, AS_QUOTIENT) for one in (rows, columns))
        case syntax.Ranged(_, indices):
            yield from ((radix, AS_QUOTIENT) for _, radix in indices)
        case syntax.Defined(_, arguments):
            yield from ((one, AS_NATURAL) for one in arguments)


def _inner(size: Size) -> Iterator[tuple[Size, tuple[int, ...]]]:
    """Yield the quotients, differences and exponents in a size."""
    if isinstance(size, Operation):
        if size.sign in "/-":
            yield size, AS_QUOTIENT if size.sign == "/" else AS_NATURAL
        if size.sign == "^":
            yield size.right, AS_NATURAL
        yield from _inner(size.left)
        yield from _inner(size.right)


def solved(size: Size, name: str, number: Fraction, at: Mapping[str, Any]) -> Fraction:
    """Return what a symbol is where a size is a number and the other symbols are known; NoValue:
    nothing does it, or the symbol stands there twice and the size is not linear in it.

    >>> from derive.text.parse import parse_formula
    >>> size = parse_formula("I(2^(n-2)*N/r)").sizes[0]
    >>> [str(solved(size, name, Fraction(6), {"n": 3, "N": 9, "r": 3})) for name in "nNr"]
    ['3', '9', '3']
    """
    match size:
        case Name(own):
            need(own == name, "the size has no such symbol")
            return number
        case Number():
            raise NoValue("the size has no such symbol")
    left, right = size.left, size.right
    if name in size_symbols(left) & size_symbols(right):
        return _linear(size, name, number, at)
    if name in size_symbols(left):
        need(size.sign in INVERSE, "roots are not drawn")
        back = Operation(INVERSE[size.sign], Name("x"), Name("y"))
        inner = {"x": number, "y": fraction(right, at)}
        return solved(left, name, fraction(back, inner), at)
    other = fraction(left, at)
    if size.sign == "^":
        return solved(right, name, Fraction(_logarithm(number, other)), at)
    sign = size.sign if size.sign in "-/" else INVERSE[size.sign]
    turned = size.sign in "-/"
    back = Operation(sign, Name("y" if turned else "x"), Name("x" if turned else "y"))
    return solved(right, name, fraction(back, {"x": number, "y": other}), at)


def _linear(size: Size, name: str, number: Fraction, at: Mapping[str, Any]) -> Fraction:
    """Return what a symbol is where a size that is linear in it is a number.

    >>> from derive.text.parse import parse_formula
    >>> size = parse_formula("I(3*t + n*t - 1)").sizes[0]
    >>> print(solved(size, "t", Fraction(6), {"n": 5}))
    7/8
    """
    one, two, three = (fraction(size, {**at, name: x}) for x in (1, 2, 3))
    need(one != two and two - one == three - two, "a symbol stands twice")
    return 1 + (number - one) / (two - one)


def _logarithm(number: Fraction, base: Fraction) -> int:
    """Return e with base^e = number, up to 64; NoValue: there is none."""
    need(base > 1, "the base of a power is not above 1")
    for e in range(65):
        if base**e >= number:
            need(base**e == number, "the number is not a power")
            return e
    raise NoValue("the exponent is too large")
