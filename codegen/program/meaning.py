"""The meaning of a program: its supersteps run on all ranks at once, over any exact ring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from math import lcm, prod

import numpy as np

from codegen.program import affine_meaning
from codegen.program.digits.steps import Transform
from codegen.program.digits.tiles import Tiled
from codegen.program.hartley import Unpaired
from codegen.program.hartley import growth as hartley_growth
from codegen.program.overlap import part_bits
from codegen.program.reals import meaning as of_reals
from codegen.program.reals.halves import Halves
from codegen.program.reals.reflect import Reflect
from codegen.program.reals.rows import Rows
from codegen.program.reals.untangle import Untangle
from codegen.program.supersteps import (
    Across,
    Butterflies,
    Exchange,
    Local,
    Move,
    Overlap,
    Program,
    Rounds,
    Step,
    Twiddle,
)
from codegen.reals import of_neighbours, on_reals
from derive.digits.factorization import hartley_along_axes
from derive.exact.action import act
from derive.exact.check import LARGEST, decide
from derive.exact.claim import Claim
from derive.exact.measures import order, row_sum
from derive.exact.rings import Elements, Ring
from derive.formula.grammar import Formula, I, kron
from derive.formula.permutation_matrices import L, R
from derive.formula.placement import Placement
from derive.formula.transforms import F, H
from derive.gf2.bits import Affine
from derive.verdict import Verdict


def interpret(program: Program, x: Elements, ring: Ring) -> Elements:
    """Return what the program makes of the vectors x, of shape (N, stimuli, ...) in natural order.

    >>> from codegen.program.lower import lower
    >>> from codegen.spec import Spec
    >>> from derive.exact.rings import Monomials
    >>> program, ring = lower(Spec("fft", 8, 2)), Monomials(8)
    >>> bool((interpret(program, ring.units(8, range(8)), ring) == act(F(8), ring.units(8, range(8)), ring)).all())
    True
    """  # noqa: E501
    y = _moved_to(_addresses(program.input), x)
    of_pairs = of_neighbours(program.spec)
    for step in program.steps:
        if of_pairs and not on_reals(step, program.spec):
            pairs = _step(step, program, y.reshape(-1, 2, *y.shape[1:]), ring)
            y = pairs.reshape(len(y), *pairs.shape[2:])
        else:
            y = _step(step, program, y, ring)
    return y[_addresses(program.output)]


def _addresses(layout: Placement) -> Elements:
    """Return the storage addresses of all indices."""
    s, o = layout.place(np.arange(layout.N))
    return s * layout.M + o


def _step(step: Step, program: Program, x: Elements, ring: Ring) -> Elements:
    match step:
        case Move():
            return moved(step, program, x)
        case Local():
            return _local(step, program.P, x, ring)
        case Across():
            c = program.M << step.channel
            return _twisted(step, kron(I(program.N // (2 * c)), kron(F(2), I(c))), x, ring)
        case Butterflies():
            given = act(kron(I(program.P), R(program.M)), x, ring) if step.reverses else x
            return reduce(lambda y, k: _generalized(step, k, program, y, ring), step.stages, given)
        case Overlap():
            return _overlap(step, program, x, ring)
        case Unpaired():
            return step.interpret(x)
        case Untangle():
            raise TypeError("real input is interpreted by its even and odd elements: reals")
        case _:
            return step.interpret(x, ring)  # type: ignore[arg-type]  # a ring that has no cosines raises Collision


def _moved_to(target: Elements, x: Elements) -> Elements:
    """Return y with y[target[z]] = x[z]."""
    y = np.empty_like(x)
    y[target] = x
    return y


def moved(step: Move, program: Program, x: Elements) -> Elements:
    """Return x, by storage addresses, packed, exchanged message by message, and unpacked."""
    m, z = program.input.m, np.arange(program.N)
    y = _moved_to(z & -program.M | step.pack(z), x)
    if step.exchange:
        low = m - step.exchange.rank_gamma
        target, place = route(step.exchange, z >> m, (z & program.M - 1) >> low)
        y = _moved_to(target << m | place << low | z & (1 << low) - 1, y)
    return _moved_to(z & -program.M | step.unpack(z), y)


def route(exchange: Exchange, k: Elements, b: Elements) -> tuple[Elements, Elements]:
    """Return (target, place): message b of rank k goes to rank `target`, where it is message
    `place`.

    >>> from codegen.program.supersteps import AllToAll
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


def _local(step: Local, P: int, x: Elements, ring: Ring) -> Elements:
    """Return L^M_parts (I ⊗ F_d ⊗ I_c) (I ⊗ P_d ⊗ I_c) x on P ranks, what it does not have left
    out.
    """
    copies, M = I(P * step.copies), step.copies * step.d * step.c
    given = act(kron(copies, R(step.d), I(step.c)), x, ring) if step.reverses else x
    y = _twisted(step, kron(copies, F(step.d), I(step.c)), given, ring)
    return act(kron(I(P), L(M, step.parts)), y, ring) if step.parts > 1 else y


