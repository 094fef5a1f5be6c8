"""Names that stand for two things: why a formula that reads as a pattern does not match it."""

from __future__ import annotations

from collections.abc import Iterator

from derive.text.definitions import stated
from derive.text.syntax import Defined, Leaf, Ordered, Text, Variable
from proofs.derivations.matching import Matcher, Pair
from proofs.derivations.size_products import monomial, order_of
from proofs.prove.translation.divisibility import Inexpressible


class Namesakes(Matcher):
    """Compares as a Matcher does, and takes one name for one thing: where that is wrong, a sentence
    stands after None in place of the sizes that have to be equal.
    """

    def difference(self, pattern: Text, text: Text) -> str:
        """Return the first name that stands for two things, in words; "" for none."""
        found = (pair for pairs, _ in self._paired(pattern, text) for pair in pairs)
        return next((str(why) for size, why in found if size is None), "")

    def _paired(self, pattern: Text, text: Text) -> Iterator[tuple[list[Pair], dict[str, Text]]]:
        letter = isinstance(pattern, Leaf) and pattern.name in self.orders
        if not letter and (why := _difference(pattern, text)):
            yield [(None, why)], {}
        else:
            yield from super()._paired(pattern, text)

    def _of_matrix(self, name: str, text: Text) -> Iterator[list[Pair]]:
        try:
            yield [(monomial(self.orders[name], self.of_rule), order_of(text, self.of_text))]
        except Inexpressible as error:
            yield [(None, f"{name} in a rule stands for a square matrix: {error}")]


def _difference(pattern: Text, text: Text) -> str:
    """Return that two nodes of one name are not the same, in words; "" where they are."""
    if isinstance(pattern, Ordered) and isinstance(text, Ordered):
        summed = pattern.name == text.name == "sum" and pattern != text
        return "a sum must have the same sizes in the rule and in the formula" * summed
    name = _name(pattern)
    if name != _name(text) or not name:
        return ""
    one, other = _meaning(pattern), _meaning(text)
    return "" if one == other else f"{name} is {one} in the rule, and {other} in the formula"


def _name(text: Text) -> str:
    match text:
        case Leaf(name) | Variable(name):
            return name
        case Defined(definition):
            return definition.name
    return ""


def _meaning(text: Text) -> str:
    match text:
        case Variable(_, rows, columns):
            return f"{rows} x {columns}"
        case Defined(definition):
            return repr(stated(definition).removesuffix("; "))
    return "the built-in matrix"
