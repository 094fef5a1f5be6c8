"""Terms as dense matrices over GF(q) at numbers drawn at random: a reading of every term that shares nothing with the path sums.

A phase is a rational number of turns, so w^phase is a power of one root of unity w of order L, L a multiple of every
denominator that occurs and of 4, and q = 1 mod L is a prime. An equation that fails here is refuted at these numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.kernel import Thm
from proofs.terms import Block, Digit, Dim, F, I, Kron, Mul, Nat, Pi, Poly, Real, S, Sum, Term, Var, W, free

Matrix = NDArray[np.int64]
Numbers = dict[str, Any]
"""Free variables: int for naturals, sizes and digits, Fraction for reals; matrices are drawn."""


@dataclass
class Field:
    """GF(q) with a root of unity of order L; without q, a record of what L has to be a multiple of."""

    L: int = 4
    q: int = 0
    root: int = 0
    commuting: bool = False
    drawn: dict[Any, Matrix] = field(default_factory=dict)

    def power(self, phase: Fraction) -> int:
        """Return w^phase."""
        if self.q == 0:
            self.L = lcm(self.L, phase.denominator)
            return 1
        return pow(self.root, int(phase * self.L) % self.L, self.q)

    def number(self, c: Fraction) -> int:
        """Return a rational number."""
        return c.numerator * pow(c.denominator, -1, self.q) % self.q if self.q else 1

    def matrix(self, name: str, rows: int, cols: int) -> Matrix:
        """Return what stands for a matrix variable; circulant, so that they commute, if that is asked for."""
        if (name, rows, cols) not in self.drawn:
            rng = np.random.default_rng([rows, cols, *name.encode()])
            found = rng.integers(0, max(self.q, 2), (rows, cols))
            if self.commuting and rows == cols:
                found = np.stack([np.roll(found[0], i) for i in range(rows)])
            self.drawn[name, rows, cols] = found
        return self.drawn[name, rows, cols]


def natural(x: Nat, at: Numbers) -> int:
    """Return the value of an exponent."""
    total = 0
    for names, c in x.terms:
        for name in names:
            c *= at[name]
        total += c
    return total


def rational(d: Dim, at: Numbers) -> Fraction:
    """Return the value of a monomial of powers."""
    total = Fraction(1)
    for base, exponent in d.powers:
        total *= Fraction(at[base] if isinstance(base, str) else base) ** natural(exponent, at)
    return total


def integer(d: Dim, at: Numbers) -> int:
    """Return the value of a size."""
    value = rational(d, at)
    assert value.denominator == 1 and value >= 1, f"{d} is {value}"
    return int(value)


def turns(p: Poly, at: Numbers) -> Fraction:
    """Return the value of a phase."""
    total = Fraction(0)
    for (dim, atoms), c in p.terms:
        value = c * rational(dim, at)
        for atom in atoms:
            value *= at[atom.name]
        total += value
    return total


def dense(term: Term, at: Numbers, gf: Field) -> Matrix:
    """Return a term as a matrix over GF(q)."""
    match term:
        case I(d):
            return np.eye(integer(d, at), dtype=np.int64)
        case F(d, sign):
            N = integer(d, at)
            row = np.array([gf.power(Fraction(sign * j, N)) for j in range(N)])
            return row[np.outer(np.arange(N), np.arange(N)) % N]
        case S(u, t):
            p, r = integer(u, at), integer(t, at)
            found = np.zeros((p * r, p * r), dtype=np.int64)
            for j in range(p * r):
                found[j % p * r + j // p, j] = 1
            return found
        case W(phase):
            return np.array([[gf.power(turns(phase, at))]])
        case Kron(a, b):
            return _reduced(np.kron(dense(a, at, gf), dense(b, at, gf)), gf)
        case Mul(a, b):
            return _reduced(dense(a, at, gf) @ dense(b, at, gf), gf)
        case Sum(summands):
            i = gf.power(Fraction(1, 4))
            return _reduced(
                sum(
                    (gf.number(turns(re, at)) + i * gf.number(turns(im, at))) % (gf.q or 2) * dense(t, at, gf) % (gf.q or 2) for re, im, t in summands
                ),
                gf,
            )
        case Block(x, body):
            return _diagonal([dense(body, {**at, x.name: value}, gf) for value in range(integer(x.radix, at))])
        case Pi(count, k, l, body):
            factors = natural(count, at)
            total = np.eye(integer(term.shape[0], at), dtype=np.int64)
            for i in range(factors):
                total = _reduced(dense(body, {**at, k: i, l: factors - 1 - i}, gf) @ total, gf)
            return total
        case Var(name, rows, cols):
            return gf.matrix(name, integer(rows, at), integer(cols, at))
    raise TypeError(f"{term!r} is no term")


def _reduced(x: Any, gf: Field) -> Matrix:
    return np.asarray(x) % (gf.q or 2)


def _diagonal(blocks: list[Matrix]) -> Matrix:
    found = np.zeros((sum(len(b) for b in blocks), sum(b.shape[1] for b in blocks)), dtype=np.int64)
    row = col = 0
    for b in blocks:
        found[row : row + len(b), col : col + b.shape[1]] = b
        row, col = row + len(b), col + b.shape[1]
    return found


LARGEST_PRIME = 2**26
"""Sums of up to 2^10 products stay below 2^63."""


def prime(L: int, rng: Random) -> int:
    """Return a prime q = 1 mod L below 2^26, as large as a random start allows; raise ValueError where there is none."""
    most = (LARGEST_PRIME - 1) // L
    for c in range(rng.randint(max(1, most // 2), max(1, most)), 0, -1):
        q = c * L + 1
        if all(q % p for p in range(2, int(q**0.5) + 1)):
            return q
    raise ValueError(f"no prime q = 1 mod {L} below {LARGEST_PRIME}")


def root_of_unity(L: int, q: int) -> int:
    """Return an element of order L in GF(q)."""
    primes = [p for p in range(2, L + 1) if L % p == 0 and all(p % r for r in range(2, int(p**0.5) + 1))]
    for g in range(2, q):
        w = pow(g, (q - 1) // L, q)
        if all(pow(w, L // p, q) != 1 for p in primes):
            return w
    raise ValueError(f"GF({q}) has no element of order {L}")


def draw(sorts: dict[str, Any], rng: Random) -> Numbers:
    """Return random numbers for free variables of these sorts."""
    at: Numbers = {}
    for name, sort in sorts.items():
        if sort == "natural":
            at[name] = rng.choice((0, 1, 1, 2, 2, 3))
        elif sort == "size":
            at[name] = rng.randint(1, 5)
        elif isinstance(sort, Real):
            at[name] = Fraction(rng.randint(-9, 9), rng.choice((3, 5, 7)))
    for name, sort in sorts.items():
        if isinstance(sort, Digit):
            at[name] = rng.randrange(integer(sort.radix, at))
    return at


@dataclass(frozen=True)
class Difference:
    """Numbers at which two terms differ."""

    at: str
    row: int
    col: int


def samples(left: Term, right: Term, rng: Random, most: int = 64, wanted: int = 2) -> Iterator[Numbers]:
    """Yield numbers at which two terms have between 1 and `most` rows, the largest of many draws."""
    sorts = free(left, right)
    found = [draw(sorts, rng) for _ in range(60)]
    sized = sorted(((max(rational(d, at) for d in left.shape), i) for i, at in enumerate(found)), reverse=True)
    yield from [found[i] for size, i in sized if size <= most][:wanted]


def compare(left: Term, right: Term, at: Numbers, rng: Random, commuting: bool = False) -> Difference | None:
    """Return where two terms differ at these numbers."""
    record = Field()
    for term in (left, right):
        dense(term, at, record)
    q = prime(record.L, rng)
    gf = Field(record.L, q, root_of_unity(record.L, q), commuting)
    a, b = dense(left, at, gf) % q, dense(right, at, gf) % q
    if np.array_equal(a, b):
        return None
    row, col = (int(x) for x in np.argwhere(a != b)[0])
    return Difference(", ".join(f"{name} = {value}" for name, value in sorted(at.items())), row, col)


def differ(left: Term, right: Term, rng: Random, most: int = 64, wanted: int = 3) -> Difference | None:
    """Return where two terms differ at one of several random numbers; None says that they agreed at all of them."""
    for at in samples(left, right, rng, most, wanted):
        found = compare(left, right, at, rng)
        if found:
            return found
    return None


def confirm(theorem: Thm, rng: Random, most: int = 64, wanted: int = 2) -> int:
    """Return at how many random numbers the two sides of a theorem were found equal.

    Numbers at which a hypothesis fails say nothing and are left out. Raises AssertionError at a difference.
    """
    agreed = 0
    for at in samples(theorem.left, theorem.right, rng, most, wanted):
        commuting = bool(theorem.hypotheses)
        at_all = {**draw(free(*(side for h in theorem.hypotheses for side in (h.left, h.right))), rng), **at}
        if any(compare(h.left, h.right, at_all, rng, commuting) for h in theorem.hypotheses):
            continue
        found = compare(theorem.left, theorem.right, at, rng, commuting)
        assert found is None, f"{theorem} fails at {found}"
        agreed += 1
    return agreed
