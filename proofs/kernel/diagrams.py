"""Diagrams, of which path sums are made: how they stand beside and after one another. Trusted;
standard library only.

A diagram is a number, wires (digits), ports (lists of wires), boxes and a phase; it stands for the
matrix whose entry (i, j) is

    number * sum over all values of the wires, with the digits of ports[0] those of i and the digits
    of ports[1] those of j,
             of w^phase * product over the boxes b of entry (digits of ports[2b+2], digits of
             ports[2b+3]) of box b

A box is a matrix that is not looked into: a variable or an ordered product, with its free digits as
arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count

from proofs.kernel.numbers import ONE, Digit, Dim, Poly
from proofs.kernel.phases import UNIT, complex_times, replace_digits
from proofs.kernel.sealed import Refused, need
from proofs.kernel.terms import Term, free, substitute

Wires = tuple[Digit, ...]
Box = tuple[Term, tuple[Poly, ...]]
_numbers = count()
MOST_SPLITS = 100


@dataclass(frozen=True)
class Diagram:
    """See above. `number` is (re, im)."""

    number: tuple[Poly, Poly]
    wires: frozenset[Digit]
    ports: tuple[Wires, ...]
    boxes: tuple[Box, ...]
    phase: Poly


def wire(radix: Dim) -> Wires:
    """Return a new wire; none if the radix is 1."""
    return () if radix == ONE else (Digit(f"~{next(_numbers):09}", radix),)


def digit(wires: Wires) -> Poly:
    """Return the value of at most one wire."""
    return Poly.of(wires[0]) if wires else Poly.of(0)


def matrix(
    rows: Wires, cols: Wires, phase: Poly, number: Poly = UNIT[0], boxes: tuple[Box, ...] = ()
) -> Diagram:
    """Return the diagram of a leaf; a box is attached to all its wires."""
    ports = (rows, cols) * (1 + len(boxes))
    return Diagram((number, Poly.of(0)), frozenset(rows + cols), ports, boxes, phase)


def boxed(term: Term) -> Box:
    """Return a term as a box: its free digits are arguments $0, $1, ..., all else stays inside."""
    digits = [x for x in free(term).values() if type(x) is Digit]
    digits.sort(key=lambda x: (str(x.radix), x.name))
    renamed = {x.name: Poly.of(Digit(f"${i}", x.radix)) for i, x in enumerate(digits)}
    return substitute(term, renamed), tuple(Poly.of(x) for x in digits)


def joined(a: Diagram, b: Diagram, ports: tuple[Wires, ...]) -> Diagram:
    """Return a diagram with all wires, boxes and phases of two, and these ports."""
    number, boxes = complex_times(a.number, b.number), a.boxes + b.boxes
    return Diagram(number, a.wires | b.wires, ports, boxes, a.phase + b.phase)


def beside(a: Diagram, b: Diagram) -> Diagram:
    """Return the Kronecker product."""
    outer = a.ports[0] + b.ports[0], a.ports[1] + b.ports[1]
    return joined(a, b, outer + a.ports[2:] + b.ports[2:])


def after(a: Diagram, b: Diagram) -> Diagram:
    """Return the matrix product: the column wires of a become the row wires of b."""
    a, b = refined(a, 1, b, 0)
    outer, inner = (a.ports[0], b.ports[1]), (a.ports[1], b.ports[0])
    both = joined(a, b, outer + a.ports[2:] + b.ports[2:] + inner)
    for i in range(len(both.ports[-1])):
        x, y = both.ports[-2][i], both.ports[-1][i]
        if x != y:
            both = put(both, y, (x,), Poly.of(x))
    return replace(both, ports=both.ports[:-2])


def put(a: Diagram, old: Digit, new: Wires, value: Poly) -> Diagram:
    """Return the diagram with a wire replaced by wires whose digits make up its value."""
    ports = tuple(tuple(y for x in port for y in (new if x == old else (x,))) for port in a.ports)
    boxes = tuple(
        (key, tuple(substitute(argument, {old.name: value}) for argument in arguments))
        for key, arguments in a.boxes
    )
    phase = replace_digits(a.phase, {old.name: value})
    return Diagram(a.number, a.wires - {old} | {*new}, ports, boxes, phase)


def split(a: Diagram, old: Digit, high: Dim, low: Dim) -> Diagram:
    """Return the diagram with a wire of radix high * low as two, of value low * first + second."""
    first, second = wire(high), wire(low)
    return put(a, old, first + second, digit(first) * low + digit(second))


def unequal(p: Wires, q: Wires) -> list[tuple[Digit, Digit]]:
    """Return the wires at the same places of two ports whose radices differ."""
    return [(x, y) for x, y in zip(p, q, strict=False) if x.radix != y.radix]


def refined(a: Diagram, i: int, b: Diagram, j: int) -> tuple[Diagram, Diagram]:
    """Return the diagrams with wires split until ports i and j have the same radices.

    Refused: two neighbouring radices, neither of which divides the other (seen from both ends).
    """
    for _ in range(MOST_SPLITS):
        p, q = a.ports[i], b.ports[j]
        pairs = unequal(p, q)
        if not pairs:
            need(len(p) == len(q), "two ports have different sizes")
            return a, b
        pair, last = pairs[0], (unequal(p[::-1], q[::-1]) or pairs)[0]
        for (x, y), at_end in ((pair, False), (last, True)):
            up, down = x.radix / y.radix, y.radix / x.radix
            if up.whole:
                a = split(a, x, *((up, y.radix) if at_end else (y.radix, up)))
                break
            if down.whole:
                b = split(b, y, *((down, x.radix) if at_end else (x.radix, down)))
                break
        else:
            one, other = (x.radix for x in pair)
            raise Refused(f"of the radices {one} and {other} neither divides the other")
    raise Refused(f"more than {MOST_SPLITS} splits")


def bare(a: Diagram) -> list[Digit]:
    """Return the wires that occur in the phase only: in no port and no argument."""
    attached = {x for port in a.ports for x in port}
    named = {x for _, arguments in a.boxes for p in arguments for x in free(p).values()}
    return sorted(a.wires - attached - named, key=lambda x: x.name)
