"""Overlap of communication and computation: a Local split by messages, so that what other ranks get
is under way while the rest is computed.

A Local and the move after it become an Overlap where that is legal: the move sends elements as they
lie (it packs nothing), every rank keeps one message and sends the others to its group, messages are
parts of its elements by their top offset bits, and the outputs of the Local separate by these bits,

    I_copies ⊗ F_d ⊗ I_c, copies >= 2     blocks: a part is a Local of fewer copies and reads nothing else
    F_2 ⊗ I_c                             butterflies: one part takes the sums, the other the differences, of all that is there

which is Aykanat & Dervis, section 3.2, for the second. An Overlap computes what the two steps do,
part by part (meaning.py).

The exchanges within a Hartley transform are no moves, as comp_s is not affine. There the split is
legal, rank by rank, where one of the two lists travels: it is computed first, by itself, and not
needed any more when it is sent (`partner_stage` of derive/papers/hartley_ranks.py).
"""  # noqa: E501

from __future__ import annotations

from codegen.program.bits.bit_moves import Move, Overlap
from codegen.program.bits.bit_transforms import Local
from codegen.program.bits.exchanges import AllToAll
from codegen.program.protocol import Step
from derive.formula.grammar import Formula, I, Kron, factors_of, kron, product
from derive.formula.permutation_matrices import stride
from derive.formula.transforms import F, T


def overlapped(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps with every Local and the move after it as an Overlap where that is legal.

    >>> from codegen.program.steps import steps_of
    >>> from derive.formula.layout import block
    >>> from derive.papers.bsp import group_cyclic
    >>> steps = steps_of(group_cyclic(64, 2).right, block(64, 2), block(64, 2))
    >>> [type(step).__name__ for step in overlapped(steps)]
    ['Move', 'Local', 'Move', 'Overlap']
    """
    done: list[Step] = []
    for step in steps:
        before = done[-1] if done else None
        if isinstance(before, Local) and isinstance(step, Move) and legal(before, step):
            done[-1] = Overlap(before, step)
        else:
            done.append(step)
    return tuple(done)


def legal(local: Local, move: Move) -> bool:
    """Return whether the outputs of a Local can be sent message by message before all of them are
    there.

    >>> from codegen.program.steps import steps_of
    >>> from derive.formula.layout import block
    >>> from derive.papers.bsp import group_cyclic
    >>> steps = steps_of(group_cyclic(64, 4).right, block(64, 4), block(64, 4))
    >>> _, first, exchange, second, home = steps
    >>> legal(first, exchange), legal(second, home)
    (False, False)
    """
    m = (local.copies * local.d * local.c).bit_length() - 1
    as_they_lie = move.pack.c == 0 and all(
        column == (1 << bit if bit < m else 0) for bit, column in enumerate(move.pack.columns)
    )
    return (
        isinstance(move.exchange, AllToAll) and as_they_lie and (local.copies > 1 or local.d == 2)
    )


def last_stages_apart(formula: Formula, P: int) -> Formula:
    """Return a product in which every I_P ⊗ F_d ⊗ I_c, d > 2, has its last stage apart: F_d = (F_2
    ⊗ I_h) T^d_h (I_2 ⊗ F_h) L^d_2, h = d/2.

    So F_2 separates by messages where F_d with outputs all at once does not.

    >>> print(last_stages_apart(kron(I(2), kron(F(4), I(8))), 2))
    (I_2 ⊗ F_2 ⊗ I_16) (I_2 ⊗ T^4_2 ⊗ I_8) (I_4 ⊗ F_2 ⊗ I_8) (I_2 ⊗ L^4_2 ⊗ I_8)
    """
    return product(part for factor in factors_of(formula) for part in _last_stage_apart(factor, P))


def _last_stage_apart(factor: Formula, P: int) -> tuple[Formula, ...]:
    match factor:
        case Kron(I(n), Kron(F(d), I(c))) if n == P and d > 2:
            h = d // 2
            layers = (kron(F(2), I(h)), T(d, h), kron(I(2), F(h)), stride(d, 2))
            return tuple(kron(I(P), _beside(layer, c)) for layer in layers)
    return (factor,)


def _beside(layer: Formula, c: int) -> Formula:
    """Return layer ⊗ I_c with identities merged."""
    match layer:
        case Kron(I() as left, right):
            return kron(left, kron(right, I(c)))
        case Kron(left, I(h)):
            return kron(left, I(h * c))
    return kron(layer, I(c))
