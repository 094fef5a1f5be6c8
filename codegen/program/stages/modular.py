"""Fourier transforms of residues modulo a prime: a root of unity w of order N takes the place of
exp(-2πi/N).

    step     = Modular(diagonal, copies, d, c)

There is one homomorphism of rings from Z[ζ_N] to GF(p) with ζ_N ↦ w, as w is a zero of the N-th
cyclotomic polynomial: what the supersteps are over Z[ζ_N] they are over GF(p).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from codegen.program.digits.digit_supersteps import Transform
from codegen.program.digits.transform_tiles import Tiled
from codegen.program.protocol import Step
from derive.digits.radices import prime_factors

CACHED = 2**13
"""The most residues that are transformed together, so that they fit a cache."""


@dataclass(frozen=True)
class Modular(Transform):
    """I_copies ⊗ F_d ⊗ I_c on the residues of every rank, after a diagonal if there is one."""

    def flops(self, rank: int = 0) -> int:
        """Return the operations modulo p of M/r transforms F_r for each prime factor r of d, and M
        products for the diagonal.
        """
        each = (self.M // r * operations(r) for r in prime_factors(self.d))
        return sum(each) + (self.M if self.diagonal else 0)


def operations(r: int) -> int:
    """Return the operations modulo p of F_r and of twiddles on its results: r (r - 1) sums, and the
    products of a matrix.

    >>> operations(2), operations(3)
    (3, 15)
    """
    return r * (r - 1) + (r**2 if r > 2 else 1)


def of_residues(step: Step) -> Step:
    """Return a superstep on residues.

    >>> of_residues(Transform(None, 1, 8, 2)).flops()
    72
    """
    assert not isinstance(step, Tiled), "tiles are made by kernels of complex numbers"
    if not isinstance(step, Transform):
        return step
    return Modular(**{each.name: getattr(step, each.name) for each in fields(Transform)})
