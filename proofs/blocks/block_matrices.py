"""Block matrices over GF(2) whose blocks have any sizes: a second decision procedure. Trusted;
standard library only.

    letter     Letter(name, rows, cols)     any matrix of this shape; rows and cols are names of sizes
    sum        Sum(rows, cols, words)       the sum mod 2 of words, a word being a product of letters; the empty word is the identity
    matrix     Matrix(rows, cols, blocks)   a matrix of sums
    relation   Relation(word, value)        a product of letters that is equal to a sum: what is assumed

An equation holds for all sizes and all letters that fulfil the relations if its two sides differ by
a sum that the relations take to 0. Replacing a word by what is equal to it changes no value;
whether one gets to 0 depends on the relations that are given, so a refusal refutes nothing. Nothing
here knows that matrices commute, or that any is invertible.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from proofs.kernel.sealed import Refused, sealed

MOST_STEPS = 10000


@sealed
class Letter:
    """Any matrix of this shape."""

    name: str
    rows: str
    cols: str


Word = tuple[Letter, ...]
Sizes = tuple[str, ...]


@sealed
class Sum:
    """A sum of words of one shape; a word that occurs twice vanishes."""

    rows: str
    cols: str
    words: frozenset[Word]

    def __post_init__(self) -> None:
        for word in self.words:
            sizes = [self.rows, *(letter.cols for letter in word)]
            if (
                any(letter.rows != size for letter, size in zip(word, sizes, strict=False))
                or sizes[-1] != self.cols
            ):
                raise Refused(f"{spelled(word)} is not a {self.rows} x {self.cols} matrix")

    def __add__(self, other: Sum) -> Sum:
        if (self.rows, self.cols) != (other.rows, other.cols):
            raise Refused(
                f"{self} is {self.rows} x {self.cols}, {other} is {other.rows} x {other.cols}:"
                " no sum"
            )
        return Sum(self.rows, self.cols, self.words ^ other.words)

    def __mul__(self, other: Sum) -> Sum:
        if self.cols != other.rows:
            raise Refused(
                f"{self} is {self.rows} x {self.cols}, {other} is {other.rows} x {other.cols}: no"
                " product"
            )
        return summed(self.rows, other.cols, (a + b for a, b in product(self.words, other.words)))

    def __str__(self) -> str:
        return (
            " + ".join(sorted(map(spelled, self.words), key=lambda text: (len(text), text))) or "0"
        )


def summed(rows: str, cols: str, words: Iterable[Word]) -> Sum:
    """Return the sum mod 2 of words, of which two that are equal cancel."""
    total = frozenset[Word]()
    for word in words:
        total ^= {word}
    return Sum(rows, cols, total)


def spelled(word: Word) -> str:
    """Return a product of letters as text."""
    return " ".join(letter.name for letter in word) or "I"


def letter(name: str, rows: str, cols: str) -> Sum:
    """Return a letter as a sum."""
    return Sum(rows, cols, frozenset({(Letter(name, rows, cols),)}))


def one(size: str) -> Sum:
    """Return the identity."""
    return Sum(size, size, frozenset({()}))


def zero(rows: str, cols: str) -> Sum:
    """Return the matrix of zeros."""
    return Sum(rows, cols, frozenset())


@sealed
class Relation:
    """word = value; `reason` says why it may be assumed."""

    word: Word
    value: Sum
    reason: str = ""

    def __post_init__(self) -> None:
        if not self.word or (self.word[0].rows, self.word[-1].cols) != (
            self.value.rows,
            self.value.cols,
        ):
            raise Refused(
                f"{spelled(self.word)} = {self.value}: the sides have different shapes, or the left"
                " one has no letter"
            )
        Sum(self.value.rows, self.value.cols, frozenset({self.word}))

    def __str__(self) -> str:
        return f"{spelled(self.word)} = {self.value}"


def relation(left: Sum, right: Sum, reason: str = "") -> Relation:
    """Return left = right, left a single product."""
    if len(left.words) != 1:
        raise Refused(f"{left} is not a single product")
    return Relation(next(iter(left.words)), right, reason)


def reduced(a: Sum, relations: Iterable[Relation]) -> Sum:
    """Return a sum with the words of relations replaced by their values, until none occurs.

    Refused: that takes more than 10000 steps.
    """
    known = tuple(relations)
    for _ in range(MOST_STEPS):
        found = next(
            (
                (word, r, i)
                for word in sorted(a.words, key=spelled)
                for r in known
                if (i := _place(word, r.word)) >= 0
            ),
            None,
        )
        if found is None:
            return a
        word, r, i = found
        before, after = word[:i], word[i + len(r.word) :]
        a = summed(
            a.rows, a.cols, (*a.words, word, *(before + value + after for value in r.value.words))
        )
    raise Refused(f"{a}: the relations go on for more than {MOST_STEPS} steps")


def _place(word: Word, part: Word) -> int:
    return next(
        (i for i in range(len(word) - len(part) + 1) if word[i : i + len(part)] == part), -1
    )


@sealed
class Matrix:
    """A matrix of blocks; `rows` and `cols` are sizes of block rows and columns, maybe none."""

    rows: Sizes
    cols: Sizes
    blocks: tuple[tuple[Sum, ...], ...]

    def __post_init__(self) -> None:
        shapes = [[(block.rows, block.cols) for block in row] for row in self.blocks]
        if shapes != [[(r, c) for c in self.cols] for r in self.rows]:
            raise Refused(f"blocks of shapes {shapes} in a matrix of {self.rows} x {self.cols}")

    def __mul__(self, other: Matrix) -> Matrix:
        if self.cols != other.rows:
            raise Refused(f"columns {self.cols}, rows {other.rows}: no product")
        blocks = tuple(
            tuple(
                _dot(row, [line[j] for line in other.blocks], c, other.cols[j])
                for j in range(len(other.cols))
            )
            for c, row in self._lines()
        )
        return Matrix(self.rows, other.cols, blocks)

    def __add__(self, other: Matrix) -> Matrix:
        if (self.rows, self.cols) != (other.rows, other.cols):
            raise Refused(f"{self} and {other} have different shapes")
        lines = zip(self.blocks, other.blocks, strict=True)
        return Matrix(
            self.rows,
            self.cols,
            tuple(tuple(a + b for a, b in zip(*pair, strict=True)) for pair in lines),
        )

    def _lines(self) -> list[tuple[str, tuple[Sum, ...]]]:
        return list(zip(self.rows, self.blocks, strict=True))

    def __str__(self) -> str:
        return "[" + "; ".join(", ".join(str(block) for block in row) for row in self.blocks) + "]"


def _dot(row: tuple[Sum, ...], column: list[Sum], rows: str, cols: str) -> Sum:
    total = zero(rows, cols)
    for a, b in zip(row, column, strict=True):
        total = total + a * b
    return total


def zeros(rows: Sizes, cols: Sizes) -> Matrix:
    """Return the matrix of zeros."""
    return Matrix(rows, cols, tuple(tuple(zero(r, c) for c in cols) for r in rows))


def identity(sizes: Sizes) -> Matrix:
    """Return the identity."""
    return Matrix(
        sizes,
        sizes,
        tuple(
            tuple(one(r) if i == j else zero(r, c) for j, c in enumerate(sizes))
            for i, r in enumerate(sizes)
        ),
    )


def matrix(rows: str, cols: str, *blocks: Sum | int) -> Matrix:
    """Return a matrix from its blocks, row by row; rows and cols name the sizes, a word each; 0 and
    1 stand for zeros and identities.

    >>> print(matrix("m p", "m p", 1, letter("T", "m", "p"), 0, 1))
    [I, T; 0, I]
    """
    r, c = tuple(rows.split()), tuple(cols.split())
    full = [
        (
            block
            if isinstance(block, Sum)
            else one(r[i // len(c)])
            if block
            else zero(r[i // len(c)], c[i % len(c)])
        )
        for i, block in enumerate(blocks)
    ]
    return Matrix(r, c, tuple(tuple(full[i * len(c) : (i + 1) * len(c)]) for i in range(len(r))))


@sealed
class Equation:
    """Two matrices that are equal if all relations hold; made by `proved`."""

    left: Matrix
    right: Matrix
    given: tuple[Relation, ...]
    name: str = ""

    def __post_init__(self) -> None:
        for row in (self.left + self.right).blocks:
            for block in row:
                rest = reduced(block, self.given)
                if rest.words:
                    raise Refused(
                        f"cannot show that {self.name or self.left} = {self.right}: {rest} is"
                        " left over"
                    )

    def __str__(self) -> str:
        return f"{self.name or self.left} = {self.right}"
