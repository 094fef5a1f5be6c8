"""How a vector of N = n1 n2 elements is transformed: as an array of n1 x n2, whose columns and then
rows are divided among the ranks, with twiddles between.

Of real elements the columns have half a spectrum each, so that the array has k1 <= n1/2.
"""

from __future__ import annotations

from codegen.program.protocol import Step
from codegen.program.ragged.part_steps import (
    COMPLEX,
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


def sides(N: int, P: int, real: bool = False) -> tuple[int, int]:
    """Return n1 and n2 with product N for which the rank that has most has least, and of these the
    nearest to each other.

    >>> sides(1000, 3), sides(3600, 7)
    ((25, 40), (60, 60))
    """

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


def of_sides(n1: int, n2: int) -> Formula:
    """Return the factorization of F_N with N = n1 n2.

    >>> print(of_sides(3, 5))
    L^15_5 (I_3 ⊗ F_5) T^15_5 (F_3 ⊗ I_5)
    """
    N = n1 * n2
    return product([L(N, n2), kron(I(n1), F(n2)), T(N, n2), kron(F(n1), I(n2))])
