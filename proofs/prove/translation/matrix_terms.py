"""The matrices of a formula as terms of the kernel, those that are not translated by their
definitions. Not trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from derive.text.syntax import Leaf
from proofs.kernel.kernel_rules import reversing
from proofs.kernel.numbers import ONE, Dim, Nat, Poly, nat
from proofs.kernel.terms import E, F, I, Kron, Mul, S, Term, Var, free
from proofs.lemmas import fourier_stages, hartley_stages
from proofs.prove.tactics import blocks, kron, mul
from proofs.prove.translation.divisibility import Inexpressible, Repair
from proofs.prove.translation.sum_terms import digits_moved, number_of, of_bits

ZERO, TWO = Poly.of(0), Dim.of(2)


@dataclass(frozen=True)
class Occurrence:
    """A matrix in a text with the values of its sizes, perhaps transposed; sign -1: conjugated."""

    text: Leaf
    sizes: list[Any]
    turned: bool
    sign: int
    whole: Callable[[Dim], Dim]
    names: Collection[str]
    """The symbols of the equation."""

    def __str__(self) -> str:
        return f"column {self.text.column}: {self.text}"

    def butterfly(self, order: Dim, alpha: Poly = ZERO) -> Term:
        """Return the butterfly of this order, transposed or not."""
        plain = fourier_stages.butterfly(self.whole(order / 2), alpha, self.sign)
        both = (plain.left, plain.right) if isinstance(plain, Mul) else (plain,)
        return mul(*(both[::-1] if self.turned else both))


Made = tuple[Term, Dim]
"""A matrix, and the multiple of I that it makes with its adjoint."""


def _bit_reversal(x: Occurrence) -> Made:
    (N,) = x.sizes
    (base, exponent), *more = list(N.powers) or [(2, Nat.of(0))]
    if not more and isinstance(base, str) and exponent == Nat.of(1):
        raise Repair(base, 2 ** nat(f"lg_{base}" + "_" * (f"lg_{base}" in x.names)))
    if more or base != 2:
        raise Inexpressible(f"{x} takes a power of two")
    if not free(exponent):
        n = sum(c for _, c in exponent.terms)
        return digits_moved((TWO,) * n, [*range(n)][::-1]), ONE
    return fourier_stages.reversal(exponent), ONE


def _stride(x: Occurrence) -> Made:
    N, r = x.sizes
    t = x.whole(N / r)
    return (S(t, r) if x.turned else S(r, t)), ONE


def _gamma(x: Occurrence) -> Made:
    u, p, N = x.sizes
    r, n = x.whole(p / u), x.whole(N / p)
    return (fourier_stages.gamma(n, r, u) if x.turned else fourier_stages.gamma(u, r, n)), ONE


def _groups(x: Occurrence) -> Made:
    k, n, u = x.sizes
    c = x.whole(n / k)
    return blocks(u, lambda s: Kron(I(c), x.butterfly(k, s / u))), TWO


def _hartley_butterfly(x: Occurrence) -> Made:
    (K,) = x.sizes
    return hartley_stages.butterfly(x.whole(K / 2), x.turned), TWO


def _ones(x: Occurrence) -> Made:
    rows, columns = x.sizes
    return (E(columns, rows) if x.turned else E(rows, columns)), ONE


def _numbers(x: Occurrence, sizes: Iterable[Dim]) -> list[int]:
    found = [number_of(d) for d in sizes]
    if not all(found):
        raise Inexpressible(f"{x}: the kernel knows it where these sizes are numbers")
    return found


def _bits(x: Occurrence) -> Made:
    return of_bits(_numbers(x, x.sizes), x.turned), ONE


def _xor(x: Occurrence) -> Made:
    N, c = x.sizes[0], _numbers(x, x.sizes[1:])[0]
    flips = [reversing(TWO) if bit == "1" else I(TWO) for bit in f"{c:b}"]
    return kron(I(x.whole(N / 2 ** len(flips))), *flips), ONE


def _powers(x: Occurrence) -> Made:
    """Return a matrix variable: what is proved holds for all matrices in its place."""
    p, g = _numbers(x, x.sizes)
    name = f"powers_{p}_{g}" + "_t" * x.turned
    return Var(name, Dim.of(p - 1), Dim.of(p - 1)), ONE


def _sqrt(x: Occurrence) -> Made:
    raise Inexpressible(f"{x}: the kernel has no square roots but those that both sides share")


LEAVES: dict[str, Callable[[Occurrence], Made]] = {
    "I": lambda x: (I(x.sizes[0]), ONE),
    "F": lambda x: (F(x.sizes[0], x.sign), x.sizes[0]),
    "H": lambda x: (hartley_stages.hartley(x.sizes[0]), x.sizes[0]),
    "J": lambda x: (reversing(x.sizes[0]), ONE),
    "R": _bit_reversal,
    "L": _stride,
    "Gamma": _gamma,
    "B": lambda x: (x.butterfly(*x.sizes), TWO),
    "ButterflySum": _groups,
    "BH": _hartley_butterfly,
    "E": _ones,
    "bits": _bits,
    "xor": _xor,
    "powers": _powers,
    "sqrt": _sqrt,
}
