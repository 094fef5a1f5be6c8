"""What a program computes: its supersteps interpreted on all ranks at once, over any exact ring."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from codegen.supersteps import Exchange, Local, Move, Program, Rounds, Twiddle
from derive.bits import Affine
from derive.exact import Elements, Ring, act
from derive.formula import F, I, kron


def interpret(program: Program, x: Elements, ring: Ring) -> Elements:
    """Return what the program makes of the vectors x, of shape (N, stimuli, ...) in natural order.

    >>> from codegen.lower import build
    >>> from derive.exact import Monomials
    >>> program, ring = build("fft", 8, 2), Monomials(8)
    >>> bool((interpret(program, ring.units(8, range(8)), ring) == act(F(8), ring.units(8, range(8)), ring)).all())
    True
    """
    y = _moved(program.input.address, x)
    for step in program.steps:
        y = _move(step, program, y) if isinstance(step, Move) else _compute(step, program, y, ring)
    return y[program.output.address(np.arange(program.N))]


def _moved(address: Affine, x: Elements) -> Elements:
    y = np.empty_like(x)
    y[address(np.arange(len(x)))] = x
    return y


def _move(step: Move, program: Program, x: Elements) -> Elements:
    """Return x packed, exchanged message by message, and unpacked."""
    ranks = np.arange(program.N) & -program.M
    packed, received = np.empty_like(x), np.empty_like(x)
    packed[ranks | step.pack(np.arange(program.N))] = x
    for k in range(program.P if step.exchange else 0):
        for b, target, position in messages(step.exchange, k):
            size = program.M >> step.exchange.rank_gamma if step.exchange else program.M
            start = target * program.M + position * size
            received[start : start + size] = packed[k * program.M + b * size : k * program.M + (b + 1) * size]
    y = np.empty_like(x)
    y[ranks | step.unpack(np.arange(program.N))] = received if step.exchange else packed
    return y


def messages(exchange: Exchange | None, k: int) -> list[tuple[int, int, int]]:
    """Return the messages of rank k: (b, target, place among the messages that the target receives).

    >>> from codegen.supersteps import AllToAll
    >>> messages(AllToAll((2,)), 1)
    [(0, 1, 0), (1, 3, 0)]
    """
    if exchange is None:
        return []
    if isinstance(exchange, Rounds):
        return [(b, exchange.gamma(b) ^ exchange.delta(k), b) for b in range(1 << exchange.rank_gamma)]
    group = AllToAllGroup(exchange.basis)
    return [(q, group.rank(k, q), group.position(k)) for q in range(1 << exchange.rank_gamma)]


@dataclass(frozen=True)
class AllToAllGroup:
    """The cosets of span(basis): who has which position."""

    basis: tuple[int, ...]

    def position(self, k: int) -> int:
        """Return the position of rank k in its group."""
        return sum((k >> e.bit_length() - 1 & 1) << i for i, e in enumerate(self.basis))

    def rank(self, k: int, q: int) -> int:
        """Return the rank at position q of the group of rank k."""
        change = q ^ self.position(k)
        for i, e in enumerate(self.basis):
            k ^= e * (change >> i & 1)
        return k


def _compute(step: Local, program: Program, x: Elements, ring: Ring) -> Elements:
    y = ring.twist(x, *_exponents(step.twiddle, program.N)) if step.twiddle else x
    return act(kron(I(program.P * step.copies), kron(F(step.d), I(step.c))), y, ring)


def _exponents(twiddle: Twiddle, N: int) -> tuple[Elements, int]:
    z = np.arange(N)
    return twiddle.i(z) * twiddle.j(z), twiddle.order
