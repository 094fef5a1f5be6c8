"""A plan that the search found: its figures, its derivation for all radices, its program."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

from codegen import shapes
from codegen.cost.counted import Machine
from codegen.search.digits import DigitPlan
from codegen.search.prices import Figures, Prices
from codegen.system_table import COMMON
from codegen.systems.record import Request
from derive.call_arguments import counted
from derive.formula.grammar import Formula
from derive.text import elaborate
from derive.text.parse import parse_formula
from nodewright.api.call_options import FIXED, Options, known
from nodewright.api.derivation_calls import Derivation
from nodewright.node_program import Program
from proofs.derivations.radix_derivation import InRadices


def title(request: Request) -> str:
    """Return the transform that is asked for, on its ranks.

    >>> from codegen.requests import make_request
    >>> axes = make_request("fft", 48, 4, shape=(8, 6), grid=(2, 2))
    >>> title(make_request("fft", 1000, 10)), title(axes)
    ('F(1000) on 10 ranks', 'F(8) ⊗ F(6) on 2x2 ranks')
    """
    axes = " ⊗ ".join(f"F({n})" for n in request.shape or (f"2^{request.n}",))
    return f"{axes} on {counted(shapes.said(request.grid, request.P), 'rank')}"


@dataclass(frozen=True, repr=False)
class FoundPlan:
    """A plan of a transform on P ranks, as `nw.search` returns it.

    It prints as radices in the order of their transforms. `·` separates transforms on one rank, `|`
    is an exchange. The costs include the changes of layout at both ends.

    Attributes:
        plan: the radices, in the form that the search uses.
        asked: the request: sizes, layouts and kernels.
        prices: the prices in flops.
        machine: the BSP machine, for `seconds`.

    Examples:
        >>> import nodewright as nw
        >>> plan = nw.search(1024, 4, input="cyclic", output="cyclic")[0]
        >>> print(plan, plan.figures.words, plan.derivation.end().kind)
        2^8 | 2^2 192 proved
    """

    plan: DigitPlan
    asked: Request
    prices: Prices
    machine: Machine

    @property
    def figures(self) -> Figures:
        """The costs, each the maximum over all ranks: exchanges, messages, words, passes, flops."""
        return self.plan.figures

    @cached_property
    def _letters(self) -> InRadices:
        return InRadices(self.plan.runs)

    @property
    def price(self) -> float:
        """The price of the costs, in flops."""
        return self.prices.of(self.figures, self.asked.M)

    @property
    def seconds(self) -> float:
        """The price in seconds on the machine."""
        return self.price / self.machine.v

    @property
    def values(self) -> dict[str, int]:
        """The values of the derivation's letters in this plan."""
        return self._letters.values

    @cached_property
    def derivation(self) -> Derivation:
        """The derivation of the factorization, for all radices: the kernel proves every step. Its
        `end()` is the proof, `values` has the radices of this plan.
        """
        found = Derivation(self._letters.start)
        for rule, place, letters in self._letters.steps():
            found.apply(rule, place, **letters)
        return found

    @cached_property
    def formula(self) -> Formula:
        """The factorization at the radices of this plan."""
        return elaborate.formula(parse_formula(self.derivation.formula), self.values)

    def script(self) -> str:
        """Return the derivation as text, a step a line, as `nodewright derive` takes it."""
        values = ", ".join(f"{name} = {value}" for name, value in reversed(self.values.items()))
        head = f"# {title(self.asked)} in radices {self.plan}"
        return f"{head}\n# for all sizes; here {values}\n{self.derivation.script()}"

    def program(self, **options: Unpack[Options]) -> Program:
        """Return the program of this factorization, with the layouts and kernels of the search.

        Args:
            options: direction, norm, exchange and dtype, as for `nw.fft`.

        Returns:
            The program.

        Raises:
            ValueError: another option is given.
        """
        left = [each for each in COMMON if each.name not in FIXED]  # by the search
        stated = known({**options}, left, "a plan")
        return Program(replace(self.plan.request, **stated), proved=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as `nodewright search --json` prints it."""
        return {
            "phases": [{"radices": [*map(list, phase)]} for phase in self.plan.phases],
            "between_ranks": self.plan.across,
            **self.figures._asdict(),
            "price": self.price,
            "seconds": self.seconds,
            "formula": str(self.formula),
            "derivation": self.script(),
        }

    def __str__(self) -> str:
        return f"{self.plan}"

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {value}" for name, value in self.figures._asdict().items())
        return f"<{self.plan}: {said}, {self.seconds:.3g} s>"
