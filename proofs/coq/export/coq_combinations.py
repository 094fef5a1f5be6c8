"""That two sums of path sums are equal, as a Coq proof: sums over digits are spread over sums of
matrices, geometric sums are done, equal summands are collected, and numbers in front of them added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from proofs.coq.export import coq_text
from proofs.coq.export.actions import Added, Summand, Summed, Tree, entered, nested, summands
from proofs.coq.export.coq_sums import coefficient, reduced
from proofs.coq.export.digit_matching import same_summand
from proofs.kernel.numbers import Poly
from proofs.kernel.sealed import Refused

Number = tuple[Poly, Poly]


@dataclass(frozen=True)
class Member:
    """A summand as a number times the sum of its group."""

    group: int
    number: Number


def added(parts: Sequence[str]) -> str:
    """Return a sum, nested to the right.

    >>> added("abc")
    '(a + (b + (c))%entry)%entry'
    """
    if not parts:
        return "(zero (ring K))"
    head, *rest = parts
    return f"({head} + {added(rest)})%entry" if rest else f"({head})"


def each(proofs: Sequence[str]) -> list[str]:
    """Return the proof of a sum of equations, nested to the right."""
    *some, last = proofs
    lines = []
    for one in some:
        lines += ["apply (f_equal2 (plus (ring K))).", f"{{ {one} }}"]
    return [*lines, last]


def equal(left: Tree, right: Tree) -> list[str]:
    """Return the proof that left = right; raise Refused where none is found."""
    groups: list[Summand] = []
    sides = [_side(tree, groups) for tree in (left, right)]
    totals = [_totals(members, len(groups)) for _, members in sides]
    for one, other in zip(*totals, strict=True):
        if one != other:
            raise Refused("cannot show how two path sums agree")
    end = added(
        [
            f"({coq_text.number(*total)} * {g.text()})%entry"
            for total, g in zip(totals[0], groups, strict=True)
        ]
    )
    lines = []
    for tree, (proofs, members) in zip((left, right), sides, strict=True):
        lines += [
            f"transitivity {end}; [|symmetry]." if tree is left else "",
            "{" if tree is left else "",
            f"transitivity {added([x.text() for x in summands(tree)])}.",
            "{",
            *spread(tree),
            "}",
            *_collected(proofs, members, groups, totals[0]),
            "}" if tree is left else "",
        ]
    return [line for line in lines if line]


def _side(tree: Tree, groups: list[Summand]) -> tuple[list[str], list[Member]]:
    """Return the proofs that every summand is a number times the sum of a group."""
    proofs, members = [], []
    for s in summands(tree):
        lines, short = reduced(s)
        number, core = coefficient(short), replace(short, numbers=())
        at, same = _found(core, groups)
        members.append(Member(at, number))
        product = " * ".join(coq_text.number(*x) for x in short.numbers) or "one (ring K)"
        proofs.append(
            "\n".join(
                [
                    *lines,
                    f"transitivity ({coq_text.number(*number)} * {core.text()})%entry.",
                    f"{{ pulled. apply (in_front K ({product})%entry); [numbered|ring]. }}",
                    "apply (f_equal (times (ring K) _)).",
                    "symmetry.",
                    *same,
                ]
            )
        )
    return proofs, members


def _found(core: Summand, groups: list[Summand]) -> tuple[int, list[str]]:
    for at, g in enumerate(groups):
        try:
            return at, same_summand(g, core)
        except Refused:
            continue
    groups.append(core)
    return len(groups) - 1, ["reflexivity."]


def _totals(members: list[Member], count: int) -> list[Number]:
    totals = [(Poly.of(0), Poly.of(0))] * count
    for x in members:
        re, im = totals[x.group]
        totals[x.group] = re + x.number[0], im + x.number[1]
    return totals


def _collected(
    proofs: list[str], members: list[Member], groups: list[Summand], totals: list[Number]
) -> list[str]:
    """Return the proof that the summands of a side are the numbers times the sums of groups."""
    flat = added(
        [f"({coq_text.number(*x.number)} * {groups[x.group].text()})%entry" for x in members]
    )
    grouped = []
    for at, g in enumerate(groups):
        numbers = [coq_text.number(*x.number) for x in members if x.group == at]
        grouped.append(f"({added([f'({n})' for n in numbers])} * {g.text()})%entry")
    return [
        f"transitivity {flat}.",
        "{",
        *each(proofs),
        "}",
        f"transitivity {added(grouped)}.",
        "{",
        *(f"generalize ({g.text()}); intro." for g in groups),
        "ring.",
        "}",
        *each(["apply (f_equal2 (times (ring K))); [numbered|reflexivity]."] * len(groups)),
    ]


def spread(tree: Tree) -> list[str]:
    """Return the proof that a tree is the sum of its summands."""
    count = len(summands(tree))
    match tree:
        case Added(left, right):
            flat = [x.text() for x in summands(left)], [x.text() for x in summands(right)]
            both = f"({added(flat[0])} + {added(flat[1])})%entry"
            return [
                f"transitivity {both}; [|ring].",
                "apply (f_equal2 (plus (ring K))).",
                "{",
                *spread(left),
                "}",
                "{",
                *spread(right),
                "}",
            ]
        case Summed(digits, inside) if count > 1:
            inner = added([x.text() for x in summands(inside)])
            return [
                f"transitivity ({nested(digits, inner)}).",
                "{",
                *map(entered, digits),
                *spread(inside),
                "}",
                "spread.",
            ]
    return ["reflexivity."]
