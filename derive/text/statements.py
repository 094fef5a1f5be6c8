"""Equations with what stands before them: definitions, matrix variables with their sizes, and
symbols that are sizes.

    equation   = { ( definition | sizes ) ";" } sum "=" sum
    definition = "let" NAME "(" SYMBOL { "," SYMBOL } ")" "=" sum { "," last "=" sum }
    last       = NAME "(" the symbols, one of them a NUMBER ")"
    sizes      = letters { "," letters }
    letters    = NAME { "," NAME } ":" ( size "x" size | "size" )

A definition may speak of itself where it has a last case, let W(n) = F(2) (x) W(n-1), W(0) = I(1),
or several, let V(n) = F(4) (x) V(n-2), V(0) = I(1), V(1) = F(2). Its other parameters stay as they
are, let Q(r, n) = F(r) (x) Q(r, n-1), Q(r, 0) = I(1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise

from derive.formula.named_matrices import ALIASES, MATRICES
from derive.text.definitions import again_in, declared, defined_in, last_case
from derive.text.expressions import FormulaError, Name, Number, Operation, Size
from derive.text.syntax import (
    Defined,
    Definition,
    Ordered,
    Ranged,
    Sides,
    Text,
    Variable,
    leaf,
    symbols,
)
from derive.text.text_grammar import KEYWORDS, Parser
from derive.text.tokens import OPERATORS, Token


class Statements(Parser):
    """Reads equations; a method for each rule of the grammar. What `known` texts define and declare
    is known here, unless it is stated again.
    """

    def __init__(self, text: str, known: Iterable[Text] = ()) -> None:
        super().__init__(text)
        self.known = tuple(known)

    def equation(self) -> Sides:
        """Read an equation, and before it the sizes of matrix variables."""
        while self.next.kind == "name" and self.tokens[self.at + 1].kind != "end":
            if self.skip("let"):
                self.definition()
            elif self.tokens[self.at + 1].text in (":", ","):
                self.sizes()
            else:
                break
        own = {*self.letters}
        self.take_known()
        left = self.sum()
        self.want("=", "between the sides of an equation")
        right = self.sum()
        self.end()
        found = Sides(left, right)
        used = {one.name for side in (left, right) for one in _variables(side)}
        self.letters = {x: one for x, one in self.letters.items() if x in own | used}
        self.need_own_names(found)
        return found

    def take_known(self) -> None:
        """Take the definitions, the matrix variables and the symbols that are sizes of texts that
        are known; a name before a parenthesis is that of no variable.
        """
        self.declared |= {x for text in self.known for x in declared(Sides(text, text))}
        called = {a.text for a, b in pairwise(self.tokens) if b.text == "("}
        for one in (one for text in self.known for one in defined_in(text)):
            if isinstance(one, Defined) and one.by.name not in self.letters:
                self.definitions.setdefault(one.by.name, one.by)
            elif isinstance(one, Variable) and one.name not in {*self.definitions} | called:
                self.letters.setdefault(one.name, one)

    def sizes(self) -> None:
        """Read the sizes of matrix variables: A, B : m x n, C : n x n;."""
        named = [self.letter()]
        while self.skip(","):
            named.append(self.letter())
        self.want(":", "and the size m x n of a matrix variable")
        if self.next.text == "size" and self.tokens[self.at + 1].text != "x":
            self.take()
            self.declared |= {word.text for word in named}
            self.want(";", "after symbols that are sizes")
            return
        rows = self.size()
        self.want("x", "between the numbers of rows and columns")
        columns = self.size()
        for word in named:
            found = Variable(word.text, rows, columns, column=word.column)
            if found != self.letters.setdefault(word.text, found):
                raise FormulaError(
                    f"column {word.column}: {found.declaration} and"
                    f" {self.letters[word.text].declaration}: a matrix variable has one size"
                )
        if not self.skip(","):
            self.want(";", "after the sizes of matrix variables")

    def definition(self) -> None:
        """Read G(n) = A;, or W(n) = A, W(0) = C;, which may speak of itself."""
        word = self.letter("the name of a matrix")
        if word.text in (*MATRICES, *ALIASES):
            raise FormulaError(
                f"column {word.column}: {word.text} is a built-in matrix; choose another name, such"
                " as G"
            )
        self.want("(", f"after {word.text}")
        given = self.inside(partial(self.listed, self.subscripted, ","), "after the parameters")
        names = tuple(one.name for one in given)
        if (
            word.text in self.definitions
            or word.text in self.letters
            or len({word.text, *names}) <= len(names)
        ):
            raise FormulaError(
                f"column {word.column}: {word.text}({', '.join(names)}): a definition has a name of"
                " its own, and parameters that differ"
            )
        self.want("=", f"in the definition of {word.text}")
        outside, self.declared = self.declared, self.declared - {*names}
        self.head = Definition(word.text, names, leaf("I", Number(1)))
        body = self.sum()
        found = Definition(word.text, names, body)
        while self.skip(","):
            found = self.with_base(found)
        self.head, self.declared = None, outside
        self.want(";", "after a definition")
        need_well_founded(found)
        self.definitions[word.text] = found

    def with_base(self, of: Definition) -> Definition:
        """Read W(0) = C, and return a definition with this last case."""
        for mark in (of.name, "("):
            self.want(mark, f"in the last case {last_case(of)} = ... of the definition")
        sizes = self.inside(partial(self.listed, self.size, ","), "after a number")
        self.want("=", f"in the last case of {of.name}")
        at, last = self.last(of, sizes)
        return replace(of, bases=(*of.bases, (last, self.sum())), at=at)

    def last(self, head: Definition, sizes: tuple[Size, ...]) -> tuple[int, int]:
        """Return which parameter a last case has a number for, and this number."""
        known = [last for last, _ in head.bases]
        for at, number in enumerate(sizes):
            if isinstance(number, Number) and at in ([head.at] if known else range(len(sizes))):
                if number.value in known:
                    raise FormulaError(
                        f"column {sizes[0].column}: {head.name} has two last cases at {number}"
                    )
                others = (*map(Name, head.parameters[:at]), *map(Name, head.parameters[at + 1 :]))
                if sizes[:at] + sizes[at + 1 :] == others:
                    return at, number.value
        raise FormulaError(
            f"column {sizes[0].column}: {head.name}({', '.join(map(str, sizes))}): the last case of"
            f" {head.head} has a number for one parameter, and the others as they are"
        )

    def letter(self, what: str = "the name of a matrix variable") -> Token:
        """Read a name of one's own for a matrix; i is the imaginary unit."""
        if self.next.kind != "name" or self.next.text in (*OPERATORS, *KEYWORDS, "i"):
            raise self.error(what)
        return self.take()

    def need_own_names(self, found: Sides) -> None:
        """Raise FormulaError where a name stands for two things: a matrix, a size, and the index of
        a prod or a sum.
        """
        columns = {name: one.column for name, one in self.letters.items()}
        of_letters = {x for one in self.letters.values() for x in symbols(one)}
        for name in sorted(self.own_names & self.letters.keys()):
            raise FormulaError(f"column {columns[name]}: {name} is a matrix variable and defined")
        for name, column in columns.items():
            if name in found.symbols | of_letters:
                raise FormulaError(f"column {column}: {name} is a matrix variable and a size")
            if name in self.indices:
                raise FormulaError(f"column {column}: {name} is a matrix variable and an index")
        for name in sorted(of_letters & self.indices):
            raise FormulaError(f"{name} is the index of a prod and in a size of a matrix variable")


