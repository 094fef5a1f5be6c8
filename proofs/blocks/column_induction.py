"""Induction on the number of columns of a matrix over GF(2). Trusted; standard library only.

rule = Elimination(...)                    a loop over the columns, proved by induction
part = Obtained(rule, sizes, letters)      what it gives at a matrix
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from proofs.blocks.block_matrices import (
    Equation,
    Letter,
    Matrix,
    Relation,
    Sizes,
    Sum,
    Word,
    identity,
    letter,
    one,
    summed,
    zeros,
)
from proofs.kernel.sealed import need, sealed


def zero_sum(r: Relation) -> Sum:
    """Return word + value, which is 0."""
    return Sum(r.value.rows, r.value.cols, frozenset({r.word})) + r.value


def at(a: Sum, sizes: Mapping[str, Sizes], values: Mapping[str, Matrix]) -> Matrix:
    """Return a sum with matrices put for its letters, and several sizes, or none, for a size."""

    def value(x: Letter) -> Matrix:
        rows, cols = sizes.get(x.rows, (x.rows,)), sizes.get(x.cols, (x.cols,))
        if x.name not in values and rows and cols:
            need(
                (rows, cols) == ((x.rows,), (x.cols,)),
                f"{x.name} has a size that changes, and no value",
            )
            return Matrix(rows, cols, ((letter(x.name, x.rows, x.cols),),))
        found = values.get(x.name, zeros(rows, cols))
        need((found.rows, found.cols) == (rows, cols), f"{found} is not a value for {x.name}")
        return found

    total = zeros(sizes.get(a.rows, (a.rows,)), sizes.get(a.cols, (a.cols,)))
    for word in a.words:
        product = identity(total.rows)
        for x in word:
            product = product * value(x)
        total = total + product
    return total


@sealed
class Case:
    """The additions to a column if a relation holds: new sizes, and matrices for the state."""

    relation: Relation
    sizes: tuple[tuple[str, tuple[str, ...]], ...]
    state: tuple[tuple[str, Matrix], ...]


@sealed
class Elimination:
    """For every matrix C there is a state such that the relations `kept` hold, by induction on the
    columns of C.

    given |- kept[no columns]          given, kept, w = 0 |- kept[C := [v, C], state := zero.state]
    ----  there is a state with kept   given, kept, row w = 1 |- kept[C := [v, C], state := unit.state]

    for a column v of any values and w, the residual, made of it: a column over GF(2) is 0, or some
    row of the identity has the product 1 with it. `grown` are the sizes that are 0 at the start.
    `chosen` are pairs of a letter whose columns are columns of the identity and its transpose.
    Refused: a relation that does not follow, a value of another shape, v or the row in `given` or
    `kept`, a letter that only some cases change, a size that grows in `given`.
    """  # noqa: E501

    visited: Letter
    column: Letter
    row: Letter
    residual: Sum
    given: tuple[Relation, ...]
    kept: tuple[Relation, ...]
    grown: tuple[str, ...]
    start: tuple[tuple[str, Matrix], ...]
    zero: Case
    unit: Case
    chosen: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        self._letters_are_apart()
        self._cases_are_all()
        self._kept(dict.fromkeys(self.grown, ()), dict(self.start), self.given)
        for case in (self.zero, self.unit):
            self.more(case)
            self._grows(case)

    def _letters_are_apart(self) -> None:
        """Refuse a column, a row, a residual or sizes that are not any, or not of their shapes."""
        C, v, row, grown = self.visited, self.column, self.row, {*self.grown}
        given = [zero_sum(r) for r in self.given]
        known = {*shapes((letter(C.name, C.rows, C.cols), *given, *map(zero_sum, self.kept)))}
        need(
            not {v.name, row.name} & known and v.name != row.name,
            f"{v.name} and {row.name} are any column and row",
        )
        need(
            row.name not in {x.name for x in letters([self.residual])},
            f"{row.name} is any row, and the residual does not depend on it",
        )
        need(
            (v.rows, v.cols, row.rows, row.cols) == (C.rows, "1", "1", C.rows),
            f"{v.name} is a column, {row.name} a row",
        )
        need(
            C.cols in grown and not {C.rows, "1"} & grown,
            "the number of columns grows, that of rows does not",
        )
        need(
            not {C.name, *self.state} & {x.name for x in letters(given)},
            "what is given is not of the state",
        )
        need(
            not sizes_of(given) & grown,
            "what is given has no size that grows: it holds with every number of columns",
        )

    def _cases_are_all(self) -> None:
        """Refuse another start, and cases other than w = 0 and row w = 1."""
        v, row, w = self.column, self.row, self.residual
        need(
            dict(self.start).keys() <= self.state == dict(self.unit.state).keys(),
            "both cases make all of the state, and nothing else is made",
        )
        need(
            all(
                {x.rows, x.cols} <= {*self.grown} and x.name not in dict(self.start)
                for x in self._chosen()
            ),
            "what is chosen is empty at the start",
        )
        need(zero_sum(self.zero.relation) == w, "the first case is that the residual is 0")
        product = letter(row.name, "1", v.rows) * w
        need(
            zero_sum(self.unit.relation) == product + one("1"), "the second case is that it has a 1"
        )

    def _chosen(self) -> list[Letter]:
        """Return the letters of which the columns are columns of the identity, and their rows."""
        pairs = {name for pair in self.chosen for name in pair}
        return [x for x in letters(map(zero_sum, self.kept)) if x.name in pairs]

    def _grows(self, case: Case) -> None:
        """Refuse a case that does more than put a column before the others."""
        sizes, values = dict(case.sizes), dict(case.state)
        need(sizes.keys() <= {*self.grown}, "a size that is not 0 at the start is fixed")
        need(
            sizes[self.visited.cols] == ("1", self.visited.cols),
            "a column is put before the others",
        )
        need(self.visited.name not in values, "the matrix is not a part of the state")
        for name, transposed in self.chosen:
            need(
                is_chosen(name, transposed, values[name], values[transposed], self._chosen()),
                f"{name} or its transpose is not made of columns of the identity",
            )

    def more(self, case: Case) -> tuple[Equation, ...]:
        """Return what is kept with a column more, in this case."""
        left, right = (letter(x.name, x.rows, x.cols) for x in (self.column, self.visited))
        longer = Matrix((left.rows,), ("1", right.cols), ((left, right),))
        return self._kept(
            {name: (name,) for name in self.grown} | dict(case.sizes),
            dict(case.state) | {self.visited.name: longer},
            (*self.given, *self.kept, case.relation),
        )

    def _kept(
        self, sizes: Mapping[str, Sizes], values: Mapping[str, Matrix], given: tuple[Relation, ...]
    ) -> tuple[Equation, ...]:
        words = (Sum(r.value.rows, r.value.cols, frozenset({r.word})) for r in self.kept)
        sides = [
            (at(word, sizes, values), at(r.value, sizes, values), str(r))
            for word, r in zip(words, self.kept, strict=True)
        ]
        return tuple(Equation(left, right, given, name) for left, right, name in sides)

    def __str__(self) -> str:
        return (
            f"for every {self.visited.name} there are {', '.join(sorted(self.state))} with "
            + ", ".join(map(str, self.kept))
        )

    @property
    def state(self) -> frozenset[str]:
        """The letters of which there are values."""
        return frozenset(name for name, _ in self.zero.state)


def is_chosen(
    name: str, transposed: str, value: Matrix, other: Matrix, known: Iterable[Letter]
) -> bool:
    """Return whether block columns have one block, I or the letter; `other` is the transpose."""

    def kind(a: Sum, name: str) -> str:
        if a.words in [frozenset({(x,)}) for x in known if x.name == name]:
            return "letter"
        return "0" if not a.words else "I" if a.words == {()} else "other"

    kinds = [[kind(a, name) for a in row] for row in value.blocks]
    back = [[kind(a, transposed) for a in row] for row in other.blocks]
    turned = [[row[j] for row in kinds] for j in range(len(value.cols))]
    return turned == back and all(
        [x for x in column if x != "0"] in (["I"], ["letter"]) for column in turned
    )


@sealed
class Obtained:
    """A rule at a matrix: its letters and sizes renamed, "" for a size that is 0. The letters of
    the state become new ones.
    """

    rule: Elimination
    sizes: tuple[tuple[str, str], ...]
    letters: tuple[tuple[str, str], ...]

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relations that are obtained."""
        return tuple(self._renamed(self.rule.kept))

    @property
    def needed(self) -> tuple[Relation, ...]:
        """The relations that must be known."""
        return tuple(self._renamed(self.rule.given))

    @property
    def new(self) -> frozenset[str]:
        """The names of letters and sizes that must be new."""
        return frozenset(self._names(True))

    def __post_init__(self) -> None:
        new, sizes = self._names(True), dict(self.sizes)
        need(
            len({*new}) == len(new) and not {*new} & {*self._names(False)},
            f"{', '.join(sorted(new))} are not new names, each used once",
        )
        need(
            sizes.get("1", "1") == "1" and "1" not in new,
            "1 is the size 1, and none that is obtained",
        )
        need(all(sizes.get(x, x) for x in self._grown()), "a size that is obtained may be any")

    def _grown(self) -> set[str]:
        """Return the sizes that are obtained."""
        return {*self.rule.grown} - {self.rule.visited.cols}

    def _names(self, new: bool) -> list[str]:
        """Return the names of letters and sizes that are obtained, or are obtained for."""
        sizes, names = dict(self.sizes), dict(self.letters)
        grown, state = self._grown(), self.rule.state
        there = letters(zero_sum(r) for r in (*self.rule.given, *self.rule.kept))
        kept = {x.name for x in there if sizes.get(x.rows, x.rows) and sizes.get(x.cols, x.cols)}
        both = {size for x in there for size in (x.rows, x.cols)}
        found = [sizes.get(x, x) for x in sorted(both) if (x in grown) == new]
        return [names.get(x, x) for x in sorted(kept) if (x in state) == new] + [
            x for x in found if x
        ]

    def _renamed(self, relations: Iterable[Relation]) -> Iterator[Relation]:
        sizes, names = dict(self.sizes), dict(self.letters)

        def size(x: str) -> str:
            return sizes.get(x, x)

        def word(found: Word) -> Word:
            return tuple(
                Letter(names.get(x.name, x.name), size(x.rows), size(x.cols)) for x in found
            )

        def empty(found: Word) -> bool:
            return any(not x.rows or not x.cols for x in found)

        for r in relations:
            rows, cols = size(r.value.rows), size(r.value.cols)
            if not rows or not cols:
                continue
            need(not empty(word(r.word)), f"{r} is a product over nothing")
            words = (word(found) for found in r.value.words)
            yield Relation(
                word(r.word),
                summed(rows, cols, (found for found in words if not empty(found))),
                "induction on the columns",
            )

    def __str__(self) -> str:
        return ", ".join(map(str, self.relations))


def letters(sums: Iterable[Sum]) -> set[Letter]:
    """Return the letters of sums."""
    return {x for a in sums for word in a.words for x in word}


def sizes_of(sums: Iterable[Sum]) -> set[str]:
    """Return the sizes of sums and of their letters."""
    found = [*sums]
    both = [(x.rows, x.cols) for x in found] + [(x.rows, x.cols) for x in letters(found)]
    return {size for sizes in both for size in sizes}


def shapes(found: Iterable[Sum]) -> dict[str, tuple[str, str]]:
    """Return the shapes of the letters of sums by name; refused: one name with two shapes."""
    by_name: dict[str, tuple[str, str]] = {}
    for x in letters(found):
        both = sorted((by_name.setdefault(x.name, (x.rows, x.cols)), (x.rows, x.cols)))
        need(both[0] == both[1], f"{x.name} is {' and '.join(map(' x '.join, both))}")
    return by_name
