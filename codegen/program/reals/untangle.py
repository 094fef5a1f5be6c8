"""Real input of any even size: the complex transform of N/2 pairs, and the stage that untangles the
half spectrum from it.

Z = F_{N/2} z is the transform of z[m] = x[2m] + i x[2m + 1], and X = F_N x of the real x. With w =
exp(-2πi/N) and C[m] = conj Z[-m mod N/2],

    X[m] = (Z[m] + C[m])/2 - i w^m (Z[m] - C[m])/2        0 < m < N/2
    X[0] = Re Z[0] + Im Z[0],   X[N/2] = Re Z[0] - Im Z[0]

and back likewise, with the conjugate weight. Pair m of the result is X[m], and pair 0 holds X[0] and
X[N/2]. Pairs lie as in `cyclic`, so -m lies on the rank -s mod P if m lies on s.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from codegen.program.digits.digit_supersteps import Diagonal
from codegen.program.digits.lower import NoRoute, lowered, moved
from codegen.program.protocol import PAIR, Exchanges, Sent, Step, Unit, Words, Works, on
from derive.call_arguments import named
from derive.digits.digit_layouts import ArrayLayout, working_sizes
from derive.exact.rings import Elements, Ring
from derive.maps.layout_digits import PAIRS
from derive.maps.map_expressions import ONE, Field, Number

OF_PAIRS = {"block": "block", PAIRS: "cyclic"}
"""The layouts of real elements, and those of their pairs."""


@dataclass(frozen=True)
class Opposites(Step):
    """Ranks s and -s mod P exchange all that they have, M real elements each."""

    M: int
    P: int
    arrays: int = 1

    @property
    def partners(self) -> Any:
        """The rank that each rank exchanges with, itself perhaps."""
        return self.partner(np.arange(self.P))

    def partner(self, ranks: Any) -> Any:
        """Return the ranks that these exchange with."""
        return -ranks % self.P

    @property
    def exchanges(self) -> bool:
        return self.P > 2

    def sent(self, ranks: Any) -> Sent:
        """Return how many messages and elements these ranks send to others.

        >>> [counts.tolist() for counts in Opposites(6, 4).sent(np.arange(4))]
        [[0, 1, 0, 1], [0, 6, 0, 6]]
        """
        messages = (self.partner(ranks) != ranks) * 1
        return Sent(messages, messages * self.M)

    def targets(self, ranks: Any) -> tuple[Any, Any]:
        return self.partner(ranks), self.M

    @property
    def in_words(self) -> Words:
        return (Exchanges("elements k and N-k"),) * self.exchanges + (Works(self.computes),)

    @property
    def computes(self) -> str:
        """What a rank computes then, in words."""
        raise NotImplementedError

    @property
    def each(self) -> int:
        """The number of pairs of each array on a rank."""
        return self.M // (2 * self.arrays)

    @property
    def weights(self) -> Diagonal:
        """The diagonal w^m, by rank and offset of the pairs m of one array."""
        m = Number((Field(self.each, self.P, 1), Field(1, self.each, self.P)))
        return Diagonal(2 * self.P * self.each, ((m, ONE, 1),))

    @property
    def pairs(self) -> Any:
        """The pair m of an array at each storage address, in `cyclic`."""
        s, _, o = self._places
        return s + self.P * o

    @property
    def opposite(self) -> Any:
        """The storage address of pair -m, for the pair m at each storage address."""
        _, array, _ = self._places
        m = -self.pairs % (self.P * self.each)
        return (m % self.P * self.arrays + array) * self.each + m // self.P

    @property
    def _places(self) -> tuple[Any, Any, Any]:
        """The rank of each pair, its array and its offset there."""
        shape = self.P, self.arrays, self.each
        return np.unravel_index(np.arange(self.P * self.M // 2), shape)  # type: ignore[return-value]


@dataclass(frozen=True)
class Untangle(Opposites):
    """The half spectrum X from the transform Z of pairs; where `back`, Z from X."""

    back: bool = False

    unit: ClassVar[Unit] = PAIR

    @property
    def computes(self) -> str:
        return "the half spectrum"

    def flops(self, rank: int = 0) -> int:
        """Return three additions, a halving and a product for each pair."""
        return 7 * self.M

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        """Raise TypeError: conjugates are computed beside the transform by reals/meaning.py."""
        raise TypeError("real input is interpreted by its even and odd elements: reals")


@lru_cache(64)
def real_lowered(source: ArrayLayout, target: ArrayLayout, back: bool) -> tuple[Step, ...]:
    """Return the supersteps from real elements in one layout to the half spectrum in another; where
    `back`, the way back.

    Raises ValueError for an odd number of elements, for layouts that part pairs, and where whole
    digits do not do it.

    >>> layout = ArrayLayout("cyclic-pairs", (1000,), (2,))
    >>> [type(step).__name__ for step in real_lowered(layout, layout, False)]
    ['Transform', 'Trade', 'Transform', 'Untangle']
    """
    untangle = Untangle(source.M, source.P, back=back)
    before, after = of_pairs(source), of_pairs(target)
    between, pairs, P = replace(after, name="cyclic"), before.N, before.P
    try:
        if back:
            return *on(PAIR, moved(before, between)), untangle, *on(PAIR, lowered(between, after))
        return *on(PAIR, lowered(before, between)), untangle, *on(PAIR, moved(between, after))
    except ValueError as error:
        raise NoRoute(
            f"{source.N} real elements on {P} ranks, {source.name} to {target.name}: P² must divide"
            f" the {pairs} pairs of elements, or both must be powers of one prime;"
            f" {working_sizes(pairs, P, 2)}, {or_spectrum()}"
        ) from error


def even(N: int) -> None:
    """Raise ValueError for an odd number of real elements.

    >>> even(7)
    Traceback (most recent call last):
    ValueError: rfft needs an even N; got 7; try 6 or 8, or result spectrum with layouts block or balanced
    """  # noqa: E501
    if N % 2:
        near = " or ".join(str(size) for size in (N - 1, N + 1) if size)
        raise ValueError(f"rfft needs an even N; got {N}; try {near}, {or_spectrum()}")


def or_spectrum() -> str:
    """Return the end of a message that says what works for any sizes."""
    return f"or {named('result')} spectrum with layouts block or balanced"


def of_pairs(layout: ArrayLayout) -> ArrayLayout:
    """Return the layout of pairs of elements; raise ValueError where a layout parts them."""
    *batch, n = layout.shape
    even(n)
    if layout.name not in OF_PAIRS:
        raise ValueError(f"rfft supports the layouts {' and '.join(OF_PAIRS)}; got {layout.name}")
    return replace(layout, name=OF_PAIRS[layout.name], shape=(*batch, n // 2))
