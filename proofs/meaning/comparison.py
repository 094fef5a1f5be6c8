"""A theorem of the kernel and the equation that it is said to be, compared at numbers: each side of
the text with the side of the theorem, and both sides of the text where square roots are taken out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from derive.text.elaborate import equation
from derive.text.expressions import FormulaError, Size
from derive.text.syntax import Added, DirectSum, Equation, Text, replaced
from proofs.kernel.kernel_rules import Thm
from proofs.meaning.claims import Claim, Parts
from proofs.meaning.drawn_values import Drawn, Draws
from proofs.meaning.named_values import MOST_ROWS, Matrix
from proofs.meaning.random_field import Array, Limit, NoValue, RandomField, need, within
from proofs.meaning.term_values import TermReading, columns
from proofs.meaning.text_values import TextReading

DRAWS, SMALL, LARGE = 48, 5, 2
"""So many values are drawn, and of them so many are compared with few rows and with many."""
FEW_ROWS = 40
Pair = tuple[Matrix, Matrix]
"""The sides of an equation."""


@dataclass(frozen=True)
class Compared:
    """At how many sizes a theorem and its text are the same, the most rows there, and where and in
    what they differ, "" if they do not; the limit that was met first, "" for none.
    """

    sizes: int = 0
    rows: int = 0
    difference: str = ""
    limit: str = ""


def compare(claim: Claim, theorem: Thm, seed: str = "") -> Compared:
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
    for choices in draws.at_bounds(seen):
        before = found
        for one in choices:
            if found.difference or found.sizes > before.sizes:
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
    except Limit as error:
        return found if found.limit else replace(found, limit=f"{one}: {error}")
    except NoValue as error:
        with suppress(FormulaError):
            equation(claim.sides, one.symbols)
            return replace(found, difference=f"{one}: {error}, but the text has a value")
        return found
    return Compared(found.sizes + 1, max(found.rows, rows), difference, found.limit)


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
        stated, plain = self.sides(self.claim.sides), self.claim.without_roots
        rows = stated[0].rows
        if self.at.letters is None:
            return rows, f"{self.at}: the kernel's statement does not speak of these values"
        shown = self.sides(plain) if plain else stated
        parts = self.parts(plain, shown, stated) if plain else []
        if difference := self.of_terms(shown):
            return rows, f"{self.at}: {difference}"
        if plain and not any(self.follows(one, parts) for one in self.rests(stated)):
            return rows, f"{self.at}: without its square roots it is another equation"
        return rows, ""

    def of_terms(self, text: Pair) -> str:
        """Return in what the sides of a text and those of the theorem differ, "" for nothing."""
        letters, reading = self.at.letters or {}, TermReading(self.gf, self.matrix)
        terms = self.theorem.left, self.theorem.right
        for term in terms:
            reading.need_roots(term, letters)
        for parts in (self.claim.rows, self.claim.columns):
            self.gf.need_root(len(parts.sizes) if parts else 1)
        self.gf.settle()
        x = self.gf.vectors(text[0].columns, 2)
        y = self.put(self.claim.columns, x)
        for name, side, term in zip(("left", "right"), text, terms, strict=True):
            if columns(term, letters) != len(y):
                return f"the {name} sides have different sizes"
            wanted = self.put(self.claim.rows, side.times(x))
            if not np.array_equal(wanted, reading.times(term, y[None], letters)[0]):
                return f"the {name} sides are different matrices"
        return ""

    def sides(self, sides: Equation) -> Pair:
        """Return both sides of an equation as text."""
        reading = TextReading(self.gf)
        left, right = (reading.read(side, self.at.symbols) for side in (sides.left, sides.right))
        need(left[:2] == right[:2], "the sides have different sizes")
        within(
            max(left[:2]) <= MOST_ROWS, f"{max(left[:2])} rows, and at most {MOST_ROWS} are read"
        )
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

    def parts(self, plain: Equation, shown: Pair, stated: Pair) -> list[Pair]:
        """Return the equations that one without square roots consists of: itself, or the blocks of
        its direct sums.
        """
        match plain.left, plain.right:
            case DirectSum(one), DirectSum(other) if shown[0][:2] != stated[0][:2]:
                need(len(one) == len(other), "two direct sums of different lengths")
                return [self.sides(Equation(*pair)) for pair in zip(one, other, strict=True)]
        return [shown]

    def rests(self, stated: Pair) -> Iterator[Pair]:
        """Yield the sides of the text, and these without the terms that both have, as they are
        written and with what the symbols are in letters.
        """
        yield stated
        left, right = (_terms(side) for side in (self.claim.sides.left, self.claim.sides.right))
        for by in ({}, self.claim.substitution):
            rests = _without(left, right, by), _without(right, left, by)
            yield tuple(self.added(rest, stated[0]) for rest in rests)  # type: ignore[misc]

    def added(self, terms: Sequence[Text], like: Matrix) -> Matrix:
        """Return the sum of terms, 0 of the size of another matrix where there are none."""
        if not terms:
            return like._replace(times=lambda x: np.zeros((like.rows, x.shape[1])))
        reading = TextReading(self.gf)
        return reading.sum([reading.read(term, self.at.symbols) for term in terms])

    def follows(self, stated: Pair, parts: Sequence[Pair]) -> bool:
        """Return whether an equation with square roots follows from those of the parts: both of
        its sides are the same combination of theirs, and 0 only where all of them are.
        """
        x = self.gf.vectors(stated[0].columns, 2)
        wanted, *others = (
            np.concatenate([side.times(x).reshape(-1) for side in one]) for one in (stated, *parts)
        )
        if not wanted.any():
            return not any(one.any() for one in others)
        while others:
            one, *others = others
            if one.any():
                at = int(np.argmax(one != 0))
                by = one * pow(int(one[at]), -1, self.gf.q) % self.gf.q
                wanted, *others = ((y - y[at] * by) % self.gf.q for y in (wanted, *others))
        return not wanted.any()


def _terms(text: Text) -> tuple[Text, ...]:
    return text.terms if isinstance(text, Added) else (text,)


def _without(terms: Sequence[Text], others: Sequence[Text], by: Mapping[str, Size]) -> list[Text]:
    """Return the terms that others have not as often."""
    there, rest = [replaced(term, by) for term in others], list[Text]()
    for term in terms:
        if (one := replaced(term, by)) in there:
            there.remove(one)
        else:
            rest.append(term)
    return rest
