"""Proofs as chains of equalities, to be read: the steps of a theorem of the kernel, each with its
reason.

Not trusted: what is proved is what the kernel says.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Any

from proofs.kernel.kernel_rules import Thm
from proofs.kernel.numbers import Dim, Nat, Poly
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Term, substitute
from proofs.prove.tactics import associative
from proofs.show.block_chains import derived
from proofs.show.brackets import plain
from proofs.show.chain import Argument, Chain, Step
from proofs.show.direct_sum_terms import composed, written
from proofs.show.own import Derived, OwnTheorem, typed_as
from proofs.show.path_sum_text import chain_of_entries
from proofs.theorems import Theorem, theorems
from proofs.theorems.by_blocks import BlockTheorem
from proofs.theorems.letters import abbreviating, definitions
from proofs.theorems.notation import dim, equation, name, natural, polynomial

IN_WORDS = {
    "add": "equals may be put for equals in a sum",
    "assume": "an equation is assumed, and named where it is used",
    "block": "equals may be put for equals in every block of a direct sum",
    "cases": "both sides have the same rows, or columns, for each value of a digit",
    "diag": (
        "the path sums of both sides are the same: entry by entry, the same sum over the same"
        " digits of roots of unity, but for integers in the phase; geometric sums are done"
    ),
    "empty": "a product of no factor is the identity",
    "first": "the first factor is taken out of a product",
    "flip": (
        "an index of two digits is reversed digit by digit: r s - 1 - (a s + b) = (r - 1 - a) s +"
        " (s - 1 - b)"
    ),
    "induct": "induction on the number of factors",
    "instantiate": "a theorem holds for every value of its variables",
    "kron": "equals may be put for equals in a Kronecker product",
    "mul": "equals may be put for equals in a product",
    "pi": "equals may be put for equals in every factor of a product",
    "recount": "the number of factors is written as k + k' + 1 inside the product",
    "refl": "everything is equal to itself",
    "sym": "an equation may be read from right to left",
    "trans": "equations are joined",
}
"""The rules of the kernel."""
OF_INDUCTION = (
    "an induction assumes its statement for a number of factors, and proves it for one more;"
    " nothing else is assumed"
)
"""The rule `assume` in a theorem without hypotheses."""
REASONS = {
    "cases": "for each value of a digit",
    "diag": "by path sums",
    "empty": "a product of no factor is I",
    "first": "the first factor is taken out",
    "flip": "an index is reversed digit by digit",
    "recount": "the number of factors is k + k' + 1",
    "assume": "by the assumption",
}
WHERE = {"pi": "in every factor", "block": "in every block"}


@dataclass(frozen=True)
class Reading:
    """A theorem's parts with their proofs, what those use, and what their letters stand for."""

    arguments: tuple[Argument, ...]
    letters: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what `derive` prints of it with --json."""
        return {"arguments": [x.to_dict() for x in self.arguments], "letters": self.letters}


@cache
def read(theorem: Theorem | BlockTheorem, citing: bool = False) -> Reading:
    """Return a theorem for print, with the proofs of the theorems that it uses; with `citing`,
    those listed before it are cited by name instead.

    >>> from proofs.theorems import theorems
    >>> found = read(theorems()["cooley-tukey"])
    >>> [step.reason for step in found.arguments[0].chains[0].steps], len(found.letters)
    (['by path sums'], 1)
    """
    if isinstance(theorem, BlockTheorem):
        return Reading(
            derived(theorem), tuple(f"{name} = {value}" for name, value in theorem.letters())
        )
    if isinstance(theorem, Derived):
        return Reading(theorem.arguments, ())
    own = theorem if isinstance(theorem, OwnTheorem) else None
    reader = _Reader(_names_before(theorem.name) if citing else {})
    parts = theorem.prove()
    found = [
        Argument(
            f"Part {i} of {len(parts)}" if len(parts) > 1 else "",
            own.statement if own else equation(part),
            reader.chains(part),
            typed_as(own, reader.letters) if own else None,
        )
        for i, part in enumerate(parts, 1)
    ]
    used = 0
    while used < len(reader.cites):
        used += 1
        lemma = reader.cites[used - 1]
        found.append(Argument(f"Lemma {used}", reader.equation(lemma), reader.chains(lemma)))
    meanings = definitions()
    return Reading(
        tuple(found), tuple(meanings[kind] for kind in meanings if kind in reader.letters)
    )


Sides = tuple[Term, Term]


def _names_before(name: str) -> dict[Sides, str]:
    """Return the names of the theorems that are listed before one, or before the one that it is a
    part of, by their sides.
    """
    before = takewhile(lambda known: not name.startswith(known), theorems())
    return {sides: known for known in before for sides in _sides(known)}


@cache
def _sides(name: str) -> tuple[Sides, ...]:
    return tuple((part.left, part.right) for part in theorems()[name].proof())


Link = tuple[Thm, bool]
"""A theorem, and whether it is read from right to left."""


def links(theorem: Thm, back: bool = False) -> list[Link]:
    """Return the equalities that transitivity joined, without a = a and without those that only
    move brackets of products.
    """
    if theorem.rule == "trans":
        first, second = (links(premise, back) for premise in theorem.premises)
        return second + first if back else first + second
    if theorem.rule == "sym":
        return links(theorem.premises[0], not back)
    return [] if plain(theorem.left) == plain(theorem.right) else [(theorem, back)]


class _Reader:
    """Reads theorems; `names` are those of theorems that are cited by name, `cites` the others that
    are referred to, in the order of their first mention, `letters` the kinds of letters in use.
    """

    def __init__(self, names: dict[Sides, str]) -> None:
        self.names = names
        self.cites: list[Thm] = []
        self.letters: set[str] = set()
        self.abbreviated = abbreviating(self.letters)
        self.letter = cache(self.letter_of)

    def letter_of(self, term: Term) -> str | None:
        """Return the letter of a term, or a direct sum in parentheses."""
        return self.abbreviated(term) or composed(term, self.letter)

    def shown(self, term: Term) -> str:
        """Return a term in the papers' letters."""
        return written(term, self.letter)

    def equation(self, theorem: Thm) -> str:
        given = "; ".join(
            sorted(f"{self.shown(h.left)} = {self.shown(h.right)}" for h in theorem.hypotheses)
        )
        return (
            f"{given + ' ⊢ ' if given else ''}{self.shown(theorem.left)} ="
            f" {self.shown(theorem.right)}"
        )

    def chains(self, theorem: Thm) -> tuple[Chain, ...]:
        """Return the proof of a theorem: one chain, or the two of an induction."""
        found = links(theorem)
        if len(found) == 1 and found[0][0].rule == "induct":
            n, left, right, base, step = found[0][0].premises
            given = [h for h in step.hypotheses if (h.left, h.right) == (left, right)]
            general = sorted(name(x) for h in given for x in h.general)
            hypothesis = f"{self.shown(left)} = {self.shown(right)}"
            hypothesis += f", for all {', '.join(general)}" if general else ""
            n = name(n)
            heading = f"Induction on {n}. From {n} to {n} + 1, by the assumption {hypothesis}"
            return self.chain(f"{n} = 0", base), self.chain(heading, step)
        return (self.chain("", theorem), *self.entries(found))

    def entries(self, found: list[Link]) -> Iterator[Chain]:
        """Yield the path sums of an equality that is proved by them alone."""
        if [t.rule for t, _ in found] == ["diag"]:
            ((theorem, back),) = found
            sides = (theorem.right, theorem.left) if back else (theorem.left, theorem.right)
            with suppress(Refused):
                yield chain_of_entries(*sides, self.shown)

    def chain(self, heading: str, theorem: Thm) -> Chain:
        """Return the equalities of a theorem, one after the other."""
        steps = [
            Step(self.shown(t.left if back else t.right), self.reason(t, back))
            for t, back in links(theorem)
        ]
        return Chain(
            heading,
            self.shown(theorem.left),
            tuple(steps) or (Step(self.shown(theorem.right), "the same, in one form"),),
        )

    def reason(self, theorem: Thm, back: bool) -> str:
        """Return why an equality holds."""
        return "; ".join(dict.fromkeys(self.reasons(theorem, back)))

    def reasons(self, theorem: Thm, back: bool) -> Iterator[str]:
        """Yield the reason of each place where something is put for something else."""
        if named := self.named(theorem):
            yield named + _reading(back)
        elif theorem.rule in ("kron", "mul", "add", "pi", "block"):
            where = WHERE.get(theorem.rule, "")
            for premise in _theorems(theorem.premises):
                for reason in self.within(premise, back):
                    yield f"{reason} {where}" if where and where not in reason else reason
        elif theorem.rule == "instantiate":
            base, values = _origin(theorem)
            if base is associative() or (base.rule in REASONS and not self.named(base)):
                yield REASONS.get(base.rule, "")
            else:
                given = ", ".join(
                    f"{name(x)} = {self.value(v)}"
                    for x, v in values.items()
                    if name(x) != self.value(v)
                )
                yield self.cited(base) + (f" with {given}" if given else "") + _reading(back)
        elif theorem.rule == "induct":
            yield self.cited(theorem) + _reading(back)
        else:
            yield REASONS[theorem.rule] + (
                _reading(back) if theorem.rule in ("first", "assume") else ""
            )

    def within(self, theorem: Thm, back: bool) -> Iterator[str]:
        """Yield the reasons of a replacement in a larger term: one equality, or several."""
        found = links(theorem, back)
        if len(found) == 1:
            yield from self.reasons(*found[0])
        elif found:
            yield self.cited(theorem) + _reading(back)

    def cited(self, theorem: Thm) -> str:
        """Return the name of a theorem, which is proved further down where it has none."""
        if named := self.named(theorem):
            return named
        known = next(
            (
                i
                for i, t in enumerate(self.cites)
                if (t.left, t.right) == (theorem.left, theorem.right)
            ),
            None,
        )
        if known is None:
            known = len(self.cites)
            self.cites.append(theorem)
        return f"Lemma {known + 1}"

    def named(self, theorem: Thm) -> str:
        """Return the name of a theorem that is cited by name, "" for any other."""
        return "" if theorem.hypotheses else self.names.get((theorem.left, theorem.right), "")

    def value(self, x: Any) -> str:
        """Return what a variable is replaced by."""
        if type(x) is Nat:
            return natural(x)
        if type(x) is Dim:
            return dim(x)
        return polynomial(x) if type(x) is Poly else self.shown(x)


def _theorems(things: Any) -> Iterator[Thm]:
    for x in things:
        if type(x) is Thm:
            yield x
        elif type(x) is tuple:
            yield from _theorems(x)


def _origin(theorem: Thm) -> tuple[Thm, dict[str, Any]]:
    """Return the theorem that is instantiated, once or several times in turn, and its values."""
    base, values = theorem.premises[0], dict(theorem.premises[1])
    while base.rule == "instantiate":
        values = values | {x: substitute(v, values) for x, v in base.premises[1]}
        base = base.premises[0]
    return base, values


def _reading(back: bool) -> str:
    return ", from right to left" if back else ""
