"""Matching: what the letters of a rule stand for, so that one side of it is a given formula.

A size is a product of powers; what its letters stand for follows from the equations between sizes,
or is one of a few divisors. A letter for a matrix stands for any formula of its order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, product
from typing import Any

from derive.text.expressions import Name, Size
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
    Text,
    Variable,
    replaced,
    symbols,
)
from proofs.derivations.paths import joined
from proofs.derivations.size_products import Letters, monomial, natural, order_of
from proofs.kernel.numbers import ONE, Digit, Dim, Nat, Poly, nat, size
from proofs.kernel.terms import free, substitute
from proofs.prove.translation.divisibility import Inexpressible
from proofs.prove.translation.translator import Translator
from proofs.prove.translation.written import written

MARK = "?"
"""Stands behind the letters of a rule, so that they are no symbols of the formula."""
MOST_DIVISORS = 64
Pair = tuple[Any, Any]
"""What is equal: a Dim or a Nat with letters of the rule in it, and one without."""


@dataclass(frozen=True)
class Found:
    """The values of letters: those of sizes, and those of matrices."""

    sizes: dict[str, Any] = field(default_factory=dict)
    matrices: dict[str, Text] = field(default_factory=dict)


@dataclass(frozen=True)
class Matcher:
    """Compares a side of a rule with a formula; `orders` has the letters for matrices with their
    orders, `of_rule` and `of_text` what symbols stand for.
    """

    orders: Mapping[str, Size]
    of_rule: Letters
    of_text: Letters

    def found(self, pattern: Text, text: Text, given: Mapping[str, Any]) -> Iterator[Found]:
        """Yield what the letters of a pattern stand for, each time in another way."""
        known = {name + MARK: value for name, value in given.items()}
        for pairs, matrices in self._paired(pattern, text):
            for sizes in _solved(pairs, known):
                plain = {name.removesuffix(MARK): value for name, value in sizes.items()}
                yield Found(plain, matrices)

    def fits(self, pattern: Text, text: Text) -> bool:
        """Return whether a pattern has the form of a formula, whatever their sizes are."""
        return any(True for _ in self._paired(pattern, text))

    def misfit(self, pattern: Text, text: Text, given: Mapping[str, Any]) -> str:
        """Return the first size that contradicts those before it, or the letters that are given, in
        words; "" for none.
        """
        known = {name + MARK: value for name, value in given.items()}
        for pairs, _ in self._paired(pattern, text):
            fitting = known
            for count, pair in enumerate(pairs, 1):
                found = next(_solved(pairs[:count], known), None)
                if found is None:
                    return _contradiction(*pair, fitting)
                fitting = found
        return ""

    def _paired(self, pattern: Text, text: Text) -> Iterator[tuple[list[Pair], dict[str, Text]]]:
        """Yield the sizes that have to be equal, and what letters for matrices stand for."""
        match pattern, text:
            case Leaf(name, ()), _ if name in self.orders:
                for pairs in self._of_matrix(name, text):
                    yield pairs, {name: text}
            case Leaf(name, sizes), Leaf(other, others) if name == other and len(sizes) == len(
                others
            ):
                yield from self._sizes(sizes, others)
            case Ordered(name="prod"), Ordered(name="prod"):
                yield from self._products(pattern, text)
            case Applied(name, of), Applied(other, of_) if name == other:
                yield from self._paired(of, of_)
            case Ranged(name), Ranged(other) if (name, len(pattern.indices)) == (
                other,
                len(text.indices),
            ):
                yield self._ranged(pattern, text), {}
            case Defined(one, arguments), Defined(other, others) if one == other:
                yield self._arguments(arguments, others), {}
            case Variable(_, rows, columns), _ if pattern == text:
                yield from self._sizes((rows, columns), (rows, columns))
            case Ordered(name="sum"), _ if pattern == text:
                yield [], {}
            case (Scaled(by, i, of), Scaled(by_, j, of_)) if (by, i) == (by_, j):
                yield from self._paired(of, of_)
            case (Power(of, exponent), Power(of_, exponent_)):
                same = self._naturals((exponent,), (exponent_,))
                for pairs, matrices in self._paired(of, of_):
                    yield same + pairs, matrices
            case ((Product() | Kron() | DirectSum() | Added()), _) if type(pattern) is type(text):
                for row in _rows(pattern.parts, text.parts, type(pattern), self.orders):
                    yield from self._together(pattern.parts, row)

    def _products(
        self, pattern: Ordered, text: Ordered
    ) -> Iterator[tuple[list[Pair], dict[str, Text]]]:
        """Yield the same of two products over an index."""
        index = {pattern.index: nat(pattern.index)}
        own = {"of_rule": {**self.of_rule, **index}, "of_text": {**self.of_text, **index}}
        inner = replace(self, **own)
        bounds = self._naturals((pattern.first, pattern.last), (text.first, text.last))
        body = replaced(text.body, {text.index: Name(pattern.index)})
        for pairs, matrices in inner._paired(pattern.body, body):
            if not any(pattern.index in symbols(part) for part in matrices.values()):
                yield bounds + pairs, matrices

    def _together(
        self, patterns: Sequence[Text], parts: Sequence[Text]
    ) -> Iterator[tuple[list[Pair], dict[str, Text]]]:
        """Yield what fits several patterns at once."""
        choices = [list(self._paired(a, b)) for a, b in zip(patterns, parts, strict=True)]
        for chosen in product(*choices):
            matrices: dict[str, Text] = {}
            items = [item for _, own in chosen for item in own.items()]
            if all(matrices.setdefault(name, part) == part for name, part in items):
                yield [pair for pairs, _ in chosen for pair in pairs], matrices

    def _of_matrix(self, name: str, text: Text) -> Iterator[list[Pair]]:
        """Yield the order that has to be equal; nothing where a formula has none that is known."""
        with suppress(Inexpressible):
            yield [(monomial(self.orders[name], self.of_rule), order_of(text, self.of_text))]

    def _sizes(
        self, sizes: Sequence[Size], others: Sequence[Size]
    ) -> Iterator[tuple[list[Pair], dict[str, Text]]]:
        try:
            yield (
                [
                    (monomial(a, self.of_rule), monomial(b, self.of_text))
                    for a, b in zip(sizes, others, strict=True)
                ],
                {},
            )
        except Inexpressible:
            if sizes == others:
                yield [], {}

    def _ranged(self, pattern: Ranged, text: Ranged) -> list[Pair]:
        """Return the radices of the digits and the phases or targets, which have to be equal."""

        def read(one: Ranged, letters: Letters) -> tuple[list[Dim], Poly]:
            radices = [monomial(radix, letters) for _, radix in one.indices]
            digits = (Digit(f"d{i}", radix) for i, radix in enumerate(radices))
            own = zip((name for name, _ in one.indices), map(Poly.of, digits), strict=True)
            return radices, Translator({**letters, **dict(own)}).alpha(one.of)

        (radices, of), (others, of_) = read(pattern, self.of_rule), read(text, self.of_text)
        return [*zip(radices, others, strict=True), (of, of_)]

    def _arguments(self, sizes: Sequence[Size], others: Sequence[Size]) -> list[Pair]:
        """Return the arguments of a definition, which have to be equal: sizes, else naturals."""
        try:
            read = zip(sizes, others, strict=True)
            return [(monomial(a, self.of_rule), monomial(b, self.of_text)) for a, b in read]
        except Inexpressible:
            return self._naturals(sizes, others)

    def _naturals(self, sizes: Sequence[Size], others: Sequence[Size]) -> list[Pair]:
        return [
            (natural(a, self.of_rule), natural(b, self.of_text))
            for a, b in zip(sizes, others, strict=True)
        ]


def _rows(
    patterns: Sequence[Text], parts: Sequence[Text], kind: type, orders: Mapping[str, Any]
) -> Iterator[list[Text]]:
    """Yield the parts of a product in as many groups as a pattern has parts: a letter for a matrix
    takes neighbours together, any other pattern one part.
    """
    if not patterns:
        if not parts:
            yield []
        return
    spare = len(parts) - len(patterns)
    letter = (
        isinstance(patterns[0], Leaf) and patterns[0].name in orders and kind in (Product, Kron)
    )
    for count in range(1, spare + 2 if letter else 2):
        if count <= len(parts):
            for rest in _rows(patterns[1:], parts[count:], kind, orders):
                yield [joined(kind, tuple(parts[:count])) if letter else parts[0], *rest]


def _solved(pairs: Sequence[Pair], known: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what the letters of a rule stand for, so that both of each pair are equal."""
    found, waiting = dict(known), list(pairs)
    while True:
        left: list[Pair] = []
        before = dict(found)
        for pattern, actual in waiting:
            pattern = substitute(pattern, found)
            unknown = _unknown(pattern)
            if not unknown:
                if pattern != actual:
                    return
            elif value := _value(pattern, actual, unknown):
                found |= value
                left.append((pattern, actual))
            else:
                left.append((pattern, actual))
        waiting = left
        if not waiting:
            if all(map(_possible, found.values())):
                yield found
            return
        if found == before:
            break
    pattern, actual = waiting[0]
    powers = dict(pattern.powers) if type(pattern) is Dim else {}
    names = sorted(name for name in _unknown(pattern) if name in powers)
    for name in names[:1]:
        for divisor in _divisors(actual):
            yield from _solved(waiting, found | {name: divisor})