def _variables(text: Text) -> Iterator[Variable]:
    """Yield the matrix variables of a text."""
    yield from (one for one in defined_in(text) if isinstance(one, Variable))


def need_one_meaning(text: Text) -> None:
    """Raise FormulaError where a name stands for two things in a text: matrices, or a matrix
    variable and a size or an index.

    >>> from derive.text.parse import parse_formula
    >>> from derive.text.syntax import DirectSum
    >>> A, B = (parse_formula("A", f"A : {size}; ") for size in ("2 x 2", "m x 2"))
    >>> need_one_meaning(DirectSum((A, B)))
    Traceback (most recent call last):
    derive.text.expressions.FormulaError: A (+) A: A stands for two things: rename one of them
    """
    variables = {x.name for x in _variables(text)}
    matrices = {
        (x.by.name, x.by) if isinstance(x, Defined) else (x.name, x.declaration)
        for x in defined_in(text)
    }
    sizes = symbols(text) | {index for _, index in _indices(text)}
    found = Counter([*(name for name, _ in matrices), *(variables & sizes)])
    if twice := sorted(name for name, count in found.items() if count > 1):
        raise FormulaError(f"{text}: {twice[0]} stands for two things: rename one of them")


def need_well_founded(definition: Definition) -> None:
    """Raise FormulaError where a definition has symbols that are no parameters, or does not come
    down to its last case.

    >>> from derive.text.parse import parse
    >>> parse("let W(n) = F(2) (x) W(n+1), W(0) = I(1); W(2) = W(2)")
    Traceback (most recent call last):
    derive.text.expressions.FormulaError: column 21: W(n+1) in the definition of W(n) does not come down to W(0): it has n-c or n/c for n, c a number
    """  # noqa: E501
    parameters = definition.parameters
    for text in (definition.body, *(base for _, base in definition.bases)):
        if hidden := symbols(text) - {*parameters}:
            raise FormulaError(
                f"column {text.column}: {', '.join(sorted(hidden))} must be a parameter of"
                f" {definition.head}"
            )
        for one in _variables(text):
            if symbols(one):
                raise FormulaError(
                    f"column {one.column}: {one.declaration} in the definition of"
                    f" {definition.head}: a matrix variable has numbers as its sizes there"
                )
        for node, index in _indices(text):
            if index in parameters:
                raise FormulaError(
                    f"column {node.column}: the index {index} of {node.name} hides the parameter"
                    f" {index} of {definition.head}: give it another name"
                )
    _need_last_case(definition)


