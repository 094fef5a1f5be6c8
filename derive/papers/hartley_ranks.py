"""The Hartley transform on P ranks as data and formulas: exchanges with partners, exponents of the
weights; and what they compute.

    transform = Butterfly, Exchange(2), ..., Exchange(lg P + 1), then Stages | Fourier

With G = M/2 = N/2P, rank R holds two lists of G numbers, `own[0]` and `own[1]`: for each i < G, the
two computations of `partition(R, s, N, P)` at slots 2i and 2i + 1. Lists are written one after the
other, so that each travels without being gathered.

- Butterfly: stage 1, the sum and the difference of the lists; on odd ranks the other way round.
- Exchange(s): stage s. A rank with R mod 2^(s-2) = 0 exchanges its second list with its partner and
  needs no multiplication, for its weights C_u + S_u are 1 and -1; all others exchange both lists,
  and have one pair C_u, S_u for all of them.
- Stages: the stages beyond lg P + 1 as the paper has them, on i in bit-reversed order.
- Fourier: these stages at once. On rank R > 0, own[0] + i own[1] times w_N^(R c) at place c, then
  F_G, w = exp(-2 pi i/..): the real part of entry k is H[R + 2Pk], the imaginary part H[N - R -
  2Pk]. Rank 0 leaves out its last butterfly, and the two lists, one after the other, are M real
  numbers, whose Hartley transform is H[0], H[P], H[2P], ...
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from derive.exact.rings import Elements
from derive.papers.hartley import SIZES
from derive.papers.hartley_lists import (
    Arithmetic,
    butterfly,
    by_fourier,
    by_stages,
    combined,
    exchange,
    first_in_place,
    parted,
    split,
)


def forward(
    x: Sequence[Elements], N: int, P: int, numbers: Arithmetic, local: str = "fourier"
) -> list[Elements]:
    """Return H_N x: x[R] are the elements of rank R in `input_layout`, the result is in the Hartley
    layout; shapes (M, ...).

    local: "fourier" or "stages".

    >>> from derive.papers.hartley_lists import Floats
    >>> from derive.papers.hartley_layouts import HartleyLayout, input_layout
    >>> x = np.arange(16.0)
    >>> layout = HartleyLayout(16, 2)
    >>> y = forward([x[input_layout(16, 2).index(R, np.arange(8))] for R in range(2)], 16, 2, Floats())
    >>> wanted = np.fft.fft(x).real - np.fft.fft(x).imag
    >>> all(np.allclose(y[R], wanted[layout.index(R, np.arange(8))]) for R in range(2))
    True
    """  # noqa: E501
    _, p = SIZES.exponents(N, P)
    own = lists_of(x)
    if P > 1 or local == "stages":
        own = first_stage(own, numbers)
    for s in range(2, p + 2):
        own = partner_stage(own, s, numbers, left_out=local == "fourier" and s == p + 1)
    finish = by_fourier if local == "fourier" else by_stages
    return [finish(R, lists, N, P, numbers) for R, lists in enumerate(own)]


def lists_of(x: Sequence[Elements]) -> list[Elements]:
    """Return the two lists of every rank."""
    return [part.reshape(2, len(part) // 2, *part.shape[1:]) for part in x]


def first_stage(own: Sequence[Elements], numbers: Arithmetic) -> list[Elements]:
    """Return the lists after stage 1."""
    return [butterfly(lists, R % 2 == 1, numbers) for R, lists in enumerate(own)]


def partner_stage(
    own: Sequence[Elements], s: int, numbers: Arithmetic, left_out: bool = False
) -> list[Elements]:
    """Return the lists after the exchange of stage s and the stage, which may be left out on rank
    0.

    >>> from derive.papers.hartley_lists import Floats
    >>> own = lists_of([np.array([3.0, 1.0]), np.array([5.0, 9.0])])
    >>> [lists.ravel().tolist() for lists in partner_stage(own, 2, Floats())]
    [[12.0, -6.0], [6.0, -4.0]]
    """
    plans = [exchange(R, s) for R in range(len(own))]
    sent = [lists[1:] if plan.half else lists for plan, lists in zip(plans, own, strict=True)]
    got = [sent[plan.partner] for plan in plans]
    found = [combined(plan, own[R], got[R], numbers) for R, plan in enumerate(plans)]
    return [np.stack([own[0][0], got[0][0]]), *found[1:]] if left_out else found


def partner_stage_back(own: Sequence[Elements], s: int, numbers: Arithmetic) -> list[Elements]:
    """Return twice the lists before stage s, of which rank 0 has the last as it is."""
    plans, last = [exchange(R, s) for R in range(len(own))], 1 << s == 2 * len(own)
    ready = [
        split(plan, own[R], numbers) if plan.half and not (R == 0 and last) else own[R]
        for R, plan in enumerate(plans)
    ]
    return [
        np.stack([ready[R][0], ready[plan.partner][1]])
        if plan.half
        else parted(plan, ready[R], ready[plan.partner], numbers)
        for R, plan in enumerate(plans)
    ]


def first_stage_back(own: Sequence[Elements], numbers: Arithmetic) -> list[Elements]:
    """Return twice what ranks had before stage 1."""
    return [butterfly(lists, False, numbers) for lists in first_in_place(own)]
