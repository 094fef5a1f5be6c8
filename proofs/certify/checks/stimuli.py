"""Inputs of a transform over GF(q), and the outputs that its definition asks for: no fast algorithm
is in here.

    stimuli = 0, vectors x_j = t^j, and where N is small every unit vector e_j and I e_j; of real
    ones e_j

The transform of t^j is a geometric sum, (t^N - 1) / (t w^(±k) - 1): N entries of it cost N
operations. A matrix that is not zero maps the vector of powers of a random t to zero for at most N
- 1 of the q choices of t.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from derive.fields import RootField, inverses, powers
from proofs.certify.checks import hartley
from proofs.certify.declaration import Fourier, Hartley, HartleyArrays, RealFourier, Transform
from proofs.certify.exact.constants import Recognizer
from proofs.certify.exact.residues import Residues, from_pair, no_root_of_one
from proofs.certify.exact.roots import inverse_root
from proofs.certify.fields.linear_maps import LinearMap
from proofs.certify.reading import Squares

GEOMETRIC = 2
"""So many vectors of powers of independent random numbers."""


@dataclass(frozen=True)
class Stimuli:
    """Inputs and wanted outputs of shape (N, 2, K): the zero vector, geometric vectors, then
    perhaps all e_j and all I e_j.

    Of real vectors the shape is (N, 1, K), and there is no I e_j.
    """

    declaration: Transform
    given: Residues
    wanted: Residues
    units: bool

    @property
    def number(self) -> int:
        """K."""
        return self.given.shape[-1]

    def name(self, column: int) -> str:
        """Return which input this is."""
        if column == 0:
            return "the zero vector"
        if column <= GEOMETRIC:
            return f"a vector of powers (number {column})"
        i, j = divmod(column - 1 - GEOMETRIC, len(self.given))
        return f"{'i times ' * i}the basis vector e_{j}"


def stimuli(
    declaration: Transform, recognizer: Recognizer, rng: np.random.Generator, units: bool
) -> Stimuli:
    """Return inputs and outputs of the declared transform."""
    q, N = recognizer.field.q, declaration.N
    scale = inverse_root(declaration.points, declaration.divided, recognizer)
    zero = np.zeros((N, declaration.parts, 1), dtype=np.int64)
    columns = [(zero, zero), *(_geometric(declaration, recognizer, rng) for _ in range(GEOMETRIC))]
    if units:
        columns.append(_unit_vectors(declaration, recognizer))
    given, wanted = (np.concatenate(side, axis=-1) for side in zip(*columns, strict=True))
    return Stimuli(declaration, given, wanted * scale % q, units)


def _geometric(
    declaration: Transform, recognizer: Recognizer, rng: np.random.Generator
) -> tuple[Residues, Residues]:
    match declaration:
        case Fourier():
            return geometric(declaration, recognizer, rng)
        case LinearMap():
            return declaration.stimulus(recognizer, rng)
        case Squares():
            return hartley.squared(declaration, recognizer, rng)
        case Hartley() | HartleyArrays() | RealFourier():
            return hartley.geometric(declaration, recognizer, rng)
    raise NotImplementedError(declaration.transform)


def _unit_vectors(declaration: Transform, recognizer: Recognizer) -> tuple[Residues, Residues]:
    match declaration:
        case Fourier():
            return unit_vectors(declaration, recognizer)
        case LinearMap():
            return declaration.units(recognizer)
        case Hartley() | HartleyArrays() | RealFourier():
            return hartley.unit_vectors(declaration, recognizer)
    raise NotImplementedError(declaration.transform)


def unit_vectors(declaration: Fourier, recognizer: Recognizer) -> tuple[Residues, Residues]:
    """Return all e_j and I e_j, and the columns of the matrix: cos and ± sin of the sum of 2πjk/n
    over the axes, and these times I; 0 where j and k are of different arrays of a batch.
    """
    N, q, field = declaration.N, recognizer.field.q, recognizer.field
    whole, sizes = declaration.whole, declaration.whole[declaration.batch > 0 :]
    places = np.stack(np.unravel_index(np.arange(N), whole))
    angle = sum(
        declaration.sign * np.outer(j, j) % n * (field.order // n)
        for j, n in zip(places[-len(sizes) :], sizes, strict=True)
    )
    columns = recognizer.circle[angle % field.order].transpose(0, 2, 1)
    if declaration.batch:
        columns = columns * (places[0][:, None] == places[0])[:, None]
    given = np.stack([np.eye(N, dtype=np.int64), np.zeros((N, N), dtype=np.int64)], axis=1)
    return _with_turned(given, q), _with_turned(columns, q)


def _with_turned(columns: Residues, q: int) -> Residues:
    """Return vectors, and then the same vectors times I."""
    return np.concatenate(
        [columns, np.stack([(q - columns[:, 1]) % q, columns[:, 0]], axis=1)], axis=-1
    )


def geometric(
    declaration: Fourier, recognizer: Recognizer, rng: np.random.Generator
) -> tuple[Residues, Residues]:
    """Return a vector of powers of t and u, in the ring's two components, and its transform."""
    q, N = recognizer.field.q, declaration.N
    pairs = []
    for sign in (declaration.sign, -declaration.sign):
        t = no_root_of_one(N, q, rng)
        pairs.append((powers(t, N, q), _spectrum(declaration, recognizer.field, t, sign)))
    given, wanted = (
        np.stack(component, axis=-1)[..., None] for component in zip(*pairs, strict=True)
    )
    return from_pair(given, recognizer.iota, q), from_pair(wanted, recognizer.iota, q)


def _spectrum(declaration: Fourier, field: RootField, t: int, sign: int) -> NDArray[np.int64]:
    """Return the transform of t^j, w to the power `sign`: a product over the axes, of (r^n - 1) /
    (r w_n^(±k) - 1) with r = t to the power of what the axis counts, and of a batch of r^k.
    """
    q, found = field.q, np.ones(1, dtype=np.int64)
    for axis, n in enumerate(declaration.whole):
        r = pow(t, prod(declaration.whole[axis + 1 :]), q)
        if declaration.batch and not axis:
            part = powers(r, n, q)
        else:
            rotation = field.powers[(sign * np.arange(n) % n) * (field.order // n)]
            part = (pow(r, n, q) - 1) * inverses((r * rotation + q - 1) % q, q) % q
        found = (found[:, None] * part % q).reshape(-1)
    return found
