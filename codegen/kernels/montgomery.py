"""Arithmetic modulo an odd prime p below 2^31 under numba, on integers of 64 bits."""

from __future__ import annotations

from codegen.kernels.host import njit

# What follows stands in emitted programs, byte for byte.

inline = njit(forceinline=True)  # compiled by itself, then part of a kernel


@inline
def addmod(a: int, b: int, p: int) -> int:
    """Return a + b modulo p, for 0 <= a, b < p."""
    found = a + b - p
    return found + p if found < 0 else found


@inline
def submod(a: int, b: int, p: int) -> int:
    """Return a - b modulo p, for 0 <= a, b < p."""
    found = a - b
    return found + p if found < 0 else found


@inline
def mulmod(a: int, b: int, p: int, inverse: int) -> int:
    """Return a b / 2^32 modulo p, for 0 <= a, b < p and inverse = 1/p modulo 2^32.

    a b and m p have the same lower 32 bits, so (a b - m p) / 2^32 is the difference of their upper
    bits, which is above -p and below p (Montgomery 1985). The masks say that factors have 32 bits.
    """
    product = (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF)
    m = (product & 0xFFFFFFFF) * inverse & 0xFFFFFFFF
    found = (product >> 32 & 0xFFFFFFFF) - (m * p >> 32 & 0xFFFFFFFF)
    return found + p if found < 0 else found
