"""The kernel's terms at numbers: what they do to columns of numbers. It reads the classes of
terms.py and numbers.py alone, and shares nothing with path sums.

    I F S W Kron Mul Sum Block Pi Var E         as proofs/kernel/terms.py defines them

Digits of direct sums are arrays: a term is applied to a stack of columns, one for each value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from proofs.kernel.numbers import Dim, Nat, Poly, Real
from proofs.kernel.terms import Block, E, F, I, Kron, Mul, Pi, S, Sum, Term, Var, W
from proofs.meaning.random_field import (
    MOST_ENTRIES,
    MOST_NUMBERS,
    Array,
    NoValue,
    RandomField,
    within,
)

Values = Mapping[str, Any]
"""Integers and fractions; arrays of integers for the digits of direct sums."""


def natural(x: Nat, at: Values) -> int:
    """Return the value of an exponent, or of a number of factors."""
    total = 0
    for names, c in x.terms:
        for name in names:
            c *= at[name]
        total += c
    return total


def rational(d: Dim, at: Values) -> Fraction:
    """Return the value of a monomial of powers."""
    above = below = 1
    for base, power in d.powers:
        number: Any = at[base] if isinstance(base, str) else base
        e = natural(power, at)
        above, below = (above * number**e, below) if e >= 0 else (above, below * number**-e)
    return Fraction(above, below)


def integer(d: Dim, at: Values) -> int:
    """Return the value of a size."""
    found = rational(d, at)
    if found.denominator != 1 or found < 1:
        raise NoValue(f"{d} = {found}")
    return found.numerator


def columns(term: Term, at: Values) -> int:
    """Return the number of columns of a term."""
    match term:
        case I(d) | F(d) | E(_, d) | Var(_, _, d):
            return integer(d, at)
        case Kron(a, b):
            return columns(a, at) * columns(b, at)
        case Mul(_, b) | Sum(((_, _, b), *_)):
            return columns(b, at)
        case Block(digit, body):
            return integer(digit.radix, at) * columns(body, at)
        case W():
            return 1
    return integer(term.shape[1], at)


@dataclass(frozen=True)
class TermReading:
    """Reads terms at numbers; `matrix` says what stands for a matrix variable of so many rows and
    columns.
    """

    gf: RandomField
    matrix: Callable[[str, int, int], Array]

    def need_roots(self, term: Term, at: Values) -> None:
        """State which roots of unity a term has. Digits are integers: each monomial counts."""
        match term:
            case F(d):
                self.gf.need_root(integer(d, at))
            case W(phase):
                for (dim, atoms), c in phase.terms:
                    reals = prod(at[x.name] for x in atoms if isinstance(x, Real))
                    self.gf.need_root((c * rational(dim, at) * reals).denominator)
            case Kron(a, b) | Mul(a, b):
                self.need_roots(a, at)
                self.need_roots(b, at)
            case Sum(parts):
                for _, _, part in parts:
                    self.need_roots(part, at)
            case Block(_, body):
                self.need_roots(body, at)
            case Pi(count, k, l, body):
                factors = natural(count, at)
                for i in range(factors):
                    self.need_roots(body, {**at, k: i, l: factors - 1 - i})

    def times(self, term: Term, x: Array, at: Values) -> Array:
        """Return a term times x, a stack of matrices of one shape."""
        match term:
            case I():
                return x
            case F(d, sign):
                return self.gf.product(self.fourier(integer(d, at), sign), x)
            case S(u, t):
                p, r = integer(u, at), integer(t, at)  # a p + b goes to b r + a
                return x.reshape(len(x), r, p, -1).swapaxes(1, 2).reshape(x.shape)
            case W(phase):
                return self.turn(phase, len(x), at)[:, None, None] * x % self.gf.q
            case Kron(a, b):
                return self.beside(a, b, x, at)
            case Mul(a, b):
                return self.times(a, self.times(b, x, at), at)
            case Sum(parts):
                found = (self.times(t, x, at) * self.complex(re, im, at) for re, im, t in parts)
                return np.asarray(sum(one % self.gf.q for one in found) % self.gf.q)
            case Block(digit, body):
                return self.block(digit.name, integer(digit.radix, at), body, x, at)
            case Pi(count, k, l, body):
                factors = natural(count, at)
                for i in range(factors):  # body(0, count - 1) stands last and is applied first
                    x = self.times(body, x, {**at, k: i, l: factors - 1 - i})
                return x
            case Var(name, rows, columns):
                return self.gf.product(
                    self.matrix(name, integer(rows, at), integer(columns, at)), x
                )
            case E(rows, _):
                total = x.sum(axis=1, keepdims=True) % self.gf.q
                return np.repeat(total, self.small(integer(rows, at), total), axis=1)
        raise TypeError(f"{term!r} is not a term")

    def small(self, count: int, x: Array) -> int:
        """Return a number of copies of an array; Limit: they are too large."""
        within(count * x.size <= MOST_NUMBERS, "a term is too large")
        return count

    def fourier(self, N: int, sign: int) -> Array:
        """Return F_N by its entries."""
        within(
            N * N <= MOST_ENTRIES,
            f"a dense matrix is {N} x {N}: at most {MOST_ENTRIES} entries are read",
        )
        key = "F", N, sign
        if key not in self.gf.drawn:
            jk = np.outer(np.arange(N), np.arange(N))
            self.gf.drawn[key] = self.gf.turned(jk * sign, N)
        return self.gf.drawn[key]

    def turn(self, phase: Poly, count: int, at: Values) -> Array:
        """Return w^phase for each of a stack."""
        exponents = np.zeros(count, np.int64)
        for (dim, atoms), c in phase.terms:
            turns = c * rational(dim, at) * prod(at[x.name] for x in atoms if isinstance(x, Real))
            L = self.gf.order
            one = np.full(count, turns.numerator * (L // turns.denominator) % L)
            for x in atoms:
                one = one if isinstance(x, Real) else one * at[x.name] % L
            exponents = (exponents + one) % L
        return self.gf.turned(exponents, self.gf.order)

    def complex(self, re: Poly, im: Poly, at: Values) -> int:
        """Return re + i im."""
        a, b = (
            sum((c * rational(dim, at) for (dim, _), c in x.terms), Fraction(0)) for x in (re, im)
        )
        i = int(self.gf.turned(1, 4))
        return (self.gf.number(a) + i * self.gf.number(b)) % self.gf.q

    def beside(self, a: Term, b: Term, x: Array, at: Values) -> Array:
        """Return A ⊗ B times x."""
        n, count = columns(b, at), len(x)
        y = x.reshape(count, -1, n, x.shape[2]).swapaxes(1, 2)
        m = y.shape[2]
        y = self.times(b, y.reshape(count, n, -1), at).reshape(count, -1, m, x.shape[2])
        rows = y.shape[1]
        y = self.times(a, y.swapaxes(1, 2).reshape(count, m, -1), at)
        return y.reshape(count, -1, x.shape[2]) if rows else y

    def block(self, name: str, radix: int, body: Term, x: Array, at: Values) -> Array:
        """Return the direct sum of the body over a digit times x."""
        digits = {k: np.repeat(v, radix) if isinstance(v, np.ndarray) else v for k, v in at.items()}
        digits[name] = np.tile(np.arange(radix), len(x))
        y = self.times(body, x.reshape(len(x) * radix, -1, x.shape[2]), digits)
        return y.reshape(len(x), -1, x.shape[2])
