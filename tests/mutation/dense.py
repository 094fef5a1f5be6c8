"""Terms as dense matrices over GF(q) at numbers drawn at random: a reading of every term that
shares nothing with the path sums.

A phase is a rational number of turns, so w^phase is a power of one root of unity w of order L, L a
multiple of every denominator that occurs and of 4, and q = 1 mod L is a prime. An equation that
fails here is refuted at these numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from math import isqrt, lcm, prod
from operator import mul
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.kernel.kernel_rules import Thm
from proofs.kernel.numbers import Digit, Dim, Member, Nat, Poly, Real, Sequence
from proofs.kernel.terms import Block, E, F, I, Kron, Mul, Pi, S, Sum, Term, Var, W, free

FURTHER = 40
"""So many members of a sequence follow those that are drawn."""
Matrix = NDArray[np.int64]
Numbers = dict[str, Any]
"""Free variables: int for naturals, sizes and digits, Fraction for reals, N_0, N_1, .. for a
sequence; matrices are drawn.
"""


@dataclass
class Field:
    """GF(q) with a root of unity of order L."""

    L: int
    q: int
    root: int
    commuting: bool = False
    drawn: dict[Any, Matrix] = field(default_factory=dict)

    def power(self, phase: Fraction) -> int:
        """Return w^phase."""
        return pow(self.root, exponent(phase, self.L), self.q)

    def powers(self, exponents: Matrix) -> Matrix:
        """Return the root to these powers."""
        values, places = np.unique(exponents % self.L, return_inverse=True)
        return np.array([pow(self.root, int(e), self.q) for e in values])[
            places.reshape(exponents.shape)
        ]

    def number(self, c: Fraction) -> int:
        """Return a rational number."""
        return c.numerator * pow(c.denominator, -1, self.q) % self.q

    def matrix(self, name: str, rows: int, cols: int) -> Matrix:
        """Return what stands for a matrix variable; circulant, so that they commute, if that is
        asked for.
        """
        if (name, rows, cols) not in self.drawn:
            rng = np.random.default_rng([rows, cols, *name.encode()])
            found = rng.integers(0, self.q, (rows, cols))
            if self.commuting and rows == cols:
                found = np.stack([np.roll(found[0], i) for i in range(rows)])
            self.drawn[name, rows, cols] = found
        return self.drawn[name, rows, cols]


def exponent(phase: Fraction, L: int) -> int:
    """Return the power of a root of order L that stands for a phase; AssertionError where there is
    none.
    """
    found, rest = divmod(phase.numerator * L, phase.denominator)
    assert rest == 0, f"{phase} turns are no power of a root of order {L}"
    return found % L


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
    above = below = 1
    for base, power in d.powers:
        number, e = _number(base, at), natural(power, at)
        above, below = (above * number**e, below) if e >= 0 else (above, below * number**-e)
    return Fraction(above, below)


def _number(base: int | str | Member, at: Numbers) -> int:
    if isinstance(base, Member):
        return int(at[base.sequence.name][natural(base.index, at)])
    return int(at[base]) if isinstance(base, str) else base


def products(*radices: int) -> tuple[int, ...]:
    """Return 1, r_0, r_0 r_1, ..; no more radices stand for 1, 1, .."""
    found = tuple(accumulate(radices, mul, initial=1))
    return found + found[-1:] * FURTHER


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


def order(term: Term, at: Numbers) -> int:
    """Return a number L so that every root of unity in a term is a power of one of order L; a
    multiple of 4.

    Digits are integers, so every monomial of a phase counts without them.
    """
    match term:
        case F(d):
            return lcm(4, integer(d, at))
        case W(phase):
            monomials = (
                c * rational(dim, at) * prod(at[x.name] for x in atoms if isinstance(x, Real))
                for (dim, atoms), c in phase.terms
            )
            return lcm(4, *(value.denominator for value in monomials))
        case Kron(a, b) | Mul(a, b):
            return lcm(order(a, at), order(b, at))
        case Sum(summands):
            return lcm(*(order(part, at) for _, _, part in summands))
        case Block(_, body):
            return order(body, at)
        case Pi(count, k, l, body):
            factors = natural(count, at)
            return lcm(4, *(order(body, {**at, k: i, l: factors - 1 - i}) for i in range(factors)))
    return 4


def dense(term: Term, at: Numbers, gf: Field) -> Matrix:
    """Return a term as a matrix over GF(q)."""
    match term:
        case I(d):
            return np.eye(integer(d, at), dtype=np.int64)
        case F(d, sign):
            N = integer(d, at)
            return gf.powers(
                np.outer(np.arange(N), np.arange(N)) % N * exponent(Fraction(sign, N), gf.L)
            )
        case E(rows, cols):
            return np.ones((integer(rows, at), integer(cols, at)), dtype=np.int64)
        case S(u, t):
            p, r = integer(u, at), integer(t, at)
            found = np.zeros((p * r, p * r), dtype=np.int64)
            j = np.arange(p * r)
            found[j % p * r + j // p, j] = 1
            return found
        case W(phase):
            return np.array([[gf.power(turns(phase, at))]])
        case Kron(a, b):
            return _beside(dense(a, at, gf), dense(b, at, gf)) % gf.q
        case Mul(a, b):
            return dense(a, at, gf) @ dense(b, at, gf) % gf.q
        case Sum(summands):
            i = gf.power(Fraction(1, 4))
            parts = (
                (gf.number(turns(re, at)) + i * gf.number(turns(im, at)))
                % gf.q
                * dense(t, at, gf)
                % gf.q
                for re, im, t in summands
            )
            return np.asarray(sum(parts)) % gf.q
        case Block(x, body):
            row = _diagonal(term, at, gf)
            if row is not None:
                return np.diag(gf.powers(row))
            return _direct_sum(
                [dense(body, {**at, x.name: value}, gf) for value in range(integer(x.radix, at))]
            )
        case Pi(count, k, l, body):
            factors = natural(count, at)
            total = np.eye(integer(term.shape[0], at), dtype=np.int64)
            for i in range(factors):
                total = dense(body, {**at, k: i, l: factors - 1 - i}, gf) @ total % gf.q
            return total
        case Var(name, rows, cols):
            return gf.matrix(name, integer(rows, at), integer(cols, at))
    raise TypeError(f"{term!r} is no term")


def _beside(a: Matrix, b: Matrix) -> Matrix:
    """Return the Kronecker product."""
    return (a[:, None, :, None] * b[None, :, None, :]).reshape(len(a) * len(b), -1)


def _diagonal(term: Term, at: Numbers, gf: Field) -> Matrix | None:
    """Return the exponents of a diagonal, which is a direct sum of direct sums ... of matrices of
    order 1; None for other terms.
    """
    radices: dict[str, int] = {}
    while isinstance(term, Block):
        radices[term.index.name] = integer(term.index.radix, at)
        term = term.body
    if not isinstance(term, W):
        return None
    grid = dict(zip(radices, np.indices(tuple(radices.values())), strict=True))
    total = np.zeros(tuple(radices.values()), dtype=np.int64)
    for (dim, atoms), c in term.phase.terms:
        value = exponent(
            c * rational(dim, at) * prod(at[x.name] for x in atoms if x.name not in grid), gf.L
        )
        total = (
            total
            + value
            * prod((grid[x.name] for x in atoms if x.name in grid), start=np.ones_like(total))
        ) % gf.L
    return total.reshape(-1)


def _direct_sum(blocks: list[Matrix]) -> Matrix:
    found = np.zeros((sum(len(b) for b in blocks), sum(b.shape[1] for b in blocks)), dtype=np.int64)
    row = col = 0
    for b in blocks:
        found[row : row + len(b), col : col + b.shape[1]] = b
        row, col = row + len(b), col + b.shape[1]
    return found


LARGEST_PRIME = 2**26
"""Sums of up to 2^10 products stay below 2^63."""


def prime(L: int, rng: Random) -> int:
    """Return a prime q = 1 mod L below 2^26, as large as a random start allows; raise ValueError
    where there is none.
    """
    most = (LARGEST_PRIME - 1) // L
    for c in range(rng.randint(max(1, most // 2), max(1, most)), 0, -1):
        q = c * L + 1
        if all(q % p for p in range(2, isqrt(q) + 1)):
            return q
    raise ValueError(f"no prime q = 1 mod {L} below {LARGEST_PRIME}")


def root_of_unity(L: int, q: int) -> int:
    """Return an element of order L in GF(q)."""
    primes = [
        p for p in range(2, L + 1) if L % p == 0 and all(p % r for r in range(2, isqrt(p) + 1))
    ]
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
        if isinstance(sort, Sequence):
            most = integer(sort.multiple, at) if isinstance(sort.multiple, Dim) else 0
            radices = [r for r in (1, 2, 2, 3, 3, 4, 5) if most % r == 0]
            at[name] = products(*(rng.choice(radices) for _ in range(4)))
        if isinstance(sort, Digit):
            at[name] = rng.randrange(integer(sort.radix, at))
    return at


@dataclass(frozen=True)
class Difference:
    """Numbers at which two terms differ."""

    at: str
    row: int
    col: int


def samples(
    left: Term, right: Term, rng: Random, most: int = 64, wanted: int = 2
) -> Iterator[Numbers]:
    """Yield numbers at which two terms have between 1 and `most` rows, the largest of many
    draws.
    """
    sorts = free(left, right)
    found = [draw(sorts, rng) for _ in range(60)]
    sized = sorted(
        ((max(rational(d, at) for d in left.shape), i) for i, at in enumerate(found)), reverse=True
    )
    yield from [found[i] for size, i in sized if size <= most][:wanted]


def compare(
    left: Term, right: Term, at: Numbers, rng: Random, commuting: bool = False
) -> Difference | None:
    """Return where two terms differ at these numbers."""
    L = lcm(order(left, at), order(right, at))
    q = prime(L, rng)
    gf = Field(L, q, root_of_unity(L, q), commuting)
    a, b = dense(left, at, gf), dense(right, at, gf)
    if np.array_equal(a, b):
        return None
    row, col = (int(x) for x in np.argwhere(a != b)[0])
    return Difference(
        ", ".join(f"{name} = {value}" for name, value in sorted(at.items())), row, col
    )


def differ(
    left: Term, right: Term, rng: Random, most: int = 64, wanted: int = 3
) -> Difference | None:
    """Return where two terms differ at one of several random numbers; None says that they agreed at
    all of them.
    """
    for at in samples(left, right, rng, most, wanted):
        found = compare(left, right, at, rng)
        if found:
            return found
    return None


def confirm(theorem: Thm, rng: Random, most: int = 64, wanted: int = 2) -> int:
    """Return at how many random numbers the two sides of a theorem were found equal.

    Numbers at which a hypothesis fails say nothing and are left out. Raises AssertionError at a
    difference.
    """
    agreed = 0
    for at in samples(theorem.left, theorem.right, rng, most, wanted):
        commuting = bool(theorem.hypotheses)
        at_all = {
            **draw(free(*(side for h in theorem.hypotheses for side in (h.left, h.right))), rng),
            **at,
        }
        if any(compare(h.left, h.right, at_all, rng, commuting) for h in theorem.hypotheses):
            continue
        found = compare(theorem.left, theorem.right, at, rng, commuting)
        assert found is None, f"{theorem} fails at {found}"
        agreed += 1
    return agreed
