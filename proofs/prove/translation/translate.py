"""Both sides of an equation as terms of the kernel, symbols replaced where sizes are whole then
only. Not trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from derive.text.expressions import Size
from derive.text.sorts import naturals_and_reals, size_names
from derive.text.syntax import Sides, Stacked, Text
from proofs.kernel.sizes import Poly, Real, nat, size
from proofs.kernel.terms import Term, free, substitute
from proofs.prove.translation.divisibility import (
    Ambiguous,
    Inexpressible,
    Repair,
    conditions_making_integral,
)
from proofs.prove.translation.translator import Translator

MOST_REPAIRS = 12


@dataclass(frozen=True)
class Translated:
    """Two terms, and what the symbols of the text stand for where that is not themselves."""

    left: Term
    right: Term
    repairs: tuple[tuple[str, str], ...]


def translate(
    sides: Sides, lower: dict[str, int] | None = None, above: dict[str, Size] | None = None
) -> Translated:
    """Return both sides as terms; naturals are at least `lower`, and `above`, a sum of others.

    Raises Inexpressible where the kernel has no terms for them.

    >>> from derive.text.parse import parse
    >>> translate(parse("F(N) = F(r) (x) I(N/r) * T(N,N/r) * I(r) (x) F(N/r) * L(N,r)")).repairs
    (('N', 'N*r'),)
    """
    translator, repairs = translator_of((sides.left, sides.right), lower, above)
    return Translated(translator.term(sides.left), translator.term(sides.right), repairs)


def translator_of(
    texts: Sequence[Text], lower: dict[str, int] | None = None, above: dict[str, Size] | None = None
) -> tuple[Translator, tuple[tuple[str, str], ...]]:
    """Return what turns several texts with the same symbols into terms, and its repairs.

    Raises Inexpressible where the kernel has no terms for them.
    """
    every = Sides(texts[0], Stacked(tuple(texts)))
    naturals, reals = naturals_and_reals(every)
    names = size_names(every)
    values: dict[str, Any] = {name: size(name) for name in names}
    values |= {name: nat(name) + (lower or {}).get(name, 0) for name in naturals}
    values |= {name: Poly.of(Real(name)) for name in reals}
    for name, bound in (above or {}).items():
        values = _raised(values, name, bound) if name in naturals else values
    for _ in range(MOST_REPAIRS):
        try:
            _terms(Translator(dict(values)), texts)
        except Repair as repair:
            by = {repair.name: repair.by}
            values = {name: substitute(value, by) for name, value in values.items()}
            continue
        except Ambiguous as error:
            own = {name for name in every.symbols if values[name] in (size(name), nat(name))}
            raise Ambiguous(error.size, conditions_making_integral(error.size, own)) from error
        changed = tuple(
            (name, str(value))
            for name, value in sorted(values.items())
            if name in names | naturals and type(value) is not Poly and str(value) != name
        )
        return Translator(values), changed
    raise Inexpressible(
        f"more than {MOST_REPAIRS} symbols had to be replaced so that sizes are whole"
    )


def _raised(values: dict[str, Any], name: str, bound: Size) -> dict[str, Any]:
    """Return values with bound + name for a natural that is at least so large; as they are where
    the bound is no natural without it.

    A condition that is left out only leaves more to prove.
    """
    try:
        least = Translator(values).nat(bound)
    except (Inexpressible, KeyError):
        return values
    others = [least, *(value for other, value in values.items() if other != name)]
    if not least.natural or any(name in free(one) for one in others):
        return values
    return values | {name: nat(name) + least}


def _terms(translator: Translator, texts: Sequence[Text]) -> list[Term]:
    """Return texts as terms; where one is ambiguous, a repair of another may decide."""
    found, ambiguous = list[Term](), list[Ambiguous]()
    for text in texts:
        try:
            found.append(translator.term(text))
        except Ambiguous as error:
            ambiguous.append(error)
    if ambiguous:
        raise ambiguous[0]
    return found
