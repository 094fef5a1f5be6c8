"""The path sums of both sides of a step, to be read: the digits of rows and columns, what is summed
over, the phase before and after what cancels.

    entry    = summand + summand + ...
    summand  = number [deltas] sum over inner digits of (entries of boxes) w^phase

Row digits are j_1, j_2, ..., column digits k_1, k_2, ..., the most significant first; inner ones
z_1, z_2, ... Not trusted: what is proved is what proofs/kernel/path_sums.py says, whose diagrams
these are.

    path sums = path_sums(left, right),  chain = chain_of_entries(left, right, shown)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations, product

from proofs.kernel.diagrams import Diagram, Wires, after, beside, digit, refined, wire
from proofs.kernel.numbers import ONE, Digit, Dim, Poly
from proofs.kernel.path_sums import MOST_BARE, collected, diagrams, quarter_turns, reduced
from proofs.kernel.phases import complex_times
from proofs.kernel.sealed import Refused, need
from proofs.kernel.terms import Block, Kron, Mul, Sum, Term, free, substitute
from proofs.show.chain import Chain, Step
from proofs.theorems.notation import dim, number, polynomial

LETTERS = ("jkz", "xyv", "pqe", "cdg")
"""Letters of row, column and inner digits, the first that no symbol has."""
SAME = "the right side, in the same form"
_NUMBERED = re.compile(r"\b([a-z])(\d+)\b")
MOST_ROUNDS = 20
Shown = Callable[[Term], str]


def written_out(term: Term) -> list[Diagram]:
    """Return the diagrams of a term with every sum as it stands: none is done."""
    match term:
        case Mul(left, right):
            return [after(a, b) for a, b in product(written_out(left), written_out(right))]
        case Kron(left, right):
            return [beside(a, b) for a, b in product(written_out(left), written_out(right))]
        case Sum(parts):
            return [
                replace(a, number=complex_times((re_, im), a.number))
                for re_, im, part in parts
                for a in written_out(part)
            ]
        case Block(x, body):
            z = wire(x.radix)
            inside = written_out(substitute(body, {x.name: digit(z)}))
            return [
                replace(
                    a, wires=a.wires | {*z}, ports=(z + a.ports[0], z + a.ports[1]) + a.ports[2:]
                )
                for a in inside
            ]
    return diagrams(term)


def done(found: Iterable[Diagram]) -> list[Diagram]:
    """Return diagrams as the kernel compares them."""
    return [quarter_turns(reduced(a)) for a in found]


def with_digits(found: list[Diagram]) -> list[Diagram]:
    """Return diagrams of one shape and equal digits; Refused: radices that do not divide."""
    for _ in range(MOST_ROUNDS):
        for i, port in product(range(1, len(found)), (0, 1)):
            found[0], found[i] = refined(found[0], port, found[i], port)
        if len({tuple(tuple(x.radix for x in p) for p in a.ports[:2]) for a in found}) == 1:
            return found
    raise Refused("the digits of rows and columns are split repeatedly")


@dataclass(frozen=True)
class Summand:
    """A diagram with named digits; `deltas` are pairs of digits that are equal."""

    diagram: Diagram
    deltas: tuple[tuple[Digit, Digit], ...]
    inner: Wires

    def text(self, shown: Shown) -> str:
        a = self.diagram
        parts = (
            [f"[{', '.join(f'{x.name} = {y.name}' for x, y in self.deltas)}]"]
            if self.deltas
            else []
        )
        parts += [f"∑_{{{z.name} < {dim(z.radix)}}}" for z in self.inner]
        for (term, arguments), rows, cols in zip(
            a.boxes, a.ports[2::2], a.ports[3::2], strict=True
        ):
            given = f"({', '.join(polynomial(x) for x in arguments)})" if arguments else ""
            name = shown(term)
            parts.append(
                f"{name if name.isalnum() else f'({name})'}{given}[{index(rows)}, {index(cols)}]"
            )
        if a.phase.terms:
            parts.append(f"w^{{{polynomial(a.phase)}}}")
        factor = number(*a.number)
        if not parts or factor != "1":
            parts.insert(
                0,
                (
                    f"({factor})"
                    if len([*a.number[0].terms, *a.number[1].terms]) > 1
                    and not factor.startswith("(")
                    else factor
                ),
            )
        return _NUMBERED.sub(r"\1_{\2}", " ".join(parts))


def index(digits: Wires) -> str:
    """Return the number that digits make.

    >>> from proofs.kernel.numbers import size
    >>> index((Digit("j1", size("r")), Digit("j2", size("s"))))
    's j_{1} + j_{2}'
    """
    weight, parts = ONE, list[str]()
    for x in reversed(digits):
        parts.insert(0, " ".join([dim(weight)] * (weight != ONE) + [x.name]))
        weight = weight * x.radix
    return _NUMBERED.sub(r"\1_{\2}", " + ".join(parts)) or "0"


def names(letter: str, radices: Sequence[Dim]) -> Wires:
    """Return digits of these radices: j for a single one, else j1, j2, ..."""
    return tuple(
        Digit(f"{letter}{i}" if len(radices) > 1 else letter, radix)
        for i, radix in enumerate(radices, 1)
    )


def named(a: Diagram, letters: str, order: Sequence[int] = ()) -> Summand:
    """Return a diagram as a summand with digits of these letters, its inner ones in this order."""
    known: dict[Digit, Digit] = {}
    deltas = []
    for port, letter in zip(a.ports, letters[:2], strict=False):
        for x, new in zip(port, names(letter, [x.radix for x in port]), strict=True):
            if known.setdefault(x, new) != new:
                deltas.append((known[x], new))
    inner = sorted(a.wires - known.keys(), key=lambda x: int(x.name[1:]))
    inner = [inner[i] for i in order] if order else inner
    summed = names(letters[2], [x.radix for x in inner])
    known |= dict(zip(inner, summed, strict=True))
    values = {x.name: Poly.of(y) for x, y in known.items()}
    boxes = tuple(
        (term, tuple(substitute(x, values) for x in arguments)) for term, arguments in a.boxes
    )
    ports = tuple(tuple(known[x] for x in port) for port in a.ports)
    return Summand(
        Diagram(a.number, frozenset(known.values()), ports, boxes, substitute(a.phase, values)),
        tuple(deltas),
        summed,
    )


def alike(found: Sequence[Diagram], others: Sequence[Summand], letters: str) -> list[Summand]:
    """Return diagrams as summands in the order of the other side's, inner digits named so that the
    phases are equal modulo integers.
    """
    summands = []
    for a in found:
        inner = len(a.wires - {x for port in a.ports[:2] for x in port})
        ways = (
            [named(a, letters, order) for order in permutations(range(inner))]
            if inner <= MOST_BARE
            else [named(a, letters)]
        )
        pairs = product(range(len(others)), ways)
        summands.append(
            next(((i, way) for i, way in pairs if _agree(way, others[i])), (len(others), ways[0]))
        )
    return [summand for _, summand in sorted(summands, key=lambda one: one[0])]


def _agree(a: Summand, b: Summand) -> bool:
    return (
        a.deltas == b.deltas and a.inner == b.inner and (a.diagram.phase - b.diagram.phase).integral
    )


@dataclass(frozen=True)
class PathSums:
    """Both sides of a step as sums, before and after cancelling; the digits of rows and columns."""

    rows: Wires
    cols: Wires
    left: tuple[Summand, ...]
    right: tuple[Summand, ...]
    left_done: tuple[Summand, ...]
    right_done: tuple[Summand, ...]


def path_sums(left: Term, right: Term) -> PathSums:
    """Return both sides' path sums; Refused: radices do not divide, symbols named as digits."""
    symbols = {_NUMBERED.sub(r"\1", x) for x in free(left, right)}
    letters = next((found for found in LETTERS if not symbols & {*found}), "")
    need(bool(letters), "no letters are left for digits")
    parts = [written_out(left), done(diagrams(left)), done(diagrams(right)), written_out(right)]
    together = with_digits([a for part in parts for a in part])
    first, second, third, fourth = ([together.pop(0) for _ in part] for part in parts)
    rows, cols = (
        names(letter, [x.radix for x in port])
        for letter, port in zip(letters[:2], first[0].ports[:2], strict=True)
    )
    known, others = (collected(done(side)) for side in (second, third))
    one, two, left_done = (
        tuple(named(a, letters) for a in side) for side in (first, fourth, known)
    )
    return PathSums(rows, cols, one, two, left_done, tuple(alike(others, left_done, letters)))


