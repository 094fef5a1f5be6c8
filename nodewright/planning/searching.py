"""The search for the cheapest factorizations of F(N) on P ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from codegen.cost.bounds import Bound, bound
from codegen.cost.counted import Machine
from codegen.program.lower import lower
from codegen.search.best import Task, cheapest
from codegen.search.prices import Figures, Prices, prices_of
from codegen.search.trees import sequences, trees
from codegen.spec import KERNELS, KERNELS_OF, Spec
from derive.formula.layout import named
from derive.formula.transforms import F
from derive.papers.bsp_phases import SIZES
from derive.show import html
from derive.sizes import number
from derive.text.elaborate import formula as formula_of
from derive.text.parse import parse_formula
from nodewright.api.costs import machine_of
from nodewright.planning.found import FoundPlan

MOST = 20
"""So many plans are kept at most."""
HEAD = ("radices", "groups", *Figures._fields, "seconds")


@dataclass(frozen=True, repr=False)
class Search:
    """The result of a search: its plans, the cheapest first, the least that any program sends,
    and the numbers of breakdown trees and plans that it stands for.
    """

    plans: tuple[FoundPlan, ...]
    least: Bound
    machine: Machine
    prices: Prices
    trees: int
    """Trees of Cooley & Tukey's equation with leaves that a rank can hold."""
    trees_of_2: int
    """Those of them whose leaves are all F_2."""
    considered: int
    """Plans: the orders of radices, each with every choice of where data moves."""

    def __iter__(self) -> Iterator[FoundPlan]:
        return iter(self.plans)

    def __len__(self) -> int:
        return len(self.plans)

    def __getitem__(self, i: int) -> FoundPlan:
        return self.plans[i]

    @property
    def title(self) -> str:
        """The request, in words."""
        plan, task = self.plans[0].plan, self.plans[0].task
        ends = f"{task.input.name} to {task.output.name}"
        return f"F(2^{plan.n}) on {1 << plan.p} ranks, {ends}, {task.kernels} kernels"

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The plans with the ranks of a group in each phase and their figures, for a table."""
        return [
            (str(one), one.groups, *(f"{figure}" for figure in one.figures), f"{one.seconds:.3g}")
            for one in self.plans
        ]

    @property
    def words(self) -> list[str]:
        """The size of the search, and the least that any program sends, a line each."""
        least = ", ".join(f"{n} {name}" for name, n in asdict(self.least).items() if n is not None)
        m = self.plans[0].task.m
        return [
            f"seconds: of {self.machine.name}, prices in flops: "
            + ", ".join(f"{name} {price:g}" for name, price in asdict(self.prices).items()),
            f"{self.considered} plans, which stand for {self.trees} breakdown trees with leaves of"
            f" at most 2^{m} points; {self.trees_of_2} trees have leaves of 2 points",
            f"any linear algorithm sends at least {least}" if least else "no bound is known",
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as `search` prints it with --json."""
        plan, task = self.plans[0].plan, self.plans[0].task
        return {
            "size": 1 << plan.n,
            "ranks": 1 << plan.p,
            "input": task.input.name,
            "output": task.output.name,
            "kernels": task.kernels,
            "trees": self.trees,
            "trees_of_2": self.trees_of_2,
            "considered": self.considered,
            "least": asdict(self.least),
            "machine": {name: getattr(self.machine, name) for name in ("name", "v", "g", "l")},
            "prices": asdict(self.prices),
            "plans": [one.to_dict() for one in self.plans],
        }

    def __repr__(self) -> str:
        lines = [f"<{self.title}: {self.trees:.3g} breakdown trees"]
        return "\n".join([*lines, *(f"  {one!r}" for one in self.plans)]) + ">"

    def _repr_html_(self) -> str:
        """Return the plans as a notebook shows them."""
        cells = [tuple(html.words(cell) for cell in row) for row in self.rows]
        return html.fragment(html.bold(self.title), html.table(HEAD, cells, MOST))


def search(
    transform: int | str | F,
    ranks: int | str,
    *,
    input: str = "block",
    output: str = "block",
    best: int = 3,
    cost: Machine | str | Path | None = None,
    prices: Mapping[str, float] | None = None,
    kernels: str = KERNELS[0],
) -> Search:
    """Return the cheapest factorizations of F(N) on P ranks, each with its derivation, its program
    and what it costs.

    transform: F(2^30), as a formula or a text, or its size; `cost` is a BSP machine, or a file that
    states one; `prices` has the price of an exchange, a word, a message, a pass over an element and
    a flop, in flops, where they are not the machine's.

    Raises ValueError for sizes that are no powers of two with P < N, for what is no layout, and for
    a price below 0.

    >>> found = search("F(2^30)", 2**10, input="cyclic", output="cyclic")
    >>> print(found[0], found[0].figures.exchanges, found.trees_of_2)
    2^7 · 2^13 | 2^10 1 1002242216651368
    >>> print(search(1024, 4)[0].formula)
    Γ_{4,4,1024}^-1 (I_4 ⊗ F_4 ⊗ I_64) Γ_{4,4,1024} T^1024_256 (I_4 ⊗ F_256) L^1024_4
    """
    N, P = _size(transform), number(ranks)
    n, p = SIZES.exponents(N, P)
    if not 1 <= best <= MOST:
        raise ValueError(f"best {best}: from 1 to {MOST} plans are kept")
    machine = machine_of(cost).at(P)
    task = _task(N, P, (input, output), kernels, prices_of(machine, prices))
    found = tuple(FoundPlan(plan, task, machine) for plan in cheapest(task, best))
    least = bound(lower(Spec("fft", N, P, input, output)))
    counts = trees(n, n - p), trees(n, 1), sequences(n, p)
    return Search(found, least, machine, task.prices, *counts)


def _task(N: int, P: int, layouts: tuple[str, str], kernels: str, prices: Prices) -> Task:
    if kernels not in KERNELS_OF["fft"]:
        raise ValueError(
            f"fft has no {kernels} kernels: choose from {', '.join(KERNELS_OF['fft'])}"
        )
    before, after = (named(layout, N, P) for layout in layouts)
    return Task(before, after, kernels, prices)


def _size(transform: int | str | F) -> int:
    """Return N of F(N), or of its size."""
    if isinstance(transform, str) and "(" in transform:
        read = formula_of(parse_formula(transform), {})
        if not isinstance(read, F):
            raise ValueError(f"{transform}: a search is for F(N), or for its size N")
        return read.size
    return transform.size if isinstance(transform, F) else number(transform)