def _twisted(step: Local | Across, transform: Formula, x: Elements, ring: Ring) -> Elements:
    """Return the transform with its diagonal before or after it."""
    if step.twiddle is None:
        return act(transform, x, ring)
    exponents = _exponents(step.twiddle, len(x))
    return (
        ring.twist(act(transform, x, ring), *exponents)
        if step.after
        else act(transform, ring.twist(x, *exponents), ring)
    )


def _generalized(step: Butterflies, k: int, program: Program, x: Elements, ring: Ring) -> Elements:
    """Return the butterflies of size k of x, the second half of each with the weights w_k^(j + α),
    j < k/2.
    """
    z, h, u, w = np.arange(program.N), k // 2, step.u, step.w
    numerator = z // program.M % u + u * (z % program.M // step.b % w)
    weights = np.where(z % k < h, 0, z % h * u * w + numerator)
    return act(kron(I(program.N // k), kron(F(2), I(h))), ring.twist(x, weights, k * u * w), ring)


def _overlap(step: Overlap, program: Program, x: Elements, ring: Ring) -> Elements:
    """Return what arrives where every part of the Local is computed by itself: a block of copies,
    or the sums or differences.
    """
    local, bits = step.local, part_bits(step)
    exponents = _exponents(local.twiddle, program.N) if local.twiddle else None
    given = ring.twist(x, *exponents) if exponents and not local.after else x
    given = given.reshape(program.P, 1 << bits, program.M >> bits, *x.shape[1:])
    parts = [given[:, part] for part in range(1 << bits)]
    if local.copies > 1:
        block = kron(I(program.P * local.copies >> bits), kron(F(local.d), I(local.c)))
        made = [act(block, part.reshape(-1, *x.shape[1:]), ring) for part in parts]
    else:
        low, high = (part.reshape(-1, *x.shape[1:]) for part in parts)
        made = [ring.add(low, ring.twist(high, part, 2)) for part in (0, 1)]
    y = np.stack([part.reshape(program.P, -1, *part.shape[1:]) for part in made], axis=1)
    y = y.reshape(program.N, *y.shape[3:])
    return moved(step.move, program, ring.twist(y, *exponents) if exponents and local.after else y)


def _exponents(twiddle: Twiddle, N: int) -> tuple[Elements, int]:
    z = np.arange(N)
    return twiddle.i(z) * twiddle.j(z), twiddle.order


def check(program: Program) -> Verdict:
    """Return whether the supersteps compute the left side of the program's equation, exactly, as
    `derive.exact.check.check` does.

    >>> from codegen.program.lower import lower
    >>> from codegen.spec import Spec
    >>> print(check(lower(Spec("fft", 8, 2, "cyclic", "bit-reversed"))))
    checked: supersteps from cyclic to bit-reversed on 2 ranks = F_8 (all 64 entries, exactly in Z[zeta_8])
    """  # noqa: E501
    if program.spec.system == "rfft":
        return of_reals.check(program)
    bits = program.N > LARGEST and not program.spec.shape
    by_matrices = affine_meaning.check(program) if bits else None
    if by_matrices is not None:
        return by_matrices
    if program.spec.system == "fht" and program.spec.shape:
        program = _of_hartley(program)
    left = program.equation.left
    entries = hartley_growth(program.steps, program.N) or _row_sum(program)
    return decide(
        Claim(
            statement=(
                f"supersteps from {program.input.name} to {program.output.name} on {program.P}"
                f" ranks = {left}"
            ),
            size=left.size,
            order=lcm(4, order(left), *_orders(program)),
            roots=lcm(order(left), *_orders(program)),
            growth=row_sum(left) + entries,
            left=lambda x, ring: act(left, x, ring),
            right=lambda x, ring: interpret(program, x, ring),
            fourier=isinstance(left, F),
            hartley=isinstance(left, H),
            real=isinstance(left, H),
        )
    )


def _of_hartley(program: Program) -> Program:
    """Return a program with the equation of Hartley matrices that it is held to."""
    equation = hartley_along_axes(program.spec.shape, program.spec.batch)
    return replace(program, equation=equation)


def _orders(program: Program) -> Iterator[int]:
    """Yield the orders of the roots of unity in the diagonals of a program."""
    for step in program.steps:
        match step:
            case Transform():
                yield step.order
            case Butterflies():
                yield step.last * step.u * step.w
    yield from (step.twiddle.order for step in program.computations if step.twiddle)


def _row_sum(program: Program) -> int:
    """Return a bound of the absolute row sums of what the steps of a program compute."""
    sums = [step.d if isinstance(step, Local) else 2 for step in program.computations]
    for step in program.steps:
        match step:
            case Transform():
                sums.append(step.d)
            case Tiled():
                sums += [each.d for each in step.transforms]
            case Rows():
                sums.append(8 * step.n)
            case Reflect() | Halves():
                sums.append(8)  # 2 for each of two terms, and the half on both sides
            case Butterflies():
                sums.append(2 * step.last // step.first)
    return prod(sums)
