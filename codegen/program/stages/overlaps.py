"""Overlap of communication and computation: a transform split by messages, so that what other ranks get
is under way while the rest is computed.

    step     = Overlap(transform, trade)

A transform and the trade after it become an Overlap where that is legal: the trade sends elements as they
lie (it packs nothing), every rank keeps one message and sends the others to its group, messages are
parts of its elements by their top offset bits, and the outputs of the transform separate by these bits,

    I_copies ⊗ F_d ⊗ I_c, copies >= 2     blocks: a part is a transform of fewer copies and reads nothing else
    F_2 ⊗ I_c                             butterflies: one part takes the sums, the other the differences, of all that is there

which is Aykanat & Dervis, section 3.2, for the second. An Overlap computes what the two steps do,
part by part (meaning.py).

The exchanges within a Hartley transform are no trades, as comp_s is not affine. There the split is
legal, rank by rank, where one of the two lists travels: it is computed first, by itself, and not
needed any more when it is sent.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from codegen.program.digits.digit_supersteps import Trade, Transform
from codegen.program.factors import apart
from codegen.program.protocol import Sent, Step, Words, Works, written
from derive.exact.action import act
from derive.exact.rings import Elements, Ring
from derive.formula.grammar import Formula, I, factors_of, kron, product
from derive.formula.transforms import F
from derive.papers.statements.statement_tables import at_sizes


@dataclass(frozen=True)
class Overlap(Step):
    """A transform and the trade after it, the transform split by messages: what other ranks get is
    computed first and sent while the rest is computed.
    """

    transform: Transform
    trade: Trade

    @property
    def is_twiddled(self) -> bool:
        return self.transform.is_twiddled

    @property
    def multiplies_last(self) -> bool:
        return self.transform.multiplies_last

    @property
    def factors(self) -> tuple[Formula, ...]:
        return *self.trade.factors, *self.transform.factors

    @property
    def twiddles(self) -> tuple[Formula, ...]:
        return self.trade.twiddles

    @property
    def butterfly(self) -> Any:
        return self.transform.butterfly

    @property
    def crosses(self) -> int | None:
        return self.trade.crosses

    @property
    def parts(self) -> int:
        """In how many parts the outputs of the transform come, each of one or more messages.

        >>> from codegen.program.resolve import resolve
        >>> from codegen.requests import make_request
        >>> ends = "bit-reversed", "scrambled"
        >>> program = resolve(make_request("hypercube-fft", 64, 2, *ends, scheme="4"))
        >>> program.steps[2].parts
        2
        """
        return min(self.trade.messages, self.transform.copies) if self.transform.copies > 1 else 2

    def interpret(self, x: Elements, ring: Ring) -> Elements:
        """Return what arrives where every part of the transform is computed by itself: a block of
        copies, or the sums or differences.
        """
        step, count, after = self.transform, self.parts, self.multiplies_last
        P = len(x) // step.M
        diagonal = step.diagonal
        twiddles = (diagonal.exponents(np.arange(len(x))), diagonal.order) if diagonal else None
        given = ring.twist(x, *twiddles) if twiddles and not after else x
        given = given.reshape(P, count, step.M // count, *x.shape[1:])
        parts = [given[:, part].reshape(-1, *x.shape[1:]) for part in range(count)]
        if step.copies > 1:
            block = kron(I(P * step.copies // count), kron(F(step.d), I(step.c)))
            made = [act(block, part, ring) for part in parts]
        else:
            made = [ring.add(parts[0], ring.twist(parts[1], part, 2)) for part in (0, 1)]
        y = np.stack([part.reshape(P, -1, *part.shape[1:]) for part in made], axis=1)
        y = y.reshape(len(x), *y.shape[3:])
        return self.trade.interpret(ring.twist(y, *twiddles) if twiddles and after else y)

    def carried(self, x: Elements) -> Elements:
        return self.trade.interpret(x)

    moves: ClassVar[bool] = True

    exchanges: ClassVar[bool] = True

    computes_first: ClassVar[bool] = True

    def sent(self, ranks: Any) -> Sent:
        return self.trade.sent(ranks)

    def targets(self, ranks: Any) -> tuple[Any, Any]:
        return self.trade.targets(ranks)

    def flops(self, rank: int = 0) -> int:
        return self.transform.flops(rank)

    def passes(self, kernels: str) -> int:
        return self.transform.passes(kernels)

    @property
    def roots(self) -> int:
        return self.transform.roots

    @property
    def row_sum(self) -> int:
        return self.transform.row_sum

    @property
    def in_words(self) -> Words:
        work = written(self.transform.factors) or "the local transform, overlapped"
        return Works(work), *self.trade.in_words

    def together(self, o: Any) -> Any:
        return self.transform.together(o)


def overlapped(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps with every transform and the trade after it as an Overlap where that is
    legal.

    >>> from codegen.program.affine_steps import steps_of
    >>> from derive.formula.affine_layouts import block
    >>> from derive.papers.bsp import group_cyclic
    >>> steps = steps_of(group_cyclic(64, 2).right, block(64, 2), block(64, 2))
    >>> [type(step).__name__ for step in overlapped(steps)]
    ['Trade', 'Transform', 'Trade', 'Overlap']
    """
    done: list[Step] = []
    for step in steps:
        before = done[-1] if done else None
        if isinstance(before, Transform) and isinstance(step, Trade) and legal(before, step):
            done[-1] = Overlap(before, step)
        else:
            done.append(step)
    return tuple(done)


def legal(transform: Transform, trade: Trade) -> bool:
    """Return whether the outputs of a transform can be sent message by message before all of them
    are there.

    >>> from codegen.program.affine_steps import steps_of
    >>> from derive.formula.affine_layouts import block
    >>> from derive.papers.bsp import group_cyclic
    >>> steps = steps_of(group_cyclic(64, 4).right, block(64, 4), block(64, 4))
    >>> _, first, exchange, second, home = steps
    >>> legal(first, exchange), legal(second, home)
    (False, False)
    """
    as_they_lie = len(trade.pack.radices) < 2
    separate = transform.copies > 1 or transform.d == 2
    return trade.exchange.in_groups and as_they_lie and separate


def last_stages_apart(formula: Formula, P: int) -> Formula:
    """Return a product in which every I_P ⊗ F_d ⊗ I_c, d > 2, has its last stage apart: F_d = (F_2
    ⊗ I_h) T^d_h (I_2 ⊗ F_h) L^d_2, h = d/2.

    So F_2 separates by messages where F_d with outputs all at once does not.

    >>> print(last_stages_apart(kron(I(2), kron(F(4), I(8))), 2))
    (I_2 ⊗ F_2 ⊗ I_16) (I_2 ⊗ T^4_2 ⊗ I_8) (I_4 ⊗ F_2 ⊗ I_8) (I_2 ⊗ L^4_2 ⊗ I_8)
    """
    return product(part for factor in factors_of(formula) for part in _last_stage_apart(factor, P))


def _last_stage_apart(factor: Formula, P: int) -> tuple[Formula, ...]:
    match apart(factor):
        case F(d), n, c if 1 < n == P and c > 1 and d > 2:
            layers = factors_of(at_sizes("cooley-tukey", r=2, s=d // 2).right)
            return tuple(kron(I(P), layer, I(c)) for layer in layers)
    return (factor,)
