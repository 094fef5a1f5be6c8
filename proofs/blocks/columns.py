"""Derivations in block algebra: facts, each from those before. Trusted; standard library only.

    part = Assumed(relations) | Equation | Chain(equations) | Obtained(rule, sizes, letters)
           | Invertible(matrix, inverse, given) | SameSize(old, new, first, second)
           | Fibres(map, pairs, parts, basis, left_inverse, given)

A derivation is a list of parts. A part may use a relation only if a part before it assumes or
proves it, whichever side of it is the word. What does not follow is refused when it is built.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from proofs.blocks.block_matrices import Equation, Letter, Matrix, Relation, Sum, identity, zeros
from proofs.blocks.column_induction import Obtained, letters, shapes, zero_sum
from proofs.kernel.sealed import need, sealed


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
        """The equations that have to hold."""
        both = ((self.matrix, self.inverse), (self.inverse, self.matrix))
        return tuple(Equation(a * b, identity(a.rows), self.given, f"{a} {b}") for a, b in both)

    def __str__(self) -> str:
        return f"{self.matrix}^-1 = {self.inverse}"


@sealed
class SameSize:
    """Two sizes are one: an invertible matrix has them as its numbers of rows and columns."""

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
            f"cannot show that {self.old} = {self.new}",
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
        """The equations that have to hold."""
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
                    f"{', '.join(sorted(part.new & seen))} are not new names in {part}",
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
