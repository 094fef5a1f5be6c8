"""Path sums: the kernel's one axiom schema, `equal(left, right)`. Trusted; standard library only.

A term is a sum of diagrams (proofs/kernel/diagrams.py). Every function here turns diagrams into
diagrams of the same matrix; two terms are equal if what is left is the same but for the names of
wires and for integers in the phase.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import permutations, product

from proofs.kernel.congruences import settled
from proofs.kernel.diagrams import (
    Diagram,
    after,
    bare,
    beside,
    boxed,
    digit,
    matrix,
    put,
    refined,
    wire,
)
from proofs.kernel.numbers import ONE, Digit, Dim, Poly
from proofs.kernel.phases import NIL, UNIT, along, complex_times, periodic, replace_digits
from proofs.kernel.sealed import Refused, need
from proofs.kernel.terms import Block, E, F, I, Kron, Mul, S, Sum, Term, W, free, substitute

MOST_BARE = 4
MOST_ROUNDS = 2


def diagrams(term: Term) -> list[Diagram]:
    """Return the diagrams whose sum is a term."""
    zero = Poly.of(0)
    match term:
        case I(d):
            x = wire(d)
            return [matrix(x, x, zero)]
        case F(d, sign):
            x, y = wire(d), wire(d)
            return [matrix(x, y, digit(x) * digit(y) * sign / d)]
        case E(m, n):
            return [matrix(wire(m), wire(n), zero)]
        case S(u, t):
            b, a = wire(u), wire(t)
            return [matrix(b + a, a + b, zero)]
        case W(phase):
            return [matrix((), (), replace_digits(phase, {}))]
        case Kron(left, right):
            return [beside(a, b) for a, b in product(diagrams(left), diagrams(right))]
        case Mul(left, right):
            found = (reduced(after(a, b)) for a, b in product(diagrams(left), diagrams(right)))
            return [a for a in found if a.number != NIL]
        case Sum(parts):
            return [
                replace(a, number=complex_times((re, im), a.number))
                for re, im, part in parts
                for a in diagrams(part)
            ]
        case Block(x, body):
            z = wire(x.radix)
            inside = diagrams(substitute(body, {x.name: digit(z)}))
            ports = ((z + a.ports[0], z + a.ports[1], *a.ports[2:]) for a in inside)
            both = zip(inside, ports, strict=True)
            return [replace(a, wires=a.wires | {*z}, ports=port) for a, port in both]
        case Term():  # a product over an index, or a variable
            rows, cols = wire(term.shape[0]), wire(term.shape[1])
            return [matrix(rows, cols, zero, boxes=(boxed(term),))]
    raise Refused(f"{term!r} is not a term")


def reduced(a: Diagram) -> Diagram:
    """Return the diagram with its geometric sums over one or two bare wires done."""
    for x in bare(a):
        if (found := summed(a, x)) is not None:
            return reduced(found)
    for x, y in permutations(bare(a), 2):
        both = merged(a, x, y)
        if both is not None and (found := summed(*both)) is not None:
            return reduced(found)
    return a


def merged(a: Diagram, x: Digit, y: Digit) -> tuple[Diagram, Digit] | None:
    """Return the diagram with two bare wires as one, z = x q + y, and this one; None unless they
    stand in the phase as z E but for integers, E without them, q being the radix of y.
    """
    high, low = along(a.phase, x), along(a.phase, y)
    if high is None or low is None or x.name in free(low[0]):
        return None
    if not (high[0] - low[0] * y.radix).integral:
        return None
    (z,) = wire(x.radix * y.radix)
    phase = low[0] * z + (low[1] - high[0] * x)
    return replace(a, wires=a.wires - {x, y} | {z}, phase=phase), z


def summed(a: Diagram, x: Digit) -> Diagram | None:
    """Return the diagram with the sum over a bare wire done, None where it is not geometric.

    With d the radix of x:  sum over x of w^(x E / d) = d [E = 0 mod d], for an integer E without x.
    """
    found = along(a.phase, x)
    if found is None:
        return None
    E = Poly(frozenset(t for t in found[0].terms if not Poly(frozenset({t})).integral)) * x.radix
    if not E.integral:
        return None
    number = complex_times((Poly.of(x.radix), Poly.of(0)), a.number)
    rest = replace(a, wires=a.wires - {x}, number=number, phase=found[1])
    return settled(rest, E, x.radix)


def quarter_turns(a: Diagram) -> Diagram:
    """Return the diagram with a constant phase of 1/4, 1/2 or 3/4 as the number i, -1 or -i.

    It has no integers in the phase.
    """
    kept, number = Poly.of(0), a.number
    for (dim, atoms), c in a.phase.terms:
        one = Poly(frozenset({((dim, atoms), c)}))
        if dim == ONE and not atoms and (4 * c).denominator == 1:
            re, im = ((1, 0), (0, 1), (-1, 0), (0, -1))[int(4 * c) % 4]
            number = complex_times(number, (Poly.of(re), Poly.of(im)))
        elif not one.integral:
            kept = kept + one
    return replace(a, phase=kept, number=number)


def same(a: Diagram, b: Diagram) -> bool:
    """Return whether two diagrams are seen to be equal but for their numbers."""
    return any(_same_phase(*both) for both in matchings(a, b))


def matchings(a: Diagram, b: Diagram) -> Iterator[tuple[Diagram, Diagram]]:
    """Yield two diagrams, but for their numbers, in the same wires: those of ports are given by
    these, all others are paired in every way.
    """
    alike = [[i for i, (key, _) in enumerate(b.boxes) if key == box[0]] for box in a.boxes]
    for order in product(*alike):
        if sorted(order) == [*range(len(b.boxes))]:
            inner = tuple(port for i in order for port in b.ports[2 * i + 2 : 2 * i + 4])
            boxes = tuple(b.boxes[i] for i in order)
            yield from _matched(a, replace(b, boxes=boxes, ports=b.ports[:2] + inner))


def _radices(d: Diagram) -> list[list[Dim]]:
    return [[x.radix for x in port] for port in d.ports]


def _matched(a: Diagram, b: Diagram) -> Iterator[tuple[Diagram, Diagram]]:
    a, b = replace(a, number=UNIT), replace(b, number=UNIT)
    try:
        for _ in range(MOST_ROUNDS):
            while _radices(a) != _radices(b):
                for i in range(len(a.ports)):
                    a, b = refined(a, i, b, i)
            a, b = reduced(a), reduced(b)
    except Refused:
        return
    if a.number != b.number or _radices(a) != _radices(b):
        return
    names: dict[Digit, Digit] = {}
    for p, q in zip(a.ports, b.ports, strict=True):
        if any(names.setdefault(y, x) != x for x, y in zip(p, q, strict=True)):
            return
    inner, others = (d.wires - {x for port in d.ports for x in port} for d in (a, b))
    if len(set(names.values())) != len(names) or names.keys() & others:
        return
    if len(inner) == len(others) <= MOST_BARE:
        for order in permutations(inner):
            if all(y.radix == x.radix for y, x in zip(others, order, strict=True)):
                yield a, renamed(b, {**names, **dict(zip(others, order, strict=True))})


def renamed(a: Diagram, names: dict[Digit, Digit]) -> Diagram:
    """Return a diagram with all of its wires renamed, one-to-one."""
    values = {y.name: Poly.of(x) for y, x in names.items()}
    ports = tuple(tuple(names[x] for x in port) for port in a.ports)
    boxes = tuple((key, tuple(substitute(p, values) for p in args)) for key, args in a.boxes)
    phase = replace_digits(a.phase, values)
    return Diagram(a.number, frozenset(names.values()), ports, boxes, phase)


def _same_phase(a: Diagram, b: Diagram) -> bool:
    """Return whether a is b, in the same wires; x may be -x where the phase has the period."""
    if a.boxes != b.boxes:
        return False
    flips = [y for y in bare(b) if periodic(b.phase, y, y.radix)]
    for signs in product((1, -1), repeat=len(flips)):
        values = {y.name: Poly.of(y) * sign for y, sign in zip(flips, signs, strict=True)}
        if (replace_digits(b.phase, values) - a.phase).integral:
            return True
    return False


def unite(a: Diagram, b: Diagram) -> list[Diagram]:
    """Return diagrams of the sum of two, [] where these are not seen.

    With a bare wire y of radix n, where f has the period 2 n and z < 2 n,

        sum of f(y) + sum of f(-1 - y) = sum of f(z),
        sum of f(y) + sum of f(-y) = sum of f(z) + f(0) - f(n),
        sum of f(y) + sum of f(-2 - y) = sum of f(z) + f(n - 1) - f(-1):

    the numbers -1 - y are the z from n on, modulo 2 n; -y are these and 0 without n, and -2 - y are
    these and n - 1 without -1.
    """
    if a.number != b.number or not bare(a) or len(bare(a)) != len(bare(b)):
        return []
    for one, other in matchings(a, b):
        one = replace(one, number=complex_times(a.number, one.number))
        for y in bare(one) if one.boxes == other.boxes else []:
            (z,) = wire(y.radix * 2)
            whole, minus_y = put(one, y, (z,), Poly.of(z)), Poly.of(y) * -1
            n = Poly.of(y.radix)
            ends = {1: [], 0: [(Poly.of(0), 1), (n, -1)], 2: [(n - 1, 1), (Poly.of(-1), -1)]}
            for shift in ends if periodic(whole.phase, z, z.radix) else ():
                back = replace_digits(whole.phase, {z.name: minus_y - shift})
                if (back - other.phase).integral:
                    at_ends = (times(put(one, y, (), at), sign) for at, sign in ends[shift])
                    return [whole, *at_ends]
    return []


def times(a: Diagram, c: int) -> Diagram:
    """Return c times a diagram."""
    return replace(a, number=complex_times((Poly.of(c), Poly.of(0)), a.number))


def align(found: list[Diagram]) -> list[Diagram]:
    """Return diagrams of one shape with the same digits of rows and columns, where radices divide
    each other.
    """
    with suppress(Refused):
        for port in (0, 1):
            for _ in range(MOST_ROUNDS):
                for i in range(1, len(found)):
                    found[0], found[i] = refined(found[0], port, found[i], port)
    return [reduced(a) for a in found]


def equal(left: Term, right: Term) -> bool:
    """Return whether the numbers of equal diagrams add up to 0 in left - right.

    False only says that it was not seen. Refused: names that are no identifiers, radices that do
    not divide.
    """
    named = all(name.isidentifier() for name in free(left, right))
    need(named, "names of free variables are identifiers")
    need(left.shape == right.shape, "{} and {} have different shapes", left, right)
    found = align([*diagrams(left), *(times(b, -1) for b in diagrams(right))])
    return not collected(map(quarter_turns, unite_all(found)))


def collected(found: Iterable[Diagram]) -> list[Diagram]:
    """Return diagrams with the numbers of equal ones added, without those that come to 0."""
    kept: list[Diagram] = []
    for a in found:
        at = next((i for i, b in enumerate(kept) if same(b, a)), None)
        if at is None:
            kept.append(a)
        else:
            (x, y), (u, v) = kept[at].number, a.number
            kept[at] = replace(kept[at], number=(x + u, y + v))
    return [a for a in kept if a.number != NIL]


def unite_all(found: list[Diagram]) -> list[Diagram]:
    """Return diagrams of the same sum, two as one where they are."""
    for i, a in enumerate(found):
        for j in range(i):
            if both := unite(found[j], a):
                others = [b for k, b in enumerate(found) if k not in (i, j)]
                return unite_all([*others, *map(reduced, both)])
    return found
