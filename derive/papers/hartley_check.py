"""Everything that `nodewright check fht` decides at one size: the equations, the partition, and
what P ranks compute with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from derive.exact.action import act
from derive.exact.claim import Claim
from derive.exact.exact_check import check, decide
from derive.exact.measures import order, row_sum
from derive.exact.rings import Elements, Ring
from derive.formula.transforms import H
from derive.papers.hartley import PAPER, SIZES, check_partition, equations
from derive.papers.hartley_graph import LARGEST, figure_4
from derive.papers.hartley_layouts import HartleyLayout, input_layout
from derive.papers.hartley_ranks import forward
from derive.verdict import Verdict

Progress = Callable[[float], None]


def on_ranks(N: int, P: int, x: Elements, ring: Ring) -> Elements:
    """Return what P ranks make of the vectors x, of shape (N, stimuli), by the stages of the paper.

    >>> from derive.exact.angles import Angles
    >>> y = on_ranks(4, 2, Angles(8).units(4, range(4)), Angles(8))
    >>> np.array_equal(Angles(8).lowest(y), Angles(8).lowest(act(H(4), Angles(8).units(4, range(4)), Angles(8))))
    True
    """  # noqa: E501
    before, after, offsets = input_layout(N, P), HartleyLayout(N, P), np.arange(N // P)
    y = np.empty_like(x)
    parts = forward([x[before.index(rank, offsets)] for rank in range(P)], N, P, ring, "stages")  # type: ignore[arg-type]  # a ring that has no cosines raises Collision
    for rank, part in enumerate(parts):
        y[after.index(rank, offsets)] = part
    return y


def ranks_claim(N: int, P: int) -> Claim:
    """Return the claim that P ranks compute H_N with the exchanges of the Hartley graph.

    >>> print(decide(ranks_claim(16, 4)))
    checked: 4 ranks with 2 exchanges from hartley-input to hartley = H_16 (all 256 entries, exactly, as cosines and sines of multiples of 2π/16)
    """  # noqa: E501
    n, p = SIZES.exponents(N, P)
    return Claim(
        statement=(
            f"{P} ranks with {p} exchanges from {input_layout(N, P).name} to"
            f" {HartleyLayout(N, P).name} = H_{N}"
        ),
        size=N,
        order=order(H(N)),
        growth=row_sum(H(N)) + 3**n << n + 1,
        left=lambda x, ring: act(H(N), x, ring),
        right=lambda x, ring: on_ranks(N, P, x, ring),
        hartley=True,
        real=True,
    )


def checks(
    N: int, P: int, seed: int = 0, progress: Progress = lambda done: None
) -> Iterator[tuple[str, str, Verdict]]:
    """Yield (name, source, verdict) for each statement about the Hartley transform of N elements on
    P ranks.

    Raises ValueError for sizes that it does not take.

    >>> [name for name, _, _ in checks(4, 2)]
    ['fht-step', 'fht-step', 'fht-factorization', 'fht-partition', 'fht-figure-4', 'fht-ranks']
    """
    _, p = SIZES.exponents(N, P)
    stated = equations(N)
    for i, equation in enumerate(stated):
        yield equation.name, equation.source, check(equation, seed)
        progress((i + 1) / (len(stated) + 2))
    yield "fht-partition", f"{PAPER}, section 2", check_partition(N, P)
    if 1 <= p <= LARGEST:
        yield "fht-figure-4", f"{PAPER}, Figure 4", figure_4(p)
    yield "fht-ranks", f"{PAPER}, Appendix", decide(ranks_claim(N, P), seed)
    progress(1)
