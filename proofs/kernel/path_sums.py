"""Path sums: the kernel's one axiom schema, `equal(left, right)`. Trusted; standard library only.

A term is a sum of diagrams. A diagram is a number, wires (digits), ports (lists of wires), boxes
and a phase; it stands for the matrix whose entry (i, j) is

    number * sum over all values of the wires, with the digits of ports[0] those of i and the digits
    of ports[1] those of j,
             of w^phase * product over the boxes b of entry (digits of ports[2b+2], digits of
             ports[2b+3]) of box b

A box is a matrix that is not looked into: a variable or an ordered product, with its free digits as
arguments. Every function here turns diagrams into diagrams of the same matrix; two terms are equal
if what is left is the same but for the names of wires and for integers in the phase.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count, permutations, product

from proofs.kernel.sealed import Refused, need
from proofs.kernel.sizes import ONE, Digit, Dim, Poly, Real, poly
from proofs.kernel.terms import Block, E, F, I, Kron, Mul, S, Sum, Term, W, free, substitute

Wires = tuple[Digit, ...]
Box = tuple[Term, tuple[Poly, ...]]
_numbers = count()
TWO = Dim.of(2)
MOST_SPLITS, MOST_BARE = 100, 4


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
    return () if radix == ONE else (Digit(f"~{next(_numbers)}", radix),)


def digit(wires: Wires) -> Poly:
    """Return the value of at most one wire."""
    return Poly.of(wires[0]) if wires else Poly.of(0)


def complex_times(a: tuple[Poly, Poly], b: tuple[Poly, Poly]) -> tuple[Poly, Poly]:
    """Return a product of complex numbers."""
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


REAL_ONE = Poly.of(1), Poly.of(0)


def matrix(
    rows: Wires, cols: Wires, phase: Poly, number: Poly = REAL_ONE[0], boxes: tuple[Box, ...] = ()
) -> Diagram:
    """Return the diagram of a leaf; a box is attached to all its wires."""
    ports = (rows, cols) * (1 + len(boxes))
    return Diagram((number, Poly.of(0)), frozenset(rows + cols), ports, boxes, phase)


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
            return [reduced(after(a, b)) for a, b in product(diagrams(left), diagrams(right))]
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
    raise Refused(f"{term!r} is no term")


def replace_digits(phase: Poly, values: dict[str, Poly]) -> Poly:
    """Return a phase with digits replaced; the square of a binary digit is the digit."""

    def once(atoms: tuple[Digit | Real, ...]) -> tuple[Digit | Real, ...]:
        again = [x in atoms[:i] for i, x in enumerate(atoms)]
        binary = [type(x) is Digit and x.radix == TWO for x in atoms]
        return tuple(x for x, a, b in zip(atoms, again, binary, strict=True) if not (a and b))

    return poly(((dim, once(atoms)), c) for (dim, atoms), c in substitute(phase, values).terms)


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


def reduced(a: Diagram) -> Diagram:
    """Return the diagram with sums over bare wires done where they are geometric.

    With d the radix of x:  sum over x of w^(x E / d) = d [E = 0 mod d], for an integer E without
    x. That is d if E = 0;  d [y = z] if E = +-(y - z) for wires of radix d;  and it puts y = Z into
    the rest if E = +-(y - Z), y is bare and of radix d, Z is an integer without y, and the phase
    does not change by y -> y + d but for integers.
    """
    for x in bare(a):
        others = Poly(frozenset((m, c) for m, c in a.phase.terms if x not in m[1]))
        linear = a.phase - others
        if any(m[1].count(x) > 1 for m, _ in linear.terms):
            continue
        monomials = (
            ((x.radix * m[0], tuple(y for y in m[1] if y != x)), c) for m, c in linear.terms
        )
        E = poly(monomials)
        E = Poly(frozenset(t for t in E.terms if not (Poly(frozenset({t})) / x.radix).integral))
        if not E.integral:
            continue
        number = complex_times((Poly.of(x.radix), Poly.of(0)), a.number)
        rest = replace(a, wires=a.wires - {x}, number=number, phase=others)
        found = solved(rest, E, x.radix) if E.terms else rest
        if found is not None:
            return reduced(found)
    return a


def solved(rest: Diagram, E: Poly, d: Dim) -> Diagram | None:
    """Return the diagram with y = Z for E = +-(y - Z) = 0 mod d, None where there is no such y."""
    for (dim, atoms), c in sorted(E.terms, key=str):
        if dim != ONE or len(atoms) != 1 or abs(c) != 1:
            continue
        if atoms[0] not in rest.wires or atoms[0].radix != d:
            continue
        y: Digit = atoms[0]
        Z = (E - Poly.of(c) * y) * -c
        z = next((z for z in rest.wires - {y} if z.radix == d and Z == Poly.of(z)), None)
        if z is not None:
            return put(rest, y, (z,), Z)
        if y in bare(rest) and y.name not in free(Z) and periodic(rest.phase, y):
            return put(rest, y, (), Z)
    return None


def periodic(phase: Poly, y: Digit) -> bool:
    """Return whether a phase does not change by y -> y + d but for integers, d the radix of y."""
    return (replace_digits(phase, {y.name: Poly.of(y) + y.radix}) - phase).integral


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
    keys = [key for key, _ in a.boxes]
    for order in permutations(range(len(b.boxes))):
        if [b.boxes[i][0] for i in order] == keys:
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
    a, b = reduced(replace(a, number=REAL_ONE)), reduced(replace(b, number=REAL_ONE))
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
    """Return whether a is b with its wires renamed; a bare wire x may be -x where its phase has the
    period of the radix.
    """
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
