"""Integers modulo p in compiled kernels, in all rounds at once: their memory, and the operations of
the section `modular`, the names of codegen/kernels/montgomery.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.certify.exact.arithmetic import PRODUCT
from proofs.certify.exact.data import wrong
from proofs.certify.exact.space import PAIR
from proofs.certify.language.table_entries import Undecided
from proofs.certify.modular.residue_space import MOST, ResidueSpace
from proofs.certify.rounds.exact_vectors import alike
from proofs.certify.rounds.indices import Each, Integers, Opaque, Whole, integers, shown
from proofs.certify.rounds.memory import Address, Cells, Level

Bounds = tuple[int, int, int, int]
"""Most, least with the other sign, exchanges, degree: those that all rounds keep."""
RADIX = 2**32
"""What a product of Montgomery's algorithm is divided by."""


class Residues(Opaque):
    """An integer for each round: residues of shape (K, *rounds), and bounds."""

    __slots__ = ("bounds", "residues", "space")
    by_round = "residues", 1, 0
    said = "integers modulo p"
    instead = "; use addmod, submod and mulmod"

    def __init__(self, residues: Integers, bounds: Bounds, space: ResidueSpace) -> None:
        self.residues, self.bounds, self.space = residues, bounds, space


class ResidueCells(Cells):
    """The entries of an array of integers modulo p."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self.space: ResidueSpace = self.array.space

    def rows(self) -> NDArray[np.int64]:
        """Return residues and bounds of each entry."""
        return np.asarray(self.array.numbers[:, 0])

    def load(self, at: Integers, levels: list[Level]) -> Residues:
        """Return the integers at places (1, *rounds, 1)."""
        self.note(at, False, levels)
        rows, K = self.own[at[0, ..., 0]], self.space.stimuli
        if (rows[..., :K] < 0).any():
            raise wrong("a kernel computes with elements that are uninitialised")
        most, least, exchanges, degree = rows[..., K:PAIR].reshape(-1, 4).max(axis=0).tolist()
        residues = np.moveaxis(rows[..., :K], -1, 0)
        return Residues(residues, (most, least, exchanges, degree), self.space)

    def store(self, at: Integers, value: Any, levels: list[Level]) -> None:
        """Put integers at places."""
        if not isinstance(value, Residues):
            raise Undecided(f"a kernel stores {shown(value)} among integers modulo p")
        self.note(at, True, levels)
        places, K = at[0, ..., 0], self.space.stimuli
        rows = np.empty((*places.shape, self.own.shape[-1]), np.int64)
        rows[..., :K] = np.moveaxis(value.residues, 0, -1)
        rows[..., K:PAIR], rows[..., PAIR] = value.bounds, 0
        self.own[places] = rows


def _product(x: Integers, y: Integers, p: int) -> Integers:
    """Return Montgomery's product, x y / RADIX modulo p."""
    return x * y % p * pow(RADIX, -1, p) % p


def operations(space: Any) -> dict[str, Callable[..., Any]]:
    """Return addmod, submod and mulmod, on integers of a space or on ordinary ones."""

    def addmod(a: Any, b: Any, p: Any) -> Any:
        return _applied("addmod", lambda x, y, p: (x + y) % p, a, b, p, space)

    def submod(a: Any, b: Any, p: Any) -> Any:
        return _applied("submod", lambda x, y, p: (x - y) % p, a, b, p, space)

    def mulmod(a: Any, b: Any, p: Any, inverse: Any) -> Any:
        if not isinstance(inverse, int) or _modulus(p) * int(inverse) % RADIX != 1:
            wanted = f"the inverse of {_number(p)} modulo 2^32"
            raise Undecided(f"mulmod with {_number(inverse)} in place of {wanted}")
        if all(isinstance(each, Residues) and each.bounds[3] for each in (a, b)):
            raise Undecided(PRODUCT)
        return _applied("mulmod", _product, a, b, p, space)

    found: dict[str, Callable[..., Any]] = {"addmod": addmod, "submod": submod, "mulmod": mulmod}
    for name, operation in found.items():
        operation.__qualname__ = name  # in messages of Python
    return found


def _number(value: Any) -> str:
    """Return a number, or what else is in its place."""
    return str(value) if isinstance(value, int | float) else shown(value)


def _modulus(p: Any) -> int:
    if not isinstance(p, int) or not (2 < p < 2**31 and p % 2):
        raise Undecided(f"arithmetic modulo {_number(p)}: the modulus is an odd integer below 2^31")
    return int(p)


def _applied(
    name: str, apply: Callable[[Any, Any, int], Any], a: Any, b: Any, modulus: Any, space: Any
) -> Any:
    """Return the result of an operation of operands from 0 to p - 1."""
    p, sides = _modulus(modulus), [_operand(each) for each in (a, b)]
    for _, (most, minus_least, *_) in sides:
        if most >= p or minus_least > 0:
            words = f"{name} of an operand from {-minus_least} to {most}"
            raise Undecided(f"{words}; operands are from 0 to {p - 1}")
    if not any(isinstance(each, Residues) for each in (a, b)):
        found = apply(sides[0][0][0], sides[1][0][0], p)
        return Each(np.asarray(found)) if np.ndim(found) else Whole(int(found))
    if p != space.p:
        raise Undecided(f"{name} modulo {p} of integers modulo {space.p}; use MODULUS")
    x, y = alike(sides[0][0], sides[1][0], 1)
    found = apply(x, y, p)
    (_, _, *one), (_, _, *other) = (bounds for _, bounds in sides)
    exchanges, degree = map(max, zip(one, other, strict=True))
    return Residues(found, (p - 1, 0, exchanges, degree), space)


def _operand(value: Any) -> tuple[Integers, Bounds]:
    """Return integers of shape (K or 1, *rounds), and bounds."""
    if isinstance(value, Residues):
        return value.residues, value.bounds
    array = integers(value)
    most, least = int(array.max(initial=-MOST)), int(array.min(initial=MOST))
    return array[None], (most, -least, 0, 0)
