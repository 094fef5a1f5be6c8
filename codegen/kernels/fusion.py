"""Rearrangements that kernels do with their own loads and stores: passes over supersteps that join
a move's local part to the transform before or after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from codegen.kernels import fourier
from codegen.kernels.fourier import MESSAGES, SCALAR, STREAMED
from codegen.program.bits.bit_moves import Move
from codegen.program.bits.bit_transforms import Across, Butterflies, Local
from codegen.program.digits.steps import Trade, Transform
from codegen.program.digits.tiling import tiled
from codegen.program.protocol import Step
from codegen.program.supersteps import Program
from codegen.systems.exchanges import EXCHANGES, SHARED, SHARING
from derive.digits.radices import DigitPermutation
from derive.formula.permutations import lg
from derive.gf2.bits import Affine

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

    >>> from codegen.program.lower import lower
    >>> from codegen.requests import make_request
    >>> [type(step).__name__ for step in reversing(lower(make_request("hypercube-fft", 256, 2, "bit-reversed", "scrambled", scheme="3")).steps, 7)]
    ['Local', 'Move', 'Local']
    """  # noqa: E501
    found: list[Step] = []
    for step in steps:
        before = found[-1] if found else None
        if (
            isinstance(before, Move)
            and isinstance(step, Local | Butterflies)
            and _reverses(step, m)
        ):
            d, ranks = step.d if isinstance(step, Local) else 1 << m, len(before.pack.columns) - m
            still, wanted = identity(m, ranks), _reversal(m, ranks, d)
            if isinstance(step, Butterflies):
                found[-1] = before = _in_order_of(wanted, before, m)
            moved = [offset for offset in (before.pack, before.unpack) if offset != still]
            if before.exchange is None and moved == [wanted]:
                found.pop()
                step = replace(step, reverses=True, factors=step.factors + before.factors)
            elif before.exchange and before.unpack == wanted:
                found[-1], step = replace(before, unpack=still), replace(step, reverses=True)
        found.append(step)
    return tuple(found)


def _in_order_of(wanted: Affine, move: Move, m: int) -> Move:
    """Reorder the messages of a move so that unpacking is the wanted permutation, where such an
    order exists.
    """
    inside = Affine(wanted.columns[:m], m).inverse() @ Affine(move.unpack.columns[:m], m)
    low = m - move.exchange.rank_gamma if move.exchange else 0
    others = identity(m, 0).columns[low:]
    if (
        not low
        or any((move.unpack.c, *move.unpack.columns[m:]))
        or inside.columns[low:] != others
        or any(c >> low for c in inside.columns[:low])
    ):
        return move
    return replace(move, pack=inside @ move.pack, unpack=wanted)


def _reverses(local: Local | Butterflies, m: int) -> bool:
    """Return whether a kernel of this transform can load its elements from bit-reversed places: no
    twiddles or weights lie with them.
    """
    if isinstance(local, Butterflies):
        return (
            (local.first, local.u, local.w) == (2, 1, 1)
            and local.last >= QUAD
            and 1 << m >= QUAD * QUAD
        )
    return local.d > SCALAR and local.c == 1 and (local.twiddle is None or local.after)


def _reversal(m: int, ranks: int, d: int) -> Affine:
    """Return the rearrangement that reverses the bits of places within each d of a rank's
    elements.
    """
    bits = lg(d)
    return Affine(
        tuple(1 << (bits - 1 - bit if bit < bits else bit) for bit in range(m)) + (0,) * ranks, m
    )


def fused(program: Program) -> Program:
    """Return a program whose compiled transforms do rearrangements with their loads and stores.

    >>> from codegen.program.lower import lower
    >>> from codegen.requests import make_request
    >>> ends = "bit-reversed", "scrambled"
    >>> program = lower(make_request("hypercube-fft", 64, 2, *ends, kernels="numba"))
    >>> len(program.steps), len(fused(program).steps)
    (4, 3)
    """
    spec = program.spec
    if not spec.compiles:
        return program
    if program.numbers:
        vector = not spec.shape
        made = tuple(_dealt(program.steps, vector))
        made = made if vector else tiled(made, program.G, fourier.has_kernel)
        program = replace(program, steps=made)
        between_two = isinstance(made[-1], Across) if made else False
        small = spec.exchange == EXCHANGES[0] and between_two and program.M <= CACHED
        if vector and (spec.exchange in SHARING or small):
            return replace(program, steps=tuple(_apart(made)))
        apart = spec.exchange in ("alltoall", SHARED) and not spec.in_pairs
        steps = _by_digits(program) if apart else program.steps
        return replace(program, steps=steps)
    m = program.input.m
    if spec.scheme or any(isinstance(step, Butterflies) for step in program.steps):
        return replace(program, steps=reversing(program.steps, m))
    return program


def _dealt(steps: Sequence[Step], vector: bool) -> Iterator[Step]:
    """Yield supersteps by digits in which a transform deals its results to the messages of the
    trade after it, each of its copies apart; if it has no kernel for that,
    those of a vector are dealt by F_1 ⊗ I_M.
    """
    order: DigitPermutation | None = None
    for step, after in zip(steps, (*steps[1:], None), strict=True):
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
        return step.d % parts == 0 and fourier.deals(step, parts)
    return vector and step.copies == 1 and step.c >= parts


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
            messages, r = trade.messages, fourier.first_radix(first)
            shares = program.spec.exchange == SHARED
            pays = (shares or not CACHED < program.M < STREAMED) and 1 < messages <= MESSAGES
            whole = first.copies == 1 and (r % messages == 0 or messages % r == 0)
            unpacked = len(trade.unpack.radices) < 2 and trade.exchange.in_groups
            begun = any(each.row_sum > 1 for each in program.steps[: trades[0]])
            if pays and whole and unpacked and begun and fourier.has_kernel(first.d):
                apart = replace(first, messages=messages)
                return (*program.steps[: trades[0] + 1], apart, *found[2:])
    return program.steps


def identity(m: int, ranks: int) -> Affine:
    """Return the rearrangement of a rank's elements that changes nothing."""
    return Affine(tuple(1 << bit for bit in range(m)) + (0,) * ranks, m)
