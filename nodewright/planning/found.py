"""A plan that the search found: its figures, its derivation for all radices, its program."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

from codegen.cost.counted import Machine
from codegen.search.best import Task
from codegen.search.plans import Plan
from codegen.search.prices import Figures
from codegen.search.trees import trees_of_plan
from codegen.spec import Spec
from derive.formula.grammar import Formula
from derive.text import elaborate
from derive.text.parse import parse_formula
from nodewright.api.derivations import Derivation
from nodewright.api.options import Options
from nodewright.api.programs import Program
from proofs.derivations.phases import InPhases, in_phases

FIXED = ("input", "output", "kernels")
"""The options that the search decides with."""


@dataclass(frozen=True, repr=False)
class FoundPlan:
    """A plan of F(N) on P ranks: radices in the order of their transforms, `·` between those that a
    rank does without an exchange, `|` where data moves. The changes of layout at both ends are
    counted, too.
    """

    plan: Plan
    task: Task
    machine: Machine

    @cached_property
    def figures(self) -> Figures:
        """The most that one rank does: exchanges, messages, words, passes over its memory,
        flops.
        """
        return self.task.figures(self.plan)

    @property
    def price(self) -> float:
        """The price of the figures, in flops."""
        return self.task.price(self.figures)

    @property
    def seconds(self) -> float:
        """The price on the machine."""
        return self.price / self.machine.v

    @property
    def groups(self) -> str:
        """The ranks of a group in each phase: it has its elements cyclically."""
        return ", ".join(f"{1 << phase.group}" for phase in self.plan.phases)

    @property
    def trees(self) -> int:
        """The number of breakdown trees with these radices in this order."""
        return trees_of_plan(self.plan.leaves)

    @cached_property
    def _phases(self) -> InPhases:
        parts = [(phase.digits, phase.group) for phase in self.plan.phases]
        if self.plan.across:  # nothing is made local
            return in_phases(self.plan.n, 0, [*parts, ((1,), 0)])
        return in_phases(self.plan.n, self.plan.p, parts)

    @property
    def values(self) -> dict[str, int]:
        """The values of the derivation's letters in this plan."""
        return self._phases.values

    @cached_property
    def derivation(self) -> Derivation:
        """The derivation of the factorization, for all radices: the kernel proves every step. Its
        `end()` is the proof, `values` has the radices of this plan.
        """
        found = Derivation(self._phases.start)
        for rule, place, letters in self._phases.steps():
            found.apply(rule, place, **letters)
        return found

    @cached_property
    def formula(self) -> Formula:
        """The factorization at the radices of this plan."""
        return elaborate.formula(parse_formula(self.derivation.formula), self.values)

    def script(self) -> str:
        """Return the derivation as text, a step a line, as `nodewright derive` takes it."""
        values = ", ".join(f"{name} = {value}" for name, value in reversed(self.values.items()))
        head = f"# F({1 << self.plan.n}) on {1 << self.plan.p} ranks in radices {self.plan}"
        return f"{head}\n# for all sizes; here {values}\n{self.derivation.script()}"

    def program(self, **options: Unpack[Options]) -> Program:
        """Return the program of this factorization, in the layouts and with the kernels that it was
        found for. Options are direction, norm, exchange, dtype.

        Raises ValueError for other options.
        """
        for name in options:
            if name in FIXED or name not in Options.__annotations__:
                known = [known for known in Options.__annotations__ if known not in FIXED]
                raise ValueError(
                    f"option {name}: those of a plan are {', '.join(known)}; the search has taken"
                    f" {', '.join(FIXED)}"
                )
        N, P = 1 << self.plan.n, 1 << self.plan.p
        ends = {"input": self.task.input.name, "output": self.task.output.name}
        words: dict[str, Any] = {**ends, "kernels": self.task.kernels, **options}
        formula = None if self.plan.across else self.formula  # the default of such kernels
        return Program(Spec("fft", N, P, formula=formula, **words), proved=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as `search` prints it with --json."""
        phases = [
            {"radices": [1 << digit for digit in phase.digits], "group": 1 << phase.group}
            for phase in self.plan.phases
        ]
        return {
            "phases": phases,
            "between_ranks": self.plan.across,
            **self.figures._asdict(),
            "price": self.price,
            "seconds": self.seconds,
            "trees": self.trees,
            "formula": str(self.formula),
            "derivation": self.script(),
        }

    def __str__(self) -> str:
        return f"{self.plan}"

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {value}" for name, value in self.figures._asdict().items())
        return f"<{self.plan}: {said}, {self.seconds:.3g} s>"
