"""The digits of one path sum matched with those of another, and the Coq proof that these are then
equal.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, zip_longest
from typing import Any

from proofs.coq.export import coq_text
from proofs.coq.export.actions import Box, Digits, Split, Summand, box, entered, nested
from proofs.coq.export.coq_text import integer, name, size
from proofs.kernel.diagrams import boxed
from proofs.kernel.numbers import Digit, Dim, Poly
from proofs.kernel.phases import replace_digits
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Term, substitute

TWO = Dim.of(2)


def same_summand(a: Summand, b: Summand) -> list[str]:
    """Return the proof that a = b, the sums of b put in the order of those of a."""
    for order in permutations(range(len(b.boxes))):
        boxes = tuple(b.boxes[i] for i in order)
        if keys(a.boxes) == keys(boxes):
            names = matched(a, replace(b, boxes=boxes))
            if names is not None:
                return aligned(a, b, names)
    raise Refused("cannot show how two path sums agree")


def keys(boxes: tuple[Box, ...]) -> list[Term]:
    """Return boxes without the names of their digits."""
    return [boxed(one)[0] for one, _, _ in boxes]


def matched(a: Summand, b: Summand) -> dict[Digit, Digit] | None:
    """Return which digits of b are which of a; raise Split where their radices differ."""
    ports = [([*a.columns], [*b.columns])]
    for (_, *mine), (_, *theirs) in zip(a.boxes, b.boxes, strict=True):
        ports += zip(mine, theirs, strict=True)
    for p, q in ports:
        agree(p, q)
    names: dict[Digit, Digit] = {}
    for p, q in ports:
        if any(names.setdefault(y, x) != x for x, y in zip(p, q, strict=True)):
            return None
    if any(y != x and y not in b.inner for y, x in names.items()):
        return None
    rest, others = (
        [x for x in inner if x not in known]
        for inner, known in ((a.inner, names.values()), (b.inner, names.keys()))
    )
    if len(rest) != len(others):
        return None
    for order in permutations(rest):
        pairs = {**names, **dict(zip(others, order, strict=True))}
        if all(x.radix == y.radix for x, y in pairs.items()) and agreeing(a, b, pairs):
            return pairs
    return None


def agree(p: Digits, q: Digits) -> None:
    """Raise Split where digits at the same place have other radices."""
    for pairs, at_end in ((zip_longest(p, q), False), (zip_longest(p[::-1], q[::-1]), True)):
        x, y = next(
            ((x, y) for x, y in pairs if not (x and y and x.radix == y.radix)), (None, None)
        )
        if x is None or y is None:
            continue
        for one, other in ((x, y), (y, x)):
            quotient = one.radix / other.radix
            if quotient.whole:
                raise Split(one, *((quotient, other.radix) if at_end else (other.radix, quotient)))
    if [x.radix for x in p] != [y.radix for y in q]:
        raise Refused(
            f"of the radices {', '.join(size(x.radix) for x in p)} and"
            f" {', '.join(size(x.radix) for x in q)} neither divides the other"
        )


def renamed(thing: Any, names: dict[Digit, Digit]) -> Any:
    """Return a phase or a matrix with other digits."""
    return substitute(thing, {y.name: Poly.of(x) for y, x in names.items()})


def agreeing(a: Summand, b: Summand, names: dict[Digit, Digit]) -> bool:
    """Return whether the boxes are the same and the phases differ by an integer."""
    boxes = [renamed(one, names) for one, _, _ in b.boxes]
    whole = replace_digits(a.phase - renamed(b.phase, names), {}).integral
    return whole and boxes == [one for one, _, _ in a.boxes]


def aligned(a: Summand, b: Summand, names: dict[Digit, Digit]) -> list[str]:
    """Return the proof that a = b where these digits of b are those of a."""
    back = {x: y for y, x in names.items()}
    lines, inner = [], [*b.inner]
    for place, x in enumerate(a.inner):
        for at in range(inner.index(back[x]), place, -1):
            inner[at - 1 : at + 1] = inner[at], inner[at - 1]
            under = f"do {at - 1} (apply sum_ext; intros ? _); " if at > 1 else ""
            lines.append(
                f"transitivity ({nested(inner, b.body())}).\n2: {{ {under}apply sum_swap. }}"
            )
    lines += map(entered, a.inner)
    return lines + phases(a, b, names)


def spelled_as(text: str, names: dict[Digit, Digit]) -> str:
    """Return a text with other names of digits, all else as it is."""
    return coq_text.respelled(text, {name(y.name): name(x.name) for y, x in names.items()})


def phases(a: Summand, b: Summand, names: dict[Digit, Digit]) -> list[str]:
    """Return the proof that what is summed is the same."""
    lines = []
    for one, _, _ in b.boxes:
        text = spelled_as(box(one), names)
        wanted = box(renamed(one, names))
        if text != wanted:
            lines.append(f"rewrite (_ : same {text} {wanted}) by same.")
    spelled = spelled_as(coq_text.phase(b.phase), names)
    plain = a.phase - renamed(b.phase, names)
    squares = replace_digits(plain, {})
    if coq_text.phase(a.phase) == spelled:
        return [*lines, "ring."]
    plus, minus = integer(squares)
    binary = (
        []
        if plain == squares
        else sorted(
            {
                name(x.name)
                for (_, atoms), _ in plain.terms
                for x in atoms
                if type(x) is Digit and x.radix == TWO and atoms.count(x) > 1
            }
        )
    )
    destruct = "".join(f"destruct {x} as [|[|{x}]]; [| |lia]; " for x in binary)
    mine = coq_text.phase(a.phase)
    return [
        *lines,
        f"rewrite (root_shift K ({mine}) ({spelled}) ({minus}) ({plus})) by ({destruct}phase).",
        "ring.",
    ]
