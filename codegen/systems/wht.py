"""`wht`: the Walsh-Hadamard transform y = (F_2 ⊗ .. ⊗ F_2) x (Fino & Algazi 1976)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from typing import ClassVar

from codegen import shapes
from codegen.cost.local_passes import rounds
from codegen.program.digits.digit_places import Digit, digits_of, placed, refined
from codegen.program.digits.digit_supersteps import Transform
from codegen.program.digits.transformed import Numbers
from codegen.program.digits.ways import Way
from codegen.program.moves import at_ends
from codegen.program.protocol import ELEMENT, Step
from codegen.program.supersteps import Program
from codegen.program.whole import ends_of
from codegen.systems.exchanges import OF_TRADES, SHARED
from codegen.systems.options import COMPLEX, NUMBA, NUMPY, REAL
from codegen.systems.record import Request, System
from derive.formula.grammar import Equation, Formula, I, kron, product
from derive.formula.permutations import lg
from derive.formula.transforms import F
from derive.papers.statements.statement_tables import at_sizes
from derive.sizes import Sizes

SIZES = Sizes("wht", lambda N, P: N > 1 and 2 * P <= N, "every rank needs at least two elements")


@dataclass(frozen=True)
class Hadamard(Transform):
    """I_copies ⊗ F_2 ⊗ .. ⊗ F_2 ⊗ I_c on every rank; an element is `reals` real numbers."""

    reals: int = 1
    function: ClassVar[str] = "hadamard"

    @property
    def factor(self) -> Formula:
        return kron(I(self.copies), hadamard(self.d), I(self.c))

    def flops(self, rank: int = 0) -> int:
        return self.reals * self.M * lg(self.d)

    def passes(self, kernels: str) -> int:
        return len([*rounds(self.copies, self.d, self.c)])


def hadamard(d: int) -> Formula:
    """Return F_2 ⊗ .. ⊗ F_2 of d = 2^k points."""
    return kron(*[F(2)] * lg(d))


def equations(request: Request) -> tuple[Equation, ...]:
    """Return the transform as a product of stages, and as two phases: M elements, then P."""
    m, p = request.n - request.p, request.p
    return at_sizes("wht-stages", n=request.n), at_sizes("wht-phases", r=p, s=m)


def lower(request: Request) -> Program:
    """Return the program that transforms the bits of a rank, exchanges them for others that are
    left, and so on; at the end it goes to the layout of the output.
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
    equation = Equation("wht-stages", "Fino & Algazi 1976", hadamard(request.N), works)
    return Program(request, equation, *ends, *at_ends(request, ends, steps, numbers))


def transforms(request: Request, order: list[Digit], wanted: list[Digit]) -> Iterator[Step]:
    """Yield the transforms of bits of the offset, which has this order: those side by side as one,
    with a factor for those that are neighbours in an index.
    """
    c, reals = 1, 1 + (request.dtype in COMPLEX)
    for is_wanted, run in groupby(reversed(order), lambda bit: bit in wanted):
        d = 1 << len(own := [*run])
        if is_wanted:
            runs = list[tuple[int, int]]()
            for bit in sorted(own, key=lambda bit: bit.weight):
                at = runs.pop()[0] if runs and runs[-1][1] == bit.weight else bit.weight
                runs.append((at, bit.end))
            ends = reversed(runs)
            of_all = (kron(I(request.N // end), hadamard(end // at), I(at)) for at, end in ends)
            yield Hadamard(None, request.M // (c * d), d, c, factors=(*of_all,), reals=reals)
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