def _contradiction(pattern: Any, actual: Any, known: Mapping[str, Any]) -> str:
    """Return why a size of a rule, at letters that are known, is no given one, in words."""
    put = substitute(pattern, dict(known))
    if type(actual) is Poly:
        return f"{put} is not {actual}".replace(MARK, "")
    unknown = _unknown(put)
    said = f"{written(pattern)} is {written(actual)}"
    if not unknown:
        said += f", not {written(put)}"
    elif value := _value(put, actual, unknown):
        said += "".join(f", so {name} would be {written(v)}" for name, v in value.items())
    elif type(put) is Dim and unknown & dict(put.powers).keys():
        said += ", which is not a product of sizes above 1"
    else:
        said += f": give the value of {' or '.join(sorted(unknown))}"
    return said.replace(MARK, "")


def _unknown(value: Any) -> set[str]:
    return {name for name in free(value) if name.endswith(MARK)}


def _value(pattern: Any, actual: Any, unknown: set[str]) -> dict[str, Any]:
    """Return what the only letter of a size stands for, so that it is another; {} where that is
    not clear.
    """
    if len(unknown) != 1 or type(pattern) is Poly:
        return {}
    (name,) = unknown
    if type(pattern) is Nat:
        return _natural(name, pattern, actual)
    if dict(pattern.powers).get(name) == Nat.of(1):
        return {name: actual / (pattern / size(name))}
    powers = dict(actual.powers)
    for base, exponent in pattern.powers:
        if name in free(exponent):
            return _natural(name, exponent, powers.get(base, Nat.of(0)))
    return {}


