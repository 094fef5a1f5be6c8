"""Path sums: the one axiom schema of the kernel, `equal(left, right)`. Trusted; standard library
only.

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
from proofs.kernel.terms import Block, F, I, Kron, Mul, Pi, S, Sum, Term, Var, W, free, substitute

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
    return Diagram(
        (number, Poly.of(0)),
        frozenset(rows + cols),
        (rows, cols) + (rows, cols) * len(boxes),
        boxes,
        phase,
    )


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
            return [
                replace(
                    a, wires=a.wires | {*z}, ports=(z + a.ports[0], z + a.ports[1]) + a.ports[2:]
                )
                for a in inside
            ]
        case Pi() | Var():
            rows, cols = wire(term.shape[0]), wire(term.shape[1])
            return [matrix(rows, cols, zero, boxes=(boxed(term),))]
    raise Refused(f"{term!r} is no term")


def replace_digits(phase: Poly, values: dict[str, Poly]) -> Poly:
    """Return a phase with digits replaced; the square of a binary digit is the digit."""

    def once(atoms: tuple[Digit | Real, ...]) -> tuple[Digit | Real, ...]:
        return tuple(
            x
            for i, x in enumerate(atoms)
            if not (x in atoms[:i] and type(x) is Digit and x.radix == TWO)
        )

    return poly(((dim, once(atoms)), c) for (dim, atoms), c in substitute(phase, values).terms)


def boxed(term: Term) -> Box:
    """Return a term as a box: its free digits become arguments $0, $1, ..., the values of all sorts
    but digits stay inside.
    """
    digits = sorted(
        (x for x in free(term).values() if type(x) is Digit), key=lambda x: (str(x.radix), x.name)
    )
    renamed = {x.name: Poly.of(Digit(f"${i}", x.radix)) for i, x in enumerate(digits)}
    return substitute(term, renamed), tuple(Poly.of(x) for x in digits)


def beside(a: Diagram, b: Diagram) -> Diagram:
    """Return the Kronecker product."""
    ports = (a.ports[0] + b.ports[0], a.ports[1] + b.ports[1]) + a.ports[2:] + b.ports[2:]
    return Diagram(
        complex_times(a.number, b.number),
        a.wires | b.wires,
        ports,
        a.boxes + b.boxes,
        a.phase + b.phase,
    )


def after(a: Diagram, b: Diagram) -> Diagram:
    """Return the matrix product: the column wires of a become the row wires of b."""
    a, b = refined(a, 1, b, 0)
    ports = (a.ports[0], b.ports[1]) + a.ports[2:] + b.ports[2:] + (a.ports[1], b.ports[0])
    both = Diagram(
        complex_times(a.number, b.number),
        a.wires | b.wires,
        ports,
        a.boxes + b.boxes,
        a.phase + b.phase,
    )
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
    return Diagram(
        a.number, a.wires - {old} | {*new}, ports, boxes, replace_digits(a.phase, {old.name: value})
    )


def split(a: Diagram, old: Digit, high: Dim, low: Dim) -> Diagram:
    """Return the diagram with a wire of radix high * low as two: its value is low * (first) +
    second.
    """
    first, second = wire(high), wire(low)
    return put(a, old, first + second, digit(first) * low + digit(second))


def refined(a: Diagram, i: int, b: Diagram, j: int) -> tuple[Diagram, Diagram]:
    """Return the diagrams with wires split until ports i and j have the same radices.

    Refused: two neighbouring radices, neither of which divides the other (seen from both ends).
    """
    for _ in range(MOST_SPLITS):
        pairs = list(zip(a.ports[i], b.ports[j], strict=False))
        pair = next(((x, y) for x, y in pairs if x.radix != y.radix), None)
        if pair is None:
            need(len(a.ports[i]) == len(b.ports[j]), "two ports have different sizes")
            return a, b
        last = next(
            (
                (x, y)
                for x, y in zip(a.ports[i][::-1], b.ports[j][::-1], strict=False)
                if x.radix != y.radix
            ),
            pair,
        )
        for (x, y), at_end in ((pair, False), (last, True)):
            up, down = x.radix / y.radix, y.radix / x.radix
            if up.whole:
                a = split(a, x, *((up, y.radix) if at_end else (y.radix, up)))
                break
            if down.whole:
                b = split(b, y, *((down, x.radix) if at_end else (x.radix, down)))
                break
        else:
            raise Refused(
                f"of the radices {pair[0].radix} and {pair[1].radix} neither divides the other"
            )
    raise Refused(f"more than {MOST_SPLITS} splits")


def bare(a: Diagram) -> list[Digit]:
    """Return the wires that occur in the phase only: in no port and no argument."""
    used = {x for port in a.ports for x in port} | {
        x for _, arguments in a.boxes for p in arguments for x in free(p).values()
    }
    return sorted(a.wires - used, key=lambda x: x.name)


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
        E = poly(
            ((x.radix * dim, tuple(y for y in atoms if y != x)), c)
            for (dim, atoms), c in linear.terms
        )
        E = Poly(frozenset(t for t in E.terms if not (Poly(frozenset({t})) / x.radix).integral))
        if not E.integral:
            continue
        rest = replace(
            a,
            wires=a.wires - {x},
            number=complex_times((Poly.of(x.radix), Poly.of(0)), a.number),
            phase=others,
        )
        if not E.terms:
            return reduced(rest)
        for (dim, atoms), c in sorted(E.terms, key=str):
            if (
                dim != ONE
                or len(atoms) != 1
                or abs(c) != 1
                or atoms[0] not in a.wires
                or atoms[0].radix != x.radix
            ):
                continue
            y: Digit = atoms[0]
            Z = (E - Poly.of(c) * y) * -c
            z = next((z for z in a.wires - {y} if z.radix == y.radix and Z == Poly.of(z)), None)
            if z is not None:
                return reduced(put(rest, y, (z,), Z))
            if (
                y in bare(rest)
                and y.name not in free(Z)
                and (replace_digits(others, {y.name: Poly.of(y) + x.radix}) - others).integral
            ):
                return reduced(put(rest, y, (), Z))
    return a


def quarter_turns(a: Diagram) -> Diagram:
    """Return the diagram with a constant phase of 1/4, 1/2 or 3/4 as the number i, -1 or -i, and
    without integers in the phase.
    """
    kept, number = Poly.of(0), a.number
    for (dim, atoms), c in a.phase.terms:
        if dim == ONE and not atoms and (4 * c).denominator == 1:
            turns = int(4 * c) % 4
            number = complex_times(
                number, (Poly.of((1, 0, -1, 0)[turns]), Poly.of((0, 1, 0, -1)[turns]))
            )
        elif not Poly(frozenset({((dim, atoms), c)})).integral:
            kept = kept + Poly(frozenset({((dim, atoms), c)}))
    return replace(a, phase=kept, number=number)


def same(a: Diagram, b: Diagram) -> bool:
    """Return whether two diagrams are equal but for their numbers. False only says that it was not
    seen.
    """
    keys = [key for key, _ in a.boxes]
    for order in permutations(range(len(b.boxes))):
        if [b.boxes[i][0] for i in order] == keys:
            ports = b.ports[:2] + tuple(
                port for i in order for port in b.ports[2 * i + 2 : 2 * i + 4]
            )
            if _same_ports(a, replace(b, boxes=tuple(b.boxes[i] for i in order), ports=ports)):
                return True
    return False


def _same_ports(a: Diagram, b: Diagram) -> bool:
    try:
        while any(
            [x.radix for x in p] != [x.radix for x in q]
            for p, q in zip(a.ports, b.ports, strict=True)
        ):
            for i in range(len(a.ports)):
                a, b = refined(a, i, b, i)
    except Refused:
        return False
    a, b = reduced(replace(a, number=REAL_ONE)), reduced(replace(b, number=REAL_ONE))
    if a.number != b.number:
        return False
    names: dict[Digit, Digit] = {}
    for p, q in zip(a.ports, b.ports, strict=True):
        if len(p) != len(q) or any(
            x.radix != y.radix or names.setdefault(y, x) != x for x, y in zip(p, q, strict=True)
        ):
            return False
    inner, others = (
        [x for x in d.wires if x not in {y for port in d.ports for y in port}] for d in (a, b)
    )
    if (
        len(set(names.values())) != len(names)
        or not len(inner) == len(others) <= MOST_BARE
        or names.keys() & {*others}
    ):
        return False
    return any(
        _same_phase(a, b, names, dict(zip(others, order, strict=True)))
        for order in permutations(inner)
    )


def _same_phase(
    a: Diagram, b: Diagram, names: dict[Digit, Digit], inner: dict[Digit, Digit]
) -> bool:
    """Return whether a is b with its wires renamed; a bare wire x may be -x where the phase has the
    period of its radix.
    """
    if any(y.radix != x.radix for y, x in inner.items()):
        return False
    loose = {*bare(b)} & inner.keys()
    flips = [
        y
        for y in loose
        if (replace_digits(b.phase, {y.name: Poly.of(y) + y.radix}) - b.phase).integral
    ]
    for signs in product((1, -1), repeat=len(flips)):
        values = {y.name: Poly.of(x) for y, x in {**names, **inner}.items()}
        values |= {y.name: Poly.of(inner[y]) * sign for y, sign in zip(flips, signs, strict=True)}
        boxes = [tuple(substitute(p, values) for p in arguments) for _, arguments in b.boxes]
        if (
            boxes == [arguments for _, arguments in a.boxes]
            and (replace_digits(b.phase, values) - a.phase).integral
        ):
            return True
    return False


def equal(left: Term, right: Term) -> bool:
    """Return whether two terms are equal, as their diagrams show: the numbers of equal ones add up
    to 0 in left - right.

    False only says that it was not seen. Refused: names that are no identifiers, radices that do
    not divide.
    """
    need(
        all(name.isidentifier() for name in free(left, right)),
        "names of free variables are identifiers",
    )
    need(left.shape == right.shape, "{} and {} have different shapes", left, right)
    minus = (Poly.of(-1), Poly.of(0))
    groups: list[tuple[Diagram, tuple[Poly, Poly]]] = []
    found = [quarter_turns(reduced(a)) for a in diagrams(left)]
    found += [
        quarter_turns(reduced(replace(b, number=complex_times(minus, b.number))))
        for b in diagrams(right)
    ]
    for a in found:
        at = next((i for i, (b, _) in enumerate(groups) if same(b, a)), None)
        if at is None:
            groups.append((a, a.number))
        else:
            groups[at] = (
                groups[at][0],
                (groups[at][1][0] + a.number[0], groups[at][1][1] + a.number[1]),
            )
    return all(not re.terms and not im.terms for _, (re, im) in groups)