def entry(summands: Sequence[Summand], shown: Shown) -> str:
    """Return an entry of a matrix as text."""
    return " + ".join(summand.text(shown) for summand in summands).replace("+ -", "- ") or "0"


def chain_of_entries(left: Term, right: Term, shown: Shown) -> Chain:
    """Return why two terms are equal by path sums, entry by entry.

    >>> from proofs.theorems import theorems
    >>> step = theorems()["cooley-tukey"].prove()[0]
    >>> found = chain_of_entries(step.left, step.right, str)
    >>> print(found.heading)
    Entry by entry, the left side in row s j_{1} + j_{2} and column r k_{1} + k_{2}, where j_{1} < r, j_{2} < s, k_{1} < s, k_{2} < r
    """  # noqa: E501
    found = path_sums(left, right)
    ranges = ", ".join(f"{index((x,))} < {dim(x.radix)}" for x in (*found.rows, *found.cols))
    heading = (
        f"Entry by entry, the left side in row {index(found.rows)} and column {index(found.cols)}"
        + (f", where {ranges}" if ranges else "")
    )
    lines = [
        (found.left, ""),
        (found.left_done, _what_cancels(found.left, found.left_done)),
        (found.right_done, _how_alike(found.left_done, found.right_done)),
        (found.right, f"the right side, where {_what_cancels(found.right, found.right_done)}"),
    ]
    texts = [(entry(summands, shown), reason) for summands, reason in lines]
    steps = [
        Step(text, reason) for (before, _), (text, reason) in pairwise(texts) if text != before
    ]
    if texts[-1][0] == texts[-2][0]:
        steps.append(Step(texts[-1][0], SAME))
    return Chain(heading, texts[0][0], tuple(steps))


def _how_alike(left: Sequence[Summand], right: Sequence[Summand]) -> str:
    """Return in what the same entry of both sides may differ as it is written."""
    if len(left) != len(right):
        return "two sums, of f(z) and of f(c - z), are one over twice as many z, which is evaluated"
    if not all(map(_agree, left, right)):
        return "the same, with an inner digit z as -z where its phase has the period of z"
    phases = [[a.diagram.phase for a in side] for side in (left, right)]
    return (
        "the same in another order"
        if phases[0] == phases[1]
        else "the same modulo integers in the phase"
    )


def _what_cancels(before: Sequence[Summand], later: Sequence[Summand]) -> str:
    """Return what is done of the sums of a side."""
    summed = ({x.radix for a in side for x in a.inner} for side in (before, later))
    most, least = (max((len(a.inner) for a in side), default=0) for side in (before, later))
    changed = most > least or next(summed) != next(summed)
    geometric = ["geometric sums are evaluated"] if changed else []
    equal = ["equal summands are added"] if len(later) < len(before) else []
    return ", ".join(["integers in the phase are dropped", *geometric, *equal])
