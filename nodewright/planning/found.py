"""A plan that the search found: its figures, its derivation for all radices, its program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

from codegen import shapes
from codegen.cost.counted import Machine
from codegen.search.best import Task
from codegen.search.digits import DigitPlan
from codegen.search.plans import Plan
from codegen.search.prices import Figures, Prices
from codegen.spec import Spec
from derive.arguments import perhaps
from derive.formula.grammar import Formula
from derive.text import elaborate
from derive.text.parse import parse_formula
from nodewright.api.derivations import Derivation
from nodewright.api.options import Options
from nodewright.node_program import Program
from proofs.derivations.phases import InPhases, in_phases
from proofs.derivations.radices import InRadices

FIXED = ("input", "output", "kernels")
"""The options that the search decides with."""


def title(spec: Spec) -> str:
    """Return the transform that is asked for, on its ranks.

    >>> title(Spec("fft", 1000, 10)), title(Spec("fft", 48, 4, shape=(8, 6), grid=(2, 2)))
    ('F(1000) on 10 ranks', 'F(8) ⊗ F(6) on 2x2 ranks')
    """
    axes = " ⊗ ".join(f"F({n})" for n in spec.shape or (f"2^{spec.n}",))
    return f"{axes} on {shapes.said(spec.grid, spec.P)} ranks"


@dataclass(frozen=True, repr=False)
class FoundPlan(ABC):
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

    plan: Plan | DigitPlan
    asked: Spec
    prices: Prices
    machine: Machine

    @property
    @abstractmethod
    def figures(self) -> Figures:
        """The costs, each the maximum over all ranks: exchanges, messages, words, passes, flops."""

    @property
    @abstractmethod
    def _letters(self) -> InPhases | InRadices:
        """The derivation in letters."""

    @abstractmethod
    def _spec(self, options: dict[str, Any]) -> Spec:
        """Return the request for the program."""

    @property
    @abstractmethod
    def _phases(self) -> list[dict[str, Any]]:
        """The phases as --json has them."""

    @property
    def price(self) -> float:
        """The price of the costs, in flops."""
        return self.prices.of(self.figures, self.asked.M)

    @property
    def seconds(self) -> float:
        """The price in seconds on the machine."""
        return self.price / self.machine.v

    @property
    def groups(self) -> str:
        """The number of ranks that share a cyclic layout, for each phase; "" for other sizes."""
        return ""

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
        for name in options:
            if name in FIXED or name not in Options.__annotations__:
                known = [known for known in Options.__annotations__ if known not in FIXED]
                raise ValueError(
                    f"option {name}{perhaps(name, known)}: those of a plan are"
                    f" {', '.join(known)}; the search has taken {', '.join(FIXED)}"
                )
        return Program(self._spec({**options}), proved=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as `nodewright search --json` prints it."""
        return {
            "phases": self._phases,
            "between_ranks": isinstance(self.plan, Plan) and self.plan.across,
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


@dataclass(frozen=True, repr=False)
class PlanByBits(FoundPlan):
    """A plan of F(N), where N and P are powers of two: phases in groups of ranks."""

    plan: Plan
    task: Task

    @cached_property
    def figures(self) -> Figures:
        return self.task.figures(self.plan)

    @property
    def groups(self) -> str:
        return ", ".join(f"{1 << phase.group}" for phase in self.plan.phases)

    @cached_property
    def _letters(self) -> InPhases:
        parts = [(phase.digits, phase.group) for phase in self.plan.phases]
        if self.plan.across:  # nothing is made local
            return in_phases(self.plan.n, 0, [*parts, ((1,), 0)])
        return in_phases(self.plan.n, self.plan.p, parts)

    def _spec(self, options: dict[str, Any]) -> Spec:
        formula = None if self.plan.across else self.formula  # the default of such kernels
        return replace(self.asked, formula=formula, **options)

    @property
    def _phases(self) -> list[dict[str, Any]]:
        return [
            {"radices": [1 << digit for digit in phase.digits], "group": 1 << phase.group}
            for phase in self.plan.phases
        ]


@dataclass(frozen=True, repr=False)
class PlanByDigits(FoundPlan):
    """A plan of a transform of any size, or of several axes."""

    plan: DigitPlan

    @property
    def figures(self) -> Figures:
        return self.plan.figures

    @cached_property
    def _letters(self) -> InRadices:
        return InRadices(self.plan.runs)

    def _spec(self, options: dict[str, Any]) -> Spec:
        return replace(self.plan.spec, **options)

    @property
    def _phases(self) -> list[dict[str, Any]]:
        return [{"radices": [*map(list, phase)]} for phase in self.plan.phases]
