"""Matrices with a name: a row for each, from which texts, LaTeX, sympy and proofs have it.

A row is a class or a function with the name that a text has for the matrix, such as L in L(8, 2),
and the sizes as its parameters. A class of `Leaf` adds how it prints and what defines it, as a text
in which its parameters are symbols. What is not said there, such as a faster action, follows from
the definition.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from inspect import Parameter as Of
from inspect import signature
from math import prod
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, TypeVar

from derive.formula.values import Formula
from derive.lazy import lazily
from derive.sizes import divide, subscript, superscript
from derive.text.expressions import Node, Number

_matrices = lazily("derive.text.text_matrices")
Maker = TypeVar("Maker", bound=Callable[..., Formula])

MATRICES: dict[str, Callable[..., Formula]] = {}
"""The matrices that a text may name; each is made of its sizes."""
ALIASES: dict[str, str] = {}
"""Their names by the letters as which they print, where these are others."""
SORTS = {"Alpha": "real", "Exponent": "natural"}
"""What a parameter is by its annotation: a size otherwise."""


class Parameter(NamedTuple):
    """A parameter of a matrix: its name as in "n", "alpha?" or "columns..", and its sort, a size, a
    natural or a real number.
    """

    shown: str
    sort: str


class Row(NamedTuple):
    """What a row says: the letter, that of LaTeX, the names of the sizes below it, "_", and above
    it, "^", the size that is the number of rows, quotients that are integers, the definition, and
    whether what it does is known without that.
    """

    letter: str = ""
    tex: str = ""
    marks: dict[str, list[str]] = {}  # noqa: RUF012  no row changes it
    order: str = ""
    whole: tuple[str, ...] = ()
    means: str = ""
    known: bool = False


NO_ROW = Row()


def named(maker: Maker) -> Maker:
    """Add a matrix to those that a text may name."""
    MATRICES[maker.__name__] = maker
    return maker


@cache
def _parameters(maker: Callable[..., Formula]) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(
            one.name + ".." * (one.kind is Of.VAR_POSITIONAL) + "?" * (one.default is not Of.empty),
            SORTS.get(one.annotation, "size"),
        )
        for one in signature(maker).parameters.values()
        if one.kind is not Of.KEYWORD_ONLY
    )


def parameters(name: str, count: int = 1) -> tuple[Parameter, ...]:
    """Return the parameters of a matrix; of one with any number of them, so many.

    >>> from derive.formula import named_matrices
    >>> [", ".join(one.shown for one in parameters(name, 2)) for name in ("bits", "B", "L")]
    ['columns.., columns..', 'K, alpha?', 'N, r']
    """
    found = _parameters(MATRICES[name])
    return found * count if found[0].shown.endswith("..") else found


def row_of(name: str) -> Row:
    """Return the row of a matrix, one without a letter for those that print as they are typed."""
    found: Row = getattr(MATRICES[name], "_row", NO_ROW)
    return found


class Leaf(Formula):
    """A matrix that prints as a letter with some of its fields below, and one above it.

    form: the letter and their names, as in "A_K,N^alpha"; order: the field that is its number of
    rows; whole: quotients of sizes that are integers, as in "p/u k*u/2"; tex: the letter in LaTeX,
    where it is another one; means: the text that defines it; known: whether its action and its
    measures are known without that. Raises ValueError where such a quotient is no integer.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ("name", "sizes")
    _row: ClassVar[Row]

    def __init_subclass__(
        cls,
        form: str,
        order: str,
        whole: str = "",
        tex: str = "",
        means: str = "",
        known: bool = False,
    ) -> None:
        super().__init_subclass__()
        letter, *split = re.split("([_^])", form)
        pairs = zip(split[::2], split[1::2], strict=True)
        marks = {mark: names.split(",") for mark, names in pairs}
        cls._row = Row(letter, tex or letter, marks, order, tuple(whole.split()), means, known)
        if order:
            cls.size = property(attrgetter(order), doc="The number of rows.")  # type: ignore[assignment]
        if letter:
            named(cls)
        if letter not in ("", cls.__name__):
            ALIASES[letter] = cls.__name__

    def __post_init__(self) -> None:
        super().__post_init__()
        for quotient in () if self.typed else self._row.whole:
            reduce(divide, map(self._product, quotient.split("/")))

    @property
    def name(self) -> str:
        """The name that a text has for the matrix."""
        return type(self).__name__

    @property
    def sizes(self) -> tuple[Any, ...]:
        """The arguments; an alpha that is 0 is left out."""
        given = tuple(getattr(self, x) for x in self.__match_args__)
        return given[:-1] if self.__match_args__[-1] == "alpha" and given[-1] == 0 else given

    @property
    def typed(self) -> bool:
        return isinstance(getattr(self, self.__match_args__[0]), Node)

    def _product(self, text: str) -> Any:
        return prod(int(x) if x.isdecimal() else getattr(self, x) for x in text.split("*"))

    @property
    def definition(self) -> Any:
        """The formula that the text of its row says; None where it has none, or needs none."""
        if self._row.known or not self._row.means:
            return None
        return _defined(self.name, *(getattr(self, x) for x in self.__match_args__))

    def __str__(self) -> str:
        if self.typed or not self._row.letter:
            return super().__str__()
        marks = [_PRINTED[mark](*beside(self, mark)) for mark in self._row.marks]
        return self._row.letter + "".join(marks)


@dataclass(frozen=True)
class Called(Leaf, form="", order=""):
    """A matrix that no class is for, by a name and what was typed in parentheses: one of numbers,
    such as bits(1, 3, 6), or a letter.
    """

    called: str
    given: tuple[Any, ...]

    @property
    def name(self) -> str:
        return self.called

    @property
    def sizes(self) -> tuple[Any, ...]:
        return self.given

    @property
    def typed(self) -> bool:
        return not self.given or any(isinstance(size, Node) for size in self.given)

    @property
    def size(self) -> Any:
        match self.called:
            case "bits":
                return Number(2 ** len(self.given))
            case "sqrt":
                return Number(1)
        return self.given[0] - 1 if self.called == "powers" else self.given[0]


def leaf(name: str, *sizes: Any, column: int = 0) -> Leaf:
    """Return a matrix by its name and sizes as they were typed.

    >>> from derive.text.expressions import Name
    >>> print(leaf("F", Name("n")))
    F(n)
    """
    kind = MATRICES[name]
    if isinstance(kind, type) and issubclass(kind, Leaf):
        return kind(*sizes, column=column)
    return Called(name, sizes, column=column)


@lru_cache(1024)
def _defined(name: str, *sizes: Any) -> Any:
    return _matrices.defined_at(name, sizes)


def beside(leaf: Leaf, mark: str) -> list[Any]:
    """Return what stands below the letter, for "_", or above it, for "^"."""
    return [getattr(leaf, name) for name in leaf._row.marks.get(mark, ())]


_PRINTED: dict[str, Callable[..., str]] = {"_": subscript, "^": superscript}
