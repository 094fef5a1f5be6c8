"""A theorem of the kernel and the equation that it is said to be, compared at numbers: each side of
the text with the side of the theorem, and both sides of the text where square roots are taken out.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

from derive.text.syntax import Equation
from proofs.kernel.rules import Thm
from proofs.meaning.claims import Claim, Parts
from proofs.meaning.drawn_values import Drawn, Draws
from proofs.meaning.named_values import MOST_ROWS, Matrix
from proofs.meaning.random_field import Array, NoValue, RandomField, need
from proofs.meaning.term_values import TermReading, integer
from proofs.meaning.text_values import TextReading

DRAWS, SMALL, LARGE = 48, 5, 2
"""So many values are drawn, and of them so many are compared with few rows and with many."""
FEW_ROWS = 40


@dataclass(frozen=True)
class Compared:
    """At how many sizes a theorem and its text are the same, the most rows there, and where and in
    what they differ, "" if they do not.
    """

    sizes: int = 0
    rows: int = 0
    difference: str = ""


def compared(claim: Claim, theorem: Thm, seed: str = "") -> Compared:
    """Return whether a theorem is the equation that it is said to be, at random sizes and at those
    at and next to every bound. What is drawn depends on the claim and the seed alone.
    """
    random = Random(f"{seed} {claim.sides} {claim.to_dict()} {claim.conditions}")
    draws, found = Draws(claim, theorem, random), Compared()
    seen = [*draws.images(DRAWS)] or [*draws.images(DRAWS * 20)]
    sized = [(rows, i) for i, one in enumerate(seen) if (rows := _rows(claim, one))]
    small = [i for rows, i in sized if rows <= FEW_ROWS]
    large = [i for rows, i in sorted(sized, reverse=True) if rows > FEW_ROWS]
    for some, most in ((small, SMALL), (large, LARGE)):
        count = found.sizes
        for i in some[: 4 * most]:
            if found.sizes - count < most and not found.difference:
                found = _with(found, claim, theorem, seen[i], random)
    for one in draws.at_bounds(seen):
        if found.difference:
            break
        found = _with(found, claim, theorem, one, random)
    return found


def _rows(claim: Claim, one: Drawn) -> int:
    """Return how many rows the text has, 0 where it has no value or is too large."""
    try:
        left = TextReading(RandomField(Random(0))).read(claim.sides.left, one.symbols)
    except NoValue:
        return 0
    return left.rows if max(left[:2]) <= MOST_ROWS else 0


def _with(found: Compared, claim: Claim, theorem: Thm, one: Drawn, random: Random) -> Compared:
    """Return what was found with one more comparison, unchanged where none is possible."""
    try:
        rows, difference = AtNumbers(claim, theorem, one, RandomField(random)).result()
    except NoValue:
        return found
    return Compared(found.sizes + 1, max(found.rows, rows), difference)


@dataclass(frozen=True)
class AtNumbers:
    """A theorem and a text at values of their letters and symbols."""

    claim: Claim
    theorem: Thm
    at: Drawn
    gf: RandomField

    def result(self) -> tuple[int, str]:
        """Return the number of rows and the difference, "" for none; NoValue: the text is no
        equation of matrices there, or too large.
        """
        stated = self.sides(self.claim.sides)
        letters = self.at.letters
        if letters is None:
            return stated[
                0
            ].rows, f"{self.at}: the kernel's statement does not speak of these values"
        plain = self.sides(self.claim.without_roots) if self.claim.without_roots else stated
        reading = TermReading(self.gf, self.matrix)
        terms = self.theorem.left, self.theorem.right
        for term in terms:
            reading.need_roots(term, letters)
        for parts in (self.claim.rows, self.claim.columns):
            self.gf.need_root(len(parts.sizes) if parts else 1)
        self.gf.settle()
        x = self.gf.vectors(plain[0].columns, 2)
        y = self.put(self.claim.columns, x)
        for side, text, term in zip(("left", "right"), plain, terms, strict=True):
            if integer(term.shape[1], letters) != len(y):
                return text.rows, f"{self.at}: the {side} sides have different sizes"
            wanted = self.put(self.claim.rows, text.times(x))
            if not np.array_equal(wanted, reading.times(term, y[None], letters)[0]):
                return text.rows, f"{self.at}: the {side} sides are different matrices"
        if self.claim.without_roots and not self.same_with_roots(stated, plain):
            return stated[0].rows, f"{self.at}: without its square roots it is another equation"
        return stated[0].rows, ""

    def sides(self, sides: Equation) -> tuple[Matrix, Matrix]:
        """Return both sides of an equation as text."""
        reading = TextReading(self.gf)
        left, right = (reading.read(side, self.at.symbols) for side in (sides.left, sides.right))
        need(left[:2] == right[:2] and max(left[:2]) <= MOST_ROWS, "too many rows")
        return left, right

    def put(self, parts: Parts | None, x: Array) -> Array:
        """Return columns as the kernel's statement has them."""
        return parts.put(x, self.at.letters or {}, self.gf) if parts else x

    def matrix(self, name: str, rows: int, columns: int) -> Array:
        """Return the matrix that stands for a variable of the kernel: A_t is A transposed, A_c
        conjugated, powers_p_g what this is in the text. A theorem on all matrices holds for these.
        """
        plain, *marks = name.split("_")
        if plain == "powers":
            p, g, *marks = marks
            of = np.zeros((int(p) - 1, int(p) - 1))
            of[[pow(int(g), j, int(p)) - 1 for j in range(int(p) - 1)], np.arange(int(p) - 1)] = 1
        else:
            key = plain + "_c" * ("c" in marks)
            of = self.gf.matrix(key, *((columns, rows) if "t" in marks else (rows, columns)))
        return of.T if "t" in marks else of

    def same_with_roots(self, stated: tuple[Matrix, Matrix], plain: tuple[Matrix, Matrix]) -> bool:
        """Return whether an equation with square roots is a multiple of one without, side by side;
        where it is none, whether it holds.
        """
        x = self.gf.vectors(stated[0].columns, 2)
        left, right = (side.times(x) for side in stated)
        if plain[0][:2] != stated[0][:2]:
            return np.array_equal(left, right)
        one, other = (np.concatenate([a.times(x) for a in sides]) for sides in (stated, plain))
        place = np.unravel_index(np.argmax(other != 0), other.shape)
        if not other[place]:
            return np.array_equal(left, right)
        by = int(one[place]) * pow(int(other[place]), -1, self.gf.q) % self.gf.q
        return bool(by and np.array_equal(other * by % self.gf.q, one)) or np.array_equal(
            left, right
        )
