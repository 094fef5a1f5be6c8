"""Rearrangements that kernels do with their own loads and stores: passes over supersteps that join
a move's local part to the transform before or after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from codegen.kernels import fourier
from codegen.kernels.fourier import MESSAGES, SCALAR, STREAMED
from codegen.program.bits.bit_moves import Move
from codegen.program.bits.bit_transforms import Across, Butterflies, Local
from codegen.program.bits.exchanges import AllToAll
from codegen.program.digits.steps import Trade, Transform
from codegen.program.digits.tiling import tiled
from codegen.program.protocol import Step
from codegen.program.supersteps import Program
from codegen.requests import compiles_transforms
from codegen.spec import SHARED, SHARING
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
    >>> from codegen.spec import Spec
    >>> [type(step).__name__ for step in reversing(lower(Spec("hypercube-fft", 256, 2, "bit-reversed", "scrambled", scheme="3")).steps, 7)]
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
    >>> from codegen.spec import Spec
    >>> program = lower(Spec("hypercube-fft", 64, 2, "bit-reversed", "scrambled", kernels="numba"))
    >>> len(program.steps), len(fused(program).steps)
    (4, 3)
    """
    spec = program.spec
    if not compiles_transforms(spec):
        return program
    if spec.shape:
        made = tiled(tuple(_dealt(program.steps)), program.G, fourier.has_kernel)
        program = replace(program, steps=made)
        apart = spec.exchange in ("alltoall", SHARED) and not spec.in_pairs
        steps = _by_digits(program) if apart else program.steps
        return replace(program, steps=steps)
    m = program.input.m
    if spec.scheme or any(isinstance(step, Butterflies) for step in program.steps):
        return replace(program, steps=reversing(program.steps, m))
    apart = spec.exchange in SHARING or (spec.exchange == "alltoall" and _has_mail(program))
    return replace(program, steps=dealing(program.steps, m, apart))


def _dealt(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield supersteps by digits in which a transform deals its results to the messages of the
    trade after it, each of its copies apart.
    """
    order: DigitPermutation | None = None
    for step, after in zip(steps, (*steps[1:], None), strict=True):
        made = replace(step, pack=order) if order and isinstance(step, Trade) else step
        order = None
        if isinstance(step, Transform) and isinstance(after, Trade) and after.pack.order == (1, 0):
            parts = after.pack.radices[1]
            if step.c == 1 and step.d % parts == 0 and fourier.deals(step, parts):
                made = replace(step, parts=parts)
                digits = (step.copies, parts, step.d // parts)
                order = DigitPermutation(digits, (1, 0, 2))
        yield made


def _by_digits(program: Program) -> tuple[Step, ...]:
    """Return supersteps by digits in which the transform after the one exchange reads its messages
    where they lie, if it stores to the last array, and butterflies have whole messages or parts of
    one.
    """
    trades = [i for i, step in enumerate(program.steps) if isinstance(step, Trade)]
    match program.steps[trades[0] :] if len(trades) == 1 else ():
        case (Trade() as trade, Transform() as first, *_) as found if len(found) % 2 == 0:
            messages, r = trade.messages, fourier.first_radix(first)
            shares = program.spec.exchange == SHARED
            pays = (shares or not CACHED < program.M < STREAMED) and 1 < messages <= MESSAGES
            whole = first.copies == 1 and (r % messages == 0 or messages % r == 0)
            unpacked = len(trade.unpack.radices) < 2 and trade.exchange.in_groups
            if pays and whole and unpacked and trades[0] and fourier.has_kernel(first.d):
                apart = replace(first, messages=messages)
                return (*program.steps[: trades[0] + 1], apart, *found[2:])
    return program.steps


def _has_mail(program: Program) -> bool:
    """Return whether there is one exchange, within groups, between two transforms of which the
    second is the last step, or one before blocks on two ranks; False for sizes at which it does not
    pay to read its messages apart.
    """
    match program.steps:
        case (Move(exchange=AllToAll()), Local(), Across()):
            return program.M <= CACHED
        case _ if CACHED < program.M < STREAMED:
            return False
        case (*before, Move(exchange=AllToAll()), Local()):
            exchanges = any(isinstance(step, Move) and step.exchange for step in before)
            return not exchanges and any(isinstance(step, Local) for step in before)
    return False


def dealing(steps: tuple[Step, ...], m: int, apart: bool) -> tuple[Step, ...]:
    """Return supersteps in which rearrangements before exchanges are done as results are stored.

    A rearrangement L^M_p is done by the transform before it; at the beginning F_1 ⊗ I_M does
    nothing else, and it is a part of the move, which has the factors of both. If they lie
    `apart`, messages are read where they lie.

    >>> from codegen.program.lower import lower
    >>> from codegen.spec import Spec
    >>> [local, move, last] = dealing(lower(Spec("fft", 256, 4, "cyclic", "cyclic")).steps, 6, True)
    >>> local.parts, move.pack == identity(6, 2), last.messages
    (4, True, 4)
    """
    found: list[Step] = []
    for step in steps:
        before = found[-1] if found else None
        if isinstance(step, Move) and (p := _deals(step.pack, m)):
            parts, ranks = 1 << p, len(step.pack.columns) - m
            if isinstance(before, Local) and _can_deal(before, parts):
                found[-1] = replace(before, parts=parts)
            else:
                found.append(Local(None, 1, 1, 1 << m, parts=parts))
            step = replace(step, pack=identity(m, ranks))
        elif (
            apart
            and isinstance(step, Local)
            and isinstance(before, Move)
            and (messages := _read_apart(before, m))
        ):
            step = replace(step, messages=messages)
        found.append(step)
    return tuple(found)


def identity(m: int, ranks: int) -> Affine:
    """Return the rearrangement of a rank's elements that changes nothing."""
    return Affine(tuple(1 << bit for bit in range(m)) + (0,) * ranks, m)


def _deals(pack: Affine, m: int) -> int:
    """Return p where a rearrangement is L^M_(2^p), the same on all ranks; 0 where it is not."""
    inside, ranks = pack.columns[:m], (pack.c, *pack.columns[m:])
    p = inside.index(1) if 1 in inside else 0
    return p if not any(ranks) and inside == tuple(1 << (bit - p) % m for bit in range(m)) else 0


def _can_deal(local: Local, parts: int) -> bool:
    """Return whether the kernel of a transform can deal its results to so many parts."""
    if local.copies > 1 or (local.c == 1 and local.d <= SCALAR):
        return False
    if local.c > 1:
        return local.c >= parts
    r, rest, _ = fourier.two_passes(local.d)
    return r * prod(rest) >= parts


def _read_apart(move: Move, m: int) -> int:
    """Return the number of messages that a kernel reads where they lie after this move; 0 if they
    are to be put together first.
    """
    messages = 1 << move.exchange.rank_gamma if move.exchange else 1
    together = move.unpack != identity(m, len(move.unpack.columns) - m)
    return 0 if together or not 1 < messages <= min(MESSAGES, 1 << m) else messages
