"""How a vector of N = n1 n2 elements is transformed: as an array of n1 x n2, whose columns and then
rows are divided among the ranks, with twiddles between. A prime N is transformed by a convolution
of length 2^k >= 2 N - 1 (Bluestein), or by one rank if it is short or of real elements.

Of real elements the columns have half a spectrum each, so that the array has k1 <= n1/2.
"""

from __future__ import annotations

from codegen.program.protocol import Step
from codegen.program.ragged.chirp_steps import Chirp, Filter
from codegen.program.ragged.part_steps import (
    BACK,
    COMPLEX,
    FORTH,
    FROM_HALF,
    TO_HALF,
    AlongAxis,
    PartTrade,
    half,
)
from codegen.program.ragged.vector_steps import (
    FLATTEN,
    FOLD,
    FOLD_HALF,
    FOLD_ROWS,
    UNFOLD,
    UNFOLD_HALF,
    IndexTrade,
    Twiddles,
)
from derive.digits.part_layouts import BALANCED, PartLayout
from derive.digits.radices import divisors
from derive.formula.grammar import Formula, I, kron, product
from derive.formula.permutation_matrices import L
from derive.formula.transforms import F, T

CONVOLVED_FROM = 256
"""Elements of a prime number from which on it is transformed by a convolution."""


def sides(N: int, P: int, real: bool = False) -> tuple[int, int]:
    """Return n1 and n2 with product N for which the rank that has most has least, and of these the
    nearest to each other; 1 and N of one rank.

    >>> sides(1000, 3), sides(3600, 7), sides(1000, 1)
    ((20, 50), (48, 75), (1, 1000))
    """
    if P == 1:
        return 1, N

    def most(n1: int) -> tuple[int, int]:
        n2, rows = N // n1, half(n1) if real else n1
        return max(n1 * -(-n2 // P), -(-rows // P) * n2), abs(n1 - n2)

    n1 = min(divisors(N), key=most)
    return n1, N // n1


def vector_steps(
    source: PartLayout, target: PartLayout, real: bool = False, back: bool = False
) -> tuple[Step, ...]:
    """Return the steps from one layout of a vector to another, of real elements to half a spectrum
    or `back` from there.

    >>> ends = PartLayout("block", (15,), (2,))
    >>> [type(step).__name__ for step in vector_steps(ends, ends)][1:4]
    ['AlongAxis', 'Twiddles', 'PartTrade']
    """
    N = target.N if back else source.N
    (n1, n2), P = sides(N, source.P, real), source.P
    if 1 in (n1, n2) and by_convolution(N, P, real):
        return _convolved(source, target, N)
    if 1 in (n1, n2):
        return on_one_rank(source, target, N, real, back)
    rows = half(n1) if real else n1
    whole = PartLayout(f"whole,{BALANCED}", (n1, n2), (1, P))
    if real and back:
        array = PartLayout(f"{BALANCED},whole", (rows, n2), (P, 1))
        trade = PartTrade(array, 0, 1, BALANCED, 2)
        return (
            IndexTrade(source, array, FOLD_HALF, n1, n2, 2),
            AlongAxis(array, 1, n2),
            Twiddles(array, n1, n2),
            trade,
            AlongAxis(trade.after, 0, n1, FROM_HALF),
            IndexTrade(whole, target, FLATTEN, n1, n2),
        )
    first = AlongAxis(whole, 0, n1, TO_HALF if real else COMPLEX)
    trade = PartTrade(first.after, 1, 0, BALANCED, 1 + real)
    return (
        IndexTrade(source, whole, FOLD, n1, n2),
        first,
        Twiddles(first.after, n1, n2),
        trade,
        AlongAxis(trade.after, 1, n2),
        IndexTrade(trade.after, target, UNFOLD_HALF if real else UNFOLD, n1, n2, 1 + real),
    )


def by_convolution(N: int, P: int, real: bool) -> bool:
    """Return whether a prime N is transformed by a longer convolution."""
    return P > 1 and not real and N >= CONVOLVED_FROM


def padded(N: int) -> int:
    """Return the length of the convolution for N elements, the least 2^k >= 2 N - 1.

    >>> padded(1009), padded(257)
    (2048, 1024)
    """
    return 1 << (2 * N - 2).bit_length()


def _convolved(source: PartLayout, target: PartLayout, N: int) -> tuple[Step, ...]:
    """Return the steps of Bluestein's algorithm, whose spectra stay transposed."""
    P = source.P
    n1, n2 = sides(padded(N), P)
    columns = PartLayout(f"whole,{BALANCED}", (n1, n2), (1, P))
    trade = PartTrade(columns, 1, 0, BALANCED)
    rows = trade.after
    return (
        Chirp(source),
        IndexTrade(source, columns, FOLD, n1, n2),
        AlongAxis(columns, 0, n1, turn=FORTH),
        Twiddles(columns, n1, n2),
        trade,
        AlongAxis(rows, 1, n2, turn=FORTH),
        Filter(rows, N),
        AlongAxis(rows, 1, n2, turn=BACK),
        PartTrade(rows, 0, 1, BALANCED),
        Twiddles(columns, n1, n2, back=True),
        AlongAxis(columns, 0, n1, turn=BACK),
        IndexTrade(columns, target, FLATTEN, n1, n2),
        Chirp(target, last=True),
    )


def on_one_rank(
    source: PartLayout, target: PartLayout, N: int, real: bool = False, back: bool = False
) -> tuple[Step, ...]:
    """Return the steps in which one rank transforms the whole vector, as the row of an array."""
    kind = COMPLEX if not real else FROM_HALF if back else TO_HALF
    if source.P == 1:
        return (AlongAxis(source, 0, N, kind),)
    row = PartLayout(f"{BALANCED},whole", (1, source.N), (source.P, 1))
    step = AlongAxis(row, 1, N, kind)
    return (
        IndexTrade(source, row, FOLD_ROWS, 1, source.N, 1 + back * real),
        step,
        IndexTrade(step.after, target, UNFOLD, 1, target.N, 1 + (real and not back)),
    )


def of_sides(n1: int, n2: int) -> Formula:
    """Return the factorization of F_N with N = n1 n2.

    >>> print(of_sides(3, 5))
    L^15_5 (I_3 ⊗ F_5) T^15_5 (F_3 ⊗ I_5)
    """
    N = n1 * n2
    if 1 in (n1, n2):
        return F(N)
    return product([L(N, n2), kron(I(n1), F(n2)), T(N, n2), kron(F(n1), I(n2))])
