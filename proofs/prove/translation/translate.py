"""Both sides of an equation as terms of the kernel, symbols replaced where sizes are whole then
only. Not trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass

from derive.text.definitions import defined_in
from derive.text.expressions import Size, size_symbols
from derive.text.sorts import indices_of_products, naturals_and_reals, size_names
from derive.text.syntax import DirectSum, Ordered, Sides, Text, Variable
from derive.text.syntax import symbols as symbols_in
from proofs.kernel.numbers import Dim, Nat, nat, size
from proofs.kernel.terms import Term, free, substitute
from proofs.prove.translation.divisibility import (
    Ambiguous,
    Inexpressible,
    Repair,
    SumOfSizes,
    conditions_making_integral,
)
from proofs.prove.translation.splits import Index, Splitting
from proofs.prove.translation.square_roots import without_roots
from proofs.prove.translation.symbols import Symbols
from proofs.prove.translation.translator import Translator
from proofs.prove.translation.written import written

MOST_REPAIRS = 12


@dataclass(frozen=True)
class Translated:
    """Two terms, their rows and their columns, what the symbols of the text are in their letters,
    and the equation of which they are the sides, without square roots.
    """

    left: Term
    right: Term
    rows: Index
    columns: Index
    symbols: Symbols
    sides: Sides


def translate(
    sides: Sides, lower: dict[str, int] | None = None, above: dict[str, Size] | None = None
) -> Translated:
    """Return both sides as terms; naturals are at least `lower`, and `above`, a sum of others.

    Raises Inexpressible where the kernel has no terms for them.

    >>> from derive.text.parse import parse
    >>> found = translate(parse("F(N) = F(r) (x) I(N/r) * T(N,N/r) * I(r) (x) F(N/r) * L(N,r)"))
    >>> found.symbols.replaced, found.symbols.implied
    ((('N', 'N*r'),), ('r divides N',))
    """
    sides = without_roots(sides, symbols_of((sides.left, sides.right)).values)
    counts = {name for side in (sides.left, sides.right) for name in _numbers_of_terms(side)}
    sorts = [set[str](), counts] if counts else [set[str]()]
    both = above and lower and above.keys() & lower.keys()
    ways = [(bounds, names) for bounds in ([above, None] if both else [above]) for names in sorts]
    wrong = list[Inexpressible]()
    for bounds, names in ways:
        try:
            return _translated(sides, lower, bounds, names)
        except Inexpressible as error:
            wrong.append(error)
    raise wrong[len(sorts) - 1]


def _translated(
    sides: Sides,
    lower: dict[str, int] | None,
    above: dict[str, Size] | None,
    counts: AbstractSet[str] = frozenset(),
) -> Translated:
    texts = (sides.left, sides.right)
    translator, symbols = translator_of(texts, symbols_of(texts, lower, above, counts))
    return Translated(*Splitting(translator).indexed(*texts), symbols, sides)


def _numbers_of_terms(text: Text) -> Iterator[str]:
    """Yield the symbols of the numbers of terms of sums."""
    if isinstance(text, Ordered) and text.name == "sum":
        yield from size_symbols(text.count)
    for part in text.parts:
        yield from _numbers_of_terms(part)


def symbols_of(
    texts: Sequence[Text],
    lower: dict[str, int] | None = None,
    above: dict[str, Size] | None = None,
    counts: AbstractSet[str] = frozenset(),
) -> Symbols:
    """Return the symbols of texts under conditions that bound them from below, those of `counts`
    being naturals, 0 among them, which proves more.
    """
    every = Sides(texts[0], DirectSum(tuple(texts)))
    naturals, reals = naturals_and_reals(every)
    naturals = naturals | counts
    found = Symbols.of(size_names(every), naturals | indices_of_products(every), reals)
    numbers, others = lower or {}, above or {}
    alone = sorted(numbers.keys() - others.keys())
    for name in (one for one in (*alone, *others) if one in naturals):
        found = _bounded(found, name, numbers.get(name, 0), others.get(name))
    return found


def translator_of(texts: Sequence[Text], symbols: Symbols) -> tuple[Translator, Symbols]:
    """Return what turns texts into terms, and their symbols in letters in which sizes are whole.

    Raises Inexpressible where the kernel has no terms for them.
    """
    for _ in range(MOST_REPAIRS):
        try:
            _terms(Translator(dict(symbols.values)), texts)
        except Repair as repair:
            if _speaks_of_an_index(repair, symbols):
                why = "a size is whole for some indices of its product only"
                raise Inexpressible(why) from repair
            symbols = symbols.put(repair.name, repair.by)
        except Ambiguous as error:
            names = (x for text in texts for x in symbols_in(text))
            own = {x for x in names if symbols.values[x] in (size(x), nat(x))}
            conditions = conditions_making_integral(error.size, own)
            raise Ambiguous(error.size, conditions, _typed(error.size, symbols)) from error
        except SumOfSizes as error:
            matrices = {
                x.name for text in texts for x in defined_in(text) if isinstance(x, Variable)
            }
            for other in symbols.summed(error.sum, matrices):
                with suppress(Inexpressible):
                    return translator_of(texts, other)
            raise
        else:
            return Translator(dict(symbols.values)), symbols
    raise Inexpressible(
        f"more than {MOST_REPAIRS} symbols had to be replaced so that sizes are whole"
    )


def _typed(found: Dim, symbols: Symbols) -> Size:
    """Return a size in the symbols of the text."""
    back = {x: by for x, by in symbols.back.items() if type(by) in (Nat, Dim)}
    return written(substitute(found, back))


def _speaks_of_an_index(repair: Repair, symbols: Symbols) -> bool:
    """Return whether a symbol could be replaced at one index of a product alone."""
    is_power_of_2 = isinstance(repair.by, Dim) and repair.name not in free(repair.by)
    names = {repair.name} if is_power_of_2 else {repair.name, *free(repair.by)}
    return not names <= symbols.back.keys()


def _bounded(symbols: Symbols, name: str, number: int, bound: Size | None) -> Symbols:
    """Return symbols of which a natural is at least a number and at least a sum of others: where it
    is not seen which of these is larger, at least this sum.

    A condition that is left out only leaves more to prove.
    """
    least = Nat.of(number)
    if bound is not None and (other := _least(symbols, name, bound)) is not None:
        least = least if (least - other).natural else other
    return symbols.bounded(name, nat(name) + least) if least else symbols


def _least(symbols: Symbols, name: str, bound: Size) -> Nat | None:
    """Return a bound of a natural in letters; None where it is no natural without it."""
    try:
        least = Translator(dict(symbols.values)).nat(bound)
    except (Inexpressible, KeyError):
        return None
    others = [least, *(value for other, value in symbols.values.items() if other != name)]
    return least if least.natural and not any(name in free(one) for one in others) else None


def _terms(translator: Translator, texts: Sequence[Text]) -> list[Term]:
    """Return texts as terms; where one is ambiguous, a repair of another may decide."""
    found, ambiguous = list[Term](), list[Ambiguous]()
    for text in texts:
        try:
            found.append(Splitting(translator).made(text)[0])
        except Ambiguous as error:
            ambiguous.append(error)
    if ambiguous:
        raise ambiguous[0]
    return found
