"""Rearrangements that kernels do with their own loads and stores: passes over supersteps that join
a move's local part to the transform before or after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import prod

from codegen.kernels import fourier_kernels
from codegen.kernels.fourier_kernels import MESSAGES, SCALAR, STREAMED
from codegen.program.digits.digit_supersteps import Trade, Transform, Turn
from codegen.program.digits.tiling import tiled
from codegen.program.digits.transform_tiles import Tiled, lie_evenly
from codegen.program.protocol import Step
from codegen.program.stages.butterflies import Across
from codegen.program.stages.generalized_butterflies import Butterflies
from codegen.program.supersteps import Program
from derive.digits.radices import DigitPermutation, identity, reversal
from derive.formula.permutations import lg
from derive.maps.map_expressions import Field

QUAD = 4
"""The elements of a 4-butterfly: a pair of stages reads four times as many from bit-reversed
places.
"""

CACHED = 2**13
"""Up to so many elements of a rank, and where results go past the caches, messages of `alltoall`
are read where they are received. Between, the second array takes as much time as that saves. With
two exchanges there are four arrays, so only up to so many elements.
"""


def reversing(steps: tuple[Step, ...], m: int) -> tuple[Step, ...]:
    """Return supersteps in which the bit reversal of the elements of a transform or of stages, the
    last of a move, is done as they are loaded.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> [type(step).__name__ for step in reversing(resolve(make_request("hypercube-fft", 256, 2, "bit-reversed", "scrambled", scheme="3")).steps, 7)]
    ['Transform', 'Trade', 'OfHalves']
    """  # noqa: E501
    found: list[Step] = []
    for step in steps:
        before = found[-1] if found else None
        if isinstance(step, Transform | Butterflies) and _reverses(step, m):
            bits = lg(step.d) if isinstance(step, Transform) else m
            wanted = identity(1 << m - bits).beside(reversal((2,) * bits))
            if isinstance(before, Trade) and isinstance(step, Butterflies):
                found[-1] = before = _in_order_of(wanted, before)
            if isinstance(before, Turn) and before.pack == wanted:
                found.pop()
                step = replace(step, reverses=True, factors=step.factors + before.factors)
            elif isinstance(before, Trade) and before.unpack == wanted:
                found[-1] = replace(before, unpack=identity(1 << m))
                step = replace(step, reverses=True)
        found.append(step)
    return tuple(found)


def _in_order_of(wanted: DigitPermutation, trade: Trade) -> Trade:
    """Reorder the messages of a trade so that unpacking is the wanted permutation, where such an
    order exists.
    """
    inside, size = wanted.inverse() @ trade.unpack, trade.size // trade.messages
    message, element = inside.divided(size)
    still = message.fields in ((Field(size, trade.messages, 1),), ())
    if size > 1 and still and all(each.place < size for each in element.fields):
        return replace(trade, pack=inside @ trade.pack, unpack=wanted)
    return trade


def _reverses(step: Transform | Butterflies, m: int) -> bool:
    """Return whether a kernel of this transform can load its elements from bit-reversed places: no
    twiddles or weights lie with them.
    """
    if isinstance(step, Butterflies):
        return (
            (step.first, step.u, step.w) == (2, 1, 1)
            and step.last >= QUAD
            and 1 << m >= QUAD * QUAD
        )
    return step.d > SCALAR and step.c == 1 and step.diagonal is None


def fused(program: Program) -> Program:
    """Return a program whose compiled transforms do rearrangements with their loads and stores.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> ends = "bit-reversed", "scrambled"
    >>> program = resolve(make_request("hypercube-fft", 64, 2, *ends, kernels="numba"))
    >>> len(program.steps), len(fused(program).steps)
    (4, 3)
    """
    request = program.request
    if request.unequal or not program.compiles:
        return program
    if program.numbers:
        vector = not request.shape
        made = tuple(_dealt(program.steps, vector))
        if not vector:
            made = tuple(map(_putting, tiled(made, program.G, fourier_kernels.has_kernel)))
        program = replace(program, steps=made)
        between_two = isinstance(made[-1], Across) if made else False
        plain = request.way.by_counts
        small = plain and between_two and program.M <= CACHED
        if vector and (request.way.shares or small):
            return replace(program, steps=tuple(_apart(made)))
        apart = (plain or request.way.shares) and not program.in_pairs
        steps = _by_digits(program) if apart else program.steps
        return replace(program, steps=steps)
    m = program.input.m
    if request.scheme or any(step.stages for step in program.steps):
        return replace(program, steps=reversing(program.steps, m))
    return program


def _dealt(steps: Sequence[Step], vector: bool) -> Iterator[Step]:
    """Yield supersteps by digits in which a transform deals its results to the messages of the
    trade after it, each of its copies apart; if it has no kernel for that,
    those of a vector are dealt by F_1 ⊗ I_M.
    """
    order: DigitPermutation | None = None
    for step, after in zip_longest(steps, steps[1:]):
        made = replace(step, pack=order) if order and isinstance(step, Trade) else step
        order = None
        if isinstance(step, Transform) and isinstance(after, Trade) and after.pack.order == (1, 0):
            parts = after.pack.radices[1]
            if _deals(step, parts, vector):
                made = replace(step, parts=parts)
                order = DigitPermutation((step.copies, parts, step.d * step.c // parts), (1, 0, 2))
        if vector and isinstance(made, Trade) and made.pack.order == (1, 0):
            yield Transform(None, 1, 1, made.size, parts=made.pack.radices[1])
            made = replace(made, pack=DigitPermutation((made.size,), (0,)))
        yield made


def _deals(step: Transform, parts: int, vector: bool) -> bool:
    """Return whether the kernel of a transform can deal its results to so many parts; columns are
    dealt of vectors.
    """
    if step.c == 1:
        return step.d % parts == 0 and fourier_kernels.deals(step, parts)
    return vector and step.copies == 1 and step.c >= parts


def _putting(step: Step) -> Step:
    """Return a step whose last transform stores its results where they go, past the caches, if a
    rank has at least STREAMED elements and a kernel can.
    """
    if not isinstance(step, Tiled) or prod(step.radices) < STREAMED:
        return step
    *_, last = replace(step, puts=True).of_tile
    whole = last.copies == 1 and last.c > 1 and step.target.tile[-1] == last.c
    able = (
        whole
        and step.target.steps[-1] == 1
        and lie_evenly(fourier_kernels.radices(last.d), last.put)
    )
    return replace(step, puts=able)


def _apart(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield supersteps on a vector in which a transform after an exchange reads its messages where
    they lie, if they are not put in another order.
    """
    for before, step in zip((None, *steps), steps, strict=False):
        if isinstance(before, Trade) and isinstance(step, Transform):
            together = len(before.unpack.radices) > 1
            size = step.copies * step.d * step.c
            if not together and 1 < before.messages <= min(MESSAGES, size):
                step = replace(step, messages=before.messages)
        yield step


def _by_digits(program: Program) -> tuple[Step, ...]:
    """Return supersteps by digits in which the transform after the one exchange reads its messages
    where they lie, if it stores to the last array, and butterflies have whole messages or parts of
    one.
    """
    trades = [i for i, step in enumerate(program.steps) if step.exchanges]
    match program.steps[trades[0] :] if len(trades) == 1 else ():
        case (Trade() as trade, Transform() as first, *_) as found if len(found) % 2 == 0:
            messages, r = trade.messages, fourier_kernels.first_radix(first)
            shares = program.request.way.shares
            pays = (shares or not CACHED < program.M < STREAMED) and 1 < messages <= MESSAGES
            whole = first.copies == 1 and (r % messages == 0 or messages % r == 0)
            unpacked = len(trade.unpack.radices) < 2 and trade.exchange.in_groups
            begun = any(each.row_sum > 1 for each in program.steps[: trades[0]])
            if pays and whole and unpacked and begun and fourier_kernels.has_kernel(first.d):
                apart = replace(first, messages=messages)
                return (*program.steps[: trades[0] + 1], apart, *found[2:])
    return program.steps
