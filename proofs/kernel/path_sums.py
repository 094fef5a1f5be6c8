"""Path sums: the kernel's one axiom schema, `equal(left, right)`. Trusted; standard library only.

A term is a sum of diagrams (proofs/kernel/diagrams.py). Every function here turns diagrams into
diagrams of the same matrix; two terms are equal if what is left is the same but for the names of
wires and for integers in the phase.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

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
from proofs.kernel.phases import (
    NIL,
    UNIT,
    along,
    complex_times,
    periodic,
    replace_digits,
    solutions,
)
from proofs.kernel.sealed import Refused, need
from proofs.kernel.sizes import ONE, Digit, Dim, Poly
from proofs.kernel.terms import Block, E, F, I, Kron, Mul, S, Sum, Term, W, free, substitute

MOST_BARE = 4


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


def settled(rest: Diagram, E: Poly, d: Dim) -> Diagram | None:
    """Return [E = 0 mod d] times a diagram, None where that is no diagram that is seen; E = 0 mod d
    if E / c = 0 mod d / c.
    """
    E = Poly(frozenset(t for t in E.terms if not (Poly(frozenset({t})) / d).integral))
    (((c, _), _),) = Poly.of(d).terms
    if (E / c).integral:
        E, d = E / c, d / c
    return (solved(rest, E, d) or forced(rest, E, d)) if E.terms else rest


def solved(rest: Diagram, E: Poly, d: Dim) -> Diagram | None:
    """Return [E = 0 mod d] times a diagram.

    With y = z, if E = +-(y - z) + r G for wires of radix r, which divides d, and an integer G. With
    y = Z, if E = +-(y - Z), y is bare and of radix d, Z is an integer without y, and the phase does
    not change by y -> y + d but for integers. None where there is no such y.
    """
    for (dim, atoms), c in sorted(E.terms, key=str):
        y = atoms[0] if dim == ONE and len(atoms) == abs(c) == 1 else None
        if type(y) is not Digit or y not in rest.wires or not (d / y.radix).whole:
            continue
        Z = (E - Poly.of(c) * y) * -c
        others = (z for z in sorted(rest.wires - {y}, key=lambda z: z.name) if z.radix == y.radix)
        z = next((z for z in others if ((Z - z) / y.radix).integral), None)
        if z is not None:
            return settled(
                put(rest, y, (z,), Poly.of(z)), replace_digits(E, {y.name: Poly.of(z)}), d
            )
        free_of_y = y.radix == d and y in bare(rest) and y.name not in free(Z)
        if free_of_y and periodic(rest.phase, y):
            return put(rest, y, (), Z)
    return None


def forced(rest: Diagram, E: Poly, d: Dim) -> Diagram | None:
    """Return the diagram with what all solutions of E = 0 mod d have in common: a bare digit is
    replaced by a number, a wire by another one of its radix, or it is fixed. 0 times it where there
    is no solution; None where these are not few, or E = 0 mod d says more.
    """
    found = solutions(E, d)
    if not found:
        return None if found is None else replace(rest, number=NIL)
    wires = [y for y in sorted(rest.wires, key=lambda y: y.name) if y in found[0]]
    if len(found[0]) == 1 and all(y.radix == d and y not in bare(rest) for y in wires):
        return None
    for i, y in enumerate(wires):
        values = [at[y] for at in found]
        alone = len({*values}) == 1
        alike = (z for z in wires[:i] if z.radix == y.radix and values == [at[z] for at in found])
        z = () if alone else next(((z,) for z in alike if z in rest.wires), ())
        if z or alone:
            new = digit(z) if z else Poly.of(values[0])
            inner = z or y in bare(rest)
            rest = put(rest, y, z, new) if inner else fixed(rest, y, values[0])
            E = replace_digits(E, {y.name: new})
    return rest if (E / d).integral else None


def fixed(a: Diagram, y: Digit, value: int) -> Diagram:
    """Return [y = value] times the diagram, 1/d times a sum over a new wire."""
    (k,) = wire(y.radix)
    number = complex_times((Poly.of(1) / y.radix, Poly.of(0)), a.number)
    phase = a.phase + (Poly.of(y) - value) * k / y.radix
    return replace(a, wires=a.wires | {k}, number=number, phase=phase)


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
    alike = [[i for i, (key, _) in enumerate(b.boxes) if key == box[0]] for box in a.boxes]
    for order in product(*alike):
        if sorted(order) == [*range(len(b.boxes))]:
            inner = tuple(port for i in order for port in b.ports[2 * i + 2 : 2 * i + 4])
            boxes = tuple(b.boxes[i] for i in order)
            if _same_ports(a, replace(b, boxes=boxes, ports=b.ports[:2] + inner)):
                return True
    return False


def _same_ports(a: Diagram, b: Diagram) -> bool:
    def radices(d: Diagram) -> list[list[Dim]]:
        return [[x.radix for x in port] for port in d.ports]

    try:
        while radices(a) != radices(b):
            for i in range(len(a.ports)):
                a, b = refined(a, i, b, i)
    except Refused:
        return False
    a, b = reduced(replace(a, number=UNIT)), reduced(replace(b, number=UNIT))
    if a.number != b.number or radices(a) != radices(b):
        return False
    names: dict[Digit, Digit] = {}
    for p, q in zip(a.ports, b.ports, strict=True):
        if any(names.setdefault(y, x) != x for x, y in zip(p, q, strict=True)):
            return False
    inner, others = (d.wires - {x for port in d.ports for x in port} for d in (a, b))
    if len(set(names.values())) != len(names) or names.keys() & others:
        return False
    return len(inner) == len(others) <= MOST_BARE and any(
        _same_phase(a, b, names, dict(zip(others, order, strict=True)))
        for order in permutations(inner)
    )


def _same_phase(
    a: Diagram, b: Diagram, names: dict[Digit, Digit], inner: dict[Digit, Digit]
) -> bool:
    """Return whether a is b with wires renamed; x may be -x where the phase has the period."""
    if any(y.radix != x.radix for y, x in inner.items()):
        return False
    flips = [y for y in {*bare(b)} & inner.keys() if periodic(b.phase, y)]
    for signs in product((1, -1), repeat=len(flips)):
        values = {y.name: Poly.of(x) for y, x in {**names, **inner}.items()}
        values |= {y.name: Poly.of(inner[y]) * sign for y, sign in zip(flips, signs, strict=True)}
        found = [tuple(substitute(p, values) for p in arguments) for _, arguments in b.boxes]
        phase = replace_digits(b.phase, values) - a.phase
        if found == [arguments for _, arguments in a.boxes] and phase.integral:
            return True
    return False


def equal(left: Term, right: Term) -> bool:
    """Return whether the numbers of equal diagrams add up to 0 in left - right.

    False only says that it was not seen. Refused: names that are no identifiers, radices that do
    not divide.
    """
    named = all(name.isidentifier() for name in free(left, right))
    need(named, "names of free variables are identifiers")
    need(left.shape == right.shape, "{} and {} have different shapes", left, right)
    minus = (Poly.of(-1), Poly.of(0))
    found = [reduced(a) for a in diagrams(left)]
    found += [reduced(replace(b, number=complex_times(minus, b.number))) for b in diagrams(right)]
    groups: list[tuple[Diagram, tuple[Poly, Poly]]] = []
    for a in map(quarter_turns, found):
        at = next((i for i, (b, _) in enumerate(groups) if same(b, a)), None)
        if at is None:
            groups.append((a, a.number))
        else:
            b, (re, im) = groups[at]
            groups[at] = b, (re + a.number[0], im + a.number[1])
    return all(not re.terms and not im.terms for _, (re, im) in groups)
