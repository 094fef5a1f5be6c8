"""Number-theoretic transforms: what such a program declares, and the definition over GF(p)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codegen.program.supersteps import Program
from derive.exact.residues import Residues
from derive.fields import RootField, is_prime, is_primitive
from derive.formula.affine_layouts import named
from derive.formula.placement import Placement
from proofs.certify.declaration import DIRECTIONS, Declaration
from proofs.certify.ends.divided import Divided

Vector = NDArray[np.int64]
BITS = 60
"""A wrong program passes on random vectors with probability at most 2^-BITS."""
LARGEST = 2**31
"""Moduli are below this."""


@dataclass(frozen=True)
class NumberTheoretic(Declaration):
    """The transform y_k = sum_j w^(jk) x_j modulo a prime p, w of order N, or its inverse."""

    direction: str
    norm: str
    modulus: int
    root: int

    kind, fewest, by_digits = "Number-theoretic transform", 2, True

    def layout(self, side: str) -> Placement | Divided:
        if not (self.N & self.N - 1 or self.P & self.P - 1):
            return named(getattr(self, side), self.N, self.P)
        self.fit()
        return super().layout(side)

    def fit(self) -> None:
        """Raise ValueError for other types, norms, moduli and roots."""
        N, p, w = self.N, self.modulus, self.root
        if self.dtype != np.int64:
            raise ValueError(f"DTYPE = {str(self.dtype)!r}: use int64")
        if self.norm != "backward":
            raise ValueError(f"NORM = {self.norm!r}: use backward")
        if not (2 < p < LARGEST and is_prime(p)):
            raise ValueError(f"MODULUS = {p}: it must be an odd prime below 2^31")
        if (p - 1) % N:
            raise ValueError(f"MODULUS = {p}: N = {N} must divide MODULUS - 1")
        if not (0 < w < p and is_primitive(w, N, p)):
            raise ValueError(f"ROOT = {w}: it must be a root of unity of order {N} modulo {p}")

    @property
    def chosen(self) -> dict[str, Any]:
        return {"modulus": str(self.modulus), "root": str(self.root)}

    @property
    def sign(self) -> int:
        """The sign of the exponent: 1 forward, -1 backward."""
        return -DIRECTIONS[self.direction]

    @property
    def scale(self) -> str:
        """The factor on the matrix."""
        return "" if self.sign > 0 else f"1/{self.N} "

    @property
    def how(self) -> str:
        return f": {self.direction}, {self.dtype}, {self.kernels} kernels."

    @property
    def formula(self) -> str:
        exponent = "jk" if self.sign > 0 else "-jk"
        result = f"{self.scale}sum_j {self.root}^({exponent}) x_j"
        return f"y_k = {result} modulo {self.modulus}, 0 <= y_k < {self.modulus},"

    def computed(self, left: str) -> str:
        return f"y = {self.scale}{left} x modulo {self.modulus}"

    def equations(self, program: Program) -> list[str]:
        left, root = str(program.equation.left), f"{self.root}{'^-1' * (self.sign < 0)}"
        first = f"{self.computed(left)},   {left}[j, k] = w^(jk),   w = {root}"
        return [first, str(program.equation)]

    @property
    def vectors(self) -> int:
        """How many random vectors show that a program is right."""
        return ceil(BITS / log2(self.modulus))

    @property
    def error(self) -> float:
        """A bound of the probability that a wrong program passes on this number of random vectors.

        A difference from what is wanted is an affine map over GF(p) for each output. One that is
        not 0 is 0 at one in p of all inputs.
        """
        return float(self.modulus) ** -self.vectors

    def drawn(self, rng: np.random.Generator, count: int = 1) -> Vector:
        """Return random vectors as columns."""
        return rng.integers(0, self.modulus, (self.N, count))

    def units(self) -> Vector:
        """Return the zero vector and all unit vectors as columns, which determine an affine map."""
        return np.eye(self.N, self.N + 1, 1, dtype=np.int64)

    def reference(self, x: Vector) -> Vector:
        """Return the transforms of columns."""
        p = self.modulus
        field = RootField(p, self.N, pow(self.root, self.sign, p))
        y: Vector = Residues(field).fourier(x)
        return y if self.sign > 0 else y * pow(self.N, -1, p) % p
