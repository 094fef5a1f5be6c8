"""The search for the cheapest factorizations of F(N) on P ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import prod
from pathlib import Path
from typing import Any, Unpack

from codegen import shapes
from codegen.cost.bounds import Bound, bound
from codegen.cost.counted import Machine
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.search.digits import cheapest, sequences_of
from codegen.search.prices import Figures, Prices, prices_of
from codegen.systems.fft import FFT
from codegen.systems.options import KERNELS
from codegen.systems.record import Request
from derive import call_arguments
from derive.formula.transforms import F
from derive.show import html
from derive.text.elaborate import formula as formula_of
from derive.text.parse import parse_formula
from nodewright.api.call_options import Options, describe, known, of_search
from nodewright.api.costs import machine_of
from nodewright.planning.found import FoundPlan, title

MOST = 20
"""So many plans are kept at most."""


@dataclass(frozen=True, repr=False)
class Search:
    """The result of a search: plans, the cheapest first.

    `found[i]`, `len(found)` and iteration give the plans.

    Attributes:
        plans: the plans.
        least: the lower bound on the words that any linear algorithm sends.
        machine: the BSP machine of the predicted seconds.
        prices: the prices in flops.
        considered: the number of plans that were compared.

    Examples:
        >>> import nodewright as nw
        >>> found = nw.search(1024, 4, best=2)
        >>> len(found), found[0].figures.exchanges, found.least.words
        (2, 3, 256)
    """

    plans: tuple[FoundPlan, ...]
    least: Bound
    machine: Machine
    prices: Prices
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
        """The request as text: size, ranks, layouts and kernels."""
        asked = self.plans[0].asked
        return f"{title(asked)}, {asked.input} to {asked.output}, {asked.kernels} kernels"

    @property
    def head(self) -> tuple[str, ...]:
        """The column heads of `rows`."""
        return "radices", *Figures._fields, "seconds"

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The plans as rows of a table, with their costs as text."""
        return [(str(one), *map(str, one.figures), f"{one.seconds:.3g}") for one in self.plans]

    @property
    def words(self) -> list[str]:
        """The prices, the size of the search and the lower bound, a line of text each."""
        least = ", ".join(f"{n} {name}" for name, n in asdict(self.least).items() if n is not None)
        return [
            f"seconds: of {self.machine.name}, prices in flops: "
            + ", ".join(f"{name} {price:g}" for name, price in asdict(self.prices).items()),
            f"{self.considered} plans were compared",
            f"any linear algorithm sends at least {least}" if least else "no bound is known",
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as `nodewright search --json` prints it."""
        asked = self.plans[0].asked
        return {
            "size": asked.N,
            "ranks": asked.P,
            "shape": [*asked.shape] or [asked.N],
            "grid": [*asked.grid] or [asked.P],
            "input": asked.input,
            "output": asked.output,
            "kernels": asked.kernels,
            "considered": self.considered,
            "least": asdict(self.least),
            "machine": {name: getattr(self.machine, name) for name in ("name", "v", "g", "l")},
            "prices": asdict(self.prices),
            "plans": [one.to_dict() for one in self.plans],
        }

    def __repr__(self) -> str:
        lines = [f"<{self.title}: the cheapest of {self.considered} plans"]
        return "\n".join([*lines, *(f"  {one!r}" for one in self.plans)]) + ">"

    def _repr_html_(self) -> str:
        """Return the plans as a notebook shows them."""
        cells = [tuple(html.words(cell) for cell in row) for row in self.rows]
        return html.fragment(html.bold(self.title), html.table(self.head, cells, MOST))


@describe(FFT, of_search)
def search(
    transform: int | str | Sequence[int] | F,
    ranks: int | str | Sequence[int],
    *,
    best: int = 3,
    cost: Machine | str | Path | None = None,
    prices: Mapping[str, float] | None = None,
    **options: Unpack[Options],
) -> Search:
    """Return the cheapest factorizations of a Fourier transform on P ranks, the cheapest first.

    Args:
        transform: the size, such as 1000 or "64x48", or F(2^30) as a formula or text.
        ranks: the number of ranks, or a grid such as "4x2".
        best: the number of plans to return.
        cost: a BSP machine, or the path of its TOML file.
        prices: prices in flops of exchanges, words, messages, passes or flops.
        options: keywords, those of `nw.fft` that the search decides with.

    Returns:
        The plans as a sequence, with a lower bound and the number of factorizations.

    Raises:
        ValueError: a size or layout is not supported, or a price is negative.

    Examples:
        >>> print(search("F(2^30)", 2**10, input="cyclic", output="cyclic")[0])
        2^13 | 2^13 · 2^4
    """
    if not 1 <= best <= MOST:
        raise ValueError(f"{call_arguments.named('best')} must be from 1 to {MOST}; got {best}")
    sizes = shapes.stated(_size(transform), ranks)
    stated = make_request(FFT.name, **sizes, **known(options, of_search(FFT), "search"))
    asked = resolve(stated).request
    machine = machine_of(cost).at(asked.P)
    return _found(asked, prices_of(machine, prices), machine, best)


def _found(asked: Request, prices: Prices, machine: Machine, best: int) -> Search:
    """Return the cheapest plans of a request at these prices; raise ValueError where the ranks have
    unequal parts.
    """
    if asked.unequal:
        size = shapes.said(asked.shape, asked.N)
        raise ValueError(
            f"{asked.P} ranks have unequal parts of {size} elements, for which there is nothing to"
            " search: generate fft writes the program"
        )
    least = bound(resolve(replace(asked, kernels=KERNELS[0])))
    found = tuple(FoundPlan(plan, asked, prices, machine) for plan in cheapest(asked, prices, best))
    considered = prod(sequences_of(n, asked.M) for n in shapes.axes_of(asked))
    return Search(found, least, machine, prices, considered)


def _size(transform: int | str | Sequence[int] | F) -> int | str | Sequence[int]:
    if isinstance(transform, str) and "(" in transform:
        read = formula_of(parse_formula(transform), {})
        if not isinstance(read, F):
            raise ValueError(f"{transform}: a search is for F(N), or for its size N")
        return read.size
    return transform.size if isinstance(transform, F) else transform
