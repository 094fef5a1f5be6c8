"""The cost of a plan and its price: figures, and the price of each in flops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import NamedTuple

from codegen.cost.counted import Machine, count
from codegen.program.supersteps import Program
from derive.call_arguments import perhaps

PASS = 4.0
"""Flops in which an element beyond the cache is read and written, a round figure."""


class Figures(NamedTuple):
    """The most that one rank does: exchanges, messages, words, passes over its memory, flops."""

    exchanges: int = 0
    messages: int = 0
    words: int = 0
    passes: int = 0
    flops: int = 0

    def plus(self, other: Figures) -> Figures:
        """Return the figures of both together.

        >>> Figures(1, 3, 12).plus(Figures(passes=1))
        Figures(exchanges=1, messages=3, words=12, passes=1, flops=0)
        """
        return Figures(*(a + b for a, b in zip(self, other, strict=True)))


def passes(program: Program) -> int:
    """Return how often a rank reads and writes all its elements, beside exchanges.

    A local transform that fits the cache is one pass. A longer one is a pass for every two of its
    stages, as numpy's radix-4 algorithm has them, or two passes in kernels that keep to the caches.
    A diagonal of twiddles is a pass of its own but in compiled kernels, and a rearrangement is one
    unless an exchange takes it along.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> several = make_request("fft", 1024, 4, phases="16,16,4")
    >>> passes(resolve(make_request("fft", 1024, 4))), passes(resolve(several))
    (3, 5)
    >>> passes(resolve(make_request("fft", 1000, 10, "cyclic", "cyclic")))
    3
    """
    return sum(step.passes(program.request.kernels) for step in program.steps)


def figures_of(program: Program) -> Figures:
    """Return the figures of a program.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> figures_of(resolve(make_request("fft", 1024, 4, "cyclic", "cyclic")))
    Figures(exchanges=1, messages=3, words=192, passes=3, flops=14336)
    """
    found = count(program)
    return Figures(found.exchanges, found.messages, found.words, passes(program), found.flops)


@dataclass(frozen=True)
class Prices:
    """The price of each figure in flops, that of a pass for each of the rank's elements."""

    exchanges: float
    words: float
    messages: float = 0.0
    passes: float = PASS
    flops: float = 1.0

    def __post_init__(self) -> None:
        """Raise ValueError for a price below 0."""
        for field in fields(self):
            price = getattr(self, field.name)
            if not (isinstance(price, int | float) and isfinite(price) and price >= 0):
                raise ValueError(f"the price of {field.name} must be a number >= 0; got {price!r}")

    def of(self, figures: Figures, M: int) -> float:
        """Return the price of figures where a rank has M elements.

        >>> Prices(exchanges=100, words=2).of(Figures(1, 3, 12, 2, 160), 16)
        412.0
        """
        return (
            figures.exchanges * self.exchanges
            + figures.words * self.words
            + figures.messages * self.messages
            + figures.passes * self.passes * M
            + figures.flops * self.flops
        )


def prices_of(machine: Machine, others: Mapping[str, float] | None = None) -> Prices:
    """Return the prices of a BSP machine: l for an exchange, g for a word; others where they are
    stated.

    Raises ValueError for the price of something else, and for one below 0.

    >>> prices_of(Machine("m", 1e9, 8.0, 1000.0), {"messages": 50.0}).messages
    50.0
    """
    known = [field.name for field in fields(Prices)]
    for name in others or {}:
        if name not in known:
            raise ValueError(
                f"price of {name!r}{perhaps(name, known)}: prices are those of {', '.join(known)}"
            )
    return replace(Prices(exchanges=machine.l, words=machine.g), **(others or {}))
