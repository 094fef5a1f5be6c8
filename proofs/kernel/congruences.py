"""Congruences between digits, as factors [E = 0 mod d] of a diagram. Trusted; standard library
only.

[A] is 1 where A holds and 0 elsewhere, E an integer in the digits. Where nothing is seen, the
congruence stands in the phase, as 1/d times the sum of w^(x E / d) over a wire x of radix d.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd

from proofs.kernel.diagrams import Diagram, bare, digit, put, wire
from proofs.kernel.numbers import ONE, Digit, Dim, Nat, Poly
from proofs.kernel.phases import (
    NIL,
    bounds,
    complex_times,
    periodic,
    positive,
    replace_digits,
    solutions,
)
from proofs.kernel.terms import free


def settled(rest: Diagram, E: Poly, d: Dim) -> Diagram | None:
    """Return [E = 0 mod d] times a diagram, None where nothing is seen; E = 0 mod d if E / q = 0
    mod d / q, for an integer q.
    """
    E = Poly(frozenset(t for t in E.terms if not (Poly(frozenset({t})) / d).integral))
    q = common_divisor(E, d)
    E, d = E / q, d / q
    if not E.terms:
        return rest
    for way in (solved, by_range, without_carry, forced, split_wires, eliminate):
        if (found := way(rest, E, d)) is not None:
            return found
    return condition(rest, E, d) if q != ONE else None


def common_divisor(E: Poly, d: Dim) -> Dim:
    """Return a size that divides d, and E for all values of its digits; 1 where none is seen."""
    q = d
    for (dim, _), c in E.terms:
        (((symbols, _), number),) = Poly.of(q).terms
        powers = dict(dim.powers)
        shared = ((b, _least(e, powers.get(b, Nat.of(0)))) for b, e in symbols.powers)
        q = Dim(frozenset((b, e) for b, e in shared if e.natural and e))
        q = q * gcd(int(number), int(c))
    return q if (E / q).integral and (d / q).whole else ONE


def _least(e: Nat, f: Nat) -> Nat:
    """Return the lesser of two numbers, 0 where that is not clear."""
    return e if (f - e).natural else f if (e - f).natural else Nat.of(0)


def condition(a: Diagram, E: Poly, d: Dim) -> Diagram:
    """Return [E = 0 mod d] times a diagram, 1/d times a sum over a new wire."""
    x = wire(d)
    number = complex_times((Poly.of(1) / d, Poly.of(0)), a.number)
    return replace(a, wires=a.wires | {*x}, number=number, phase=a.phase + E * digit(x) / d)


def linear_digits(E: Poly) -> list[tuple[Digit, Poly]]:
    """Return y and Z for all E = +-(y - Z), y a digit that is not in Z."""
    found = []
    for (dim, atoms), c in sorted(E.terms, key=str):
        if dim == ONE and len(atoms) == abs(c) == 1 and type(y := atoms[0]) is Digit:
            Z = (E - Poly.of(c) * y) * -c
            found += [(y, Z)] if y.name not in free(Z) else []
    return found


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
            one, other = put(rest, y, (z,), Poly.of(z)), replace_digits(E, {y.name: Poly.of(z)})
            return settled(one, other, d) or condition(one, other, d)
        free_of_y = y.radix == d and y in bare(rest) and y.name not in free(Z)
        if free_of_y and periodic(rest.phase, y, d):
            return put(rest, y, (), Z)
    return None


def single_multiple(E: Poly, d: Dim) -> Poly | None:
    """Return E - q d, which is 0 if E = 0 mod d: no other multiple of d is in the range of E."""
    if (ends := bounds(E)) is None:
        return None
    for q in (0, 1, -1, 2, -2):
        middle = Poly.of(d) * q
        if positive(ends[0] - middle + d) and positive(middle - ends[1] + d):
            return E - middle
    return None


def by_range(rest: Diagram, E: Poly, d: Dim) -> Diagram | None:
    """Return [E = 0 mod d] times a diagram where it says that E - q d = 0 (`single_multiple`).

    0 if that is never 0. With y = Z, if it is +-(y - Z), y is bare, and Z is in the range of y. If
    0 is a bound of it, and it is a sum of digits with factors and a number, all digits are at their
    bounds, 0 or radix - 1. None where it is none of these.
    """
    if (zero := single_multiple(E, d)) is None or (ends := bounds(zero)) is None:
        return None
    if positive(ends[0]) or positive(ends[1] * -1):
        return replace(rest, number=NIL)
    for y, Z in linear_digits(zero):
        if y in bare(rest) and in_range(Z, y.radix):
            return put(rest, y, (), Z)
    return None if all(end.terms for end in ends) else at_bounds(rest, zero, d, bool(ends[0].terms))


def in_range(Z: Poly, d: Dim) -> bool:
    """Return whether an integer is seen to be one from 0 to d - 1."""
    ends = bounds(Z)
    return ends is not None and positive(ends[0] + 1) and positive(ends[1] * -1 + d)


def at_bounds(rest: Diagram, zero: Poly, d: Dim, greatest: bool) -> Diagram | None:
    """Return a diagram where a sum of digits has its least or greatest value, so that each digit
    has it; None where a digit stands in two summands, or nothing new is said.
    """
    each = [(x, c) for (_, atoms), c in zero.terms for x in atoms if type(x) is Digit]
    digits = {x for x, _ in each}
    if len(digits) < len(each) or any(len(atoms) > 1 for (_, atoms), _ in zero.terms):
        return None
    if len(each) == 1 and all(y.radix == d and y not in bare(rest) for y in digits):
        return None
    for y, c in sorted(each, key=str):
        value = Poly.of(y.radix) - 1 if (c > 0) == greatest else Poly.of(0)
        inner = y in bare(rest)
        rest = put(rest, y, (), value) if inner else condition(rest, Poly.of(y) - value, y.radix)
    return rest


def without_carry(rest: Diagram, E: Poly, d: Dim) -> Diagram | None:
    """Return [E = 0 mod d] times a diagram, where E = s G + H, s divides d, and H = 0 mod s says
    that H - q s = 0 (`single_multiple`): it is [H = 0 mod s] [G + q = 0 mod d / s] then, since
    E = s (G + q) where H = q s.
    """
    for term in sorted(E.terms, key=str):
        s = common_divisor(Poly(frozenset({term})), d)
        G = Poly(frozenset(t for t in E.terms if (Poly(frozenset({t})) / s).integral))
        H = E - G
        if s not in (ONE, d) and H.terms and (zero := single_multiple(H, s)) is not None:
            new = condition(rest, (G + H - zero) / s, d / s)
            found = settled(new, H, s)
            return condition(new, H, s) if found is None else found
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
            rest = put(rest, y, z, new) if inner else condition(rest, Poly.of(y) - new, y.radix)
            E = replace_digits(E, {y.name: new})
    return rest if (E / d).integral else None


def split_wires(rest: Diagram, E: Poly, d: Dim) -> Diagram | None:
    """Return [E = 0 mod d] times a diagram, a wire of E in two, of which d times the first has no
    part in it; one that is bare only where that leads on.
    """
    for y in sorted((y for y in rest.wires if y in _atoms(E)), key=lambda y: y.name):
        up = y.radix / d
        if up.whole and up != ONE:
            high, low = wire(up), wire(d)
            value = digit(high) * d + digit(low)
            new, E_low = put(rest, y, high + low, value), replace_digits(E, {y.name: digit(low)})
            found = settled(new, E_low, d)
            if found or y not in bare(rest):
                return found or condition(new, E_low, d)
    return None


def eliminate(rest: Diagram, E: Poly, d: Dim) -> Diagram | None:
    """Return [E = 0 mod d] times a diagram, with Z for y in its phase: y is the first wire of the
    ports with E = +-(y - Z) and a phase that does not change by y -> y + d but for integers, or
    with E - q d = +-(y - Z), which is 0 (`single_multiple`). None where its phase is without y.
    """
    zero = single_multiple(E, d) or Poly.of(0)
    loose, tight = dict(linear_digits(E)), dict(linear_digits(zero))
    for y in dict.fromkeys(x for port in rest.ports for x in port):
        Z = loose.get(y) if periodic(rest.phase, y, d) else tight.get(y)
        if Z is not None and all(len(atoms) < 2 for (_, atoms), _ in Z.terms):
            phase = replace_digits(rest.phase, {y.name: Z})
            return condition(replace(rest, phase=phase), E, d) if y in _atoms(rest.phase) else None
    return None


def _atoms(p: Poly) -> set[object]:
    return {x for (_, atoms), _ in p.terms for x in atoms}
