"""Block algebra over any number of columns: the rules that make and join facts. Trusted; standard
library only.

    part = Assumed(relations) | Equation | Chain(equations) | Obtained(rule, sizes, letters) |
    Invertible(matrix, inverse, given)
           | SameSize(old, new, first, second) | Fibres(map, pairs, parts, basis, left_inverse,
           given)
    rule = Elimination(...)     a loop over the columns of a matrix, proved by induction on their number

A derivation is a list of parts. A part may use a relation only if a part before it assumes or
proves it, whichever side of it is the word. What does not follow is refused when it is built.
"""  # noqa: E501

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from proofs.blocks.matrices import (
    Equation,
    Letter,
    Matrix,
    Relation,
    Sizes,
    Sum,
    Word,
    identity,
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
            return Matrix(rows, cols, ((Sum(x.rows, x.cols, frozenset({(x,)})),),))
        found = values.get(x.name, zeros(rows, cols))
        need((found.rows, found.cols) == (rows, cols), f"{found} is no value for {x.name}")
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
    """What a column more does where a relation holds: new sizes and matrices for the letters of the
    state.
    """

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
        v, row, w = self.column, self.row, self.residual
        visited = Sum(self.visited.rows, self.visited.cols, frozenset({(self.visited,)}))
        known = set(shapes((visited, *(zero_sum(r) for r in (*self.given, *self.kept)))))
        need(
            not {v.name, row.name} & known and v.name != row.name,
            f"{v.name} and {row.name} are any column and row",
        )
        need(
            row.name not in {x.name for x in letters([w])},
            f"{row.name} is any row, and the residual does not depend on it",
        )
        need(
            (v.rows, v.cols, row.rows, row.cols)
            == (self.visited.rows, "1", "1", self.visited.rows),
            f"{v.name} is a column, {row.name} a row",
        )
        need(
            self.visited.cols in self.grown and not {self.visited.rows, "1"} & {*self.grown},
            "the number of columns grows, that of rows does not",
        )
        need(
            not {self.visited.name, *self.state}
            & {x.name for x in letters(map(zero_sum, self.given))},
            "what is given is not of the state",
        )
        need(
            not sizes_of(map(zero_sum, self.given)) & {*self.grown},
            "what is given has no size that grows: it holds with every number of columns",
        )
        need(
            dict(self.start).keys() <= self.state == dict(self.unit.state).keys(),
            "both cases make all of the state, and nothing else is made",
        )
        chosen = [
            x
            for x in letters(map(zero_sum, self.kept))
            if x.name in {name for pair in self.chosen for name in pair}
        ]
        need(
            all(
                {x.rows, x.cols} <= {*self.grown} and x.name not in dict(self.start) for x in chosen
            ),
            "what is chosen is empty at the start",
        )
        need(zero_sum(self.zero.relation) == w, "the first case is that the residual is 0")
        need(
            zero_sum(self.unit.relation) == Sum("1", v.rows, frozenset({(row,)})) * w + one("1"),
            "the second case is that it has a 1",
        )
        self._kept(dict.fromkeys(self.grown, ()), dict(self.start), self.given)
        for case in (self.zero, self.unit):
            self.more(case)
            need(
                dict(case.sizes).keys() <= {*self.grown},
                "a size that is not 0 at the start is fixed",
            )
            need(
                dict(case.sizes)[self.visited.cols] == ("1", self.visited.cols),
                "a column is put before the others",
            )
            need(
                not {self.visited.name} & dict(case.state).keys(),
                "the matrix is no part of the state",
            )
            for name, transposed in self.chosen:
                values = dict(case.state)
                need(
                    is_chosen(name, transposed, values[name], values[transposed], chosen),
                    f"{name} or its transpose is not made of columns of the identity",
                )

    def more(self, case: Case) -> tuple[Equation, ...]:
        """Return what is kept with a column more, in this case."""
        left, right = (Sum(x.rows, x.cols, frozenset({(x,)})) for x in (self.column, self.visited))
        values = {
            **dict(case.state),
            self.visited.name: Matrix((left.rows,), ("1", right.cols), ((left, right),)),
        }
        return self._kept(
            {name: (name,) for name in self.grown} | dict(case.sizes),
            values,
            (*self.given, *self.kept, case.relation),
        )

    def _kept(
        self, sizes: Mapping[str, Sizes], values: Mapping[str, Matrix], given: tuple[Relation, ...]
    ) -> tuple[Equation, ...]:
        sides = [
            (
                at(Sum(r.value.rows, r.value.cols, frozenset({r.word})), sizes, values),
                at(r.value, sizes, values),
                r,
            )
            for r in self.kept
        ]
        return tuple(Equation(a, b, given, str(r)) for a, b, r in sides)

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
    """Return whether in every block column one block is not 0, an identity or the letter, and the
    other matrix is the transpose.
    """

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
        """What is obtained."""
        return tuple(self._renamed(self.rule.kept))

    @property
    def needed(self) -> tuple[Relation, ...]:
        """What must be known."""
        return tuple(self._renamed(self.rule.given))

    @property
    def new(self) -> frozenset[str]:
        """The names of letters and sizes that must be new."""
        return frozenset(self._names(True))

    def __post_init__(self) -> None:
        new = self._names(True)
        need(
            len({*new}) == len(new) and not {*new} & {*self._names(False)},
            f"{', '.join(sorted(new))} are no new names, each used once",
        )
        sizes, grown = dict(self.sizes), {*self.rule.grown} - {self.rule.visited.cols}
        need(
            sizes.get("1", "1") == "1" and "1" not in new,
            "1 is the size 1, and none that is obtained",
        )
        need(all(sizes.get(x, x) for x in grown), "a size that is obtained may be any")

    def _names(self, new: bool) -> list[str]:
        """Return the names of letters and sizes that are obtained, or of those that they are
        obtained for.
        """
        sizes, names, rule = dict(self.sizes), dict(self.letters), self.rule
        there = letters(zero_sum(r) for r in (*rule.given, *rule.kept))
        kept = {x.name for x in there if sizes.get(x.rows, x.rows) and sizes.get(x.cols, x.cols)}
        grown = {*rule.grown} - {rule.visited.cols}
        both = {x for letter in there for x in (letter.rows, letter.cols)}
        found = [names.get(x, x) for x in sorted(kept) if (x in rule.state) == new]
        return found + [
            sizes.get(x, x) for x in sorted(both) if (x in grown) == new and sizes.get(x, x)
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


@sealed
class Assumed:
    """Relations that are assumed from here on, each for its reason."""

    relations: tuple[Relation, ...]

    def __post_init__(self) -> None:
        need(all(r.reason for r in self.relations), "what is assumed has a reason")

    def __str__(self) -> str:
        return ", ".join(map(str, self.relations))


@sealed
class Chain:
    """left = ... = right, an equation after the other."""

    equations: tuple[Equation, ...]
    name: str = ""

    def __post_init__(self) -> None:
        need(len(self.equations) > 0, "a chain has an equation")
        for a, b in zip(self.equations, self.equations[1:], strict=False):
            need(a.right == b.left, f"{a.right} is not {b.left}")

    def __str__(self) -> str:
        return f"{self.name or self.equations[0].left} = {self.equations[-1].right}"


@sealed
class Invertible:
    """matrix * inverse = I and inverse * matrix = I: it has as many rows as columns."""

    matrix: Matrix
    inverse: Matrix
    given: tuple[Relation, ...]

    def __post_init__(self) -> None:
        need(len(self.equations) == 2, "both products are I")

    @property
    def equations(self) -> tuple[Equation, ...]:
        """What has to hold."""
        both = ((self.matrix, self.inverse), (self.inverse, self.matrix))
        return tuple(Equation(a * b, identity(a.rows), self.given, f"{a} {b}") for a, b in both)

    def __str__(self) -> str:
        return f"{self.matrix}^-1 = {self.inverse}"


@sealed
class SameSize:
    """Two sizes are one: two invertible matrices have the same number of rows, and of columns but
    for these.
    """

    old: str
    new: str
    first: Invertible
    second: Invertible

    def __post_init__(self) -> None:
        found: Counter[str] = Counter()
        for one_, sign in ((self.first.matrix, 1), (self.second.matrix, -1)):
            for name in one_.cols:
                found[name] += sign
            for name in one_.rows:
                found[name] -= sign
        need(
            {name: c for name, c in found.items() if c} == {self.old: 1, self.new: -1},
            f"it is not seen that {self.old} = {self.new}",
        )

    def __str__(self) -> str:
        return f"{self.old} = {self.new}"


@sealed
class Fibres:
    """A linear map takes exactly 2^r values, each at 2^k of the 2^m places.

    pairs parts = I, parts pairs = I, map pairs = [0, basis], left_inverse basis = I: places and
    pairs of k and r bits are the same, and only the r bits count, each choice of them with a value
    of its own.
    """

    map: Matrix
    pairs: Matrix
    parts: Matrix
    basis: Matrix
    left_inverse: Matrix
    given: tuple[Relation, ...]
    name: str

    def __post_init__(self) -> None:
        need(
            len(self.pairs.rows) == 1 and len(self.equations) == 4,
            "four products are as stated, and places have a number of bits",
        )

    @property
    def equations(self) -> tuple[Equation, ...]:
        """What has to hold."""
        k, r = self.pairs.cols
        need(self.basis.cols == (r,), f"the basis has {r} columns")
        nothing = zeros(self.basis.rows, (k,))
        row = Matrix(
            self.basis.rows,
            (k, r),
            tuple(a + b for a, b in zip(nothing.blocks, self.basis.blocks, strict=True)),
        )
        return (
            *Invertible(self.pairs, self.parts, self.given).equations,
            Equation(self.map * self.pairs, row, self.given, f"{self.map} {self.pairs}"),
            Equation(
                self.left_inverse * self.basis,
                identity((r,)),
                self.given,
                f"{self.left_inverse} {self.basis}",
            ),
        )

    def __str__(self) -> str:
        (m,), (k, r) = self.pairs.rows, self.pairs.cols
        return (
            f"{self.name} takes exactly 2^{r} values, each at 2^{k} of the 2^{m} places, {m} = {k}"
            f" + {r}"
        )


Part = Assumed | Equation | Chain | Obtained | Invertible | SameSize | Fibres


def letters(sums: Iterable[Sum]) -> set[Letter]:
    """Return the letters of sums."""
    return {x for a in sums for word in a.words for x in word}


def sizes_of(sums: Iterable[Sum]) -> set[str]:
    """Return the sizes of sums and of their letters."""
    return {
        size
        for a in sums
        for size in (
            a.rows,
            a.cols,
            *(s for word in a.words for x in word for s in (x.rows, x.cols)),
        )
    }


def used(part: Part) -> tuple[Relation, ...]:
    """Return the relations that a part uses."""
    match part:
        case Assumed():
            return ()
        case Chain(equations):
            return tuple(r for e in equations for r in e.given)
        case Obtained():
            return part.needed
        case SameSize(_, _, first, second):
            return (*first.given, *second.given)
    return part.given


def sums(part: Part) -> Iterator[Sum]:
    """Yield the sums that a part proves to be 0, block by block."""
    match part:
        case Equation(left, right):
            yield from (a for row in (left + right).blocks for a in row)
        case Chain(equations):
            yield from (a for row in (equations[0].left + equations[-1].right).blocks for a in row)
        case Assumed() | Obtained():
            yield from map(zero_sum, part.relations)


def matrices(part: Part) -> tuple[Matrix, ...]:
    """Return the matrices that a part speaks of."""
    match part:
        case Equation(left, right):
            return left, right
        case Chain(equations):
            return tuple(side for e in equations for side in (e.left, e.right))
        case Invertible(one_, inverse):
            return one_, inverse
        case SameSize(_, _, first, second):
            return *matrices(first), *matrices(second)
        case Fibres(one_, pairs, parts, basis, left_inverse):
            return one_, pairs, parts, basis, left_inverse
    return ()


def shapes(found: Iterable[Sum]) -> dict[str, tuple[str, str]]:
    """Return the shapes of the letters of sums by their names; refused: one name with two
    shapes.
    """
    by_name: dict[str, tuple[str, str]] = {}
    for x in letters(found):
        shape = by_name.setdefault(x.name, (x.rows, x.cols))
        need(
            shape == (x.rows, x.cols),
            f"{x.name} is {' x '.join(min(shape, (x.rows, x.cols)))} and"
            f" {' x '.join(max(shape, (x.rows, x.cols)))}",
        )
    return by_name


@sealed
class Derivation:
    """Parts, each from the parts before it; `stated` are those that make up the statement,
    `letters` say what names in them stand for.

    Refused: a part that uses another relation; a letter or a size that is obtained and was there
    before; one name for letters of two shapes.
    """

    parts: tuple[Part, ...]
    stated: tuple[Part, ...]
    letters: tuple[tuple[str, Matrix | Sum], ...] = ()

    def __post_init__(self) -> None:
        need(
            len(self.stated) > 0 and all(part in self.parts for part in self.stated),
            "what is stated is among the parts",
        )
        known: set[Sum] = set()
        spoken: set[Sum] = set()
        seen: set[str] = set()
        for part in self.parts:
            for r in used(part):
                need(
                    zero_sum(r) in known,
                    f"{r} is used in {part}, and neither assumed nor proved before",
                )
            if isinstance(part, Obtained):
                need(
                    not part.new & seen,
                    f"{', '.join(sorted(part.new & seen))} are no new names in {part}",
                )
                seen |= {x for a in part.letters + part.sizes for x in a[1:]}
            known |= set(sums(part))
            spoken |= (
                {block for a in matrices(part) for row in a.blocks for block in row}
                | {zero_sum(r) for r in used(part)}
                | known
            )
            shapes(spoken)
            if isinstance(part, SameSize):
                known, spoken = (
                    {resized(a, part.old, part.new) for a in found} for found in (known, spoken)
                )
            seen |= names(known) | names(map(zero_sum, used(part)))
        named = [name for name, _ in self.letters]
        need(
            len({*named}) == len(named) and not {*named} & {x.name for x in letters(spoken)},
            "a letter of the parts stands for itself",
        )


def names(found: Iterable[Sum]) -> set[str]:
    """Return the names of letters and sizes in sums."""
    return {name for x in letters(found) for name in (x.name, x.rows, x.cols)}


def resized(a: Sum, old: str, new: str) -> Sum:
    """Return a sum with one size for another."""

    def size(x: str) -> str:
        return new if x == old else x

    words = frozenset(
        tuple(Letter(x.name, size(x.rows), size(x.cols)) for x in word) for word in a.words
    )
    need(
        len(words) == len(a.words),
        f"{a} has two letters of one name, which {old} = {new} would make one",
    )
    return Sum(size(a.rows), size(a.cols), words)
