"""`wht`: the Walsh-Hadamard transform y = (F_2 ⊗ .. ⊗ F_2) x (Fino & Algazi 1976)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import groupby

from codegen import shapes
from codegen.program.digits.digit_places import Digit, digits_of, placed, refined
from codegen.program.digits.transformed import Numbers
from codegen.program.digits.ways import Way
from codegen.program.moves import at_ends
from codegen.program.protocol import ELEMENT, Step
from codegen.program.stages.hadamard import Hadamard, hadamard
from codegen.program.supersteps import Program
from codegen.program.whole import ends_of
from codegen.systems.exchanges import OF_TRADES, SHARED
from codegen.systems.options import COMPLEX, NUMBA, NUMPY, REAL
from codegen.systems.record import Request, System
from derive.formula.grammar import Equation, I, kron, product
from derive.formula.permutations import lg
from derive.papers.statements.statement_tables import at_sizes
from derive.sizes import Sizes

SIZES = Sizes("wht", lambda N, P: N > 1 and 2 * P <= N, "every rank needs at least two elements")
PAPER = "Fino & Algazi 1976"
Bits = list[Digit]


def equations(request: Request) -> tuple[Equation, ...]:
    """Return the transform as a product of stages, and as two phases: M elements, then P."""
    return (
        at_sizes("wht-stages", n=request.n),
        at_sizes("wht-phases", r=request.p, s=request.n - request.p),
    )


def lower(request: Request) -> Program:
    """Return the program that transforms the bits of a rank, exchanges them for others that are
    left, and so on; at the end it goes to the layout of the output.

    >>> from codegen.requests import make_request
    >>> [type(step).__name__ for step in lower(make_request("wht", 64, 4, output="cyclic")).steps]
    ['Hadamard', 'Trade', 'Hadamard']
    """
    before, after = shapes.layouts(request)
    bits = [Digit(0, True, 1 << i, 2) for i in range(request.n)]
    (ranks, here), (home, last) = (
        [refined(part, bits) for part in digits_of(layout, True)] for layout in (before, after)
    )
    way, left = Way(tuple(ranks), tuple(here)), ranks
    way = reduce(Way.done, transforms(request, here, here), way)
    while left:
        come, left = left[: len(here)], left[len(here) :]
        leave = sorted(way.offsets, key=lambda bit: bit not in home)[: len(come)]
        content = [*(bit for bit in way.ranks if bit not in come), *leave]
        new = [*placed(way.ranks, content, home)]
        order = last if new == home else [*come, *(bit for bit in way.offsets if bit not in new)]
        way = reduce(Way.done, transforms(request, order, come), way.moved(new, order))
    steps = way.moved(home, last).steps
    ends, numbers = ends_of(request), Numbers(ELEMENT, before, after)
    works = product([I(request.N), *(f for step in reversed(steps) for f in step.factors)])
    equation = Equation("wht-stages", PAPER, hadamard(request.n), works)
    return Program(request, equation, *ends, *at_ends(request, ends, steps, numbers))


def transforms(request: Request, order: Bits, wanted: Bits) -> Iterator[Step]:
    """Yield the transforms of bits of the offset, which has this order: those side by side as one,
    with a factor for those that are neighbours in an index.
    """
    c, parts = 1, 2 if request.dtype in COMPLEX else 1
    for is_wanted, run in groupby(reversed(order), lambda bit: bit in wanted):
        d = 1 << len(own := [*run])
        if is_wanted:
            runs = list[tuple[int, int]]()
            for bit in sorted(own, key=lambda bit: bit.weight):
                begins = runs.pop()[0] if runs and runs[-1][1] == bit.weight else bit.weight
                runs.append((begins, bit.end))
            factors = tuple(
                kron(I(request.N // end), hadamard(lg(end // begin)), I(begin))
                for begin, end in reversed(runs)
            )
            yield Hadamard(request.M // (c * d), d, c, parts, factors)
        c *= d


WHT = System(
    "wht",
    reference="Fino & Algazi, Unified matrix treatment of the fast Walsh-Hadamard transform, IEEE"
    " Transactions on Computers C-25 (1976).",
    matrix=None,
    title="Walsh-Hadamard transform",
    view="formula",
    kind="wht",
    kernels=(NUMPY, NUMBA),
    dtypes=(*REAL, *COMPLEX),
    sizes=lambda request: SIZES.exponents(request.N, request.P),
    exchanges=(*OF_TRADES, SHARED),
    equations=equations,
    rests_on=equations,
    lower=lower,
)
