"""What a program and a plan of it hold between calls: a transform leaves nothing behind by which
the next one could tell what came before.

It may leave a number, a text or another order of what was there, if that alternates between two
states from the second transform on: of these, both are run. What the module holds may change with
the first plan and the first transform, as a table does that is made once, and never again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from proofs.certify.forbidden import Unmodelled
from proofs.certify.state.holding import COUNTS, Form, Held, held, left_behind
from proofs.certify.state.scratch import Scratch, kept, spoilt


@dataclass
class Record:
    """What one rank's program holds after each step of a script."""

    program: Mapping[str, Any]
    module: Form | None = None
    things: frozenset[int] = frozenset()
    warm: bool = False
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    scratch: dict[int, Scratch] = field(default_factory=dict)
    plans: dict[int, Held] = field(default_factory=dict)
    steps: dict[int, list[tuple[Form, Form]]] = field(default_factory=dict)

    def planned(self, plan: Any) -> None:
        """Note what is held when a plan is made; raise Unmodelled where plans can be counted."""
        found = held(self.program, plan)
        self._module(found, "plan", self.module is None)
        self.plans[id(plan)], self.steps[id(plan)] = found, []
        arrays = kept(found.things.values())
        self.scratch |= {id(each): Scratch.of(each) for each in arrays}

    def transforms(self, plan: Any) -> None:
        """Spoil what the transforms of a plan have left in its arrays, before the next one."""
        spoilt(self._scratch_of(plan), self.rng)

    def transformed(self, plan: Any) -> None:
        """Note what a transform leaves held; raise Unmodelled where the next may tell from it."""
        before, found = self.plans[id(plan)], held(self.program, plan)
        if kinds := left_behind({*before.things, *self.things}, found.things):
            raise Unmodelled(
                f"transform keeps what was not there before, of type {', '.join(kinds)}: by that"
                " the next one may tell what came before"
            )
        steps, step = self.steps[id(plan)], (before.plan, found.plan)
        if steps and step[0] != step[1] and step[::-1] not in steps:
            raise Unmodelled(COUNTS.format("transform"))
        self._module(found, "transform", not self.warm)
        self.warm = True
        for array in self._scratch_of(plan):
            array.look()
        steps.append(step)
        self.plans[id(plan)] = found

    def freed(self, plan: Any) -> None:
        """Forget a plan; raise Unmodelled where the module knows that it was freed."""
        self._module(held(self.program, None), "free", False)
        del self.steps[id(plan)]
        for each in self.plans.pop(id(plan)).things.keys() - self.things:
            self.scratch.pop(each, None)

    def _scratch_of(self, plan: Any) -> list[Scratch]:
        things = self.plans[id(plan)].things
        return [array for each, array in self.scratch.items() if each in things]

    def _module(self, found: Held, call: str, first: bool) -> None:
        if found.module != self.module and not first:
            raise Unmodelled(COUNTS.format(call))
        self.module, self.things = found.module, frozenset(found.things)