def _indices(text: Text) -> Iterator[tuple[Ordered | Ranged, str]]:
    """Yield the products, sums, diagonals and permutations of a text with their indices."""
    if isinstance(text, Ordered | Ranged):
        names = [text.index] if isinstance(text, Ordered) else sorted(text.bound)
        yield from ((text, name) for name in names)
    for part in text.parts:
        yield from _indices(part)


def _need_last_case(definition: Definition) -> None:
    bases, at, head = definition.bases, definition.at, definition.head
    calls = list(again_in(definition.body))
    if not bases and calls:
        names = map(Name, definition.parameters)
        changed = [one != name for one, name in zip(calls[0].arguments, names, strict=True)]
        last = last_case(replace(definition, at=(*changed, True).index(True) % len(changed)))
        raise FormulaError(
            f"column {calls[0].column}: the definition of {head} is recursive and has no base case;"
            f" add ', {last} = ...'"
        )
    for number, base in bases:
        if [*again_in(base)] or not calls:
            raise FormulaError(
                f"column {base.column}: only a recursive definition has a base case; remove"
                f" {last_case(definition, number)} = ..."
            )
    own = definition.parameters[at]
    for call in calls:
        kept = last_case(definition).arguments
        others = call.arguments[:at] + call.arguments[at + 1 :] == kept[:at] + kept[at + 1 :]
        if not others or not _comes_down(call.arguments[at], own):
            raise FormulaError(
                f"column {call.column}: {call} in the definition of {head} does not come down to"
                f" {last_case(definition)}: it has {own}-c or {own}/c for {own}, c a number"
                + (", and the other parameters as they are" if len(kept) > 1 else "")
            )


def _comes_down(size: Size, parameter: str) -> bool:
    match size:
        case Operation("-", Name(name), Number(c)):
            return name == parameter and c >= 1
        case Operation("/", Name(name), Number(c)):
            return name == parameter and c >= 2
    return False
