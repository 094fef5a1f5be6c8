"""What a program computes: its supersteps interpreted on all ranks at once, over any exact ring."""

from __future__ import annotations

from functools import reduce
from math import lcm

import numpy as np

from codegen.supersteps import Exchange, Local, Move, Program, Rounds, Twiddle
from derive.bits import Affine
from derive.check import Claim, decide
from derive.exact import Elements, Ring, act, order, row_sum
from derive.formula import F, I, kron
from derive.verdict import Verdict


def interpret(program: Program, x: Elements, ring: Ring) -> Elements:
    """Return what the program makes of the vectors x, of shape (N, stimuli, ...) in natural order.

    >>> from codegen.lower import build
    >>> from derive.exact import Monomials
    >>> program, ring = build("fft", 8, 2), Monomials(8)
    >>> bool((interpret(program, ring.units(8, range(8)), ring) == act(F(8), ring.units(8, range(8)), ring)).all())
    True
    """
    y = _moved_to(program.input.address(np.arange(program.N)), x)
    for step in program.steps:
        y = _move(step, program, y) if isinstance(step, Move) else _compute(step, program, y, ring)
    return y[program.output.address(np.arange(program.N))]


def _moved_to(target: Elements, x: Elements) -> Elements:
    """Return y with y[target[z]] = x[z]."""
    y = np.empty_like(x)
    y[target] = x
    return y


def _move(step: Move, program: Program, x: Elements) -> Elements:
    """Return x packed, exchanged message by message, and unpacked."""
    m, z = program.input.m, np.arange(program.N)
    y = _moved_to(z & -program.M | step.pack(z), x)
    if step.exchange:
        low = m - step.exchange.rank_gamma
        target, place = route(step.exchange, z >> m, (z & program.M - 1) >> low)
        y = _moved_to(target << m | place << low | z & (1 << low) - 1, y)
    return _moved_to(z & -program.M | step.unpack(z), y)


def route(exchange: Exchange, k: Elements, b: Elements) -> tuple[Elements, Elements]:
    """Return (target, place): message b of rank k goes to rank `target`, where it is message `place`.

    >>> from codegen.supersteps import AllToAll
    >>> target, place = route(AllToAll((2,)), np.array([1, 1]), np.array([0, 1]))
    >>> target.tolist(), place.tolist()
    ([1, 3], [0, 0])
    """
    if isinstance(exchange, Rounds):
        return exchange.gamma(b) ^ exchange.delta(k), b
    position = np.zeros_like(k)
    for i, e in enumerate(exchange.basis):
        position |= (k >> e.bit_length() - 1 & 1) << i
    return k ^ Affine(exchange.basis, exchange.ranks)(position ^ b), position


def _compute(step: Local, program: Program, x: Elements, ring: Ring) -> Elements:
    y = ring.twist(x, *_exponents(step.twiddle, program.N)) if step.twiddle else x
    return act(kron(I(program.P * step.copies), kron(F(step.d), I(step.c))), y, ring)


def _exponents(twiddle: Twiddle, N: int) -> tuple[Elements, int]:
    z = np.arange(N)
    return twiddle.i(z) * twiddle.j(z), twiddle.order


def check(program: Program) -> Verdict:
    """Return whether the supersteps compute the left side of the program's equation, exactly, as `derive.check.check` does.

    >>> from codegen.lower import build
    >>> print(check(build("fft", 8, 2, "cyclic", "bit-reversed")))
    checked: supersteps from cyclic to bit-reversed on 2 ranks = F_8 (all 64 entries, exactly in Z[zeta_8])
    """
    left = program.equation.left
    orders = [step.twiddle.order if step.twiddle else 1 for step in program.steps if isinstance(step, Local)]
    growth = reduce(lambda a, b: a * b, [step.d for step in program.steps if isinstance(step, Local)], 1)
    return decide(
        Claim(
            statement=f"supersteps from {program.input.name} to {program.output.name} on {program.P} ranks = {left}",
            size=program.N,
            order=lcm(4, order(left), *orders),
            growth=row_sum(left) + growth,
            left=lambda x, ring: act(left, x, ring),
            right=lambda x, ring: interpret(program, x, ring),
            fourier=isinstance(left, F),
        )
    )
