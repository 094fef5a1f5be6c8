"""Matrices with one entry in each column, read at a single column: so sizes are reached that no
vector fills.

    monomial = I | J | R | L | xor | diag | perm, affine in its digits | what these define
             | products, powers, (x), (+), prod, inv, transpose and conj of them, and multiples

A column j has its entry, a rational number times w^phase, in row i. `back` finds the column of a
row, which inverses and transposes need. A permutation is taken for one only where that is certain:
with one digit a j + b of N places if a and N have no common divisor; with several, if their weights
are those of a number in mixed radices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, prod

from derive.exact.claim import valued
from derive.formula.grammar import Formula, I
from derive.formula.leaves import row_of
from derive.formula.permutation_matrices import Bmmc, J, L, R
from derive.text.expressions import NotWhole, value
from derive.text.syntax import (
    Applied,
    Defined,
    DirectSum,
    Kron,
    Leaf,
    Ordered,
    Power,
    Product,
    Ranged,
    Scaled,
    Text,
)
from derive.text.text_matrices import defined_at, meant, polynomial

LEAVES = frozenset(("I", "J", "R", "L", "xor"))
Entry = tuple[Fraction, Fraction]
"""A number and a phase, c w^x."""
ONE: Entry = (Fraction(1), Fraction(0))


class NoSingleEntry(ValueError):
    """A matrix has more than one entry in a column, or may have."""


def is_monomial(text: Text) -> bool:
    """Return whether every matrix of a text has one entry in each column, or may have."""
    match text:
        case Leaf(name):
            definition = meant(text)
            return name in LEAVES or (definition is not None and is_monomial(definition))
        case Defined() | Ranged():
            return True
        case Product() | Kron() | DirectSum() | Power() | Scaled() | Applied():
            return all(map(is_monomial, text.parts))
        case Ordered(name="prod"):
            return is_monomial(text.body)
    return False


def spelled(entry: Entry) -> str:
    """Return an entry in one way only: a number that is not negative and a phase from 0 to 1."""
    number, phase = entry
    if number < 0:
        number, phase = -number, phase + Fraction(1, 2)
    phase %= 1
    return valued([(phase.numerator, number)] if number else [], phase.denominator)


def _times(a: Entry, b: Entry) -> Entry:
    return a[0] * b[0], (a[1] + b[1]) % 1


def place(formula: Formula, j: int, back: bool = False) -> tuple[int, Entry]:
    """Return the row of a column's entry, or the column of a row's, and the entry."""
    match formula:
        case Product(factors):
            entry = ONE
            for factor in factors if back else reversed(factors):
                j, one = place(factor, j, back)
                entry = _times(entry, one)
            return j, entry
        case Kron(operands):
            at, entry, weight = 0, ONE, 1
            for operand in reversed(operands):
                j, digit = divmod(j, size := operand.size)
                digit, one = place(operand, digit, back)
                at, entry, weight = at + digit * weight, _times(entry, one), weight * size
            return at, entry
        case DirectSum(terms):
            return _stacked(terms, j, back)
        case Scaled(by, imaginary, of):
            i, entry = place(of, j, back)
            return i, _times(entry, (by, Fraction(3, 4) * imaginary))
        case Applied("conj", of):
            i, (number, phase) = place(of, j, back)
            return i, (number, -phase)
        case Applied(name, of):
            i, (number, phase) = place(of, j, not back)
            if name == "inv" and not number:
                raise NotWhole("0 has no inverse")
            return i, ((1 / number, -phase) if name == "inv" else (number, phase))
    return _with_name(formula, j, back)


def _stacked(terms: Sequence[Formula], j: int, back: bool) -> tuple[int, Entry]:
    before = 0
    for term in terms:
        if j < before + term.size:
            i, entry = place(term, j - before, back)
            return before + i, entry
        before += term.size
    raise NoSingleEntry(f"no block has column {j}")


def _with_name(formula: Formula, j: int, back: bool) -> tuple[int, Entry]:
    match formula:
        case I():
            return j, ONE
        case J(n):
            return n - 1 - j, ONE
        case R(N):
            bits = N.bit_length() - 1
            return int(f"{j:0{bits}b}"[::-1], 2) if bits else 0, ONE
        case L(N, r):
            return (j % (N // r) * r + j // (N // r) if back else j % r * (N // r) + j // r), ONE
        case Bmmc(address):
            return int((address.inverse() if back else address)(j)), ONE
        case Ranged("diag", indices, of):
            digits, rest = dict[str, Fraction](), j
            for name, radix in reversed(indices):
                rest, digit = divmod(rest, radix)
                digits[name] = Fraction(digit)
            return j, (Fraction(1), value(of, digits) % 1)
        case Ranged(_, indices, of):
            found = polynomial(of)
            if any(len(names) > 1 for names in found):
                raise NoSingleEntry(f"{formula} is not affine in its digits")
            weights = {names[0]: number for names, number in found.items() if names}
            offset = found.get((), Fraction(0))
            return _numbered(dict(indices), weights, offset, j, back), ONE
        case Leaf(name) if row_of(name).means:
            arguments = [getattr(formula, x) for x in formula.__match_args__]
            return place(defined_at(name, arguments), j, back)
    raise NoSingleEntry(f"{formula}")


def _numbered(
    radices: Mapping[str, int],
    weights: Mapping[str, Fraction],
    offset: Fraction,
    j: int,
    back: bool,
) -> int:
    """Return where a permutation by digits puts an element, or which it puts there; NotWhole where
    it may be no permutation.
    """
    N = prod(radices.values())
    spoken = {name: radix for name, radix in radices.items() if radix > 1}
    by = {name: weights.get(name, Fraction(0)) for name in spoken}
    if offset.denominator != 1 or any(weight.denominator != 1 for weight in by.values()):
        raise NotWhole("places are integers")
    if len(spoken) == 1:
        [weight] = map(int, by.values())
        if gcd(weight, N) > 1:
            raise NotWhole("two elements at one place")
        return (
            (j - int(offset)) * pow(weight, -1, N) % N if back else (j * weight + int(offset)) % N
        )
    before = 1
    for name in sorted(spoken, key=lambda name: by[name]):
        if by[name] != before:
            raise NotWhole("perhaps two elements at one place")
        before *= spoken[name]
    found, index_weight = 0, 1
    place = (j - int(offset)) % N if back else j
    for name in reversed(spoken):
        weights_of = (index_weight, int(by[name]))
        own, other = reversed(weights_of) if back else weights_of
        found += place // own % spoken[name] * other
        index_weight *= spoken[name]
    return found if back else (found + int(offset)) % N
