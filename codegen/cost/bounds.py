"""Lower bounds of what ranks must send, whatever the program: set beside the counted cost.

A word is an element. A rank that holds the inputs I and is to have the outputs O sends at least
rank F[not O, I] words: what the others compute depends on its inputs through so many independent
linear forms, and every word is one. By the nullity theorem, for F and its inverse, that is also
rank F[O, not I], which it must receive. The bounds hold for linear algorithms: every word sent is a
linear form of the inputs, as in all programs here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from codegen.cost.array_bounds import (
    kept_by_cosines,
    kept_by_hartley,
    least_words,
    least_words_of_reals,
)
from codegen.cost.matrix_ranks import EXACTLY_UP_TO, rank_of_part
from codegen.program.supersteps import Program
from derive.digits.digit_layouts import ArrayLayout
from derive.digits.part_layouts import PartLayout
from derive.formula.affine_layouts import Layout, affine_layout
from derive.formula.grammar import Kron, kron
from derive.formula.permutation_matrices import Bmmc
from derive.formula.placement import Placement
from derive.formula.transforms import F, H
from derive.gf2.bits import Affine, column_echelon, spans


@dataclass(frozen=True)
class Bound:
    """The least that the rank which sends most must send to others; None where no bound is
    known.
    """

    words: int | None
    messages: int | None


def bound(program: Program) -> Bound:
    """Return what any linear algorithm sends that does what the program does.

    >>> from codegen.program.resolve import resolve
    >>> from codegen.requests import make_request
    >>> cyclic = make_request("fft", 1024, 4, "cyclic", "cyclic")
    >>> bound(resolve(cyclic)), bound(resolve(make_request("fft", 1024, 4)))
    (Bound(words=192, messages=None), Bound(words=256, messages=None))
    """
    before, after, record = program.input, program.output, program.request.record
    if isinstance(before, ArrayLayout) and isinstance(after, ArrayLayout):
        kept_of = kept_by_hartley if record.is_hartley else None
        return Bound(least_words(before, after, kept_of) if record.bounded else None, None)
    if isinstance(before, PartLayout) and isinstance(after, PartLayout):
        request = program.request
        axes = [axis + (request.batch > 0) for axis in request.transformed]
        if record.real:
            return Bound(least_words_of_reals(before, after, axes, request.is_forward), None)
        cosines = kept_by_cosines(not request.is_forward, record.alternates)
        return Bound(least_words(before, after, cosines if record.of_parts else None, axes), None)
    match program.equation.left:
        case Bmmc(address):
            given, wanted = affine_layout(program.input), affine_layout(program.output)
            return permuting(wanted.address @ address @ given.address.inverse(), given.p)
        case F(N):
            words = in_closed_form(affine_layout(program.input), affine_layout(program.output))
            other = words is None and N <= EXACTLY_UP_TO and not program.request.modulus
            return Bound(transforming(program.input, program.output) if other else words, None)
        case Kron() as left if left == kron(*[F(2)] * program.request.n):
            return Bound(of_sums(program.input, program.output), None)
        case H(N) if N <= EXACTLY_UP_TO:
            return Bound(transforming(program.input, program.output, hartley=True), None)
    return Bound(None, None)


def permuting(address: Affine, p: int) -> Bound:
    """Return the words and messages that leave the rank which most leave, when element z of storage
    goes to place address(z).

    >>> from derive.gf2.bmmc import bit_reversal
    >>> permuting(bit_reversal(4), 2), permuting(bit_reversal(4), 1)
    (Bound(words=3, messages=3), Bound(words=4, messages=1))
    """
    return Bound(*leaving(address, p))


def leaving(address: Affine, p: int) -> tuple[int, int]:
    """Return these words and messages.

    Rank k has elements for the 2^rank(gamma) ranks gamma o + delta k + c, equally many for each
    (Cormen 1997, Lemma 3), and keeps those for itself. It is among them for every k only if delta k
    + c + k lies in the span of gamma for all k.

    >>> from derive.gf2.bmmc import bit_reversal
    >>> leaving(bit_reversal(4), 2)
    (3, 3)
    """
    m = address.bits - p
    ranks = [column >> m for column in address.columns]
    gamma, drift = ranks[:m], [column ^ 1 << i for i, column in enumerate(ranks[m:])]
    targets = 1 << len(column_echelon(gamma)[0])
    kept = spans(gamma, *drift, address.c >> m)
    return (targets - kept) * (1 << m) // targets, targets - kept


def in_closed_form(input: Layout, output: Layout) -> int | None:
    """Return rank F[not O, I], the largest of any rank, where inputs or outputs of a rank are M
    indices in steps of u; None elsewhere.

    For I = {a + u j : j < M} the columns of I are those of a Vandermonde matrix with nodes w^(u k),
    with rows scaled: its rank is the number of different k mod N/u among the outputs of others, but
    at most M. It is that over GF(p) as well, with w of order N. All k in a class mod N/u are outputs of this rank only if the rank of an output does
    not depend on the top lg u bits of k. For steps in the output, rank F[O, not I] is the same.

    >>> from derive.formula.affine_layouts import block, cyclic, f_layout
    >>> in_closed_form(block(64, 4), cyclic(64, 4)), in_closed_form(cyclic(64, 4), cyclic(64, 4)), in_closed_form(f_layout(64, 4, 2), f_layout(64, 4, 2))
    (16, 12, None)
    """  # noqa: E501
    for held, other in ((input, output), (output, input)):
        u = _step(held)
        if u is not None:
            whole = not any(
                column >> other.m
                for column in other.address.columns[other.n - u.bit_length() + 1 :]
            )
            classes = (1 << held.n) // u - whole * (1 << held.m) // u
            return min(1 << held.m, classes)
    return None


def of_sums(input: Placement, output: Placement) -> int | None:
    """Return rank W[not O, I] of W = F_2 ⊗ .. ⊗ F_2, the same for all ranks; None where the bits of
    an index that say the rank of an input or an output are sums of others.

    It is a product over the bits of an index. One that is free on the rank before and after gives
    2. The b others that are free before give 2^b, less one where all bits of the rank afterwards
    are among them: then the other ranks lack the row of this one.

    >>> from derive.formula.affine_layouts import block, cyclic
    >>> of_sums(block(64, 4), cyclic(64, 4)), of_sums(block(64, 4), block(64, 4))
    (12, 16)
    """
    before, after = (
        {
            bit
            for bit, column in enumerate(affine_layout(end).address.columns)
            if not column >> end.m
        }
        for end in (input, output)
    )
    if {len(before), len(after)} != {input.m}:
        return None
    others = {*range(input.n)} - after
    return (1 << len(before & after)) * ((1 << len(before - after)) - (others <= before))


def _step(layout: Layout) -> int | None:
    """Return u if each rank holds M indices in steps of u: those bits lg u, ..., lg u + m - 1 of an
    index that its rank does not depend on.
    """
    free = [bit for bit, column in enumerate(layout.address.columns) if not column >> layout.m]
    first = min(free, default=0)
    return 1 << first if free == list(range(first, first + layout.m)) else None


def transforming(input: Placement, output: Placement, seed: int = 0, hartley: bool = False) -> int:
    """Return the largest rank over GF(q) of F[not O, I] of all ranks, or of H[not O, I]: at most
    that over the complex numbers.

    A minor that is 0 is 0 mod q.

    >>> from derive.formula.affine_layouts import f_layout
    >>> transforming(f_layout(64, 4, 2), f_layout(64, 4, 2))
    16
    """
    N, M, P = 1 << input.n, 1 << input.m, 1 << input.p
    index = np.arange(N)
    holder, owner = input.place(index)[0], output.place(index)[0]
    most = 0
    for rank in range(P):
        part = np.flatnonzero(owner != rank), np.flatnonzero(holder == rank)
        most = max(most, rank_of_part(N, *part, seed, hartley))
        if most == min(M, N - M):
            break
    return most