def _natural(name: str, pattern: Nat, actual: Nat) -> dict[str, Any]:
    """Return the natural that makes c name + d = actual; {} where there is none."""
    c = dict(pattern.terms).get((name,), 0)
    rest = actual - (pattern - nat(name) * c)
    if c == 0 or name in free(rest) or any(k % c for _, k in rest.terms):
        return {}
    return {name: Nat(frozenset((names, k // c) for names, k in rest.terms))}


def _possible(value: Any) -> bool:
    """Return whether a size is whole, or a number natural, for some values of its symbols."""
    if type(value) is Nat:
        return not value.terms or any(c > 0 for _, c in value.terms)
    if type(value) is Poly:
        return True
    falls = [base for base, e in value.powers if not any(c > 0 for _, c in e.terms)]
    rises = any(type(base) is str and base not in falls for base, _ in value.powers)
    return not falls or rises


def _divisors(value: Dim) -> Iterator[Dim]:
    """Yield divisors of a size, itself and 1 not among them: for each base the powers with an
    exponent 0, 1, one less than the whole one, and that one.
    """
    choices = []
    for base, exponent in sorted(value.powers, key=lambda power: str(power[0])):
        constant = dict(exponent.terms).get((), 0) if len(exponent.terms) == 1 else 0
        some = (
            [Nat.of(e) for e in range(constant + 1)]
            if constant
            else [Nat.of(0), Nat.of(1), exponent - 1, exponent]
        )
        choices.append([Dim(frozenset({(base, e)})) if e else ONE for e in dict.fromkeys(some)])
    for powers in islice(product(*choices), MOST_DIVISORS):
        found = ONE
        for power in powers:
            found = found * power
        if found not in (ONE, value) and _possible(found) and _possible(value / found):
            yield found
