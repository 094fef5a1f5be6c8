"""What matrices with a name mean: the texts by which their rows define them (derive.formula.leaves),
at sizes as they are written, and at values of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from derive.formula.grammar import Formula
from derive.formula.leaves import MATRICES, Leaf, parameters
from derive.text.elaborate import formula
from derive.text.expressions import Number, Size, rebuilt, size_replaced
from derive.text.parse import parse_formula
from derive.text.sizes import Reader
from derive.text.syntax import Applied, Beside, Ranged, Text, Times, parts_of, replaced
from derive.text.syntax import Leaf as LeafText

PERMUTATIONS = ("I", "L", "R", "J", "bits", "xor", "powers")
"""The permutations that have no definition."""
_parsed = cache(parse_formula)


@cache
def _size(text: str) -> Size:
    return Reader(text).size()


def _names(kind: str) -> list[str]:
    return [one.shown.removesuffix("?") for one in parameters(kind)]


def at(kind: type[Leaf], values: Sequence[Any]) -> Formula:
    """Return the definition of a matrix at values of its sizes, integers or expressions.

    >>> from derive.formula.transforms import D
    >>> print(at(D, (8, 0)))
    B_8 (I_2 ⊗ B_4)
    """
    return formula(_parsed(kind.means), dict(zip(_names(kind.__name__), values, strict=True)))


def meant(leaf: LeafText) -> Text | None:
    """Return the definition of a matrix at its sizes; None where its row has none.

    >>> print(meant(parse_formula("Gamma(u, r*u, N)")))
    I(r*u/u) (x) S(u, N/(r*u)*u)
    """
    means = getattr(MATRICES[leaf.name], "means", "")
    if not means:
        return None
    names = _names(leaf.name)
    sizes = (*leaf.sizes, *[Number(0)] * (len(names) - len(leaf.sizes)))
    found: Text = replaced(_parsed(means), dict(zip(names, sizes, strict=True)))
    return _placed(found, leaf.column)


@cache
def permutes(kind: type[Leaf]) -> bool:
    """Return whether a matrix is defined by permutations alone.

    >>> from derive.formula.permutation_matrices import Gamma
    >>> from derive.formula.transforms import A
    >>> permutes(Gamma), permutes(A)
    (True, False)
    """
    return bool(kind.means) and _permutes(_parsed(kind.means))


def _permutes(text: Text) -> bool:
    match text:
        case LeafText(name):
            return name in PERMUTATIONS or permutes(MATRICES[name])  # type: ignore[arg-type]
        case Ranged(name):
            return name == "perm"
        case Times() | Beside() | Applied():
            return all(map(_permutes, parts_of(text)))
    return False


def quotients(leaf: LeafText) -> list[Size]:
    """Return the quotients of the sizes of a matrix that are integers.

    >>> [str(each) for each in quotients(parse_formula("A(2*h, 4*h)"))]
    ['4*h/(2*h)', '2*h/2']
    """
    sizes = dict(zip(_names(leaf.name), leaf.sizes, strict=False))
    whole = getattr(MATRICES[leaf.name], "whole", ())
    return [_placed(size_replaced(_size(one), sizes), leaf.column) for one in whole]


def _placed(part: Any, column: int) -> Any:
    """Return a text of which every node stands in this column."""
    new = rebuilt(part, lambda size: _placed(size, column), lambda one: _placed(one, column))
    return replace(new, column=column)
