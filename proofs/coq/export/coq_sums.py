"""Sums over digits that stand in the phase only, done where they are geometric, as Coq proofs.

With d the radix of x, the sum of w^(x E / d) over x is d if E = 0 modulo d, and 0 if not. So it
puts y = Z into the rest where E = y - Z or Z - y.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from proofs.coq.export import coq_text
from proofs.coq.export.actions import Summand, nested
from proofs.coq.export.coq_text import integer, name, size
from proofs.kernel.numbers import ONE, Digit, Dim, Poly, poly
from proofs.kernel.phases import complex_times
from proofs.kernel.terms import free, substitute

P, Q = "~p", "~q"


@dataclass(frozen=True)
class Geometric:
    """A digit x that stands in the phase as x E / d, and what is left of the phase."""

    x: Digit
    E: Poly
    rest: Poly


def bare(s: Summand) -> list[Digit]:
    """Return the digits that stand in the phase only."""
    seen = {*s.columns}
    for term, rows, cols in s.boxes:
        seen |= {*rows, *cols, *(x for x in free(term).values() if type(x) is Digit)}
    return [x for x in s.inner if x not in seen]


def geometric(s: Summand, x: Digit) -> Geometric | None:
    """Return how a digit stands in the phase, None where its sum is not geometric."""
    rest = Poly(frozenset((m, c) for m, c in s.phase.terms if x not in m[1]))
    linear = s.phase - rest
    if any(m[1].count(x) > 1 for m, _ in linear.terms):
        return None
    E = poly(((x.radix * m[0], tuple(y for y in m[1] if y != x)), c) for m, c in linear.terms)
    E = Poly(frozenset(t for t in E.terms if not (Poly(frozenset({t})) / x.radix).integral))
    return Geometric(x, E, rest) if E.integral else None


def reduced(s: Summand) -> tuple[list[str], Summand]:
    """Return a summand with its geometric sums done, and the proof that it is the same."""
    lines: list[str] = []
    while True:
        found = next((f for x in bare(s) for f in [_step(s, x)] if f), None)
        if found is None:
            return lines, s
        more, new = found
        lines += [f"transitivity ({new.text()}).", "{", *more, "}"]
        s = new


def _step(s: Summand, x: Digit) -> tuple[list[str], Summand] | None:
    sum_of = geometric(s, x)
    if sum_of is None:
        return None
    return _solved(s, sum_of) if sum_of.E.terms else _all(s, sum_of)


def moved(s: Summand, inner: tuple[Digit, ...]) -> list[str]:
    """Return the proof that sums change places, as far as it; the goal begins with the sum."""
    lines, now = [], [*s.inner]
    for place, x in enumerate(inner):
        for at in range(now.index(x), place, -1):
            now[at - 1 : at + 1] = now[at], now[at - 1]
            under = f"do {at - 1} (apply sum_ext; intros ? _; cbv beta); " if at > 1 else ""
            lines.append(f"transitivity ({nested(now, s.body())}). {{ {under}apply sum_swap. }}")
    return lines


def _opened(outer: tuple[Digit, ...]) -> list[str]:
    return [f"apply sum_ext; intros {name(x.name)} H{name(x.name)}; cbv beta." for x in outer]


def _all(s: Summand, g: Geometric) -> tuple[list[str], Summand]:
    """Return a summand without x, where E = 0."""
    outer = tuple(y for y in s.inner if y != g.x)
    bodied = replace(s, inner=(), phase=g.rest)
    new = replace(bodied, inner=outer, numbers=(*s.numbers, (Poly.of(g.x.radix), Poly.of(0))))
    plus, minus = integer(s.phase - g.rest)
    shift = (
        f"(root_shift K ({coq_text.phase(s.phase)}) ({coq_text.phase(g.rest)}) ({minus}) ({plus}))"
    )
    return [
        *moved(s, (*outer, g.x)),
        *_opened(outer),
        _times(g.x.radix, bodied),
        f"apply same_all; intros {name(g.x.name)} H;"
        f" first [reflexivity | rewrite {shift} by phase; reflexivity].",
    ], new


def _solved(s: Summand, g: Geometric) -> tuple[list[str], Summand] | None:
    """Return a summand with y = Z, where E = y - Z or Z - y."""
    d = g.x.radix
    for (dim, atoms), c in sorted(g.E.terms, key=str):
        if dim != ONE or len(atoms) != 1 or abs(c) != 1:
            continue
        (y,) = atoms
        if y not in s.inner or y == g.x or y.radix != d or type(y) is not Digit:
            continue
        Z = (g.E - Poly.of(c) * y) * -c
        z = next((z for z in free(Z).values() if type(z) is Digit and Z == Poly.of(z)), None)
        if z is not None and z.radix == d:
            return _put(s, g, y, Z, int(c), z)
        if y in bare(s) and y.name not in free(Z) and _periodic(g.rest, y):
            return _put(s, g, y, Z, int(c), None)
    return None


def _turned(phase: Poly, y: Digit, Z: Poly) -> Poly:
    """Return what a phase changes by where y is Z and a multiple of its radix."""
    more = Poly.of(Digit(Q, y.radix)) - Digit(P, y.radix)
    values = {y.name: Z + more * y.radix}
    return Poly((substitute(phase, values) - substitute(phase, {y.name: Z})).terms)


def _periodic(phase: Poly, y: Digit) -> bool:
    return _turned(phase, y, Poly.of(0)).integral


def _put(
    s: Summand, g: Geometric, y: Digit, Z: Poly, c: int, z: Digit | None
) -> tuple[list[str], Summand] | None:
    x, d = g.x, g.x.radix
    outer = tuple(one for one in s.inner if one not in (x, y))
    before = replace(s, inner=(), phase=g.rest)
    after = _replaced(before, y, Z, z)
    if after is None:
        return None
    new = replace(after, inner=outer, numbers=(*s.numbers, (Poly.of(d), Poly.of(0))))
    b, a = integer(Z)
    plus, minus = integer(s.phase - g.rest - Poly.of(x) * g.E / d)
    one, two = f"[{name(y.name)} + ({a})]", f"[{b}]"
    ends = (one, two) if c > 0 else (two, one)
    root = f"root ([{name(x.name)}] * ({ends[0]} - {ends[1]}) / [{size(d)}])"
    rest = coq_text.phase(g.rest)
    return [
        *moved(s, (*outer, y, x)),
        *_opened(outer),
        _times(d, after),
        f"apply (found_{'plus' if c > 0 else 'minus'} _ ({size(d)}) ({a}) ({b}) _"
        f" (fun {name(y.name)} => {before.body()})).",
        "{ positive. }",
        f"{{ intros {name(y.name)} {name(x.name)} H{name(y.name)} H{name(x.name)}; cbv beta.",
        f"replace (root ({coq_text.phase(s.phase)})) with ({root} * root ({rest}))%entry; [ring|].",
        f"rewrite <- root_add; symmetry; apply (root_shift K _ _ ({minus}) ({plus})); phase. }}",
        f"{{ intros {name(y.name)} p q H{name(y.name)} He; cbv beta.",
        *_ended(g.rest, y, Z, z),
        "}",
    ], new


def _times(d: Dim, body: Summand) -> str:
    """Return how d comes to stand before a body: as one size, and as a number."""
    number = coq_text.number(Poly.of(d), Poly.of(0))
    first = f"transitivity (complex [{size(d)}] 0 * {body.body()})%entry"
    same = "apply (f_equal (fun x => times (ring K) x _)); apply complex_eq; phase"
    return f"{first}; [|transitivity ({number} * {body.body()})%entry; [{same}|ring]]."


def _replaced(s: Summand, y: Digit, Z: Poly, z: Digit | None) -> Summand | None:
    """Return a summand with y = Z, or with y = z."""
    phase = Poly(substitute(s.phase, {y.name: Z}).terms)
    if z is None:
        return replace(s, phase=phase)

    def new(x: Digit) -> Digit:
        return z if x == y else x

    if any(y.name in free(term) for term, _, _ in s.boxes):
        return None
    boxes = tuple((t, [*map(new, rows)], [*map(new, cols)]) for t, rows, cols in s.boxes)
    return replace(s, phase=phase, boxes=boxes, columns=tuple(map(new, s.columns)))


def _ended(rest: Poly, y: Digit, Z: Poly, z: Digit | None) -> list[str]:
    """Return the proof that the rest is what it is at y = Z."""
    there = Poly(substitute(rest, {y.name: Z}).terms)
    if z is not None:
        one, other = name(y.name), name(z.name)
        spelled, wanted = _spelled(rest, y, z), coq_text.phase(there)
        rewritten = f"rewrite (root_eq K ({spelled}) ({wanted})) by phase."
        return [
            f"assert ({one} = {other}) as ->",
            "  by (eapply one_digit; [eassumption|eassumption|exact He]).",
            *([rewritten] if spelled != wanted else []),
            "reflexivity.",
        ]
    plus, minus = integer(_turned(rest, y, Z))
    return [
        "apply (turned K) in He.",
        f"rewrite (root_shift K ({coq_text.phase(rest)}) ({coq_text.phase(there)})"
        f" ({minus}) ({plus})) by (rewrite He; phase).",
        "reflexivity.",
    ]


def _spelled(phase: Poly, y: Digit, z: Digit) -> str:
    return coq_text.respelled(coq_text.phase(phase), {name(y.name): name(z.name)})


def coefficient(s: Summand) -> tuple[Poly, Poly]:
    """Return the number in front of a sum."""
    total = Poly.of(1), Poly.of(0)
    for x in s.numbers:
        total = complex_times(total, x)
    return total
